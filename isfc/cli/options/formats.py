"""The formats of an answer: each is an option of every command that answers.

What renders one is loaded only when it is wanted. A new one is a function here, and its record in
`FORMATS`.
"""

from collections.abc import Callable, Mapping
from inspect import Parameter
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final

from msgspec import Struct

from isfc.cli.options import option
from isfc.cli.output.file import ForceOption, check_file, check_force, whole_file, write_file
from isfc.cli.output.streams import show, show_csv, show_json, show_lines, show_remark
from isfc.errors import ConfigurationError
from isfc.errors.in_words import check_known
from isfc.errors.loading import check_library
from isfc.reports.report import Report


class PrintedFormat(Struct, frozen=True):
    """A format that is printed instead of the page of a terminal, by ``--name``.

    ``show`` takes the answer, what makes its report, and the name of one table, if one is wanted.
    """

    name: str
    said: str
    show: Callable[[Any, Callable[[Any], Report], str | None], None]


class OwnFile(Struct, frozen=True):
    """What ``options``, of which the first is the longest, write into a file.

    Its name ends with one of ``suffixes``. Help says ``said``, and calls it ``metavar``. ``write``
    takes the answer; it needs ``library``, if any. ``refused`` takes one that is refused.
    """

    options: tuple[str, ...]
    suffixes: tuple[str, ...]
    metavar: str
    said: str
    write: Callable[[Path, Any], None]
    library: str = ""
    refused: Callable[[Path, Any], None] | None = None

    @property
    def name(self) -> str:
        """What it is called among the arguments of a command."""
        return self.options[0].removeprefix("--")

    @property
    def parameter(self) -> Parameter:
        """The option as `typer` takes it."""
        hint = Annotated[Path | None, option.valued(self.metavar, self.said, *self.options)]
        return Parameter(self.name, Parameter.KEYWORD_ONLY, default=None, annotation=hint)


class FileFormat(OwnFile, frozen=True):
    """A format that is a file, which ``write`` makes of the report.

    If it ``has_page``, none is printed. If it is ``of_charts``, answers without figures lack it.
    """

    has_page: bool = False
    of_charts: bool = False


def _json(found: Any, _report: Callable[[Any], Report], _table: str | None) -> None:
    """The answer itself, or its ``record``."""
    show_json(getattr(found, "record", found))


def _csv(found: Any, report: Callable[[Any], Report], table: str | None) -> None:
    """The table that is named, or the first, and where the others are."""
    from isfc.reports.text import records

    tables = {each.name: each for each in report(found).every_table}
    if not tables:
        raise ConfigurationError("--csv: there is no table here; expected it without --csv")
    name = table or next(iter(tables))
    check_known("--table", name, tables)
    show_csv(records(tables.pop(name)))
    if table is None and tables:
        show_remark(f"isfc: note: other tables: {', '.join(f'--table {each}' for each in tables)}")


def _markdown(found: Any, report: Callable[[Any], Report], _table: str | None) -> None:
    """The whole report, for a ticket, a wiki or a change record."""
    from isfc.reports.text import markdown

    show_lines(markdown(report(found)).splitlines())


def _html(path: Path, report: Report) -> None:
    from isfc.answers.page.document import page_of

    write_file(path, page_of(report))


def _plot(path: Path, report: Report) -> None:
    from isfc.reports.picture import picture_png, picture_svg

    if path.suffix.lower() == ".svg":
        write_file(path, picture_svg(report))
    else:
        with whole_file(path) as file:
            file.write_bytes(picture_png(report))


_PAGE_SAID: Final = "Write the page to a file, with bars for ranges, and print nothing."
_PLOT_SAID: Final = "Draw it as well; FILE ends with .svg or .png."

