"""``isfc show``: a layout drawn, or its connections as tables."""

from dataclasses import replace
from typing import Annotated

import typer
from msgspec import Struct
from rich.console import RenderableType

from ctc.address import format_chpid, format_rdev
from isfc.cli.drawing.link import cluster_drawing_page, drawing_svg
from isfc.cli.drawing.terminal import drawing_page
from isfc.cli.options.layout import JsonOption, LayoutArgument, LinkOption, open_links
from isfc.cli.output.csv_option import CsvOption
from isfc.cli.output.file import check_file, output_option
from isfc.cli.output.streams import show, show_json, show_log, write_file
from isfc.cli.output.table import apart, plain_table
from isfc.cli.results.shared import disk_lines
from isfc.deck.connections import Connection, Connections, RangeEnd, connections_of
from isfc.errors import ConfigurationError
from isfc.io.shared import find_shared
from isfc.layout.sharing import shares_anything


def show_layout(
    layout: LayoutArgument,
    *,
    link: LinkOption = None,
    output: Annotated[
        str | None,
        output_option("Draw it into a file, as SVG.", "FILE.svg"),
    ] = None,
    connections: Annotated[
        bool,
        typer.Option(
            "--connections",
            help="Tables instead: systems by systems, and both ends of all CTCs, those that only "
            "kept decks have too.",
        ),
    ] = False,
    csv: CsvOption = False,
    json: JsonOption = False,
) -> None:
    """Draw a layout: systems, chpids, fibres, who writes on what.

    The fibres are in the order in which the first node's scan meets them. Colour, dashes and
    words say which CTCs only one end may write. Where systems share channels or directors are
    told, the machines, the directors and what each channel carries come first, of a single link
    last. --csv and --json are of --connections.
    """
    opened = open_links(layout, link, alone=False)
    collection = opened[0].collection
    if connections or csv or json:
        if output is not None:
            raise ConfigurationError(
                "--output is of the drawing: expected no --connections, --csv or --json with it"
            )
        named = collection if link is None else replace(collection, links=(opened[0].layout,))
        _show_connections(connections_of(named), json=json)
        return
    shares = collection.shared_channels or shares_anything(collection)
    cluster = collection if shares else None
    if output is not None:
        svg = drawing_svg(*(each.layout for each in opened), cluster=cluster)
        write_file(check_file("-o", output, (".svg",)), svg)
        return
    machines = None if cluster is None else cluster_drawing_page(cluster)
    if machines is not None and len(opened) > 1:
        show(machines, "")
    for number, each in enumerate(opened):
        show(*([""] if number else []), drawing_page(each.layout))
        if each.disks is not None:
            show("", *disk_lines(find_shared(each.disks, each.layout)))
    if machines is not None and len(opened) == 1:
        show("", machines)


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


def _show_connections(found: Connections, *, json: bool) -> None:
    if json:
        show_json(
            ConnectionsJson(
                [*found.systems],
                [JoinedJson([*nodes], *counts) for nodes, counts in found.matrix.items()],
                [_row_json(row) for row in found.rows],
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
    for row in found.rows:
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
