"""Tables as CSV, as people and their programs write them: parted by commas, semicolons or tabs.

The first line names the columns. Names count without blanks around them, and in small letters.
"""

import csv
from collections.abc import Iterator
from itertools import zip_longest

from isfc.errors import ConfigurationError


def _parted_by(line: str) -> str:
    """What parts the cells of a line: commas where there is none."""
    return max(",;\t", key=line.count)


def names_in(line: str) -> list[str]:
    """The names of the columns, of a line that may name some."""
    try:
        cells = next(csv.reader([line], delimiter=_parted_by(line)), [])
    except csv.Error:
        return []
    return [name.strip().lower() for name in cells]


class CsvTable:
    """The rows of a text below its line of names.

    ``names`` are those of the columns. Raises `ConfigurationError` for what is no CSV, or names a
    column twice, by the line behind ``place``.
    """

    def __init__(self, text: str, place: str = "line ") -> None:
        lines, self._place = text.splitlines(), place
        first = lines[0] if lines else ""
        self._reader = csv.reader(lines, delimiter=_parted_by(first), strict=True)
        self.names = [name.strip().lower() for name in self._row() or ()]
        if twice := sorted({name for name in self.names if self.names.count(name) > 1}):
            raise ConfigurationError(f"{place}1: column {', '.join(twice)} twice; expected it once")

    def __iter__(self) -> Iterator[tuple[int, dict[str, str], str]]:
        """The number of its line, its cells by name, and what is wrong with how many there are."""
        while (row := self._row()) is not None:
            off = f"{len(row)} cells; expected {len(self.names)}, as many as column names"
            cells = zip_longest(self.names, map(str.strip, row[: len(self.names)]), fillvalue="")
            found = dict(cells)
            if row:
                problem = off if len(row) != len(self.names) else ""
                if found.get(""):
                    problem = problem or f"{found['']!r} in a column without a name; expected one"
                yield self._reader.line_num, found, problem

    def _row(self) -> list[str] | None:
        try:
            return next(self._reader, None)
        except csv.Error as error:
            number = self._reader.line_num  # the reader has begun that line, and not ended it
            raise ConfigurationError(f"{self._place}{number}: {error}; expected CSV") from None
