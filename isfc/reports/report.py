"""What a command or function answers, as people see it; renderers know neither of both.

A `Report` has the answer first, then tables, each over rows of the answer, charts, and notes. A
`Column` names a field of the rows, or says what they have in it, so that each output has the same
value: the terminal and HTML as the unit is written, CSV with all digits. A chart is bars, a grid or
lines over an axis, of rows by their columns too; renderers draw them all alike.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import force_setattr

from isfc.errors.loading import named
from isfc.reports.figure import KNOWN, Figure, Interval, Note, NoteKind, Range, Reported, Unit
from isfc.reports.units import CEILING, fitted, range_of, shown

if TYPE_CHECKING:
    from rich.console import RenderableType


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


def headed(unit: Unit | None = None, /, **headings: str) -> tuple[Column, ...]:
    """Columns of fields in one unit, if they have one: by field what each is headed."""
    return tuple(Column(heading, field, unit) for field, heading in headings.items())


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


def data_table(caption: str, rows: Sequence[Mapping[str, object]], name: str) -> Table:
    """Flat records for programs, a column for each key."""
    columns = [Column(key, key) for row in rows[:1] for key in row]
    return Table(caption, columns, rows, name, is_data=True)


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
    said = [f"Ranges: {LIKELY}."] * any(each.range for each in figures)
    said += [f"{UNRANGED} no range: {'; '.join(why)}."] * bool(why)
    least = {shown(each.value, each.unit) for each in figures if each.by_model is not None}
    said += [f"{' and '.join(sorted(least))}: {CEILING}; the model carries more."] * bool(least)
    return " ".join(said)


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


_NO_AXIS: Final = (None, Unit.OWN, Unit.ANY, Unit.DIFFERENCE, Unit.OFF, Unit.CHANGE, Unit.GBPS)
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


_CAVEATS: Final = (
    NoteKind.ELSEWHERE,
    NoteKind.MEMORY,
    NoteKind.ONE_CHANNEL,
    NoteKind.ALONE,
    NoteKind.OTHERS,
    NoteKind.JOINED,
    NoteKind.LEFT_OUT,
    NoteKind.DISKS,
    NoteKind.EXTRAPOLATED,
    NoteKind.MACHINE,
    NoteKind.PROFILE,
    NoteKind.RULE,
    NoteKind.IN_STEP,
    NoteKind.ASSUMED,
)
"""What may make a figure another one, the worst first. The others say what is not known."""

_CAVEATS_MAX: Final = 2
"""So many remarks are on a page that nobody asked for notes on."""


class Report(Struct, frozen=True):
    """An answer: lines of a label and what is said, then tables, a drawing and charts.

    ``remarks`` are what somebody has to know at first reading. ``notes`` say how figures were made
    and how far they are known, for whoever asks for them, and ``asked`` is what a page without them
    says that they have. What is ``known`` of figures is remarks, the worst first, as long as there
    are no more than two, and then notes. ``sections`` are reports of parts, below the whole; what
    was ``read``, as of texts that somebody pasted, is said last.
    """

    title: str
    answer: Sequence[tuple[str, str]]
    tables: Sequence[Table] = ()
    drawing: "RenderableType | None" = None
    remarks: Sequence[str] = ()
    notes: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    asked: str = "How figures were made"
    sections: "Sequence[Report]" = ()
    known: Sequence[Note] = ()
    read: Sequence[str] = ()

    def __post_init__(self) -> None:
        told = sorted(
            (each for each in self.known if each.kind in _CAVEATS),
            key=lambda note: _CAVEATS.index(note.kind),
        )[: max(0, _CAVEATS_MAX - len(self.remarks))]
        rest = (each.text for each in self.known if each not in told)
        force_setattr(self, "remarks", [*self.remarks, *(each.text for each in told), *self.read])
        force_setattr(self, "read", ())
        force_setattr(self, "notes", [*filter(None, self.notes), *rest])
        force_setattr(self, "known", ())

    @property
    def grids(self) -> list[Grid]:
        """The charts that text can shade."""
        return [each for each in self.charts if isinstance(each, Grid)]

    @property
    def drawn(self) -> list[Chart]:
        """Its charts, or bars of the first table that has figures; then those of its sections."""
        bars = (found for each in self.shown if (found := bars_of(each)))
        own = self.charts or [*islice(bars, 1)]
        return [*own, *(chart for each in self.sections for chart in each.drawn)]

    @property
    def shown(self) -> list[Table]:
        """The tables that people read."""
        return [each for each in self.tables if not each.is_data]

    @property
    def every_table(self) -> list[Table]:
        """Those of its sections too."""
        return [*self.tables, *(table for each in self.sections for table in each.every_table)]


def report_of(record: Reported) -> Report:
    """What a record answers, its tables and what is known of them: every output is made of it."""
    made: Report = named(record.reported_by)(record)
    return made
