"""The canonical form of a system: equal for two that will behave alike from now on.

It goes by the names: an attribute that ends in ``_ns`` is a time, of which only what is still to
come counts. What never changes and what only counts is left out.
"""

from collections import deque
from collections.abc import Iterator
from enum import Enum
from typing import Any, Final

from ctc.queues import NEVER_NS, Agenda, Fifo
from ctc.sharing import Sharing
from ctc.subchannel import IoTimes
from isfc.link.counters import DeviceCounters

_LEFT_OUT: Final = frozenset(
    {
        ("AppcFlow", "count"),
        ("ByRdev", "_places"),
        ("Chpid", "_instant"),
        ("Chpid", "_line_ns"),
        ("Chpid", "_processor_ns"),
        ("Chpid", "_profile"),
        ("Chpid", "ccw_count"),
        ("Chpid", "io_count"),
        ("Chpid", "length_in"),
        ("Chpid", "length_out"),
        ("Ctc", "_arbitration"),
        ("Ctc", "stale_count"),
        ("LogicalLink", "_build_ns"),
        ("LogicalLink", "_costs"),
        ("LogicalLink", "_mih_ns"),
        ("LogicalLink", "_parameters"),
        ("LinkEnd", "_trace"),
        ("LinkLock", "_held_ns"),
        ("Resequencer", "duplicate_count"),
        ("ChannelQueue", "busy_ns"),
        ("ChannelQueue", "in_turns_ns"),
        ("ChannelQueue", "out_turns_ns"),
        ("System", "_definitions"),
        ("System", "_rules"),
        ("System", "_trace"),
        ("System", "_watch"),
    }
)
"""Attributes that are the same for good, or as others are, or that count and decide nothing.

The turns of a chpid follow from what is under way there; they last, and are no time to come."""

_PLAIN: Final = frozenset({str, bool, bytes, type(None)})
_SEQUENCES: Final = frozenset({list, tuple, deque, Fifo})

_ATTRIBUTES: Final[dict[type, tuple[tuple[str, bool], ...]]] = {}
"""Of each class the attributes that count: every object of a class has the same ones."""

_DIGITS: Final = 3
"""Of a nanosecond: differences of sums of floating-point numbers are no more exact."""


def canonical(value: Any, now_ns: int) -> Any:
    """The form of ``value`` when its clock shows ``now_ns``: nested tuples, to be compared."""
    return _Canonical(now_ns).form(value)


class _Canonical:
    def __init__(self, now_ns: int) -> None:
        self._now_ns = now_ns
        self._seen: dict[int, int] = {}

    def form(self, value: Any, is_time: bool = False) -> Any:
        """The form of ``value``, of which the numbers are times or are not."""
        kind = type(value)
        if kind is int or kind is float:
            return self._time(value) if is_time else value
        if kind in _PLAIN:
            return value
        if isinstance(value, Enum):
            return value.name
        if isinstance(value, IoTimes | DeviceCounters):
            return None
        if isinstance(value, int):  # of a kind of its own
            return int(value)
        if isinstance(value, str):
            return str.__str__(value)
        number = self._seen.get(id(value))
        if number is not None:
            return ("seen", number)
        self._seen[id(value)] = len(self._seen)
        return self._parts(value, kind, is_time)

    def _parts(self, value: Any, kind: type, is_time: bool) -> Any:
        form = self.form
        if kind in _SEQUENCES:
            return tuple([form(part, is_time) for part in value])
        if kind is dict:
            return tuple([(form(key), form(part, is_time)) for key, part in value.items()])
        if kind is Agenda:
            return tuple([(self._time(at_ns), form(entry)) for at_ns, entry in value.entries()])
        if kind is Sharing:
            return self._left(value)
        if kind in (set, frozenset):
            return tuple(sorted(value))
        attributes = _ATTRIBUTES.get(kind)
        if attributes is None:
            attributes = _ATTRIBUTES[kind] = tuple(_attributes(value))
        parts = [kind.__name__]
        for name, of_time in attributes:
            part = getattr(value, name)
            sort = type(part)  # what is most frequent is done here, without a call
            if sort in _PLAIN or (sort is int and not of_time):
                parts.append(part)
            else:
                parts.append(form(part, of_time))
        return tuple(parts)

    def _left(self, sharing: Sharing[Any]) -> Any:
        """What transfers have still to do: the scale on which that is kept begins anywhere."""
        return tuple(
            [
                (round(solo_ns, _DIGITS), self.form(user))
                for user, solo_ns in sharing.left_at(self._now_ns)
            ]
        )

    def _time(self, value: float) -> float:
        """A time still to come as what is left of it; those that have passed are alike."""
        return value if value >= NEVER_NS else max(0, value - self._now_ns)


def _attributes(value: Any) -> Iterator[tuple[str, bool]]:
    """The names of the attributes that count, and whether each is a time."""
    kind = type(value)
    slots = [name for base in kind.__mro__ for name in getattr(base, "__slots__", ())]
    for name in slots or sorted(vars(value)):
        if (kind.__name__, name) not in _LEFT_OUT:
            yield name, name.endswith("_ns")
