"""Templates of pages, and the parts that Python makes by them.

One environment, which escapes all that it is not told to be HTML.
"""

from collections.abc import Iterable
from importlib import resources
from typing import Any, Final

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from ctc.address import format_chpid, format_rdev
from isfc.reports.figure import Figure
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
_ENVIRONMENT.filters["chpid"] = format_chpid
_ENVIRONMENT.filters["rdev"] = format_rdev
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
