"""Fitting a site profile: the few constants that a site's figures identify, by least squares.

The unknowns are the logarithms of the factors of `isfc.layout.site.CONSTANTS`. Runs at points
around the best that is known give a response surface (`isfc.search.site_surface`). On it scipy's
trust region finds the factors with which each judged figure is least off, in units of how well it
is known, and so is each factor's distance from 1: that prior holds what the figures do not tell.
Then points are taken around those factors, nearer, and so on. What the figures do not tell stays
at 1 in the end; `isfc.search.site_doubts` says whether the rest is to be believed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from statistics import median
from typing import Any, Final

from isfc.layout.layout import Layout
from isfc.layout.site import CONSTANTS, Errors, SiteProfile
from isfc.layout.site_file import layout_kind, with_site
from isfc.library import check_library
from isfc.link.parameters import LinkParameters
from isfc.link.schedule import CTCS_MAX
from isfc.measured.seen import SeenInterval
from isfc.search.site_doubts import HELD_BACK_MAX, Judged, doubts_of
from isfc.search.site_fitted import Fitted
from isfc.search.site_predicted import RUNS, predicted_apart
from isfc.search.site_rivals import (
    APART_MIN,
    AS_GOOD,
    CAUSES,
    INTERVALS_MAX,
    NEARER,
    Explanation,
    causes,
    explain,
    log_off,
    named,
    other_features,
    other_workloads,
    runs_at_most,
)
from isfc.search.site_surface import Near, bounded, near_surface, priors, surface_through
from scenarios.figures.site_compare import BUSY_LEAST, MeasuredFigure, figures_beside, run_beside
from scenarios.figures.site_workload import Derived
from scenarios.runs.guests import GuestCosts
from scenarios.runs.provenance import constants_digest

ROUNDS: Final = ((0.5, 16), (0.3, 16), (0.2, 32))
"""How far around the best the points are, as a logarithm, and how many, a power of 2. Chosen: with
the last 32, slopes are known to a tenth of what identifies a constant."""

AT_EDGE: Final = (0.2, 16)
"""The same where the best is at the edge of what the last points reached."""

REACH: Final = 1.2
"""How far beyond its points a surface is used, as a multiple of their distance."""

SECONDS: Final = 0.4
WARMUP: Final = 0.15
"""Virtual time of each run of the search."""

JUDGED_SECONDS: Final = 1.0
"""Virtual time of the runs that judge what was held back."""

OUTLIER: Final = 0.6
"""Share of the misfit that is left without the interval that is named for it. Chosen."""

NOISY: Final = 2.0
"""Misfit up to which more noise than expected explains it, where explanations are held beside each
other. Chosen: noise of 5 % where 2 % are expected."""

AGAIN_MAX: Final = 2
"""How often the first round is repeated where the best is at the edge of what it reached."""

WITHIN: Final = 2.0
"""Standard deviations that an uncertainty is given as: 95 % of such intervals hold the constant."""


@dataclass(frozen=True, slots=True)
class FitInterval:
    """One measurement to fit to, and what it is taken to be."""

    seen: SeenInterval
    derived: Derived

    def __str__(self) -> str:
        return f"{self.seen.place} ({self.derived})"


def runs_of(layout: Layout, intervals: int) -> int:
    """How many runs a fit to so many intervals takes at most."""
    points = 1 + sum(count for _, count in ROUNDS) + AGAIN_MAX * (ROUNDS[0][1] + AT_EDGE[1])
    held_back = 2 * CTCS_MAX + 2 if intervals == 1 else intervals
    features = len({fibre.profile.feature for fibre in layout.fibres})
    elsewhere = (1 + CAUSES) * RUNS
    return intervals * (points + 1) + held_back + runs_at_most(intervals, features) + elsewhere


def fit(
    layout: Layout,
    intervals: Sequence[FitInterval],
    name: str,
    progress: Callable[[int], None] = lambda _: None,
) -> Fitted:
    """The profile that fits ``intervals`` best. Without any it leaves the model as it is.

    Raises `ConfigurationError` where scipy is missing.
    """
    features = tuple(dict.fromkeys(fibre.profile.feature for fibre in layout.fibres))
    model = constants_digest(LinkParameters(), GuestCosts())
    blank = SiteProfile(
        name,
        (),
        features,
        len(intervals),
        model,
        layout=layout_kind(layout),
        loads=tuple(dict.fromkeys(one.derived.load for one in intervals)),
    )
    check_library("scipy", "isfc measured fit")
    if not intervals:
        return Fitted(blank, _by_name([WITHIN * float(each) for each in priors()]), NAMES)
    return _Fit(layout, intervals, blank, progress).solve()


_NOTHING_JUDGED: Final = (
    f"no figure tells anything: no CTC was busy for {BUSY_LEAST:g} %, and nothing was said of the "
    "link's activity"
)

NAMES: Final = tuple(constant.name for constant in CONSTANTS)


def _by_name(values: Sequence[float]) -> tuple[tuple[str, float], ...]:
    return tuple(zip(NAMES, values, strict=True))


class _Fit:
    """One fit: what was measured, and the runs so far."""

    def __init__(
        self,
        layout: Layout,
        intervals: Sequence[FitInterval],
        blank: SiteProfile,
        progress: Callable[[int], None],
    ) -> None:
        self._layout, self._intervals, self._blank = layout, intervals, blank
        self._progress = progress
        self._runs = 0
        self._points: list[Any] = []
        self._shown: list[list[float]] = []
        """Of each point: the logarithm of how far each judged figure is off."""
        self._rounding: list[float] = []
        self._counts: list[int] = []
        """How many judged figures each interval has."""
        self._groups: list[str] = []
        """To what each figure belongs: its interval, or its device if there is one interval."""

    def solve(self) -> Fitted:
        """Search from factors of 1, then hold back one interval, or device, after the other."""
        self._run([0.0] * len(NAMES))
        if not self._groups:
            wide = _by_name([WITHIN * float(each) for each in priors()])
            return Fitted(self._blank, wide, NAMES, doubts=(_NOTHING_JUDGED,))
        near, told = self._search()
        moved = near.moved(told)
        logs = near.best(moved)
        misfit = near.misfit(logs)
        held = [
            Judged(
                self._seat(name),
                self._held_back(name, near.best(moved, [*map(name.__ne__, self._groups)])),
            )
            for name in dict.fromkeys(self._groups)
        ]
        before = [figure for index in range(len(self._intervals)) for figure in self._judge(index)]
        profile = replace(
            self._profile(logs, told),
            held_back=_errors([figure for each in held for figure in each.figures]),
            before=_errors(before),
            covariance=tuple(tuple(map(float, row)) for row in near.covariance(misfit)),
        )
        off = _by_name([WITHIN * float(each) for each in near.spread(misfit)])
        untold = tuple(name for name, known in zip(NAMES, told, strict=True) if not known)
        inferred = any(one.derived.is_inferred for one in self._intervals)
        seat = self._outlier(near, told, misfit)
        doubts = [*self._said(), *doubts_of(profile, held, misfit, seat, inferred=inferred)]
        known = near.known * min(max(1.0, misfit), NOISY)
        own, rivals, better = self._beside(profile, near, told, known)
        if better:
            doubts.append(better)
        elif doubts:
            doubts += self._other_workloads(profile, known)
        notes = [
            f"the line takes {factor:.2f} times what the layout's feature has: is the feature "
            f"right, and the channel the link's alone? Nearest of one cause is {named(rivals)}"
            for name, factor in profile.factors
            if name == "line" and abs(log(factor)) > APART_MIN
        ]
        ranked = sorted((own, *rivals), key=lambda each: each.evidence)
        return Fitted(profile, off, untold, misfit, tuple(doubts), tuple(notes), tuple(ranked))

    def _beside(
        self, profile: SiteProfile, near: Near, told: Any, known: Any
    ) -> tuple[Explanation, list[Explanation], str]:
        """The fit as an explanation, its rivals, and in words what is as good and matters."""
        at_site = with_site(self._layout, profile)
        moved = sum(factor != 1.0 for _, factor in profile.factors)
        own = self._explain("the fit", known, at_site, moved)
        features = [
            self._explain(what, known, changed) for what, changed in other_features(self._layout)
        ]
        found = [
            (what, with_site(self._layout, self._profile(at)), fitted)
            for what, at, fitted in causes(near, told)
        ]
        apart = [(self._explain(what, known, at, fitted), at) for what, at, fitted in found]
        as_good = [(each, at) for each, at in apart if _explains([each], own.evidence + AS_GOOD)]
        doubt = ""
        if _explains(features, own.evidence + AS_GOOD):
            doubt = (
                f"these figures look like {named(features)}; the fit is off by "
                f"{own.off_percent:.0f} %: correct the layout, if that is what is there"
            )
        elif as_good and (elsewhere := predicted_apart(at_site, [at for _, at in as_good])):
            doubt = (
                f"these figures look as much like {named([each for each, _ in as_good])} as like "
                f"the fit, which is off by {own.off_percent:.0f} %; and with that {elsewhere}: "
                "measure such a load as well, or say in the layout what is there"
            )
        return own, [*features, *(each for each, _ in apart)], doubt

    def _said(self) -> Iterator[str]:
        """Doubts of what is taken to have run."""
        for one in self._intervals:
            for doubt in one.derived.doubts:
                yield doubt if str(one.seen.place) in doubt else f"{one.seen.place}: {doubt}"
        alone = [not end.measurement.devices for one in self._intervals for end in one.seen.ends]
        if all(alone) and all(one.derived.is_inferred for one in self._intervals):
            yield (
                "link activity alone: fewer pairs show the same as a slower link: add the device "
                "rows of the intervals, or say what ran"
            )
        if all(one.derived.is_light for one in self._intervals):
            yield (
                "every load was light, messages at times of their own, and such a load tells "
                "little of the constants"
            )

    def _outlier(self, near: Near, told: Any, misfit: float) -> str:
        """The interval, or device, without which the rest is much nearer; empty without one."""
        names = dict.fromkeys(self._groups)
        left = {}
        for name in names if len(names) > 2 else ():
            used = [*map(name.__ne__, self._groups)]
            left[name] = near.misfit(near.best(told, used), used)
        name = min(left, key=left.__getitem__, default="")
        if not name or left[name] > OUTLIER * misfit:
            return ""
        return f"{self._seat(name)}, without which they are off by {left[name]:.1f} times"

    def _other_workloads(self, profile: SiteProfile, known: Any) -> Iterator[str]:
        """Where another workload is nearer than that which is said to have run."""
        import numpy

        ends = numpy.cumsum([0, *self._counts])
        fitted = with_site(self._layout, profile)
        for index, one in enumerate(self._intervals[:INTERVALS_MAX]):
            if one.derived.is_inferred:
                continue
            of_it = known[ends[index] : ends[index + 1]]
            own = explain("", self._figures(fitted, one, SECONDS, 1), of_it)
            rivals = [
                explain(
                    what,
                    self._figures(self._layout, FitInterval(one.seen, other), SECONDS, 1),
                    of_it,
                )
                for what, other in other_workloads(one.derived)
            ]
            best = min(rivals, key=lambda each: each.squares)
            if best.squares < own.squares and best.off_percent < NEARER * own.off_percent:
                yield (
                    f"{one.seen.place}: this looks like {named(rivals)}; as {one.derived} the fit "
                    f"is off by {own.off_percent:.0f} %: what ran?"
                )

    def _explain(self, what: str, known: Any, layout: Layout, fitted: int = 0) -> Explanation:
        """How near a layout comes, over all intervals; so many constants were fitted for it."""
        found = [
            each
            for one in self._intervals
            for each in self._figures(layout, one, JUDGED_SECONDS, 1)
        ]
        return explain(what, found, known, fitted)

    def _search(self) -> tuple[Near, Any]:
        """What the runs nearest to the best say, and which constants they tell."""
        import numpy
        from scipy.stats.qmc import Sobol

        points = Sobol(len(CONSTANTS), rng=1)
        near = self._look_around(points, numpy.zeros(len(CONSTANTS)), *ROUNDS[0])
        for _ in range(AGAIN_MAX):
            if near.at_edge(near.best()):
                near = self._look_around(points, near.best(), *ROUNDS[0])
        for width, count in ROUNDS[1:]:
            # what is not told is to stay at 1: the last points are around that
            near = self._look_around(points, near.best(near.told()), width, count)
        for _ in range(AGAIN_MAX):
            if near.at_edge(best := near.best(near.told())):
                near = self._look_around(points, best, *AT_EDGE)
        return near, near.told()

    def _look_around(self, points: Any, centre: Any, width: float, count: int) -> Near:
        """Run at ``count`` points up to ``width`` from ``centre``, and take all that are near."""
        import numpy

        for unit in points.random(count):
            self._run(bounded(centre + width * (2 * unit - 1)))
        reach = REACH * width
        near = [
            index
            for index, point in enumerate(self._points)
            if numpy.max(numpy.abs(point - centre)) <= reach
        ]
        shown = [self._shown[index] for index in near]
        surface = surface_through([self._points[index] for index in near], shown, centre)
        return near_surface(surface, self._rounding, reach)

    def _profile(self, logs: Any, told: Any = None) -> SiteProfile:
        """The profile with such factors, or those of them that are ``told``."""
        kept = (True,) * len(NAMES) if told is None else told
        factors = [
            (name, exp(float(each)))
            for name, each, known in zip(NAMES, logs, kept, strict=True)
            if known
        ]
        return replace(self._blank, factors=tuple(factors))

    def _run(self, logs: Any) -> None:
        """Run each interval with such factors, each time with another seed."""
        layout = with_site(self._layout, self._profile(logs))
        seed = len(self._points) + 1
        found = [self._figures(layout, one, SECONDS, seed) for one in self._intervals]
        alone = len(found) == 1
        self._counts = [len(one) for one in found]
        self._groups = [
            f"{f.node} {f.of}" if alone else str(i) for i, one in enumerate(found) for f in one
        ]
        self._rounding = [figure.rounding for one in found for figure in one]
        self._points.append(logs)
        self._shown.append([log_off(figure) for one in found for figure in one])

    def _figures(
        self, layout: Layout, one: FitInterval, seconds: float, seed: int
    ) -> list[MeasuredFigure]:
        beside = run_beside(layout, one.seen, one.derived, seconds, WARMUP, seed)
        self._runs += 1
        self._progress(self._runs)
        figures = [each for end, result in beside for each in figures_beside(end, result)]
        return [each for each in figures if each.judged and each.measured > 0]

    def _seat(self, name: str) -> str:
        """A group in words."""
        return name if len(self._intervals) == 1 else str(self._intervals[int(name)])

    def _held_back(self, name: str, logs: Any) -> list[MeasuredFigure]:
        """The figures of a group, by the fit to the rest."""
        if len(self._intervals) > 1:
            return self._judge(int(name), logs)
        return [figure for figure in self._judge(0, logs) if f"{figure.node} {figure.of}" == name]

    def _judge(self, index: int, logs: Any = None) -> list[MeasuredFigure]:
        """The figures of an interval with such factors; with the constants as they are if None."""
        layout = self._layout if logs is None else with_site(self._layout, self._profile(logs))
        return self._figures(layout, self._intervals[index], JUDGED_SECONDS, 1)


def _explains(rivals: Sequence[Explanation], evidence: float) -> bool:
    """Whether one of them has so much evidence, and is near at all."""
    best = min(rivals, key=lambda each: each.evidence)
    return best.evidence < evidence and best.off_percent < HELD_BACK_MAX


def _errors(figures: Sequence[MeasuredFigure]) -> Errors | None:
    off = [abs(figure.error_percent or 0.0) for figure in figures]
    return Errors(median(off), max(off)) if off else None
