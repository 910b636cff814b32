"""Cable: the two ends of one CTC and the fibre between them, driven by hand."""

from typing import Final, TypeVar

from msgspec.structs import replace

from ctc.address import ChpidId, Rdev
from ctc.chpid import Chpid
from ctc.device import Arbitration, Ctc
from ctc.features import ChpidProfile, find_profile
from ctc.frame import Departure, Frame
from ctc.queues import NEVER_NS, Agenda, Fifo
from ctc.subchannel import (
    Attention,
    Collided,
    Command,
    DeviceLost,
    DeviceReady,
    Ended,
    Interrupt,
    Payload,
    Ssch,
    UnitStatus,
)

Kind = TypeVar("Kind", bound=Interrupt)

PLAIN: Final = replace(
    find_profile("FICON Express2"),
    line_ns_per_byte=4.0,
    processor_ns_per_byte=0.0,
    processor_bits_per_ccw=0.0,
    latency_ns_per_ccw=0.0,
    io_ns=10_000,
    turn_ns=0,
    interrupt_ns=0,
    write_interrupt_ns=0,
    roll_off=0.0,
)
"""A fibre of 250 MB/s with nothing else to it: an I/O starts after 10 us."""

PROPAGATION_NS: Final = 1_000


class Cargo(Payload):
    """What a write carries."""

    def __init__(self, length: int, count: int = 1) -> None:
        super().__init__(length, count)


class End:
    """One end: its hardware, and what it has said to the software."""

    def __init__(self, rdev: int, arbitration: Arbitration, profile: ChpidProfile) -> None:
        self.chpid: Chpid[Ctc] = Chpid(ChpidId(rdev >> 8), profile)
        self.departures: Fifo[Departure] = Fifo()
        self.interrupts: Fifo[Interrupt] = Fifo()
        self.ctc = Ctc(Rdev(rdev), self.chpid, arbitration, self.departures, self.interrupts)

    def heard(self) -> list[str]:
        """The interrupts since the last time, in words."""
        return [_word(interrupt) for interrupt in self.take()]

    def told(self, kind: type[Kind]) -> Kind:
        """The only interrupt since the last time, which is of this kind."""
        (interrupt,) = self.take()
        assert isinstance(interrupt, kind)
        return interrupt

    def take(self) -> list[Interrupt]:
        """The interrupts since the last time, which are all of this end's device."""
        taken = [self.interrupts.pop() for _ in range(len(self.interrupts))]
        assert all(interrupt.rdev == self.ctc.rdev for interrupt in taken)
        return taken


def _word(interrupt: Interrupt) -> str:
    match interrupt:
        case Ended(status=UnitStatus.ENDED):
            return f"{interrupt.command.name} ended"
        case Ended(status=UnitStatus.UNIT_CHECK):
            return f"{interrupt.command.name} unit check"
        case Ended():
            assert interrupt.status is UnitStatus.BUSY_ATTENTION
            return f"{interrupt.command.name} busy"
        case Attention():
            return "attention"
        case Collided():
            return "collided"
        case DeviceLost():
            return "lost"
        case DeviceReady():
            return "ready"


class Cable:
    """Carries frames between two ends and wakes them in time."""

    def __init__(
        self,
        near: Arbitration = Arbitration.BOTH_FAIL,
        far: Arbitration = Arbitration.BOTH_FAIL,
        profile: ChpidProfile = PLAIN,
    ) -> None:
        self.now_ns = 0
        self.near = End(0x6000, near, profile)
        self.far = End(0x7000, far, profile)
        self.ends = (self.near, self.far)
        self._flying: Agenda[tuple[int, Frame]] = Agenda()

    def connect(self) -> "Cable":
        """Plug in both ends and wait until they are ready."""
        for end in self.ends:
            end.ctc.connect(self.now_ns)
        self.run()
        assert [end.heard() for end in self.ends] == [["ready"], ["ready"]]
        return self

    def start(self, end: End, command: Command, load: Payload | None = None) -> None:
        """Issue a command now; a WRITE has 100 bytes if nothing else is said."""
        if command is Command.WRITE and load is None:
            load = Cargo(100)
        end.ctc.start(Ssch(end.ctc.rdev, command, load), self.now_ns)

    def issue(self, end: End, command: Command) -> None:
        """Issue a command, and let everything come of it that does."""
        self.start(end, command)
        self.run()

    def write(self, end: End, length: int) -> Cargo:
        """Issue a write of so many bytes now."""
        cargo = Cargo(length)
        self.start(end, Command.WRITE, cargo)
        return cargo

    def issue_write(self, end: End, length: int) -> Cargo:
        """Issue a write, and let everything come of it that does."""
        cargo = self.write(end, length)
        self.run()
        return cargo

    def expect_to_carry(self, writer: End, reader: End) -> None:
        """A package that one end writes is read by the other."""
        writer.take(), reader.take()
        cargo = self.issue_write(writer, 30)
        self.issue(reader, Command.READ)
        assert writer.heard() == ["WRITE ended"]
        attention, read = reader.take()
        assert isinstance(attention, Attention)
        assert isinstance(read, Ended)
        assert read.load is cargo

    def keep_busy(self, end: End, length: int) -> Ctc:
        """Let another CTC send on the chpid of an end."""
        other = Ctc(Rdev(end.ctc.rdev + 1), end.chpid, Arbitration.BOTH_FAIL, Fifo(), Fifo())
        end.chpid.begin(other, Cargo(length), self.now_ns)
        return other

    def run(self, until_ns: int | None = None) -> None:
        """Let everything happen that is to happen, up to ``until_ns`` if that is given."""
        while self.step(until_ns):
            pass
        if until_ns is not None:
            self.now_ns = until_ns

    def step(self, until_ns: int | None = None) -> bool:
        """Let happen what happens next; return whether anything did."""
        next_ns = self._next_ns()
        if next_ns == NEVER_NS or (until_ns is not None and next_ns > until_ns):
            return False
        self.now_ns = next_ns
        while self._flying.due_ns <= next_ns:
            index, frame = self._flying.pop()
            self.ends[index].ctc.receive_frame(frame, next_ns)
        for end in self.ends:
            while (ctc := end.chpid.poll_ended(next_ns)) is not None:
                ctc.end(next_ns)
            while (ctc := end.chpid.poll_completed(next_ns)) is not None:
                ctc.complete(next_ns)
        return True

    def _next_ns(self) -> int:
        """When something happens next; `NEVER_NS` when nothing will."""
        for index, end in enumerate(self.ends):
            while end.departures:
                departure = end.departures.pop()
                assert departure.rdev == end.ctc.rdev
                self._flying.add(departure.at_ns + PROPAGATION_NS, (1 - index, departure.frame))
        return min(self._flying.due_ns, *(end.chpid.due_ns for end in self.ends))
