"""A table of a report as CSV: one figure a cell with all its digits, the unit in the heading.

The name of a field that is a plain number says its unit.
"""

from collections.abc import Iterator

from isfc.reports.figure import Figure
from isfc.reports.report import Column, Table


def records(table: Table) -> list[dict[str, object]]:
    """Its rows by their headings: a figure has its ends in four of five cases behind it."""
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
