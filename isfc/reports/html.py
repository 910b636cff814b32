"""A report as a part of a page, with ranges as bars, and its charts where they can be drawn."""

from collections.abc import Iterator
from importlib.util import find_spec

from markupsafe import Markup

from isfc.reports.chart import Chart, Grid
from isfc.reports.figure import Figure
from isfc.reports.report import Column, Report, Table, unranged
from isfc.reports.template import greatest, part, ranged, render


def section(report: Report) -> Markup:
    """The answer, tables and charts, and then what is known, each sentence once."""
    first = [table_of(each) for each in report.shown if not each.detail]
    first += [chart_of(each) for each in report.charts if not isinstance(each, Grid)]
    more = [table_of(each) for each in report.shown if each.detail]
    more += [chart_of(each) for each in report.charts if isinstance(each, Grid)]
    if more:
        first.append(part("details", "More", Markup().join(more)))
    answer = ((label and f"{label}:", said) for label, said in report.answer)
    below = (part("subsection", each.title, section(each)) for each in report.sections)
    notes = unranged(report.shown), *report.remarks, *report.notes
    return part("panel", [*answer], Markup().join(first), notes) + Markup().join(below)


def cell(report: Report) -> str:
    """The whole report as what a cell of a notebook shows; notebooks have no styles of ours."""
    return render("reports/notebook.html", title=report.title, section=section(report))


def table_of(shown: Table) -> Markup:
    """A table, with bars that end at the greatest of their column."""
    cells = [_cells(column, shown) for column in shown.columns]
    heads = [column.heading.replace("\n", " ") for column in shown.columns]
    return part("table", shown.caption, heads, zip(*cells, strict=True))


def chart_of(drawn: Chart, figures: Table | None = None) -> Markup:
    """A chart below its caption, nothing where vl-convert is not installed; its figures, folded."""
    folded = Markup() if figures is None else part("details", "The figures", table_of(figures))
    if find_spec("vl_convert") is None:
        return folded
    from isfc.reports.picture import chart_svg  # much to load for a page without

    return part("chart", drawn.caption, Markup(chart_svg(drawn))) + folded


def _cells(column: Column, shown: Table) -> Iterator[Markup]:
    most = greatest(column.figures(shown.rows))
    for row in shown.rows:
        value = column.of(row)
        figure = value if column.ranged and isinstance(value, Figure) else None
        yield ranged(column.words(row), figure, most)
