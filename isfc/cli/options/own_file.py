"""Files that commands write of what they answer, each by an option of its own."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from isfc.cli.options.formats import OwnFile
from isfc.cli.output.file import write_file, write_table

if TYPE_CHECKING:
    from isfc.answers.size import LinkSizing


_output: Final = partial(OwnFile, ("--output", "-o"))


def _write_sized(path: Path, found: "LinkSizing") -> None:
    from isfc.answers.size import layout_file  # which the other commands do without

    if (text := layout_file(found)) is not None:
        write_file(path, text)


def _write_site(path: Path, found: Any) -> None:
    from isfc.layout.site import format_profile  # as above

    write_file(path, format_profile(replace(found.profile, name=path.stem)))


def _write_corrected(path: Path, found: Any) -> None:
    if found.corrected is not None:
        write_file(path, found.corrected)


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
    "The site profile to write, or the corrected layout of a fit that is refused; .toml.",
    _write_site,
    refused=_write_corrected,
)
