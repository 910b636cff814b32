"""What is done to a pair: a plan of steps, records that can be drawn, shown and repeated.

A step that does not fit, such as to unplug what is unplugged, does nothing: every part of a plan is
a plan.
"""

from msgspec import Struct

from isfc.link.message import Traffic


class Wait(Struct, frozen=True):
    """Let time pass."""

    duration_ns: int


class SendMessages(Struct, frozen=True):
    """Let a side (0 or 1) send messages of so many bytes in one conversation, all together.

    The two kinds of traffic have conversations of their own, whatever their numbers.
    """

    here: int
    lengths: tuple[int, ...]
    conversation: int = 0
    traffic: Traffic = Traffic.TRANSPORT


class Unplug(Struct, frozen=True):
    """Cut one CTC; what is on its way is lost."""

    index: int


class Plug(Struct, frozen=True):
    """Restore one CTC."""

    index: int


class DeactivateCtc(Struct, frozen=True):
    """DEACTIVE ISLINK for one CTC, at one side."""

    here: int
    index: int


class ActivateCtc(Struct, frozen=True):
    """ACTIVATE ISLINK for one CTC, at one side."""

    here: int
    index: int


class VaryCtcChpid(Struct, frozen=True):
    """VARY OFF or ON the chpid of one CTC, at one side."""

    here: int
    index: int
    online: bool


class VaryRdev(Struct, frozen=True):
    """VARY OFF or ON one CTC's device, at one side."""

    here: int
    index: int
    online: bool


Step = Wait | SendMessages | Unplug | Plug | DeactivateCtc | ActivateCtc | VaryCtcChpid | VaryRdev
"""One thing done to a pair. Indexes count its CTCs from 0, and begin again at the last."""
