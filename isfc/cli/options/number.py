"""Numbers in options: each has a least and a greatest value, and a message that says both."""

from collections.abc import Callable, Sequence
from inspect import signature
from types import SimpleNamespace
from typing import Annotated, Any

import typer

from isfc.errors import ConfigurationError

SEED_MAX = 2**63 - 1
_UNITS = {"S": "s", "BYTES": "bytes", "MB/s": "MB/s", "KM": "km", "PERCENT": "%"}

_Value = Any
"""A number, a list of them where the option may be repeated, or None where it is not given."""


def bounded(metavar: str, least: float, most: float, said: str, name: str | None = None) -> Any:
    """An option whose numbers lie from ``least`` to ``most``, in the unit that ``metavar`` names.

    ``said`` is its help; ``name`` what it is called, if that does not follow from its parameter.
    Another number, or not a number, raises `ConfigurationError`, which names the option, what was
    given and both bounds.
    """
    names = () if name is None else (name,)
    check = within(least, most, _UNITS.get(metavar, ""))
    return typer.Option(*names, metavar=metavar, callback=check, help=said)


def within(least: float, most: float, unit: str = "") -> Callable[[Any, _Value], _Value]:
    """The callback of `bounded`."""

    def check(option: typer.CallbackParam, given: _Value) -> _Value:
        for value in _values(given):
            if not least <= value <= most:  # nor is what is not a number
                raise ConfigurationError(
                    f"{option.opts[0]} {_shown(value)}: expected {_shown(least)} to "
                    f"{_shown(most)} {unit}".rstrip()
                )
        return given

    return check


def check_given(command: Callable[..., None], **given: _Value) -> None:
    """Hold what a program gives against the bounds of a command's options of the same names.

    Raises `ConfigurationError` as `bounded` does, which names the argument.
    """
    for name, value in given.items():
        option = signature(command).parameters[name].annotation.__metadata__[0]
        option.callback(SimpleNamespace(opts=[name]), value)


def _values(given: _Value) -> Sequence[float]:
    if given is None:
        return ()
    return given if isinstance(given, Sequence) else (given,)


def _shown(value: float) -> str:
    """A number as a message has it: an absurd one in short."""
    if isinstance(value, int) and abs(value) <= SEED_MAX:
        return str(value)
    try:
        return f"{value:g}"
    except OverflowError:
        return f"{'-' * (value < 0)}(a number of more than 300 digits)"


JOBS_MAX = 1_024

JobsOption = Annotated[
    int | None, bounded("N", 1, JOBS_MAX, "Runs at a time; as many as processors if not given.")
]
