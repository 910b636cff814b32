"""Files that results are written to: named by an option, checked before any work is done."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from isfc.cli.output.streams import csv_text, write_file
from isfc.errors import ConfigurationError

ForceOption = Annotated[
    bool, typer.Option("--force", help="Write over files that are there and have something else.")
]


def output_option(said: str, metavar: str = "FILE") -> Any:
    """The option itself; ``said`` is its help."""
    return typer.Option("--output", "-o", metavar=metavar, help=said)


def check_force(option: str, *paths: Path | None, force: bool) -> None:
    """Raise `ConfigurationError` for ``force`` where no option names a file."""
    if force and not any(paths):
        raise ConfigurationError(f"--force: of a file; expected {option} with it")


def check_kept(path: Path, text: str | None = None, *, force: bool) -> None:
    """Raise `ConfigurationError` for a file whose content would be lost, unless ``force``.

    ``text`` is what is to be written; before that is known, whatever the file has counts.
    """
    if force or not path.is_file():
        return
    if path.stat().st_size if text is None else path.read_bytes() not in (b"", text.encode()):
        raise ConfigurationError(
            f"{path}: is there and has something else; expected another file, or --force to "
            "write over it"
        )


def check_file(option: str, path: Path | None, suffixes: tuple[str, ...], *, force: bool) -> None:
    """Find out before any work is done for it whether the file that an option names can be written.

    Raises `ConfigurationError` for another suffix, for a folder that does not exist, for what
    cannot be written, and for a file that has something, unless ``force``: that would be noticed
    only when there is a result, which is lost then.
    """
    check_force(option, path, force=force)
    if path is None:
        return
    name = str(path)
    shown = name if len(name) <= 60 else f"...{name[-57:]}"
    if suffixes and path.suffix.lower() not in suffixes:
        raise ConfigurationError(
            f"{option} {shown}: expected a file that ends with {' or '.join(suffixes)}"
        )
    if not path.parent.is_dir():
        raise ConfigurationError(f"{option} {shown}: there is no folder {path.parent}")
    if path.is_dir():
        raise ConfigurationError(f"{option} {shown}: is a folder; expected a file")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ConfigurationError(f"{option} {shown}: may not be written")
    check_kept(path, force=force)


def write_table(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Write at least one row, below a line of their keys; raises `OSError` as `whole_file` does."""
    if path.suffix.lower() == ".csv":
        write_file(path, csv_text(rows))
        return
    import pyarrow  # here and below: few commands write a table
    from pyarrow import parquet

    from isfc.cli.output.whole_file import whole_file

    with whole_file(path) as written:
        parquet.write_table(pyarrow.Table.from_pylist([dict(row) for row in rows]), written)
