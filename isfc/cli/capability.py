"""The command of a capability, made from its function: its arguments are options.

Those that Python takes without their names are no options either: a command has them by their
place. What it answers is printed by one action, as every command prints it. A function's `Argument`
says how an option is called in help; its docstring is the help, but for the paragraphs from
``Raises`` on, which are for Python.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cache, partial
from inspect import Parameter, cleandoc, signature
from types import GenericAlias, MappingProxyType, NoneType
from typing import Annotated, Any, Final, get_args, get_origin

import typer
from msgspec import Struct

from isfc.cli.options.formats import AnswerPrinted, OwnFile, Printing
from isfc.cli.options.layout import DecksOptions, LayoutArgument, LayoutsArgument, ProfileOption
from isfc.cli.options.option import (
    LinkOption,
    Made,
    checked_by,
    flag,
    give_parameters,
    parameters_of,
    put_together,
    taken,
)
from isfc.cli.output.streams import ExitCode, show_error
from isfc.errors import AnswerRefused, ConfigurationError
from isfc.errors.arguments import Argument, annotation_of, as_options, option_of
from isfc.layout.catalogue import Decks
from isfc.reports.report import report_of

SHARED: Final = {
    "layout": LayoutArgument,
    "layouts": LayoutsArgument,
    "before": LayoutArgument,
    "after": LayoutArgument,
    "link": LinkOption,
    "profile": ProfileOption,
}
"""Arguments that all functions have alike, as options."""

IN_PYTHON: Final = frozenset({"ask", "jobs", "progress", "tell"})
"""Arguments that are no options, unless one is an `Argument`: a command takes all processors, and
shows ``progress``, which is told what share is done, from 0 to 1, says what ``tell`` gets, and has
questions answered that ``ask`` gets."""


class Instead(Struct, frozen=True):
    """What ``flag`` has answered instead: by another function, with the options that it has too."""

    flag: str
    said: str
    function: Callable[..., Any]

    @property
    def parameter(self) -> Parameter:
        """The flag as `typer` takes it."""
        hint = Annotated[bool, flag(option_of(self.flag), self.said)]
        return Parameter(self.flag, Parameter.KEYWORD_ONLY, default=False, annotation=hint)

    def taken(self, given: dict[str, Any], usual: dict[str, Any]) -> dict[str, Any]:
        """What its function takes; `ConfigurationError` for what was given beside that."""
        names = _parameters(self.function)
        for name, value in given.items():
            if name not in names and value != usual.get(name):
                raise ConfigurationError(
                    f"{option_of(self.flag)} and {option_of(name)}: expected one of them"
                )
        return {name: value for name, value in given.items() if name in names}


def command_of(
    function: Callable[..., Any],
    code: Callable[[Any], int | str] | None = None,
    own: Sequence[OwnFile] = (),
    report: Callable[[Any], Any] = report_of,
    printed: type[Printing] = AnswerPrinted,
    made: Mapping[str, type[Made]] = MappingProxyType({}),
    instead: Sequence[Instead] = (),
    beside: Mapping[str, Callable[..., Any]] = MappingProxyType({}),
) -> Callable[..., None]:
    """The command that calls ``function`` and prints the report of what it answers.

    ``code`` makes the exit code of an answer, or says last in what it fails; ``own`` are files that
    it writes of the answer, which keeps what an argument of that name says, if there is one.
    ``report`` is of an answer that knows none; a ``printed`` of its own
    prints in other ways too. Arguments may be ``made`` of several options, as a record of
    `Argument`s is of its fields, or stand ``beside`` them, as what shows what is told; flags may
    ask other functions ``instead``. A refused answer is printed, and of its files those are written
    that have a form for it.
    """
    records = {**_records(function), **made}
    names = _parameters(function).keys() - records.keys()
    placed = [name for name in names if _is_placed(function, name)]
    layouts = [name for name in names if _takes_decks(annotation_of(function, name))]
    if layouts and "partitions" not in names:
        records[_DECKS] = DecksOptions

    def command(**given: Any) -> None:
        output: Printing = taken(given, printed)
        written = {each: given.pop(each.name) for each in own}
        output.check(written)
        given |= {each.name: path is not None for each, path in written.items() if each in kept}
        asked, said = function, report
        with as_options(placed):
            given = _whole(given, records, layouts)
            for other in instead:
                if given.pop(other.flag):
                    asked, said = other.function, report_of
                    given = other.taken(given, usual)
            more = {name: beside[name] for name in beside.keys() & _parameters(asked).keys()}
            found, ended, is_given = _answered(asked, given | more, code)
            for each, path in written.items():
                write = each.write if is_given else each.refused
                if path is not None and write is not None:
                    write(path, found)
            output.show(found, said)
        if isinstance(ended, str) and ended:
            show_error(ended)
            raise typer.Exit(ExitCode.FAILED)
        if ended:
            raise typer.Exit(ended)

    options = [*_options(function, records)]
    kept = [each for each in own if each.name in {option.name for option in options}]
    options = [each for each in options if each.name not in {file.name for file in kept}]
    usual = {each.name: each.default for each in options}
    more = (each.parameter for some in (instead, own) for each in some)
    give_parameters(command, [*options, *more, *parameters_of(printed)])
    command.__doc__ = cleandoc(function.__doc__ or "").partition("\n\nRaises ")[0].replace("``", "")
    return command


@cache
def _parameters(function: Callable[..., Any]) -> Mapping[str, Parameter]:
    return signature(function).parameters


def _records(function: Callable[..., Any]) -> dict[str, type[Struct]]:
    """The arguments that are a record of `Argument`s."""
    found = {}
    for name in _parameters(function):
        for kind in get_args(annotation_of(function, name)):
            if isinstance(kind, type) and issubclass(kind, Struct):
                fields = [annotation_of(kind, field) for field in kind.__struct_fields__]
                if all(_said(hint) for hint in fields):
                    found[name] = kind
    return found


def _whole(
    given: dict[str, Any], records: Mapping[str, type[Struct]], layouts: Sequence[str]
) -> dict[str, Any]:
    """The arguments: records of their fields, and layouts with what is said of decks."""
    put_together(given, records)
    if _DECKS in records and (decks := given.pop(_DECKS)):
        given |= {name: decks.given(given[name]) for name in layouts if name in given}
    return given


_DECKS: Final = "decks"
"""What the options of decks are called among the arguments that are records."""


def _takes_decks(hint: Any) -> bool:
    return hint is Decks or any(map(_takes_decks, get_args(hint)))


def _said(hint: Any) -> list[Argument]:
    return [each for each in getattr(hint, "__metadata__", ()) if isinstance(each, Argument)]


def _options(
    function: Callable[..., Any], records: Mapping[str, type[Struct]]
) -> Iterator[Parameter]:
    """Each argument as `typer` takes it."""
    for name, parameter in _parameters(function).items():
        if name in records:
            for each in parameters_of(records[name]):
                if _said(each.annotation):
                    each = each.replace(annotation=_annotated(each, each.annotation))
                yield each
            continue
        hint, default = annotation_of(function, name), parameter.default
        if _said(hint):
            annotation = _annotated(parameter, hint, is_placed=_is_placed(function, name))
        elif name in SHARED:
            annotation = SHARED[name]
        elif name in IN_PYTHON:
            continue
        else:
            raise TypeError(f"{function.__name__}({name}): expected an Argument in its annotation")
        if name == "jobs":
            annotation, default = Annotated[int | None, *annotation.__metadata__], None
        yield Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
    if _DECKS in records:
        yield from parameters_of(records[_DECKS])


def _annotated(parameter: Parameter, hint: Any, *, is_placed: bool = False) -> Any:
    """As `typer` takes it; an option that is on if nothing is said has ``--no-`` too."""
    said, option = _said(hint)[0], option_of(parameter.name)
    if hint.__origin__ is bool and parameter.default:
        option += f"/--no-{option.removeprefix('--')}"
    how: dict[str, Any] = {"metavar": said.metavar or None, "help": said.said}
    how["autocompletion"] = said.complete
    if is_placed:
        taken = typer.Argument(**how)
    else:
        taken = typer.Option(option, callback=checked_by(said), **how)
    return Annotated[_typed(hint.__origin__), taken]


def _is_placed(function: Callable[..., Any], name: str) -> bool:
    if _parameters(function)[name].kind is not Parameter.POSITIONAL_OR_KEYWORD:
        return False
    return not any(each.is_named for each in _said(annotation_of(function, name)))


def _typed(hint: Any) -> Any:
    """The type as `typer` knows it: a sequence may be repeated, what a text may say is a text."""
    if get_origin(hint) is Sequence:
        return GenericAlias(list, _typed(*get_args(hint)))
    several = [_typed(each) for each in get_args(hint) if get_origin(each) is Sequence]
    if list[str] in several:
        return list[str]
    if str in get_args(hint):
        return str | None if NoneType in get_args(hint) else str
    return hint


def _answered(
    function: Callable[..., Any], given: dict[str, Any], code: Callable[[Any], int | str] | None
) -> tuple[Any, int | str, bool]:
    """The answer, what the command ends with or says last, and whether it is not refused."""
    try:
        found = _run(function, given)
    except AnswerRefused as error:
        return error.answer, str(error), False
    return found, ExitCode.GOOD if code is None else code(found), True


def _run(function: Callable[..., Any], given: dict[str, Any]) -> Any:
    """What it answers; all processors run what there is to run, with a bar."""
    arguments = _parameters(function)
    by_rule = given.get("rule")  # of thumb: nothing is run
    runs = {"jobs", "progress"} & {*arguments} and not by_rule
    if "jobs" in arguments and given.get("jobs") is None:
        given["jobs"] = os.cpu_count() or 1
    with ExitStack() as stack:
        if runs:
            from isfc.cli.output.progress import progress_bar, run_all  # much to load
            from scenarios.search.workers import running_by

            run_each = partial(run_all, jobs=given.get("jobs"), is_said=True)
            stack.enter_context(running_by(run_each, progress_bar))
        if "progress" in arguments:
            given["progress"] = _shared_bar(stack)
        return function(**given)


def _shared_bar(stack: ExitStack) -> Callable[[float], None]:
    """What shows the share that is done, from when it is told one: runs have a bar of their own."""
    from isfc.cli.output.progress import progress_bar

    bars: list[Callable[[float], None]] = []

    def said(percent: float) -> str:
        return f"interrupted after {round(percent)} %"

    def tell(share: float) -> None:
        if not bars:
            bars.append(stack.enter_context(progress_bar(100, "%", said, is_said=True)))
        bars[0](round(100 * share))

    return tell
