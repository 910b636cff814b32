"""Bytes into frames."""

import asyncio
import gc
import socket
from collections.abc import Callable, Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.engine.wire import FRAME_LENGTH_MAX
from isfc.errors import WireError
from isfc.live.connection import SEND_BUFFER_LENGTH, UNSENT_LENGTH_MAX, Connection
from isfc.live.frames import BORROWED_LENGTH_MIN, CARRIED_LENGTH_MAX, measure_frame
from isfc.live.memory import KEPT_LENGTH
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
    """A receiver."""

    def __init__(self, *, refuse: bool = False) -> None:
        self.kept: list[bytes | memoryview] = []
        self.reasons: list[str] = []
        self._refuse = refuse

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


def connect(receiver: Notes) -> tuple[Connection, FakeTransport]:
    connection, transport = Connection(receiver, measure_frame), FakeTransport()
    connection.connection_made(transport)
    return connection, transport


@pytest.mark.parametrize("end", [Connection.close, Connection.abort])
@pytest.mark.parametrize("pieces", [(b"one",), (b"one", b"two")])
def test_nothing_is_sent_on_a_connection_that_has_ended(
    end: Callable[[Connection, str], None], pieces: tuple[bytes, ...]
) -> None:
    connection, transport = connect(Notes())
    end(connection, "enough")
    connection.write(*pieces)
    assert not transport.sent


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
    notes = Notes()
    connection, _ = connect(notes)
    frames = [frame(length) for length in wanted]
    feed(connection, b"".join(frames), pieces)
    assert notes.frames == frames


def test_a_long_frame_stays_as_it_was_when_more_arrives() -> None:
    notes = Notes()
    connection, _ = connect(notes)
    feed(connection, frame(100_000) + frame(9) + frame(90_000) + frame(8), [70_000])
    assert notes.frames == [frame(n) for n in (100_000, 9, 90_000, 8)]


def test_a_frame_that_is_too_long_ends_the_connection_before_it_takes_memory() -> None:
    notes = Notes()
    connection, transport = connect(notes)
    feed(connection, prefix(FRAME_LENGTH_MAX + 1), [4])
    assert transport.ended == "aborted"
    assert len(connection.get_buffer(-1)) <= KEPT_LENGTH
    connection.connection_lost(None)
    assert notes.reasons == [f"a frame of {FRAME_LENGTH_MAX + 1} bytes (at byte 0)"]


def test_a_frame_the_receiver_refuses_ends_it_and_the_next_is_not_shown() -> None:
    notes = Notes(refuse=True)
    connection, transport = connect(notes)
    feed(connection, frame(5) + frame(6), [100])
    assert transport.ended == "aborted"
    connection.connection_lost(None)
    assert notes.reasons == ["not this one (at byte 0)"]


def test_a_partner_who_does_not_read_is_given_up_before_memory_is() -> None:
    notes = Notes()
    connection, transport = connect(notes)
    connection.write(b"first")
    transport.unsent_length = UNSENT_LENGTH_MAX + 1
    connection.write(b"second")
    assert bytes(transport.sent) == b"first"
    assert transport.ended == "aborted"


def test_pieces_are_sent_in_their_order() -> None:
    connection, transport = connect(Notes())
    connection.write(b"head", memoryview(b"data"), b"tail")
    assert bytes(transport.sent) == b"headdatatail"


def test_a_unix_socket_takes_a_whole_package_at_once() -> None:
    near, far = socket.socketpair(socket.AF_UNIX)
    with near, far:
        before = near.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
        Connection(Notes(), measure_frame).connection_made(FakeTransport(near))
        after = near.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
        near.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_LENGTH)
        assert after == near.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) >= before


def test_buffers_of_frames_that_are_done_with_are_used_again() -> None:
    gc.collect()  # connections of other tests give their buffers back now, and not meanwhile
    notes = Notes()
    connection, _ = connect(notes)
    memories = []
    for kept_count in (0, 0, 1):
        del notes.kept[kept_count:]
        feed(connection, frame(200_000), [70_000])
        memories.append(memoryview(notes.kept[-1]).obj)
    assert memories[0] is memories[1] is not memories[2]
    assert notes.frames == [frame(200_000)] * 2


def test_a_greeting_that_never_ends_holds_no_buffer() -> None:
    gc.collect()  # connections of other tests give their buffers back now, and not meanwhile
    strangers = [connect(Notes())[0] for _ in range(3)]
    memories = []
    for connection in strangers:
        feed(connection, frame(400)[:300], [50])
        memories.append(connection.get_buffer(-1).obj)
        connection.buffer_updated(1)
    assert memories[0] is memories[1] is memories[2]


def test_frames_go_where_they_are_to_be_delivered_until_it_is_ended() -> None:
    notes, later = Notes(), list[bytes | memoryview]()
    connection, _ = connect(notes)
    feed(connection, frame(5), [100])
    connection.deliver_to(later.append)
    feed(connection, frame(6), [100])
    connection.abort("enough")
    feed(connection, frame(7), [100])
    assert (notes.frames, later) == ([frame(5)], [frame(6)])


def test_the_end_of_what_was_read_together_is_said_once() -> None:
    notes, log = Notes(), list[str]()
    connection, _ = connect(notes)
    connection.deliver_to(lambda data: log.append(f"{len(data)} bytes"), lambda: log.append("all"))
    feed(connection, frame(5) + frame(6) + frame(7)[:10], [100])
    feed(connection, frame(7)[10:], [100])
    assert log == ["13 bytes", "14 bytes", "all", "15 bytes", "all"]


def test_the_end_of_what_was_read_together_is_said_when_it_cannot_be_received() -> None:
    def refuse(_: object) -> None:
        raise WireError("not this one", 0)

    log: list[str] = []
    connection, transport = connect(Notes())
    connection.deliver_to(refuse, lambda: log.append("all"))
    feed(connection, frame(5) + frame(6), [100])
    assert (log, transport.ended) == (["all"], "aborted")


@pytest.mark.parametrize(
    ("error", "reason"),
    [(None, "the partner closed the connection"), (OSError("reset by peer"), "reset by peer")],
)
def test_the_receiver_hears_why_it_ended(error: Exception | None, reason: str) -> None:
    notes = Notes()
    connection, _ = connect(notes)
    connection.connection_lost(error)
    assert notes.reasons == [reason]


def test_ending_it_before_it_is_connected_is_remembered() -> None:
    notes = Notes()
    connection = Connection(notes, measure_frame)
    connection.close("changed our mind")
    connection.abort("changed it again")
    connection.connection_lost(None)
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
    connection = Connection(notes, measure_frame)
    await loop.connect_accepted_socket(lambda: connection, here)
    connection.write(bytes(8 * 2**20))
    connection.close("all is said")
    with there:
        while await loop.sock_recv(there, 2**20):
            pass
    await asyncio.sleep(0.05)
    assert notes.reasons == ["all is said"]
