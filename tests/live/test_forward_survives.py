"""What becomes of forwarded connections when a node is killed, stopped or losing its CTCs."""

import signal
import socket
import threading
import time
from contextlib import AbstractContextManager, suppress
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

from tests.live.forwarded import (
    Digest,
    Echo,
    Flood,
    answers,
    forwarding_nodes,
    free_port,
    say,
    service,
)
from tests.live.nodes import FIRST, LAYOUT, SECOND
from tests.live.processes import TwoNodes, two_nodes
from tests.waiting import PATIENCE_S, wait_for

pytestmark = pytest.mark.slow

MEMORY_LENGTH_MAX = 20 * 2**20
"""Bytes by which a node may grow while its partner takes nothing."""


def forwarding_pair(
    folder: Path, here: int, there: int, *words: str
) -> AbstractContextManager[TwoNodes]:
    """Both systems, which forward a port at the first; either may be killed."""
    forward = ("--forward", f"{FIRST}:{here}={SECOND}:127.0.0.1:{there}")
    words = ("--run-dir", str(folder), *forward, *words)
    return two_nodes(folder, *words, layout=LAYOUT, names=(FIRST, SECOND))


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
    here = free_port()
    with service(Echo) as there, forwarding_pair(tmp_path, here, there, "--verify") as pair:
        for life in range(3):
            second = pair.nodes[SECOND] if not life else pair.start(SECOND)
            wait_for(lambda: echoes(here), "an echo")
            client = socket.create_connection(("127.0.0.1", here), timeout=PATIENCE_S)
            client.sendall(b"hello")
            assert client.recv(5) == b"hello"
            pair.kill(SECOND)
            second = pair.start(SECOND)
            with client, pytest.raises(ConnectionResetError):
                client.recv(1)
            assert second.end() == 0, second.err
        assert pair.nodes[FIRST].end() == 0


def test_client_of_a_node_that_is_killed_gets_a_reset_and_no_end(tmp_path: Path) -> None:
    here = free_port()
    with service(Flood) as there, forwarding_pair(tmp_path, here, there) as pair:
        wait_for(lambda: answers(here), "the port")
        client = socket.create_connection(("127.0.0.1", here), timeout=PATIENCE_S)
        assert client.recv(65_536)
        pair.kill(FIRST)
        with client, pytest.raises(ConnectionResetError):
            drain(client)
        assert pair.nodes[SECOND].end() == 0, pair.nodes[SECOND].err


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
