"""An agenda: what is to happen, in the order of time."""

from bisect import bisect_right
from collections.abc import Callable
from typing import Final, Generic, TypeVar, cast, final

from mypy_extensions import i64

NEVER_NS: Final = 2**62 - 1
"""Later than anything that happens: 146 years. Compiled code has room for no larger plain int."""

Entry = TypeVar("Entry")


@final
class Agenda(Generic[Entry]):
    """Entries and their times; of those with the same time, the one that was added first is first.

    A sorted list and not a heap: almost everything is added after all that is there already, and
    then costs no comparison but one. What is taken leaves its place free, so that nothing moves.
    """

    __slots__ = ("_end", "_entries", "_first", "_times_ns", "due_ns")

    def __init__(self) -> None:
        self._times_ns: list[int] = []
        self._entries: list[Entry | None] = []
        self._first: i64 = 0
        self._end: i64 = 0
        self.due_ns = NEVER_NS
        """When the first entry is due, in ns; `NEVER_NS` when there is none."""

    def add(self, at_ns: int, entry: Entry) -> None:
        """Enter what is to happen at ``at_ns``."""
        times_ns, entries = self._times_ns, self._entries
        if self._end == len(times_ns):
            self._make_room()
        end = self._end
        if end > self._first and times_ns[end - 1] > at_ns:
            place = bisect_right(times_ns, at_ns, self._first, end)
            times_ns.insert(place, at_ns)
            entries.insert(place, entry)
            times_ns.pop()
            entries.pop()
        else:
            times_ns[end] = at_ns
            entries[end] = entry
        self._end = end + 1
        if at_ns < self.due_ns:
            self.due_ns = at_ns

    def put_first(self, at_ns: int, entry: Entry) -> None:
        """Enter what is to happen at ``at_ns``, before all else; nothing may be due earlier."""
        assert at_ns <= self.due_ns, "there are earlier entries"
        first = self._first - 1
        if first < 0:
            self._fill([(at_ns, entry), *self.entries()])
        else:
            self._times_ns[first] = at_ns
            self._entries[first] = entry
            self._first = first
            self.due_ns = at_ns

    def pop(self) -> Entry:
        """Take the first entry out. There must be one."""
        first = self._first
        entry = self._entries[first]
        self._entries[first] = None
        first += 1
        if first == self._end:
            first = self._end = 0
            self.due_ns = NEVER_NS
        else:
            self.due_ns = self._times_ns[first]
        self._first = first
        return cast(Entry, entry)

    def drop(self, is_gone: Callable[[Entry], bool]) -> None:
        """Remove every entry for which ``is_gone`` is true."""
        self._fill([(at_ns, entry) for at_ns, entry in self.entries() if not is_gone(entry)])

    def take(self, is_wanted: Callable[[Entry], bool]) -> list[tuple[int, Entry]]:
        """Remove and return every entry for which ``is_wanted`` is true, with its time."""
        taken = [(at_ns, entry) for at_ns, entry in self.entries() if is_wanted(entry)]
        self.drop(is_wanted)
        return taken

    def entries(self) -> list[tuple[int, Entry]]:
        """All entries, each with its time, in their order; they stay."""
        times_ns = self._times_ns[self._first : self._end]
        entries = cast("list[Entry]", self._entries[self._first : self._end])
        return list(zip(times_ns, entries, strict=True))

    def _make_room(self) -> None:
        """Have a free place at the end: move all up if they are few, else add one."""
        first = self._first
        if first > self._end // 2:
            del self._times_ns[:first], self._entries[:first]
            self._end -= first
            self._first = 0
        self._times_ns.append(0)
        self._entries.append(None)

    def _fill(self, entries: list[tuple[int, Entry]]) -> None:
        """Have these entries and no others."""
        self._times_ns = [at_ns for at_ns, _ in entries]
        self._entries = [entry for _, entry in entries]
        self._first = 0
        self._end = len(entries)
        self.due_ns = self._times_ns[0] if entries else NEVER_NS
