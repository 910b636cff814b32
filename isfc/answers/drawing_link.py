"""A link drawn as SVG: a block for each fibre, and a line for each CTC.

`isfc.cli.show` draws the same for a terminal. Colours say who may write on a CTC, and
so do dashes and words, for who cannot tell them apart. The SVG follows the reader's dark mode, and
is text to a screen reader.
"""

from typing import Final
from xml.etree.ElementTree import Element, SubElement

from msgspec import Struct

from ctc.address import format_chpid, format_rdev
from isfc.layout.capacity import CtcPlaces, fibre_uses, speed_text, writer_name
from isfc.layout.layout import Fibre, Layout

XMLNS: Final = "http://www.w3.org/2000/svg"
LINK_WIDTH: Final = 400
"""Chosen: on a phone, where it is 328 pixels wide, its words are read without zooming."""
_BOX: Final = 124
_ROW: Final = 22
_HEAD: Final = 26
_GAP: Final = 16
_TOP: Final = 66
_GUESTS: Final = 3
"""Guests drawn on each system: some, whatever their number."""
STYLE: Final = """
.isfc-drawing { font: 13px system-ui, sans-serif; color: #1b1f24 }
.isfc-drawing text { fill: currentColor }
.isfc-drawing .node { font-weight: bold; font-size: 15px }
.isfc-drawing .place { opacity: .7 }
.isfc-drawing .box { fill: none; stroke: currentColor; stroke-opacity: .45; rx: 6 }
.isfc-drawing .both { stroke: #2b8a3e; fill: #2b8a3e }
.isfc-drawing .first { stroke: #0b7285; fill: #0b7285; stroke-dasharray: 8 3 }
.isfc-drawing .second { stroke: #a61e8d; fill: #a61e8d; stroke-dasharray: 2 3 }
.isfc-drawing path.head { stroke: none }
@media (prefers-color-scheme: dark) {
  .isfc-drawing { color: #e6edf3 }
  .isfc-drawing .both { stroke: #69db7c; fill: #69db7c }
  .isfc-drawing .first { stroke: #66d9e8; fill: #66d9e8 }
  .isfc-drawing .second { stroke: #f08fde; fill: #f08fde }
}
@media print { .isfc-drawing { color: #000 } }
"""
_CLASSES: Final = {None: "both", 0: "first", 1: "second"}


class DrawnFibre(Struct, frozen=True):
    """A fibre as it is drawn: its CTCs, and whether it is struck out, as if it were lost."""

    fibre: Fibre
    uses: tuple[CtcPlaces, ...]
    struck: bool = False


def link_groups(layout: Layout, left: Layout | None) -> tuple[DrawnFibre, ...]:
    """The fibres of a layout as they are drawn; those that are not ``left`` are struck out."""
    used = {} if left is None else {each.name: uses for each, uses in fibre_uses(left).items()}
    return tuple(
        DrawnFibre(fibre, tuple(used[fibre.name]))
        if fibre.name in used
        else DrawnFibre(fibre, tuple(CtcPlaces(use.ctc, (None, None)) for use in uses), True)
        for fibre, uses in fibre_uses(layout).items()
    )


def draw_link(
    layout: Layout, mark: str = "", groups: tuple[DrawnFibre, ...] | None = None
) -> tuple[Element, int]:
    """The drawing of one link, and its height; ``groups`` are its fibres, none struck out if None.

    A fibre is an element ``g.fibre`` with its name, a CTC in it a ``g.ctc`` with its number at the
    first node, for whoever lets people touch them.
    """
    groups = link_groups(layout, layout) if groups is None else groups
    rows = sum(_HEAD + _ROW * len(group.uses) + _GAP for group in groups)
    height = _TOP + rows + _ROW * 3
    title, words = f"drawing-title{mark}", f"drawing-desc{mark}"
    svg = Element(
        "svg",
        {
            "xmlns": XMLNS,
            "viewBox": f"0 0 {LINK_WIDTH} {height}",
            "width": str(LINK_WIDTH),
            "height": str(height),
            "class": "isfc-drawing",
            "role": "img",
            "aria-labelledby": f"{title} {words}",
        },
    )
    SubElement(svg, "title", {"id": title}).text = f"Logical link {' - '.join(layout.nodes)}"
    SubElement(svg, "desc", {"id": words}).text = _in_words(layout, groups)
    SubElement(svg, "style").text = STYLE
    _define_arrows(svg, mark)
    for node, x in zip(layout.nodes, (_BOX / 2 + 4, LINK_WIDTH - _BOX / 2 - 4), strict=True):
        draw_text(svg, x, 24, node, "node")
        _draw_guests(svg, x)
    top = _TOP
    for group in groups:
        top = _draw_group(svg, group, top, mark) + _GAP
    _draw_legend(svg, layout, top)
    return svg, height


def _in_words(layout: Layout, groups: tuple[DrawnFibre, ...]) -> str:
    """What the drawing shows, for who cannot see it."""
    return " ".join(
        f"{fibre_words(group)}: "
        + ", ".join(ctc_words(layout, group, use) for use in group.uses)
        + "."
        for group in groups
    )


