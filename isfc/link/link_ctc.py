"""What a logical link knows of its CTCs, what it waits for on each, and what it asks of each."""

from collections.abc import Iterable
from typing import Final, cast, final

from mypy_extensions import i64

from ctc.address import Rdev
from ctc.agenda import NEVER_NS
from ctc.fifo import Fifo
from ctc.subchannel import Command, Instruction, Ssch
from isfc.link.counters import DeviceCounters
from isfc.link.package import Package
from isfc.link.schedule import LinkDevice
from isfc.link.state import DeviceState, StateChange

UNUSABLE: Final = (DeviceState.INACTIVE, DeviceState.DOWN, DeviceState.RESETTING)
"""States in which a CTC does nothing for its link."""


class Outstanding:
    """What is still to be done on a CTC, beside what its state says.

    In which states each of them may be is what ``tests/properties/test_link_table.py`` tries.
    """

    __slots__ = ("following", "held", "turn", "written")

    def __init__(self) -> None:
        self.following: Command | None = None
        """What is to be started here when it is this CTC's turn: SENSE COMMAND BYTE after an
        attention, READ once that has ended."""
        self.held: Package | None = None
        """A package whose write collided here: it is written again here, in its turn."""
        self.turn = False
        """After a collision: whether the first write is ours, and the second the partner's."""
        self.written: Package | None = None
        """A package that was written here and is still to be released."""


class LinkCtc:
    """What the link knows of one of its CTCs."""

    __slots__ = (
        "buffered", "counters", "device", "due_ns", "outstanding", "queued", "rdev", "starting",
        "state",
    )  # fmt: skip

    def __init__(self, device: LinkDevice) -> None:
        self.device = device
        self.rdev = device.rdev
        self.state = DeviceState.DOWN
        self.counters = DeviceCounters()
        self.starting = False
        """Whether the hardware has said that it is ready, and the partner's has not answered."""
        self.buffered = False
        """Whether what was read here last is still to be handed over."""
        self.queued = False
        """Whether it waits for its turn with the receive lock."""
        self.outstanding = Outstanding()
        self.due_ns: i64 = NEVER_NS
        """When RECOVERING ends, an interrupt has gone missing, or so has the partner's answer."""

    def transition(self, change: StateChange) -> None:
        """Change the state, as `isfc.link.state.CHANGES` says; it must have this change of it."""
        if self.state not in change.before:
            raise AssertionError(f"{change.cause!r} cannot happen to a CTC in {self.state.name}")
        self.state = change.after

    def forget(self) -> None:
        """Nothing is under way on this CTC any more."""
        self.outstanding = Outstanding()
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
