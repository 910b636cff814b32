"""Templates of pages, and the parts that Python makes by them.

One environment, which escapes all that it is not told to be HTML.
"""

from collections.abc import Iterable, Sequence
from importlib import resources
from typing import Any, Final

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from ctc.address import format_chpid, format_rdev
from isfc.reports.units import range_of
from scenarios.figures.figure import Figure


def resource(name: str) -> str:
    """The text of a file of `isfc`."""
    return resources.files("isfc").joinpath(name).read_text("utf-8")


_PARTS: Final = "reports/parts.html"


_ENVIRONMENT: Final = Environment(
    loader=FunctionLoader(resource),  # a PackageLoader reads no frozen package
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
_ENVIRONMENT.filters["chpid"] = format_chpid
_ENVIRONMENT.filters["rdev"] = format_rdev
_ENVIRONMENT.globals["resource"] = lambda name: Markup(resource(name))


def render(name: str, **given: Any) -> Markup:
    """What the template in the file ``name`` of `isfc` makes of what it is given."""
    return Markup(_ENVIRONMENT.get_template(name).render(given))


def macro(template: str, name: str, *given: object) -> Markup:
    """What the macro ``name`` in the file ``template`` of `isfc` makes of what it is given."""
    macros = _ENVIRONMENT.get_template(template).module
    return Markup(getattr(macros, name)(*given))


def ranged(shown: str, figure: Figure | None, most: float) -> Markup:
    """A figure with its range in four of five cases, in digits and as a bar of 0 to ``most``."""
    if figure is None or figure.range is None:
        return escape(shown)
    likely = figure.range.likely
    ends = (100 * min(1.0, end / (most or 1.0)) for end in (likely.low, figure.value, likely.high))
    return macro(_PARTS, "bar", shown, range_of(figure), *ends)


def greatest(figures: Iterable[Figure | None]) -> float:
    """The upper end of all ranges: where their bars end."""
    return max((each.ends.high for each in figures if each is not None), default=0.0)


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Markup:
    """A table with a caption, which can be scrolled where the page is narrow."""
    return macro(_PARTS, "table", caption, heads, rows)


def chart(caption: str, svg: Markup) -> Markup:
    """A chart below its caption."""
    return macro(_PARTS, "chart", caption, svg)


def details(summary: str, content: str) -> Markup:
    """What is shown when it is asked for."""
    return macro(_PARTS, "details", summary, content)


def subsection(title: str, content: str) -> Markup:
    """What stands below a heading of its own."""
    return macro(_PARTS, "subsection", title, content)


def panel(
    answers: Iterable[tuple[str, str]],
    notes: Iterable[str] = (),
    *,
    figures: str = "",
    below: str = "",
) -> Markup:
    """The answers, a table of figures and what is ``below`` it; then notes, each once."""
    told = [*dict.fromkeys(filter(None, notes))]
    return macro(_PARTS, "panel", [*answers], figures, below, told)
