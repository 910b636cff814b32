"""The states of a logical link and of its CTCs, as QUERY ISLINK shows them, and what changes them.

`CHANGES` is the table of a CTC's states: what happens, in which states it may, and the state
after it. The link executes it: a change that it does not have is a bug, and raises. The picture
docs/link-states.svg is drawn from it.
"""

from enum import Enum
from typing import Final, final


class DeviceState(Enum):
    """What one end's software is doing with one CTC."""

    INACTIVE = "Inactive"
    """Not part of the link: deactivated."""
    DOWN = "Down"
    """Not ready: no partner at the other end, or the device is lost."""
    RESETTING = "Reset in progress"
    """An interrupt went missing; the device was halted and is to become ready again."""
    IDLE = "Idle"
    BUILDING = "Busy"
    """A package is being built for it."""
    WRITING = "Write in progress"
    """A package of ours is being written, from SSCH to its end."""
    ATTENTION = "Handling link attention"
    """The partner writes; we sense that, and have not begun to read."""
    READING = "Read in progress"
    RECOVERING = "Handling collision"
    """A package of ours is to be written here again, when our turn comes."""
    YIELDING = "Waiting for partner"
    """After a collision: it is the partner's turn to write."""


@final
class StateChange:
    """What changes the state of a CTC: its ``cause``, the states it finds, the one it leaves."""

    __slots__ = ("after", "before", "cause")

    def __init__(self, cause: str, before: tuple[DeviceState, ...], after: DeviceState) -> None:
        self.cause = cause
        self.before = before
        self.after = after


_S = DeviceState
_EVERY = tuple(DeviceState)
_USABLE = (
    _S.IDLE, _S.BUILDING, _S.WRITING, _S.ATTENTION, _S.READING, _S.RECOVERING, _S.YIELDING
)  # fmt: skip

# Recovery from a collision.
#
# Both ends may have started a write on one CTC before either knew of the other's: the commands
# pass each other in the fibre, and each end finds its own outstanding when the other's arrives.
# By IBM's report neither write succeeds (`ctc.device.Arbitration` has the other readings). Both
# ends are told, at about the same time, and neither can ask the other what to do next: a rule
# that both know has to break the tie, or they would write at the same time again, for ever. The
# rule is the order of the names, which both know and which never changes:
#
#   the lesser end: RECOVERING, waits `recovery_ns`, writes again; the partner reads that; then
#                   YIELDING, waits for the partner's write, reads it, and is free
#   the greater:    YIELDING, waits for that write, reads it; then writes its own, which is `held`
#
# So both packages arrive, one after the other, on the CTC where they collided, and neither end
# takes the CTC for something else in between. That is why the package is held, and not put back
# into the backlog. Whoever waits for the partner's turn waits for an attention that may never
# come (the partner may have lost the CTC meanwhile): the missing-interrupt interval ends that
# with a reset, as for every other I/O, and what is held then goes to another CTC.

DEACTIVATED: Final = StateChange("DEACTIVE ISLINK", _EVERY, _S.INACTIVE)
ACTIVATED: Final = StateChange("ACTIVATE ISLINK", (_S.INACTIVE,), _S.DOWN)
LOST: Final = StateChange("the device is gone", _USABLE, _S.DOWN)
HALTED: Final = StateChange(
    "an interrupt is missing: reset", (_S.DOWN, _S.RESETTING, *_USABLE), _S.RESETTING
)
FREED: Final = StateChange(
    "ready, or a package is through",
    (_S.DOWN, _S.RESETTING, _S.WRITING, _S.READING),
    _S.IDLE,
)
ACQUIRED: Final = StateChange("a package is to be built", (_S.IDLE,), _S.BUILDING)
STARTED: Final = StateChange("SSCH (WRITE)", (_S.BUILDING, _S.RECOVERING, _S.READING), _S.WRITING)
ATTENDED: Final = StateChange(
    "attention: SSCH (SENSE)",
    (_S.IDLE, _S.BUILDING, _S.RECOVERING, _S.YIELDING),
    _S.ATTENTION,
)
ANSWERED: Final = StateChange("SENSE is over: SSCH (READ)", (_S.ATTENTION,), _S.READING)
COLLIDED_FIRST: Final = StateChange("a collision, we write first", (_S.WRITING,), _S.RECOVERING)
COLLIDED_SECOND: Final = StateChange("a collision, the partner first", (_S.WRITING,), _S.YIELDING)
TURN_OVER: Final = StateChange("our write is over, the partner's waits", (_S.WRITING,), _S.YIELDING)

CHANGES: Final = (
    ACTIVATED, FREED, ACQUIRED, STARTED, ATTENDED, ANSWERED, COLLIDED_FIRST, COLLIDED_SECOND,
    TURN_OVER, LOST, HALTED, DEACTIVATED,
)  # fmt: skip
"""Every change of a CTC's state, from activation to deactivation."""


class LinkState(Enum):
    """The logical link as a whole."""

    DOWN = "Down"
    DEGRADED = "Degraded"
    """Some CTCs of the link cannot be used."""
    UP = "Up"
