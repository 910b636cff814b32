"""The range of a figure of a run: from what is known of runs like it, and of what it rests on.

At a site that the model was fitted to, it comes from how well the fit knows it. A constant that is
known to so many percent moves a rate by its share of that: ``elasticities.csv`` says how much the
rate follows each (`tools.calibration.studies` renews it). What the site's figures do not tell
stays as uncertain as it was. That is the range of the fit; it is no narrower than what was held
back is off.

Where a layout or a load was not measured at the site, the range has the model's known errors from
one layout, load or number of pairs to another as well, which are those of ratios. They are less
than those of figures, and so a fit narrows a range.

A range knows where it stands: it grows with the distance from IBM's runs (`beyond`), allows for
what messages may cost a lock beyond IBM's highest rates, and where messages are farther away than
errors can tell there is none.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from ctc.features import FEATURES
from isfc.layout.capacity import directions_of
from isfc.layout.layout import Layout, layout_kind
from isfc.layout.site import CONSTANTS, SiteProfile
from isfc.link.message import Traffic
from isfc.reports.figure import Figure, Interval, NoRange, Range, Unit
from scenarios.figures.assumptions import (
    MEASURED_GBPS_MAX,
    NORMAL_80,
    NORMAL_95,
    OVER_DISTANCE,
    Widening,
    assumed,
    assumed_apart,
    feature_of,
    widened,
)
from scenarios.figures.certainty import (
    SEVERAL_CTCS,
    Differs,
    Errors,
    Family,
    FigureKind,
    family_of,
    growth,
    octaves,
    octaves_from,
    range_of,
    ratio_errors,
    ratio_range,
)
from scenarios.runs.experiment import NS_PER_S, STATED, Experiment, Load
from scenarios.runs.notes import APPC_REPLY_LENGTHS, PAIRS_MAX, WRITERS_MAX, shipped_lines
from scenarios.runs.result import MIB, DeviceResult
from scenarios.runs.workload import SUITES, LinkLoad, Workload, find_workload

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


OTHER_WORKLOAD: Final = "a workload that was not fitted to"


def site_range(value: float, layout: Layout, workload: Workload, pairs: int) -> Range | None:
    """Of a rate; None where nothing is known of the fit, or the layout's features are not its."""
    site = layout.site
    if site is None or not site.tells_of(fibre.profile.feature for fibre in layout.fibres):
        return None
    off = 0.0 if site.held_back is None else site.held_back.median / 100
    fit = math.hypot(fit_deviation(site, layout, workload, pairs), off)
    others = [*_not_measured(site, layout, workload, pairs)]
    names = [name for name, _ in others]
    if OTHER_WORKLOAD in names and not is_told(workload):
        return None
    grown = growth(sum(beyond(layout, workload, pairs).values()))
    if site.doubts:
        fit = math.hypot(fit, REFUSED)
        names.append("a fit that was refused")
    logs = [
        math.hypot(
            deviations * fit, *(grown * math.log(getattr(errors, case)) for _, errors in others)
        )
        for deviations, case in ((NORMAL_80, "four_of_five"), (NORMAL_95, "nineteen_of_twenty"))
    ]
    likely, sure = (Interval(value * math.exp(-each), value * math.exp(each)) for each in logs)
    intervals = f"{site.intervals} interval{'s' * (site.intervals != 1)}"
    found = Range(likely, sure, f"the fit {site.name} to {intervals}", tuple(names))
    if layout_kind(layout) == site.layout:
        return found
    return widened(value, found, [each for each in assumed(layout) if each.name == OVER_DISTANCE])


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


def _not_measured(
    site: SiteProfile, layout: Layout, workload: Workload, pairs: int
) -> Iterator[tuple[str, Errors]]:
    """What is different from everything that was measured, and the errors of such ratios."""
    if layout_kind(layout) != site.layout:
        yield "another layout than the fit's", ratio_errors(Differs.LAYOUT)
    loads = [load.rpartition(":") for load in site.loads]
    if workload.name not in [name for name, _, _ in loads]:
        yield OTHER_WORKLOAD, ratio_errors(Differs.WORKLOAD)
    elif f"{workload.name}:{pairs}" not in site.loads:
        yield "pairs that were not fitted to", ratio_errors(Differs.PAIRS)


