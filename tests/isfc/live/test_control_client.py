"""The other side of a node's control socket."""

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from isfc.errors import ConfigurationError, RemoteProtocolError
from isfc.live.control import ANNOUNCEMENTS_MAX, BadRequest, ControlClient, ControlServer, Reply
from isfc.live.endpoint import listen_at
from tests.live.pair import LOOPS
from tests.waiting import PATIENCE_S

Announce = Callable[[str], None]


@pytest.fixture(name="path")
def make_path(tmp_path: Path) -> Path:
    return tmp_path / "ATLANTA.control"


def handle(kind: str, operand: object) -> Reply:
    if kind == "echo":
        return {"text": operand}
    raise BadRequest(f"{kind} is unknown")


@contextmanager
def served(path: Path, kind: str) -> Iterator[Announce]:
    """A server on a loop of its own thread, and what lets it announce."""
    loop = LOOPS[kind]()
    server = ControlServer(path, handle)
    loop.run_until_complete(server.start())
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield lambda line: asyncio.run_coroutine_threadsafe(_announce(server, line), loop).result(
            PATIENCE_S
        )
    finally:
        asyncio.run_coroutine_threadsafe(server.close(), loop).result(PATIENCE_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
        loop.close()


async def _announce(server: ControlServer, line: str) -> None:
    server.announce(line)


@pytest.mark.parametrize("kind", LOOPS)
def test_client_asks_and_hears(path: Path, kind: str) -> None:
    with served(path, kind) as announce, ControlClient(path) as client:
        assert client.ask("echo", "one") == {"text": "one"}
        announce("before listening")
        client.listen()
        announce("first")
        announce("second")
        assert client.ask("echo", "x" * 2_000) == {"text": "x" * 2_000}
        heard = [client.poll_announcement() for _ in range(3)]
        assert heard == ["first", "second", None]


@pytest.mark.parametrize("kind", LOOPS)
def test_client_receives_announcements_without_waiting(path: Path, kind: str) -> None:
    with served(path, kind) as announce, ControlClient(path) as client:
        client.listen()
        client.receive()
        assert client.poll_announcement() is None
        announce("now")
        client.receive()
        assert client.poll_announcement() == "now"


def test_bad_request_is_an_error_that_says_why(path: Path) -> None:
    with served(path, "asyncio"), ControlClient(path) as client:
        with pytest.raises(RemoteProtocolError, match="the node refuses: fly is unknown"):
            client.ask("fly")
        assert client.ask("echo", 1) == {"text": 1}


def test_nobody_there_is_an_error_of_the_system(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ControlClient(path)


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
        (b"x" * 2_000_000, "a line is longer than 1048576 bytes"),
    ],
)
def test_what_is_no_reply_is_refused(path: Path, answer: bytes, complaint: str) -> None:
    with odd_node(path, answer) as client, pytest.raises(RemoteProtocolError) as refused:
        client.ask("echo", 1)
    assert str(refused.value) == complaint


def test_node_that_ends_or_hangs_is_an_error_of_the_system(path: Path) -> None:
    with odd_node(path, b"") as client, pytest.raises(ConnectionResetError):
        client.ask("echo", 1)
    with odd_node(path, b'{"rep', 0.2) as client, pytest.raises(TimeoutError):
        client.ask("echo", 1)


def test_end_of_the_node_is_noticed_while_one_listens(path: Path) -> None:
    with odd_node(path, b"") as client, pytest.raises(ConnectionResetError):
        client.receive()


def test_reason_for_the_end_is_told(path: Path) -> None:
    with (
        odd_node(path, b'{"error": "another user\'s"}\n') as client,
        pytest.raises(RemoteProtocolError, match="another user's"),
    ):
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
