"""Published tables: IBM's figures word for word, and beside them how near ours must come.

What a table is, and how far a figure is off. `scenarios.published.replay` has those that are
shipped.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Final, assert_never

import msgspec
from msgspec import Struct

Value = str | int | float


class ValueRange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The numbers from ``least`` to ``most``, both included."""

    least: float = -math.inf
    most: float = math.inf

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.least <= value <= self.most


class NotModelled(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rows that ours has no figure for, by their keys, and why not."""

    rows: tuple[str, ...]
    reason: str


Selection = Mapping[str, Sequence[Value] | ValueRange]
"""The rows that have, in each column named, one of the values given. ``{}`` is all rows."""


class Role(StrEnum):
    """What a row is for. A row that a constant was fitted to proves nothing."""

    CALIBRATION = "calibration"
    ACCEPTANCE = "acceptance"

    @property
    def name_of_rows(self) -> str:
        """What a page calls a row that has it."""
        return "prediction" if self is Role.ACCEPTANCE else "calibration"


class TableView(StrEnum):
    """What a table shows of its runs; of a run in itself, or of what needs no run."""

    SUITE = "suite"
    APPC = "appc"
    DEVICE = "device"
    LINK = "link"
    CAPACITY = "capacity"
    CHPID = "chpid"
    STOP_SHORT = "stop_short"
    CHANNEL = "channel"
    RELOCATION = "relocation"


MEASURED: Final = frozenset({TableView.SUITE, TableView.APPC, TableView.DEVICE, TableView.LINK})
"""The views of a run of a workload; the others need none: rules are to be met exactly, figures of
channels come from mean values, and those of relocations from guests that are moved."""


class Deviation(StrEnum):
    """How far one figure is from another: what bounds and tolerances are stated in."""

    RELATIVE = "relative"
    """The difference as a share of IBM's figure."""
    POINTS = "points"
    """The difference in the figures' own unit."""
    FACTOR = "factor"
    """How many times the smaller one the greater is."""
    EMULATED = "emulated"
    """Our figure alone, where IBM has next to nothing."""
    EXCESS = "excess"
    """How far ours is above a figure that is published as "up to", as a share of it."""
    SHORTFALL = "shortfall"
    """How far ours is below a figure that is published as "over", as a share of it."""

    def of(self, published: float, emulated: float) -> float:
        """How far ``emulated`` is off; infinite if nothing stands where something should."""
        match self:
            case Deviation.RELATIVE:
                return _share(abs(emulated - published), published)
            case Deviation.POINTS:
                return abs(emulated - published)
            case Deviation.FACTOR:
                small, great = sorted((published, emulated))
                return great / small if small else 1 + _unless_zero(great)
            case Deviation.EMULATED:
                return emulated
            case Deviation.EXCESS:
                return _share(max(0.0, emulated - published), published)
            case Deviation.SHORTFALL:
                return _share(max(0.0, published - emulated), published)
            case _:
                assert_never(self)

    def show(self, value: float) -> str:
        """A distance, or a limit of one, in eight columns at most."""
        match self:
            case Deviation.RELATIVE | Deviation.EXCESS | Deviation.SHORTFALL:
                return f"{100 * value:.3g} %" if value < 9.9995 else ">999 %"
            case Deviation.FACTOR:
                return f"x {value:.3g}" if value < 999.5 else "> x 999"
            case _:
                return f"{value:.3g}"

    def limit(self, value: float) -> str:
        """What it means that a distance is at most so much."""
        said = {
            Deviation.RELATIVE: f"within {self.show(value)}" if value else "the same",
            Deviation.POINTS: f"within {value:.3g} points",
            Deviation.FACTOR: f"within a factor {value:.3g}",
            Deviation.EMULATED: f"at most {value:.3g}",
            Deviation.EXCESS: f"no more than {self.show(value)} above it",
            Deviation.SHORTFALL: f"no more than {self.show(value)} below it",
        }
        return said[self]


def _share(difference: float, published: float) -> float:
    return difference / published if published else _unless_zero(difference)


def _unless_zero(difference: float) -> float:
    return math.inf if difference else 0.0


class PublishedRow(Struct, frozen=True):
    """One published run, or a part of one. ``key`` names it within its table, as ``HL/12/50``.

    ``columns`` are as published, and for a run ``release`` and ``side`` in any case.
    """

    key: str
    role: Role
    columns: Mapping[str, Value]

    def number(self, measure: str) -> float:
        """A figure of this run. Raises `ValueError` if there is none."""
        return float(self.columns[measure])

    def has_number(self, measure: str) -> bool:
        """Whether there is a figure: the report has dots for a CTC that did nothing."""
        return isinstance(self.columns[measure], int | float)

    def is_in(self, selection: Selection) -> bool:
        """Whether a selection takes this row."""
        return is_in(self.columns, selection)


Figures = Mapping[str, float]
"""Figures of a row by measure, or one figure for each of some rows, by its key."""

RowFunction = Callable[[PublishedRow], Figures]
"""Gives our figures of a row, by the columns of its table; what it leaves out is not modelled."""


def is_in(columns: Mapping[str, Value], selection: Selection) -> bool:
    """Whether a selection takes a row of these columns."""
    return all(columns[column] in values for column, values in selection.items())


class Bound(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far a measure may be off in a group of rows.

    The middle one of the distances, the one within which nine of ten stay, the one within which
    all but three stay, and the worst, which each of the rows has to keep; None where nothing is
    declared. Where several bounds speak of the worst of a row, the last one holds; one that is of
    a single row needs a ``reason``.
    """

    measure: str
    group: str
    distance: Deviation = Deviation.RELATIVE
    median: float | None = None
    p90: float | None = None
    but_three: float | None = None
    worst: float | None = None
    reason: str = ""

    @property
    def subject(self) -> tuple[str, str, Deviation]:
        """What is bounded: measure, group, distance."""
        return self.measure, self.group, self.distance

    def admits(self, published: float, emulated: float) -> bool:
        """Whether a figure is near enough for a row of the group."""
        return self.worst is None or self.distance.of(published, emulated) <= self.worst


class PublishedChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a measure does from one value of a column to another, all other columns being equal.

    Where the published change is more than ``above`` (a ratio), ours goes the same way, but for
    ``wrong_max`` times.
    """

    measure: str
    column: str
    before: Value
    after: Value
    above: float
    wrong_max: int = 0


class TableRuns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the runs of a table are repeated; a row's columns stand in braces.

    ``side`` is where they were measured, ``client`` or ``server``, and ``release`` on which z/VM,
    if the table has no such columns. ``names_of`` names the tables in which the runs stand
    that this one only names; then nothing else is said of them.
    """

    layout: str = ""
    workload: str = ""
    side: str = "client"
    release: str = "z/VM 6.2"
    names_of: tuple[str, ...] = ()


class PublishedTable(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={"bounds": "bound", "goals": "goal", "changes": "change"},
):
    """A published table, and what is known and wanted of it.

    All but its ``name`` and its ``rows`` is as its companion, ``tables/NAME.toml``, says it.
    ``key`` has the columns that name a row; a table with three of them is a grid of blocks,
    lines and columns, and ``heading`` heads a block. ``groups`` are what ``bounds`` (what is
    reached) and ``goals`` (what is wanted) are about; constants may be fitted to the rows of
    ``calibration``.
    """

    name: str
    title: str
    source: str
    url: str
    measured: str
    view: TableView
    key: tuple[str, ...]
    measures: tuple[str, ...]
    heading: str = ""
    runs: TableRuns = TableRuns()
    calibration: tuple[Selection, ...] = ()
    groups: Mapping[str, Selection] = {}
    bounds: tuple[Bound, ...] = ()
    goals: tuple[Bound, ...] = ()
    changes: tuple[PublishedChange, ...] = ()
    not_modelled: tuple[NotModelled, ...] = ()
    rows: tuple[PublishedRow, ...] = ()

    @property
    def is_grid(self) -> bool:
        """Whether rows are named by three columns: a block, a line and a column."""
        return len(self.key) == 3

    @property
    def is_measured(self) -> bool:
        """Whether the table is of runs; if not, of rules."""
        return self.view in MEASURED

    def choices(self, column: str) -> tuple[Value, ...]:
        """The values that occur in a column, in the order of the table; none if it has it not."""
        if column not in self.rows[0].columns:
            return ()
        return tuple(dict.fromkeys(row.columns[column] for row in self.rows))

    def select(self, selection: Selection) -> tuple[PublishedRow, ...]:
        """Some of the rows, in the order of the table."""
        return tuple(row for row in self.rows if row.is_in(selection))

    def tolerance(self, row: PublishedRow, measure: str) -> Bound | None:
        """The bound that says how far ``measure`` may be off in ``row``; None if none does."""
        fitting = [
            bound
            for bound in self.bounds
            if bound.worst is not None
            and bound.measure == measure
            and row.is_in(self.groups[bound.group])
        ]
        return fitting[-1] if fitting else None
