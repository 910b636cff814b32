"""Files that commands write of what they answer, each by an option of its own."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from msgspec import Struct

from isfc.cli.options.option import valued
from isfc.cli.output.file import check_file, check_force, write_file, write_table
from isfc.errors.library import check_library

if TYPE_CHECKING:
    from isfc.answers.size import LinkSizing


class OwnFile(Struct, frozen=True):
    """What ``options``, of which the first is the longest, write into a file.

    Its name ends with one of ``suffixes``. Help says ``said``, and calls it ``metavar``. ``write``
    takes the answer; it needs ``library``, if any.
    """

    options: tuple[str, ...]
    suffixes: tuple[str, ...]
    metavar: str
    said: str
    write: Callable[[Path, Any], None]
    library: str = ""

    @property
    def parameter(self) -> Parameter:
        """The option as `typer` takes it."""
        option = valued(self.metavar, self.said, *self.options)
        name = self.options[0].removeprefix("--")
        annotation = Annotated[Path | None, option]
        return Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def check_files(files: Mapping[OwnFile, Path | None], *, force: bool) -> None:
    """Raise `ConfigurationError` for what cannot be written, before anything is run."""
    if files:
        check_force(" or ".join(each.options[0] for each in files), *files.values(), force=force)
    for each, path in files.items():
        if path is not None:
            check_file(each.options[-1], path, each.suffixes, force=force)
            if each.library:
                check_library(each.library, each.options[0])
            if path.suffix.lower() == ".parquet":
                check_library("pyarrow", f"{each.options[0]} FILE.parquet")


_output: Final = partial(OwnFile, ("--output", "-o"))


def _write_sized(path: Path, found: "LinkSizing") -> None:
    from isfc.answers.size import layout_file  # which the other commands do without

    if (text := layout_file(found)) is not None:
        write_file(path, text)


def _write_site(path: Path, found: Any) -> None:
    from isfc.layout.site import format_profile  # as above

    write_file(path, format_profile(replace(found.profile, name=path.stem)))


SIZED: Final = _output(
    (".toml",), "FILE.toml", "Write the layout of the best to a file.", _write_sized
)
PROPOSAL: Final = _output(
    (".toml",),
    "FILE.toml",
    "Write what is best, with the load it is for, as a configuration.",
    lambda path, found: write_file(path, found.proposal),
)
ADVISED: Final = _output(
    (),
    "FILE",
    "Write what is advised as a layout: the one given if there is nothing to gain.",
    lambda path, found: write_file(path, found.proposed.layout),
)
RUNS: Final = _output(
    (".csv", ".parquet"),
    "FILE",
    "Write the runs; FILE ends with .csv or .parquet.",
    lambda path, found: write_table(path, found.runs),
)
MEASURED: Final = _output(
    (".csv", ".parquet"),
    "FILE",
    "Write the table; .csv or .parquet.",
    lambda path, found: write_table(path, found.rows()),
)
SITE: Final = _output(
    (".toml",),
    "FILE",
    "The site profile to write; .toml.",
    _write_site,
)
