"""``isfc show``: a layout drawn, or its connections as tables."""

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Annotated, Any, Final

from msgspec import Struct
from rich.console import Group, RenderableType
from rich.text import Text

from ctc.address import format_chpid, format_rdev
from isfc.answers.connections import Connections, connections
from isfc.answers.drawing import cluster_of, ctcs_of, drawing_svg, machines_of, plug_of
from isfc.answers.given import OpenedLink, open_links
from isfc.answers.shared import disk_lines
from isfc.cli.capability import command_of
from isfc.cli.options.formats import AnswerPrinted, OwnFile, RenderedFiles, file_options
from isfc.cli.options.option import flag
from isfc.cli.output.file import write_file
from isfc.cli.output.streams import show
from isfc.io.shared import find_shared
from isfc.layout.capacity import CtcPlaces, fibre_uses, speed_text, writer_name
from isfc.layout.catalogue import Decks
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.sharing import carried_by
from isfc.reports.figure import Unit
from isfc.reports.report import NODE_STYLES, Column, Report, Styled, Table, headed, report_of
from isfc.reports.terminal import WideOrNarrow, table_of


class _Shown(Struct, frozen=True):
    """The links that are drawn."""

    links: list[OpenedLink]

    @property
    def cluster(self) -> Collection | None:
        """All links of the file, if they share channels or directors."""
        return cluster_of(self.links[0].collection)

    @property
    def record(self) -> Connections:
        """Their connections."""
        links = tuple(each.layout for each in self.links)
        return connections(replace(self.links[0].collection, links=links))


class ShowPrinted(AnswerPrinted, frozen=True):
    """Whether a layout is drawn, or its connections are printed."""

    connections: Annotated[
        bool,
        flag(
            "--connections",
            "Tables instead: systems by systems, and both ends of all CTCs, those that only "
            "kept decks have too.",
        ),
    ] = False
    files: Annotated[RenderedFiles, file_options(of_charts=False)] = MappingProxyType({})

    def show(self, found: _Shown, report: Callable[[Any], Report]) -> None:
        """Draw the layout for a terminal, if nothing says that it is to be tables."""
        if self.connections or self.instead:
            super().show(found, report)
            return
        for number, each in enumerate(found.links):
            show(*([""] if number else []), drawing_page(each.layout))
            if each.disks is not None:
                show("", *disk_lines(find_shared(each.disks, each.layout)))
        if found.cluster is not None:
            show("", cluster_drawing_page(found.cluster))


def _drawn(layout: str | Decks, *, link: str | None = None) -> _Shown:
    """Draw a layout: systems, chpids, fibres, who writes on what.

    The fibres are in the order in which the first node's scan meets them. Colour, dashes and
    words say which CTCs only one end may write. Where systems share channels or directors are
    told, the machines, the directors and what each channel carries come last. --csv, --json,
    --markdown and --html are of --connections.
    """
    return _Shown(open_links(layout, link, alone=False))


DRAWING = OwnFile(
    ("--output", "-o"),
    (".svg",),
    "FILE.svg",
    "Draw it into a file as well.",
    lambda path, found: write_file(
        path, drawing_svg(*(each.layout for each in found.links), cluster=found.cluster)
    ),
)

show_layout: Any = command_of(
    _drawn, own=[DRAWING], report=lambda found: report_of(found.record), printed=ShowPrinted
)


WRITER_STYLES: Final = {None: "green", 0: NODE_STYLES[0], 1: NODE_STYLES[1]}

_ARROW: Final = 28
"""Columns of a CTC in the terminal."""
_SHORT_ARROW: Final = 3
"""Of one in a narrow terminal: 40 columns hold it, where names are not long."""


def drawing_page(layout: Layout) -> RenderableType:
    """The drawing for a terminal: a block for each fibre, a line for each CTC."""
    return Group(
        WideOrNarrow(_fibres(layout, _ARROW), _fibres(layout, _SHORT_ARROW)),
        "",
        "N > writes as its Nth choice; a CTC without an arrowhead is not written there.",
    )


def _fibres(layout: Layout, arrow: int) -> RenderableType:
    """The fibres and CTCs, each of ``arrow`` columns."""
    first, second = layout.nodes
    width = max(len(first) + 1, 11 if arrow == _ARROW else 9)
    parts: list[RenderableType] = [
        Text(f"{first:>{width}}{'':{arrow + 2}}{second}", "bold", no_wrap=True)
    ]
    for fibre, uses in fibre_uses(layout).items():
        near, far = map(format_chpid, fibre.chpids)
        speed = speed_text(fibre)
        if arrow == _ARROW:
            said = f"{'chpid ' + near:>{width}} {f' {speed} ':=^{arrow}} chpid {far}"
        else:
            said = f"chpid {near} - {far}  {speed}"
        parts += ["", Text(said)]
        parts += [_ctc_line(layout, use, width, arrow) for use in uses]
    return Group(*parts)


def _ctc_line(layout: Layout, use: CtcPlaces, width: int, columns: int) -> Text:
    (here, there), (down, up) = map(format_rdev, use.ctc.rdevs), use.places
    left = f"{f'{down} > ' if down else ''}{here}"
    right = f"{there}{f' < {up}' if up else ''}"
    arrow = f"{'<' if up else '-'}{'-' * (columns - 2)}{'>' if down else '-'}"
    who = "" if use.writer is None else writer_name(layout.nodes, use)
    style = WRITER_STYLES[use.writer]
    return Text.assemble(
        f"{left:>{width}} ", (arrow, style), f" {right:<10}", (who, style), no_wrap=True
    )


def cluster_drawing_page(collection: Collection) -> RenderableType:
    """The machines, their channels with what they carry, and the links."""
    rows: list[dict[str, object]] = []
    for machine in machines_of(collection):
        rows.append(
            dict.fromkeys(column.field for column in _CHANNELS)
            | {"channel": Styled(machine.name, "bold cyan")}
        )
        for channel in machine.channels:
            director, port = plug_of(collection, channel)
            counts = ctcs_of(collection, channel)
            rows.append(
                {
                    "channel": " = ".join(map(str, channel)),
                    "director": director,
                    "port": port,
                    "gbps": collection.fibre_ends(channel)[0][1].profile.link_gbps,
                    "ctcs": sum(counts.values()),
                    "links": ", ".join(f"{name} {count}" for name, count in counts.items()),
                }
            )
    is_shared = len(collection.links) > 1 or any(len(each) > 1 for each in carried_by(collection))
    title = "Who shares which channel" if is_shared else "Which channel is on which director"
    return Group(Text(title, "bold"), "", table_of(Table("", _CHANNELS, rows)))


_CHANNELS: Final = (
    Column("channel", "channel", folds=True),
    *headed(director="director", port="port"),
    Column("Gb/s", "gbps", Unit.GBPS),
    Column("CTCs", "ctcs"),
    Column("of links", "links", folds=True),
)
