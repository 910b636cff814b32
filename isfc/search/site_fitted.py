"""What a fit to a site has found, what else may explain its figures, and the doubts about it.

A rival has no constant to fit: it is the model as it is, with another feature or another workload,
beside the same figures. Two explanations may be as near to what was measured, and part elsewhere: a
link that waits for the fibre does not tell what its channels' processors take. So each predicts
loads that may not have run, on the link as it is and on one CTC of it, and the widest difference
says whether the choice matters. A fit always finds factors. It says something of the site only if
what ran and the layout are as said, and if the site differs from the model in the constants that
are fitted: else there are doubts.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import exp, log
from statistics import median
from typing import Any, Final

from ctc.profiles import FEATURES, ChpidProfile
from isfc.layout.layout import Layout
from isfc.layout.site import SiteProfile
from isfc.search.site_surface import LINE, TRANSFER, Near, at_bound, soft
from scenarios.figures.site_compare import MeasuredFigure
from scenarios.figures.site_workload import Derived
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import run
from scenarios.runs.workload import SUITES

AS_GOOD: Final = 10.0
"""By how much a rival's squares may exceed the fit's, with two for each constant of the fit (AIC),
and it explains the figures as well. Chosen: the scatter of short runs is about that."""

NEARER: Final = 0.5
"""Share of the median error below which a rival is named beside a fit that is refused. Chosen."""

PAIRS: Final = (1, 5, 10, 20, 50, 100)
"""Pairs that each published workload is tried with."""

INTERVALS_MAX: Final = 3
"""Intervals whose workload is tried to be told: those that are furthest off."""

APART_MIN: Final = 0.1
"""How far line and processor are apart, as a logarithm, to be worth a word. Chosen."""

CAUSES: Final = 2
"""What `causes` finds at most."""

LEAST_SHARE: Final = 0.05
"""Of a measured figure: what is emulated of it counts as no less, as a logarithm needs."""


def log_off(figure: MeasuredFigure) -> float:
    """How far a figure is off, as a logarithm."""
    return log(max(figure.emulated / figure.measured, LEAST_SHARE))


@dataclass(frozen=True, slots=True)
class Explanation:
    """How near one explanation comes: its squares, and by how many percent it is off (median).

    ``evidence`` is AICc, the less the better: squares, and what ``fitted`` constants cost where
    there are so many figures.
    """

    what: str
    squares: float
    off_percent: float
    fitted: int = 0
    figures: int = 0

    @property
    def evidence(self) -> float:
        """Akaike's criterion for few figures."""
        count = self.fitted
        few = 2 * count * (count + 1) / max(1, self.figures - count - 1)
        return self.squares + 2 * count + few

    def __str__(self) -> str:
        return f"{self.what} (off by {self.off_percent:.0f} %)"


def explain(
    what: str, figures: Sequence[MeasuredFigure], known: Any, fitted: int = 0
) -> Explanation:
    """How near figures come; ``known`` is how well each is known, as an array."""
    import numpy

    squares = float(numpy.sum(soft(numpy.array([log_off(each) for each in figures]) / known)))
    off = median(abs(each.error_percent or 0.0) for each in figures)
    return Explanation(what, squares, off, fitted, len(figures))


def causes(near: Near, told: Any) -> Iterator[tuple[str, Any, int]]:
    """What may take line and processor of a channel apart: in words, factors' logarithms, fitted.

    The line alone is another than the feature's; or something beside takes a share of the
    processor, and leaves the line.
    """
    import numpy

    free = numpy.array(told, bool)
    free[[TRANSFER, LINE]] = False
    fitted = 1 + int(free.sum())
    line, beside = numpy.zeros(len(free)), numpy.zeros(len(free))
    line[LINE] = 1.0
    beside[[TRANSFER, LINE]] = 1.0, -1.0
    logs = near.along(line, free)
    if abs(logs[LINE]) > APART_MIN:
        yield f"a line that takes {exp(logs[LINE]):.2f} times what the feature's does", logs, fitted
    logs = near.along(beside, free)
    if logs[TRANSFER] > APART_MIN:
        share = 100 * (1 - exp(-logs[TRANSFER]))
        yield f"disks, or whatever is beside, that take {share:.0f} % of each channel", logs, fitted


