"""A node's control on both kinds of loop: what clients may do, and what costs them the line."""

import asyncio
import errno
import json
import os
import socket
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from isfc.errors import ConfigurationError, RemoteProtocolError
from isfc.live import control
from isfc.live.control import CLIENT_COUNT_MAX, REST_SHARE, BadRequest, ControlServer, Reply
from tests.isfc.live.asking import ask
from tests.live.pair import Run
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

    def __init__(self, path: Path) -> None:
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


async def test_requests_are_answered_in_turn(
    path: Path,
) -> None:
    async with Served(path) as served:
        client = await served.connect()
        client.writer.write(b'{"echo": 1}\n{"ec')
        client.writer.write(b'ho": "\xc3\xa4"}\n')
        assert await client.line() == {"reply": {"echo": 1}}
        assert await client.line() == {"reply": {"echo": "ä"}}


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b"Q ISLINK", "expected one JSON object on a line"),
        (b"\xff\xfe", "expected one JSON object on a line"),
        (b"[" * 190, "expected one JSON object on a line"),
        (b"", "expected one JSON object on a line"),
        (b"7", "expected {KIND: OPERAND}"),
        (b"{}", "expected {KIND: OPERAND}"),
        (b'{"cp": 1, "echo": 2}', "expected {KIND: OPERAND}"),
        (b'{"fly": 1}', "fly is unknown"),
    ],
)
@pytest.mark.usefixtures("quick")
async def test_bad_request_is_told_and_forgiven(path: Path, line: bytes, error: str) -> None:
    async with Served(path) as served:
        client = await served.connect()
        client.writer.write(line + b"\n")
        assert await client.line() == {"error": error}
        assert await client.ask({"echo": None}) == {"reply": {"echo": None}}
        assert served.server.refused_count == 0


@pytest.mark.parametrize("end", [b"", b"\n"])
@pytest.mark.usefixtures("quick")
async def test_endless_line_costs_the_connection(path: Path, end: bytes) -> None:
    async with Served(path) as served:
        client, other = await served.connect(), await served.connect()
        client.writer.write(b"x" * 100_000 + end)
        assert await client.line() == {"error": "expected requests of at most 200 B"}
        assert await client.ended()
        assert served.server.refused_count == 1
        assert await other.ask({"echo": None}) == {"reply": {"echo": None}}


@pytest.mark.usefixtures("quick")
async def test_silent_client_has_to_go(
    path: Path,
) -> None:
    async with Served(path) as served:
        client = await served.connect()
        assert await client.line() == {"error": "nothing was asked for 0.4 s"}
        assert await client.ended()
        await wait_until(lambda: not served.server.clients)


@pytest.mark.usefixtures("quick")
async def test_client_that_asks_now_and_then_may_stay(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "IDLE_S", 1.0)
    async with Served(path) as served:
        client = await served.connect()
        for _ in range(6):
            await asyncio.sleep(0.2)
            assert await client.ask({"echo": None}) == {"reply": {"echo": None}}


@pytest.mark.usefixtures("quick")
async def test_listener_may_be_silent_and_hears_announcements(
    path: Path,
) -> None:
    async with Served(path) as served:
        listener, other = await served.connect(), await served.connect()
        assert await listener.ask({"listen": True}) == {"reply": {}}
        assert await other.ask({"echo": None}) == {"reply": {"echo": None}}
        await asyncio.sleep(0.5)
        served.server.announce("HCP2703I Link 6000 went down")
        assert await listener.line() == {"announcement": "HCP2703I Link 6000 went down"}
        assert await listener.ask({"echo": None}) == {"reply": {"echo": None}}
        # the other had only its idle time, and heard nothing but its end
        assert await other.line() == {"error": "nothing was asked for 0.4 s"}


@pytest.mark.usefixtures("quick")
async def test_clients_beyond_the_limit_are_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "IDLE_S", PATIENCE_S)
    async with Served(path) as served:
        clients = [await served.connect() for _ in range(4)]
        assert await clients[3].line() == {"error": "3 clients are connected already"}
        assert await clients[3].ended()
        clients[0].writer.close()
        await wait_until(lambda: len(served.server.clients) == 2)
        again = await served.connect()
        assert await again.ask({"echo": None}) == {"reply": {"echo": None}}


@pytest.mark.usefixtures("quick")
async def test_client_that_asks_nothing_gives_way_and_one_that_listens_does_not(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "IDLE_S", PATIENCE_S)
    async with Served(path) as served:
        listener, half, _ = [await served.connect() for _ in range(3)]
        assert await listener.ask({"listen": True}) == {"reply": {}}
        half.writer.write(b'{"echo": ')
        await wait_until(lambda: len(served.server.clients) == 3)
        monkeypatch.setattr(control, "SILENT_S", 0.0)
        for _ in range(4):  # the last ones in place of those before
            again = await served.connect()
            assert await again.ask({"echo": None}) == {"reply": {"echo": None}}
        assert len(served.server.clients) == 3
        assert await half.line() == {"error": "others have come"}
        assert await listener.ask({"echo": None}) == {"reply": {"echo": None}}


async def test_another_users_process_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "peer_uid", lambda _socket: os.getuid() + 1)
    async with Served(path) as served:
        client = await served.connect()
        assert await client.line() == {"error": "this node is another user's"}
        assert await client.ended()
        assert served.server.refused_count == 1


@pytest.mark.skipif(os.getuid() != 0, reason="only root can act as another user")
async def test_another_user_is_kept_out_by_the_sockets_mode() -> None:
    path = Path(f"/tmp/isfc-test-{os.getpid()}.control")  # a place that anybody may enter

    def connect_as_a_stranger() -> None:
        child = os.fork()
        if child == 0:
            os.setuid(65534)
            with socket.socket(socket.AF_UNIX) as stranger:
                os._exit(stranger.connect_ex(str(path)))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == errno.EACCES

    async with Served(path):
        connect_as_a_stranger()


