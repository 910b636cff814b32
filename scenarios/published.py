"""Published tables: IBM's figures word for word, and beside them how near ours must come.

``tables/NAME.csv`` is a table as it was published. ``tables/NAME.toml`` says where it comes
from, how its runs are repeated, which rows constants may be fitted to, and the tolerances.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

import msgspec

from isfc.errors import ConfigurationError

Value = str | int | float
Selection = Mapping[str, Sequence[Value]]
"""The rows that have, in each column named, one of the values given. ``{}`` is all rows."""

KEY_SEPARATOR: Final = "/"


class Role(StrEnum):
    """What a row is for. A row that a constant was fitted to proves nothing."""

    CALIBRATION = "calibration"
    ACCEPTANCE = "acceptance"


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One published run. ``key`` names it within its table, as in ``HL/12/50``."""

    key: str
    role: Role
    columns: Mapping[str, Value]

    def number(self, measure: str) -> float:
        """A figure of this run."""
        return float(self.columns[measure])

    def is_in(self, selection: Selection) -> bool:
        """Whether a selection takes this row."""
        return _is_in(self.columns, selection)


def _is_in(columns: Mapping[str, Value], selection: Selection) -> bool:
    return all(columns[column] in values for column, values in selection.items())


class Tolerance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far one measure may be off: exactly one of ``relative`` and ``below`` is given."""

    measure: str
    where: dict[str, list[Value]] = {}
    relative: float | None = None
    below: float | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        if (self.relative is None) == (self.below is None):
            raise ValueError("expected either relative or below")

    def admits(self, published: float, emulated: float) -> bool:
        """Whether ``emulated`` is near enough."""
        if self.below is not None:
            return emulated < self.below
        assert self.relative is not None
        return abs(emulated - published) <= self.relative * published

    def __str__(self) -> str:
        if self.below is not None:
            return f"below {self.below:g}"
        assert self.relative is not None
        return f"within {self.relative:.0%}"


class Bound(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far a measure may be off over a whole group of rows; relative errors."""

    measure: str
    group: str
    median: float
    p90: float


class _Companion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``tables/NAME.toml``."""

    title: str
    source: str
    url: str
    measured: str
    key: tuple[str, ...]
    measures: tuple[str, ...]
    layout: str
    workload: str
    calibration: tuple[dict[str, list[Value]], ...] = ()
    groups: dict[str, dict[str, list[Value]]] = {}
    tolerance: tuple[Tolerance, ...] = ()
    bound: tuple[Bound, ...] = ()


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A published table that can be replayed.

    ``layout`` and ``workload`` name those of a row, with the row's columns in braces.
    ``groups`` are kept apart in summaries.
    """

    name: str
    title: str
    source: str
    url: str
    measured: str
    measures: tuple[str, ...]
    layout: str
    workload: str
    groups: Mapping[str, Selection]
    tolerances: tuple[Tolerance, ...]
    bounds: tuple[Bound, ...]
    rows: tuple[PublishedRow, ...]

    def choices(self, column: str) -> tuple[Value, ...]:
        """The values that occur in a column, in the order of the table."""
        return tuple(dict.fromkeys(row.columns[column] for row in self.rows))

    def select(self, selection: Selection) -> tuple[PublishedRow, ...]:
        """Some of the rows, in the order of the table."""
        return tuple(row for row in self.rows if row.is_in(selection))

    def tolerance(self, row: PublishedRow, measure: str) -> Tolerance | None:
        """How far ``measure`` may be off in ``row``; None if that is not declared."""
        fitting = [t for t in self.tolerances if t.measure == measure and row.is_in(t.where)]
        return fitting[-1] if fitting else None


def table_names() -> tuple[str, ...]:
    """The published tables that can be replayed."""
    names = (file.name for file in _folder().iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load_table(name: str) -> PublishedTable:
    """The published table called ``name``. Raises `ConfigurationError` if there is none."""
    if name not in table_names():
        raise ConfigurationError(
            f"table {name[:40]!r} is unknown: expected {' or '.join(table_names())}"
        )
    texts = ((_folder() / f"{name}.{kind}").read_text("utf-8") for kind in ("csv", "toml"))
    try:
        return parse_table(name, *texts)
    except ValueError as error:
        raise ConfigurationError(f"table {name}: {error}") from None


def parse_table(name: str, figures: str, companion: str) -> PublishedTable:
    """A table from the content of its two files. Raises `ValueError` if they do not agree."""
    beside = msgspec.convert(tomllib.loads(companion), _Companion)
    lines = [line.split(",") for line in figures.splitlines()]
    header, runs = lines[0], lines[1:]
    rows = tuple(
        _row(dict(zip(header, map(_value, run), strict=True)), beside.key, beside.calibration)
        for run in runs
    )
    _check(beside, header, rows)
    return PublishedTable(
        name=name,
        title=beside.title,
        source=beside.source,
        url=beside.url,
        measured=beside.measured,
        measures=beside.measures,
        layout=beside.layout,
        workload=beside.workload,
        groups=beside.groups,
        tolerances=beside.tolerance,
        bounds=beside.bound,
        rows=rows,
    )


def _row(
    columns: dict[str, Value], key: Iterable[str], calibration: Iterable[Selection]
) -> PublishedRow:
    name = KEY_SEPARATOR.join(str(columns[column]) for column in key)
    fitted = any(_is_in(columns, selection) for selection in calibration)
    return PublishedRow(name, Role.CALIBRATION if fitted else Role.ACCEPTANCE, columns)


def _value(text: str) -> Value:
    """A field of the table: a number if it is one, else text, as the names of runs are."""
    if re.fullmatch(r"\d+", text):
        return int(text)
    return float(text) if re.fullmatch(r"\d*\.\d+", text) else text


def _check(beside: _Companion, header: Sequence[str], rows: Sequence[PublishedRow]) -> None:
    """Find what would silently have no effect."""
    if len({row.key for row in rows}) != len(rows):
        raise ValueError(f"two rows have the same {KEY_SEPARATOR.join(beside.key)}")
    selections = [
        *beside.calibration,
        *beside.groups.values(),
        *(tolerance.where for tolerance in beside.tolerance),
    ]
    named = [column for selection in selections for column in selection]
    measures = [tolerance.measure for tolerance in beside.tolerance]
    measures += [bound.measure for bound in beside.bound]
    for column in (*beside.key, *beside.measures, *named, *measures):
        if column not in header:
            raise ValueError(f"there is no column {column}; expected one of {', '.join(header)}")
    for selection in selections:
        if not any(row.is_in(selection) for row in rows):
            raise ValueError(f"no row has {selection}")
    for bound in beside.bound:
        if bound.group not in beside.groups:
            raise ValueError(f"bound of group {bound.group}: expected {', '.join(beside.groups)}")
    for tolerance in beside.tolerance:
        count = sum(row.is_in(tolerance.where) for row in rows)
        if count == 1 and not tolerance.reason.strip():
            raise ValueError(f"the tolerance for {tolerance.where} alone needs a reason")


def _folder() -> Traversable:
    return resources.files("scenarios") / "tables"
