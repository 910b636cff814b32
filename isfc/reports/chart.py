"""What a report draws of its rows: bars, a grid, lines over an axis; renderers draw them all alike.

A chart's columns name fields of its rows, as those of a table do; a figure has its range beside it.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from isfc.reports.figure import Figure, Interval, Range, Unit
from isfc.reports.report import Column

LIKELY: Final = "four of five cases"
"""What the bars of ranges are."""


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


def between(value: float, low: float, high: float) -> Figure:
    """What is drawn with a bar from ``low`` to ``high``, such as the mean of several seeds."""
    ends = Interval(low, high)
    return Figure(value, Unit.OWN, Range(ends, ends, "what the chart is of"))
