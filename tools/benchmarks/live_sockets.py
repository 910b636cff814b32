"""Raw blocking Python sockets: packages, one connection after the other, in one thread."""

import socket

from tools.benchmarks.live_peer import (
    CONNECTIONS,
    PAYLOAD_LENGTH,
    PeerPart,
    Stopwatch,
    connect,
    listen,
    read_part,
    widen,
)


def receive(part: PeerPart, meter: Stopwatch) -> None:
    """Read every package into one buffer."""
    listener = listen(part.folder / "socket")
    connections = [widen(listener.accept()[0]) for _ in range(CONNECTIONS)]
    view = memoryview(bytearray(PAYLOAD_LENGTH))
    for index in range(part.warmup + part.count):
        if index == part.warmup:
            meter.start()
        _fill(connections[index % CONNECTIONS], view)
    meter.stop()


def _fill(connection: socket.socket, view: memoryview) -> None:
    offset = 0
    while offset < PAYLOAD_LENGTH:
        length = connection.recv_into(view[offset:])
        if not length:
            raise EOFError("the sender went away")
        offset += length


def send(part: PeerPart, meter: Stopwatch) -> None:
    """Write the same package over and over."""
    connections = [connect(part.folder / "socket") for _ in range(CONNECTIONS)]
    package = bytes(PAYLOAD_LENGTH)
    for index in range(part.warmup + part.count):
        if index == part.warmup:
            meter.start()
        connections[index % CONNECTIONS].sendall(package)
    meter.stop()


def main() -> None:
    """Do the part that the command line asks for."""
    part, meter = read_part("python -m tools.benchmarks.live_sockets"), Stopwatch()
    (receive if part.far else send)(part, meter)
    meter.report()


if __name__ == "__main__":
    main()
