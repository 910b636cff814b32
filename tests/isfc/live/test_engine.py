"""The live engine: the same nodes on real connections, whole, cut or half dead."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from ctc.frame import CommandFrame, Signal, StatusFrame
from ctc.subchannel import Command
from isfc.engine.wire import encode
from isfc.errors import Backpressure, RemoteProtocolError
from isfc.link.events import Delivered, LinkDown, LinkEvent, LinkUp, Offer, Severed
from isfc.link.message import Message, Traffic
from isfc.link.parameters import LinkParameters
from isfc.link.state import LinkState
from isfc.live.connection import Attached, Connection, Detached
from isfc.live.engine import MANY_COUNT, LiveEngine
from isfc.live.pace import Clock, Lag
from isfc.system.link_end import LinkEndDefinition
from isfc.system.system import System
from isfc.testing.pair import MS, Setup
from tests.live.pair import Guest, LivePair, LiveSide, ended, pair_up, side_of
from tests.resealed import prefix
from tests.waiting import wait_until

READ_LENGTH = len(encode(CommandFrame(Command.READ, 0, 0, 0)))
ANSWER_LENGTH = READ_LENGTH + len(encode(StatusFrame(Signal.RECEIVED, 0)))


def numbers(count: int, repeated: int = 1) -> list[bytes]:
    """So many messages, each of its number."""
    return [number.to_bytes(4, "big") * repeated for number in range(count)]


async def test_messages_arrive_once_in_order_and_are_confirmed(pair: LivePair) -> None:
    wanted = [bytes([i % 256]) * (1 + 977 * i) for i in range(200)]
    for data in wanted:
        pair.first.send(data)
    await wait_until(lambda: len(pair.second.received()) == len(wanted))
    assert pair.second.received() == wanted
    await wait_until(lambda: pair.first.guest.sent_count == len(wanted))


async def test_what_is_held_leaves_after_the_programs_turn_and_before_a_farewell(
    pair: LivePair,
) -> None:
    first, second = pair.sides
    first.engine.hold()
    first.send(b"held")
    await wait_until(lambda: second.received() == [b"held"])
    first.engine.hold()
    first.send(b"last")
    first.engine.close()
    async with asyncio.timeout(5):  # a reset and another try would take longer
        await wait_until(lambda: second.received() == [b"held", b"last"])


async def test_a_message_longer_than_a_package_arrives_whole_and_appc_messages_too(
    pair: LivePair,
) -> None:
    data = Random(7).randbytes(3_000_000)
    pair.second.send(data)
    await wait_until(lambda: pair.first.received() == [data])
    pair.first.engine.send([Message(3, 5, Traffic.LEGACY, b"hello")])
    await wait_until(lambda: pair.second.received() == [b"hello"])


class _Ball(Guest):
    """Sends back what has come, so many times. With a ``side`` it holds, as conversations do."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.left = count
        self.side: LiveSide | None = None

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        super().receive(event, now_ns)
        if not isinstance(event, Delivered):
            return ()
        if self.side is not None:
            self.side.engine.hold()
        if not self.left:
            return ()
        self.left -= 1
        return [(now_ns, [Message(1, 4, data=b"ball")])]


def _note_writes(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Connection, int]]:
    """On which connections how many bytes are written from now on."""
    written: list[tuple[Connection, int]] = []
    write = Connection.write

    def note(connection: Connection, *pieces: bytes | memoryview) -> None:
        written.append((connection, sum(map(len, pieces))))
        write(connection, *pieces)

    monkeypatch.setattr(Connection, "write", note)
    return written


