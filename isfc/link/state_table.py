"""A table of states that is executed: what happens, in which states it may, and the state after it.

States are numbers, and an input knows its row as a list: a look-up takes some nanoseconds.
"""

from collections.abc import Mapping
from typing import Final, final

from mypy_extensions import i64

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