def other_features(layout: Layout) -> Iterator[tuple[str, Layout]]:
    """The layout with each other feature in the place of one that it has, and in words."""
    for had in dict.fromkeys(fibre.profile.feature for fibre in layout.fibres):
        for name, profile in FEATURES.items():
            if name != had:
                yield f"{name} where the layout has {had}", _exchanged(layout, had, profile)


def _exchanged(layout: Layout, had: str, profile: ChpidProfile) -> Layout:
    return layout.with_fibres(
        lambda fibre: replace(fibre, profile=profile) if fibre.profile.feature == had else fibre
    )


def other_workloads(derived: Derived) -> Iterator[tuple[str, Derived]]:
    """Each published workload with several numbers of pairs, but for what is taken to have run."""
    for name, workload in SUITES.items():
        for pairs in PAIRS:
            if (name, pairs) != (derived.workload.name, derived.pairs):
                yield f"{name}:{pairs}", replace(derived, workload=workload, pairs=pairs)


def runs_at_most(intervals: int, features: int) -> int:
    """How many runs all rivals take at most."""
    workloads = len(SUITES) * len(PAIRS) * min(intervals, INTERVALS_MAX)
    return intervals * (1 + CAUSES + features * (len(FEATURES) - 1)) + workloads


def named(rivals: Sequence[Explanation]) -> str:
    """The best, and the next."""
    first, *others = sorted(rivals, key=lambda each: each.evidence)
    return f"{first}, next {others[0]}" if others else str(first)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A profile; how far each factor's logarithm may be off, and which constants are not told.

    An uncertainty is two standard deviations, and wider where the figures are off by more than
    what is known of them (``misfit``, a multiple of it). ``skewed`` has how far
    below and above may go of constants that lines do not reach. ``doubts`` are the reasons not to
    use it, ``notes`` what else is to be looked at. ``explanations`` are what was held beside the
    fit, the best first.
    """

    profile: SiteProfile
    uncertainties: tuple[tuple[str, float], ...]
    untold: tuple[str, ...]
    misfit: float | None = None
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    explanations: tuple[Explanation, ...] = ()
    skewed: tuple[tuple[str, tuple[float, float]], ...] = ()

    def ranges(self) -> dict[str, tuple[float, float]]:
        """Of each constant, between what its factor is: 95 % of such ranges hold it."""
        factors, sides = dict(self.profile.factors), dict(self.skewed)
        found = {}
        for name, off in self.uncertainties:
            below, above = sides.get(name, (off, off))
            factor = factors.get(name, 1.0)
            found[name] = (factor * exp(-below), factor * exp(above))
        return found

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each constant, as a data frame takes them.

        ``uncertainty`` is of the logarithm; one that is not told has a factor of 1.
        """
        factors, ranges = dict(self.profile.factors), self.ranges()
        return [
            {
                "constant": name,
                "factor": factors.get(name, 1.0),
                "told": name in factors,
                "uncertainty": off,
                "low": ranges[name][0],
                "high": ranges[name][1],
            }
            for name, off in self.uncertainties
        ]

    def marked(self, notes: Sequence[str] = ()) -> "Fitted":
        """The same with its doubts in the profile, and further notes."""
        profile = replace(self.profile, doubts=self.doubts)
        return replace(self, profile=profile, notes=(*self.notes, *notes))


HELD_BACK_MAX: Final = 15.0
"""Percent that figures held back may be off by the median. Chosen: of sites that differ from the
model in the fitted constants alone, none comes near it."""

MISFIT_MAX: Final = 3.0
"""How far figures may be off all in all, as a multiple of how well they are known. Chosen: of the
same sites, noise of 5 % where 2 % are expected leaves 2."""

WORSE_MIN: Final = 2.0
"""Percent by which figures held back are further off than without the fit, to refuse it. Chosen:
less is chance."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Figures of one interval, or of one device of a single interval; ``seat`` says which."""

    seat: str
    figures: Sequence[MeasuredFigure]

    @property
    def median_percent(self) -> float:
        """How far they are off by the median, without signs."""
        return median(abs(each.error_percent or 0.0) for each in self.figures)


