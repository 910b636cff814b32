"""A report as Markdown, for a ticket, a wiki or a change record, as CSV, and an answer as JSON."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from math import isinf
from typing import Any, Final

from msgspec import UNSET, Struct

from isfc.reports.figure import Figure
from isfc.reports.report import Column, Grid, Report, Table, legend
from isfc.reports.units import shown

_MARKS: Final = re.compile(r"([\\`*_\[\]<>|~#])")
"""What Markdown may read as more than a character."""


def markdown(report: Report) -> str:
    """The whole report as Markdown: its answer, every table and grid, and what is known of them."""
    answer = "\n".join(f"- **{plain(label)}:** {plain(said)}" for label, said in report.answer)
    tables = [*map(markdown_table, report.shown), *map(_grid, report.grids)]
    told = dict.fromkeys(map(plain, (legend(report.shown), *report.remarks, *report.notes)))
    parts = filter(None, (f"## {plain(report.title)}", answer, *tables, *told))
    return "\n\n".join((*parts, *map(markdown, report.sections))) + "\n"


def markdown_table(of: Table) -> str:
    """A table as GitHub has them, below its caption, if it has one."""
    cells = [cell for column in of.columns for cell in _columns(column, of.rows)]
    return _lines(of.caption, cells)


def _columns(column: Column, rows: Sequence[object]) -> Iterator[list[str]]:
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


def records(table: Table) -> list[dict[str, object]]:
    """The rows of a table by their headings, for CSV: one figure a cell, with all its digits.

    Its unit is in the heading; the name of a field that is a plain number says it. A figure has its
    ends in four of five cases behind it.
    """
    return [
        {head: cell for column in table.columns for head, cell in _cells(column, table, row)}
        for row in table.rows
    ]


def _cells(column: Column, table: Table, row: object) -> Iterator[tuple[str, object]]:
    value, figures = column.of(row), column.figures(table.rows)
    heading = f"{column.field} ({figures[0].unit})" if figures else column.field
    yield heading, value.value if isinstance(value, Figure) else value
    if figures:
        within = value.range if isinstance(value, Figure) else None
        yield f"{heading} low", None if within is None else within.likely.low
        yield f"{heading} high", None if within is None else within.likely.high


def encoded(value: object) -> Any:
    """What `json` takes of an answer; the name of a system, an RDEV or a path is a text.

    Of a figure, ``range`` has both ranges and what they are made from, or ``no_range`` says why
    there is none; ``load`` is in words. What has no limit is null. A field of a dataclass that is
    not in its ``repr`` is not of the answer.
    """
    if isinstance(value, Figure):
        within = None if value.range is None else value.range.to_dict()
        load = None if value.load is None else value.load.words
        return _fields(value) | {"range": within, "load": load}
    if isinstance(value, Struct) or (is_dataclass(value) and not isinstance(value, type)):
        return _fields(value)
    if isinstance(value, Mapping):
        return {str(key): encoded(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [encoded(each) for each in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float) and isinf(value):
        return None
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def _fields(record: Any) -> dict[str, Any]:
    if isinstance(record, Struct):
        names = dict(zip(record.__struct_encode_fields__, record.__struct_fields__, strict=True))
    else:
        names = {each.name: each.name for each in fields(record) if each.repr}
    found = ((key, getattr(record, name)) for key, name in names.items())
    return {key: encoded(value) for key, value in found if value is not UNSET}
