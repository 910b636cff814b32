"""The live engine: the same nodes on real connections."""

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
from isfc.link.state import LinkState
from isfc.live.connection import Attached, Connection, Detached
from isfc.live.engine import MANY_COUNT, LiveEngine
from isfc.live.pace import Clock, Lag
from isfc.system.definition import LinkEndDefinition
from isfc.system.system import System
from isfc.testing.pair import S, Setup
from scenarios.runs.guests import Clients, GuestCosts, Servers
from scenarios.runs.workload import find_workload
from tests.live.pair import Guest, LivePair, LiveSide, Run, pair_up
from tests.waiting import wait_until

COMMAND_LENGTH = len(encode(CommandFrame(Command.READ, 0, 0, 0)))
STATUS_LENGTH = len(encode(StatusFrame(Signal.RECEIVED, 0)))


async def test_messages_arrive_once_in_order_and_are_confirmed(tmp_path: Path) -> None:
    async with pair_up(tmp_path) as pair:
        wanted = [bytes([i % 256]) * (1 + 977 * i) for i in range(200)]
        for data in wanted:
            pair.first.send(data)
        await wait_until(lambda: len(pair.second.received()) == len(wanted))
        assert pair.second.received() == wanted
        await wait_until(lambda: pair.first.guest.sent_count == len(wanted))


async def test_what_is_held_leaves_after_the_programs_turn_and_before_a_farewell(
    tmp_path: Path,
) -> None:
    async with pair_up(tmp_path) as pair:
        first, second = pair.sides
        first.engine.hold()
        first.send(b"held")
        await wait_until(lambda: second.received() == [b"held"])
        first.engine.hold()
        first.send(b"last")
        first.engine.close()
        async with asyncio.timeout(5):  # a reset and another try would take longer
            await wait_until(lambda: second.received() == [b"held", b"last"])


async def test_a_message_longer_than_a_package_arrives_whole(tmp_path: Path) -> None:
    data = Random(7).randbytes(3_000_000)

    async with pair_up(tmp_path) as pair:
        pair.second.send(data)
        await wait_until(lambda: bool(pair.first.received()))
        assert pair.first.received() == [data]


async def test_a_package_that_came_with_its_command_is_answered_by_one_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = []
    write = Connection.write

    def count(connection: Connection, *pieces: bytes | memoryview) -> None:
        written.append(sum(map(len, pieces)))
        write(connection, *pieces)

    async with pair_up(tmp_path) as pair:
        monkeypatch.setattr(Connection, "write", count)
        pair.first.send(bytes(1_000))
        await wait_until(lambda: pair.first.guest.sent_count == 1)
    command_and_data, read_and_end = written[:2]
    assert command_and_data > 1_000
    assert read_and_end == COMMAND_LENGTH + STATUS_LENGTH


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


def _count_writes(monkeypatch: pytest.MonkeyPatch) -> list[Connection]:
    """The connections that are written on from now on."""
    written: list[Connection] = []
    write = Connection.write

    def note(connection: Connection, *pieces: bytes | memoryview) -> None:
        written.append(connection)
        write(connection, *pieces)

    monkeypatch.setattr(Connection, "write", note)
    return written


async def test_a_message_that_finds_an_idle_link_and_its_answer_are_one_write_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 20

    options = [{"program": _Ball(count)}, {"program": _Ball(count)}]
    async with pair_up(tmp_path, options=options) as pair:
        written = _count_writes(monkeypatch)
        pair.first.send(b"ball")
        await wait_until(lambda: pair.second.engine.end.link.counters.write_package_count == 20)
        assert len(written) == 1 + 2 * count + 1  # and that the last was read
        assert len(set(written)) == 2  # both ends of one CTC


async def test_that_a_short_message_was_read_waits_for_what_is_sent_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isfc.live.pace.KEPT_S", 1_000.0)
    ball = _Ball(0)

    async with pair_up(tmp_path, options=[{}, {"program": ball}]) as pair:
        ball.side = pair.second
        confirmed = pair.first.guest
        written = _count_writes(monkeypatch)
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
    ball = _Ball(0)

    options = [{}, {"program": ball}]
    async with pair_up(tmp_path, Setup(ctc_count=ctc_count), options=options) as pair:
        ball.side = pair.second
        pair.first.send(b"first")
        await wait_until(lambda: pair.first.guest.sent_count == 1)


