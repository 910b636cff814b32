"""What a logical link knows of its CTCs, what it waits for on each, and what it asks of each.

`CtcUse` is how an end uses its CTCs: those on which the partner never writes, or the only one there
is. With several CTCs each end has some to itself, and what it sends and what it receives get in
each other's way by the locks alone. A single CTC both ends write on: whoever finds it free writes
before anything else, or APPC/VM, which always had to receive first, could be kept from it for ever;
it is given to the partner as soon as that asks, and is free only once what was written is released.
"""

from collections.abc import Iterable
from typing import cast, final

from mypy_extensions import i64

from ctc.address import Rdev
from ctc.queues import NEVER_NS, Fifo
from ctc.subchannel import Instruction, Ssch
from isfc.link.counters import DeviceCounters
from isfc.link.lock import BuildPackage, LinkEndWork, LinkLock, ReleasePackage
from isfc.link.package import Package
from isfc.link.parameters import LinkCosts
from isfc.link.scan import LinkDevice
from isfc.link.schedule import WriteScheduler
from isfc.link.state import (
    ATTENTIVE,
    GIVEN_UP,
    QUEUED,
    READ_ATTENDED,
    SHOWN,
    USABLE,
    DeviceState,
    ReadState,
    StateInput,
    WriteState,
)


class LinkCtc:
    """What the link knows of one of its CTCs."""

    __slots__ = (
        "counters", "device", "due_ns", "package", "rdev", "read_side", "starting", "state",
        "write_side",
    )  # fmt: skip

    def __init__(self, device: LinkDevice) -> None:
        self.device = device
        self.rdev = device.rdev
        self.read_side: i64 = int(ReadState.NONE)
        self.write_side: i64 = int(WriteState.DOWN)
        self.state = DeviceState.DOWN
        """What is shown of the write side."""
        self.counters = DeviceCounters()
        self.starting = False
        """Whether the hardware has said that it is ready, and the partner's has not answered."""
        self.package: Package | None = None
        """The package that is held after a collision, or that is written and not yet released."""
        self.due_ns: i64 = NEVER_NS
        """When RECOVERING ends, an interrupt has gone missing, or so has the partner's answer."""

    @property
    def usable(self) -> bool:
        """Whether it does anything for its link."""
        return self.write_side >= USABLE

    @property
    def attended(self) -> bool:
        """Whether a write of the partner's waits to be sensed."""
        return READ_ATTENDED[self.read_side]

    @property
    def attentive(self) -> bool:
        """Whether an attention is news."""
        return ATTENTIVE[self.write_side]

    def write(self, given: StateInput) -> None:
        """Something happens to the write side."""
        after = given.after(self.write_side)
        self.write_side = after
        self.state = SHOWN[after]

    def read(self, given: StateInput) -> bool:
        """Something happens to the read side; whether it has to wait now for the receive lock."""
        before = self.read_side
        self.read_side = given.after(before)
        return self.read_side >= QUEUED > before

    def lose(self, given: StateInput) -> None:
        """Nothing is under way on this CTC any more."""
        self.write(given)
        self.read(GIVEN_UP)
        self.package = None
        self.due_ns = NEVER_NS


class Deadlines:
    """The times by which something has to happen on each CTC.

    Nearly every I/O ends long before its time: `LinkCtc.due_ns` is then only written over or
    cleared, and the earliest of them is looked for once it seems to have come.
    """

    def __init__(self, ctcs: Iterable[LinkCtc]) -> None:
        self._ctcs = tuple(ctcs)
        self.due_ns: i64 = NEVER_NS
        """A time not later than the earliest `LinkCtc.due_ns`, in ns."""

    def begin(self, ctc: LinkCtc, due_ns: i64) -> None:
        """Something has to happen on ``ctc`` by ``due_ns``."""
        ctc.due_ns = due_ns
        if due_ns < self.due_ns:
            self.due_ns = due_ns

    def end(self, ctc: LinkCtc) -> None:
        """Wait for nothing more on ``ctc``."""
        ctc.due_ns = NEVER_NS
        self._find_earliest()

    def poll_due(self, now_ns: i64) -> list[LinkCtc]:
        """The CTCs whose time has come by ``now_ns``; they are not watched any more."""
        due = [ctc for ctc in self._ctcs if ctc.due_ns <= now_ns]
        for ctc in due:
            ctc.due_ns = NEVER_NS
        self._find_earliest()
        return due

    def _find_earliest(self) -> None:
        self.due_ns = min(ctc.due_ns for ctc in self._ctcs)


@final
class InstructionQueue:
    """Instructions in their order; never more than a few for each CTC."""

    def __init__(self) -> None:
        self._waiting: Fifo[Instruction] = Fifo()

    def add(self, instruction: Instruction) -> None:
        """Ask for something, after all that was asked for before."""
        self._waiting.add(instruction)

    def poll(self) -> Instruction | None:
        """The next instruction; None when there is none."""
        return self._waiting.pop() if self._waiting else None

    def withdraw(self, rdev: Rdev) -> Package | None:
        """Drop what is queued for a device; return the package whose write has not been begun."""
        package = None
        waiting, self._waiting = self._waiting, Fifo()
        for instruction in waiting:
            if instruction.rdev != rdev:
                self._waiting.add(instruction)
            elif isinstance(instruction, Ssch) and instruction.load is not None:
                package = cast(Package, instruction.load)
        return package


@final
class CtcUse:
    """The use of several CTCs, or of a ``single`` one.

    On a single CTC the ends write by turns where they have collided.
    """

    def __init__(self, *, single: bool) -> None:
        self.single = single

    def give_locks(self, work: LinkEndWork, now_ns: i64) -> None:
        """Let what waits for the link locks have them; on a single CTC, write first."""
        if self.single:
            work.begin_send(now_ns)
            work.begin_receive(now_ns)
        else:
            work.begin_receive(now_ns)
            work.begin_send(now_ns)

    def attend(self, ctc: LinkCtc, scheduler: WriteScheduler) -> None:
        """The partner writes on a CTC: if it is the only one, nothing is built for it any more.

        Of several it can be written on until that is sensed.
        """
        if self.single:
            scheduler.occupy(ctc.rdev)

    def build_ns(self, build: BuildPackage, redriven: bool, costs: LinkCosts) -> int:
        """How long the send lock is held for a package; one of several CTCs' is built only once."""
        return 1 if redriven and not self.single else build.hold_ns(costs)

    def gives_way(self, ctc: LinkCtc) -> bool:
        """Whether a package that is built is not written, since the partner writes on its CTC."""
        return self.single and ctc.attended

    def release(self, ctc: LinkCtc, package: Package, rx_lock: LinkLock) -> None:
        """Our write is over: its CTC is released, a single one when what came is received."""
        work = ReleasePackage(ctc.rdev, package, self.single)
        if self.single:
            rx_lock.want(work)
        else:
            rx_lock.want_first(work)
