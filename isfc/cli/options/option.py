"""Options that have a value, those that are given or not, and parameters that options are of."""

from collections.abc import Callable, Sequence
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints

import typer
from msgspec import Struct


def valued(metavar: str, said: str, *names: str) -> Any:
    """An option whose value help calls ``metavar``; ``said`` is its help.

    ``names`` are what it is called, if that does not follow from its parameter.
    """
    return typer.Option(*names, metavar=metavar, help=said)


def flag(name: str, said: str) -> Any:
    """An option that is given or not; ``said`` is its help."""
    return typer.Option(name, help=said)


class Made(Struct, frozen=True):
    """Options of which the command of a function makes one of its arguments."""

    def made(self) -> Any:
        """The argument: the record itself, unless something else is made of it."""
        return self


def give_parameters(command: Callable[..., None], parameters: Sequence[Parameter]) -> None:
    """Let `typer` find these parameters of a command, whatever its function takes."""
    # by setattr: a function's type does not know the attribute, which `inspect.signature` looks for
    setattr(command, "__signature__", Signature(parameters))  # noqa: B010
    command.__annotations__ = {each.name: each.annotation for each in parameters}


def parameters_of(record: type[Struct]) -> list[Parameter]:
    """The fields of a record as parameters of a command."""
    hints = get_type_hints(record, include_extras=True)
    by_name = signature(record).parameters
    return [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=by_name[name].default,
            annotation=hints[name],
        )
        for name in record.__struct_fields__
    ]


def words_of(record: Struct) -> list[str]:
    """The options that make this record again, as words of a command line: what is None is not."""
    words: list[str] = []
    for each in parameters_of(type(record)):
        value = getattr(record, each.name)
        named = each.annotation.__metadata__[0].default  # where `typer` has the first of its names
        option = named if isinstance(named, str) else f"--{each.name.replace('_', '-')}"
        if isinstance(value, bool):
            words += [option] * value
        elif value is not None:
            for one in value if isinstance(value, list) else [value]:
                words += [option, str(one)]
    return words