FORMATS: Final = (
    PrintedFormat("json", option.JSON_SAID, _json),
    PrintedFormat("csv", "Print the tables as CSV.", _csv),
    PrintedFormat("markdown", "Print the page as Markdown.", _markdown),
    FileFormat(("--html",), (".html",), "FILE.html", _PAGE_SAID, _html, "jinja2", has_page=True),
    FileFormat(
        ("--plot",), (".svg", ".png"), "FILE", _PLOT_SAID, _plot, "vl_convert", of_charts=True
    ),
)
_PRINTED: Final = {each.name: each for each in FORMATS if isinstance(each, PrintedFormat)}


Files = Mapping[OwnFile, Path | None]
"""What an answer may be written to, and where, if that is wanted."""
RenderedFiles = Mapping[FileFormat, Path | None]
"""The same of its formats."""


def file_options(*, of_charts: bool) -> option.Several:
    """The formats that are files; ``of_charts`` is of an answer with figures."""
    found = [each for each in FORMATS if isinstance(each, FileFormat)]
    found = [each for each in found if of_charts or not each.of_charts]

    def made(given: Mapping[str, Path | None]) -> RenderedFiles:
        return {each: given[each.name] for each in found}

    return option.Several([each.parameter for each in found], made)


class Printing(Struct, frozen=True):
    """How a command puts out what its function answers, by options that are its fields."""

    def check(self, own: Files) -> None:
        """Raise `ConfigurationError` for what cannot be put out, before anything is run.

        ``own`` are the command's own files, which it writes itself.
        """

    def show(self, found: Any, report: Callable[[Any], Any]) -> None:
        """Put it out, by its report where it has one."""


class AnswerPrinted(Printing, frozen=True):
    """The page of a terminal, unless another format has it, and the files that are wanted."""

    notes: option.NotesOption = False
    format: Annotated[
        str,
        option.Several(
            [option.flag_of(name, each.said) for name, each in _PRINTED.items()], option.chosen
        ),
    ] = ""
    table: Annotated[
        str | None, option.valued("NAME", "With --csv, which table, where there are several.")
    ] = None
    force: ForceOption = False
    files: Annotated[RenderedFiles, file_options(of_charts=True)] = MappingProxyType({})

    @property
    def instead(self) -> str:
        """The option that stands for the page of the terminal; empty if that is printed."""
        return next(iter(self._pages), "")

    @property
    def _pages(self) -> list[str]:
        printed = [f"--{self.format}"] if self.format else []
        return printed + [each.options[0] for each in self._wanted if each.has_page]

    @property
    def _wanted(self) -> Mapping[FileFormat, Path]:
        return {each: path for each, path in self.files.items() if path is not None}

    def check(self, own: Files) -> None:
        """Raise for two formats where one can be, for notes and tables of none, and for files."""
        option.expect_one(*self._pages)
        if self.notes and self.instead:
            raise ConfigurationError("--notes: of the page; JSON, CSV, Markdown and HTML have all")
        if self.table and self.format != "csv":
            raise ConfigurationError("--table: expected --csv")
        files: Files = dict([*own.items(), *self.files.items()])
        options = " or ".join(each.options[0] for each in files)
        check_force(options, *files.values(), force=self.force)
        for each, path in files.items():
            if path is not None:
                check_file(each.options[-1], path, each.suffixes, force=self.force)
                if each.library:
                    check_library(each.library, each.options[0])
                if path.suffix.lower() == ".parquet":
                    check_library("pyarrow", f"{each.options[0]} FILE.parquet")

    def show(self, found: Any, report: Callable[[Any], Report]) -> None:
        """Print what was found, and write the files."""
        if any(each.of_charts for each in self._wanted) and not report(found).drawn:
            raise ConfigurationError("--plot: there is nothing to draw here; expected it without")
        if self.format:
            _PRINTED[self.format].show(found, report, self.table)
        elif not self.instead:
            from isfc.reports.terminal import page

            show(page(report(found), notes=self.notes))
        for each, path in self._wanted.items():
            each.write(path, report(found))
