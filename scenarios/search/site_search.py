"""The runs of a fit to a site's figures, and what the lines through them say.

The unknowns are the logarithms of the factors of `isfc.layout.site.CONSTANTS` and, where nobody
says what ran, of how many pairs of guests ran in an interval, or of the rate that was offered, as
a multiple of what link activity tells. All are found together. Runs at points around the best that
is known give a response surface (`scenarios.search.site_surface`). On it scipy's trust region finds
the unknowns with which each judged figure is least off, in units of how well it is known, and so is
each unknown's distance from 0: that prior holds what the figures do not tell. Then points are taken
around the best, nearer, and so on.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import exp, log
from typing import Any, Final, TypeVar

from msgspec import Struct, structs

from isfc.errors import ConfigurationError
from isfc.layout.layout import Layout, with_site
from isfc.layout.site import CONSTANTS, SiteProfile
from isfc.site.seen import SeenInterval
from scenarios.figures.site_compare import MeasuredFigure, figures_beside, run_beside
from scenarios.figures.site_exchanges import QuietLink
from scenarios.figures.site_workload import PAIRS_TRIED_MAX, Derived, check_busy
from scenarios.search.site_causes import Cause
from scenarios.search.site_fitted import log_off
from scenarios.search.site_surface import (
    PRIOR,
    Near,
    Unknowns,
    joined,
    near_surface,
    numpy,
    scipy,
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
BESIDE_SECONDS: Final = 0.2
"""The same where other links are run beside, which takes as long. Chosen: half."""
WARMUP: Final = 0.15
"""Virtual time of each run of the search."""

BESIDE: Final = ((0.2, 16), (0.1, 16))
"""The same of a search with a cause beside, around what curves tell."""

NUMBER_PRIOR: Final = 1000.0
"""How far the number of a cause is expected from none: it may be any that is tried."""

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
    def has_pairs(self) -> bool:
        """Whether nobody says what ran, and that are pairs of guests, and not a rate."""
        return self.derived.is_inferred and not self.derived.is_light

    @property
    def searched_s(self) -> float:
        """Virtual seconds of a run of the search."""
        beside = self.derived.beside
        return BESIDE_SECONDS if beside is not None and beside.loads else SECONDS

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


INTERVALS_MAX: Final = 8
"""Intervals that a fit is to at most. Chosen: so it takes less than two minutes, and a few loads
tell what there is to be told."""


def intervals_of(
    seen: Iterable[SeenInterval], derived: Callable[[SeenInterval], Derived], runs: Runs
) -> tuple[list[FitInterval], list[str]]:
    """What can be fitted to, and in words what is left out. ``derived`` says what ran.

    That are intervals of a quiet link and, if there are others, of a light load. Of more than
    `INTERVALS_MAX` some are taken, from the least busy to the busiest.
    """
    left_out, usable = list[str](), list[SeenInterval]()
    for one in seen:
        try:
            check_busy(one)
            usable.append(one)
        except QuietLink as error:
            left_out.append(str(error))
    chosen = _spread(usable)
    if len(chosen) < len(usable):
        left_out.append(
            f"fitted to {len(chosen)} of {len(usable)} intervals, from the least busy to the "
            "busiest"
        )
    found = []
    for taken in runs.each([partial(_taken, one, derived) for one in chosen]):
        if isinstance(taken, FitInterval):
            found.append(taken)
        elif isinstance(taken, QuietLink):  # device rows were busy, with no message
            left_out.append(str(taken))
        else:
            raise taken
    busy = [each for each in found if not each.derived.is_light]
    if not busy:
        return found, left_out
    left_out += [
        f"{each.seen.place}: left out: {each.derived.uncertain[0]}"
        for each in found
        if each.derived.is_light
    ]
    return busy, left_out


def _taken(
    one: SeenInterval, derived: Callable[[SeenInterval], Derived]
) -> FitInterval | ConfigurationError:
    """An interval and what it is taken to be, or why not: an error ends another process."""
    try:
        return FitInterval(one, derived(one))
    except ConfigurationError as error:
        return error


def _spread(intervals: Sequence[SeenInterval]) -> list[SeenInterval]:
    """At most `INTERVALS_MAX` of the intervals, evenly over how busy the link was."""
    if len(intervals) <= INTERVALS_MAX:
        return [*intervals]
    ranked = sorted(range(len(intervals)), key=lambda index: _busy(intervals[index]))
    step = (len(ranked) - 1) / (INTERVALS_MAX - 1)
    chosen = sorted(ranked[round(place * step)] for place in range(INTERVALS_MAX))
    return [intervals[index] for index in chosen]


def _busy(interval: SeenInterval) -> tuple[float, float]:
    """How busy a link was: MB/s if they are known, and percent busy of its devices."""
    one = interval.ends[0].measurement
    rate = sum(link.written.mb_per_s + link.read.mb_per_s for link in one.links)
    return rate, sum(device.busy_percent or 0.0 for device in one.devices)


def figures_of(layout: Layout, one: FitInterval, seconds: float, seed: int) -> list[MeasuredFigure]:
    """The judged figures of an interval beside a run."""
    beside = run_beside(layout, one.seen, one.derived, seconds, WARMUP, seed)
    figures = [each for end, result in beside for each in figures_beside(end, result)]
    return [each for each in figures if each.judged and each.measured > 0]


class Search:
    """The runs of one fit so far, and what they say."""

    def __init__(
        self,
        layout: Layout,
        intervals: Sequence[FitInterval],
        blank: SiteProfile,
        runs: Runs,
        cause: Cause | None = None,
    ) -> None:
        self.layout, self.intervals, self._blank, self._runs = layout, intervals, blank, runs
        self.cause = cause
        """What is not as in the model, by a number that is the last of the unknowns."""
        unknown = [index for index, one in enumerate(intervals) if one.derived.is_inferred]
        self.unknown_loads = {index: place for place, index in enumerate(unknown, len(CONSTANTS))}
        """Of each interval whose load is unknown: its place among the unknowns."""
        expected = [_expected(intervals[index]) for index in unknown]
        if cause is not None:
            expected.append((NUMBER_PRIOR, min(0.0, *cause.tried), max(0.0, *cause.tried)))
        self.unknowns: Unknowns = unknowns(expected)
        self._points: list[Any] = []
        self._shown: list[list[list[float]]] = []
        """Of each point and interval: the logarithm of how far each judged figure is off."""
        self.rounding: list[float] = []
        self.counts: list[int] = []
        """How many judged figures each interval has."""
        self.groups: list[str] = []
        """To what each figure belongs: its interval, or its device if there is one interval."""
        self.places: list[tuple[str, str, str]] = []
        """Of each figure its end, its RDEV or ``link``, and its measure."""

    def begun(self) -> "Search":
        """The same with a run of the model as it is, which says how many figures are judged."""
        self.shown([[0.0] * len(self.unknowns.prior)])
        return self

    def over(self, layout: Layout, cause: Cause | None = None) -> "Search":
        """A search of the same figures over another layout, or with a cause beside."""
        return Search(layout, self.intervals, self._blank, self._runs, cause)

    def around(self, start: Any, free: Any, rounds: Sequence[tuple[float, int]] = BESIDE) -> Near:
        """What runs around ``start`` say, where ``free`` unknowns are changed, and then nearer."""
        points = scipy.stats.qmc.Sobol(len(CONSTANTS) + 2, rng=1)
        for width, count in rounds:
            for _ in range(AGAIN_MAX):
                centre = start
                near = self._look_around(points, centre, width * free, count)
                start = near.best(free)
                if abs(start - centre).max() < width:
                    break
        return near

    def shown(self, points: Sequence[Any]) -> list[Any]:
        """How far each figure is off at each point, as a logarithm; points as they are run."""
        self._run([*map(self._as_run, points)])
        return [numpy.concatenate(each) for each in self._shown[-len(points) :]]

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

    def at(self, logs: Any) -> Layout:
        """The link with such factors, and such a number of the cause."""
        laid = self.layout if self.cause is None else self.cause.laid(self.layout, float(logs[-1]))
        features = tuple(dict.fromkeys(fibre.profile.feature for fibre in laid.fibres))
        return with_site(laid, replace(self.profile(logs), features=features))

    def interval(self, index: int, logs: Any) -> FitInterval:
        """An interval with the load that the unknowns say."""
        one, place = self.intervals[index], self.unknown_loads.get(index)
        if place is not None:
            one = one.scaled(float(logs[place]))
        if self.cause is not None:
            derived = self.cause.loaded(one.derived, float(logs[-1]))
            one = structs.replace(one, derived=derived)
        return one

    def loads(self, logs: Any) -> list[FitInterval]:
        """Each interval so."""
        return [self.interval(index, logs) for index in range(len(self.intervals))]

    def by_interval(self) -> Iterator[tuple[list[int], Any, Any]]:
        """Of each interval the places of its unknowns, all points, and its figures at each."""
        for index in range(len(self.intervals)):
            places = [*range(len(CONSTANTS))]
            if index in self.unknown_loads:
                places.append(self.unknown_loads[index])
            if self.cause is not None:
                places.append(len(self.unknowns.prior) - 1)
            shown = [each[index] for each in self._shown]
            yield places, numpy.array(self._points), numpy.array(shown)

    def _look_around(self, points: Any, centre: Any, width: Any, count: int) -> Near:
        """Run at ``count`` points up to ``width`` from ``centre``, and take all that are near.

        A width is of all unknowns, or of each.
        """
        centre = self._as_run(centre)
        widths = self._widths(centre, width)
        ways = 2 * points.random(count) - 1
        of_each = [*range(len(CONSTANTS)), *[len(CONSTANTS)] * len(self.unknown_loads)]
        of_each += [-1] * (self.cause is not None)
        self._run([self._as_run(centre + widths * way[of_each]) for way in ways])
        reach = REACH * widths
        parts = []
        for places, at, shown in self.by_interval():
            near = numpy.all(numpy.abs(at - centre)[:, places] <= reach[places], axis=1)
            surface = surface_through(at[near][:, places], shown[near], centre[places])
            parts.append((surface, places))
        return near_surface(joined(parts, centre), self.rounding, reach, self.unknowns)

    def _widths(self, centre: Any, width: Any) -> Any:
        """How far each unknown goes: pairs by one at least, and a rate that is seen by less."""
        widths = numpy.full(len(centre), 1.0) * width
        for index, place in self.unknown_loads.items():
            derived = self.interval(index, centre).derived
            one_more = 0.0 if derived.is_light else log(1 + 1 / derived.pairs)
            known = min(1.0, self.unknowns.prior[place] / PRIOR)
            widths[place] = max(widths[place] * known, one_more)
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
            layout = self.at(point)
            wanted += [
                partial(figures_of, layout, one, one.searched_s, seed) for one in self.loads(point)
            ]
        found = self._runs.each(wanted)
        self._points += points
        shown = [[*map(log_off, figures)] for figures in found]
        self._shown += (shown[begin : begin + count] for begin in range(0, len(shown), count))
        last = found[-count:]
        self.counts = [len(one) for one in last]
        self.groups = [
            group_of(f) if count == 1 else str(i) for i, one in enumerate(last) for f in one
        ]
        self.places = [(f.node, f.of, f.measure) for one in last for f in one]
        self.rounding = [figure.rounding for one in last for figure in one]


def group_of(figure: MeasuredFigure) -> str:
    """What is held back together where there is one interval: the figures of a device."""
    return f"{figure.node} {figure.of}"


def _expected(one: FitInterval) -> tuple[float, float, float]:
    """How far an unknown load is expected from what is told, and between what it may be."""
    if one.derived.is_light:
        return RATE_PRIOR, -log(2), log(2)
    return PAIRS_PRIOR, -log(one.derived.pairs), log(PAIRS_TRIED_MAX / one.derived.pairs)
