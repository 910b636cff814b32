"""The connections of a layout: systems by systems, and both ends of all CTCs side by side.

The two-sided list has the seven columns of HCM's view of CTC connections: image, control unit and
devices of one end, the unit address that both share, and the same of the other end (published: HCM
User's Guide, "View CTC Connection Details").
"""

from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import astuple

from ctc.address import format_chpid, format_rdev
from isfc.deck.kept import CtcRange, RangeEnd, ranges_of
from isfc.errors.arguments import checked
from isfc.errors.in_words import counted
from isfc.layout.catalogue import AnyLayout, given_collection
from isfc.link.name import NodeName
from isfc.reports.figure import Reported
from isfc.reports.report import Column, Report, Table, headed


class ConnectionEnd(Struct, frozen=True):
    """One end of a range of CTCs."""

    node: NodeName
    chpid: str
    control_unit: str | None
    """null if no kept deck tells it"""
    rdev: str
    """the first"""


class CtcConnection(Struct, frozen=True):
    """CTCs whose numbers and unit addresses follow each other."""

    ends: tuple[ConnectionEnd | None, ConnectionEnd | None]
    """the end that a gap has not is null"""
    unit_address: str | None
    """the first; null if no kept deck tells it"""
    count: int
    in_link: bool
    """whether the layout has them; a kept deck may define more"""
    gap: str | None
    """why there is no other end, as of `isfc import iocp --json`"""


class JoinedSystems(Struct, frozen=True):
    """A link of two systems."""

    nodes: tuple[NodeName, NodeName]
    ctcs: int
    fibres: int


class Connections(Reported, Struct, frozen=True):
    """All connections of a layout."""

    reported_by = "isfc.answers.connections.connections_report"

    systems: tuple[NodeName, ...]
    matrix: tuple[JoinedSystems, ...]
    """the pairs of systems that have CTCs"""
    connections: tuple[CtcConnection, ...]
    remarks: tuple[str, ...]
    """what the kept decks do not tell"""

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each range, as a data frame takes them."""
        return [_row(each) for each in self.connections]


@checked
def connections(layout: AnyLayout) -> Connections:
    """The connections of all links of a layout, with those that only its decks have."""
    collection = given_collection(layout)
    found, remarks = ranges_of(collection)
    joined = (
        JoinedSystems(link.nodes, len(link.ctcs), len({ctc.fibre for ctc in link.ctcs}))
        for link in collection.links
    )
    return Connections(collection.systems, tuple(joined), tuple(map(connection, found)), remarks)


def connection(found: CtcRange) -> CtcConnection:
    """A range as pages have it."""
    first, second = map(_end, found.ends)
    address = None if found.address is None else f"{found.address:02X}"
    return CtcConnection((first, second), address, found.count, found.in_link, found.gap or None)


def _end(end: RangeEnd | None) -> ConnectionEnd | None:
    if end is None:
        return None
    unit = None if end.unit is None else f"{end.unit:04X}"
    return ConnectionEnd(end.node, format_chpid(end.chpid), unit, format_rdev(end.rdev))


def _row(each: CtcConnection) -> dict[str, Any]:
    """Both ends of a range around the unit address that they share."""
    first, second = ((None,) * 4 if end is None else astuple(end) for end in each.ends)
    said = "gap" if each.gap else "" if each.in_link else "not in link"
    cells = (*first, each.unit_address, each.count, *second[::-1], said)
    return {column.field: cell for column, cell in zip(_COLUMNS, cells, strict=True)}


_COLUMNS: Final = (
    *headed(first="system", chpid_first="chpid", unit_first="CU", rdev_first="devices"),
    *headed(address="UA", count="CTCs", rdev_second="devices", unit_second="CU"),
    *headed(chpid_second="chpid", second="system", said=""),
)


def connections_report(found: Connections) -> Report:
    """How many CTCs there are and what is no part of them, then the matrix and both ends of all."""
    systems = [str(system) for system in found.systems]
    matrix = Table(
        "CTCs/fibres",
        [Column("", "one"), *(Column(system, system) for system in systems)],
        [{"one": one, **dict(_joined(found, one))} for one in found.systems],
        "matrix",
    )
    ends = Table("Both ends", _COLUMNS, [*map(_row, found.connections)], "connections")
    return Report(", ".join(systems), [*_answer(found)], [matrix, ends], remarks=found.remarks)


def _answer(found: Connections) -> Iterator[tuple[str, str]]:
    ctcs, links = sum(each.ctcs for each in found.matrix), len(found.matrix)
    yield "CTCs", f"{ctcs} in {counted(links, 'link')}"
    gaps = sum(each.count for each in found.connections if each.gap)
    others = sum(not each.in_link and each.count for each in found.connections) - gaps
    if others:
        yield "Not in link", f"{counted(others, 'CTC')} that only the kept decks have"
    if gaps:
        yield "Gaps", f"{counted(gaps, 'device')} without a mate"


def _joined(found: Connections, one: NodeName) -> Iterator[tuple[str, str]]:
    """What a system has with each, of which each pair is there twice."""
    joined = {
        pair: f"{each.ctcs}/{each.fibres}"
        for each in found.matrix
        for pair in (each.nodes, each.nodes[::-1])
    }
    for other in found.systems:
        yield other, "" if one == other else joined.get((one, other), "0")
