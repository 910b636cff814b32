"""What a report draws of its rows: bars, a grid, lines over an axis; renderers draw them all alike.

A chart's columns name fields of its rows, as those of a table do; a figure has its range beside it.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

from msgspec import Struct

from isfc.reports.figure import Figure, Interval, Range, Unit
from isfc.reports.table import LIKELY, Column, Styled, Table


class Bars(Struct, frozen=True):
    """A bar for each row: the ``figure`` of what ``name`` says, and its range."""

    caption: str
    name: Column
    figure: Column
    rows: Sequence[object]


class Grid(Struct, frozen=True):
    """A figure over two others, each cell shaded up to ``most``; a detail of a page.

    ``down`` and ``across`` are what rows and columns are of, ``cells`` the rows.
    """

    caption: str
    down: Sequence[str]
    across: Sequence[str]
    cells: Sequence[Sequence[float]]
    most: float
    unit: Unit


class Lines(Struct, frozen=True, kw_only=True):
    """Points over an axis, such as time, and lines that join them; a row for each point.

    ``up`` has a panel for each column, one below the other. A colour tells ``of`` what a line is,
    the same of the same one of ``names``, and a dash tells ``dash``. Lines join the points of all,
    or of those that are ``joined``, straight or in ``steps``. A name ``across`` has its place in
    the order of the rows; ``ticks`` are the numbers named there, from end to end. ``bars`` says
    what the range of a point is. ``levels`` are figures over the whole axis: of what, what is said
    there, the figure. ``marks`` are places that have a name.
    """

    caption: str
    rows: Sequence[object]
    across: Column
    up: Sequence[Column]
    of: Column | None = None
    names: Sequence[str] = ()
    dash: Column | None = None
    joined: Sequence[str] | None = None
    steps: bool = False
    ticks: Sequence[float] = ()
    bars: str = LIKELY
    levels: Sequence[tuple[str, str, Figure]] = ()
    marks: Sequence[tuple[float, str]] = ()


Chart = Bars | Grid | Lines


def bars_of(table: Table) -> Bars | None:
    """A table as bars: of its first figures that have a range, else of its first of some unit.

    A bar is named by as many of the columns of words as tell the rows apart. None where there is no
    figure, or no name.
    """
    measured = [each for each in table.columns if _is_measured(each, table.rows)]
    named = [each for each in table.columns if _is_word(each, table.rows)]
    if not measured or not named:
        return None
    figure = next((each for each in measured if each.has_ranges(table.rows)), measured[0])
    rows = [row for row in table.rows if isinstance(figure.of(row), Figure | float | int)]
    for count in range(1, len(named) + 1):
        several = named[:count]
        if len({_together(several, row) for row in rows}) == len(rows):
            break
    name = Column(named[0].heading, named[0].field, value=partial(_together, several))
    return Bars(table.caption, name, figure, rows)


_NO_AXIS: Final = (None, Unit.OWN, Unit.ANY, Unit.DIFFERENCE, Unit.OFF, Unit.CHANGE, Unit.GB_PER_S)
"""Units of what is in a unit of its own in each row, or only held against another; line speeds."""


def _is_measured(column: Column, rows: Sequence[object]) -> bool:
    figures = column.figures(rows)
    unit = figures[0].unit if figures else column.unit
    return column.is_number(rows) and unit not in _NO_AXIS


def _is_word(column: Column, rows: Sequence[object]) -> bool:
    return any(isinstance(column.of(row), str | Styled) for row in rows)


def _together(columns: Sequence[Column], row: object) -> str:
    return ", ".join(filter(None, (each.words(row) for each in columns)))


def between(value: float, low: float, high: float) -> Figure:
    """What is drawn with a bar from ``low`` to ``high``, such as the mean of several seeds."""
    ends = Interval(low, high)
    return Figure(value, Unit.OWN, Range(ends, ends, "what the chart is of"))
