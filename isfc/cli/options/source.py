"""Options of the commands that make layouts, and the files that they read and write."""

from pathlib import Path
from typing import Annotated

from isfc.arguments import STANDARD_INPUT
from isfc.cli.options.option import valued
from isfc.cli.output.file import check_force, check_kept, output_option
from isfc.cli.output.streams import show_lines, write_file
from isfc.deck.place import TEXT_LENGTH_MAX, decode
from isfc.layout.checked_toml import read_bytes, within

OutputOption = Annotated[
    Path | None,
    output_option("Write to a file, or files to a folder, instead of to standard output."),
]

FeatureOption = Annotated[
    list[str] | None,
    valued(
        "[NODE:][CHPID=]FEATURE",
        "The FICON feature, such as 'FICON Express8S', of all chpids, or of one.",
        "--feature",
    ),
]

ConfigOption = Annotated[
    list[str] | None,
    valued(
        "[NODE=]FILE",
        "ACTIVATE ISLINK statements or commands that choose the devices of the link.",
        "--config",
    ),
]


def read_text(path: Path) -> str:
    """The text of a file, or of standard input for ``-``; `ConfigurationError` if it is none."""
    name = "standard input" if path == STANDARD_INPUT else str(path)
    with within(name):
        data = read_bytes(path, "a text file", TEXT_LENGTH_MAX)
    return decode(data, name)


def write_text(text: str, output: Path | None, *, force: bool) -> None:
    """Write to ``output``, or to standard output without it.

    Raises `ConfigurationError` for a file that has something else, which would be lost, unless that
    is to be (``force``).
    """
    check_force("--output", output, force=force)
    if output is None:
        show_lines(text.splitlines())
        return
    check_kept(output, text, force=force)
    write_file(output, text)
