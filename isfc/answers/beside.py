"""Two sides beside each other: how layouts differ in words, and a form of table for figures."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Final

from msgspec import Struct

from isfc.layout.capacity import speed_text
from isfc.layout.collection import Collection
from isfc.layout.layout import Fibre, Layout
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


def differences(before: Collection, after: Collection) -> Iterator[str]:
    """A line for each fibre and each CTC that is not as it was.

    A CTC is the same one if it has the same device number at the first node of its link.
    """
    links = {link.nodes: link for link in before.links}
    for link in after.links:
        name = link.name
        if link.nodes not in links:
            yield f"{name}: new"
        else:
            yield from _of_link(links.pop(link.nodes), link)
    yield from (f"{'-'.join(nodes)}: gone" for nodes in links)


def _of_link(before: Layout, after: Layout) -> Iterator[str]:
    fibres = {fibre.chpids: fibre for fibre in before.fibres}
    for fibre in after.fibres:
        was = fibres.pop(fibre.chpids, None)
        if was is None:
            yield f"fibre {_fibre(fibre)}: new, {speed_text(fibre)}"
        elif speed_text(was) != speed_text(fibre):
            yield f"fibre {_fibre(fibre)}: {speed_text(was)}, now {speed_text(fibre)}"
    yield from (f"fibre {_fibre(fibre)}: gone" for fibre in fibres.values())
    first, second = after.nodes
    ctcs = {ctc.rdevs[0]: ctc for ctc in before.ctcs}
    for ctc in after.device_list():
        old = ctcs.pop(ctc.rdevs[0], None)
        number = f"{first} {ctc.rdevs[0]:04X}"
        if old is None:
            yield f"CTC {number} - {second} {ctc.rdevs[1]:04X}: new, on chpids {_fibre(ctc.fibre)}"
            continue
        if old.fibre.chpids != ctc.fibre.chpids:
            yield f"CTC {number}: from chpids {_fibre(old.fibre)} to {_fibre(ctc.fibre)}"
        if old.rdevs != ctc.rdevs:
            yield f"CTC {number}: {second} {old.rdevs[1]:04X}, now {ctc.rdevs[1]:04X}"
    yield from (f"CTC {first} {rdev:04X}: gone" for rdev in sorted(ctcs))


def _fibre(fibre: Fibre) -> str:
    """``40-50``: its chpids."""
    return "-".join(f"{chpid:02X}" for chpid in fibre.chpids)


def changed_lines(before: str, after: str) -> Iterator[str]:
    """The lines of the layouts that only one of two runs has."""
    old, new = before.splitlines(), after.splitlines()
    yield from (f"- {line}" for line in old if line not in new)
    yield from (f"+ {line}" for line in new if line not in old)
