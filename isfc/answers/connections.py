"""The connections of a layout: systems by systems, and both ends of all CTCs side by side.

The two-sided list has the seven columns of HCM's view of CTC connections: image, control unit and
devices of one end, the unit address that both share, and the same of the other end (published: HCM
User's Guide, "View CTC Connection Details").
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import astuple, replace

from ctc.address import ChpidId, Rdev, format_chpid, format_rdev
from isfc.deck.deck import ControlUnit
from isfc.deck.kept import Devices, kept_devices, pairings_of
from isfc.deck.pairing import Pairing, never_paired
from isfc.errors import ConfigurationError
from isfc.errors.arguments import checked
from isfc.errors.in_words import counted, runs
from isfc.layout.catalogue import AnyLayout, given_collection
from isfc.layout.layout import Layout
from isfc.link.name import NodeName, Nodes
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
    count: int = 1
    in_link: bool = True
    """whether the layout has them; a kept deck may define more"""
    gap: str | None = None
    """why there is no other end, as of `isfc import iocp --json`"""

    def goes_on_in(self, other: "CtcConnection") -> bool:
        """Whether the numbers and the unit address of another follow those of this one."""
        after = (end and replace(end, rdev=_next(end.rdev)) for end in self.ends)
        address = self.unit_address and _next(self.unit_address)
        return replace(self, ends=(*after,), unit_address=address) == other


def _next(number: str) -> str:
    """``600A`` behind ``6009``: one more, of as many hex digits."""
    return f"{int(number, 16) + 1:0{len(number)}X}"


class JoinedSystems(Struct, frozen=True):
    """A link of two systems."""

    nodes: Nodes
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
    devices = kept_devices(collection)
    rows = [row for link in collection.links for row in _of_link(link, devices)]
    remarks: list[str] = []
    try:
        pairings = pairings_of(collection, {})
    except ConfigurationError as error:
        remarks.append(f"the decks do not tell what else is connected: {error}".split("\n")[0])
        pairings = []
    seen = {tuple(end and (end.node, end.rdev) for end in row.ends) for row in rows}
    for row in (*_defined(pairings), *_gaps(pairings)):
        ends = tuple(end and (end.node, end.rdev) for end in row.ends)
        rows += [] if ends in seen else [row]
    joined = (
        JoinedSystems(link.nodes, len(link.ctcs), len({ctc.fibre for ctc in link.ctcs}))
        for link in collection.links
    )
    return Connections(collection.systems, tuple(joined), _in_ranges(rows), tuple(remarks))


def of_link(link: Layout, devices: Devices) -> tuple[CtcConnection, ...]:
    """Those of a link, with control units and unit addresses as the devices of decks have them."""
    return _in_ranges(_of_link(link, devices))


def _in_ranges(rows: Iterable[CtcConnection]) -> tuple[CtcConnection, ...]:
    found = runs(rows, CtcConnection.goes_on_in)
    return tuple(replace(run[0], count=len(run)) for run in found)


def _end(node: NodeName, chpid: ChpidId, rdev: Rdev, unit: ControlUnit | None) -> ConnectionEnd:
    number = None if unit is None else f"{unit.number:04X}"
    return ConnectionEnd(node, format_chpid(chpid), number, format_rdev(rdev))


def _of_link(link: Layout, devices: Devices) -> Iterator[CtcConnection]:
    """Each CTC of a link; a device of another chpid tells nothing of it."""
    for ctc in link.device_list():
        ends, addresses = list[ConnectionEnd](), set[int]()
        for node, chpid, rdev in zip(link.nodes, ctc.fibre.chpids, ctc.rdevs, strict=True):
            device = devices.get(node, {}).get(rdev)
            unit = device.control_unit if device else None
            if unit and not unit.is_on(chpid):
                unit = None
            if device and unit:
                addresses.add(device.unit_address)
            ends.append(_end(node, chpid, rdev, unit))
        address = f"{min(addresses):02X}" if addresses else None
        yield CtcConnection((ends[0], ends[1]), address)


def _defined(pairings: Sequence[Pairing]) -> Iterator[CtcConnection]:
    """What the decks join, whether a layout has it or not."""
    for pairing in pairings:
        for ctc in pairing.ctcs:
            first, second = (
                _end(node, chpid, device.rdev, device.control_unit)
                for node, chpid, device in zip(pairing.nodes, ctc.chpids, ctc.devices, strict=True)
            )
            address = f"{ctc.devices[0].unit_address:02X}"
            yield CtcConnection((first, second), address, in_link=False)


def _gaps(pairings: Sequence[Pairing]) -> Iterator[CtcConnection]:
    """Devices without a mate, but for those that lead to their own partition, as they should."""
    for each in never_paired(pairings):
        if not each.is_expected:
            device, unit = each.device, each.device.control_unit
            channel = next(iter(unit.paths.values()))[0].channel
            ends = _end(each.node, channel.chpid, device.rdev, unit), None
            address = f"{device.unit_address:02X}"
            yield CtcConnection(ends, address, in_link=False, gap=each.reason.value)


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