@pytest.mark.parametrize(
    ("count", "order"),
    [(MANY_COUNT - 1, ["delivered", "answered"]), (MANY_COUNT, ["answered", "delivered"])],
)
async def test_many_messages_are_answered_before_the_program_has_them(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    count: int,
    order: list[str],
) -> None:
    log: list[str] = []
    write = Connection.write

    def note(connection: Connection, *pieces: bytes | memoryview) -> None:
        if sum(map(len, pieces)) == COMMAND_LENGTH + STATUS_LENGTH:
            log.append("answered")
        write(connection, *pieces)

    async with pair_up(tmp_path) as pair:
        log.clear()
        monkeypatch.setattr(Connection, "write", note)
        pair.second.engine.listeners.append(
            lambda _end, event, _now_ns: (
                log.append("delivered") if isinstance(event, Delivered) else None
            )
        )
        pair.first.send(*[b"together"] * count)
        await wait_until(lambda: pair.first.guest.sent_count == count)
    assert log == order


async def test_one_ctc_carries_both_directions_through_real_collisions(tmp_path: Path) -> None:
    async with pair_up(tmp_path, Setup(ctc_count=1)) as pair:
        for number in range(300):
            for side in pair.sides:
                side.send(number.to_bytes(4, "big"))
            await asyncio.sleep(0)
        wanted = [number.to_bytes(4, "big") for number in range(300)]
        await wait_until(lambda: all(len(side.received()) == 300 for side in pair.sides))
        for side in pair.sides:
            assert side.received() == wanted


async def test_appc_messages_arrive_too(tmp_path: Path) -> None:
    async with pair_up(tmp_path) as pair:
        pair.first.engine.send([Message(3, 5, Traffic.LEGACY, b"hello")])
        await wait_until(lambda: bool(pair.second.guest.arrived))
        assert pair.second.received() == [b"hello"]


