"""Plans: what is done to a pair, as records that can be drawn, shown, repeated and shortened.

A step that does not fit, such as to unplug what is unplugged, does nothing. So every part of a
plan is a plan.
"""

from dataclasses import dataclass

from isfc.link.message import Traffic


@dataclass(frozen=True, slots=True)
class Wait:
    """Let time pass."""

    duration_ns: int


@dataclass(frozen=True, slots=True)
class SendMessages:
    """Let a side (0 or 1) send messages of so many bytes in one conversation, all together.

    The two kinds of traffic have conversations of their own, whatever their numbers.
    """

    here: int
    lengths: tuple[int, ...]
    conversation: int = 0
    traffic: Traffic = Traffic.TRANSPORT


@dataclass(frozen=True, slots=True)
class Unplug:
    """Cut one CTC; what is on its way is lost."""

    index: int


@dataclass(frozen=True, slots=True)
class Plug:
    """Restore one CTC."""

    index: int


@dataclass(frozen=True, slots=True)
class DeactivateCtc:
    """DEACTIVE ISLINK for one CTC, at one side."""

    here: int
    index: int


@dataclass(frozen=True, slots=True)
class ActivateCtc:
    """ACTIVATE ISLINK for one CTC, at one side."""

    here: int
    index: int


@dataclass(frozen=True, slots=True)
class VaryCtcChpid:
    """VARY OFF or ON the chpid of one CTC, at one side."""

    here: int
    index: int
    online: bool


@dataclass(frozen=True, slots=True)
class VaryRdev:
    """VARY OFF or ON one CTC's device, at one side."""

    here: int
    index: int
    online: bool


Step = Wait | SendMessages | Unplug | Plug | DeactivateCtc | ActivateCtc | VaryCtcChpid | VaryRdev
"""One thing done to a pair. Indexes count its CTCs from 0, and begin again at the last."""