def doubts_of(
    profile: SiteProfile,
    held: Sequence[Judged],
    misfit: float,
    outlier: str = "",
    *,
    inferred: bool = False,
) -> Iterator[str]:
    """Each reason not to use a fit, in words. ``held`` is what was held back, by fits without it.

    ``misfit`` is how far the figures are off all in all, as a multiple of how well they are known,
    and ``outlier`` in words without which they are much nearer, if there is such a thing;
    ``inferred`` says that what ran is told by link activity alone.
    """
    ends = [name for name, factor in profile.factors if at_bound(log(factor))]
    for name in ends:
        factor = dict(profile.factors)[name]
        yield f"{name} comes out at {factor:.2f}, the end of what is tried: no such site is known"
    off, before = profile.held_back, profile.before
    if len(held) < 2:
        yield (
            "one interval of link activity alone: nothing can be held back to see what the fit is "
            "worth: add the device rows of the interval, or more intervals"
        )
    elif off is not None and off.median > HELD_BACK_MAX:
        yield (
            f"figures held back are off by {off.median:.0f} % by the median, more than "
            f"{HELD_BACK_MAX:.0f} %{_furthest(held)}"
        )
    elif off is not None and before is not None and off.median > before.median + WORSE_MIN:
        yield (
            f"figures held back are off by {off.median:.1f} % by the median, and by "
            f"{before.median:.1f} % without the fit{_furthest(held)}"
        )
    if misfit > MISFIT_MAX:
        yield (
            f"figures are off by {misfit:.1f} times what their noise and rounding leave: the site "
            "differs from the model in something else than the constants that are fitted"
            f"{', or what ran is not what link activity lets one think' if inferred else ''}"
            f"{f': see {outlier}' if outlier else ''}"
        )


def _furthest(held: Sequence[Judged]) -> str:
    """Where figures are furthest off, if there is a choice."""
    judged = [each for each in held if each.figures]
    if len(judged) < 2:
        return ""
    worst = max(judged, key=lambda each: each.median_percent)
    return f"; furthest are those of {worst.seat}, by {worst.median_percent:.0f} %"


PREDICTED_PAIRS: Final = 50
"""Pairs of the loads that are predicted: as many as keep any link busy."""

PREDICTED_SECONDS: Final = 0.4
PREDICTED_WARMUP: Final = 0.15
"""Virtual time of each run."""

PREDICTED_ALIKE: Final = 0.08
"""How far predictions may be apart, as a logarithm, for the choice not to matter. Chosen: less than
a tenth, and more than the scatter of short runs."""

PREDICTED_RUNS: Final = 2 * len(SUITES)
"""Runs for the predictions of one explanation."""


def predicted_apart(
    fitted: Layout,
    others: Sequence[Layout],
    each: Callable[[Sequence[Callable[[], float]]], list[float]],
) -> str:
    """In words, where another explanation's prediction is furthest from the fit's.

    Each is the link with its constants. Empty if all are alike. ``each`` does the runs.
    """
    wanted = [_predictions(layout) for layout in (fitted, *others)]
    rates = iter(each([run for runs in wanted for run in runs.values()]))
    ours, *theirs = [{where: next(rates) for where in runs} for runs in wanted]
    apart = [(log(rate / ours[where]), where) for found in theirs for where, rate in found.items()]
    furthest, where = max(apart, key=lambda each: abs(each[0]))
    if abs(furthest) < PREDICTED_ALIKE:
        return ""
    return f"{where} carries {100 * (exp(furthest) - 1):+.0f} %"


def _predictions(layout: Layout) -> dict[str, Callable[[], float]]:
    """What runs each load, for its MB/s."""
    links = {"the link": layout, "one CTC of it": layout.with_ctcs(layout.ctcs[:1])}
    return {
        f"{name}:{PREDICTED_PAIRS} on {what}": partial(_mb_per_s, link, name)
        for what, link in links.items()
        for name in SUITES
    }


def _mb_per_s(layout: Layout, name: str) -> float:
    return run(
        Experiment.of(layout, SUITES[name], PREDICTED_PAIRS, PREDICTED_SECONDS, PREDICTED_WARMUP)
    ).mb_per_s
