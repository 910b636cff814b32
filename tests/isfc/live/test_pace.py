"""A node at the machine's own pace."""

import asyncio
import time
from collections import deque
from dataclasses import fields, replace

import pytest
from msgspec import structs

from ctc.address import Rdev
from ctc.features import ChpidProfile
from ctc.frame import CommandFrame, DataFrame, Frame, Signal, StatusFrame
from ctc.subchannel import Command
from isfc.link.message import Message
from isfc.link.package import Package
from isfc.link.parameters import LinkParameters
from isfc.live.pace import Clock, EarlyData, unpaced
from isfc.system.link_end import LinkEndDefinition
from isfc.system.system import DEADLINE, Arrive, Connect, Send, System
from isfc.testing.pair import US, Pair, Setup
from tests.live.pair import LivePair
from tests.waiting import wait_until


def test_nothing_takes_time_but_waiting_for_a_lost_interrupt() -> None:
    before = Setup().definition(0)
    ctcs = tuple(replace(ctc, way_ns=50_000) for ctc in before.ctcs)
    after = unpaced(replace(before, ctcs=ctcs))
    assert {ctc.way_ns for ctc in after.ctcs} == {0}
    parameters = {p.name: getattr(after.parameters, p.name) for p in fields(LinkParameters)}
    times = {name: value for name, value in parameters.items() if name.endswith("_ns")}
    assert times.pop("mih_ns") == before.parameters.mih_ns
    assert set(times.values()) == {0}
    profile = after.ctcs[0].profile
    assert profile.io_ns == profile.turn_ns == profile.line_ns_per_byte == 0
    assert {p.name for p in structs.fields(ChpidProfile) if getattr(profile, p.name) != 0} == {
        "feature",
        "link_gbps",
        "roll_off",  # of a processor that takes no time
    }


def test_what_decides_stays() -> None:
    before, after = Setup().definition(1), unpaced(Setup().definition(1))
    assert after.parameters.package_limit == before.parameters.package_limit
    assert after.parameters.open_backlog_count == before.parameters.open_backlog_count
    assert [ctc.device for ctc in after.ctcs] == [ctc.device for ctc in before.ctcs]


class _Unpaced(Setup, frozen=True):
    def definition(self, here: int) -> LinkEndDefinition:
        return unpaced(Setup.definition(self, here))


def test_an_unpaced_pair_is_held_up_by_the_fibre_alone() -> None:
    pair = Pair(_Unpaced(propagation_ns=1_000))
    pair.send(pair.first, *[100_000] * 20)
    pair.run(100 * US)
    assert pair.all_arrived()


def test_what_is_handed_over_together_goes_in_one_package() -> None:
    for setup in (Setup(), _Unpaced(propagation_ns=1_000)):
        pair = Pair(setup)
        pair.send(pair.first, 10, 10, 10)
        pair.run(100 * US * 100)
        pair.expect_all_arrived()
        counters = pair.first.end.link.counters
        assert (counters.write_package_count, counters.write_message_count) == (1, 3)


def test_model_time_passes_slower_by_the_dilation_and_deadlines_are_that_much_further_away() -> (
    None
):
    real_ns = [7_000]
    clock = Clock(10, lambda: real_ns[0])
    assert clock.now_ns() == 0
    assert clock.delay_s(100_000_000) == pytest.approx(1.0)
    real_ns[0] += 2_000_000_000
    assert clock.now_ns() == 200_000_000
    assert clock.delay_s(100_000_000) == pytest.approx(-1.0)
    with pytest.raises(AssertionError, match="hurried"):
        Clock(0)


def test_it_does_not_run_backwards() -> None:
    clock = Clock()
    times = [clock.now_ns() for _ in range(1000)]
    assert times == sorted(times)


