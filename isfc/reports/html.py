"""A report as a part of a page, with ranges as bars, and its charts where they can be drawn.

And the templates of pages, with the parts that Python makes by them: one environment, which escapes
all that it is not told to be HTML.
"""

from collections.abc import Iterable, Iterator
from importlib import resources
from importlib.util import find_spec
from typing import Any, Final

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from isfc.errors.in_words import counted
from isfc.reports.figure import Figure
from isfc.reports.report import Chart, Column, Grid, Report, Table, legend
from isfc.reports.units import range_of


def resource(name: str) -> str:
    """The text of a file of `isfc`."""
    return resources.files("isfc").joinpath(name).read_text("utf-8")


_ENVIRONMENT: Final = Environment(
    loader=FunctionLoader(resource),  # a PackageLoader reads no frozen package
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
_ENVIRONMENT.filters["counted"] = counted
_ENVIRONMENT.globals["resource"] = lambda name: Markup(resource(name))


def render(name: str, **given: Any) -> Markup:
    """What the template in the file ``name`` of `isfc` makes of what it is given."""
    return Markup(_ENVIRONMENT.get_template(name).render(given))


def macro(template: str, name: str, *given: object, **named: object) -> Markup:
    """What the macro ``name`` in the file ``template`` of `isfc` makes of what it is given."""
    macros = _ENVIRONMENT.get_template(template).module
    return Markup(getattr(macros, name)(*given, **named))


def part(name: str, *given: object, **named: object) -> Markup:
    """A part of a page: a macro of ``isfc/reports/parts.html``."""
    return macro("reports/parts.html", name, *given, **named)


def ranged(shown: str, figure: Figure | None, most: float) -> Markup:
    """A figure with its range in four of five cases, in digits and as a bar of 0 to ``most``."""
    if figure is None or figure.range is None:
        return escape(shown)
    likely = figure.range.likely
    ends = (100 * min(1.0, end / (most or 1.0)) for end in (likely.low, figure.value, likely.high))
    return part("bar", shown, range_of(figure), *ends)


def greatest(figures: Iterable[Figure]) -> float:
    """The upper end of all ranges: where their bars end."""
    return max((each.ends.high for each in figures), default=0.0)


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
    notes = legend(report.shown), *report.remarks, *report.notes
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
