"""The other side of a node's control socket."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from isfc.errors import ConfigurationError, RemoteProtocolError
from isfc.live.control import ANNOUNCEMENTS_MAX, BadRequest, ControlClient, Reply
from isfc.live.endpoint import listen_at
from tests.isfc.live.asking import Answering
from tests.live.pair import LOOPS
from tests.waiting import PATIENCE_S


@pytest.fixture(name="path")
def make_path(tmp_path: Path) -> Path:
    return tmp_path / "ATLANTA.control"


def handle(kind: str, operand: object) -> Reply:
    if kind == "echo":
        return {"text": operand}
    raise BadRequest(f"{kind} is unknown")


@pytest.mark.parametrize("kind", LOOPS)
def test_client_asks_and_hears(path: Path, kind: str) -> None:
    with Answering(path, handle, kind) as node, ControlClient(path) as client:
        assert client.ask("echo", "one") == {"text": "one"}
        node.announce("before listening")
        client.listen()
        node.announce("first")
        node.announce("second")
        assert client.ask("echo", "x" * 2_000) == {"text": "x" * 2_000}
        heard = [client.poll_announcement() for _ in range(3)]
        assert heard == ["first", "second", None]
        client.receive()  # without waiting
        assert client.poll_announcement() is None
        node.announce("now")
        client.receive()
        assert client.poll_announcement() == "now"
        with pytest.raises(RemoteProtocolError, match="the node refuses: fly is unknown"):
            client.ask("fly")
        assert client.ask("echo", 1) == {"text": 1}


@contextmanager
def odd_node(path: Path, answer: bytes, timeout_s: float = PATIENCE_S) -> Iterator[ControlClient]:
    """A client of something that sends ``answer`` to everybody, and ends if it is empty."""
    with listen_at(path) as listener, ControlClient(path, timeout_s=timeout_s) as client:
        listener.settimeout(PATIENCE_S)
        accepted, _ = listener.accept()
        with accepted:
            if answer:
                threading.Thread(target=_send, args=(accepted, answer)).start()
            else:
                accepted.shutdown(socket.SHUT_WR)
            yield client


def _send(connection: socket.socket, data: bytes) -> None:
    with suppress(OSError):  # the client has had enough
        connection.sendall(data)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (b"garbage\n", "expected one JSON object on a line"),
        (b"[1]\n", "expected one JSON object on a line"),
        (b"[" * 100_000 + b"\n", "expected one JSON object on a line"),
        (b"{}\n", "the node refuses: no reply"),
        (b'{"reply": 1}\n', "the node refuses: no reply"),
        (b'{"error": "another user\'s"}\n', "the node refuses: another user's"),
        (b"x" * 2_000_000, "a line is longer than 1048576 bytes"),
    ],
)
def test_what_is_no_reply_is_refused(path: Path, answer: bytes, complaint: str) -> None:
    with odd_node(path, answer) as client, pytest.raises(RemoteProtocolError) as refused:
        client.ask("echo", 1)
    assert str(refused.value) == complaint


def test_node_that_ends_hangs_or_is_not_there_is_an_error_of_the_system(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ControlClient(path)
    for use in (lambda client: client.ask("echo", 1), ControlClient.receive):
        with odd_node(path, b"") as client, pytest.raises(ConnectionResetError):
            use(client)
    with odd_node(path, b'{"rep', 0.2) as client, pytest.raises(TimeoutError):
        client.ask("echo", 1)


def test_announcements_that_nobody_polls_are_bounded(path: Path) -> None:
    lines = b"".join(
        json.dumps({"announcement": str(n)}).encode() + b"\n" for n in range(ANNOUNCEMENTS_MAX + 5)
    )
    with odd_node(path, lines + b'{"reply": {}}\n') as client:
        client.listen()
        assert client.poll_announcement() == "5"


def test_a_node_of_another_user_is_given_no_commands(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with listen_at(path):
        monkeypatch.setattr("os.getuid", lambda: 12_345)
        with pytest.raises(ConfigurationError, match=r"user \d+ listens there"):
            ControlClient(path)
