"""The states of a logical link and of its CTCs, and the tables of them that the link executes.

`LinkState` and `DeviceState` are what QUERY ISLINK shows. A CTC has two sides, each with a table:
what happens, in which states it may, and the state after it. States are numbers there, and an
input knows its row as a list: a look-up takes some nanoseconds.

`WRITE_SIDE` is what our end does with the CTC, and whose turn it is. QUERY ISLINK shows less of it:
`SHOWN`. docs/architecture.md shows both.

`READ_SIDE` is what has become of the partner's write, until its package is handed over. Nobody is
shown these states: z/VM has none of them. While SENSE COMMAND BYTE or READ is under way the read
side waits for nothing; the write side says then that the CTC is taken.
"""

from collections.abc import Mapping
from enum import Enum, IntEnum
from typing import Final, final

from mypy_extensions import i64


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


class LinkState(Enum):
    """The logical link as a whole."""

    DOWN = "Down"
    DEGRADED = "Degraded"
    """Some CTCs of the link cannot be used."""
    UP = "Up"


_STATES_MAX: Final = 17
"""States of one table: each row has so many entries."""


@final
class StateInput:
    """Something that happens, for the reason that ``cause`` says: a row of the table."""

    __slots__ = ("_after", "cause", "changes")

    def __init__(self, cause: str, changes: Mapping[int, int]) -> None:
        self.cause = cause
        self.changes = dict(changes)
        """The state after each in which it may happen."""
        self._after = [int(changes.get(state, -1)) for state in range(_STATES_MAX)]

    def after(self, state: i64) -> i64:
        """The state after ``state``. Raises `AssertionError` where it cannot be: that is a bug."""
        after: i64 = self._after[state]
        if after < 0:
            raise AssertionError(f"{self.cause!r} cannot happen in state {state}")
        return after

    def change(self, state: int, after: int) -> None:
        """Put another state into the table, to see whether anybody notices."""
        self.changes[state] = self._after[state] = after


class WriteState(IntEnum):
    """What our end does with a CTC: nothing for its link, or, from IDLE on, something.

    A package that is held is written again there, in its turn.
    """

    INACTIVE = 0
    DOWN = 1
    RESETTING = 2
    IDLE = 3
    BUILDING = 4
    WRITING = 5
    WRITTEN = 6
    """A package is written, and is to be released."""
    ATTENTION = 7
    READING = 8
    YIELDING = 9
    """It is the partner's turn to write."""
    RECOVERING = 10
    """After a collision: our package is held, and is written first."""
    FIRST_WRITING = 11
    """It is being written; the partner's turn is next."""
    FIRST_WRITTEN = 12
    SECOND_YIELDING = 13
    """After a collision: our package is held, and the partner writes first."""
    SECOND_ATTENTION = 14
    SECOND_READING = 15
    COLLIDED = 16
    """After a collision: our package has gone back, and the CTC is left alone for a while."""


_S: Final = WriteState
_D: Final = DeviceState

SHOWN: Final = [
    _D.INACTIVE, _D.DOWN, _D.RESETTING, _D.IDLE, _D.BUILDING, _D.WRITING, _D.WRITING,
    _D.ATTENTION, _D.READING, _D.YIELDING, _D.RECOVERING, _D.WRITING, _D.WRITING,
    _D.YIELDING, _D.ATTENTION, _D.READING, _D.RECOVERING,
]  # fmt: skip
"""What is shown of each state."""

USABLE: Final = int(_S.IDLE)
"""The first of the states in which a CTC does something for its link."""
ATTENTIVE: Final = [
    state >= USABLE and SHOWN[state] not in (_D.ATTENTION, _D.READING) for state in _S
]
"""By state: whether an attention says anything new, or anything at all."""

# Recovery from a collision.
#
# Both ends may have started a write on one CTC before either knew of the other's: the commands
# pass each other in the fibre, and each end finds its own outstanding when the other's arrives.
# By IBM's report neither write succeeds (`ctc.device.Arbitration` has the other readings). Both
# ends are told, at about the same time, and neither can ask the other what to do next: a rule
# that both know has to break the tie, or they would write at the same time again, for ever. The
# rule is the order of the names, which both know and which never changes.
#
# With several CTCs there are others to write on. So each package goes back, before all that waits,
# and travels on the next CTC that is free. The CTC of the collision is left alone (COLLIDED), by
# the lesser end for `recovery_ns`, by the greater one `greater_recovery` times as long, unless the
# partner writes there before.
#
# With a single CTC nobody can go elsewhere, and the ends take turns:
#
#   the lesser end: RECOVERING, waits `recovery_ns`, writes again; the partner reads that; then
#                   YIELDING, waits for the partner's write, reads it, and is free
#   the greater:    SECOND_YIELDING, waits for that write, reads it; then writes its own
#
# So both packages arrive, one after the other, and neither end takes the CTC for something else in
# between. That is why the package is held, and not put back into the backlog. Should another CTC
# come, the turns are over, as the partner may not keep to them any more. Whoever waits for the
# partner's turn waits for an attention that may never come (the partner may have lost the CTC
# meanwhile): the missing-interrupt interval ends that with a reset, as for every other I/O, and
# what is held then goes to another CTC.

