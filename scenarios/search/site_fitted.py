"""What a fit to a site has found, what else may explain its figures, and the doubts about it.

A rival is another cause, feature or workload beside the same figures. Two explanations may be as
near to what was measured, and part elsewhere: a link that waits for the fibre does not tell what
its channels' processors take. So each predicts loads that may not have run, on the link as it is
and on one CTC of it, and the widest difference says whether the choice matters. A fit always finds
factors. It says something of the site only if what ran and the layout are as said, and if the site
differs from the model in the constants that are fitted: else there are doubts.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import exp, log
from statistics import median
from typing import Any, Final

from msgspec import Struct, structs
from msgspec.structs import asdict, replace

from ctc.features import FEATURES, ChpidProfile
from isfc.errors import AnswerRefused
from isfc.errors.arguments import spelt
from isfc.layout.layout import Fibre, Layout
from isfc.layout.site import CONSTANTS, SiteProfile
from isfc.reports.figure import Reported, Unit
from isfc.reports.units import amount, shown
from scenarios.figures.site_compare import MeasuredFigure
from scenarios.figures.site_workload import Derived
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import run
from scenarios.runs.workload import SUITES
from scenarios.search.site_surface import at_bound, numpy, squares

AS_GOOD: Final = 18.0
"""How far the evidence (AICc) of a rival has to be ahead of the fit's to be nearer. Chosen: short
runs scatter by 10, of the six figures of a device two follow from the others, and a site on a
z16, off in constants alone, had a line lead by 15."""

AS_NEAR: Final = 5.0
"""How far it may be behind for the rival to be about as near. Chosen: odds of one to twelve."""

NAMED_MAX: Final = 3
"""Explanations that a reason names."""

NEAR_MAX: Final = 8.0
"""Percent by which figures are off at most, by the median, of what explains them. Chosen: noise of
5 % leaves 5."""

APART: Final = 40.0
"""What a fit costs more whose line is apart from the processor, which is itself the mark of a cause
beside. Chosen: disks that were drawn came up to 28 behind it."""

NEARER: Final = 0.5
"""Share of the median error below which a rival is named beside a fit that is refused. Chosen."""

PAIRS: Final = (1, 5, 10, 20, 50, 100)
"""Pairs that each published workload is tried with."""

INTERVALS_MAX: Final = 3
"""Intervals whose workload is tried to be told: those that are furthest off."""

LEAST_SHARE: Final = 0.05
"""Of a measured figure: what is emulated of it counts as no less, as a logarithm needs."""


def log_off(figure: MeasuredFigure) -> float:
    """How far a figure is off, as a logarithm."""
    return log(max(figure.emulated / figure.measured, LEAST_SHARE))


class Explanation(Struct, frozen=True):
    """How near one explanation comes."""

    what: str
    off_percent: float
    """its median error"""
    squares: float
    """of how far figures are off, in units of how well they are known"""
    aicc: float
    """Akaike's criterion for few figures, of which less is better: the squares, and what constants
    cost that are fitted"""

    @property
    def off(self) -> str:
        """The error in words."""
        return amount(self.off_percent, Unit.PERCENT)

    def __str__(self) -> str:
        return f"{self.what} (off by {self.off})"


def explain(what: str, off: Any, known: Any, fitted: int = 0) -> Explanation:
    """How near figures come that are ``off`` by so much, with so many constants ``fitted``.

    Both are arrays of logarithms; ``known`` is how well each figure is known.
    """
    total = squares(off / known)
    median_off = 100 * float(numpy.median(abs(numpy.expm1(off))))
    few = 2 * fitted * (fitted + 1) / max(1, len(off) - fitted - 1)
    return Explanation(what, median_off, total, total + 2 * fitted + few)


def other_features(layout: Layout) -> Iterator[tuple[str, Layout]]:
    """The layout with each other feature in the place of one that it has, and in words."""
    for had in dict.fromkeys(fibre.profile.feature for fibre in layout.fibres):
        for name, profile in FEATURES.items():
            if name != had:
                exchanged = partial(_exchanged, had=had, profile=profile)
                yield f"{name} where the layout has {had}", layout.with_fibres(exchanged)


def _exchanged(fibre: Fibre, had: str, profile: ChpidProfile) -> Fibre:
    return structs.replace(fibre, profile=profile) if fibre.profile.feature == had else fibre


def other_workloads(derived: Derived) -> Iterator[tuple[str, Derived]]:
    """Each published workload with several numbers of pairs, but for what is taken to have run."""
    for name, workload in SUITES.items():
        for pairs in PAIRS:
            if (name, pairs) != (derived.workload.name, derived.pairs):
                yield f"{name}:{pairs}", replace(derived, workload=workload, pairs=pairs)


def runs_at_most(intervals: int, features: int) -> int:
    """How many runs all rivals take at most."""
    workloads = len(SUITES) * len(PAIRS) * min(intervals, INTERVALS_MAX)
    return intervals * (1 + features * (len(FEATURES) - 1)) + workloads


def named(rivals: Sequence[Explanation]) -> str:
    """The best, and the next."""
    ranked = sorted(rivals, key=lambda each: each.aicc)
    return ", next ".join(map(str, ranked[:NAMED_MAX]))


class FittedConstant(Struct, frozen=True):
    """A constant of the model at a site."""

    constant: str
    factor: float
    """how many times today's value; 1 of one that is not told"""
    told: bool
    """whether the figures tell it: if not, it stays as it is"""
    uncertainty: float
    """how far the logarithm of its factor may be off: two standard deviations, wider by `misfit`"""
    low: float
    """between this and `high` its factor is, where 95 % of such ranges hold it; wider to one side
    where lines do not reach so far and the profile of the squares is"""
    high: float

    @property
    def meaning(self) -> str:
        """What it is, or that it is not told."""
        if not self.told:
            return "not told by these figures: it stays as it is"
        return next(each.meaning for each in CONSTANTS if each.name == self.constant)


