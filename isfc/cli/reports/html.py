"""A report as a part of a page, with ranges as bars."""

from collections.abc import Iterator

from markupsafe import Markup

from isfc.cli.reports.report import Column, Report, Table
from isfc.cli.reports.template import greatest, panel, ranged, table
from isfc.cli.reports.terminal import words
from scenarios.figures.figure import Figure


def section(report: Report) -> Markup:
    """The answer, tables, and then what is known, each sentence once."""
    tables = Markup().join(map(table_of, report.tables))
    answer = ((f"{label}:", said) for label, said in report.answer)
    return panel(answer, (*report.remarks, *report.notes), figures=tables)


def table_of(part: Table) -> Markup:
    """A table, with bars that end at the greatest of their column."""
    cells = [_cells(column, part) for column in part.columns]
    heads = [column.heading.replace("\n", " ") for column in part.columns]
    return table(part.caption, heads, zip(*cells, strict=True))


def _cells(column: Column, part: Table) -> Iterator[Markup]:
    most = greatest(column.figures(part.rows))
    for row in part.rows:
        value = column.of(row)
        figure = value if column.ranged and isinstance(value, Figure) else None
        yield ranged(words(value, column), figure, most)
