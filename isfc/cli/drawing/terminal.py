"""A link drawn for a terminal, of any width."""

from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from ctc.address import format_chpid, format_rdev
from isfc.layout.capacity import CtcPlaces, fibre_uses, speed_text, writer_name
from isfc.layout.layout import Layout
from isfc.reports.report import NODE_STYLES
from isfc.reports.terminal import Fitted

WRITER_STYLES: Final = {None: "green", 0: NODE_STYLES[0], 1: NODE_STYLES[1]}

_ARROW: Final = 28
"""Columns of a CTC in the terminal."""
_SHORT_ARROW: Final = 3
"""Of one in a narrow terminal: 40 columns hold it, where names are not long."""


def drawing_page(layout: Layout) -> RenderableType:
    """The drawing for a terminal: a block for each fibre, a line for each CTC."""
    return Group(
        Fitted(_drawn(layout, _ARROW), _drawn(layout, _SHORT_ARROW)),
        "",
        "N > writes as its Nth choice; a CTC without an arrowhead is not written there.",
    )


def _drawn(layout: Layout, arrow: int) -> RenderableType:
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
