"""What belongs to each of a few devices, to be found by device number in every event."""

from collections.abc import Mapping
from typing import Final, Generic, TypeVar, cast, final

from mypy_extensions import i64

from ctc.address import Rdev

_PLACES: Final = 256

Item = TypeVar("Item")


@final
class _Place(Generic[Item]):
    """An item and whose it is; of a place that nothing has, the RDEV is -1."""

    __slots__ = ("item", "rdev")

    def __init__(self, rdev: i64, item: Item | None) -> None:
        self.rdev = rdev
        self.item = item


@final
class ByRdev(Generic[Item]):
    """Items by RDEV, all known from the start.

    RDEVs of one system mostly differ in their last two digits, and those are an item's place. A
    dictionary would make an object of the number, hash it and compare it for every look-up.
    """

    __slots__ = ("_items", "_places")

    def __init__(self, items: Mapping[Rdev, Item]) -> None:
        free: _Place[Item] = _Place(-1, None)
        self._places = [free] * _PLACES
        self._items = dict(items)
        for rdev, item in items.items():
            self._places[rdev % _PLACES] = _Place(rdev, item)

    def __getitem__(self, rdev: Rdev) -> Item:
        """That of ``rdev``. Raises `KeyError` for a number that has none."""
        number: i64 = rdev
        place = self._places[number & (_PLACES - 1)]
        if place.rdev == number:
            return cast(Item, place.item)
        return self._items[rdev]

    def get(self, rdev: Rdev, default: Item) -> Item:
        """That of ``rdev``, or ``default`` for a number that has none."""
        number: i64 = rdev
        place = self._places[number & (_PLACES - 1)]
        if place.rdev == number:
            return cast(Item, place.item)
        return self._items.get(rdev, default)
