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
from scenarios.search.site_causes import CAUSES
from scenarios.search.site_fitted import other_features
from scenarios.search.site_search import BESIDE, FitInterval, Search
from scenarios.search.site_surface import LINE, Near, Unknowns, numpy, scipy, squares

REACH: Final = 0.6
"""How far constants may go from 1 beside a cause by curves, as a logarithm."""

STEPS: Final = 3
"""How often slopes are taken again on the way to the best by curves."""

NEAREST: Final = 2
SECOND: Final = 2.0
"""Causes that are searched around; the second if its squares are less than twice the first's."""

HOPEFUL: Final = 2.0
"""Up to how many times the fit's squares a rival has by curves and slopes. Chosen: what a search
around it may take off."""

RUNS: Final = (
    2 + sum(len(each.tried) + 1 for each in CAUSES) + NEAREST * (1 + sum(n for _, n in BESIDE))
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
            best = curve.start(base, free)
            (shown,) = beside.shown([best])
            there = curve.beside(best[:-1], best[-1], shown)
            best = there.best(numpy.append(free, True))
            off = squares(there.surface.at(best) / known)
            if off < most and abs(best[-1]) > AWAY:
                found.append((off, beside, best))
    found.sort(key=lambda each: each[0])
    nearest = [each for each in found[:NEAREST] if each[0] < SECOND * found[0][0]]
    searched = [_searched(beside, best, numpy.append(free, True)) for _, beside, best in nearest]
    return [
        *_features(search, near, base, free, most),
        *(each for each in searched if each is not None),
    ]


def _features(search: Search, near: Near, base: Any, free: Any, most: float) -> Iterator[Rival]:
    """Each other feature in the place of one that a link has: alone, and with constants."""
    constants = slice(len(CONSTANTS))
    for what, laid in other_features(search.layout):
        other = search.over(laid)
        (level,) = other.shown([base])
        surface = structs.replace(near.surface, centre=base, level=level)
        there = structs.replace(near, surface=surface, reach=numpy.maximum(near.reach, REACH))
        alone, moved = free.copy(), there.moved(free)
        alone[constants] = False
        tried = {what: alone}
        if moved[constants].any():
            tried[f"{what}, with other constants"] = moved
        for said, changed in tried.items():
            logs, fitted = there.best(changed), int(changed[constants].sum())
            if squares(there.surface.at(logs) / near.known) < most:
                yield Rival(said, other.at(logs), other.loads(logs), fitted, laid, is_layout=True)


def _searched(beside: Search, start: Any, free: Any) -> Rival | None:
    """A cause at the best that a search around ``start`` finds; None if it is not needed."""
    near = beside.around(start, free)
    moved = near.moved(free)
    logs = near.best(moved)
    number, cause = float(logs[-1]), beside.cause
    if cause is None or not near.is_needed(-1, moved):
        return None
    laid = cause.laid(beside.layout, number)
    fitted = 1 + int(moved[: len(CONSTANTS)].sum())
    loads = beside.loads(logs)
    return Rival(cause.said(number, laid), beside.at(logs), loads, fitted, laid, cause.is_layout)


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
