"""Sharing a resource: how much slower each flow gets when there are others.

A resource has room for ``width`` flows at their own pace; with more, all slow down alike. Width
1 is a processor that all share, n times slower with n; a line on which one flow by itself takes a
fifth of the time has width 5. Arrivals are at random. The number of flows is then a birth-death
process, whatever the sizes are (processor sharing is insensitive to them).
"""

from typing import Final

_STEPS: Final = 40
_NEARLY_FULL: Final = 1.0 - 1e-9
_WIDE: Final = 100.0
"""Flows from which on chance evens out: a resource so wide is either full or no hindrance."""


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
    least, most = 0.0, _NEARLY_FULL
    if mean_number(width, most) <= seen:
        return 1.0
    for _ in range(_STEPS):
        middle = (least + most) / 2
        if mean_number(width, middle) < seen:
            least = middle
        else:
            most = middle
    return most
