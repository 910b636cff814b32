"""TCP programs that benchmarks need and nobody ships: bytes by HTTP, an echo, and what fills it.

``python -m tools.benchmarks.live_serve http PORT LENGTH`` answers any GET on 127.0.0.1 with so many
bytes; ``echo PORT`` sends back what comes; ``flood PORT COUNT`` lets so many connections to an echo
carry as much as they can, both ways. Each goes on until it is ended.
"""

import asyncio
import socket
import sys
import threading
from collections.abc import Callable
from typing import Final, cast

import uvloop

from tools.benchmarks.contenders import BUFFER_LENGTH

HOST: Final = "127.0.0.1"
_PIECE: Final = bytes(BUFFER_LENGTH)


def send_bytes(connection: socket.socket, length: int) -> None:
    """Answer one request."""
    request = b""
    while b"\r\n\r\n" not in request:
        received = connection.recv(4_096)
        if not received:
            return
        request += received
    connection.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n" % length)
    while length:
        piece = _PIECE[:length]
        connection.sendall(piece)
        length -= len(piece)


def echo(connection: socket.socket, _: int) -> None:
    """Send back what comes."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while data := connection.recv(BUFFER_LENGTH):
        connection.sendall(data)


def serve(port: int, length: int, answer: Callable[[socket.socket, int], None]) -> None:
    """Answer every connection, each in a thread."""

    def take(connection: socket.socket) -> None:
        try:
            with connection:
                answer(connection, length)
        except OSError:
            pass  # the other side has had enough

    listener = socket.create_server((HOST, port), backlog=1_024)
    while True:
        threading.Thread(target=take, args=(listener.accept()[0],), daemon=True).start()


class Flood(asyncio.Protocol):
    """Sends whenever it can, and reads everything."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast(asyncio.Transport, transport)
        self.resume_writing()

    def pause_writing(self) -> None:
        """The connection takes no more for now."""
        self._taken = False

    def resume_writing(self) -> None:
        """It takes some again."""
        self._taken = True
        while self._taken and not self._transport.is_closing():
            self._transport.write(_PIECE)


async def flood(port: int, count: int) -> None:
    """Open the connections, and let them work."""
    loop = asyncio.get_running_loop()
    for _ in range(count):
        await loop.create_connection(Flood, HOST, port)
    await loop.create_future()


def main(kind: str, port: int, number: int = 0) -> None:
    """Do what the command line asks for."""
    if kind == "flood":
        uvloop.run(flood(port, number))
    else:
        serve(port, number, send_bytes if kind == "http" else echo)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
