"""Templates of pages: one environment, which escapes all that it is not told to be HTML."""

from collections.abc import Mapping
from typing import Any, Final

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from ctc.address import format_rdev
from isfc.cli.html.resource import resource


def _points(row: Mapping[str, float | None]) -> list[str]:
    """The points of curves at one place, as cells of a table."""
    values = row.values()
    return ["" if value is None else f"{value:,.1f}".removesuffix(".0") for value in values]


_ENVIRONMENT: Final = Environment(
    loader=FunctionLoader(resource),  # a PackageLoader reads no frozen package
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
_ENVIRONMENT.filters["rdev"] = format_rdev
_ENVIRONMENT.filters["points"] = _points
_ENVIRONMENT.globals["resource"] = lambda name: Markup(resource(name))


def render(name: str, **given: Any) -> Markup:
    """What the template in the file ``name`` of `isfc.cli` makes of what it is given."""
    return Markup(_ENVIRONMENT.get_template(name).render(given))


def macro(template: str, name: str, *given: object) -> Markup:
    """What the macro ``name`` in the file ``template`` of `isfc.cli` makes of what it is given."""
    macros = _ENVIRONMENT.get_template(template).module
    return Markup(getattr(macros, name)(*given))