def constants_off(
    factors: Mapping[str, float],
    off: Sequence[float],
    skew: Mapping[str, tuple[float, float]] | None = None,
) -> tuple[FittedConstant, ...]:
    """Each constant, with how far its logarithm may be off, and further to one side of some."""
    found = []
    for name, each in zip((constant.name for constant in CONSTANTS), off, strict=True):
        below, above = (skew or {}).get(name, (each, each))
        factor = factors.get(name, 1.0)
        ends = factor * exp(-below), factor * exp(above)
        found.append(FittedConstant(name, factor, name in factors, each, *ends))
    return tuple(found)


class Fitted(Reported, Struct, frozen=True):
    """The model fitted to a site, and how well that is known."""

    reported_by = "isfc.answers.measured_fit.measured_fit_report"

    profile: SiteProfile
    """what `--profile` takes"""
    constants: tuple[FittedConstant, ...]
    """each that may be fitted"""
    misfit: float | None = None
    """how far the figures are off all in all, as a multiple of what noise and rounding leave; null
    without intervals"""
    explanations: tuple[Explanation, ...] = ()
    """what was held beside the fit, the best first"""
    notes: tuple[str, ...] = ()
    """what else is to be looked at, such as a line that is not as fast as the layout says"""
    corrected: str | None = None
    """the layout's file with the cause that is nearer than the fit; null where none is, and where
    no layout can say it"""
    accounts: tuple[str, ...] = ()
    """what became of each line of each text"""

    @property
    def doubts(self) -> tuple[str, ...]:
        """The reasons not to use it."""
        return self.profile.doubts

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each constant, as a data frame takes them."""
        return [asdict(each) for each in self.constants]


class FitRefused(AnswerRefused):
    """A fit that is not to be believed; ``answer`` has it, and its ``doubts`` say why."""

    answer: Fitted

    def __init__(self, answer: Fitted) -> None:
        doubts = "; ".join(answer.doubts)
        super().__init__(f"the fit is refused: {doubts}; {spelt('anyway')} takes it all the same")
        self.answer = answer

    def __reduce__(self) -> tuple[type["FitRefused"], tuple[Fitted]]:
        """Let it go to another process."""
        return FitRefused, (self.answer,)


HELD_BACK_MAX: Final = 15.0
"""Percent that figures held back may be off by the median. Chosen: of sites that differ from the
model in the fitted constants alone, none comes near it."""

MISFIT_MAX: Final = 3.0
"""How far figures may be off all in all, as a multiple of how well they are known. Chosen: of the
same sites, noise of 5 % where 2 % are expected leaves 2."""


class HeldBack(Struct, frozen=True):
    """Figures of one interval, or of one device of a single interval; ``seat`` says which."""

    seat: str
    figures: Sequence[MeasuredFigure]

    @property
    def median_percent(self) -> float:
        """How far they are off by the median, without signs."""
        return median(abs(each.error_percent or 0.0) for each in self.figures)


def doubts_of(
    profile: SiteProfile,
    held: Sequence[HeldBack],
    misfit: float,
    outlier: str = "",
    *,
    spread: float = 0.0,
    inferred: bool = False,
) -> Iterator[str]:
    """Each reason not to use a fit, in words. ``held`` is what was held back, by fits without it.

    ``spread`` is how far the median error goes from run to run, in percent. ``misfit`` is how far
    the figures are off all in all, as a multiple of how well they are known, and ``outlier`` in
    words without which they are much nearer, if there is such a thing; ``inferred`` says that what
    ran is told by link activity alone.
    """
    ends = {name: each for name, each in profile.factors.items() if at_bound(log(each))}
    for name, factor in ends.items():
        at = shown(factor, Unit.TIMES)
        yield f"{name} comes out at {at}, the end of what is tried: no such site is known"
    off, before = profile.held_back, profile.before
    if len(held) < 2:
        yield (
            "one interval of link activity alone: nothing can be held back to see what the fit is "
            "worth: add the device rows of the interval, or more intervals"
        )
    elif off is not None and off.median > HELD_BACK_MAX:
        yield (
            f"figures held back are off by {amount(off.median, Unit.PERCENT)} by the median, more "
            f"than {amount(HELD_BACK_MAX, Unit.PERCENT)}{_furthest(held)}"
        )
    elif off is not None and before is not None and off.median > before.median + spread:
        yield (
            f"figures held back are off by {amount(off.median, Unit.SPREAD)} by the median, and by "
            f"{amount(before.median, Unit.SPREAD)} without the fit{_furthest(held)}"
        )
    if misfit > MISFIT_MAX:
        yield (
            f"figures are off by {shown(misfit, Unit.COUNT)} times what their noise and rounding "
            "leave: the site differs from the model in something else than the constants that are "
            "fitted"
            f"{', or what ran is not what link activity lets one think' if inferred else ''}"
            f"{f': see {outlier}' if outlier else ''}"
        )


def _furthest(held: Sequence[HeldBack]) -> str:
    """Where figures are furthest off, if there is a choice."""
    judged = [each for each in held if each.figures]
    if len(judged) < 2:
        return ""
    worst = max(judged, key=lambda each: each.median_percent)
    return f"; furthest are those of {worst.seat}, by {amount(worst.median_percent, Unit.PERCENT)}"


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
    return f"{where} carries {amount(100 * (exp(furthest) - 1), Unit.CHANGE)}"


def _predictions(layout: Layout) -> dict[str, Callable[[], float]]:
    """What runs each load, for its MB/s."""
    links = {"the link": layout, "one CTC of it": layout.with_ctcs(layout.ctcs[:1])}
    return {
        f"{name}:{PREDICTED_PAIRS} on {what}": partial(_mb_per_s, link, name)
        for what, link in links.items()
        for name in SUITES
    }


def _mb_per_s(layout: Layout, name: str) -> float:
    times_s = PREDICTED_SECONDS, PREDICTED_WARMUP
    return run(Experiment.of(layout, SUITES[name], PREDICTED_PAIRS, *times_s)).mb_per_s
