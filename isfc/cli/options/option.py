"""Options of commands: those with a value, which may be a number between two, and those without.

Several may be declared as one record, of which each field is an option.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, Final, get_type_hints

import typer
from msgspec import Struct

from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument


def valued(metavar: str, said: str, *names: str) -> Any:
    """An option whose value help calls ``metavar``; ``said`` is its help.

    ``names`` are what it is called, if that does not follow from its parameter.
    """
    return typer.Option(*names, metavar=metavar, help=said)


def flag(name: str, said: str) -> Any:
    """An option that is given or not; ``said`` is its help."""
    return typer.Option(name, help=said)


def bounded(metavar: str, least: float, most: float, said: str, *names: str) -> Any:
    """An option whose numbers lie from ``least`` to ``most``, in the unit that ``metavar`` names.

    ``said`` is its help; ``names`` are as of `valued`. Another number, or not a number, raises
    `ConfigurationError`, which names the option, what was given and both bounds.
    """
    return typer.Option(*names, metavar=metavar, callback=within(least, most, metavar), help=said)


def within(least: float, most: float, metavar: str = "") -> Callable[[Any, Any], Any]:
    """The callback of `bounded`."""
    return checked_by(Argument(metavar, "", least, most))


def checked_by(argument: Argument) -> Callable[[Any, Any], Any]:
    """A callback that raises `ConfigurationError` for a number which the argument cannot be.

    It gets a number, or several where the option may be repeated, or None where it is not given.
    """

    def check(option: typer.CallbackParam, given: Any) -> Any:
        argument.check(option.opts[0], given)
        return given

    return check


def flag_of(name: str, said: str) -> Parameter:
    """The flag ``--name`` as a parameter of a command."""
    hint = Annotated[bool, flag(f"--{name}", said)]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=False, annotation=hint)


class Several(Struct, frozen=True):
    """Stands in the annotation of a record's field that is ``made`` of several options.

    It is made of what each of the ``parameters`` was given, by its name.
    """

    parameters: Sequence[Parameter]
    made: Callable[[Mapping[str, Any]], Any]


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
    hints = _hints(record)
    by_name = signature(record).parameters
    found: list[Parameter] = []
    for name in record.__struct_fields__:
        usual, hint = by_name[name].default, hints[name]
        own = Parameter(name, Parameter.KEYWORD_ONLY, default=usual, annotation=hint)
        found += [own] if (several := _several(hint)) is None else several.parameters
    return found


@cache
def _hints(record: type[Struct]) -> Mapping[str, Any]:
    return get_type_hints(record, include_extras=True)


def _several(hint: Any) -> Several | None:
    return next(
        (each for each in getattr(hint, "__metadata__", ()) if isinstance(each, Several)), None
    )


def taken(given: dict[str, Any], record: type[Struct]) -> Any:
    """The record, of what is ``given`` of its options; that is taken from there."""
    values: dict[str, Any] = {}
    for name in record.__struct_fields__:
        if (several := _several(_hints(record)[name])) is None:
            values[name] = given.pop(name)
        else:
            names = [each.name for each in several.parameters]
            values[name] = several.made({each: given.pop(each) for each in names})
    return record(**values)


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


def put_together(given: dict[str, Any], records: Mapping[str, type[Struct]]) -> None:
    """Put what was given of fields of records together; what one is made into takes its place."""
    for name, record in records.items():
        whole = taken(given, record)
        given[name] = whole.made() if isinstance(whole, Made) else whole


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
        put_together(given, records)
        command(**given)

    # what has a default comes last in a signature, as keywords
    give_parameters(called, [each.replace(kind=Parameter.KEYWORD_ONLY) for each in parameters])
    return called


LinkOption = Annotated[
    str | None,
    valued("NODE-NODE", "Which link of a layout that has several, as ATLANTA-BOSTON.", "--link"),
]
"""What every command has that knows of one link."""

NotesOption = Annotated[
    bool, flag("--notes", "Say how the figures were made, and how far they are known.")
]
"""What every command has whose page answers first."""

JSON_SAID: Final = "Print one JSON document instead of tables."

JsonOption = Annotated[bool, flag("--json", JSON_SAID)]
"""What every command that reports has."""


def expect_one(*options: str) -> None:
    """Raise `ConfigurationError` for two options of which one at most can be given."""
    if len(options) > 1:
        raise ConfigurationError(f"{options[0]} and {options[1]}: expected one of them")


def chosen(given: Mapping[str, Any]) -> str:
    """The name of the one flag that is given, or nothing; raises `ConfigurationError` for two."""
    names = [name for name, value in given.items() if value]
    expect_one(*(f"--{name}" for name in names))
    return "".join(names)
