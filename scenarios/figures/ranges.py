"""The range of a figure of a run: from what is known of runs like it, and of what it rests on."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from isfc.layout.layout import Layout
from isfc.link.message import Traffic
from scenarios.figures.assumptions import assumed, assumed_apart, widened
from scenarios.figures.certainty import (
    SEVERAL_CTCS,
    Differs,
    Family,
    FigureKind,
    Range,
    family_of,
    range_of,
    ratio_range,
)
from scenarios.figures.site_ranges import site_range
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import DeviceResult
from scenarios.runs.saturation import STATED_PAIRS, SUITE
from scenarios.runs.workload import SUITES, Workload

RANGED: Final = {
    "mb_per_s": FigureKind.RATE,
    "messages_per_s": FigureKind.RATE,
    "rdev_util_percent": FigureKind.RDEV_UTIL,
    "cpu_percent_per_msg": FigureKind.CPU,
}
"""The figures of a run of one link whose errors are known, as `Result` names them."""

WRITES_DISC_MS: Final = 0.3
WRITES_BUSY_PERCENT: Final = 20.0
"""A device that is so busy and has so much DISC mostly writes, as the rows in which errors of
service times are known (derived: the group "writing devices" of the published table)."""


def rate_range(
    mb_per_s: float, layout: Layout, workload: Workload, pairs: int, collisions_per_s: float = 0.0
) -> Range:
    """Of a rate in MB/s."""
    return figure_range(FigureKind.RATE, mb_per_s, layout, workload, pairs, collisions_per_s)


def figure_range(
    kind: FigureKind,
    value: float,
    layout: Layout,
    workload: Workload,
    pairs: int,
    collisions_per_s: float = 0.0,
) -> Range:
    """Of any figure of a run, in its unit."""
    family = family_of(
        len(layout.ctcs),
        workload.mean_length,
        pairs,
        collisions_per_s,
        appc=workload.traffic is not Traffic.TRANSPORT,
    )
    if kind is not FigureKind.CPU:  # a site's fit does not change what messages cost it
        fitted = site_range(value, layout, workload, pairs)
        if fitted is not None:
            return fitted
    return widened(range_of(kind, value, family), assumed(layout, kind))


def gain_range(
    ratio: float, before: Layout, after: Layout, differs: Differs = Differs.LAYOUT
) -> Range:
    """Of how many times the rate of a run another one has: every odds of two runs are its odds.

    The runs differ in their layouts, or else in one thing of their load. What an assumption does to
    another load is not known: at most all that it does to the figure.
    """
    found = ratio_range(ratio, differs, one_ctc=1 in (len(before.ctcs), len(after.ctcs)))
    alike = differs is Differs.LAYOUT
    return widened(found, assumed_apart(before, after) if alike else assumed(after))


def links_gain_range(ratio: float, before: Sequence[Layout], after: Sequence[Layout]) -> Range:
    """Of how many times what links carry together others do: the widest of those that change.

    Links are the same by their names. Where none of them changes, as others are gone, all count.
    """
    was = {link.name: link for link in before}
    both = [(was[link.name], link) for link in after]
    changed = [(one, other) for one, other in both if one.ctcs != other.ctcs]
    ranges = [gain_range(ratio, *each) for each in changed or both]
    return max(ranges, key=lambda each: each.likely.high)


def run_ranges(experiment: Experiment, figures: Mapping[str, float]) -> dict[str, Range]:
    """Of the figures of a run that are `RANGED`, by their names; ``figures`` may have others."""
    run = experiment.layout, experiment.workload, experiment.pairs
    collisions = figures.get("collisions_per_s", 0.0)
    return {
        name: figure_range(kind, figures[name], *run, collisions)
        for name, kind in RANGED.items()
        if name in figures
    }


def mostly_writes(device: DeviceResult) -> bool:
    """Whether the service times of a device are of the kind whose errors are known."""
    return device.busy_percent > WRITES_BUSY_PERCENT and device.disc_ms >= WRITES_DISC_MS


def range_record(within: Range) -> dict[str, Any]:
    """A range as JSON."""
    likely, sure = within.likely, within.sure
    ends = {"likely": [likely.low, likely.high], "sure": [sure.low, sure.high]}
    return {**ends, "basis": within.describe()}


def flat_range(name: str, within: Range) -> dict[str, float]:
    """A range as columns of a row that has the figure ``name``."""
    ends = {"likely": within.likely, "sure": within.sure}
    return {
        f"{name}_{case}_{end}": value
        for case, interval in ends.items()
        for end, value in (("low", interval.low), ("high", interval.high))
    }


def links_range(mb_per_s: float, links: Sequence[Layout]) -> Range:
    """Of what several links with several CTCs each carry together, in MB/s.

    At a site that the model was fitted to, it is the widest of theirs, for long messages.
    """
    load = SUITES[SUITE]
    fitted = [site_range(mb_per_s, link, load, STATED_PAIRS) for link in links]
    if (known := [each for each in fitted if each is not None]) and len(known) == len(fitted):
        return max(known, key=lambda each: each.likely.high)
    found = range_of(FigureKind.RATE, mb_per_s, Family(SEVERAL_CTCS))
    widest = {each.name: each for link in links for each in assumed(link)}
    return widened(found, [*widest.values()])
