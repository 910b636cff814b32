"""What belongs to each of a few devices, to be found by device number in every event."""

from collections.abc import Mapping
from typing import Final, Generic, TypeVar, cast, final

from ctc.address import Rdev

_PLACES: Final = 256

Item = TypeVar("Item")


@final
class ByRdev(Generic[Item]):
    """Items by RDEV, all known from the start.

    RDEVs of one system mostly differ in their last two digits, and those are an item's place. A
    dictionary would make an object of the number, hash it and compare it for every look-up.
    """

    __slots__ = ("_items", "_places", "_rdevs")

    def __init__(self, items: Mapping[Rdev, Item]) -> None:
        self._rdevs = [-1] * _PLACES
        self._places: list[Item | None] = [None] * _PLACES
        self._items = dict(items)
        for rdev, item in items.items():
            self._rdevs[rdev % _PLACES] = rdev
            self._places[rdev % _PLACES] = item

    def __getitem__(self, rdev: Rdev) -> Item:
        """That of ``rdev``. Raises `KeyError` for a number that has none."""
        place = rdev & (_PLACES - 1)
        if self._rdevs[place] == rdev:
            return cast(Item, self._places[place])
        return self._items[rdev]

    def get(self, rdev: Rdev, default: Item) -> Item:
        """That of ``rdev``, or ``default`` for a number that has none."""
        place = rdev & (_PLACES - 1)
        if self._rdevs[place] == rdev:
            return cast(Item, self._places[place])
        return self._items.get(rdev, default)
