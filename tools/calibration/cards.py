"""What links carry on every machine with every card that it can have: ``docs/cards.csv``.

Both ends are on the machine, with as many CTCs on each chpid as there are, up to four. What limits
is found where CP is as slow and as fast on the machine as is likely, too: these differ where the
range cannot tell. ``docs/cards.md`` shows the table and a chart of each machine's newest card.
"""

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from isfc.layout.capacity import FULL_CTC_COUNT
from isfc.layout.collection import Collection
from isfc.layout.machines import Estimate, card_on, machines
from isfc.layout.processors import Processors
from isfc.link.scan import CTCS_MAX
from isfc.reports.figure import Figure, Interval, Range, Unit
from isfc.reports.picture import picture_svg
from isfc.reports.report import Column, Lines, Report
from scenarios.figures.rates import carry, limited
from scenarios.runs.experiment import SATURATED, in_turn
from tools import DOCS
from tools.calibration.studies import link
from tools.tables import Study

CHPIDS: Final = range(1, 9)
COLUMNS: Final = (
    *("machine", "feature", "card", "chpids", "ctcs", "mb_per_s", "low", "high"),
    *("limits_slow", "limits", "limits_fast"),
)
Case = tuple[str, str, int]
"""A machine, a FICON feature, and chpids of each system."""


def cases() -> Iterator[Case]:
    """Every machine with every feature that it can have."""
    for name, machine in machines().items():
        for feature in machine.features.split():
            yield from ((name, f"FICON {feature}", chpids) for chpids in CHPIDS)


def carried(case: Case) -> list[tuple[str, ...]]:
    """What a link carries one way, saturated, with its range, and what limits it."""
    machine, feature, chpids = case
    plain = link(feature, chpids, min(FULL_CTC_COUNT, CTCS_MAX // chpids))
    links = [
        Collection.of(dataclasses.replace(plain, machines=(on, on)))
        for on in (Processors(machine, case=each) for each in Estimate)
    ]
    found = limited(carry(links, SATURATED, in_turn), in_turn)
    limits = (
        " and ".join(sorted(share.resource.kind.id for share in each.limit.first))
        for each in found
        if each.limit
    )
    rate = found[Estimate.MID].rate
    figures = (f"{each:.4g}" for each in (rate.value, rate.ends.low, rate.ends.high))
    head = machine, feature, str(card_on(feature, [machine])), str(chpids)
    return [(*head, str(len(plain.ctcs)), *figures, *limits)]


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
