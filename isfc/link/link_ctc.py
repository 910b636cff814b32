"""What a logical link knows of one of its CTCs."""

from typing import Final

from mypy_extensions import i64

from ctc.agenda import NEVER_NS
from ctc.subchannel import Command
from isfc.link.counters import DeviceCounters
from isfc.link.package import Package
from isfc.link.schedule import LinkDevice
from isfc.link.state import Change, DeviceState

UNUSABLE: Final = (DeviceState.INACTIVE, DeviceState.DOWN, DeviceState.RESETTING)
"""States in which a CTC does nothing for its link."""


class LinkCtc:
    """What the link knows of one of its CTCs."""

    __slots__ = (
        "buffered", "counters", "device", "due_ns", "following", "held", "queued", "rdev",
        "starting", "state", "turn", "written",
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
        self.following: Command | None = None
        """What is to be started here when it is this CTC's turn: SENSE COMMAND BYTE after an
        attention, READ once that has ended."""
        self.queued = False
        """Whether it waits for its turn with the receive lock."""
        self.held: Package | None = None
        """A package whose write collided here: it is written again here, in its turn."""
        self.turn = False
        """After a collision: whether the first write is ours, and the second the partner's."""
        self.written: Package | None = None
        """A package that was written here and is still to be released."""
        self.due_ns: i64 = NEVER_NS
        """When RECOVERING ends, an interrupt has gone missing, or so has the partner's answer."""

    def transition(self, change: Change) -> None:
        """Change the state, as `isfc.link.state.CHANGES` says; it must have this change of it."""
        if self.state not in change.before:
            raise AssertionError(f"{change.cause!r} cannot happen to a CTC in {self.state.name}")
        self.state = change.after

    def forget(self) -> None:
        """Nothing is under way on this CTC any more."""
        self.following = None
        self.held = None
        self.turn = False
        self.written = None
        self.due_ns = NEVER_NS
