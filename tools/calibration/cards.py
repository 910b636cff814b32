"""What links carry on every machine with every card that it can have: ``docs/cards.csv``.

Both ends are on the machine at its middle speed, with as many CTCs on each chpid as there are, at
most four; ranges go from its low to its high speed. MB/s are what is to be counted on, beside what
the model carries. ``docs/cards.md`` shows the table, and a chart of some machines with the newest
card of each.
"""

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from ctc.features import FEATURES
from isfc.errors.in_words import grouped
from isfc.layout.capacity import FULL_CTC_COUNT
from isfc.layout.machines import card_on, machines
from isfc.layout.processors import Processors
from isfc.link.scan import CTCS_MAX
from isfc.reports.figure import Unit
from isfc.reports.picture import picture_svg
from isfc.reports.report import Column, Lines, Report, between
from scenarios.figures.limit import find_limit
from scenarios.figures.rates import ModelledRate
from scenarios.runs.experiment import SATURATING_PAIRS, one_way
from scenarios.runs.steady import steady_run
from tools import DOCS
from tools.calibration.studies import link
from tools.tables import Study

CHPIDS: Final = range(1, 9)
COLUMNS: Final = "machine feature card chpids ctcs mb_per_s low high by_model limits".split()
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
    found = [carried_by(*case, chpids) for chpids in CHPIDS]
    return [line for of_feature in zip(*found, strict=True) for line in of_feature]


def carried_by(machine: str, features: Sequence[str], chpids: int) -> list[tuple[str, ...]]:
    """A line for each feature: runs are alike, ranges are not."""
    ctcs, on = min(FULL_CTC_COUNT, CTCS_MAX // chpids), Processors(machine)
    links = [dataclasses.replace(link(f, chpids, ctcs), machines=(on, on)) for f in features]
    asked = one_way(links[0], None, SATURATING_PAIRS)
    found, first = steady_run(asked), find_limit(asked, with_added=False).first
    limits = " and ".join(sorted(share.resource.kind.id for share in first))
    lines = []
    for feature, layout in zip(features, links, strict=True):
        both, head = (found.rate, found.rate), (machine, feature, card_on(feature, [machine]))
        way = ModelledRate(layout, layout.nodes[0], both, SATURATING_PAIRS, found.result)
        rate = way.stated
        figures = rate.value, rate.ends.low, rate.ends.high, rate.modelled
        size = str(chpids), str(len(layout.ctcs))
        lines.append((*head, *size, *(f"{each:.4g}" for each in figures), limits))
    return lines


CARDS: Final = Study(DOCS / "cards.csv", COLUMNS, carried, [*cases()])

DRAWN: Final = ("z10 EC", "z13", "z14", "z15 T01", "z16 A01", "z17 ME1")


def chart() -> dict[Path, str]:
    """The table of some machines with the newest card of each, drawn."""
    newest = {name: f"FICON {machines()[name].features.split()[-1]}" for name in DRAWN}
    rate = ("mb_per_s", "low", "high")
    points = [
        {
            "chpids": int(row["chpids"]),
            "name": f"{row['machine']}, {row['feature'].removeprefix('FICON ')}",
            "rate": replace(between(*(float(row[each]) for each in rate)), unit=Unit.MB_PER_S),
        }
        for row in CARDS.rows()
        if newest.get(row["machine"]) == row["feature"]
    ]
    lines = Lines(
        caption="MB/s (2^20) one way by chpids of each system, saturated",
        rows=points,
        across=Column("chpids", "chpids"),
        up=[Column("MB/s", "rate")],
        of=Column("machine and its newest card", "name"),
        names=list(dict.fromkeys(str(point["name"]) for point in points)),
    )
    return {DOCS / "cards.svg": picture_svg(Report("Today's cards", [], charts=[lines]))}