def fibre_words(group: DrawnFibre) -> str:
    """``Fibre 1, Express2 2 Gb/s, chpid 40 to 50``."""
    near, far = map(format_chpid, group.fibre.chpids)
    words = f"Fibre {group.fibre.name}, {speed_text(group.fibre)}, chpid {near} to {far}"
    return f"{words}, struck out" if group.struck else words


def ctc_words(layout: Layout, group: DrawnFibre, use: CtcPlaces) -> str:
    """``6000 to 7000 (ATLANTA only)``."""
    here, there = map(format_rdev, use.ctc.rdevs)
    writers = "lost" if group.struck else writer_name(layout.nodes, use)
    return f"{here} to {there} ({writers})"


def _define_arrows(svg: Element, mark: str) -> None:
    """One arrowhead for each kind of line, as `context-stroke` is not drawn everywhere."""
    definitions = SubElement(svg, "defs")
    for kind in _CLASSES.values():
        marker = SubElement(
            definitions,
            "marker",
            {
                "id": f"arrow-{kind}{mark}",
                "viewBox": "0 0 8 8",
                "refX": "7",
                "refY": "4",
                "markerWidth": "7",
                "markerHeight": "7",
                "orient": "auto-start-reverse",
            },
        )
        SubElement(marker, "path", {"d": "M0,0 L8,4 L0,8 z", "class": f"{kind} head"})


def _draw_guests(svg: Element, middle: float) -> None:
    """The guests of a system, whose messages the link carries."""
    for index in range(_GUESTS):
        centre = f"{middle - 52 + 16 * index:g}"
        SubElement(svg, "circle", {"cx": centre, "cy": "44", "r": "6", "class": "box"})
    draw_text(svg, middle - 58 + 16 * _GUESTS + 4, 49, "guests", "place", "start")


def _draw_group(svg: Element, group: DrawnFibre, top: int, mark: str) -> int:
    """A fibre with the chpids at its ends, and its CTCs; return where it ends."""
    height = _HEAD + _ROW * len(group.uses)
    svg = SubElement(svg, "g", {"class": "fibre", "data-fibre": group.fibre.name})
    for x, chpid in zip((4, LINK_WIDTH - _BOX - 4), group.fibre.chpids, strict=True):
        draw_box(svg, x, top, _BOX, height)
        draw_text(svg, x + _BOX / 2, top + 18, f"chpid {format_chpid(chpid)}", "")
    for y, label in ((9, f"fibre {group.fibre.name}"), (24, speed_text(group.fibre))):
        draw_text(svg, LINK_WIDTH / 2, top + y, label, "place")
    for index, use in enumerate(group.uses):
        _draw_ctc(svg, use, top + _HEAD + _ROW * index + 12, mark)
    return top + height


def _draw_ctc(svg: Element, use: CtcPlaces, y: int, mark: str) -> None:
    kind = _CLASSES[use.writer]
    (here, there), (down, up) = map(format_rdev, use.ctc.rdevs), use.places
    near, far = _BOX + 4, LINK_WIDTH - _BOX - 4
    svg = SubElement(svg, "g", {"class": "ctc", "data-rdev": here})
    draw_text(svg, near - 10, y + 4, here, "", "end")
    draw_text(svg, far + 10, y + 4, there, "", "start")
    draw_text(svg, near - 50, y + 4, f"writes {down}." if down else "", "place", "end")
    draw_text(svg, far + 50, y + 4, f"writes {up}." if up else "", "place", "start")
    line = {"x1": near + 3, "y1": y, "x2": far - 3, "y2": y, "class": kind, "stroke-width": 2}
    attributes = {name: str(value) for name, value in line.items()}
    if down:
        attributes["marker-end"] = f"url(#arrow-{kind}{mark})"
    if up:
        attributes["marker-start"] = f"url(#arrow-{kind}{mark})"
    SubElement(svg, "line", attributes)


def _draw_legend(svg: Element, layout: Layout, top: int) -> None:
    first, second = layout.nodes
    names = {None: "both may write", 0: f"only {first} may write", 1: f"only {second} may write"}
    for index, (writer, name) in enumerate(names.items()):
        y = top + _ROW * index + 8
        draw_line(svg, (8, y), (58, y), _CLASSES[writer], 2)
        draw_text(svg, 68, y + 4, name, "", "start")


def draw_text(
    svg: Element, x: float, y: float, text: str, kind: str, anchor: str = "middle"
) -> None:
    """Write a word at a place, its middle there unless ``anchor`` says otherwise."""
    attributes = {"x": f"{x:g}", "y": f"{y:g}", "class": kind, "text-anchor": anchor}
    SubElement(svg, "text", attributes).text = text


def draw_box(
    svg: Element, x: float, y: float, width: float, height: float, *, filled: bool = False
) -> None:
    """Draw a box, through which lines are seen unless it is filled."""
    place = {"x": x, "y": y, "width": width, "height": height}
    attributes = {key: f"{value:g}" for key, value in place.items()}
    SubElement(svg, "rect", {**attributes, "class": "solid box" if filled else "box"})


def draw_line(
    svg: Element, one: tuple[float, float], other: tuple[float, float], kind: str, width: float
) -> None:
    """Draw a line from one place to the other, of the class ``kind``."""
    place = {"x1": one[0], "y1": one[1], "x2": other[0], "y2": other[1], "stroke-width": width}
    SubElement(svg, "line", {**{key: f"{value:g}" for key, value in place.items()}, "class": kind})
