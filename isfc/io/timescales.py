"""Kinds of flows that share a resource: how much slower each gets, by how long it takes.

A resource has room for 1. Each flow takes its weight of it at its own pace; where they come to
more, all slow down alike. So a processor that all share is one whose flows have weight 1. How many
flows of one kind there are is a birth-death process, whatever their lengths (processor sharing is
insensitive to them).

Several kinds are taken one after the other, by how long a flow takes alone: near-complete
decomposability, as Courtois calls it. While a short flow is there, the longer ones hardly change:
it takes them as they are. A long flow meets so many shorter ones that it is held up by their mean.
So each kind has a process of its own, at the pace that the shorter kinds leave, for each weight of
the longer ones that may be there.

`slowdown` is for flows of one kind on a resource with room for ``width`` of them at their own pace.
Width 1 is a processor that all share; a line on which one flow by itself takes a fifth of the time
has width 5. Arrivals are at random: the number of flows is a birth-death process, whatever the
sizes are (processor sharing is insensitive to them).
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

_STEPS: Final = 40
_EXACT: Final = 1e-14
"""Of a part of the whole."""
_NEARLY_FULL: Final = 1.0 - 1e-9
_WIDE: Final = 100.0
"""Flows from which on chance evens out: a resource so wide is either full or slows nothing down."""


def mean_number(width: float, load: float) -> float:
    """How many flows there are on average at ``load``, from 0 to below 1 (of the whole)."""
    term = total = 1.0
    weighted = 0.0
    count = 0
    while count < width:
        count += 1
        term *= load * width / min(count, width)
        total += term
        weighted += count * term
    # from here on each number is ``load`` times as likely as the one before
    tail = term * load / (1.0 - load)
    total += tail
    weighted += tail * (count + 1.0 / (1.0 - load))
    return weighted / total


def slowdown(width: float, seen: float, weight: float = 1.0) -> float:
    """How many times longer a flow takes that finds ``seen`` others on average; at least 1.

    ``seen`` of any width: it is translated into the load at which so many would be there.
    ``weight`` is what the flow wants of the resource, the average of the others being 1: beyond
    what is full the number of others falls geometrically, so that a light flow fits more often.
    """
    if seen <= 0.0:
        return 1.0
    if width >= _WIDE:
        return max(1.0, seen / width)
    load = _load(width, seen)
    average = max(1.0, seen / (width * load))
    return 1.0 + (average - 1.0) * max(0.0, 1.0 - (1.0 - weight) * (1.0 - load))


def _load(width: float, seen: float) -> float:
    """The load at which ``seen`` flows are there on average, from 0 to 1."""
    if width <= 1.0:
        return seen / (1.0 + seen) / width
    if mean_number(width, _NEARLY_FULL) <= seen:
        return 1.0
    # false position: an end that stays for a second time has its error halved (Illinois)
    wanted = seen / (seen + width)
    ends, middle = [(0.0, -wanted), (1.0, 1.0 - wanted)], 0.0
    last = -1
    for _ in range(_STEPS):
        (least, low), (most, high) = ends
        middle = (least * high - most * low) / (high - low)
        number = mean_number(width, middle)
        error = number / (number + width) - wanted
        if abs(error) < _EXACT:
            break
        side = int(error > 0.0)
        if side == last:
            at, other = ends[1 - side]
            ends[1 - side] = at, other / 2
        ends[side], last = (middle, error), side
    return middle


_STEP: Final = 0.2
_LINEAR_UNTIL: Final = 2.0
_FACTOR: Final = 1.4
_LAST: Final = 1e5
"""Weights for which slowness is calculated: in even steps where flows begin to fill the resource,
then in growing ones, as there it nearly rises in a line. Lines lead from one to the next, and on.
"""

_RARE: Final = 1e-6
"""Part of the time that is left out (chosen)."""

_LARGE: Final = 1e200
"""Where terms are made smaller, all alike, as only their proportions count."""


def _weights() -> tuple[float, ...]:
    found = [place * _STEP for place in range(round(_LINEAR_UNTIL / _STEP))]
    weight = _LINEAR_UNTIL
    while weight <= _LAST:
        found.append(weight)
        weight *= _FACTOR
    return tuple(found)


_WEIGHTS: Final = _weights()


class FlowKind(Struct, frozen=True):
    """Flows of one kind: each takes ``solo_ns`` alone, and then ``weight`` of the resource.

    They begin at random, ``offered`` of them in ``solo_ns``, while fewer than ``most`` are there;
    where ``gap_ns`` is not 0, each of ``most`` begins so long after its last one has ended.
    """

    solo_ns: float
    weight: float
    offered: float
    most: int
    gap_ns: float = 0.0

    def begun(self, there: int) -> float:
        """How many begin in ``solo_ns`` while ``there`` are there."""
        if self.gap_ns:
            return (self.most - there) * self.solo_ns / self.gap_ns
        return self.offered


def slowdowns(kinds: Sequence[FlowKind], background: float = 0.0) -> list[float]:
    """How many times longer than alone a flow of each kind takes on average; at least 1.

    ``background`` is a weight that is always there beside them.
    """
    order = sorted(range(len(kinds)), key=lambda place: kinds[place].solo_ns)
    levels: list[_Level] = []
    for place in order:
        levels.append(_Level(kinds[place], levels[-1] if levels else None))
    found = [1.0] * len(kinds)
    there = {background: 1.0}
    for place, level in zip(reversed(order), reversed(levels), strict=True):
        found[place], there = level.meet(there)
    return found


class _Level:
    """One kind of flow among shorter ones, which ``shorter`` knows."""

    def __init__(self, kind: FlowKind, shorter: "_Level | None") -> None:
        self._kind = kind
        self._shorter = shorter
        self._known: dict[int, float] = {}

    def meet(self, there: dict[float, float]) -> tuple[float, dict[float, float]]:
        """How much slower the flows get beside longer ones, and what weights both have together.

        ``there`` are the weights of the longer ones, and for which part of the time.
        """
        weight = self._kind.weight
        number = done = 0.0
        after: dict[float, float] = {}
        for held, part in there.items():
            for count, share in enumerate(self._numbers(held)):
                whole = held + count * weight
                number += part * share * count
                done += part * share * count / self._slowness_before(whole)
                _put(after, whole, part * share)
        return max(1.0, number / done) if done else 1.0, after

    def slowness(self, held: float) -> float:
        """How much slower everything goes beside ``held`` and these flows, on average."""
        place = min(bisect_right(_WEIGHTS, held), len(_WEIGHTS) - 1)
        low, high = _WEIGHTS[place - 1], _WEIGHTS[place]
        first = self._at(place - 1)
        return first + (self._at(place) - first) * (held - low) / (high - low)

    def _at(self, place: int) -> float:
        known = self._known.get(place)
        if known is None:
            held, weight = _WEIGHTS[place], self._kind.weight
            known = self._known[place] = 1.0 / sum(
                share / self._slowness_before(held + count * weight)
                for count, share in enumerate(self._numbers(held))
            )
        return known

    def _slowness_before(self, held: float) -> float:
        return self._shorter.slowness(held) if self._shorter else max(1.0, held)

    def _numbers(self, held: float) -> list[float]:
        """The parts of the time in which 0, 1, 2, ... flows are there, beside ``held``."""
        kind = self._kind
        terms = [1.0]
        total = 1.0
        for number in range(1, kind.most + 1):
            slowness = self._slowness_before(held + number * kind.weight)
            term = terms[-1] * kind.begun(number - 1) * slowness / number
            terms.append(term)
            total += term
            if term < terms[-2] and term < _RARE * total:
                break
            if term > _LARGE:
                terms = [each / _LARGE for each in terms]
                total /= _LARGE
        return [term / total for term in terms]


def _put(there: dict[float, float], weight: float, part: float) -> None:
    """Add a part of the time to the two weights next to ``weight``, so that the mean is kept."""
    if part < _RARE:
        return
    place = min(bisect_right(_WEIGHTS, weight), len(_WEIGHTS) - 1)
    low, high = _WEIGHTS[place - 1], _WEIGHTS[place]
    upper = min(1.0, (weight - low) / (high - low))
    there[low] = there.get(low, 0.0) + part * (1.0 - upper)
    there[high] = there.get(high, 0.0) + part * upper
