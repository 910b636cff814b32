"""A report as a part of a page, with ranges as bars, and its charts where they can be drawn."""

from collections.abc import Iterator
from importlib.util import find_spec

from markupsafe import Markup

from isfc.reports.chart import Chart, Grid
from isfc.reports.report import Column, Report, Table, unranged
from isfc.reports.template import chart, details, greatest, panel, ranged, subsection, table
from scenarios.figures.figure import Figure


def section(report: Report) -> Markup:
    """The answer, tables and charts, and then what is known, each sentence once."""
    first = [table_of(each) for each in report.shown if not each.detail]
    first += [chart_of(each) for each in report.charts if not isinstance(each, Grid)]
    more = [table_of(each) for each in report.shown if each.detail]
    more += [chart_of(each) for each in report.charts if isinstance(each, Grid)]
    tables = Markup().join([*first, *([details("More", Markup().join(more))] if more else [])])
    answer = ((f"{label}:", said) for label, said in report.answer)
    below = Markup().join(subsection(each.title, section(each)) for each in report.sections)
    notes = unranged(report.shown), *report.remarks, *report.notes
    return panel(answer, notes, figures=tables) + below


def table_of(part: Table) -> Markup:
    """A table, with bars that end at the greatest of their column."""
    cells = [_cells(column, part) for column in part.columns]
    heads = [column.heading.replace("\n", " ") for column in part.columns]
    return table(part.caption, heads, zip(*cells, strict=True))


def chart_of(drawn: Chart, figures: Table | None = None) -> Markup:
    """A chart below its caption, nothing where vl-convert is not installed; its figures, folded."""
    folded = Markup() if figures is None else details("The figures", table_of(figures))
    if find_spec("vl_convert") is None:
        return folded
    from isfc.reports.picture import chart_svg  # much to load for a page without

    return chart(drawn.caption, Markup(chart_svg(drawn))) + folded


def _cells(column: Column, part: Table) -> Iterator[Markup]:
    most = greatest(column.figures(part.rows))
    for row in part.rows:
        value = column.of(row)
        figure = value if column.ranged and isinstance(value, Figure) else None
        yield ranged(column.words(row), figure, most)
