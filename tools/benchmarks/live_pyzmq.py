"""pyzmq's PAIR sockets: packages over eight of them, all other messages over one.

Packages and long messages are not copied between Python and the library. The buffers of its sockets
are as it sets them: with larger ones packages are slower, messages alike.
"""

import sys
import time
from pathlib import Path
from typing import Final

import msgspec
import zmq

from tools.benchmarks.contenders import (
    PAYLOAD_LENGTH,
    ContenderPart,
    LiveCase,
    Stopwatch,
    await_path,
)

WAITING_LENGTH_MAX: Final = 4 * PAYLOAD_LENGTH
"""Bytes that may wait in each socket either way, which its high-water mark sees to; with pyzmq's
own, of 1,000 messages, all packages would wait."""

COPIED_LENGTH_MAX: Final = 65_536
"""Shorter messages are copied, as pyzmq does if not told otherwise: that is quicker for them."""

Pairs = list[zmq.Socket[bytes]]


def open_pairs(context: zmq.Context[zmq.Socket[bytes]], part: ContenderPart) -> Pairs:
    """The sockets of one end: the far one binds, the near one connects."""
    pairs = []
    for index in range(part.case.connections):
        pair = context.socket(zmq.PAIR)
        if not part.case.replies:
            pair.set_hwm(WAITING_LENGTH_MAX // part.case.length)
        path = Path(part.folder, str(index))
        if part.far:
            pair.bind(f"ipc://{path}")
        else:
            await_path(path)
            pair.connect(f"ipc://{path}")
        pairs.append(pair)
    return pairs


def stream(pairs: Pairs, case: LiveCase, meter: Stopwatch, *, receives: bool) -> None:
    """One way, socket by socket: the same message over and over."""
    message = bytes(case.length)
    copies = len(case.message) < COPIED_LENGTH_MAX
    for index in meter.counted(case):
        if receives:
            pairs[index % len(pairs)].recv(copy=copies)
        else:
            pairs[index % len(pairs)].send(message, 0, copies)


def ping(pair: zmq.Socket[bytes], case: LiveCase, meter: Stopwatch) -> None:
    """One message under way at a time; times the round trip."""
    for _ in meter.counted(case):
        sent_ns = time.perf_counter_ns()
        pair.send(case.message)
        pair.recv()
        meter.trips_ns.append(time.perf_counter_ns() - sent_ns)


def pong(pair: zmq.Socket[bytes], case: LiveCase, meter: Stopwatch) -> None:
    """Send back what has come."""
    for _ in meter.counted(case):
        pair.send(pair.recv())


def main(part: ContenderPart) -> None:
    """Play one end."""
    meter = Stopwatch()
    with zmq.Context() as context:
        pairs = open_pairs(context, part)
        if part.case.replies:
            (pong if part.far else ping)(pairs[0], part.case, meter)
        else:
            stream(pairs, part.case, meter, receives=part.far)
        for pair in pairs:
            pair.close()
    meter.report()


if __name__ == "__main__":
    main(msgspec.json.decode(sys.argv[1], type=ContenderPart))
