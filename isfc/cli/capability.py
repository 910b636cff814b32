"""The command of a capability, made from its function: its arguments are options.

Those that Python takes without their names are no options either: a command has them by their
place. What it answers is printed by one action, as every command prints it. A function's `Argument`
says how an option is called in help; its docstring is the help, but for the paragraphs from
``Raises`` on, which are for Python.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from inspect import Parameter, cleandoc, signature
from pathlib import Path
from types import GenericAlias, NoneType
from typing import Annotated, Any, Final, get_args, get_origin

import typer
from msgspec import Struct

from isfc.arguments import Argument, annotation_of, as_options, option_of
from isfc.cli.options.flattened import parameters_of
from isfc.cli.options.layout import (
    GivenArgument,
    JsonOption,
    LayoutArgument,
    LayoutsArgument,
    LinkOption,
    expect_one,
)
from isfc.cli.options.option import flag, valued
from isfc.cli.options.own_file import OwnFile, check_files
from isfc.cli.options.profile import ProfileOption
from isfc.cli.output.csv_option import CsvOption
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.file import ForceOption
from isfc.cli.output.streams import show, show_csv, show_error, show_json, show_log, write_file
from isfc.errors import ConfigurationError
from isfc.layout.in_words import check_known
from isfc.reports.report import Report

SHARED: Final = {
    "layout": LayoutArgument,
    "layouts": LayoutsArgument,
    "before": GivenArgument,
    "after": GivenArgument,
    "link": LinkOption,
    "profile": ProfileOption,
}
"""Arguments that all functions have alike, as options."""

IN_PYTHON: Final = frozenset({"jobs", "progress"})
"""Arguments that are no options, unless one is an `Argument`: a command takes all processors."""


class Printed(Struct, frozen=True):
    """How an answer is printed."""

    notes: Annotated[
        bool, flag("--notes", "Say how the figures were made, and how far they are known.")
    ] = False
    json: JsonOption = False
    csv: CsvOption = False
    table: Annotated[
        str | None, valued("NAME", "With --csv, which table, where there are several.")
    ] = None
    force: ForceOption = False

    def check(self, html: Path | None) -> None:
        """Raise `ConfigurationError` for what cannot be printed, before anything is run."""
        expect_one(json=self.json, csv=self.csv, html=html)
        if self.notes and (self.json or self.csv or html):
            raise ConfigurationError("--notes: of the page; JSON, CSV and HTML have all")
        if self.table and not self.csv:
            raise ConfigurationError("--table: expected --csv")

    def show(self, found: Any, report: Callable[[Any], Report], html: Path | None) -> None:
        """Print what was found, by its report but for JSON, unless its page is a file, ``html``.

        Each output is loaded for its own.
        """
        if self.json:
            show_json(found)
        elif self.csv:
            _show_csv(report(found), self.table)
        elif html is None:
            from isfc.reports.terminal import page

            show(page(report(found), notes=self.notes))


def command_of(
    function: Callable[..., Any],
    report: Callable[[Any], Any],
    code: Callable[[Any], ExitCode] | None = None,
    own: Sequence[OwnFile] = (),
    failure: Callable[[Any], str] | None = None,
    printed: type[Struct] = Printed,
) -> Callable[..., None]:
    """The command that calls ``function`` and prints the report of what it answers.

    ``code`` makes the exit code of an answer, which else is a good one; ``own`` are files that it
    writes of the answer. What ``failure`` says of an answer is told last, and ends it with 1. What
    prints answers in other ways too is a ``printed`` of its own.
    """
    pages = [_html_of(report)] if issubclass(printed, Printed) else []
    files = (*own, *pages)
    placed = [each.name for each in signature(function).parameters.values() if _is_placed(each)]

    def command(**given: Any) -> None:
        output: Any = printed(**{name: given.pop(name) for name in printed.__struct_fields__})
        written = {each: given.pop(each.parameter.name) for each in files}
        page = [written[each] for each in pages]
        output.check(*page)
        check_files(written, force=output.force)
        with as_options(placed):
            found = _run(function, given)
            for each, path in written.items():
                if path is not None:
                    each.write(path, found)
            output.show(found, report, *page)
        if code is not None and (ended := code(found)):
            raise typer.Exit(ended)
        if failure is not None and (told := failure(found)):
            show_error(told)
            raise typer.Exit(ExitCode.FAILED)

    options = [*_options(function), *(each.parameter for each in files), *parameters_of(printed)]
    # by setattr: a function's type does not know the attribute, which `inspect.signature` looks for
    setattr(command, "__signature__", signature(command).replace(parameters=options))  # noqa: B010
    command.__annotations__ = {each.name: each.annotation for each in options}
    command.__doc__ = cleandoc(function.__doc__ or "").partition("\n\nRaises ")[0].replace("``", "")
    return command


def _html_of(report: Callable[[Any], Report]) -> OwnFile:
    def write(path: Path, found: Any) -> None:
        from isfc.cli.html.document import page_of

        write_file(path, page_of(report(found)))

    said = "Write the page to a file, with bars for ranges, and print nothing."
    return OwnFile(("--html",), (".html",), "FILE.html", said, write)


def _options(function: Callable[..., Any]) -> Iterator[Parameter]:
    """Each argument as `typer` takes it; of a record each field."""
    for name, parameter in signature(function).parameters.items():
        if kind := _record(function, name):
            yield from _options(kind)
            continue
        hint, default = annotation_of(function, name), parameter.default
        said = [each for each in getattr(hint, "__metadata__", ()) if isinstance(each, Argument)]
        if name in SHARED:
            annotation: Any = SHARED[name]
        elif said:
            make = _argument if _is_placed(parameter) else _option
            annotation = Annotated[_typed(hint.__origin__), make(parameter, hint, said[0])]
        elif name in IN_PYTHON:
            continue
        else:
            raise TypeError(f"{function.__name__}({name}): expected an Argument in its annotation")
        if name == "jobs":
            annotation, default = Annotated[int | None, *annotation.__metadata__], None
        yield Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _record(function: Callable[..., Any], name: str) -> type[Struct] | None:
    """The kind of an argument that is a record of arguments."""
    hint = annotation_of(function, name)
    return hint if isinstance(hint, type) and issubclass(hint, Struct) else None


def _option(parameter: Parameter, hint: Any, said: Argument) -> Any:
    """What typer makes an option of; one that is on if nothing is said has ``--no-`` too."""
    if hint.__origin__ is bool:
        name = option_of(parameter.name)
        return flag(f"{name}/--no-{name[2:]}" if parameter.default else name, said.said)

    def check(option: typer.CallbackParam, value: Any) -> Any:
        said.check(option.opts[0], value)
        return value

    return typer.Option(
        option_of(parameter.name),
        metavar=said.metavar,
        help=said.said,
        callback=check,
        autocompletion=said.complete,
    )


def _is_placed(parameter: Parameter) -> bool:
    return parameter.kind is Parameter.POSITIONAL_OR_KEYWORD


def _argument(_: Parameter, __: Any, said: Argument) -> Any:
    return typer.Argument(metavar=said.metavar, help=said.said, autocompletion=said.complete)


def _typed(hint: Any) -> Any:
    """The type as `typer` knows it: a sequence may be repeated, and a path or a text is a text."""
    if get_origin(hint) is Sequence:
        each = get_args(hint)
        return GenericAlias(list, str if str in get_args(each[0]) else each)
    if str in get_args(hint):
        return str | None if NoneType in get_args(hint) else str
    return hint


def _run(function: Callable[..., Any], given: dict[str, Any]) -> Any:
    """What it answers; all processors run what there is to run."""
    from isfc.cli.output.progress import run_all  # much to load for what needs no run

    arguments = signature(function).parameters
    for name in arguments:
        if kind := _record(function, name):
            given[name] = kind(**{field: given.pop(field) for field in kind.__struct_fields__})
    if "jobs" in arguments and given.get("jobs") is None:
        given["jobs"] = os.cpu_count() or 1
    with ExitStack() as stack:
        if IN_PYTHON & {*arguments}:
            from isfc.search.workers import running_by

            stack.enter_context(running_by(partial(run_all, jobs=given.get("jobs"), is_said=True)))
        return function(**given)


def _show_csv(made: Report, name: str | None) -> None:
    """The table that is named, or the first, and where the others are."""
    from isfc.reports.delimited import records

    names = [each.name for each in made.tables]
    if not names:
        raise ConfigurationError("--csv: there is no table here; expected it without --csv")
    check_known("--table", name or names[0], names)
    others = [each for each in names if each != (name or names[0])]
    show_csv(records(made.tables[names.index(name or names[0])]))
    if name is None and others:
        show_log(f"isfc: note: other tables: {', '.join(f'--table {each}' for each in others)}")
