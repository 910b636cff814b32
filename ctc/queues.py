"""Queues: a `Fifo`, where what is added first is first, and an `Agenda`, in the order of time."""

from collections.abc import Callable, Iterator
from typing import Final, Generic, TypeVar, cast, final

from mypy_extensions import i64

Item = TypeVar("Item")


@final
class Fifo(Generic[Item]):
    """What waits, in its order.

    A plain list is slow as a queue: to take its first item moves all others, and one that is empty
    now and then gives its memory back each time. This one keeps a place for each item that
    ever waited at the same time.
    """

    __slots__ = ("_end", "_first", "_places")

    def __init__(self) -> None:
        self._places: list[Item | None] = []
        self._first: i64 = 0
        self._end: i64 = 0

    def __bool__(self) -> bool:
        return self._first != self._end

    def __len__(self) -> int:
        return self._end - self._first

    def __iter__(self) -> Iterator[Item]:
        """All of them as they are now; they go on waiting."""
        return iter(cast("list[Item]", self._places[self._first : self._end]))

    def add(self, item: Item) -> None:
        """Let ``item`` wait behind all others."""
        end = self._end
        places: i64 = len(self._places)
        if end < places:
            self._places[end] = item
        else:
            if self._first > end // 2:  # nearly all have been taken: move the few others up
                del self._places[: self._first]
                end -= self._first
                self._first = 0
            self._places.append(item)
        self._end = end + 1

    def peek(self) -> Item:
        """The first one, which goes on waiting. There must be one."""
        return cast(Item, self._places[self._first])

    def look(self, place: i64) -> Item:
        """The one at that place of the queue, from 0 on, which goes on waiting. There must be one.

        Not ``__getitem__``: that one would make an object of the number.
        """
        return cast(Item, self._places[self._first + place])

    def take(self, count: i64) -> list[Item]:
        """Take the first ``count`` of them. There must be as many."""
        first = self._first
        end = first + count
        places = self._places
        taken = places[first:end]
        for place in range(first, end):  # an assignment to a slice makes objects of its bounds
            places[place] = None
        if end == self._end:
            end = self._end = 0
        self._first = end
        return cast("list[Item]", taken)

    def pop(self) -> Item:
        """Take the first one. There must be one."""
        first = self._first
        item = self._places[first]
        self._places[first] = None
        first += 1
        if first == self._end:
            first = self._end = 0
        self._first = first
        return cast(Item, item)


NEVER_NS: Final = 2**62 - 1
"""Later than anything that happens: 146 years. Compiled code has room for no larger plain int."""

Entry = TypeVar("Entry")


_NEAR: Final[i64] = 8
"""So many places an entry is moved one by one: nearly all that do not belong at the end."""


@final
class _Slot(Generic[Entry]):
    """A place in an agenda; free when it has no entry. Its time is that of the last one then."""

    __slots__ = ("at_ns", "entry")

    def __init__(self) -> None:
        self.at_ns: i64 = 0
        self.entry: Entry | None = None


@final
class Agenda(Generic[Entry]):
    """Entries and their times; of those with the same time, the one that was added first is first.

    A sorted list and not a heap: almost everything is added after all that is there already, and
    then costs no comparison but one. What is taken leaves its place free, so that nothing moves
    and, as its slot is used again, nothing is allocated.
    """

    __slots__ = ("_end", "_first", "_slots", "due_ns")

    def __init__(self) -> None:
        self._slots: list[_Slot[Entry]] = []
        self._first: i64 = 0
        self._end: i64 = 0
        self.due_ns: i64 = NEVER_NS
        """When the first entry is due, in ns; `NEVER_NS` when there is none."""

    def add(self, at_ns: i64, entry: Entry) -> None:
        """Enter what is to happen at ``at_ns``."""
        places: i64 = len(self._slots)
        if self._end == places:
            self._make_room()
        slots, end = self._slots, self._end
        slot = slots[end]
        slot.at_ns = at_ns
        slot.entry = entry
        if end > self._first and slots[end - 1].at_ns > at_ns:
            self._move(slot, end)
        self._end = end + 1
        if at_ns < self.due_ns:
            self.due_ns = at_ns

    def put_first(self, at_ns: i64, entry: Entry) -> None:
        """Enter what is to happen at ``at_ns``, before all else; nothing may be due earlier."""
        assert at_ns <= self.due_ns, "there are earlier entries"
        first = self._first - 1
        if first < 0:
            self._fill([(at_ns, entry), *self.entries()])
        else:
            slot = self._slots[first]
            slot.at_ns = at_ns
            slot.entry = entry
            self._first = first
            self.due_ns = at_ns

    def pop(self) -> Entry:
        """Take the first entry out. There must be one."""
        first = self._first
        slot = self._slots[first]
        entry = slot.entry
        slot.entry = None
        first += 1
        if first == self._end:
            first = self._end = 0
            self.due_ns = NEVER_NS
        else:
            self.due_ns = self._slots[first].at_ns
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
        return [
            (slot.at_ns, cast(Entry, slot.entry)) for slot in self._slots[self._first : self._end]
        ]

    def _move(self, slot: _Slot[Entry], end: i64) -> None:
        """Move the slot at the end to where its time belongs, behind its equals."""
        slots, at_ns = self._slots, slot.at_ns
        place = end
        first = max(self._first, end - _NEAR)
        while place > first and slots[place - 1].at_ns > at_ns:
            slots[place] = slots[place - 1]
            place -= 1
        slots[place] = slot
        if place > self._first and slots[place - 1].at_ns > at_ns:
            far = self._place_of(at_ns, place)
            slots[far + 1 : place + 1] = slots[far:place]  # what is behind it stays where it is
            slots[far] = slot

    def _place_of(self, at_ns: i64, high: i64) -> i64:
        """Where an entry of that time belongs among those below ``high``, behind its equals."""
        slots = self._slots
        low = self._first
        while low < high:
            middle = (low + high) // 2
            if at_ns < slots[middle].at_ns:
                high = middle
            else:
                low = middle + 1
        return low

    def _make_room(self) -> None:
        """Have a free place at the end: move all up if they are few, else add one."""
        first = self._first
        if first > self._end // 2:
            slots = self._slots
            self._slots = slots[first:] + slots[:first]
            self._end -= first
            self._first = 0
        else:
            self._slots.append(_Slot())

    def _fill(self, entries: list[tuple[int, Entry]]) -> None:
        """Have these entries and no others."""
        self._slots = []
        self._first = self._end = 0
        self.due_ns = NEVER_NS
        for at_ns, entry in entries:
            self.add(at_ns, entry)