ACTIVATED: Final = StateInput("ACTIVATE ISLINK", {_S.INACTIVE: _S.DOWN})
FREED: Final = StateInput(
    "ready, or a package is through, or a collision is over",
    dict.fromkeys(
        (
            _S.DOWN, _S.RESETTING, _S.WRITTEN, _S.READING, _S.COLLIDED, _S.FIRST_WRITTEN,
            _S.YIELDING, _S.RECOVERING, _S.SECOND_YIELDING,
        ),
        _S.IDLE,
    ),
)  # fmt: skip
ACQUIRED: Final = StateInput("a package is to be built", {_S.IDLE: _S.BUILDING})
STARTED: Final = StateInput(
    "SSCH (WRITE)",
    {_S.BUILDING: _S.WRITING, _S.SECOND_READING: _S.WRITING, _S.RECOVERING: _S.FIRST_WRITING},
)
WRITTEN: Final = StateInput(
    "our write is over", {_S.WRITING: _S.WRITTEN, _S.FIRST_WRITING: _S.FIRST_WRITTEN}
)
ATTENDED: Final = StateInput(
    "attention: SSCH (SENSE)",
    {
        **dict.fromkeys((_S.IDLE, _S.BUILDING, _S.YIELDING, _S.COLLIDED), _S.ATTENTION),
        **dict.fromkeys((_S.RECOVERING, _S.SECOND_YIELDING), _S.SECOND_ATTENTION),
    },
)
ANSWERED: Final = StateInput(
    "SENSE is over: SSCH (READ)",
    {_S.ATTENTION: _S.READING, _S.SECOND_ATTENTION: _S.SECOND_READING},
)
COLLIDED: Final = StateInput(
    "a collision, with other CTCs to write on",
    dict.fromkeys((_S.WRITING, _S.FIRST_WRITING), _S.COLLIDED),
)
COLLIDED_FIRST: Final = StateInput(
    "a collision, we write first",
    {_S.WRITING: _S.RECOVERING, _S.FIRST_WRITING: _S.RECOVERING},
)
COLLIDED_SECOND: Final = StateInput(
    "a collision, the partner first", {_S.WRITING: _S.SECOND_YIELDING}
)
YIELDED: Final = StateInput(
    "our write is over, the partner's waits",
    dict.fromkeys((_S.WRITING, _S.WRITTEN, _S.FIRST_WRITING, _S.FIRST_WRITTEN), _S.YIELDING),
)
LOST: Final = StateInput(
    "the device is gone", {state: _S.DOWN if state >= USABLE else state for state in _S}
)
HALTED: Final = StateInput(
    "an interrupt is missing: reset",
    dict.fromkeys(
        (
            _S.RESETTING, _S.WRITING, _S.ATTENTION, _S.READING, _S.YIELDING, _S.FIRST_WRITING,
            _S.SECOND_YIELDING, _S.SECOND_ATTENTION, _S.SECOND_READING,
        ),
        _S.RESETTING,
    ),
)  # fmt: skip
DEACTIVATED: Final = StateInput("DEACTIVE ISLINK", dict.fromkeys(_S, _S.INACTIVE))

WRITE_SIDE: Final = (
    ACTIVATED, FREED, ACQUIRED, STARTED, WRITTEN, ATTENDED, ANSWERED, COLLIDED, COLLIDED_FIRST,
    COLLIDED_SECOND, YIELDED, LOST, HALTED, DEACTIVATED,
)  # fmt: skip
"""Everything that happens to the write side of a CTC, from activation to deactivation."""


class ReadState(IntEnum):
    """What the read side of a CTC waits for. From SENSE on that is the receive lock."""

    NONE = 0
    DEFERRED = 1
    """An attention, whose turn came during our write, waits for the end of that."""
    BUFFERED = 2
    """What was read waits to be handed over."""
    BUFFERED_SENSE = 3
    """The same, and an attention waits for that: a CTC has one buffer."""
    SENSE = 4
    """An attention waits for its turn."""
    READ = 5
    """SENSE is over, and READ waits for its turn."""
    DROPPED = 6
    """A turn is to come in which there is nothing to do any more."""


_R: Final = ReadState

ATTENTION: Final = StateInput(
    "the partner writes, or our write no longer keeps us from sensing that",
    {
        **dict.fromkeys((_R.NONE, _R.SENSE, _R.DEFERRED, _R.DROPPED), _R.SENSE),
        **dict.fromkeys((_R.BUFFERED, _R.BUFFERED_SENSE), _R.BUFFERED_SENSE),
    },
)
SENSED: Final = StateInput("SENSE has ended", {_R.NONE: _R.READ})
GRANTED: Final = StateInput(
    "the receive lock comes to it", dict.fromkeys((_R.SENSE, _R.READ, _R.DROPPED), _R.NONE)
)
GRANTED_IN_WRITE: Final = StateInput(
    "the receive lock comes to it during a write of ours",
    {_R.SENSE: _R.DEFERRED, _R.DROPPED: _R.NONE},
)
READ: Final = StateInput("READ has ended", {_R.NONE: _R.BUFFERED})
DELIVERED: Final = StateInput(
    "what was read is handed over", {_R.BUFFERED: _R.NONE, _R.BUFFERED_SENSE: _R.SENSE}
)
GIVEN_UP: Final = StateInput(
    "the partner's write has failed, by a collision, or because the CTC is lost",
    {
        **dict.fromkeys((_R.NONE, _R.DEFERRED), _R.NONE),
        **dict.fromkeys((_R.SENSE, _R.READ, _R.DROPPED), _R.DROPPED),
        **dict.fromkeys((_R.BUFFERED, _R.BUFFERED_SENSE), _R.BUFFERED),
    },
)

READ_SIDE: Final = (ATTENTION, SENSED, GRANTED, GRANTED_IN_WRITE, READ, DELIVERED, GIVEN_UP)
"""Everything that happens to the read side of a CTC."""

QUEUED: Final = int(_R.SENSE)
"""The first of the states in which a CTC waits for the receive lock."""
READ_ATTENDED: Final = [state in (_R.SENSE, _R.DEFERRED, _R.BUFFERED_SENSE) for state in _R]
"""By state: whether a write of the partner's waits to be sensed."""
