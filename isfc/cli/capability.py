"""The command of a capability, made from its function: its arguments are options.

What it answers is printed by one action, as every command prints it. A function's `Argument` says
how an option is called in help; its docstring is the help, but for the paragraphs from ``Raises``
on, which are for Python.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from inspect import Parameter, cleandoc, signature
from pathlib import Path
from types import GenericAlias, NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

import typer
from msgspec import Struct

from isfc.arguments import Argument, Counted, annotation_of, as_options
from isfc.cli.options.flattened import parameters_of
from isfc.cli.options.layout import JsonOption, LayoutArgument, LinkOption, expect_one
from isfc.cli.options.option import flag, valued
from isfc.cli.options.profile import ProfileOption
from isfc.cli.output.csv_option import CsvOption
from isfc.cli.output.file import ForceOption, check_file, check_force, output_option
from isfc.cli.output.streams import show, show_csv, show_json, show_log, write_file
from isfc.errors import ConfigurationError
from isfc.layout.in_words import check_known
from isfc.reports.report import FileOption, Report

SHARED: Final = {"layout": LayoutArgument, "link": LinkOption, "profile": ProfileOption}
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
    html: Annotated[
        Path | None, valued("FILE.html", "Write the page to a file, with bars for ranges.")
    ] = None
    force: ForceOption = False

    def check(self, output: Path | None, file: FileOption | None) -> None:
        """Raise `ConfigurationError` for what cannot be printed, before anything is run.

        ``output`` is where ``file`` is to be written, if the command has one.
        """
        expect_one(json=self.json, csv=self.csv, html=self.html)
        if self.notes and (self.json or self.csv or self.html):
            raise ConfigurationError("--notes: of the page; JSON, CSV and HTML have all")
        if self.table and not self.csv:
            raise ConfigurationError("--table: expected --csv")
        check_force("-o or --html" if file else "--html", output, self.html, force=self.force)
        if self.html is not None:
            check_file("--html", self.html, (".html",), force=self.force)
        if output is not None and file is not None:
            check_file("-o", output, file.suffixes, force=self.force)

    def show(self, found: Any, report: Callable[[Any], Report]) -> None:
        """Print what was found, by its report but for JSON; each output is loaded for its own."""
        if self.json:
            show_json(found)
        elif self.csv:
            _show_csv(report(found), self.table)
        elif self.html is not None:
            from isfc.cli.html.document import page_of

            write_file(self.html, page_of(report(found)))
        else:
            from isfc.reports.terminal import page

            show(page(report(found), notes=self.notes))


def command_of(
    function: Callable[..., Any],
    report: Callable[[Any], Report],
    code: Callable[[Any], int] | None = None,
    file: FileOption | None = None,
) -> Callable[..., None]:
    """The command that calls ``function`` and prints the report of what it answers.

    ``code`` makes the exit code of an answer, which else is a good one; ``-o`` writes the ``file``.
    """

    def command(**given: Any) -> None:
        printed = Printed(**{name: given.pop(name) for name in Printed.__struct_fields__})
        output: Path | None = given.pop("output", None)
        printed.check(output, file)
        with as_options():
            found = _run(function, given)
            if output and file and (text := file.text(found)) is not None:
                write_file(output, text)
            printed.show(found, report)
        if code is not None and (ended := code(found)):
            raise typer.Exit(ended)

    options = [*_options(function), *_output(file), *parameters_of(Printed)]
    # by setattr: a function's type does not know the attribute, which `inspect.signature` looks for
    setattr(command, "__signature__", signature(command).replace(parameters=options))  # noqa: B010
    command.__annotations__ = {each.name: each.annotation for each in options}
    command.__doc__ = cleandoc(function.__doc__ or "").partition("\n\nRaises ")[0].replace("``", "")
    return command


def _options(function: Callable[..., Any]) -> Iterator[Parameter]:
    """Each argument as `typer` takes it."""
    for name, parameter in signature(function).parameters.items():
        hint, default = annotation_of(function, name), parameter.default
        said = [each for each in getattr(hint, "__metadata__", ()) if isinstance(each, Argument)]
        if name in SHARED:
            annotation: Any = SHARED[name]
        elif said:
            annotation = Annotated[_given(hint.__origin__), _option(name, hint, said[0])]
        elif name in IN_PYTHON:
            continue
        else:
            raise TypeError(f"{function.__name__}({name}): expected an Argument in its annotation")
        if name == "jobs":
            annotation, default = Annotated[int | None, *annotation.__metadata__], None
        yield Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _option(name: str, hint: Any, said: Argument) -> Any:
    if hint.__origin__ is bool:
        return flag(f"--{name.replace('_', '-')}", said.said)
    if name == "workload":
        return typer.Option(metavar=said.metavar, help=said.said, autocompletion=_workloads)
    return valued(said.metavar, said.said)


def _workloads(incomplete: str) -> list[str]:
    from isfc.cli.options.experiment import complete_workload  # the model, for the shell alone

    return complete_workload(incomplete)


def _given(hint: Any) -> Any:
    """The type as `typer` knows it: a sequence is an option that may be repeated.

    Of what else a program may give, a record, a command has the text.
    """
    if get_origin(hint) is Sequence:
        return GenericAlias(list, get_args(hint))
    if get_origin(hint) in (Union, UnionType):
        return Union[tuple(each for each in get_args(hint) if each in _PLAIN)]  # noqa: UP007
    return hint


_PLAIN: Final = (str, int, float, bool, NoneType)


def _output(file: FileOption | None) -> Iterator[Parameter]:
    """``-o``, of a command that writes a file."""
    if file is not None:
        metavar = f"FILE{file.suffixes[0]}" if len(file.suffixes) == 1 else "FILE"
        annotation = Annotated[Path | None, output_option(file.said, metavar)]
        yield Parameter("output", Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _run(function: Callable[..., Any], given: dict[str, Any]) -> Any:
    """What it answers; all processors run what there is to run, below one bar or one for each."""
    from isfc.cli.output.progress import progress_bar, run_all  # much to load for what runs nothing

    arguments = signature(function).parameters
    if "jobs" in arguments and given.get("jobs") is None:
        given["jobs"] = os.cpu_count() or 1
    with ExitStack() as stack:
        if "progress" in arguments:
            counted = _counted(function)
            bar = progress_bar(counted.most(given), counted.unit, _interrupted, is_said=True)
            given["progress"] = stack.enter_context(bar)
        elif "jobs" in arguments:
            from isfc.search.workers import running_by

            stack.enter_context(running_by(partial(run_all, jobs=given["jobs"])))
        return function(**given)


def _counted(function: Callable[..., Any]) -> Counted:
    """What a function's ``progress`` is told."""
    hint = annotation_of(function, "progress")
    return next(each for each in hint.__metadata__ if isinstance(each, Counted))


def _interrupted(_: float) -> str:
    return "interrupted; nothing is kept"


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
