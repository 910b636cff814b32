"""Bytes into frames; and every TCP connection of a node is watched."""

import asyncio
import gc
import socket
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.engine.wire import FRAME_LENGTH_MAX
from isfc.errors import WireError
from isfc.live import connection as connections
from isfc.live import forward
from isfc.live.connection import (
    IDLE_S,
    INTERVAL_S,
    PROBES_MAX,
    SEND_BUFFER_LENGTH,
    UNCONFIRMED_MS,
    UNSENT_LENGTH_MAX,
    Answers,
    Connection,
    keep_alive,
)
from isfc.live.endpoint import TcpEndpoint
from isfc.live.frames import BORROWED_LENGTH_MIN, CARRIED_LENGTH_MAX, measure_frame
from isfc.live.memory import KEPT_LENGTH
from tests.isfc.live.tcp import carried, echo, greet
from tests.live.pair import pair_up
from tests.resealed import prefix


class FakeTransport(asyncio.Transport):
    """Notes what is done to it."""

    def __init__(self, connected: socket.socket | None = None) -> None:
        super().__init__({"socket": connected})
        self.ended = ""
        self.unsent_length = 0
        self.sent = bytearray()

    def write(self, data: object) -> None:
        assert isinstance(data, bytes)
        self.sent += data

    def writelines(self, pieces: Iterable[object]) -> None:
        for piece in pieces:
            assert isinstance(piece, bytes | memoryview)
            self.sent += piece

    def get_write_buffer_size(self) -> int:
        return self.unsent_length

    def is_closing(self) -> bool:
        return bool(self.ended)

    def close(self) -> None:
        self.ended = "closed"

    def abort(self) -> None:
        self.ended = "aborted"


class Notes:
    """A receiver, its connection, and what that is over."""

    def __init__(self, *, refuse: bool = False, connected: socket.socket | None = None) -> None:
        self.kept: list[bytes | memoryview] = []
        self.reasons: list[str] = []
        self._refuse = refuse
        self.connection = Connection(self, measure_frame)
        self.transport = FakeTransport(connected)

    def connect(self) -> "Notes":
        """The same, connected."""
        self.connection.connection_made(self.transport)
        return self

    def feed(self, data: bytes, *pieces: int) -> None:
        """Let ``data`` arrive in pieces of about these lengths, over and over."""
        feed(self.connection, data, pieces)

    def connected(self, connection: Connection) -> None:
        assert not connection.transport.is_closing()

    def received(self, connection: Connection, data: bytes | memoryview) -> None:
        if self._refuse:
            raise WireError("not this one", 0)
        self.kept.append(data)

    @property
    def frames(self) -> list[bytes]:
        return [bytes(data) for data in self.kept]

    def lost(self, connection: Connection, reason: str) -> None:
        self.reasons.append(reason)


@pytest.fixture
def notes() -> Notes:
    return Notes().connect()


@pytest.mark.parametrize("end", [Connection.close, Connection.abort])
def test_pieces_are_sent_in_their_order_until_it_has_ended(
    notes: Notes, end: Callable[[Connection, str], None]
) -> None:
    notes.connection.write(b"head", memoryview(b"data"), b"tail")
    end(notes.connection, "enough")
    notes.connection.write(b"one")
    notes.connection.write(b"one", b"two")
    assert bytes(notes.transport.sent) == b"headdatatail"


def frame(length: int) -> bytes:
    return prefix(length) + (bytes(range(251)) * (length // 251 + 1))[:length]


def feed(connection: Connection, data: bytes, pieces: Sequence[int]) -> None:
    """Let ``data`` arrive in pieces of about these lengths, over and over."""
    index = 0
    while data:
        buffer = connection.get_buffer(-1)
        count = min(len(buffer), len(data), pieces[index % len(pieces)])
        buffer[:count] = data[:count]
        connection.buffer_updated(count)
        data = data[count:]
        index += 1


lengths = st.one_of(
    st.integers(4, 40),
    *(
        st.integers(length - 10, length + 10)
        for length in (CARRIED_LENGTH_MAX, BORROWED_LENGTH_MIN, KEPT_LENGTH)
    ),
    st.just(300_000),
    st.just(1_500_000),
)


@given(
    st.lists(lengths, max_size=5),
    st.lists(st.one_of(st.integers(1, 9), st.integers(1, 100_000)), min_size=1, max_size=5).filter(
        lambda pieces: sum(pieces) > 5_000 * len(pieces)
    ),
)
def test_frames_come_out_whole_however_they_are_cut(wanted: list[int], pieces: list[int]) -> None:
    notes = Notes().connect()
    frames = [frame(length) for length in wanted]
    notes.feed(b"".join(frames), *pieces)
    assert notes.frames == frames


def test_a_long_frame_stays_as_it_was_when_more_arrives(notes: Notes) -> None:
    frames = [frame(n) for n in (100_000, 9, 90_000, 8)]
    notes.feed(b"".join(frames), 70_000)
    assert notes.frames == frames


@pytest.mark.parametrize(
    ("data", "refuse", "reason"),
    [
        (prefix(FRAME_LENGTH_MAX + 1), False, f"a frame of {FRAME_LENGTH_MAX + 1} bytes"),
        (frame(5) + frame(6), True, "not this one"),
    ],
)
def test_what_is_too_long_or_refused_ends_it_and_nothing_more_is_shown(
    data: bytes, refuse: bool, reason: str
) -> None:
    """Before it takes memory."""
    notes = Notes(refuse=refuse).connect()
    notes.feed(data, len(data))
    assert notes.transport.ended == "aborted"
    assert len(notes.connection.get_buffer(-1)) <= KEPT_LENGTH
    notes.connection.connection_lost(None)
    assert (notes.reasons, notes.kept) == ([f"{reason} (at byte 0)"], [])


def test_a_partner_who_does_not_read_is_given_up_before_memory_is(notes: Notes) -> None:
    notes.connection.write(b"first")
    notes.transport.unsent_length = UNSENT_LENGTH_MAX + 1
    notes.connection.write(b"second")
    assert (bytes(notes.transport.sent), notes.transport.ended) == (b"first", "aborted")


def test_a_unix_socket_takes_a_whole_package_at_once() -> None:
    near, far = socket.socketpair(socket.AF_UNIX)
    with near, far:
        before = near.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
        Notes(connected=near).connect()
        after = near.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
        near.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_LENGTH)
        assert after == near.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) >= before


