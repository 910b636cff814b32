"""pyzmq's PAIR sockets: packages over eight of them, all other messages over one.

The small messages of HS go round the same closed loop as with ISFC: the near process keeps
`WINDOW` of them under way, the far one answers each immediately, and each reply releases the next
message. One socket carries them all, blocking, and no message says to which conversation it
belongs: that is the least work for pyzmq. Packages and long messages are not copied between
Python and the library. The buffers of its sockets are as it sets them: with larger ones packages
are slower, messages alike.
"""

import time
from typing import Final

import zmq

from tools.benchmarks.live_peer import (
    CONNECTIONS,
    HS_REPLY,
    PAYLOAD_LENGTH,
    PING_LENGTH,
    STREAMS,
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
    streams = part.case == "packages" or part.case in STREAMS
    for index in range(CONNECTIONS if part.case == "packages" else 1):
        pair = context.socket(zmq.PAIR)
        if streams:
            pair.set_hwm(WAITING_LENGTH_MAX // (part.message_length * part.messages))
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
    for index in range(part.warmup + part.count):
        if index == part.warmup:
            meter.start()
        pairs[index % len(pairs)].recv(copy=copies)
    meter.stop()


def send(pairs: list[zmq.Socket[bytes]], part: PeerPart, meter: Stopwatch) -> None:
    """Send the same message over and over."""
    message = bytes(part.message_length * part.messages)
    copies = part.message_length < COPIED_LENGTH_MAX
    for index in range(part.warmup + part.count):
        if index == part.warmup:
            meter.start()
        pairs[index % len(pairs)].send(message, 0, copies)
    meter.stop()


def ping(pair: zmq.Socket[bytes], part: PeerPart, meter: Stopwatch) -> None:
    """One message under way at a time; times the round trip."""
    message = bytes(PING_LENGTH)
    for index in range(part.warmup + part.count):
        if index == part.warmup:
            meter.start()
        sent_ns = time.perf_counter_ns()
        pair.send(message)
        pair.recv()
        meter.trips_ns.append(time.perf_counter_ns() - sent_ns)
    meter.stop()


def pong(pair: zmq.Socket[bytes], part: PeerPart, meter: Stopwatch) -> None:
    """Send back what has come."""
    for index in range(part.warmup + part.count):
        if index == part.warmup:
            meter.start()
        pair.send(pair.recv())
    meter.stop()


def serve(pair: zmq.Socket[bytes], part: PeerPart, meter: Stopwatch) -> None:
    """Answer every message."""

    def answer(count: int) -> None:
        for _ in range(count):
            pair.recv()
            pair.send(HS_REPLY)

    answer(part.warmup)
    meter.start()
    answer(part.count)
    meter.stop()
    answer(WINDOW)


def ask(pair: zmq.Socket[bytes], part: PeerPart, meter: Stopwatch) -> None:
    """Keep the window full until all is counted, then let it run dry."""
    messages = hs_messages()
    mask = len(messages) - 1

    def exchange(count: int) -> None:
        for index in range(count):
            pair.recv()
            pair.send(messages[index & mask])

    for message in messages[:WINDOW]:
        pair.send(message)
    exchange(part.warmup)
    meter.start()
    exchange(part.count)
    meter.stop()
    for _ in range(WINDOW):
        pair.recv()


def main() -> None:
    """Do the part that the command line asks for."""
    part, meter = read_part("python -m tools.benchmarks.live_pyzmq"), Stopwatch()
    with zmq.Context() as context:
        pairs = open_pairs(context, part)
        if part.case == "packages" or part.case in STREAMS:
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
