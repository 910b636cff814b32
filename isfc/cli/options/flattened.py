"""Options that several commands share, as one record, flattened: a field of it is an option."""

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints

from msgspec import Struct


class Made(Struct, frozen=True):
    """Options of which the command of a function makes one of its arguments."""

    def made(self) -> Any:
        """The argument: the record itself, unless something else is made of it."""
        return self


def flattened(command: Callable[..., None]) -> Callable[..., None]:
    """The command with each record among its parameters replaced by that record's fields.

    A record is a struct, whose fields are annotated as a command's parameters are. It is put
    together again before the command is called.
    """
    hints = get_type_hints(command, include_extras=True)
    records = {
        name: hints[name]
        for name in signature(command).parameters
        if isinstance(hints[name], type) and issubclass(hints[name], Struct)
    }
    parameters: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        if name in records:
            parameters += parameters_of(records[name])
        else:
            parameters.append(parameter.replace(annotation=hints[name]))

    @wraps(command)
    def called(**given: Any) -> None:
        whole = {
            name: record(**{field: given.pop(field) for field in record.__struct_fields__})
            for name, record in records.items()
        }
        command(**whole, **given)

    # what has a default comes last in a signature, as keywords
    give_parameters(called, [each.replace(kind=Parameter.KEYWORD_ONLY) for each in parameters])
    return called


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