def _line_like(layout: Layout, workload: Workload, pairs: int) -> Mapping[str, str]:
    """The line of the link and load that are most alike."""
    gbps = FEATURES[feature_of(layout)].link_gbps if feature_of(layout) in FEATURES else 2
    wanted = (gbps, len(layout.ctcs), workload.mean_length + workload.reply_length, pairs)

    def apart(line: Mapping[str, str]) -> float:
        suite = SUITES[line["suite"]]
        length, ctcs = suite.mean_length + suite.reply_length, int(line["ctcs"])
        have = (FEATURES[line["feature"]].link_gbps, ctcs, length, int(line["pairs"]))
        return sum(abs(math.log(ours / theirs)) for ours, theirs in zip(wanted, have, strict=True))

    return min(shipped_lines(__package__, "elasticities.csv"), key=apart)


LIKE: Final = {
    traffic: tuple(map(find_workload, names))
    for traffic, names in (
        (Traffic.TRANSPORT, SUITES),
        (Traffic.LEGACY, [f"CDU:{length}" for length in APPC_REPLY_LENGTHS]),
    )
}
"""What IBM ran of each kind of traffic (published), or the ends of it."""

OCTAVES_MAX: Final = 6.0
"""A load whose messages and replies are farther from IBM's has no range. Chosen: HS, which is the
farthest from all other suites, is half as far from them."""

MESSAGES_PER_S_MAX: Final = 45_906
"""IBM's highest rate of any kind (published: APPC/VM, replies of 1 byte on 4 CTCs)."""

MESSAGE_LOCK_NS: Final = 4_000
"""At most so long a lock may be held for each message besides what the model has: IBM's rates allow
for 1,000 to 4,000 (assumed: HS with 100 pairs bounds it)."""

PAIRS, LENGTHS, REPLIES = "more pairs", "messages of other lengths", "replies of other lengths"
WRITERS, SPEED, LOCKS = "writers on a chpid", "faster links", "what messages may cost locks"


def beyond(layout: Layout, workload: Workload, pairs: int) -> dict[str, float]:
    """By how many octaves a run is beyond IBM's, and in what."""
    writers = max(n for way in directions_of(layout) for n in way.ctcs_by_chpid.values())
    gbps = max(fibre.profile.link_gbps for fibre in layout.fibres)
    found = {
        **_away(workload),
        PAIRS: octaves(pairs, 1, PAIRS_MAX),
        WRITERS: octaves(writers, 1, WRITERS_MAX),
        SPEED: octaves(gbps, 1, MEASURED_GBPS_MAX),
    }
    return {name: away for name, away in found.items() if away}


def is_told(workload: Workload) -> bool:
    """Whether a load is so much like IBM's that errors tell something of it."""
    return sum(_away(workload).values()) <= OCTAVES_MAX


def _away(workload: Workload) -> dict[str, float]:
    """By how many octaves its messages and replies are beyond IBM's."""
    far = octaves_from(workload, LIKE[workload.traffic])
    return {name: away for name, away in zip((LENGTHS, REPLIES), far, strict=True) if away}


def _locks(value: float, unit: Unit, workload: Workload) -> Widening:
    """What messages may cost locks: so much longer each of those beyond IBM's highest rate takes.

    Messages a second are those of both ways, of which each end builds half.
    """
    lengths = workload.mean_length + workload.reply_length
    per_s = {Unit.MB_PER_S: value * MIB / lengths, Unit.PER_S: value / 2}.get(unit, 0.0)
    most, held_s = max(MESSAGES_PER_S_MAX, per_s), MESSAGE_LOCK_NS / NS_PER_S
    return Widening(LOCKS, (1 + held_s * MESSAGES_PER_S_MAX) / (1 + held_s * most), 1.0)


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
    within = _range(kind, value, layout, load, collisions_per_s, found)
    return Figure(value, found, within, "" if within else NoRange.TOO_FAR, load)


