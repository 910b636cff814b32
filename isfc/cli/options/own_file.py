"""A file that a command writes of what it answers, by an option of its own."""

from collections.abc import Callable, Mapping
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any

from msgspec import Struct

from isfc.cli.options.option import valued
from isfc.cli.output.file import check_file, check_force
from isfc.errors.library import check_library


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
