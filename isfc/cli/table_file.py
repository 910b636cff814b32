"""A table in a file of its own, as CSV or Parquet: what its name ends with decides."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from isfc.cli.options.file import check_file
from isfc.library import check_library


def check_table_file(option: str, path: Path) -> None:
    """Find out before anything is run whether the file can be written.

    Raises `ConfigurationError` for another suffix, no such folder, or a missing library.
    """
    check_file(option, str(path), (".csv", ".parquet"))
    if path.suffix.lower() == ".parquet":
        check_library("pyarrow", f"{option} FILE.parquet")


def write_table(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Write at least one row, below a line of their keys."""
    if path.suffix.lower() == ".csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=[*rows[0]], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        return
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist([dict(row) for row in rows]), path)