async def test_a_package_that_came_with_its_command_is_answered_by_one_write(
    pair: LivePair, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = _note_writes(monkeypatch)
    pair.first.send(bytes(1_000))
    await wait_until(lambda: pair.first.guest.sent_count == 1)
    (_, command_and_data), (_, read_and_end) = written[:2]
    assert command_and_data > 1_000
    assert read_and_end == ANSWER_LENGTH


async def test_a_message_that_finds_an_idle_link_and_its_answer_are_one_write_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 20
    options = [{"program": _Ball(count)}, {"program": _Ball(count)}]
    async with pair_up(tmp_path, options=options) as pair:
        written = _note_writes(monkeypatch)
        pair.first.send(b"ball")
        await wait_until(lambda: pair.second.engine.end.link.counters.write_package_count == 20)
        assert len(written) == 1 + 2 * count + 1  # and that the last was read
        assert len({connection for connection, _ in written}) == 2  # both ends of one CTC


async def test_that_a_short_message_was_read_waits_for_what_is_sent_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isfc.live.pace.KEPT_S", 1_000.0)
    ball = _Ball(0)
    async with pair_up(tmp_path, options=[{}, {"program": ball}]) as pair:
        ball.side = pair.second
        confirmed = pair.first.guest
        written = _note_writes(monkeypatch)
        pair.first.send(b"first")
        await wait_until(lambda: len(ball.arrived) == 1)
        await asyncio.sleep(0.1)
        assert (confirmed.sent_count, len(written)) == (0, 1)
        pair.second.send(b"answer")
        await wait_until(lambda: pair.first.received() == [b"answer"])
        assert (confirmed.sent_count, len(written)) == (1, 3)  # the answer has been confirmed
        pair.first.send(b"second")
        await wait_until(lambda: len(ball.arrived) == 2)
        assert confirmed.sent_count == 1
        pair.first.send(b"third")  # on another CTC, as the partner may be waiting
        await wait_until(lambda: confirmed.sent_count == 3)


@pytest.mark.parametrize(("ctc_count", "kept_s"), [(4, 0.02), (2, 1_000.0), (1, 1_000.0)])
async def test_that_it_was_read_waits_not_for_long_nor_where_the_partner_has_one_ctc_to_write_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ctc_count: int, kept_s: float
) -> None:
    monkeypatch.setattr("isfc.live.pace.KEPT_S", kept_s)
    options = [{}, {"program": (ball := _Ball(0))}]
    async with pair_up(tmp_path, Setup(ctc_count=ctc_count), options=options) as pair:
        ball.side = pair.second
        pair.first.send(b"first")
        await wait_until(lambda: pair.first.guest.sent_count == 1)


@pytest.mark.parametrize(("count", "answered"), [(MANY_COUNT - 1, 0), (MANY_COUNT, 1)])
async def test_many_messages_are_answered_before_the_program_has_them(
    pair: LivePair, monkeypatch: pytest.MonkeyPatch, count: int, answered: int
) -> None:
    written = _note_writes(monkeypatch)
    before: list[int] = []

    def note(_end: object, event: object, _now_ns: int) -> None:
        if isinstance(event, Delivered):
            before.append([length for _, length in written].count(ANSWER_LENGTH))

    pair.second.engine.listeners.append(note)
    pair.first.send(*[b"together"] * count)
    await wait_until(lambda: pair.first.guest.sent_count == count)
    assert before == [answered]
    assert [length for _, length in written].count(ANSWER_LENGTH) == 1


async def test_one_ctc_carries_both_directions_through_real_collisions(tmp_path: Path) -> None:
    wanted = numbers(300)
    async with pair_up(tmp_path, Setup(ctc_count=1)) as pair:
        for data in wanted:
            for side in pair.sides:
                side.send(data)
            await asyncio.sleep(0)
        await wait_until(lambda: all(len(side.received()) == 300 for side in pair.sides))
        for side in pair.sides:
            assert side.received() == wanted