def test_buffers_are_used_again_and_held_by_no_greeting_that_never_ends(notes: Notes) -> None:
    gc.collect()  # connections of other tests give their buffers back now, and not meanwhile
    memories = []
    for kept_count in (0, 0, 1):
        del notes.kept[kept_count:]
        notes.feed(frame(200_000), 70_000)
        memories.append(memoryview(notes.kept[-1]).obj)
    assert memories[0] is memories[1] is not memories[2]
    assert notes.frames == [frame(200_000)] * 2
    strangers = []
    for stranger in [Notes().connect() for _ in range(3)]:
        stranger.feed(frame(400)[:300], 50)
        strangers.append(stranger.connection.get_buffer(-1).obj)
        stranger.connection.buffer_updated(1)
    assert strangers[0] is strangers[1] is strangers[2]


def test_frames_go_where_they_are_to_be_delivered_until_it_is_ended(notes: Notes) -> None:
    later: list[bytes | memoryview] = []
    notes.feed(frame(5), 100)
    notes.connection.deliver_to(later.append)
    notes.feed(frame(6), 100)
    notes.connection.abort("enough")
    notes.feed(frame(7), 100)
    assert (notes.frames, later) == ([frame(5)], [frame(6)])


def test_the_end_of_what_was_read_together_is_said_once(notes: Notes) -> None:
    """Also when it cannot be received."""

    def refuse(_: object) -> None:
        raise WireError("not this one", 0)

    log: list[str] = []
    deliver_to = notes.connection.deliver_to
    deliver_to(lambda data: log.append(f"{len(data)} bytes"), lambda: log.append("all"))
    notes.feed(frame(5) + frame(6) + frame(7)[:10], 100)
    notes.feed(frame(7)[10:], 100)
    assert log == ["13 bytes", "14 bytes", "all", "15 bytes", "all"]
    log.clear()
    deliver_to(refuse, lambda: log.append("all"))
    notes.feed(frame(5) + frame(6), 100)
    assert (log, notes.transport.ended) == (["all"], "aborted")


@pytest.mark.parametrize(
    ("error", "reason"),
    [(None, "the partner closed the connection"), (OSError("reset by peer"), "reset by peer")],
)
def test_the_receiver_hears_why_it_ended(
    notes: Notes, error: Exception | None, reason: str
) -> None:
    notes.connection.connection_lost(error)
    assert notes.reasons == [reason]


def test_ending_it_before_it_is_connected_is_remembered() -> None:
    notes = Notes()
    notes.connection.close("changed our mind")
    notes.connection.abort("changed it again")
    notes.connection.connection_lost(None)
    assert notes.reasons == ["changed it again"]


class Aborting(Notes):
    """A receiver that ends what is gone already, as an engine does with a CTC."""

    def lost(self, connection: Connection, reason: str) -> None:
        super().lost(connection, reason)
        connection.abort(reason)
        connection.close(reason)


async def test_a_connection_that_drains_and_ends_is_lost_once() -> None:
    """Asyncio's transport would call its protocol again, which is none by then: a traceback."""
    loop = asyncio.get_running_loop()
    here, there = socket.socketpair()
    here.setblocking(False)
    there.setblocking(False)
    notes = Aborting()
    await loop.connect_accepted_socket(lambda: notes.connection, here)
    notes.connection.write(bytes(8 * 2**20))
    notes.connection.close("all is said")
    with there:
        while await loop.sock_recv(there, 2**20):
            pass
    await asyncio.sleep(0.05)
    assert notes.reasons == ["all is said"]


