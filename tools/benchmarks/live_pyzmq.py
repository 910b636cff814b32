"""pyzmq's PAIR sockets: packages over eight of them, all other messages over one.

The small messages of HS go round the same closed loop as with ISFC: the near process keeps
`WINDOW` of them under way, the far one answers each immediately, and each reply releases the next
message. One socket carries them all, blocking, and no message says to which conversation it
belongs: that is the least work for pyzmq. Packages and long messages are not copied between
Python and the library. The buffers of its sockets are as it sets them: with larger ones packages
are slower, messages alike.
"""

import time
from itertools import chain
from typing import Final

import zmq

from tools.benchmarks.live_peer import (
    HS_REPLY,
    PAYLOAD_LENGTH,
    PING_LENGTH,
    WINDOW,
    PeerPart,
    Stopwatch,
    await_path,
    hs_messages,
    read_part,
)

WAITING_LENGTH_MAX: Final = 4 * PAYLOAD_LENGTH
"""Bytes that may wait in each socket either way, which its high-water mark sees to; with pyzmq's
own, of 1,000 messages, all packages would wait."""

COPIED_LENGTH_MAX: Final = 65_536
"""Shorter messages are copied, as pyzmq does if not told otherwise: that is quicker for them."""


def open_pairs(context: zmq.Context[zmq.Socket[bytes]], part: PeerPart) -> list[zmq.Socket[bytes]]:
    """The sockets of one end: the far one binds, the near one connects."""
    pairs = []
    for index in range(part.of.connections):
        pair = context.socket(zmq.PAIR)
        if not part.of.replies:
            pair.set_hwm(WAITING_LENGTH_MAX // part.of.length)
        path = part.folder / str(index)
        if part.far:
            pair.bind(f"ipc://{path}")
        else:
            await_path(path)
            pair.connect(f"ipc://{path}")
        pairs.append(pair)
    return pairs


def receive(pairs: list[zmq.Socket[bytes]], part: PeerPart, meter: Stopwatch) -> None:
    """Receive what is sent one way, socket by socket."""
    copies = part.message_length < COPIED_LENGTH_MAX
    for index in meter.counted(part):
        pairs[index % len(pairs)].recv(copy=copies)


def send(pairs: list[zmq.Socket[bytes]], part: PeerPart, meter: Stopwatch) -> None:
    """Send the same message over and over."""
    message = bytes(part.of.length)
    copies = part.message_length < COPIED_LENGTH_MAX
    for index in meter.counted(part):
        pairs[index % len(pairs)].send(message, 0, copies)


def ping(pair: zmq.Socket[bytes], part: PeerPart, meter: Stopwatch) -> None:
    """One message under way at a time; times the round trip."""
    message = bytes(PING_LENGTH)
    for _ in meter.counted(part):
        sent_ns = time.perf_counter_ns()
        pair.send(message)
        pair.recv()
        meter.trips_ns.append(time.perf_counter_ns() - sent_ns)


def pong(pair: zmq.Socket[bytes], part: PeerPart, meter: Stopwatch) -> None:
    """Send back what has come."""
    for _ in meter.counted(part):
        pair.send(pair.recv())


def serve(pair: zmq.Socket[bytes], part: PeerPart, meter: Stopwatch) -> None:
    """Answer every message, those that are left under way too."""
    for _ in chain(meter.counted(part), range(WINDOW)):
        pair.recv()
        pair.send(HS_REPLY)


def ask(pair: zmq.Socket[bytes], part: PeerPart, meter: Stopwatch) -> None:
    """Keep the window full until all is counted, then let it run dry."""
    messages = hs_messages()
    mask = len(messages) - 1
    for message in messages[:WINDOW]:
        pair.send(message)
    for index in meter.counted(part):
        pair.recv()
        pair.send(messages[index & mask])
    for _ in range(WINDOW):
        pair.recv()


def main() -> None:
    """Do the part that the command line asks for."""
    part, meter = read_part("python -m tools.benchmarks.live_pyzmq"), Stopwatch()
    with zmq.Context() as context:
        pairs = open_pairs(context, part)
        if not part.of.replies:
            (receive if part.far else send)(pairs, part, meter)
        elif part.case == "pingpong":
            (pong if part.far else ping)(pairs[0], part, meter)
        else:
            (serve if part.far else ask)(pairs[0], part, meter)
        for pair in pairs:
            pair.close()
    meter.report()


if __name__ == "__main__":
    main()
