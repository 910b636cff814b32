"""The runs of a fit to a site's figures, and what the lines through them say.

The unknowns are the logarithms of the factors of `isfc.layout.site.CONSTANTS` and, where nobody
says what ran, of how many pairs of guests ran in an interval, or of the rate that was offered, as
a multiple of what link activity tells. All are found together. Runs at points around the best that
is known give a response surface (`scenarios.search.site_surface`). On it scipy's trust region finds
the unknowns with which each judged figure is least off, in units of how well it is known, and so is
each unknown's distance from 0: that prior holds what the figures do not tell. Then points are taken
around the best, nearer, and so on.

A covariance is of lines, and holds as far as these were tried. Where a constant is less well known
than that, its range is sought on parabolas through all runs of the fit (`skewed`): it is held at a
value, the other unknowns go where the figures are least off, and the range ends where the squares
are as much more as they are at so many standard deviations.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import exp, log
from typing import Any, Final, TypeVar

from msgspec import Struct, structs

from isfc.layout.layout import Layout, with_site
from isfc.layout.site import CONSTANTS, SiteProfile
from isfc.site.seen import SeenInterval
from scenarios.figures.site_compare import MeasuredFigure, figures_beside, run_beside
from scenarios.figures.site_workload import PAIRS_TRIED_MAX, Derived
from scenarios.search.site_fitted import log_off
from scenarios.search.site_surface import (
    PRIOR,
    Near,
    Unknowns,
    joined,
    least_off,
    near_surface,
    numpy,
    scipy,
    squares,
    surface_through,
    unknowns,
)
from scenarios.search.workers import Calls

ROUNDS: Final = ((0.5, 16), (0.3, 16), (0.2, 32))
"""How far around the best the points are, as a logarithm, and how many, a power of 2. Chosen: with
the last 32, slopes are known to a tenth of what identifies a constant."""

FEW: Final = 4
"""Intervals up to which the last round has all its points. Chosen: the figures of more than four
tell with half of them what those of three tell with all."""

AT_EDGE: Final = (0.2, 16)
"""The same where the best is at the edge of what the last points reached."""

REACH: Final = 1.2
"""How far beyond its points a surface is used, as a multiple of their distance."""

SECONDS: Final = 0.4
WARMUP: Final = 0.15
"""Virtual time of each run of the search."""

AGAIN_MAX: Final = 2
"""How often the first round is repeated where the best is at the edge of what it reached."""

PAIRS_PRIOR: Final = 1.0
"""How far pairs are expected from those that link activity tells, as a logarithm. Chosen: a factor
of three, as it hardly tells them where more of them only wait."""

RATE_PRIOR: Final = 0.05
"""The same of a rate that is offered, which link activity shows. Chosen: what noise has it off."""

_Result = TypeVar("_Result")


class FitInterval(Struct, frozen=True):
    """One measurement to fit to, and what it is taken to be."""

    seen: SeenInterval
    derived: Derived

    def __str__(self) -> str:
        return f"{self.seen.place} ({self.derived})"

    @property
    def is_unknown(self) -> bool:
        """Whether nobody says what ran."""
        return self.derived.is_inferred

    @property
    def has_pairs(self) -> bool:
        """Whether that are pairs of guests, and not a rate."""
        return self.is_unknown and not self.derived.is_light

    def as_open(self) -> "FitInterval":
        """With the same messages at times of their own."""
        return structs.replace(self, derived=self.derived.as_open())

    def scaled(self, log_factor: float) -> "FitInterval":
        """With so many times the pairs, or the rate that is offered."""
        return structs.replace(self, derived=self.derived.scaled(exp(log_factor)))


class Runs:
    """Does runs, by several processes if need be, and tells how many are done."""

    def __init__(self, calls: Calls[Any], progress: Callable[[int], None]) -> None:
        self._calls, self._progress = calls, progress
        self._done = 0

    def each(self, wanted: Sequence[Callable[[], _Result]]) -> list[_Result]:
        """What comes of each, in their order."""
        found: dict[int, _Result] = {}
        for index, result in self._calls(wanted):
            found[index] = result
            self._done += 1
            self._progress(self._done)
        return [found[index] for index in range(len(wanted))]


def figures_of(layout: Layout, one: FitInterval, seconds: float, seed: int) -> list[MeasuredFigure]:
    """The judged figures of an interval beside a run."""
    beside = run_beside(layout, one.seen, one.derived, seconds, WARMUP, seed)
    figures = [each for end, result in beside for each in figures_beside(end, result)]
    return [each for each in figures if each.judged and each.measured > 0]


class Search:
    """The runs of one fit so far, and what they say."""

    def __init__(
        self, layout: Layout, intervals: Sequence[FitInterval], blank: SiteProfile, runs: Runs
    ) -> None:
        self.layout, self.intervals, self._blank, self._runs = layout, intervals, blank, runs
        unknown = [index for index, one in enumerate(intervals) if one.is_unknown]
        self.unknown_loads = {index: place for place, index in enumerate(unknown, len(CONSTANTS))}
        """Of each interval whose load is unknown: its place among the unknowns."""
        self.unknowns: Unknowns = unknowns([_expected(intervals[index]) for index in unknown])
        self._points: list[Any] = []
        self._shown: list[list[list[float]]] = []
        """Of each point and interval: the logarithm of how far each judged figure is off."""
        self.rounding: list[float] = []
        self.counts: list[int] = []
        """How many judged figures each interval has."""
        self.groups: list[str] = []
        """To what each figure belongs: its interval, or its device if there is one interval."""
        self._run([self._as_run([0.0] * len(self.unknowns.prior))])

    def find(self) -> tuple[Near, Any]:
        """What the runs nearest to the best say, and which unknowns are free (`Near.told`)."""
        points = scipy.stats.qmc.Sobol(len(CONSTANTS) + bool(self.unknown_loads), rng=1)
        near = self._look_around(points, numpy.zeros(len(self.unknowns.prior)), *ROUNDS[0])
        for _ in range(AGAIN_MAX):
            if near.at_edge(near.best()):
                near = self._look_around(points, near.best(), *ROUNDS[0])
        for width, count in ROUNDS[1:]:
            # what is not told is to stay at 1: the last points are around that
            few = count if len(self.intervals) <= FEW else ROUNDS[0][1]
            near = self._look_around(points, near.best(near.told()), width, few)
        for _ in range(AGAIN_MAX):
            if near.at_edge(best := near.best(near.told())):
                near = self._look_around(points, best, *AT_EDGE)
        return near, near.told()

    def profile(self, logs: Any, told: Any = None) -> SiteProfile:
        """The profile with such factors, or those of them that are ``told``."""
        factors = {
            constant.name: exp(float(logs[index]))
            for index, constant in enumerate(CONSTANTS)
            if told is None or told[index]
        }
        return replace(self._blank, factors=factors)

    def interval(self, index: int, logs: Any) -> FitInterval:
        """An interval with the load that the unknowns say."""
        one, place = self.intervals[index], self.unknown_loads.get(index)
        return one if place is None else one.scaled(float(logs[place]))

    def loads(self, logs: Any) -> list[FitInterval]:
        """Each interval so."""
        return [self.interval(index, logs) for index in range(len(self.intervals))]

    def by_interval(self) -> Iterator[tuple[list[int], Any, Any]]:
        """Of each interval the places of its unknowns, all points, and its figures at each."""
        for index in range(len(self.intervals)):
            places = [*range(len(CONSTANTS))]
            if index in self.unknown_loads:
                places.append(self.unknown_loads[index])
            shown = [each[index] for each in self._shown]
            yield places, numpy.array(self._points), numpy.array(shown)

    def _look_around(self, points: Any, centre: Any, width: float, count: int) -> Near:
        """Run at ``count`` points up to ``width`` from ``centre``, and take all that are near."""
        centre = self._as_run(centre)
        widths = self._widths(centre, width)
        ways = 2 * points.random(count) - 1
        of_each = [*range(len(CONSTANTS)), *[len(CONSTANTS)] * len(self.unknown_loads)]
        self._run([self._as_run(centre + widths * way[of_each]) for way in ways])
        reach = REACH * widths
        parts = []
        for places, at, shown in self.by_interval():
            near = numpy.all(numpy.abs(at - centre)[:, places] <= reach[places], axis=1)
            surface = surface_through(at[near][:, places], shown[near], centre[places])
            parts.append((surface, places))
        return near_surface(joined(parts, centre), self.rounding, reach, self.unknowns)

    def _widths(self, centre: Any, width: float) -> Any:
        """How far each unknown goes: pairs by one at least, and a rate that is seen by less."""
        widths = numpy.full(len(centre), width)
        for index, place in self.unknown_loads.items():
            derived = self.interval(index, centre).derived
            one_more = 0.0 if derived.is_light else log(1 + 1 / derived.pairs)
            known = min(1.0, self.unknowns.prior[place] / PRIOR)
            widths[place] = max(width * known, one_more)
        return widths

    def _as_run(self, logs: Any) -> Any:
        """The nearest point that can be run: pairs are whole numbers."""
        point = self.unknowns.bounded(logs)
        for index, place in self.unknown_loads.items():
            had, got = self.intervals[index].derived, self.interval(index, point).derived
            if not had.is_light:
                point[place] = log(got.pairs / had.pairs)
        return point

    def _run(self, points: Sequence[Any]) -> None:
        """Run each interval at such points, each time with another seed."""
        first, count = len(self._points), len(self.intervals)
        wanted = []
        for seed, point in enumerate(points, first + 1):
            layout = with_site(self.layout, self.profile(point))
            wanted += [partial(figures_of, layout, one, SECONDS, seed) for one in self.loads(point)]
        found = self._runs.each(wanted)
        self._points += points
        shown = [[*map(log_off, figures)] for figures in found]
        self._shown += (shown[begin : begin + count] for begin in range(0, len(shown), count))
        last = found[-count:]
        self.counts = [len(one) for one in last]
        self.groups = [
            group_of(f) if count == 1 else str(i) for i, one in enumerate(last) for f in one
        ]
        self.rounding = [figure.rounding for one in last for figure in one]


def group_of(figure: MeasuredFigure) -> str:
    """What is held back together where there is one interval: the figures of a device."""
    return f"{figure.node} {figure.of}"


def _expected(one: FitInterval) -> tuple[float, float, float]:
    """How far an unknown load is expected from what is told, and between what it may be."""
    if one.derived.is_light:
        return RATE_PRIOR, -log(2), log(2)
    return PAIRS_PRIOR, -log(one.derived.pairs), log(PAIRS_TRIED_MAX / one.derived.pairs)


POINTS_MIN: Final = 2
"""Runs for each coefficient of a parabola, to have them. Chosen."""

UNEVEN: Final = 1.2
"""How many times as wide as by the covariance a side is at least, to be told. Chosen."""

STEP: Final = 0.01
"""How near the end of a range is found, as a logarithm."""


def skewed(
    search: Search, near: Near, told: Any, logs: Any, misfit: float, deviations: float
) -> dict[str, tuple[float, float]]:
    """Of constants that are wider to one side: how far below and above, as logarithms.

    ``told`` are the unknowns that figures tell, ``logs`` what the fit has, and a range is of so
    many standard ``deviations``. Looked at are constants that lines do not reach, and those that
    are 1 as chance may have them off: their range is about what the figures tell. No side is less
    than by the covariance, from which is taken what slopes seem to tell by their scatter alone.
    """
    even, best = deviations * near.spread(misfit), near.best(told)
    more = deviations**2 * max(1.0, misfit) ** 2
    doubtful = [
        index
        for index in range(len(CONSTANTS))
        if told[index] and (even[index] > near.reach[index] or logs[index] == 0)
    ]
    found: dict[str, tuple[float, float]] = {}
    curves = _Curves.through(search, near, told) if doubtful else None
    if curves is None:
        return found
    for index in doubtful:
        away, least = float(best[index] - logs[index]), float(even[index])
        below, above = (curves.side(index, best, least, way, more) for way in (-1, 1))
        sides = max(least, below - away), max(least, above + away)
        if max(sides) > UNEVEN * least:
            found[CONSTANTS[index].name] = sides
    return found


class _Curves(Struct, frozen=True):
    """Parabolas of each judged figure along each unknown, and how the fit looks at them."""

    near: Near
    free: Any
    at: Callable[[Any], Any]
    least: Any
    most: Any

    @staticmethod
    def through(search: Search, near: Near, free: Any) -> "_Curves | None":
        """Those of all runs; None where there are too few."""
        centre, parts = near.surface.centre, []
        for places, points, shown in search.by_interval():
            off = points[:, places] - centre[places]
            given = numpy.column_stack([numpy.ones(len(off)), off, off**2])
            if len(given) < POINTS_MIN * given.shape[1]:
                return None
            parts.append((places, numpy.linalg.lstsq(given, shown, rcond=None)[0]))

        def at(logs: Any) -> Any:
            off = logs - centre
            rows = [
                numpy.concatenate([[1.0], off[places], off[places] ** 2]) @ curve
                for places, curve in parts
            ]
            return numpy.concatenate(rows)

        every = numpy.concatenate([points for _, points, _ in search.by_interval()])
        return _Curves(near, free, at, every.min(axis=0), every.max(axis=0))

    def side(self, index: int, logs: Any, even: float, way: int, more: float) -> float:
        """How far a constant goes to one side: ``even`` at least, and as far as there were runs."""
        end = float(self.most[index] if way > 0 else self.least[index])
        begin = float(logs[index])
        reach = abs(end - begin) - STEP
        if reach <= even:
            return even
        least = self._squares(logs)

        def over(far: float) -> float:
            return self._squares(logs, index, begin + way * far) - least - more

        if over(even) >= 0:
            return even
        return (
            reach
            if over(reach) <= 0
            else float(scipy.optimize.brentq(over, even, reach, xtol=STEP))
        )

    def _squares(self, start: Any, held: int | None = None, value: float = 0.0) -> float:
        """The least squares, with a constant held at a value."""
        changed = numpy.array(self.free, bool)
        point = numpy.where(changed, start, 0.0)
        if held is not None:
            changed[held], point[held] = False, value
        prior = self.near.unknowns.prior

        def off(given: Any) -> Any:
            point[changed] = given
            return numpy.concatenate([self.at(point) / self.near.known, point / prior])

        if changed.any():
            bounds = (self.least[changed] - STEP, self.most[changed] + STEP)
            point[changed] = least_off(off, numpy.clip(point[changed], *bounds), bounds)
        return squares(off(point[changed]))
