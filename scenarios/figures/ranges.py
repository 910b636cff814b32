"""The range of a figure of a run: from what is known of runs like it, and of what it rests on."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from isfc.layout.layout import Layout
from isfc.link.message import Traffic
from scenarios.figures.assumptions import assumed, assumed_apart, widened
from scenarios.figures.certainty import (
    SEVERAL_CTCS,
    Differs,
    Family,
    FigureKind,
    family_of,
    range_of,
    ratio_range,
)
from scenarios.figures.figure import Figure, NoRange, Range, Unit
from scenarios.figures.site_ranges import site_range
from scenarios.runs.experiment import Experiment
from scenarios.runs.load import STATED, Load
from scenarios.runs.result import DeviceResult

RANGED: Final = {
    "mb_per_s": (FigureKind.RATE, Unit.MB_PER_S),
    "messages_per_s": (FigureKind.RATE, Unit.PER_S),
    "rdev_util_percent": (FigureKind.RDEV_UTIL, Unit.PERCENT),
    "cpu_percent_per_msg": (FigureKind.CPU, Unit.CPU),
}
"""The figures of a run of one link whose errors are known, as `Result` names them."""

WRITES_DISC_MS: Final = 0.3
WRITES_BUSY_PERCENT: Final = 20.0
"""A device that is so busy and has so much DISC mostly writes, as the rows in which errors of
service times are known (derived: the group "writing devices" of the published table)."""


def link_rate(mb_per_s: float, layout: Layout, load: Load, collisions_per_s: float = 0.0) -> Figure:
    """A rate of one link, in MB/s."""
    return figure_of(FigureKind.RATE, mb_per_s, layout, load, collisions_per_s)


def figure_of(
    kind: FigureKind,
    value: float,
    layout: Layout,
    load: Load,
    collisions_per_s: float = 0.0,
    unit: Unit | None = None,
) -> Figure:
    """Any figure of a run of one link, in the unit of its kind if no other is said."""
    found = unit or _UNITS[kind]
    if not value:
        return Figure(value, found, no_range=NoRange.NOTHING_CARRIED, load=load)
    return Figure(value, found, _range(kind, value, layout, load, collisions_per_s), load=load)


_UNITS: Final = {
    FigureKind.RATE: Unit.MB_PER_S,
    FigureKind.RDEV_UTIL: Unit.PERCENT,
    FigureKind.CPU: Unit.CPU,
    FigureKind.SERVICE: Unit.MS,
}


def _range(
    kind: FigureKind, value: float, layout: Layout, load: Load, collisions_per_s: float
) -> Range:
    workload = load.workload
    family = family_of(
        len(layout.ctcs),
        workload.mean_length,
        load.pairs,
        collisions_per_s,
        appc=workload.traffic is not Traffic.TRANSPORT,
    )
    if kind is not FigureKind.CPU:  # a site's fit does not change what messages cost it
        fitted = site_range(value, layout, workload, load.pairs)
        if fitted is not None:
            return fitted
    return widened(value, range_of(kind, value, family), assumed(layout, kind))


def link_ratio(
    ratio: float, before: Layout, after: Layout, differs: Differs = Differs.LAYOUT
) -> Figure:
    """How many times the rate of a run another one has: every odds of two runs are its odds.

    The runs differ in their layouts, or else in one thing of their load. What an assumption does to
    another load is not known: at most all that it does to the figure.
    """
    found = ratio_range(ratio, differs, one_ctc=1 in (len(before.ctcs), len(after.ctcs)))
    alike = differs is Differs.LAYOUT
    widenings = assumed_apart(before, after) if alike else assumed(after)
    return Figure(ratio, Unit.TIMES, widened(ratio, found, widenings))


def links_ratio(ratio: float, before: Sequence[Layout], after: Sequence[Layout]) -> Figure:
    """How many times what links carry together others do: the widest of those that change.

    Links are the same by their names. Where none of them changes, as others are gone, all count.
    """
    was = {link.name: link for link in before}
    both = [(was[link.name], link) for link in after]
    changed = [(one, other) for one, other in both if one.ctcs != other.ctcs]
    found = [link_ratio(ratio, *each) for each in changed or both]
    return max(found, key=lambda each: each.ends.high)


def run_figures(experiment: Experiment, figures: Mapping[str, float]) -> dict[str, Figure]:
    """The figures of a run that are `RANGED`, by their names; ``figures`` may have others.

    They say no load: a run is of one, whichever way its messages go.
    """
    load = Load(experiment.workload, experiment.pairs)
    collisions = figures.get("collisions_per_s", 0.0)
    return {
        name: replace(
            figure_of(kind, figures[name], experiment.layout, load, collisions, unit), load=None
        )
        for name, (kind, unit) in RANGED.items()
        if name in figures
    }


def mostly_writes(device: DeviceResult) -> bool:
    """Whether the service times of a device are of the kind whose errors are known."""
    return device.busy_percent > WRITES_BUSY_PERCENT and device.disc_ms >= WRITES_DISC_MS


def flat_range(name: str, found: Figure) -> dict[str, float]:
    """The range of a figure as columns of a row that has it by ``name``; none, no columns."""
    within = found.range
    ends = {} if within is None else {"likely": within.likely, "sure": within.sure}
    return {
        f"{name}_{case}_{end}": value
        for case, interval in ends.items()
        for end, value in (("low", interval.low), ("high", interval.high))
    }


def links_rate(mb_per_s: float, links: Sequence[Layout], load: Load | None = None) -> Figure:
    """What several links with several CTCs each carry together, in MB/s.

    At a site that the model was fitted to, its range is the widest of theirs, for long messages.
    """
    if not mb_per_s:
        return Figure(mb_per_s, Unit.MB_PER_S, no_range=NoRange.NOTHING_CARRIED, load=load)
    return Figure(mb_per_s, Unit.MB_PER_S, _links_range(mb_per_s, links), load=load)


def _links_range(mb_per_s: float, links: Sequence[Layout]) -> Range:
    workload, pairs = STATED.workload, STATED.pairs
    fitted = [site_range(mb_per_s, link, workload, pairs) for link in links]
    if (known := [each for each in fitted if each is not None]) and len(known) == len(fitted):
        return max(known, key=lambda each: each.likely.high)
    found = range_of(FigureKind.RATE, mb_per_s, Family(SEVERAL_CTCS))
    widest = {each.name: each for link in links for each in assumed(link)}
    return widened(mb_per_s, found, [*widest.values()])
