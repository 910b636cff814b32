"""What becomes of forwarded connections when a node is killed, stopped or losing its CTCs."""

import signal
import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

from tests.live.forwarded import answers, forwarding_nodes, free_port, say
from tests.live.nodes import FIRST, LAYOUT, SECOND
from tests.live.processes import isfc
from tests.waiting import PATIENCE_S, wait_for

pytestmark = pytest.mark.slow

MEMORY_LENGTH_MAX = 20 * 2**20
"""Bytes by which a node may grow while its partner takes nothing."""


class Echo(socketserver.BaseRequestHandler):
    """Sends everything back."""

    def handle(self) -> None:
        with suppress(ConnectionError):
            while data := self.request.recv(65_536):
                self.request.sendall(data)


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


def drain(client: socket.socket) -> None:
    """Take all there is, until the end."""
    while client.recv(65_536):
        pass


def echoes(port: int) -> bool:
    """Whether a forwarded echo service answers."""
    with suppress(ConnectionError):
        return say(port, b"hello") == b"hello"
    return False


def resident_length(pid: int) -> int:
    """Bytes of memory that a process has in use."""
    status = Path(f"/proc/{pid}/status").read_text("utf-8")
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024


def test_killed_node_resets_its_connections_and_forwards_again_when_it_is_back(
    tmp_path: Path,
) -> None:
    link = f"unix:{tmp_path / 'link'}"
    with service(Echo) as there:
        here = free_port()
        forward = f"{FIRST}:{here}={SECOND}:127.0.0.1:{there}"
        words = (LAYOUT, "--run-dir", str(tmp_path), "--forward", forward, "--verify")
        with isfc(tmp_path, "node", FIRST, *words, "--listen", link) as first:
            wait_for((tmp_path / "link").exists, "the link")
            for _ in range(3):
                with isfc(tmp_path, "node", SECOND, *words, "--connect", link) as second:
                    wait_for(lambda: echoes(here), "an echo")
                    client = socket.create_connection(("127.0.0.1", here), timeout=PATIENCE_S)
                    client.sendall(b"hello")
                    assert client.recv(5) == b"hello"
                    second.signal(signal.SIGKILL)
                    second.exit_code()
                with isfc(tmp_path, "node", SECOND, *words, "--connect", link) as again:
                    with client, pytest.raises(ConnectionResetError):
                        client.recv(1)
                    assert again.end() == 0, again.err
            assert first.end() == 0, first.err


def test_client_of_a_node_that_is_killed_gets_a_reset_and_no_end(tmp_path: Path) -> None:
    class Flood(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with suppress(ConnectionError):
                self.request.sendall(bytes(100_000_000))

    here = free_port()
    link = f"unix:{tmp_path / 'link'}"
    with service(Flood) as there:
        forward = f"{FIRST}:{here}={SECOND}:127.0.0.1:{there}"
        words = (LAYOUT, "--run-dir", str(tmp_path), "--forward", forward)
        with (
            isfc(tmp_path, "node", FIRST, *words, "--listen", link) as first,
            isfc(tmp_path, "node", SECOND, *words, "--connect", link) as second,
        ):
            wait_for(lambda: answers(here), "the port")
            client = socket.create_connection(("127.0.0.1", here), timeout=PATIENCE_S)
            assert client.recv(65_536)
            first.signal(signal.SIGKILL)
            first.exit_code()
            with client, pytest.raises(ConnectionResetError):
                drain(client)
            assert second.end() == 0, second.err


def test_stopped_partner_makes_senders_wait_and_costs_no_memory(tmp_path: Path) -> None:
    data = Random(2).randbytes(60_000_000)
    answer: list[bytes] = []
    here = free_port()
    with (
        service(Digest) as there,
        forwarding_nodes(tmp_path, [(here, there)], "--verify") as (first, second),
    ):
        wait_for(lambda: say(here, b"") == sha256().hexdigest().encode(), "an answer")
        before = resident_length(first.process.pid)
        second.signal(signal.SIGSTOP)
        client = threading.Thread(target=lambda: answer.append(say(here, data)))
        client.start()
        time.sleep(1.0)
        assert resident_length(first.process.pid) - before < MEMORY_LENGTH_MAX
        assert not answer
        second.signal(signal.SIGCONT)
        client.join(PATIENCE_S)
        assert not client.is_alive()
    assert answer == [sha256(data).hexdigest().encode()]
