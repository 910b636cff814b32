"""Device numbers and chpids: how z/VM names the ends of a CTC; and what is found by RDEV.

And what frozen records of all rings inherit, so that they can be copied and sent (`Record`).

What can be wrong with them and with the hardware's other names::

    CtcError
      BadRdev      not a real device number, or not a range of them
      BadChpid     not a channel-path identifier
      BadFeature   not a feature that is known (`ctc.channel`)
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, Generic, NewType, TypeVar, cast, final

from mypy_extensions import i64


class CtcError(ValueError):
    """Root of the errors that ``ctc`` raises for bad input."""


class BadRdev(CtcError):
    """A text that is not a device number (RDEV) or a range of them."""


class BadChpid(CtcError):
    """A text that is not a chpid."""


Rdev = NewType("Rdev", int)
"""A real device number, 0000 to FFFF; printed as four upper-case hex digits."""

ChpidId = NewType("ChpidId", int)
"""A channel-path identifier, 00 to FF; printed as two upper-case hex digits."""

# a compiled module would name the importer: signatures show it
setattr(Rdev, "__module__", __name__)  # noqa: B010 - mypyc refuses to assign to a type
setattr(ChpidId, "__module__", __name__)  # noqa: B010 - as above

RDEV_MAX: Final = 0xFFFF
CHPID_MAX: Final = 0xFF
_HEX: Final = frozenset("0123456789abcdefABCDEF")


def parse_rdev(text: str) -> Rdev:
    """Read one device number such as ``"D00F"``; raise `BadRdev` otherwise."""
    if not 1 <= len(text) <= 4 or not _HEX.issuperset(text):
        raise BadRdev(f"{text[:40]!r} is not a device number: expected 1 to 4 hex digits")
    return Rdev(int(text, 16))


def parse_rdevs(text: str) -> tuple[Rdev, ...]:
    """Read ``"D000-D003,D010"``: device numbers and ranges, in the order given.

    Raises `BadRdev` for anything else, for a range that runs backwards and for a
    number given twice.
    """
    rdevs: dict[Rdev, None] = {}  # an ordered set: what is read must not grow beyond all RDEVs
    for part in text.split(","):
        low_text, dash, high_text = part.partition("-")
        low = parse_rdev(low_text.strip())
        high = parse_rdev(high_text.strip()) if dash else low
        if high < low:
            raise BadRdev(f"range {part.strip()} runs backwards: expected the lower number first")
        for number in range(low, high + 1):
            rdev = Rdev(number)
            if rdev in rdevs:
                raise BadRdev(f"{format_rdev(rdev)} is named twice: expected each device once")
            rdevs[rdev] = None
    return tuple(rdevs)


def parse_chpid(text: str) -> ChpidId:
    """Read one chpid such as ``"5A"``; raise `BadChpid` otherwise."""
    if not 1 <= len(text) <= 2 or not _HEX.issuperset(text):
        raise BadChpid(f"{text[:40]!r} is not a chpid: expected 1 or 2 hex digits")
    return ChpidId(int(text, 16))


def format_rdev(rdev: Rdev) -> str:
    """The device number as CP prints it: ``D00F``."""
    return f"{rdev:04X}"


def format_chpid(chpid: ChpidId) -> str:
    """The chpid as CP prints it: ``5A``."""
    return f"{chpid:02X}"


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


class Record:
    """A frozen dataclass of a compiled module, all of whose fields its constructor takes.

    To copy or send an object, Python makes one and then sets its fields, which compiled a frozen
    record lets nobody do: so another `Record` is made by its constructor.
    """

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """What copy and pickle make another one of."""
        kind: Any = type(self)
        values = {part.name: getattr(self, part.name) for part in fields(kind)}
        by_name = [part.name for part in fields(kind) if part.kw_only]
        if not by_name:
            return kind, tuple(values.values())
        named = {name: values.pop(name) for name in by_name}
        return remade, (kind, tuple(values.values()), named)


def remade(kind: Any, values: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """A record of its fields, those by keyword alone by their names."""
    return kind(*values, **named)
