"""What else may explain a site's figures than other constants: another feature, another workload.

A rival has no constant to fit: it is the model as it is, beside the same figures.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from statistics import median
from typing import Any, Final

from ctc.profiles import FEATURES, ChpidProfile
from isfc.layout.layout import Layout
from isfc.search.site_surface import LINE, TRANSFER, Near, soft
from scenarios.figures.site_compare import MeasuredFigure
from scenarios.figures.site_workload import Derived
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
    """How near one explanation comes."""

    what: str
    off_percent: float
    """its median error"""
    squares: float
    """of how far figures are off, in units of how well they are known"""
    aicc: float
    """Akaike's criterion for few figures, of which less is better: the squares, and what constants
    cost that are fitted"""

    def __str__(self) -> str:
        return f"{self.what} (off by {self.off_percent:.0f} %)"


def explain(
    what: str, figures: Sequence[MeasuredFigure], known: Any, fitted: int = 0
) -> Explanation:
    """How near figures come with so many constants ``fitted``.

    ``known`` is how well each is known, as an array.
    """
    import numpy

    squares = float(numpy.sum(soft(numpy.array([log_off(each) for each in figures]) / known)))
    off = median(abs(each.error_percent or 0.0) for each in figures)
    few = 2 * fitted * (fitted + 1) / max(1, len(figures) - fitted - 1)
    return Explanation(what, off, squares, squares + 2 * fitted + few)


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
    first, *others = sorted(rivals, key=lambda each: each.aicc)
    return f"{first}, next {others[0]}" if others else str(first)
