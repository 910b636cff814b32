"""Two ``isfc node`` processes that forward a TCP port, for programs nobody here wrote."""

import socket
import socketserver
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from tests.live.nodes import FIRST, LAYOUT, SECOND
from tests.live.processes import Isfc, two_nodes
from tests.waiting import PATIENCE_S, wait_for
from tools.benchmarks.tcp_services import free_port as free_port


def answers(port: int) -> bool:
    """Whether somebody listens on a port of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def forwarding_nodes(
    folder: Path, ports: Sequence[tuple[int, int]], *words: str
) -> Iterator[tuple[Isfc, Isfc]]:
    """Both systems; each (listening port at the first, service's port) is forwarded."""
    forwards = [
        word
        for here, there in ports
        for word in ("--forward", f"{FIRST}:{here}={SECOND}:127.0.0.1:{there}")
    ]
    words = (*forwards, "--run-dir", str(folder), *words)
    names = (FIRST, SECOND)
    with two_nodes(folder, *words, layout=LAYOUT, names=names) as pair:
        first, second = pair.both
        # the link's socket comes last: by then the ports are there
        wait_for(lambda: pair.socket.exists() or first.process.poll() is not None, "the link")
        assert pair.socket.exists(), first.err
        yield first, second
        pair.end()


def say(port: int, data: bytes) -> bytes:
    """Send bytes to a TCP service, end our half, and return all it answers."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(data)
        with suppress(OSError):
            connection.shutdown(socket.SHUT_WR)
        answer = bytearray()
        while piece := connection.recv(65_536):
            answer += piece
    return bytes(answer)


class Echo(socketserver.BaseRequestHandler):
    """Sends everything back."""

    def handle(self) -> None:
        with suppress(ConnectionError):
            while data := self.request.recv(65_536):
                self.request.sendall(data)


class Flood(socketserver.BaseRequestHandler):
    """Sends much, and is done."""

    length = 60_000_000

    def handle(self) -> None:
        with suppress(ConnectionError):
            self.request.sendall(bytes(self.length))


class Digest(socketserver.StreamRequestHandler):
    """Answers with a checksum of all it got."""

    def handle(self) -> None:
        checksum = sha256()
        while data := self.rfile.read1(65_536):
            checksum.update(data)
        self.wfile.write(checksum.hexdigest().encode())


@contextmanager
def service(handler: type[socketserver.BaseRequestHandler]) -> Iterator[int]:
    """A TCP service in a thread; its port."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
