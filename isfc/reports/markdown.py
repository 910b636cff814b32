"""A report as Markdown, with tables as GitHub has them: for a ticket, a wiki or a change record."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from isfc.reports.chart import Grid
from isfc.reports.report import Column, Report, Table, unranged
from isfc.reports.units import shown

_MARKS: Final = re.compile(r"([\\`*_\[\]<>|~#])")
"""What Markdown may read as more than a character."""


def page(report: Report) -> str:
    """The whole report: its answer, every table and grid, and what is known of them."""
    answer = "\n".join(f"- **{plain(label)}:** {plain(said)}" for label, said in report.answer)
    tables = [*map(table, report.shown), *map(_grid, report.grids)]
    told = dict.fromkeys(map(plain, (unranged(report.shown), *report.remarks, *report.notes)))
    parts = filter(None, (f"## {plain(report.title)}", answer, *tables, *told))
    return "\n\n".join((*parts, *map(page, report.sections))) + "\n"


def table(of: Table) -> str:
    """A table below its caption, if it has one."""
    cells = [cell for column in of.columns for cell in _cells(column, of.rows)]
    return _lines(of.caption, cells)


def _cells(column: Column, rows: Sequence[object]) -> Iterator[list[str]]:
    """Its heading, how it is aligned, and its cells; then those of its ranges."""
    side = "--:" if column.is_number(rows) else "---"
    yield [column.heading, side, *map(column.words, rows)]
    if column.has_ranges(rows):
        yield ["range", "---", *map(column.range_words, rows)]


def _grid(grid: Grid) -> str:
    columns = zip(*grid.cells, strict=True)
    shades = (
        [head, "--:", *(shown(cell, grid.unit) for cell in cells)]
        for head, cells in zip(grid.across, columns, strict=True)
    )
    return _lines(grid.caption, [["", "--:", *grid.down], *shades])


def _lines(caption: str, columns: Iterable[Sequence[str]]) -> str:
    """A table of columns below its caption."""
    rows = zip(*columns, strict=True)
    lines = (f"| {' | '.join(map(plain, row))} |" for row in rows)
    head = [f"**{plain(caption)}**", ""] if caption else []
    return "\n".join((*head, *lines))


def plain(words: str) -> str:
    """Words on one line, none of whose characters Markdown reads as more."""
    return _MARKS.sub(r"\\\1", " ".join(words.split()))
