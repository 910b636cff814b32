"""Data that go with their command are sent once, and reach the node after its READ."""

from collections import deque

from ctc.address import Rdev
from ctc.frame import CommandFrame, DataFrame, Frame, Signal, StatusFrame
from ctc.subchannel import Command
from isfc.link.message import Message
from isfc.link.package import Package
from isfc.live.pace import EarlyData, unpaced
from isfc.system.inputs import DEADLINE, Arrive, Connect, Send
from isfc.system.system import System
from isfc.testing.pair import Setup

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
    rdev = next(reversed(end.end.ctcs))
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
    rdev = next(reversed(end.end.ctcs))
    end.arrive(rdev, CommandFrame(Command.WRITE, 7, PACKAGE.length, 1))
    end.leaving()
    assert end.end.ctcs[rdev].reads
    assert not end.early.hold(end.end, rdev, DataFrame(PACKAGE, 7))


def test_what_is_held_of_a_write_that_is_over_is_dropped() -> None:
    end = End()
    rdev = next(reversed(end.end.ctcs))
    for over in (StatusFrame(Signal.RESET, 8), CommandFrame(Command.WRITE, 9, 1, 1)):
        assert end.early.hold(end.end, rdev, DataFrame(PACKAGE, 7))
        assert not end.early.hold(end.end, rdev, over)
        end.early.leave(end.end, rdev, CommandFrame(Command.READ, 1))
        assert not end.due


def test_nothing_is_known_of_a_connection_that_is_gone() -> None:
    end = End()
    first, last = next(iter(end.end.ctcs)), next(reversed(end.end.ctcs))
    for rdev in (first, last):
        assert end.early.hold(end.end, rdev, DataFrame(PACKAGE, 7))
        end.early.leave(end.end, rdev, CommandFrame(Command.READ, 1))
    assert end.early.hold(end.end, first, DataFrame(PACKAGE, 8))
    end.early.forget(first)
    assert [rdev for rdev, _ in end.due] == [last]
    end.early.leave(end.end, first, CommandFrame(Command.READ, 2))
    assert len(end.due) == 1
