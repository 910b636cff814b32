"""The connections of a layout: systems by systems, and both ends of all CTCs."""

from msgspec import Struct
from rich.console import RenderableType

from ctc.address import format_chpid, format_rdev
from isfc.cli.output.streams import show, show_json, show_log
from isfc.deck.connections import Connection, Connections, RangeEnd, connections_of
from isfc.layout.collection import Collection
from isfc.reports.table import apart, plain_table


class RangeEndJson(Struct, frozen=True):
    """One end of a range of CTCs."""

    node: str
    chpid: str
    control_unit: str | None
    """null if no kept deck tells it"""
    rdev: str
    """the first"""


class ConnectionJson(Struct, frozen=True):
    """CTCs whose numbers and unit addresses follow each other."""

    ends: list[RangeEndJson | None]
    """the end that a gap has not is null"""
    unit_address: str | None
    """the first; null if no kept deck tells it"""
    count: int
    in_link: bool
    """whether the layout has them; a kept deck may define more"""
    gap: str | None
    """why there is no other end, as of `isfc import iocp --json`"""


class JoinedJson(Struct, frozen=True):
    """A link of two systems."""

    nodes: list[str]
    ctcs: int
    fibres: int


class ConnectionsJson(Struct, frozen=True):
    """``isfc show --json``. Names and meanings of the keys stay between releases."""

    systems: list[str]
    matrix: list[JoinedJson]
    """the pairs of systems that have CTCs"""
    connections: list[ConnectionJson]
    remarks: list[str]
    """what the kept decks do not tell"""


def show_connections(collection: Collection, *, json: bool) -> None:
    """Print them as tables, or as JSON."""
    found = connections_of(collection)
    if json:
        show_json(
            ConnectionsJson(
                [*found.systems],
                [JoinedJson([*nodes], *counts) for nodes, counts in found.matrix.items()],
                [_row_json(row) for row in found.listed],
                [*found.remarks],
            )
        )
        return
    for remark in found.remarks:
        show_log(f"isfc: note: {remark}")
    show(apart([_matrix(found), _both_sides(found)]))


def _row_json(row: Connection) -> ConnectionJson:
    return ConnectionJson(
        [None if end is None else _end_json(end) for end in row.ends],
        None if row.address is None else f"{row.address:02X}",
        row.count,
        row.in_link,
        row.gap or None,
    )


def _end_json(end: RangeEnd) -> RangeEndJson:
    chpid, rdev = format_chpid(end.chpid), format_rdev(end.rdev)
    return RangeEndJson(end.node, chpid, _unit(end) or None, rdev)


def _unit(end: RangeEnd) -> str:
    return "" if end.unit is None else f"{end.unit:04X}"


def _matrix(found: Connections) -> RenderableType:
    """CTCs and fibres by the two systems, of which each pair is there twice."""
    table = plain_table("CTCs/fibres", *(f">{system}" for system in found.systems))
    for one in found.systems:
        cells = []
        for other in found.systems:
            counts = found.matrix.get((one, other)) or found.matrix.get((other, one))
            cells.append("" if one == other else "{}/{}".format(*counts) if counts else "0")
        table.add_row(one, *cells)
    return table


def _both_sides(found: Connections) -> RenderableType:
    """Both ends of each range, as HCM shows them: a gap has one."""
    side = ("system", "chpid", "CU", "devices")
    table = plain_table(*side, "UA", *reversed(side), "", no_wrap=True)
    for row in found.listed:
        near, far = (_side(end, row.count) for end in row.ends)
        address = "" if row.address is None else f"{row.address:02X}"
        said = "gap" if row.gap else "" if row.in_link else "not in link"
        table.add_row(*near, address, *reversed(far), said)
    return table


def _side(end: RangeEnd | None, count: int) -> tuple[str, str, str, str]:
    if end is None:
        return "", "", "", ""
    chpid, devices = format_chpid(end.chpid), f"{format_rdev(end.rdev)},{count}"
    return end.node, chpid, _unit(end), devices
