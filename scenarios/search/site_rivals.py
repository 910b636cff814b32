"""How a cause outside of the fitted constants is found: its number, and the constants beside it.

Each cause is tried at a few numbers, with every constant as the model has it. Curves through these
runs, with the slopes of the constants that the fit knows, say where it would be, and a run there
how near it comes. Of the nearest the number is one more unknown of a search around that.
"""

from bisect import bisect, insort
from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct, structs

from isfc.layout.layout import Layout
from isfc.layout.site import CONSTANTS
from scenarios.search.site_causes import CAUSES, Cause
from scenarios.search.site_fitted import other_features
from scenarios.search.site_search import BESIDE, FitInterval, Search
from scenarios.search.site_surface import LINE, Near, Unknowns, numpy, scipy, squares

REACH: Final = 0.6
"""How far constants may go from 1 beside a cause by curves, as a logarithm."""

STEPS: Final = 3
"""How often slopes are taken again on the way to the best by curves."""

NEAREST: Final = 3
OTHERS: Final = 2.0
"""Causes that are searched around; others than the first if their squares are less than twice as
many. Of the nearest then it is done again, nearer."""

HOPEFUL: Final = 2.0
"""Up to how many times the fit's squares a rival has by curves and slopes. Chosen: what a search
around it may take off."""

RUNS: Final = (
    2 + sum(len(each.tried) + 2 for each in CAUSES) + NEAREST * (2 + sum(n for _, n in BESIDE))
)
"""How many runs of an interval that takes at most, with those that judge."""

AWAY: Final = 0.05
"""From which number on a cause is one. Chosen: 5 % of a channel, or half a kilometre."""


class Rival(Struct, frozen=True):
    """What a cause would be: the link with it, what ran, and how many unknowns were fitted."""

    what: str
    at: Layout
    """the link with it, and with the constants that go with it"""
    intervals: Sequence[FitInterval]
    fitted: int
    laid: Layout
    """the same with the model's constants"""
    is_layout: bool = False
    """whether its file can say so"""
    cause: Cause | None = None
    """which it is, if it is one that a number tells"""


def find_rivals(search: Search, near: Near, told: Any, logs: Any) -> list[Rival]:
    """Other features and causes that may be nearer than the fit to what was measured, or as near.

    ``logs`` is the fit's best, of the constants that are ``told``.
    """
    known = near.known
    most = HOPEFUL * squares(near.surface.at(logs) / known)
    base, free = numpy.array(logs), numpy.array(told)
    base[: len(CONSTANTS)] = 0.0
    free[LINE] = False
    (none,) = search.shown([base])
    found = []
    for cause in CAUSES:
        numbers = cause.numbers(search.layout)
        if numbers:
            beside = search.over(search.layout, cause)
            tried = beside.shown([numpy.append(base, each) for each in numbers])
            tried.insert(bisect(numbers, 0.0), none)
            insort(numbers, 0.0)
            at = scipy.interpolate.PchipInterpolator(numbers, numpy.array(tried))
            curve = _Curve(near, beside.unknowns, numbers, at)
            starts = [curve.start(base, each) for each in (_alone(free), free)]
            # slopes are of no cause, and may lead astray: then the number alone is nearer
            runs = zip(starts, beside.shown(starts), strict=True)
            start, shown = min(runs, key=lambda run: squares(run[1] / known))
            there = curve.beside(start[:-1], start[-1], shown)
            best = there.best(numpy.append(free, True))
            off = squares(there.surface.at(best) / known)
            if off < most and abs(best[-1]) > AWAY:
                found.append((off, (beside, start, best)))
    found.sort(key=lambda each: each[0])
    nearest = [each for off, each in found[:NEAREST] if off < OTHERS * found[0][0]]
    return [
        *_features(search, near, base, free, most),
        *_searched(nearest, numpy.append(free, True)),
    ]


def _alone(free: Any) -> Any:
    """What is free where no constant is."""
    alone = free.copy()
    alone[: len(CONSTANTS)] = False
    return alone


def _features(search: Search, near: Near, base: Any, free: Any, most: float) -> Iterator[Rival]:
    """Each other feature in the place of one that a link has: alone, and with constants."""
    constants = slice(len(CONSTANTS))
    for what, laid in other_features(search.layout):
        other = search.over(laid)
        (level,) = other.shown([base])
        surface = structs.replace(near.surface, centre=base, level=level)
        there = structs.replace(near, surface=surface, reach=numpy.maximum(near.reach, REACH))
        moved = there.moved(free)
        tried = {what: _alone(free)}
        if moved[constants].any():
            tried[f"{what}, with other constants"] = moved
        for said, changed in tried.items():
            logs, fitted = there.best(changed), int(changed[constants].sum())
            if squares(there.surface.at(logs) / near.known) < most:
                yield Rival(said, other.at(logs), other.loads(logs), fitted, laid, is_layout=True)


def _searched(causes: Sequence[tuple[Search, Any, Any]], free: Any) -> Iterator[Rival]:
    """Causes where curves have them, and at the best that searches around their best find.

    Nothing of one that is not needed.
    """
    looked = []
    for beside, start, best in causes:
        near = beside.around(best, free, BESIDE[:1])
        moved = near.moved(free)
        logs = near.best(moved)
        if near.is_needed(-1, moved):
            yield _rival(beside, start)
            yield _rival(beside, logs)
            looked.append((near.misfit(logs), beside, logs))
    if looked:
        _, beside, logs = min(looked, key=lambda each: each[0])
        near = beside.around(logs, free, BESIDE[1:])
        yield _rival(beside, near.best(near.moved(free)))


def _rival(beside: Search, logs: Any) -> Rival:
    number, cause = float(logs[-1]), beside.cause
    assert cause is not None, "it is a search with one"
    laid = cause.laid(beside.layout, number)
    fitted = 1 + int(numpy.count_nonzero(logs[: len(CONSTANTS)]))
    said, loads = cause.said(number, laid), beside.loads(logs)
    return Rival(said, beside.at(logs), loads, fitted, laid, cause.is_layout, cause)


class _Curve(Struct, frozen=True):
    """Each figure over the numbers of a cause that were tried."""

    near: Near
    unknowns: Unknowns
    numbers: Sequence[float]
    at: Any

    def beside(self, base: Any, number: float, shown: Any = None, *, held: bool = False) -> Near:
        """What is known near a number, where a run has ``shown`` the figures, or by the curve.

        That is one more unknown, or ``held`` where 0 stands for it.
        """
        near = self.near
        surface = structs.replace(
            near.surface,
            centre=numpy.append(base, 0.0 if held else number),
            level=self.at(number) if shown is None else shown,
            slopes=numpy.column_stack([near.surface.slopes, self.at(number, 1)]),
        )
        far = numpy.diff(self.numbers)[max(0, numpy.searchsorted(self.numbers, number) - 1)]
        reach = numpy.append(numpy.maximum(near.reach, REACH), far)
        return Near(surface, near.known, reach, self.unknowns)

    def start(self, base: Any, free: Any) -> Any:
        """The unknowns at which figures are least off, by curves and slopes."""
        fixed, free = numpy.append(free, False), numpy.append(free, True)

        def off(number: float) -> float:
            near = self.beside(base, number, held=True)
            return near.misfit(near.best(fixed))

        best, number = base, min(self.numbers, key=off)
        for _ in range(STEPS):
            best = self.beside(base, number).best(free)
            number = float(best[-1])
        return best
