"""What links carry on every machine with every card that it can have: ``docs/cards.csv``.

Both ends are on the machine, with as many CTCs on each chpid as there are, up to four. What limits
is found where CP is as slow and as fast on the machine as is likely, too: these differ where the
range cannot tell. ``docs/cards.md`` shows the table and a chart of each machine's newest card.
"""

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ctc.features import FEATURES
from isfc.errors.in_words import grouped
from isfc.layout.capacity import FULL_CTC_COUNT
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.machines import Estimate, card_on, machines
from isfc.layout.processors import Processors
from isfc.link.scan import CTCS_MAX
from isfc.reports.figure import Figure, Interval, Range, Unit
from isfc.reports.picture import picture_svg
from isfc.reports.report import Column, Lines, Report
from scenarios.figures.limit import find_limit
from scenarios.figures.rates import carry
from scenarios.runs.experiment import SATURATED, SATURATING_PAIRS, in_turn, one_way
from tools import DOCS
from tools.calibration.studies import link
from tools.tables import Study

CHPIDS: Final = range(1, 9)
COLUMNS: Final = (
    *("machine", "feature", "card", "chpids", "ctcs", "mb_per_s", "low", "high"),
    *("limits_slow", "limits", "limits_fast"),
)
Case = tuple[str, tuple[str, ...]]
"""A machine, and FICON features that are one for CTCs."""


def cases() -> Iterator[Case]:
    """Every machine with every feature that it can have."""
    for name, machine in machines().items():
        features = [f"FICON {each}" for each in machine.features.split()]
        kinds = grouped((replace(FEATURES[each], feature=""), each) for each in features)
        yield from ((name, tuple(kind)) for kind in kinds.values())


def carried(case: Case) -> list[tuple[str, ...]]:
    """What links carry one way, saturated, with its range, and what limits them."""
    machine, features = case
    found = {chpids: _carried(machine, features, chpids) for chpids in CHPIDS}
    return [found[chpids][number] for number in range(len(features)) for chpids in CHPIDS]


def _carried(machine: str, features: Sequence[str], chpids: int) -> list[tuple[str, ...]]:
    """A line for each feature: runs are alike, ranges are not."""
    ctcs = min(FULL_CTC_COUNT, CTCS_MAX // chpids)
    slow, mid, fast = (Processors(machine, case=each) for each in Estimate)
    links = [_on(link(each, chpids, ctcs), mid) for each in features]
    (run,) = carry([Collection.of(links[0])], SATURATED, in_turn)
    limits = [_limits(_on(links[0], each)) for each in (slow, mid, fast)]
    lines = []
    for feature, layout in zip(features, links, strict=True):
        rate = dataclasses.replace(run, links=Collection.of(layout)).rate
        figures = (f"{each:.4g}" for each in (rate.value, rate.ends.low, rate.ends.high))
        head = machine, feature, str(card_on(feature, [machine])), str(chpids)
        lines.append((*head, str(len(layout.ctcs)), *figures, *limits))
    return lines


def _on(layout: Layout, both: Processors) -> Layout:
    return dataclasses.replace(layout, machines=(both, both))


def _limits(layout: Layout) -> str:
    first = find_limit(one_way(layout, None, SATURATING_PAIRS), with_added=False).first
    return " and ".join(sorted(share.resource.kind.id for share in first))


CARDS: Final = Study(DOCS / "cards.csv", COLUMNS, carried, [*cases()])

DRAWN: Final = ("z10 EC", "z13", "z14", "z15 T01", "z16 A01", "z17 ME1")


class _Point(Struct, frozen=True):
    chpids: int
    machine: str
    rate: Figure


def chart() -> dict[Path, str]:
    """The table of some machines with the newest card of each, drawn."""
    newest = {name: f"FICON {machines()[name].features.split()[-1]}" for name in DRAWN}
    points = []
    for row in CARDS.rows():
        if newest.get(row["machine"]) == row["feature"]:
            value, *ends = (float(row[name]) for name in ("mb_per_s", "low", "high"))
            name = f"{row['machine']}, {row['feature'].removeprefix('FICON ')}"
            known = Range(Interval(*ends), Interval(*ends), "docs/cards.csv")
            figure = Figure(value, Unit.MB_PER_S, known)
            points.append(_Point(int(row["chpids"]), name, figure))
    names = list(dict.fromkeys(point.machine for point in points))
    lines = Lines(
        caption="MB/s (2^20) one way by chpids of each system, saturated",
        rows=points,
        across=Column("chpids", "chpids"),
        up=[Column("MB/s", "rate")],
        of=Column("machine and its newest card", "machine"),
        names=names,
    )
    return {DOCS / "cards.svg": picture_svg(Report("Today's cards", [], charts=[lines]))}
