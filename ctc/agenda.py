"""An agenda: what is to happen, in the order of time."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import Final, Generic, TypeVar

NEVER_NS: Final = 2**62 - 1
"""Later than anything that happens: 146 years. Compiled code has room for no larger plain int."""

Entry = TypeVar("Entry")


class Agenda(Generic[Entry]):
    """Entries and their times; of those with the same time, the one that was added first is first.

    A sorted list and not a heap: almost everything is added after all that is there already, and
    then costs no comparison but one.
    """

    __slots__ = ("_entries", "_times_ns", "due_ns")

    def __init__(self) -> None:
        self._times_ns: list[int] = []
        self._entries: list[Entry] = []
        self.due_ns = NEVER_NS
        """When the first entry is due, in ns; `NEVER_NS` when there is none."""

    def add(self, at_ns: int, entry: Entry) -> None:
        """Enter what is to happen at ``at_ns``."""
        times_ns = self._times_ns
        if times_ns and times_ns[-1] > at_ns:
            place = bisect_right(times_ns, at_ns)
            times_ns.insert(place, at_ns)
            self._entries.insert(place, entry)
        else:
            times_ns.append(at_ns)
            self._entries.append(entry)
        if at_ns < self.due_ns:
            self.due_ns = at_ns

    def put_first(self, at_ns: int, entry: Entry) -> None:
        """Enter what is to happen at ``at_ns``, before all else; nothing may be due earlier."""
        assert at_ns <= self.due_ns, "there are earlier entries"
        self._times_ns.insert(0, at_ns)
        self._entries.insert(0, entry)
        self.due_ns = at_ns

    def pop(self) -> Entry:
        """Take the first entry out. There must be one."""
        self._times_ns.pop(0)
        self._set_due()
        return self._entries.pop(0)

    def pop_before(self, before_ns: int) -> list[Entry]:
        """Take out all that is due earlier than ``before_ns``, in its order."""
        if self.due_ns >= before_ns:
            return []
        count = bisect_left(self._times_ns, before_ns)
        entries = self._entries[:count]
        del self._times_ns[:count], self._entries[:count]
        self._set_due()
        return entries

    def drop(self, is_gone: Callable[[Entry], bool]) -> None:
        """Remove every entry for which ``is_gone`` is true."""
        kept = [place for place, entry in enumerate(self._entries) if not is_gone(entry)]
        self._times_ns = [self._times_ns[place] for place in kept]
        self._entries = [self._entries[place] for place in kept]
        self._set_due()

    def take(self, is_wanted: Callable[[Entry], bool]) -> list[tuple[int, Entry]]:
        """Remove and return every entry for which ``is_wanted`` is true, with its time."""
        taken = [
            (at_ns, entry)
            for at_ns, entry in zip(self._times_ns, self._entries, strict=True)
            if is_wanted(entry)
        ]
        self.drop(is_wanted)
        return taken

    def _set_due(self) -> None:
        self.due_ns = self._times_ns[0] if self._times_ns else NEVER_NS
