"""IBM's published figures as charts: a chart for each block of rows, ours beside theirs."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any, Final

from isfc.layout.catalogue import load_layout
from isfc.reports.figure import Figure
from isfc.reports.report import Column, Lines, between, headed
from scenarios.published.replay import Cell, Part
from scenarios.published.table import PublishedRow, PublishedTable

Emulated = Mapping[Cell, Sequence[float]]
"""What was emulated of each published figure, once for each seed."""

_PANELS: Final = (
    *headed(mb_per_s="MB/s, both ways", msgs_per_s="messages/s, both ways"),
    *headed(cpu_percent_per_msg="%CPU/msg", collisions_per_s="collisions/s"),
    Column("RDEV util %", "rdev_util_percent"),
)
_AXES: Final = {"rdevs": "CTCs", "reply_bytes": "bytes of a reply"}
"""What the lower axis is called, by the column that it shows."""
_PAIRS: Final = (1, 5, 10, 50, 100)
"""Those of IBM's tables, each in the same colour in every chart."""


def part_charts(part: Part, emulated: Emulated) -> Iterator[Lines]:
    """A chart for each block of rows, with a line for each number of pairs; of grids alone."""
    if not part.table.is_grid:
        return
    _, across, _ = part.table.key
    for heading, rows in _blocks(part).items():
        yield Lines(
            caption=heading,
            rows=[*_points(part.table, rows, emulated)],
            across=Column(_AXES[across], across),
            up=_panels(part.table),
            of=Column("", "pairs"),
            names=[_pairs(count) for count in _PAIRS],
            dash=Column("", "whose"),
            bars="from the least to the greatest of the seeds",
            marks=[*_chpids(part.table, rows)],
        )


def _panels(table: PublishedTable) -> list[Column]:
    """What is drawn of a table; of %CPU/msg only where there are few other measures."""
    found = [panel for panel in _PANELS if panel.field in table.measures]
    few = [panel for panel in found if panel.field != "cpu_percent_per_msg"]
    return few if len(few) > 1 else found


def _blocks(part: Part) -> dict[str, list[PublishedRow]]:
    """The rows of each block, under its heading: a suite's, or what the companion says."""
    blocks: dict[str, list[PublishedRow]] = defaultdict(list)
    for row in part.rows:
        heading = part.table.heading.format_map(row.columns)
        is_suite = part.table.key[0] == "suite"  # what is sent explains its name
        blocks[heading if is_suite else heading.partition(":")[0]].append(row)
    return blocks


def _points(
    table: PublishedTable, rows: Iterable[PublishedRow], emulated: Emulated
) -> Iterator[dict[str, Any]]:
    """Two points for each row, IBM's and ours: the mean over seeds, from the least to the most."""
    _, across, line = table.key
    for row in rows:
        place = {across: row.number(across), "pairs": _pairs(row.number(line))}
        measures = [measure for measure in table.measures if row.has_number(measure)]
        yield {**place, "whose": "IBM", **{each: row.number(each) for each in measures}}
        ours = {each: _mean(emulated[table.name, row.key, each]) for each in measures}
        yield {**place, "whose": "ours", **ours}


def _mean(figures: Sequence[float]) -> Figure | float:
    least, most = min(figures), max(figures)
    return between(fmean(figures), least, most) if least < most else figures[0]


def _pairs(count: float) -> str:
    """``50 pairs``."""
    return f"{count:g} pair{'s' * (count > 1)}"


def _chpids(table: PublishedTable, rows: Iterable[PublishedRow]) -> Iterator[tuple[float, str]]:
    """Where the link gets one more chpid, which is where curves have their kinks."""
    if table.key[1] != "rdevs" or not table.is_measured:
        return
    names = {row.number("rdevs"): table.runs.layout.format_map(row.columns) for row in rows}
    chpids = {count: len(load_layout(name).fibres) for count, name in names.items()}
    for before, after in pairwise(sorted(chpids)):
        if chpids[after] != chpids[before]:
            yield (before + after) / 2, f"{chpids[after]} chpids"