async def test_a_pulled_cable_costs_nothing_and_the_ctc_comes_back(tmp_path: Path) -> None:
    async with pair_up(tmp_path) as pair:
        wanted = [number.to_bytes(4, "big") * 20_000 for number in range(100)]
        for number, data in enumerate(wanted):
            pair.first.send(data)
            if number % 10 == 0:
                rdev = pair.first.engine.definition.ctcs[number // 10 % 4].device.rdev
                pair.first.engine.detach(rdev, "the cable was pulled")
            await asyncio.sleep(0.001)
        await wait_until(lambda: len(pair.second.received()) == len(wanted))
        assert pair.second.received() == wanted
        await pair.come_up()
        assert pair.first.engine.counters.severed_count == 0
        kinds = {type(event) for event in pair.first.told}
        assert kinds >= {Attached, Detached, LinkUp}


async def test_all_cables_pulled_at_once_bring_the_link_down_and_up_again(tmp_path: Path) -> None:
    async with pair_up(tmp_path) as pair:
        for rdev in list(pair.first.engine.end.ctcs):
            pair.first.engine.detach(rdev, "the cable was pulled")
        pair.first.send(b"while it is down")
        await wait_until(lambda: bool(pair.second.received()))
        assert pair.first.guest.count(LinkDown) == 1
        assert pair.first.guest.count(LinkUp) == 2
        assert pair.first.guest.count(Severed) == 0


async def test_a_link_that_stays_down_is_severed_and_its_program_told(tmp_path: Path) -> None:
    options = [{"reconnect_s": 0.5}, {}]
    async with pair_up(tmp_path, options=options) as pair:
        pair.first.send_when_down(b"never read")
        await pair.second.close()
        await wait_until(lambda: pair.first.guest.count(Severed) > 0)
        assert pair.first.engine.end.link.state is LinkState.DOWN
        assert not pair.first.engine.end.link.packager
        severed = [e for e in pair.first.guest.events if isinstance(e, Severed)]
        assert severed[0].reason == "the link was down for 0.5 s"


async def test_what_waits_for_a_partner_who_never_came_is_not_severed() -> None:
    side = LiveSide(Setup().definition(0), 1, reconnect_s=0.02)
    side.send(b"for whoever comes")
    await asyncio.sleep(0.2)
    assert side.engine.counters.severed_count == 0
    assert side.engine.end.link.packager
    await side.close()


def test_guests_run_live_as_they_run_in_virtual_time(run_live: Run, tmp_path: Path) -> None:
    async def main() -> None:
        workload, costs = find_workload("HM"), GuestCosts(0, 0, 0, 0)
        guests = [Clients(workload, 5, costs, Random(1)), Servers(workload, 5, costs)]
        async with LivePair(tmp_path, options=[{"program": g} for g in guests]) as pair:
            await wait_until(lambda: pair.first.engine.end.link.counters.read_message_count > 200)
            written, read = (side.engine.end.link.counters for side in pair.sides)
            assert 0 <= read.read_message_count - written.read_message_count < 2 * 5 * 10

    run_live(main())


class _Flood(Guest):
    """Offers more than the backlog holds, all together."""

    def start(self, now_ns: int) -> list[Offer]:
        return [(now_ns, [Message(1, 60_000, data=bytes(60_000))]) for _ in range(1_500)]


async def test_a_program_that_offers_too_much_waits_and_loses_nothing(tmp_path: Path) -> None:
    async with LivePair(tmp_path, options=[{"program": _Flood()}, {}]) as pair:
        await wait_until(lambda: len(pair.second.guest.arrived) == 1_500)


async def test_sending_past_the_backlog_is_refused(tmp_path: Path) -> None:
    async with LivePair(tmp_path) as pair:
        messages = [bytes(60_000)] * 5_000
        with pytest.raises(Backpressure):
            pair.first.send(*messages)


async def test_connections_that_go_when_the_link_is_severed_are_lost_ones(tmp_path: Path) -> None:
    async with pair_up(tmp_path) as pair:
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


async def test_a_paced_pair_takes_the_models_time_and_says_how_late_it_was(tmp_path: Path) -> None:
    async with pair_up(tmp_path, options=[{"paced": True}, {"paced": True}]) as pair:
        begin_ns = pair.first.engine.now_ns()
        pair.first.send(bytes(2_000_000))
        await wait_until(lambda: pair.first.guest.sent_count > 0)
        pair.first.send(b"end")
        await wait_until(lambda: len(pair.second.received()) == 2)
        took_ns = pair.first.engine.now_ns() - begin_ns
        assert took_ns > 2_000_000 * 1e9 / 212.5e6, "faster than the fibre's light"
        assert pair.first.engine.lag.late_ns >= 0
        assert pair.first.engine.lag.waited_ns > 0


class _Far(Setup):
    """The same over 1,000 km."""

    def definition(self, here: int) -> LinkEndDefinition:
        near = Setup.definition(self, here)
        return replace(near, ctcs=tuple(replace(ctc, way_ns=5_000_000) for ctc in near.ctcs))


async def test_a_long_fibre_delays_what_a_paced_pair_sends(tmp_path: Path) -> None:
    async with pair_up(tmp_path, _Far(), options=[{"paced": True}, {"paced": True}]) as pair:
        begin_ns = pair.first.engine.now_ns()
        pair.first.send(b"far")
        await wait_until(lambda: pair.second.received() == [b"far"])
        took_ns = pair.first.engine.now_ns() - begin_ns
        assert took_ns > 3 * 5_000_000, "write, read and data each go 1,000 km"


def test_lag_is_lateness_over_waiting() -> None:
    lag = Lag()
    assert (lag.late_ns, lag.waited_ns) == (0, 0)
    lag.note(set_ns=0, deadline_ns=90, now_ns=100)
    lag.note(set_ns=100, deadline_ns=200, now_ns=200)
    assert (lag.late_ns, lag.waited_ns) == (10, 200)
    assert lag.late_ns_max == 10


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
        reasons = [e.reason for e in pair.first.guest.events if isinstance(e, Severed)]
        assert reasons == ["more than can be held"]
        await pair.come_up()


async def test_the_node_is_made_by_whoever_wants_to_make_it() -> None:
    made: list[System] = []

    def make(definition: object) -> System:
        assert definition is engine_definition
        made.append(System([engine_definition]))
        return made[-1]

    engine_definition = Setup().definition(0)
    engine = LiveEngine(engine_definition, Guest(), Clock(), make=make)
    engine.sever("again")
    assert engine.system is made[1]
    assert engine.now_ns() < 3600 * S
    engine.close()
    await engine.wait_closed()