async def test_client_that_does_not_read_cannot_make_replies_pile_up(
    path: Path,
) -> None:
    async with Served(path) as served:
        client = await served.connect()
        count = 400  # of 50 kB each
        client.writer.write(b'{"large": 1}\n' * count)
        await wait_until(lambda: bool(served.server.clients))
        await asyncio.sleep(0.1)
        waiting = sum(client.waiting_length for client in served.server.clients)
        assert waiting < 500_000
        for _ in range(count):
            assert len((await client.line())["reply"]["large"]) == 50_000


async def test_listener_that_does_not_read_has_to_go(
    path: Path,
) -> None:
    async with Served(path) as served:
        deaf, other = await served.connect(), await served.connect()
        for client in (deaf, other):
            assert await client.ask({"listen": True}) == {"reply": {}}
        deaf.writer.transport.pause_reading()  # type: ignore[attr-defined]  # it can
        for _ in range(2_000):
            served.server.announce("x" * 1_000)
            assert (await other.line())["announcement"].startswith("x")
        assert len(served.server.clients) == 1
        assert served.server.refused_count == 1


def test_end_leaves_no_client_and_no_file(path: Path, run_live: Run) -> None:
    async def main() -> None:
        async with Served(path) as served:
            client = await served.connect()
            assert await client.ask({"listen": True}) == {"reply": {}}
            await served.server.close()
            assert await client.ended()
            served.server.announce("nobody hears this")
            await served.server.close()  # once more does no harm

    run_live(main())
    assert not path.exists()


def test_socket_that_is_anothers_by_now_is_left_alone(path: Path, run_live: Run) -> None:
    async def main() -> None:
        async with Served(path):
            replace()

    def replace() -> None:
        path.unlink()
        path.write_text("another's")

    run_live(main())
    assert path.read_text() == "another's"


async def test_second_server_at_one_place_is_refused(
    path: Path,
) -> None:
    async with Served(path) as served:
        with pytest.raises(ConfigurationError, match="runs already"):
            await ControlServer(path, handle).start()
        client = await served.connect()
        assert await client.ask({"echo": None}) == {"reply": {"echo": None}}


async def test_one_question_may_be_asked_in_passing(
    path: Path,
) -> None:
    async with Served(path):
        assert await ask(path, "echo", "one") == {"echo": "one"}
        with pytest.raises(RemoteProtocolError, match="the node refuses: fly is unknown"):
            await ask(path, "fly")


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"", "the node has closed the connection"),
        (b"garbage\n", "expected one JSON object on a line"),
        (b"x" * 2_000_000, "a line is longer than 1048576 bytes"),
    ],
)
async def test_what_is_no_reply_is_an_error(path: Path, answer: bytes, error: str) -> None:
    async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(answer)
        writer.close()

    server = await asyncio.start_unix_server(babble, path)
    with pytest.raises((OSError, RemoteProtocolError), match=error):
        await ask(path, "echo")
    server.close()
    await asyncio.sleep(0.05)


async def test_nobody_there_is_an_error_of_the_system(
    path: Path,
) -> None:
    with pytest.raises(FileNotFoundError):
        await ask(path, "echo")


ANSWER_S = 0.004
REQUESTS = b'{"echo": 1}\n' * 400


class Answering:
    """Takes `ANSWER_S` of the loop for each answer, and notes when each began and ended."""

    def __init__(self) -> None:
        self.times_s: list[tuple[float, float]] = []

    @property
    def count(self) -> int:
        return len(self.times_s)

    def handle(self, _kind: str, _operand: object) -> Reply:
        """An answer."""
        begin_s = time.monotonic()
        while time.monotonic() - begin_s < ANSWER_S:
            pass
        self.times_s.append((begin_s, time.monotonic()))
        return {}


async def test_an_operator_has_a_turn_and_the_link_has_most_of_the_loop(tmp_path: Path) -> None:
    answering = Answering()
    server = ControlServer(tmp_path / "A.control", answering.handle)
    await server.start()
    connect = asyncio.open_unix_connection
    clients = [await connect(str(server.path)) for _ in range(CLIENT_COUNT_MAX)]
    for _, writer in clients[:-1]:
        writer.write(REQUESTS)
    await asyncio.sleep(0.2)
    reader, writer = clients[-1]
    for _ in range(3):
        before = answering.count
        writer.write(b'{"echo": 1}\n')
        assert await reader.readline() == b'{"reply": {}}\n'
        assert answering.count - before <= 2 * len(clients)
    before = answering.count
    await wait_until(lambda: answering.count > before + 20)
    # between one answer and the next, however long the machine made it take
    for (begin_s, end_s), (next_s, _) in pairwise(answering.times_s):
        assert next_s - end_s > 0.9 * REST_SHARE * (end_s - begin_s)
    for _, writer in clients:
        writer.close()
    await server.close()


async def test_requests_that_wait_for_their_turn_take_no_more_memory(tmp_path: Path) -> None:
    server = ControlServer(tmp_path / "A.control", Answering().handle)
    await server.start()
    _, writer = await asyncio.open_unix_connection(str(server.path))
    writer.write(REQUESTS * 10_000)
    await asyncio.sleep(0.2)
    unsent_length = writer.transport.get_write_buffer_size()
    assert unsent_length > len(REQUESTS) * 10_000 - 2 * 2**20  # the socket's and the client's
    writer.transport.abort()
    await server.close()
