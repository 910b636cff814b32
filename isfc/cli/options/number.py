"""Numbers in options: each has a least and a greatest value, and a message that says both."""

from collections.abc import Callable
from typing import Any

import typer

from isfc.arguments import Argument

_Value = Any
"""A number, a list of them where the option may be repeated, or None where it is not given."""


def bounded(metavar: str, least: float, most: float, said: str, name: str | None = None) -> Any:
    """An option whose numbers lie from ``least`` to ``most``, in the unit that ``metavar`` names.

    ``said`` is its help; ``name`` what it is called, if that does not follow from its parameter.
    Another number, or not a number, raises `ConfigurationError`, which names the option, what was
    given and both bounds.
    """
    names = () if name is None else (name,)
    check = within(least, most, metavar)
    return typer.Option(*names, metavar=metavar, callback=check, help=said)


def within(least: float, most: float, metavar: str = "") -> Callable[[Any, _Value], _Value]:
    """The callback of `bounded`."""
    argument = Argument(metavar, "", least, most)

    def check(option: typer.CallbackParam, given: _Value) -> _Value:
        argument.check(option.opts[0], given)
        return given

    return check
