"""The option of the commands that make layouts, and the files that they write."""

from pathlib import Path
from typing import Annotated

from isfc.cli.output.file import check_force, check_kept, output_option
from isfc.cli.output.streams import show_lines, write_file

OutputOption = Annotated[
    Path | None,
    output_option("Write to a file, or files to a folder, instead of to standard output."),
]


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
