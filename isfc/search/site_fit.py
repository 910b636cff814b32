"""Fitting a site profile: the few constants that a site's figures identify, by least squares.

The unknowns are the logarithms of the factors of `isfc.layout.site.CONSTANTS`. Runs at points
around the best that is known give a response surface (`Surface`). On it scipy's trust
region finds the factors with which each judged figure is least off, in units of how well it is
known, and so is each factor's distance from 1: that prior holds what the figures do not tell. Then
points are taken around those factors, nearer, and so on.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from typing import Any, Final

from isfc.layout.layout import Layout
from isfc.layout.site import CONSTANTS, FACTOR_MAX, Errors, SiteProfile
from isfc.layout.site_file import with_site
from isfc.library import check_library
from isfc.link.parameters import LinkParameters
from isfc.link.schedule import CTCS_MAX
from isfc.measured.seen import SeenInterval
from scenarios.figures.site_compare import MeasuredFigure, figures_beside, run_beside
from scenarios.figures.site_workload import Derived
from scenarios.runs.guests import GuestCosts
from scenarios.runs.provenance import constants_digest

PRIOR: Final = 0.5
"""How far a factor is expected from 1, as a logarithm: 1.65 times. Chosen: the features that were
fitted apart, and the releases of z/VM, are within that of each other."""

REPORT: Final = 0.02
"""How well a report's figure is known, as a share of it, beside its rounding. Chosen."""

OWN_SCATTER: Final = 0.5
"""How far a measured interval scatters itself, as a share of a short run's scatter. Chosen: that of
an interval of 2 seconds; of a minute it is less."""

MODEL: Final = 2.0
"""Residuals beyond so many times how well a figure is known count less (soft l1): a few figures
that the model has wrong for other reasons must not bend the constants."""

ROUNDS: Final = ((0.5, 16), (0.3, 16), (0.2, 32))
"""How far around the best the points are, as a logarithm, and how many, a power of 2. Chosen: with
the last 32, slopes are known to a tenth of what identifies a constant."""

REACH: Final = 1.2
"""How far beyond its points a surface is used, as a multiple of their distance."""

SECONDS: Final = 0.4
WARMUP: Final = 0.15
"""Virtual time of each run of the search."""

JUDGED_SECONDS: Final = 1.0
"""Virtual time of the runs that judge what was held back."""

LEAST_SHARE: Final = 0.05
"""Of a measured figure: what is emulated of it counts as no less, as a logarithm needs."""

FALSE: Final = 2.0
"""How many times over what scatter alone seems to tell is taken off what the slopes tell. Chosen:
the scatter of the figures of a run is not independent, so that its sum is uncertain itself."""

TOLD: Final = 0.6
"""A constant whose uncertainty the figures leave above this share of the prior's is not told."""

AGAIN_MAX: Final = 2
"""How often the first round is repeated where the best is at the edge of what it reached."""

WITHIN: Final = 2.0
"""Standard deviations that an uncertainty is given as: 95 % of such intervals hold the constant."""


@dataclass(frozen=True, slots=True)
class Surface:
    """Lines through the runs near ``centre``: arrays of numpy, a row or entry for each figure.

    ``scatter`` is the standard deviation of one run about its line. ``level_share`` is the variance
    of a level, and ``slope_share`` the covariance of slopes, of a figure whose scatter is 1.
    """

    centre: Any
    level: Any
    slopes: Any
    scatter: Any
    level_share: float
    slope_share: Any

    def at(self, point: Any) -> Any:
        """Each figure at ``point``."""
        return self.level + self.slopes @ (point - self.centre)


def surface_through(points: Sequence[Any], figures: Sequence[Any], centre: Any) -> Surface:
    """The lines of ``figures``, a list for each of ``points``.

    Raises `ValueError` for fewer points than lines have unknowns, and one more.
    """
    import numpy

    offsets = numpy.array(points) - centre
    count, unknowns = offsets.shape[0], offsets.shape[1] + 1
    if count <= unknowns:
        raise ValueError(f"{count} points; expected more than {unknowns}")
    given = numpy.column_stack([numpy.ones(count), offsets])
    shown = numpy.array(figures)
    lines, *_ = numpy.linalg.lstsq(given, shown, rcond=None)
    scatter = numpy.sqrt(numpy.sum((shown - given @ lines) ** 2, axis=0) / (count - unknowns))
    share = numpy.linalg.inv(given.T @ given)
    return Surface(centre, lines[0], lines[1:].T, scatter, float(share[0, 0]), share[1:, 1:])


