"""Tables that tools read and write: CSV with a heading, Markdown, and studies that make them."""

import csv
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from io import StringIO
from pathlib import Path
from typing import Generic, TypeVar

from msgspec import Struct

Row = Sequence[object] | Mapping[str, object]
"""The cells of a line in their order, or by column."""

Case = TypeVar("Case")


def read_csv(path: Path) -> list[dict[str, str]]:
    """The lines of a table by column; none if there is no file."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file)]


def csv_text(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """A table as CSV."""
    file = StringIO()
    writer = csv.DictWriter(file, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        cells = row if isinstance(row, Mapping) else zip(columns, row, strict=True)
        writer.writerow(dict(cells))
    return file.getvalue()


class Study(Struct, Generic[Case], frozen=True):
    """A file of CSV with what a question comes to of every case."""

    path: Path
    columns: Sequence[str]
    question: Callable[[Case], Iterable[Row]]
    cases: Sequence[Case]

    def files(self) -> dict[Path, str]:
        """The file: cases are run side by side, in processes."""
        rows: list[Row] = []
        with ProcessPoolExecutor() as pool:
            for number, answer in enumerate(pool.map(self.question, self.cases), start=1):
                print(f"{number} of {len(self.cases)}", end="\r", file=sys.stderr, flush=True)
                rows += answer
        return {self.path: csv_text(self.columns, rows)}

    def rows(self) -> list[dict[str, str]]:
        """The lines of the file as it is."""
        return read_csv(self.path)


def markdown_table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [heading, ["---"] * len(heading), *rows]
    return "".join(f"|{''.join(map(_cell, cells))}\n" for cells in lines)


def _cell(text: str) -> str:
    return f" {' '.join(text.split())} |" if text else " |"
