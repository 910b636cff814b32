"""pyzmq's PAIR sockets: packages over eight of them, small messages over one.

Small messages go round the same closed loop as with ISFC: the near process keeps `WINDOW` of
them under way, the far one answers each immediately, and each reply releases the next message.
One socket carries them all, blocking, and no message says to which conversation it belongs:
that is the least work for pyzmq. Packages are not copied between Python and the library. The
buffers of its sockets are as it sets them: with larger ones packages are slower, messages alike.
"""

from typing import Final

import zmq

from tools.benchmarks.live_peer import (
    CONNECTIONS,
    HS_REPLY,
    PAYLOAD_LENGTH,
    WINDOW,
    Meter,
    Part,
    await_path,
    hs_messages,
    read_part,
)

PACKAGES_WAITING_MAX: Final = 4
"""High-water mark of each socket either way for packages; without it all of them would wait."""


def open_pairs(context: zmq.Context[zmq.Socket[bytes]], part: Part) -> list[zmq.Socket[bytes]]:
    """The sockets of one end: the far one binds, the near one connects."""
    pairs = []
    packages = part.case == "packages"
    for index in range(CONNECTIONS if packages else 1):
        pair = context.socket(zmq.PAIR)
        if packages:
            pair.set_hwm(PACKAGES_WAITING_MAX)
        path = part.folder / str(index)
        if part.far:
            pair.bind(f"ipc://{path}")
        else:
            await_path(path)
            pair.connect(f"ipc://{path}")
        pairs.append(pair)
    return pairs


def receive(pairs: list[zmq.Socket[bytes]], part: Part, meter: Meter) -> None:
    """Receive packages, socket by socket."""
    for index in range(part.warmup + part.count):
        if index == part.warmup:
            meter.start()
        pairs[index % CONNECTIONS].recv(copy=False)
    meter.stop()


def send(pairs: list[zmq.Socket[bytes]], part: Part, meter: Meter) -> None:
    """Send the same package over and over."""
    package = bytes(PAYLOAD_LENGTH)
    for index in range(part.warmup + part.count):
        if index == part.warmup:
            meter.start()
        pairs[index % CONNECTIONS].send(package, copy=False)
    meter.stop()


def serve(pair: zmq.Socket[bytes], part: Part, meter: Meter) -> None:
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


def ask(pair: zmq.Socket[bytes], part: Part, meter: Meter) -> None:
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
    part, meter = read_part("python -m tools.benchmarks.live_pyzmq"), Meter()
    with zmq.Context() as context:
        pairs = open_pairs(context, part)
        if part.case == "packages":
            (receive if part.far else send)(pairs, part, meter)
        else:
            (serve if part.far else ask)(pairs[0], part, meter)
        for pair in pairs:
            pair.close()
    meter.report()


if __name__ == "__main__":
    main()