FLOOD_LENGTH = 40_000_000
"""Bytes: more than all buffers on the way."""

LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="other systems have other options")


def settings(watched: socket.socket) -> dict[str, int]:
    """What the system does about a connection that is silent."""
    options = ("TCP_KEEPIDLE", "TCP_KEEPINTVL", "TCP_KEEPCNT", "TCP_USER_TIMEOUT")
    found = {"SO_KEEPALIVE": watched.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)}
    for name in options:
        found[name] = watched.getsockopt(socket.IPPROTO_TCP, getattr(socket, name))
    return found


WATCHED = {
    "SO_KEEPALIVE": 1,
    "TCP_KEEPIDLE": IDLE_S,
    "TCP_KEEPINTVL": INTERVAL_S,
    "TCP_KEEPCNT": PROBES_MAX,
    "TCP_USER_TIMEOUT": UNCONFIRMED_MS,
}
MAY_PAUSE = {**WATCHED, "TCP_USER_TIMEOUT": 0}


@LINUX_ONLY
def test_a_tcp_connection_is_asked_and_given_up_after_the_same_silence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the system has no numbers it still asks; a Unix socket needs none."""
    assert 1_000 * (IDLE_S + INTERVAL_S * PROBES_MAX) == UNCONFIRMED_MS
    with socket.socket() as watched:
        keep_alive(watched)
        assert settings(watched) == WATCHED
    with socket.socket() as watched:
        monkeypatch.setattr(connections, "_OPTIONS", {"TCP_NOBODY_HAS_THIS": 1})
        keep_alive(watched)
        assert watched.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
    first, second = socket.socketpair()
    with first, second:
        keep_alive(first)
        assert first.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 0


@LINUX_ONLY
async def test_both_ends_of_every_ctc_are_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = watch(monkeypatch, connections)

    async with pair_up(tmp_path, endpoint=TcpEndpoint("127.0.0.1", 0)) as pair:
        assert seen == [WATCHED] * (2 * len(pair.first.engine.end.ctcs))


@LINUX_ONLY
async def test_the_client_of_a_forward_and_its_service_are_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = watch(monkeypatch, forward)
    async with carried(tmp_path, echo) as at:
        _, writer = await greet(at.port)
        writer.close()
    assert seen == [MAY_PAUSE] * 2


@LINUX_ONLY
async def test_a_forwarded_reader_that_pauses_is_not_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "UNCONFIRMED_MS", 300)
    monkeypatch.setattr(forward, "CHECK_S", 0.05)

    async def flood(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(bytes(FLOOD_LENGTH))
        await writer.drain()

    async with carried(tmp_path, flood) as (_, _, listen_port, _, complaints):
        reader, writer = await asyncio.open_connection("127.0.0.1", listen_port)
        await asyncio.sleep(2.0)  # the window closes meanwhile, and the system asks
        assert len(await reader.read(-1)) == FLOOD_LENGTH
        assert complaints == []
        writer.close()


class Reporting:
    """A connection of which Linux would say this: retransmissions, probes, ms of silence."""

    def __init__(self) -> None:
        self.says = (0, 0, 0)

    def fileno(self) -> int:
        return 5

    def getsockopt(self, *_: object) -> bytes:
        return connections.TCP_INFO.pack(*self.says)


@LINUX_ONLY
@pytest.mark.parametrize(
    ("reports", "missing"),
    [
        ([(0, 0, 10**8)], False),  # idle: the system asks by itself
        ([(5, 0, 29_999)], False),
        ([(2, 0, 40_000)], False),
        ([(3, 0, 30_000)], True),  # retransmitted, and no answer
        ([(0, 3, 30_000)], True),  # a closed window, and no answer to what asks for it
        ([(0, 1, 100_000)], False),  # just asked, after a long time
        ([(4, 0, 900), (5, 0, 100), (6, 0, 60_000)], False),  # the closed window was confirmed at 5
        ([(4, 0, 900), (5, 0, 100), (7, 0, 60_000), (7, 0, 200), (8, 0, 90_000)], False),
        ([(4, 0, 900), (5, 0, 100), (8, 0, 60_000)], True),
    ],
)
def test_the_other_end_is_gone_when_its_system_does_not_answer(
    reports: list[tuple[int, int, int]], missing: bool
) -> None:
    connection = Reporting()
    answers = Answers(connection)  # type: ignore[arg-type]
    for connection.says in reports:
        found = answers.are_missing()
    assert found is missing
    with socket.socket() as idle:
        unasked = Answers(idle)
        assert not unasked.are_missing()
    assert not unasked.are_missing()  # nobody asks about one that is closed


def watch(monkeypatch: pytest.MonkeyPatch, user: object) -> list[dict[str, int]]:
    """The settings of each connection that a module asks to be watched, as they are then."""
    seen: list[dict[str, int]] = []

    def note(watched: socket.socket, *, reads: bool = True) -> None:
        keep_alive(watched, reads=reads)
        seen.append(settings(watched))

    monkeypatch.setattr(user, "keep_alive", note)
    return seen
