"""``isfc show``: a layout drawn."""

from typing import Annotated

import typer

from isfc.cli.options.file import check_file
from isfc.cli.options.layout import LayoutArgument, open_with_disks
from isfc.cli.render.drawing import drawing_page, drawing_svg
from isfc.cli.render.output import show
from isfc.cli.render.shared import disk_lines
from isfc.io.shared import find_shared

DrawingOption = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE.svg", help="Draw it into a file, as SVG."),
]


def show_layout(layout: LayoutArgument, *, output: DrawingOption = None) -> None:
    """Draw a layout: systems, chpids, fibres, who writes on what.

    The fibres are in the order in which the first node's scan meets them. Colour, dashes and
    words say which CTCs only one end may write.
    """
    drawn, disks = open_with_disks(layout)
    if output is None:
        show(drawing_page(drawn))
        if disks is not None:
            show("", *disk_lines(find_shared(drawn, disks)))
    else:
        check_file("-o", output, (".svg",)).write_text(drawing_svg(drawn), "utf-8")
