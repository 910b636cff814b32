"""``isfc show``: a layout drawn, or its connections as tables."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from msgspec import Struct

from isfc.answers.connections import Connections, connections
from isfc.answers.given import OpenedLink, open_links
from isfc.answers.shared import disk_lines
from isfc.cli.capability import AnswerPrinted, command_of
from isfc.cli.drawing.cluster import cluster_drawing_page, cluster_of, drawing_svg
from isfc.cli.drawing.terminal import drawing_page
from isfc.cli.options.option import flag
from isfc.cli.options.own_file import OwnFile
from isfc.cli.output.streams import show, write_file
from isfc.io.shared import find_shared
from isfc.layout.catalogue import Decks
from isfc.layout.collection import Collection
from isfc.reports.report import Report
from isfc.reports.reported import report_of


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

    has_figures = False

    connections: Annotated[
        bool,
        flag(
            "--connections",
            "Tables instead: systems by systems, and both ends of all CTCs, those that only "
            "kept decks have too.",
        ),
    ] = False

    def show(
        self, found: _Shown, report: Callable[[Any], Report], html: Path | None = None
    ) -> None:
        """Draw the layout for a terminal, if nothing says that it is to be tables."""
        if self.connections or html is not None or not self.is_page:
            super().show(found, report, html)
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
