"""The states of a logical link and of its CTCs, as QUERY ISLINK shows them, and tables of states.

What changes them is in `isfc.link.sides`, which knows more of a CTC than is shown. A table is
executed: what happens, in which states it may, and the state after it. States are numbers there,
and an input knows its row as a list: a look-up takes some nanoseconds.
"""

from collections.abc import Mapping
from enum import Enum
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