async def test_steps_of_the_machines_clock_are_not_noticed(
    pair: LivePair, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps_s = iter(range(0, 10**9, 1_000_003))
    monkeypatch.setattr(time, "time", lambda: next(steps_s) * (-1) ** next(steps_s))
    monkeypatch.setattr(time, "time_ns", lambda: next(steps_s) * 10**9)
    wanted = [b"%d" % number for number in range(100)]
    for data in wanted:
        pair.first.send(data)
        await asyncio.sleep(0)
    await wait_until(lambda: pair.second.received() == wanted)
    counters = pair.first.engine.counters
    assert (counters.severed_count, counters.detached_count) == (0, 0)


PACKAGE = Package(0, [Message(1, 3, data=b"abc")], 3)


class End:
    """One node with all CTCs ready, and its early data."""

    def __init__(self, *, sends: bool = True) -> None:
        self.system = System([unpaced(Setup().definition(0))])
        self.end = self.system.ends[0]
        self.due: deque[tuple[Rdev, Frame]] = deque()
        self.early = EarlyData(self.due, sends=sends)
        self.now_ns = 0
        for rdev in self.end.ctcs:
            self.system.apply(Connect(rdev), 0)
            self.system.apply(Arrive(rdev, StatusFrame(Signal.READY, 0)), 0)
        self.leaving()
        self.first, self.last = next(iter(self.end.ctcs)), next(reversed(self.end.ctcs))

    def leaving(self) -> list[tuple[Rdev, Frame]]:
        """What is sent now."""
        for _ in range(10):
            self.now_ns += 1
            self.system.apply(DEADLINE, self.now_ns)
        sent = []
        while (departure := self.end.poll_frame()) is not None:
            rdev, frame = departure.rdev, departure.frame
            sent += [(rdev, part) for part in self.early.leave(self.end, rdev, frame)]
        return sent

    def write(self) -> tuple[Rdev, list[Frame]]:
        """Let the node write a message: the CTC, and what is sent."""
        self.system.apply(Send([Message(1, 3, data=b"abc")]), self.now_ns)
        sent = self.leaving()
        (rdev,) = {rdev for rdev, _ in sent}
        return rdev, [frame for _, frame in sent]

    def arrive(self, rdev: Rdev, frame: Frame) -> None:
        """A frame has come."""
        if not self.early.hold(self.end, rdev, frame):
            self.system.apply(Arrive(rdev, frame), self.now_ns)


def test_data_go_with_their_command_and_not_again_when_they_are_asked_for() -> None:
    end = End()
    rdev, (command, data) = end.write()
    assert isinstance(command, CommandFrame)
    assert isinstance(data, DataFrame)
    assert (command.command, command.serial) == (Command.WRITE, data.serial)
    assert isinstance(data.load, Package)
    assert [message.data for message in data.load.messages] == [b"abc"]
    end.arrive(rdev, CommandFrame(Command.READ, 1))
    assert end.leaving() == []
    end.arrive(rdev, StatusFrame(Signal.RECEIVED, data.serial))
    assert end.end.link.counters.write_package_count == 1


def test_an_end_that_does_not_send_early_sends_when_asked() -> None:
    end = End(sends=False)
    rdev, sent = end.write()
    assert [type(frame) for frame in sent] == [CommandFrame]
    end.arrive(rdev, CommandFrame(Command.READ, 1))
    assert [type(frame) for _, frame in end.leaving()] == [DataFrame]


def test_data_that_come_early_wait_until_the_read_has_gone_out() -> None:
    end = End(sends=False)
    rdev = end.last
    end.arrive(rdev, CommandFrame(Command.WRITE, 7, PACKAGE.length, 1))
    end.arrive(rdev, DataFrame(PACKAGE, 7))
    assert not end.due
    assert [type(frame) for _, frame in end.leaving()] == [CommandFrame]
    ((due_rdev, frame),) = end.due
    assert due_rdev == rdev
    end.system.apply(Arrive(rdev, frame), end.now_ns)
    ((_, status),) = end.leaving()
    assert isinstance(status, StatusFrame)
    assert (status.signal, status.serial) == (Signal.RECEIVED, 7)
    assert end.end.ctcs[rdev].stale_count == 0


def test_data_that_are_asked_for_are_not_held() -> None:
    end = End()
    rdev = end.last
    end.arrive(rdev, CommandFrame(Command.WRITE, 7, PACKAGE.length, 1))
    end.leaving()
    assert end.end.ctcs[rdev].reads
    assert not end.early.hold(end.end, rdev, DataFrame(PACKAGE, 7))


def test_what_is_held_of_a_write_that_is_over_is_dropped() -> None:
    end = End()
    rdev = end.last
    for over in (StatusFrame(Signal.RESET, 8), CommandFrame(Command.WRITE, 9, 1, 1)):
        assert end.early.hold(end.end, rdev, DataFrame(PACKAGE, 7))
        assert not end.early.hold(end.end, rdev, over)
        end.early.leave(end.end, rdev, CommandFrame(Command.READ, 1))
        assert not end.due


def test_nothing_is_known_of_a_connection_that_is_gone() -> None:
    end = End()
    first, last = end.first, end.last
    for rdev in (first, last):
        assert end.early.hold(end.end, rdev, DataFrame(PACKAGE, 7))
        end.early.leave(end.end, rdev, CommandFrame(Command.READ, 1))
    assert end.early.hold(end.end, first, DataFrame(PACKAGE, 8))
    end.early.forget(first)
    assert [rdev for rdev, _ in end.due] == [last]
    end.early.leave(end.end, first, CommandFrame(Command.READ, 2))
    assert len(end.due) == 1
