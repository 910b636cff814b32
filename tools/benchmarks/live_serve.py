"""The TCP services that benchmarks need and nobody ships: bytes by HTTP, and an echo.

``python -m tools.benchmarks.live_serve http|echo PORT [LENGTH]`` listens on 127.0.0.1 until it is
ended. Any GET is answered with so many bytes; an echo sends back what comes.
"""

import socket
import sys
import threading
from collections.abc import Callable

from tools.benchmarks.live_peer import BUFFER_LENGTH

_PIECE = bytes(BUFFER_LENGTH)


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

    listener = socket.create_server(("127.0.0.1", port), backlog=1_024)
    while True:
        threading.Thread(target=take, args=(listener.accept()[0],), daemon=True).start()


def main() -> None:
    """Serve what the command line asks for."""
    kind, port, *length = sys.argv[1:]
    serve(int(port), int(*length or "0"), send_bytes if kind == "http" else echo)


if __name__ == "__main__":
    main()