async def test_a_pulled_cable_costs_nothing_and_the_ctc_comes_back(pair: LivePair) -> None:
    engine = pair.first.engine
    wanted = numbers(100, 20_000)
    for number, data in enumerate(wanted):
        pair.first.send(data)
        if number % 10 == 0:
            rdev = engine.definition.ctcs[number // 10 % 4].device.rdev
            engine.detach(rdev, "the cable was pulled")
        await asyncio.sleep(0.001)
    await wait_until(lambda: len(pair.second.received()) == len(wanted))
    assert pair.second.received() == wanted
    await pair.come_up()
    assert engine.counters.severed_count == 0
    assert {type(event) for event in pair.first.told} >= {Attached, Detached, LinkUp}


async def test_all_cables_pulled_at_once_bring_the_link_down_and_up_again(pair: LivePair) -> None:
    for rdev in list(pair.first.engine.end.ctcs):
        pair.first.engine.detach(rdev, "the cable was pulled")
    pair.first.send(b"while it is down")
    await wait_until(lambda: bool(pair.second.received()))
    counts = [pair.first.guest.count(kind) for kind in (LinkDown, LinkUp, Severed)]
    assert counts == [1, 2, 0]


async def test_a_link_that_stays_down_is_severed_and_its_program_told(tmp_path: Path) -> None:
    async with pair_up(tmp_path, options=[{"reconnect_s": 0.5}, {}]) as pair:
        pair.first.send_when_down(b"never read")
        await pair.second.close()
        await wait_until(lambda: pair.first.guest.count(Severed) > 0)
        assert pair.first.engine.end.link.state is LinkState.DOWN
        assert not pair.first.engine.end.link.packager
        severed = [e for e in pair.first.guest.events if isinstance(e, Severed)]
        assert severed[0].reason == "the link was down for 0.5 s"


@pytest.mark.parametrize("paced", [False, True])
async def test_a_link_without_a_partner_has_nothing_to_sever(paced: bool) -> None:
    async with ended(side := side_of(0, reconnect_s=0.02, paced=paced)):
        await asyncio.sleep(0.2)
        assert side.guest.events == []
        side.send(b"for whoever comes")
        await asyncio.sleep(0.2)
        assert side.engine.counters.severed_count == side.guest.count(Severed) == 0
        assert side.engine.end.link.packager


class _Flood(Guest):
    """Offers more than the backlog holds, all together."""

    def start(self, now_ns: int) -> list[Offer]:
        return [(now_ns, [Message(1, 60_000, data=bytes(60_000))]) for _ in range(1_500)]


async def test_a_program_that_offers_too_much_waits_and_loses_nothing(tmp_path: Path) -> None:
    async with LivePair(tmp_path, options=[{"program": _Flood()}, {}]) as pair:
        await wait_until(lambda: len(pair.second.guest.arrived) == 1_500)


async def test_sending_past_the_backlog_is_refused(pair: LivePair) -> None:
    with pytest.raises(Backpressure):
        pair.first.send(*[bytes(60_000)] * 5_000)


async def test_connections_that_go_when_the_link_is_severed_are_lost_ones(pair: LivePair) -> None:
    engine, count = pair.first.engine, len(pair.first.engine.end.ctcs)
    engine.sever("for a test")
    assert engine.counters.detached_count == engine.counters.attached_count == count
    reasons = [event.reason for event in pair.first.told if isinstance(event, Detached)]
    assert reasons == ["for a test"] * count


class _Broken(Guest):
    """A program with a bug."""

    def receive(self, event: LinkEvent, now_ns: int) -> list[Offer]:
        raise ZeroDivisionError("a bug")


async def test_a_bug_in_a_program_ends_the_node_and_is_raised() -> None:
    engine = LiveEngine(Setup().definition(0), _Broken(), Clock())
    engine.sever("to be told of it")
    with pytest.raises(ZeroDivisionError, match="a bug"):
        async with asyncio.timeout(10):
            await engine.wait_closed()


class _Far(Setup, frozen=True):
    """The same over 1,000 km."""

    def definition(self, here: int) -> LinkEndDefinition:
        near = Setup.definition(self, here)
        return replace(near, ctcs=tuple(replace(ctc, way_ns=5_000_000) for ctc in near.ctcs))


@pytest.mark.parametrize(
    ("setup", "length", "least_ns"),
    [
        (Setup(), 2_000_000, 2_000_000 * 1e9 / 212.5e6),  # no faster than the fibre's light
        (_Far(), 3, 3 * 5_000_000),  # write, read and data each go 1,000 km
    ],
)
async def test_a_paced_pair_takes_the_models_time_and_says_how_late_it_was(
    tmp_path: Path, setup: Setup, length: int, least_ns: float
) -> None:
    async with pair_up(tmp_path, setup, options=[{"paced": True}, {"paced": True}]) as pair:
        engine = pair.first.engine
        begin_ns = engine.now_ns()
        pair.first.send(bytes(length))
        await wait_until(lambda: pair.second.received() == [bytes(length)])
        assert engine.now_ns() - begin_ns > least_ns
        assert engine.lag.late_ns >= 0
        assert engine.lag.waited_ns > 0


def test_lag_is_lateness_over_waiting() -> None:
    lag = Lag()
    assert (lag.late_ns, lag.waited_ns) == (0, 0)
    lag.note(set_ns=0, deadline_ns=90, now_ns=100)
    lag.note(set_ns=100, deadline_ns=200, now_ns=200)
    assert (lag.late_ns, lag.waited_ns, lag.late_ns_max) == (10, 200, 10)


async def test_the_node_is_made_by_whoever_wants_to_make_it() -> None:
    made: list[System] = []
    of = Setup().definition(0)

    def make(definition: object) -> System:
        assert definition is of
        made.append(System([of]))
        return made[-1]

    engine = LiveEngine(of, Guest(), Clock(), make=make)
    engine.sever("again")
    assert engine.system is made[1]
    assert engine.now_ns() < 3_600_000 * MS
    engine.close()
    await engine.wait_closed()


class _Picky(System):
    """A node that cannot receive what it has been sent."""

    def handle_deadline(self, now_ns: int) -> None:
        super().handle_deadline(now_ns)
        if self.ends[0].link.counters.read_package_count:
            raise RemoteProtocolError("more than can be held")


async def test_what_cannot_be_received_severs_the_link_and_both_restart(tmp_path: Path) -> None:
    options = [{"make": lambda definition: _Picky([definition])}, {}]
    async with pair_up(tmp_path, options=options) as pair:
        pair.second.send(b"too much")
        await wait_until(lambda: all(side.guest.count(Severed) for side in pair.sides))


IMPATIENT = Setup(parameters=LinkParameters(mih_ns=100 * MS))


def connection_of(side: LiveSide) -> Connection:
    """The connection of the CTC that this side writes on first."""
    rdev = side.engine.end.link.scheduler.order[0]
    return side.engine._connections[rdev]  # noqa: SLF001  # nobody else may touch it


def spoil(connection: Connection, fault: str) -> None:
    """Make it half dead."""
    if fault == "nothing leaves":
        connection.write = lambda *_: None  # type: ignore[method-assign]  # it fails
    elif fault == "nothing comes":
        connection.deliver_to(lambda _lost: None)
    else:
        connection.write(prefix(2**20))  # a frame that does not come


@pytest.mark.parametrize("fault", ["nothing leaves", "nothing comes", "a frame breaks off"])
async def test_a_half_dead_ctc_is_given_up_and_comes_back(tmp_path: Path, fault: str) -> None:
    async with pair_up(tmp_path, IMPATIENT) as pair:
        spoil(connection_of(pair.first), fault)
        wanted = numbers(50)
        for data in wanted:
            pair.first.send(data)
        told = pair.first.told
        await wait_until(lambda: pair.second.received() == wanted)
        await wait_until(lambda: any(isinstance(event, Detached) for event in told))
        await pair.come_up()
        for side in pair.sides:
            assert side.engine.counters.severed_count == 0


@pytest.mark.parametrize("index", range(0, 49, 7))
async def test_a_bit_that_is_changed_in_a_header_costs_a_connection_and_nothing_else(
    tmp_path: Path, index: int
) -> None:
    async with pair_up(tmp_path, IMPATIENT) as pair:
        wanted = numbers(40, 25)
        for number, data in enumerate(wanted):
            if number == 5:
                flip_in_next(connection_of(pair.first), index)
            pair.first.send(data)
            await asyncio.sleep(0)
        await wait_until(lambda: pair.second.received() == wanted)
        await pair.come_up()
        reasons = [event.reason for event in pair.second.told if isinstance(event, Detached)]
        # a machine that stands still for long costs a connection too, and tells another reason
        assert sum("damaged" in reason for reason in reasons) == 1


def flip_in_next(connection: Connection, index: int) -> None:
    """Change a bit of the next data that are written: they come with their command."""
    write = connection.write

    def flip(*pieces: bytes | memoryview) -> None:
        data = bytearray(b"".join(pieces))
        if len(data) > READ_LENGTH:
            data[READ_LENGTH + index] ^= 0x04
            connection.write = write  # type: ignore[method-assign]  # as it was
        write(bytes(data))

    connection.write = flip  # type: ignore[method-assign]  # it spoils one
