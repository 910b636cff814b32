"""The parts that every section of the page is made of: tables, figures, details and curves."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import resources

from isfc.cli.output.ranges import plain
from isfc.io.charts import Chart
from scenarios.figures.certainty import Range


def resource(name: str) -> str:
    """The text of a file beside this module."""
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def scroll_script() -> str:
    """What tells readers that the rest of a figure or a table can be scrolled to."""
    return resource("scroll.js")


def section(name: str, heading: str, content: str) -> str:
    """A section of its own, which a navigation leads to."""
    return (
        f'<section id="{name}" aria-labelledby="{name}-heading">'
        f'<h2 id="{name}-heading">{heading}</h2>\n{content}</section>'
    )


def navigation(label: str, headings: Mapping[str, str]) -> str:
    """Links to sections: their headings by their ids."""
    items = "".join(
        f'<li><a href="#{name}">{escape(heading)}</a></li>' for name, heading in headings.items()
    )
    return f'<nav aria-label="{escape(label)}"><ul>{items}</ul></nav>'


def figure(name: str, mark: str, caption: str, tools: str = "") -> str:
    """A place for a chart; what it shows is said in words and stands in a table as well."""
    focus = ' tabindex="0"' if tools else ""
    return (
        f'<figure id="{name}{mark}" class="{name}">'
        f"<figcaption>{escape(caption)}</figcaption>{tools}"
        f'<div class="chart" role="group" aria-label="{escape(caption)}"{focus}></div></figure>\n'
    )


def drawn(label: str, svg: str) -> str:
    """A drawing, which can be scrolled where the page is narrow."""
    return f'<div class="drawing" tabindex="0" role="region" aria-label="{label}">{svg}</div>'


def details(summary: str, content: str) -> str:
    """What is shown when it is asked for."""
    return f"<details><summary>{escape(summary)}</summary>{content}</details>\n"


class Markup(str):
    """A cell that is HTML already."""

    __slots__ = ()


def ranged(shown: str, within: Range | None, most: float) -> Markup:
    """A figure with its range in four of five cases, in digits and as a bar of 0 to ``most``."""
    if within is None:
        return Markup(escape(shown))
    low, value, high = (
        100 * min(1.0, end / (most or 1.0))
        for end in (within.likely.low, within.value, within.likely.high)
    )
    words = plain(within.likely)
    return Markup(
        f'{escape(shown)} <small>{words}</small><svg class="range" viewBox="0 0 100 8" role="img" '
        f'preserveAspectRatio="none" aria-label="in four of five cases {words}">'
        f'<rect x="{low:.1f}" y="2" width="{max(0.5, high - low):.1f}" height="4"/>'
        f'<rect class="point" x="{value - 0.7:.1f}" y="0" width="1.4" height="8"/></svg>'
    )


def greatest(ranges: Iterable[Range | None]) -> float:
    """The upper end of all ranges: where their bars end."""
    return max((each.likely.high for each in ranges if each is not None), default=0.0)


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with a caption, which can be scrolled where the page is narrow."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    lines = "".join(
        "<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{lines}</tbody></table></div>\n"
    )


def _cell(cell: object) -> str:
    return cell if isinstance(cell, Markup) else escape(str(cell))


def curves(charts: Mapping[str, Chart], mark: str = "") -> str:
    """A figure for each chart, and its points in a table."""
    return "".join(
        figure(name, mark, chart.title)
        + details(
            "The figures",
            table(
                chart.title,
                (chart.x_name, *(curve.name for curve in chart.curves)),
                ([_shown(value) for value in row.values()] for row in chart.rows()),
            ),
        )
        for name, chart in charts.items()
    )


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:,.1f}".removesuffix(".0")
