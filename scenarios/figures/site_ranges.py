"""The range of a figure at a site that the model was fitted to: from how well the fit knows it.

A constant that is known to so many percent moves a rate by its share of that: ``elasticities.csv``
says how much the rate follows each (`tools.calibration.elasticities` renews it). What the site's
figures do not tell stays as uncertain as it was. That is the range of the fit; it is no narrower
than what was held back is off.

Where a layout or a load was not measured at the site, the range has the model's known errors from
one layout, load or number of pairs to another as well, which are those of ratios. They are less
than those of figures, and so a fit narrows a range.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from ctc.profiles import FEATURES
from isfc.layout.layout import Layout
from isfc.layout.site import CONSTANTS, SiteProfile, layout_kind
from scenarios.figures.assumptions import (
    NORMAL_80,
    NORMAL_95,
    OVER_DISTANCE,
    Widening,
    assumed,
    feature_of,
    widened,
)
from scenarios.figures.certainty import Differs, Errors, ratio_errors
from scenarios.figures.figure import Interval, Range
from scenarios.runs.published_range import shipped_lines
from scenarios.runs.workload import SUITES, Workload

COLUMNS: Final = ("feature", "ctcs", "suite", "pairs", *(c.name for c in CONSTANTS), "scatter")
"""Of ``elasticities.csv``: MB/s of a link, and what a line leaves, as a standard deviation."""

REFUSED: Final = 0.5
"""Standard deviation, as a logarithm, of what a fit that was refused predicts. Chosen: as far as a
site is expected from the model."""

SURE: Final = 0.5
"""Of the deviation that a fit's covariance gives, which is cautious. Calibrated: so ranges of 80 %
hold 80 % of predictions at made sites (docs/measured.md)."""

POINTS: Final = 0.3 / math.sqrt(3)
"""Standard deviation of the points of ``elasticities.csv``, as a logarithm (derived: they are even
up to 0.3). Where constants are known better, a line's scatter counts for less."""

RUN: Final = 0.01
"""Standard deviation of a run's rate, as a logarithm. Chosen: that of seconds of virtual time."""


def site_range(value: float, layout: Layout, workload: Workload, pairs: int) -> Range | None:
    """Of a rate; None where nothing is known of the fit, or the layout's features are not its."""
    site = layout.site
    if site is None or not site.covariance:
        return None
    if any(fibre.profile.feature not in site.features for fibre in layout.fibres):
        return None
    off = 0.0 if site.held_back is None else site.held_back.median / 100
    fit = math.hypot(fit_deviation(site, layout, workload, pairs), off)
    others = [*_not_measured(site, layout, workload, pairs)]
    names = [name for name, _ in others]
    if site.doubts:
        fit = math.hypot(fit, REFUSED)
        names.append("a fit that was refused")
    logs = [
        math.hypot(deviations * fit, *(math.log(getattr(errors, case)) for _, errors in others))
        for deviations, case in ((NORMAL_80, "four_of_five"), (NORMAL_95, "nineteen_of_twenty"))
    ]
    likely, sure = (Interval(value * math.exp(-each), value * math.exp(each)) for each in logs)
    found = Range(likely, sure, f"the fit {site.name} to {_intervals(site)}", tuple(names))
    more = [each for each in assumed(layout) if each.name == OVER_DISTANCE]
    return _widened(value, found, more) if layout_kind(layout) != site.layout else found


def fit_deviation(site: SiteProfile, layout: Layout, workload: Workload, pairs: int) -> float:
    """What the fit leaves open of a rate: the standard deviation of its logarithm."""
    line = _line_like(layout, workload, pairs)
    follows = [float(line[constant.name]) for constant in CONSTANTS]
    known = sum(
        one * other * covariance
        for one, row in zip(follows, site.covariance, strict=True)
        for other, covariance in zip(follows, row, strict=True)
    )
    deviation = math.sqrt(max(0.0, known))
    apart = POINTS * math.hypot(*follows)
    jumps = float(line["scatter"]) * min(1.0, deviation / apart if apart else 1.0)
    return math.hypot(SURE * deviation, jumps, RUN)


def _widened(value: float, found: Range, more: Sequence[Widening]) -> Range:
    wider = widened(value, found, more)
    if wider is found:
        return found
    return Range(wider.likely, wider.sure, wider.basis, (*found.wider_for, *wider.wider_for))


def _not_measured(
    site: SiteProfile, layout: Layout, workload: Workload, pairs: int
) -> Iterator[tuple[str, Errors]]:
    """What is different from everything that was measured, and the errors of such ratios."""
    if layout_kind(layout) != site.layout:
        yield "another layout than the fit's", ratio_errors(Differs.LAYOUT)
    loads = [load.rpartition(":") for load in site.loads]
    if workload.name not in [name for name, _, _ in loads]:
        yield "a workload that was not fitted to", ratio_errors(Differs.WORKLOAD)
    elif f"{workload.name}:{pairs}" not in site.loads:
        yield "pairs that were not fitted to", ratio_errors(Differs.PAIRS)


def _intervals(site: SiteProfile) -> str:
    return "1 interval" if site.intervals == 1 else f"{site.intervals} intervals"


def _line_like(layout: Layout, workload: Workload, pairs: int) -> Mapping[str, str]:
    """The line of the link and load that are most alike."""
    gbps = FEATURES[feature_of(layout)].link_gbps if feature_of(layout) in FEATURES else 2
    wanted = (gbps, len(layout.ctcs), workload.mean_length + workload.reply_length, pairs)

    def apart(line: Mapping[str, str]) -> float:
        suite = _lengths()[line["suite"]]
        have = (FEATURES[line["feature"]].link_gbps, int(line["ctcs"]), suite, int(line["pairs"]))
        return sum(abs(math.log(ours / theirs)) for ours, theirs in zip(wanted, have, strict=True))

    return min(shipped_lines(__package__, "elasticities.csv"), key=apart)


@cache
def _lengths() -> Mapping[str, float]:
    return {name: each.mean_length + each.reply_length for name, each in SUITES.items()}
