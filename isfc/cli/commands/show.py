"""``isfc show``: a layout drawn."""

from typing import Annotated

import typer

from isfc.cli.options.file import check_file
from isfc.cli.options.layout import LayoutArgument, open_layout
from isfc.cli.render.drawing import drawing_page, drawing_svg
from isfc.cli.render.output import show

DrawingOption = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE.svg", help="Draw it into a file, as SVG."),
]


def show_layout(layout: LayoutArgument, *, output: DrawingOption = None) -> None:
    """Draw a layout: systems, chpids, fibres, who writes on what.

    The fibres are in the order in which the first node's scan meets them. Colour, dashes and
    words say which CTCs only one end may write.
    """
    drawn = open_layout(layout)
    if output is None:
        show(drawing_page(drawn))
    else:
        check_file("-o", output, (".svg",)).write_text(drawing_svg(drawn), "utf-8")
