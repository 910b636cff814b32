"""A report as a part of a page, with ranges as bars."""

from collections.abc import Iterator

from markupsafe import Markup

from isfc.reports.report import Column, Grid, Plot, Report, Table
from isfc.reports.template import details, greatest, heat, line, panel, ranged, table
from isfc.reports.units import shown
from scenarios.figures.figure import Figure


def section(report: Report) -> Markup:
    """The answer, tables, and then what is known, each sentence once."""
    first = [table_of(each) for each in report.shown if not each.detail]
    more = [table_of(each) for each in report.shown if each.detail]
    more += map(grid_of, report.grids)
    tables = Markup().join([*first, *([details("More", Markup().join(more))] if more else [])])
    lines = Markup().join(plot(each) for each in report.plots if len(each.figures) > 1)
    answer = ((f"{label}:", said) for label, said in report.answer)
    return panel(answer, (*report.remarks, *report.notes), figures=tables, below=lines)


def table_of(part: Table) -> Markup:
    """A table, with bars that end at the greatest of their column."""
    cells = [_cells(column, part) for column in part.columns]
    heads = [column.heading.replace("\n", " ") for column in part.columns]
    return table(part.caption, heads, zip(*cells, strict=True))


def grid_of(grid: Grid) -> Markup:
    """A table whose cells are coloured by how much of the most they are."""
    rows = [
        [
            head,
            *(heat(shown(cell, grid.unit), cell / grid.most if grid.most else 0) for cell in row),
        ]
        for head, row in zip(grid.down, grid.cells, strict=True)
    ]
    return table(grid.caption, ["", *grid.across], rows)


def plot(part: Plot) -> Markup:
    """A line over the whole width: per cent of it, and of the greatest from the top."""
    most, last = max(part.figures), len(part.figures) - 1
    points = [
        (100 * place / last, 100 - 100 * each / (most or 1))
        for place, each in enumerate(part.figures)
    ]
    return line(f"{part.caption}, 0 to {shown(most, part.unit)}", points)


def _cells(column: Column, part: Table) -> Iterator[Markup]:
    most = greatest(column.figures(part.rows))
    for row in part.rows:
        value = column.of(row)
        figure = value if column.ranged and isinstance(value, Figure) else None
        yield ranged(column.words(row), figure, most)
