"""Fitting a site profile: the few constants that a site's figures identify, by least squares.

The unknowns are the logarithms of the factors of `isfc.layout.site.CONSTANTS`. Each judged figure
is a residual in units of how well it is known, and so is each factor's distance from 1: that prior
holds what the figures do not tell. scipy's trust region does the search, within bounds.
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
from isfc.measured.seen import SeenLink
from scenarios.guests import GuestCosts
from scenarios.provenance import constants_digest
from scenarios.run import run
from scenarios.site_compare import Figure, figures_beside
from scenarios.site_workload import Derived

PRIOR: Final = 0.5
"""How far a factor is expected from 1, as a logarithm: 1.65 times. Chosen: the features that were
fitted apart, and the releases of z/VM, are within that of each other."""

FIGURE: Final = 0.04
"""How well a figure is known, as a share of it, beside its rounding: 2 % of a report, and 3 % that
short runs of the model scatter. Chosen."""

MODEL: Final = 2.0
"""Residuals beyond so many times how well a figure is known count less (soft l1): a few figures
that the model has wrong for other reasons must not bend the constants."""

STEP: Final = 0.15
"""Of a logarithm, with which slopes are taken: small ones drown in the scatter of runs."""

SECONDS: Final = 0.4
WARMUP: Final = 0.15
"""Virtual time of each run of the search."""

EVALUATIONS_MAX: Final = 8

TOLD: Final = 0.6
"""A constant whose uncertainty the figures leave above this share of the prior's is not told."""


@dataclass(frozen=True, slots=True)
class Interval:
    """One measurement to fit to, and what it is taken to be."""

    seen: SeenLink
    derived: Derived


@dataclass(frozen=True, slots=True)
class Fitted:
    """A profile; of each constant its factor's relative uncertainty, and which are not told."""

    profile: SiteProfile
    uncertainties: tuple[tuple[str, float], ...]
    untold: tuple[str, ...]


Runs = Callable[[Sequence[Layout]], Sequence[Sequence[Figure]]]


