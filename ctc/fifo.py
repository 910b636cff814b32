"""A queue: what is added first is taken first."""

from collections.abc import Iterator
from typing import Generic, TypeVar, cast, final

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