@dataclass(frozen=True, slots=True)
class FitInterval:
    """One measurement to fit to, and what it is taken to be."""

    seen: SeenInterval
    derived: Derived


@dataclass(frozen=True, slots=True)
class Fitted:
    """A profile; how far each factor's logarithm may be off, and which constants are not told.

    An uncertainty is `WITHIN` standard deviations.
    """

    profile: SiteProfile
    uncertainties: tuple[tuple[str, float], ...]
    untold: tuple[str, ...]


def runs_of(intervals: int) -> int:
    """How many runs a fit to so many intervals takes at most."""
    points = sum(count for _, count in ROUNDS) + AGAIN_MAX * ROUNDS[0][1]
    return intervals * (points + 1) + (2 * CTCS_MAX + 2 if intervals == 1 else intervals)


def fit(
    layout: Layout,
    intervals: Sequence[FitInterval],
    name: str,
    progress: Callable[[int], None] = lambda _: None,
) -> Fitted:
    """The profile that fits ``intervals`` best. Without any, the prior: factors of 1.

    Raises `ConfigurationError` where scipy is missing.
    """
    features = tuple(dict.fromkeys(fibre.profile.feature for fibre in layout.fibres))
    model = constants_digest(LinkParameters(), GuestCosts())
    names = [constant.name for constant in CONSTANTS]
    blank = SiteProfile(name, tuple((each, 1.0) for each in names), features, len(intervals), model)
    if not intervals:
        return Fitted(blank, tuple((each, WITHIN * PRIOR) for each in names), tuple(names))
    check_library("scipy", "isfc measured fit")
    return _Fit(layout, intervals, blank, progress).solve()


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
        self._groups: list[str] = []
        """To what each figure belongs: its interval, or its device if there is one interval."""

    def solve(self) -> Fitted:
        """Search from factors of 1, then hold back one interval, or device, after the other."""
        import numpy
        from scipy.stats.qmc import Sobol

        points = Sobol(len(CONSTANTS), rng=1)
        near = self._look_around(points, numpy.zeros(len(CONSTANTS)), *ROUNDS[0])
        for _ in range(AGAIN_MAX):
            if near.at_edge(near.best()):
                near = self._look_around(points, near.best(), *ROUNDS[0])
        for width, count in ROUNDS[1:]:
            near = self._look_around(points, near.best(), width, count)
        spread = near.spread()
        held = [
            figure
            for name in dict.fromkeys(self._groups)
            for figure in self._held_back(name, near.best([each != name for each in self._groups]))
        ]
        before = [figure for index in range(len(self._intervals)) for figure in self._judge(index)]
        profile = self._profile(near.best())
        profile = replace(profile, held_back=_errors(held), before=_errors(before))
        names = [name for name, _ in profile.factors]
        off = [WITHIN * float(each) for each in spread]
        untold = [n for n, each in zip(names, off, strict=True) if each > WITHIN * TOLD * PRIOR]
        return Fitted(profile, tuple(zip(names, off, strict=True)), tuple(untold))

    def _look_around(self, points: Any, centre: Any, width: float, count: int) -> "_Near":
        """Run at ``count`` points up to ``width`` from ``centre``, and take all that are near."""
        import numpy

        for unit in points.random(count):
            self._run(_bounded(centre + width * (2 * unit - 1)))
        reach = REACH * width
        near = [
            index
            for index, point in enumerate(self._points)
            if numpy.max(numpy.abs(point - centre)) <= reach
        ]
        shown = [self._shown[index] for index in near]
        surface = surface_through([self._points[index] for index in near], shown, centre)
        scatter = surface.scatter**2 * (OWN_SCATTER**2 + surface.level_share)
        # what is rounded is off by no more than half a digit, evenly spread
        rounding = numpy.array(self._rounding) ** 2 / 3
        return _Near(surface, numpy.sqrt(REPORT**2 + rounding + scatter), reach)

    def _profile(self, logs: Any) -> SiteProfile:
        names = (constant.name for constant in CONSTANTS)
        factors = tuple((name, exp(float(each))) for name, each in zip(names, logs, strict=True))
        return replace(self._blank, factors=factors)

    def _run(self, logs: Any) -> None:
        """Run each interval with such factors, each time with another seed."""
        layout = with_site(self._layout, self._profile(logs))
        seed = len(self._points) + 1
        found = [self._figures(layout, one, SECONDS, seed) for one in self._intervals]
        alone = len(found) == 1
        self._groups = [
            f"{f.node} {f.of}" if alone else str(i) for i, one in enumerate(found) for f in one
        ]
        self._rounding = [figure.rounding for one in found for figure in one]
        self._points.append(logs)
        self._shown.append([_off(figure) for one in found for figure in one])

    def _figures(
        self, layout: Layout, one: FitInterval, seconds: float, seed: int
    ) -> list[MeasuredFigure]:
        beside = run_beside(layout, one.seen, one.derived, seconds, WARMUP, seed)
        self._runs += 1
        self._progress(self._runs)
        figures = [each for end, result in beside for each in figures_beside(end, result)]
        return [each for each in figures if each.judged and each.measured > 0]

    def _held_back(self, name: str, logs: Any) -> list[MeasuredFigure]:
        """The figures of a group, by the fit to the rest."""
        if len(self._intervals) > 1:
            return self._judge(int(name), logs)
        return [figure for figure in self._judge(0, logs) if f"{figure.node} {figure.of}" == name]

    def _judge(self, index: int, logs: Any = None) -> list[MeasuredFigure]:
        """The figures of an interval with such factors; with the constants as they are if None."""
        layout = self._layout if logs is None else with_site(self._layout, self._profile(logs))
        return self._figures(layout, self._intervals[index], JUDGED_SECONDS, 1)