def fit(
    layout: Layout,
    intervals: Sequence[Interval],
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
        return Fitted(blank, tuple((each, PRIOR) for each in names), tuple(names))
    check_library("scipy", "isfc measured fit")
    return _Fit(layout, intervals, blank, progress).solve()


class _Fit:
    """One fit: what it is to reach, and the runs so far."""

    def __init__(
        self,
        layout: Layout,
        intervals: Sequence[Interval],
        blank: SiteProfile,
        progress: Callable[[int], None],
    ) -> None:
        self._layout, self._intervals, self._blank = layout, intervals, blank
        self._progress = progress
        self._runs = 0
        self._figures: dict[tuple[float, ...], list[list[Figure]]] = {}

    def solve(self) -> Fitted:
        """Search from factors of 1, then hold back one interval, or device, after the other."""
        import numpy
        from scipy.optimize import least_squares

        bound = log(FACTOR_MAX)
        start = numpy.zeros(len(CONSTANTS))
        found = least_squares(
            self._residuals,
            start,
            jac=self._slopes,
            bounds=(-bound, bound),
            loss="soft_l1",
            f_scale=MODEL,
            xtol=0.01,
            ftol=0.01,
            max_nfev=EVALUATIONS_MAX,
        )
        slopes = self._slopes(found.x)
        spread = self._spread(found.x, slopes)
        held = self._held_back(found.x, slopes)
        before = [figure for one in self._at(start) for figure in one]
        profile = replace(self._profile(found.x), held_back=_errors(held), before=_errors(before))
        uncertainties = tuple(zip(dict(profile.factors), map(float, spread), strict=True))
        untold = tuple(name for name, each in uncertainties if each > TOLD * PRIOR)
        return Fitted(profile, uncertainties, untold)

    def _spread(self, logs: Any, slopes: Any) -> Any:
        """How far each factor may be off, as a logarithm.

        Runs scatter, and so their slopes seem to tell what they do not: what scatter alone would
        tell, by a second run with another seed, is taken off.
        """
        import numpy

        layout = with_site(self._layout, self._profile(logs))
        again = [self._judged(layout, one, seed=2) for one in self._intervals]
        other = numpy.array([_residual(figure) for one in again for figure in one])
        scatter = float(numpy.sum((other - self._residuals(logs)[: len(other)]) ** 2)) / 2
        signs = numpy.where(numpy.asarray(logs) > 0, -1.0, 1.0)
        false = scatter / STEP**2 * (numpy.identity(len(logs)) + numpy.outer(signs, signs))
        prior = numpy.identity(len(logs)) / PRIOR**2
        values, axes = numpy.linalg.eigh(slopes.T @ slopes - prior - false)
        information = axes @ numpy.diag(numpy.clip(values, 0, None)) @ axes.T + prior
        return numpy.sqrt(numpy.diag(numpy.linalg.inv(information)))

    def _profile(self, logs: Any) -> SiteProfile:
        names = (constant.name for constant in CONSTANTS)
        factors = tuple((name, exp(float(each))) for name, each in zip(names, logs, strict=True))
        return replace(self._blank, factors=factors)

    def _at(self, logs: Any) -> list[list[Figure]]:
        """The judged figures of each interval with such factors; each run once."""
        key = tuple(float(each) for each in logs)
        if key not in self._figures:
            layout = with_site(self._layout, self._profile(logs))
            self._figures[key] = [self._judged(layout, one) for one in self._intervals]
        return self._figures[key]

    def _judged(self, layout: Layout, one: Interval, seed: int = 1) -> list[Figure]:
        experiment = one.derived.experiment(layout, SECONDS, WARMUP, seed)
        result = run(experiment, one.seen.node)
        self._runs += 1
        self._progress(self._runs)
        return [f for f in figures_beside(one.seen, result) if f.judged and f.measured > 0]

    def _residuals(self, logs: Any) -> Any:
        import numpy

        found = [_residual(figure) for one in self._at(logs) for figure in one]
        return numpy.concatenate([numpy.array(found), numpy.asarray(logs) / PRIOR])

    def _slopes(self, logs: Any) -> Any:
        """The residuals' slopes, by a step of each factor towards the side with more room."""
        import numpy

        here, columns = self._residuals(logs), []
        for index, each in enumerate(logs):
            step = -STEP if each > 0 else STEP
            moved = numpy.array(logs, dtype=float)
            moved[index] += step
            columns.append((self._residuals(moved) - here) / step)
        return numpy.array(columns).T

    def _held_back(self, logs: Any, slopes: Any) -> list[Figure]:
        """The figures of what is held back, by the fit to the rest.

        One interval at a time; of a single interval one device at a time. The fit to the rest is
        one step of Gauss and Newton from the common one.
        """
        import numpy

        groups = self._groups()
        here, found = self._residuals(logs), []
        bound = log(FACTOR_MAX)
        for name in dict.fromkeys(groups):
            rest = numpy.array([*(group != name for group in groups), *[True] * len(logs)])
            step, *_ = numpy.linalg.lstsq(slopes[rest], -here[rest], rcond=None)
            moved = numpy.clip(logs + numpy.clip(step, -0.5, 0.5), -bound, bound)
            figures = [figure for one in self._at(moved) for figure in one]
            found += [f for f, group in zip(figures, groups, strict=True) if group == name]
        return found

    def _groups(self) -> list[str]:
        """To what each figure belongs: its interval, or its device if there is one interval."""
        alone = len(self._intervals) == 1
        figures = self._at([0.0] * len(CONSTANTS))
        return [
            figure.of if alone else str(index)
            for index, one in enumerate(figures)
            for figure in one
        ]


def _residual(figure: Figure) -> float:
    """How far a figure is off, in units of how well it is known."""
    return log(max(figure.emulated, 1e-6) / figure.measured) / (FIGURE + figure.rounding)


def _errors(figures: Sequence[Figure]) -> Errors | None:
    from statistics import median

    off = [abs(figure.error_percent or 0.0) for figure in figures]
    return Errors(median(off), max(off)) if off else None
