"""Rows of an answer as people see them: columns that name fields, below a caption.

A `Column` names a field of the rows, or says what they have in it, so that each output has the same
value: the terminal and HTML as the unit is written, CSV with all digits.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec import Struct

from isfc.reports.figure import KNOWN, Figure, Unit
from isfc.reports.units import fitted, range_of, shown


class Styled(Struct, frozen=True):
    """A word in a colour, for a terminal."""

    text: str
    style: str

    def __str__(self) -> str:
        return self.text


Value = Figure | float | str | Styled | None
"""Of a cell; None is nothing, and never 0."""


NODE_STYLES: Final = ("cyan", "magenta")
"""How a terminal writes the first system of a link, and the second."""

UNRANGED: Final = "~"
"""The mark of a figure in a table that has no range, and would need one."""


class Column(Struct, frozen=True):
    """A column: its ``heading``, on one or two lines, and the ``field`` of each row that it shows.

    A ``value`` says what a row has in it, where no field of the row has that name. ``unit`` is of
    numbers; a figure has its own. ``ranged`` figures have their range beside them where there is
    room for few columns: on a terminal. In a table that is too wide, columns that fold do so first,
    and a terminal narrower than 80 columns does without those that are ``spare``. On a page that is
    renewed a column has a ``width``, so that it stays where it is, and its numbers as many
    ``places`` as that has room for. ``style`` is that of a terminal.
    """

    heading: str
    field: str
    unit: Unit | None = None
    ranged: bool = True
    folds: bool = False
    spare: bool = False
    width: int = 0
    places: int = 0
    style: str = ""
    value: Callable[[Any], Value] | None = None

    def of(self, row: object) -> Value:
        """What a row has in it."""
        if self.value is not None:
            return self.value(row)
        has: Value = row[self.field] if isinstance(row, dict) else getattr(row, self.field)
        return has

    def figures(self, rows: Sequence[object]) -> list[Figure]:
        """The figures that rows have in it."""
        return [found for row in rows if isinstance(found := self.of(row), Figure)]

    def has_ranges(self, rows: Sequence[object]) -> bool:
        """Whether ranges are beside it."""
        return self.ranged and any(each.range for each in self.figures(rows))

    def words(self, row: object) -> str:
        """What a row's cell says."""
        value = self.of(row)
        if isinstance(value, Figure):
            return f"{UNRANGED * (value.no_range not in KNOWN)}{shown(value.value, value.unit)}"
        if isinstance(value, float | int) and self.width:
            return fitted(value, self.width, self.places)
        if isinstance(value, float | int) and self.unit is not None:
            return shown(value, self.unit)
        return "" if value is None else str(value)

    def range_words(self, row: object) -> str:
        """What the cell beside it says: between what a figure lies, if that is known."""
        value = self.of(row)
        return range_of(value) if isinstance(value, Figure) else ""

    def is_number(self, rows: Sequence[object]) -> bool:
        """Whether it has numbers, which stand to the right."""
        return any(isinstance(self.of(row), Figure | float | int) for row in rows)


class Table(Struct, frozen=True):
    """Rows of an answer, below a ``caption`` that says what they are of.

    Where a report has several, ``name`` says which is to be CSV. A ``detail`` is on a page only
    for whoever asks for notes. One that ``is_data`` is for programs, as CSV, and on no page.
    """

    caption: str
    columns: Sequence[Column]
    rows: Sequence[object]
    name: str = "rows"
    detail: bool = False
    is_data: bool = False


LIKELY: Final = "four of five cases"
"""What the bars of ranges are."""


def legend(tables: Sequence[Table]) -> str:
    """What ranges of some tables are, and why figures that are marked have none."""
    figures = [
        figure
        for table in tables
        for column in table.columns
        for figure in column.figures(table.rows)
    ]
    why = dict.fromkeys(each.no_range for each in figures if each.no_range not in KNOWN)
    ranges = f"Ranges: {LIKELY}." if any(each.range for each in figures) else ""
    return " ".join(filter(None, (ranges, f"{UNRANGED} no range: {'; '.join(why)}." * bool(why))))