@dataclass(frozen=True, slots=True)
class _Near:
    """What the runs around a point say: their surface, how well each figure is known, how far."""

    surface: Surface
    known: Any
    reach: float

    def best(self, used: Sequence[bool] | None = None) -> Any:
        """The factors' logarithms at which the figures, or those ``used``, are least off."""
        import numpy
        from scipy.optimize import least_squares

        weights = numpy.where(True if used is None else used, 1 / self.known, 0.0)
        centre = self.surface.centre

        def off(logs: Any) -> Any:
            return numpy.concatenate([self.surface.at(logs) * weights, logs / PRIOR])

        bounds = (_bounded(centre - self.reach), _bounded(centre + self.reach))
        return least_squares(off, centre, bounds=bounds, loss="soft_l1", f_scale=MODEL).x

    def at_edge(self, logs: Any) -> bool:
        """Whether a point is as far as the surface goes."""
        return bool(abs(logs - self.surface.centre).max() > 0.95 * self.reach)

    def spread(self) -> Any:
        """The standard deviation of each factor's logarithm.

        Slopes scatter, and so seem to tell what they do not: that is taken off what they tell.
        """
        import numpy

        surface = self.surface
        slopes = surface.slopes / self.known[:, None]
        false = FALSE * float(numpy.sum((surface.scatter / self.known) ** 2)) * surface.slope_share
        values, axes = numpy.linalg.eigh(slopes.T @ slopes - false)
        told = axes @ numpy.diag(numpy.clip(values, 0, None)) @ axes.T
        prior = numpy.identity(len(values)) / PRIOR**2
        return numpy.sqrt(numpy.diag(numpy.linalg.inv(told + prior)))


def _bounded(logs: Any) -> Any:
    import numpy

    return numpy.clip(logs, -log(FACTOR_MAX), log(FACTOR_MAX))


def _off(figure: MeasuredFigure) -> float:
    """How far a figure is off, as a logarithm."""
    return log(max(figure.emulated / figure.measured, LEAST_SHARE))


def _errors(figures: Sequence[MeasuredFigure]) -> Errors | None:
    from statistics import median

    off = [abs(figure.error_percent or 0.0) for figure in figures]
    return Errors(median(off), max(off)) if off else None
