"""A node's control: what clients may do, what costs them the line, and the client of ours."""

import asyncio
import errno
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from isfc.errors import ConfigurationError, RemoteProtocolError
from isfc.live import control
from isfc.live.control import (
    ANNOUNCEMENTS_MAX,
    CLIENT_COUNT_MAX,
    REST_SHARE,
    BadRequest,
    ControlClient,
    ControlServer,
    Handle,
    Reply,
)
from isfc.live.endpoint import listen_at
from tests.isfc.live.asking import Answering
from tests.live.pair import LOOPS, Run
from tests.waiting import PATIENCE_S, wait_until


@pytest.fixture(name="quick")
def make_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients may take little, and be silent for less than half a second."""
    monkeypatch.setattr(control, "LINE_LENGTH_MAX", 200)
    monkeypatch.setattr(control, "CLIENT_COUNT_MAX", 3)
    monkeypatch.setattr(control, "IDLE_S", 0.4)


@pytest.fixture(name="path")
def make_path(tmp_path: Path) -> Path:
    return tmp_path / "ATLANTA.control"


def handle(kind: str, operand: object) -> Reply:
    """Answers kinds ``echo`` and ``large``."""
    if kind == "echo":
        return {"echo": operand}
    if kind == "large":
        return {"large": "x" * 50_000}
    raise BadRequest(f"{kind} is unknown")


class Served:
    """A server for the time of a block, and lines to and from it."""

    def __init__(self, path: Path, handle: Handle = handle) -> None:
        self.server = ControlServer(path, handle)
        self._writers: list[asyncio.StreamWriter] = []

    async def __aenter__(self) -> "Served":
        await self.server.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        for writer in self._writers:
            writer.close()
        await self.server.close()

    async def connect(self) -> "Client":
        reader, writer = await asyncio.open_unix_connection(str(self.server.path), limit=2**20)
        self._writers.append(writer)
        return Client(reader, writer)


class Client:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def ask(self, record: object) -> dict[str, Any]:
        """What a request is answered with."""
        self.writer.write(json.dumps(record).encode() + b"\n")
        return await self.line()

    async def is_answered(self) -> None:
        """Ask something, which must be answered."""
        assert await self.ask({"echo": None}) == {"reply": {"echo": None}}

    async def is_refused(self, error: str) -> None:
        """The node has to give this reason, and close the connection."""
        assert await self.line() == {"error": error}
        assert await self.ended()

    async def listens(self) -> None:
        """Ask for announcements."""
        assert await self.ask({"listen": True}) == {"reply": {}}

    async def line(self) -> dict[str, Any]:
        """The next line."""
        found = json.loads(await asyncio.wait_for(self.reader.readline(), PATIENCE_S))
        assert isinstance(found, dict)
        return found

    async def ended(self) -> bool:
        """Whether the node has closed the connection, and said no more."""
        try:
            return await asyncio.wait_for(self.reader.read(), PATIENCE_S) == b""
        except ConnectionResetError:
            return True


@pytest.fixture
def served(path: Path) -> Served:
    return Served(path)


async def test_requests_are_answered_in_turn(served: Served) -> None:
    client = await served.connect()
    client.writer.write(b'{"echo": 1}\n{"ec')
    client.writer.write(b'ho": "\xc3\xa4"}\n')
    assert await client.line() == {"reply": {"echo": 1}}
    assert await client.line() == {"reply": {"echo": "ä"}}


NO_OBJECT, NO_KIND = "expected one JSON object on a line", "expected {KIND: OPERAND}"
BAD = {
    **dict.fromkeys((b"Q ISLINK", b"\xff\xfe", b"[" * 190, b""), NO_OBJECT),
    **dict.fromkeys((b"7", b"{}", b'{"cp": 1, "echo": 2}'), NO_KIND),
    b'{"fly": 1}': "fly is unknown",
}


@pytest.mark.usefixtures("quick")
async def test_bad_request_is_told_and_forgiven(served: Served) -> None:
    for line, error in BAD.items():
        client = await served.connect()
        client.writer.write(line + b"\n")
        assert await client.line() == {"error": error}, line
        await client.is_answered()
        client.writer.close()
        await wait_until(lambda: not served.server.clients)
    assert served.server.refused_count == 0


@pytest.mark.parametrize("end", [b"", b"\n"])
@pytest.mark.usefixtures("quick")
async def test_endless_line_costs_the_connection(served: Served, end: bytes) -> None:
    client, other = await served.connect(), await served.connect()
    client.writer.write(b"x" * 100_000 + end)
    await client.is_refused("expected requests of at most 200 B")
    assert served.server.refused_count == 1
    await other.is_answered()


@pytest.mark.usefixtures("quick")
async def test_silent_client_has_to_go_and_one_that_asks_now_and_then_may_stay(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    await (await served.connect()).is_refused("nothing was asked for 0.4 s")
    await wait_until(lambda: not served.server.clients)
    monkeypatch.setattr(control, "IDLE_S", 1.0)
    client = await served.connect()
    for _ in range(6):
        await asyncio.sleep(0.2)
        await client.is_answered()


@pytest.mark.usefixtures("quick")
async def test_listener_may_be_silent_and_hears_announcements(served: Served) -> None:
    listener, other = await served.connect(), await served.connect()
    await listener.listens()
    await other.is_answered()
    await asyncio.sleep(0.5)
    served.server.announce("HCP2703I Link 6000 went down")
    assert await listener.line() == {"announcement": "HCP2703I Link 6000 went down"}
    await listener.is_answered()
    # the other had only its idle time, and heard nothing but its end
    assert await other.line() == {"error": "nothing was asked for 0.4 s"}


@pytest.mark.usefixtures("quick")
async def test_clients_beyond_the_limit_are_refused_unless_one_that_asks_nothing_gives_way(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "IDLE_S", PATIENCE_S)
    listener, half, third, fourth = [await served.connect() for _ in range(4)]
    await fourth.is_refused("3 clients are connected already")
    third.writer.close()
    await wait_until(lambda: len(served.server.clients) == 2)
    await (await served.connect()).is_answered()
    await listener.listens()
    half.writer.write(b'{"echo": ')
    monkeypatch.setattr(control, "SILENT_S", 0.0)
    for _ in range(4):  # the last ones in place of those before
        await (await served.connect()).is_answered()
    assert len(served.server.clients) == 3
    assert await half.line() == {"error": "others have come"}
    await listener.is_answered()


async def test_another_users_process_is_refused(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "peer_uid", lambda _socket: os.getuid() + 1)
    await (await served.connect()).is_refused("this node is another user's")
    assert served.server.refused_count == 1


@pytest.mark.skipif(os.getuid() != 0, reason="only root can act as another user")
async def test_another_user_is_kept_out_by_the_sockets_mode() -> None:
    path = Path(f"/tmp/isfc-test-{os.getpid()}.control")  # a place that anybody may enter

    def connect_as_a_stranger() -> int:
        child = os.fork()
        if child == 0:
            os.setuid(65534)
            with socket.socket(socket.AF_UNIX) as stranger:
                os._exit(stranger.connect_ex(str(path)))
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    async with Served(path):
        assert connect_as_a_stranger() == errno.EACCES


async def test_client_that_does_not_read_cannot_make_replies_pile_up(served: Served) -> None:
    client = await served.connect()
    count = 400  # of 50 kB each
    client.writer.write(b'{"large": 1}\n' * count)
    await wait_until(lambda: bool(served.server.clients))
    await asyncio.sleep(0.1)
    assert sum(client.waiting_length for client in served.server.clients) < 500_000
    for _ in range(count):
        assert len((await client.line())["reply"]["large"]) == 50_000


async def test_listener_that_does_not_read_has_to_go(served: Served) -> None:
    deaf, other = await served.connect(), await served.connect()
    for client in (deaf, other):
        await client.listens()
    deaf.writer.transport.pause_reading()  # type: ignore[attr-defined]  # it can
    for _ in range(2_000):
        served.server.announce("x" * 1_000)
        assert (await other.line())["announcement"].startswith("x")
    assert len(served.server.clients) == served.server.refused_count == 1


def test_end_leaves_no_client_and_no_file_but_anothers(path: Path, run_live: Run) -> None:
    async def end() -> None:
        async with Served(path) as served:
            client = await served.connect()
            await client.listens()
            await served.server.close()
            assert await client.ended()
            served.server.announce("nobody hears this")
            await served.server.close()  # once more does no harm

    async def end_another() -> None:
        async with Served(path):
            replace()

    def replace() -> None:
        path.unlink()
        path.write_text("another's")

    run_live(end())
    assert not path.exists()
    run_live(end_another())
    assert path.read_text() == "another's"


async def test_second_server_at_one_place_is_refused(served: Served, path: Path) -> None:
    with pytest.raises(ConfigurationError, match="runs already"):
        await ControlServer(path, handle).start()
    await (await served.connect()).is_answered()


ANSWER_S = 0.004
REQUESTS = b'{"echo": 1}\n' * 400


class Busy:
    """Takes `ANSWER_S` of the loop for each answer, and notes when each began and ended."""

    def __init__(self) -> None:
        self.times_s: list[tuple[float, float]] = []

    def __call__(self, _kind: str, _operand: object) -> Reply:
        begin_s = time.monotonic()
        while time.monotonic() - begin_s < ANSWER_S:
            pass
        self.times_s.append((begin_s, time.monotonic()))
        return {}


async def test_an_operator_has_a_turn_and_the_link_has_most_of_the_loop(path: Path) -> None:
    busy = Busy()
    async with Served(path, busy) as served:
        *others, client = [await served.connect() for _ in range(CLIENT_COUNT_MAX)]
        for other in others:
            other.writer.write(REQUESTS)
        await asyncio.sleep(0.2)
        for _ in range(3):
            before = len(busy.times_s)
            assert await client.ask({"echo": 1}) == {"reply": {}}
            assert len(busy.times_s) - before <= 2 * CLIENT_COUNT_MAX
        before = len(busy.times_s)
        await wait_until(lambda: len(busy.times_s) > before + 20)
    # between one answer and the next, however long the machine made it take
    for (begin_s, end_s), (next_s, _) in pairwise(busy.times_s):
        assert next_s - end_s > 0.9 * REST_SHARE * (end_s - begin_s)


async def test_requests_that_wait_for_their_turn_take_no_more_memory(path: Path) -> None:
    async with Served(path, Busy()) as served:
        writer = (await served.connect()).writer
        writer.write(REQUESTS * 10_000)
        await asyncio.sleep(0.2)
        unsent_length = writer.transport.get_write_buffer_size()
        assert unsent_length > len(REQUESTS) * 10_000 - 2 * 2**20  # the socket's and the client's
        writer.transport.abort()


@pytest.mark.parametrize("kind", LOOPS)
def test_client_asks_and_hears(path: Path, kind: str) -> None:
    with Answering(path, handle, kind) as node, ControlClient(path) as client:
        assert client.ask("echo", "one") == {"echo": "one"}
        node.announce("before listening")
        client.listen()
        node.announce("first")
        node.announce("second")
        assert client.ask("echo", "x" * 2_000) == {"echo": "x" * 2_000}
        heard = [client.poll_announcement() for _ in range(3)]
        assert heard == ["first", "second", None]
        client.receive()  # without waiting
        assert client.poll_announcement() is None
        node.announce("now")
        client.receive()
        assert client.poll_announcement() == "now"
        with pytest.raises(RemoteProtocolError, match="the node refuses: fly is unknown"):
            client.ask("fly")
        assert client.ask("echo", 1) == {"echo": 1}


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
