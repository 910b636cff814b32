"""Figures beside others, two runs or a run and a site: one form of table for all that compare."""

from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Final

from msgspec import Struct

from isfc.reports.figure import Unit
from isfc.reports.report import Column, Table

DEVICE_NAMES: Final[Mapping[str, str]] = {
    "io_per_s": "I/O/s",
    "pend_ms": "Pend",
    "disc_ms": "Disc",
    "conn_ms": "Conn",
    "serv_ms": "Serv",
    "busy_percent": "Busy %",
}
"""What pages call the figures of a device, whose units are theirs."""


class BesideRow(Struct, frozen=True):
    """A figure of two sides; None where one does not have it. ``mark`` says what else counts."""

    name: str
    first: float | None
    second: float | None
    difference: float | None
    percent: float | None
    mark: str = ""


def beside_table(
    caption: str,
    sides: tuple[str, str],
    rows: Sequence[BesideRow],
    name: str = "figures",
    *,
    detail: bool = False,
) -> Table:
    """A row for each figure: both sides, how much more the second has, and in percent."""
    first, second = sides
    columns = [
        Column("", "name"),
        Column(first, "first", Unit.ANY),
        Column(second, "second", Unit.ANY),
        Column("more", "difference", Unit.DIFFERENCE),
        Column("%", "percent", Unit.OFF),
        *([Column("", "mark")] if any(row.mark for row in rows) else []),
    ]
    return Table(caption, columns, rows, name, detail)


Cells = tuple[float | str | None, ...]


def across(
    caption: str,
    heads: Sequence[tuple[str, Unit]],
    figures: Iterable[tuple[str, str, Cells]],
    name: str,
    *,
    detail: bool = False,
) -> Table:
    """A row for each device: of each of its figures as many cells as there are ``heads``.

    ``figures`` are a device, a measure and its cells; a head has ``{}`` for the measure.
    """
    rows: dict[str, dict[str, object]] = {}
    columns: dict[str, Column] = {}
    for of, measure, cells in figures:
        row = rows.setdefault(of, {"rdev": of})
        for (head, unit), cell in zip(heads, cells, strict=True):
            field = head.format(measure).replace("\n", " ")
            columns[field] = Column(head.format(DEVICE_NAMES[measure]), field, unit)
            row[field] = cell
    found = [SimpleNamespace(**dict.fromkeys(columns) | row) for row in rows.values()]
    known = [each for each in columns.values() if any(each.of(row) is not None for row in found)]
    return Table(caption, [Column("RDEV", "rdev"), *known], found, name, detail)