_UNITS: Final = {
    FigureKind.RATE: Unit.MB_PER_S,
    FigureKind.RDEV_UTIL: Unit.PERCENT,
    FigureKind.CPU: Unit.CPU,
    FigureKind.SERVICE: Unit.MS,
}


def _range(
    kind: FigureKind, value: float, layout: Layout, load: Load, collisions_per_s: float, unit: Unit
) -> Range | None:
    """None where nothing tells how far off such a load is."""
    workload = load.workload
    if kind is not FigureKind.CPU:  # a site's fit does not change what messages cost it
        fitted = site_range(value, layout, workload, load.pairs)
        if fitted is not None:
            return fitted
    if not is_told(workload):
        return None
    appc = workload.traffic is not Traffic.TRANSPORT
    length = workload.mean_length
    family = family_of(len(layout.ctcs), length, load.pairs, collisions_per_s, appc=appc)
    found = range_of(kind, value, family, beyond(layout, workload, load.pairs))
    locks = [_locks(value, unit, workload)] if kind is FigureKind.RATE else []
    return widened(value, found, [*assumed(layout, kind), *locks])


def link_ratio(
    ratio: float,
    before: Layout,
    after: Layout,
    differs: Differs = Differs.LAYOUT,
    loads: Sequence[LinkLoad | Load] = (),
) -> Figure:
    """How many times the rate of a run another one has: every odds of two runs are its odds.

    The runs differ in their layouts, or else in one thing of their load. What an assumption does to
    another load is not known: at most all that it does to the figure. It grows with the distance of
    the messages of ``loads`` from IBM's, by which growth is known (`certainty.GROWTH_PER_OCTAVE`).
    """
    if not all(is_told(each.workload) for each in loads):
        return Figure(ratio, Unit.TIMES, no_range=NoRange.TOO_FAR)
    every = (_away(each.workload) for each in loads)
    away = max(every, key=lambda each: sum(each.values()), default={})
    found = ratio_range(ratio, differs, away, one_ctc=1 in (len(before.ctcs), len(after.ctcs)))
    alike = differs is Differs.LAYOUT
    widenings = assumed_apart(before, after) if alike else assumed(after)
    return Figure(ratio, Unit.TIMES, widened(ratio, found, widenings))


def links_ratio(
    ratio: float,
    before: Sequence[Layout],
    after: Sequence[Layout],
    loads: Sequence[LinkLoad | Load],
) -> Figure:
    """How many times what links carry together others do: the widest of those that change.

    Links are the same by their names. Where none of them changes, as others are gone, all count.
    """
    was = {link.name: link for link in before}
    both = [(was[link.name], link) for link in after]
    changed = [(one, other) for one, other in both if one.ctcs != other.ctcs]
    found = [link_ratio(ratio, *each, loads=loads) for each in changed or both]
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
    within = _links_range(mb_per_s, links, load or STATED)
    return Figure(mb_per_s, Unit.MB_PER_S, within, "" if within else NoRange.TOO_FAR, load)


def _links_range(mb_per_s: float, links: Sequence[Layout], load: Load) -> Range | None:
    workload, pairs = STATED.workload, STATED.pairs
    fitted = [site_range(mb_per_s, link, workload, pairs) for link in links]
    if (known := [each for each in fitted if each is not None]) and len(known) == len(fitted):
        return max(known, key=lambda each: each.likely.high)
    loads = [(each.workload, each.pairs) for each in load.each]
    if not all(is_told(each) for each, _ in loads):
        return None
    away = (beyond(link, *each) for link in links for each in loads)
    farthest = max(away, key=lambda found: sum(found.values()))
    found = range_of(FigureKind.RATE, mb_per_s, Family(SEVERAL_CTCS), farthest)
    widest = {each.name: each for link in links for each in assumed(link)}
    return widened(mb_per_s, found, [*widest.values()])
