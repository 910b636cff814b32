"""Files that results are written to: named by an option, checked before any work is done."""

import csv
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from isfc.cli.output.whole_file import whole_file
from isfc.errors import ConfigurationError
from isfc.library import check_library


def output_option(said: str, metavar: str = "FILE") -> Any:
    """The option itself; ``said`` is its help."""
    return typer.Option("--output", "-o", metavar=metavar, help=said)


def check_file(option: str, name: str, suffixes: tuple[str, ...]) -> Path:
    """The file that an option names, before any work is done for it.

    Raises `ConfigurationError` for another suffix, for a folder that does not exist, and for what
    cannot be written: that would be noticed only when there is a result, which is lost then.
    """
    path, shown = Path(name), name if len(name) <= 60 else f"...{name[-57:]}"
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
    return path


def check_table_file(option: str, path: Path) -> None:
    """Find out before anything is run whether the file can be written.

    Raises `ConfigurationError` for another suffix, no such folder, or a missing library.
    """
    check_file(option, str(path), (".csv", ".parquet"))
    if path.suffix.lower() == ".parquet":
        check_library("pyarrow", f"{option} FILE.parquet")


def write_table(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Write at least one row, below a line of their keys; raises `OSError` as `whole_file` does."""
    if path.suffix.lower() == ".csv":
        with whole_file(path) as written, written.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=[*rows[0]], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        return
    import pyarrow
    from pyarrow import parquet

    with whole_file(path) as written:
        parquet.write_table(pyarrow.Table.from_pylist([dict(row) for row in rows]), written)
