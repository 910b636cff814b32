"""Links drawn as SVG, and the cluster that they are of: in the terminal, and as SVG.

A link has a block for each fibre and a line for each CTC; `isfc.cli.drawing.terminal` draws the
same for a terminal. A cluster is two tables there; its SVG has the machines in two rows, the
directors between them, and a line from each channel to whatever it is cabled to; what a channel
carries is written at it.

Colours say who may write on a CTC, and so do dashes and words, for who cannot tell them apart.
The SVG follows the reader's dark mode, and is text to a screen reader.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from rich.console import Group, RenderableType
from rich.text import Text

from ctc.address import format_chpid, format_rdev
from isfc.arguments import checked
from isfc.cli.output.table import plain_table
from isfc.layout.catalogue import AnyLayout, given_collection
from isfc.layout.layout import Channel, Collection, Fibre, Layout
from isfc.layout.sharing import carried_by, shares_anything
from isfc.layout.uses import CtcUse, fibre_uses, writer_name

NODE_STYLES: Final = ("cyan", "magenta")
"""How the first system of a link is written, and the second."""

WRITER_STYLES: Final = {None: "green", 0: NODE_STYLES[0], 1: NODE_STYLES[1]}

_XMLNS: Final = "http://www.w3.org/2000/svg"
WIDTH: Final = 640
_BOX: Final = 180
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
SOLID_STYLE: Final = """
.isfc-drawing .solid { fill: #fff; stroke-opacity: 1 }
@media (prefers-color-scheme: dark) { .isfc-drawing .solid { fill: #0d1117 } }
"""
"""A director hides the ends of the lines below it."""
_CHANNEL_WIDTH: Final = 132
_CHANNEL_HEIGHT: Final = 60
_NAMED_MAX: Final = 2
"""Systems of a channel whose names fit into its box."""
_CHANNEL_GAP: Final = 14
_CEC_HEAD: Final = 50
_BETWEEN: Final = 150
"""Between the two rows of machines, where the directors are."""
_LOOPS: Final = 70
"""Below a single row, for the cables between channels beside each other, which hang down."""
_LOOP: Final = 12
"""From one of these cables to the next."""
_CLASSES: Final = {None: "both", 0: "first", 1: "second"}


def speed_text(fibre: Fibre) -> str:
    """A fibre's feature and speed, and its length if it is longer than a machine room."""
    speed = f"{fibre.profile.feature.removeprefix('FICON ')} {fibre.profile.link_gbps:g} Gb/s"
    return f"{speed}, {fibre.km:g} km" if fibre.km else speed


@checked
def drawing(layout: AnyLayout) -> str:
    """A layout drawn as SVG, as `isfc show -o` writes it: a document of its own.

    Raises `ConfigurationError` for what is no layout.
    """
    collection = given_collection(layout)
    shares = collection.shared_channels or shares_anything(collection)
    return drawing_svg(*collection.links, cluster=collection if shares else None)


def drawing_svg(*layouts: Layout, mark: str = "", cluster: Collection | None = None) -> str:
    """The drawing as SVG, a document of its own that can stand inside a page as well.

    Several layouts stand one below the other, below the ``cluster`` that they are of if that is
    to be drawn. ``mark`` ends the ids, so that a page may have more than one drawing.
    """
    if len(layouts) == 1 and cluster is None:
        svg, _ = draw_link(layouts[0], mark)
    else:
        svg, top = Element("svg", {"xmlns": _XMLNS}), 0
        drawings = [draw_link(each, f"{mark}-{n}") for n, each in enumerate(layouts, start=1)]
        if cluster is not None:
            drawn, height = draw_cluster(cluster)
            SubElement(drawn, "style").text = STYLE + SOLID_STYLE
            drawings.insert(0, (drawn, height))
        for drawn, height in drawings:
            place = {"y": top, "width": WIDTH, "height": height}
            drawn.attrib.update({key: str(value) for key, value in place.items()})
            svg.append(drawn)
            top += height + _GAP
        svg.set("viewBox", f"0 0 {WIDTH} {top}")
    ElementTree.indent(svg)
    return ElementTree.tostring(svg, "unicode") + "\n"


@dataclass(frozen=True, slots=True)
class DrawnFibre:
    """A fibre as it is drawn: its CTCs, and whether it is struck out, as if it were lost."""

    fibre: Fibre
    uses: tuple[CtcUse, ...]
    struck: bool = False


def link_groups(layout: Layout, left: Layout | None) -> tuple[DrawnFibre, ...]:
    """The fibres of a layout as they are drawn; those that are not ``left`` are struck out."""
    used = {} if left is None else {use.fibre.name: use.uses for use in fibre_uses(left)}
    return tuple(
        DrawnFibre(each.fibre, used[each.fibre.name])
        if each.fibre.name in used
        else DrawnFibre(each.fibre, tuple(CtcUse(use.ctc, (None, None)) for use in each.uses), True)
        for each in fibre_uses(layout)
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
            "xmlns": _XMLNS,
            "viewBox": f"0 0 {WIDTH} {height}",
            "class": "isfc-drawing",
            "role": "img",
            "aria-labelledby": f"{title} {words}",
        },
    )
    SubElement(svg, "title", {"id": title}).text = f"Logical link {' - '.join(layout.nodes)}"
    SubElement(svg, "desc", {"id": words}).text = _in_words(layout, groups)
    SubElement(svg, "style").text = STYLE
    _define_arrows(svg, mark)
    for node, x in zip(layout.nodes, (_BOX / 2 + 4, WIDTH - _BOX / 2 - 4), strict=True):
        _text(svg, x, 24, node, "node")
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


def ctc_words(layout: Layout, group: DrawnFibre, use: CtcUse) -> str:
    """``6000 to 7000 (ATLANTA only)``."""
    here, there = map(format_rdev, use.ctc.rdevs)
    return f"{here} to {there} ({_writers(layout, group, use)})"


def _writers(layout: Layout, group: DrawnFibre, use: CtcUse) -> str:
    return "lost" if group.struck else writer_name(layout.nodes, use)


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
    _text(svg, middle - 58 + 16 * _GUESTS + 4, 49, "guests", "place", "start")


def _draw_group(svg: Element, group: DrawnFibre, top: int, mark: str) -> int:
    """A fibre with the chpids at its ends, and its CTCs; return where it ends."""
    height = _HEAD + _ROW * len(group.uses)
    svg = SubElement(svg, "g", {"class": "fibre", "data-fibre": group.fibre.name})
    for x, chpid in zip((4, WIDTH - _BOX - 4), group.fibre.chpids, strict=True):
        _box(svg, x, top, _BOX, height)
        _text(svg, x + _BOX / 2, top + 18, f"chpid {format_chpid(chpid)}", "")
    label = f"fibre {group.fibre.name}: {speed_text(group.fibre)}"
    _text(svg, WIDTH / 2, top + 14, label, "place")
    for index, use in enumerate(group.uses):
        _draw_ctc(svg, use, top + _HEAD + _ROW * index + 12, mark)
    return top + height


def _draw_ctc(svg: Element, use: CtcUse, y: int, mark: str) -> None:
    kind = _CLASSES[use.writer]
    (here, there), (down, up) = map(format_rdev, use.ctc.rdevs), use.places
    near, far = _BOX + 4, WIDTH - _BOX - 4
    svg = SubElement(svg, "g", {"class": "ctc", "data-rdev": here})
    _text(svg, near - 10, y + 4, here, "", "end")
    _text(svg, far + 10, y + 4, there, "", "start")
    _text(svg, near - 60, y + 4, f"writes {down}." if down else "", "place", "end")
    _text(svg, far + 60, y + 4, f"writes {up}." if up else "", "place", "start")
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
        _line(svg, (8, y), (58, y), _CLASSES[writer], 2)
        _text(svg, 68, y + 4, name, "", "start")


def _text(svg: Element, x: float, y: float, text: str, kind: str, anchor: str = "middle") -> None:
    attributes = {"x": f"{x:g}", "y": f"{y:g}", "class": kind, "text-anchor": anchor}
    SubElement(svg, "text", attributes).text = text


@dataclass(frozen=True, slots=True)
class DrawnCec:
    """A CEC, or a system whose CEC is not known, and the channels it has."""

    name: str
    channels: tuple[Channel, ...]


def machines_of(collection: Collection) -> tuple[DrawnCec, ...]:
    """The machines of a collection, in the order of its systems."""
    channels: dict[str, list[Channel]] = {}
    for system in collection.systems:
        cec = collection.cec_of(system)
        if cec is not None:
            members = [each for each in collection.systems if each in cec.systems]
            name = f"CEC {cec.name}: {', '.join(members)}"
        else:
            shared = [c for c in collection.shared_channels if any(e.node == system for e in c)]
            members = sorted({end.node for channel in shared for end in channel} | {system})
            name = ", ".join(members)
        channels.setdefault(name, [])
        for channel in carried_by(collection):
            if any(end.node == system for end in channel) and channel not in channels[name]:
                channels[name].append(channel)
    return tuple(DrawnCec(name, tuple(owned)) for name, owned in channels.items())


def cluster_drawing_page(collection: Collection) -> RenderableType:
    """The machines, their channels with what they carry, and the links."""
    channels = plain_table("channel")
    for heading in ("director", "port", "Gb/s", "CTCs"):
        channels.add_column(heading, no_wrap=True)
    channels.add_column("of links", overflow="fold")
    for machine in machines_of(collection):
        channels.add_row(Text(machine.name, "bold cyan", overflow="fold"))
        for channel in machine.channels:
            plug = _plug(collection, channel)
            counts = _ctcs(collection, channel)
            channels.add_row(
                " = ".join(map(str, channel)),
                plug[0],
                plug[1],
                f"{collection.fibre_ends(channel)[0][1].profile.link_gbps:g}",
                str(sum(counts.values())),
                ", ".join(f"{name} {count}" for name, count in counts.items()),
            )
    is_shared = len(collection.links) > 1 or any(len(each) > 1 for each in carried_by(collection))
    title = "Who shares which channel" if is_shared else "Which channel is on which director"
    return Group(Text(title, "bold"), "", channels)


def draw_cluster(collection: Collection) -> tuple[Element, int]:
    """The SVG of a cluster, and its height."""
    machines = machines_of(collection)
    upper = machines[: (len(machines) + 1) // 2]
    lower = machines[len(upper) :]
    svg = Element("svg", {"class": "isfc-drawing", "role": "img"})
    SubElement(svg, "title").text = f"Cluster of {', '.join(collection.systems)}"
    SubElement(svg, "desc").text = cluster_in_words(collection)
    places: dict[Channel, tuple[float, float]] = {}
    top = _row(svg, collection, upper, 8, places, below=True)
    fibres = [fibre for link in collection.links for fibre in link.fibres]
    between = _BETWEEN if lower or any(fibre.directors for fibre in fibres) else _LOOPS
    bottom = _row(svg, collection, lower, top + between, places, below=False)
    _cables(svg, collection, places, top + between / 2)
    svg.set("viewBox", f"0 0 {WIDTH} {bottom:g}")
    return svg, round(bottom)


def cluster_in_words(collection: Collection) -> str:
    """What the drawing shows, for who cannot see it."""
    return " ".join(
        f"{machine.name}: "
        + "; ".join(
            f"channel {' = '.join(map(str, channel))} carries "
            + ", ".join(f"{n} of {name}" for name, n in _ctcs(collection, channel).items())
            for channel in machine.channels
        )
        + "."
        for machine in machines_of(collection)
    )


def _row(
    svg: Element,
    collection: Collection,
    machines: Sequence[DrawnCec],
    top: float,
    places: dict[Channel, tuple[float, float]],
    *,
    below: bool,
) -> float:
    """Draw machines, each as wide as the drawing, one below the other; return where they end."""
    for machine in machines:
        per_line = max(1, (WIDTH - 2 * _CHANNEL_GAP) // (_CHANNEL_WIDTH + _CHANNEL_GAP))
        lines = -(-len(machine.channels) // per_line)
        height = _CEC_HEAD + lines * (_CHANNEL_HEIGHT + _CHANNEL_GAP)
        _box(svg, 4, top, WIDTH - 8, height)
        _text(svg, WIDTH / 2, top + (22 if below else height - 12), machine.name, "node")
        for number, channel in enumerate(machine.channels):
            line, column = divmod(number, per_line)
            x = _CHANNEL_GAP + column * (_CHANNEL_WIDTH + _CHANNEL_GAP)
            y = top + (_CEC_HEAD - 12 if below else 12) + line * (_CHANNEL_HEIGHT + _CHANNEL_GAP)
            ends = " ".join(f"{end.node}.{format_chpid(end.chpid)}" for end in channel)
            drawn = SubElement(svg, "g", {"class": "channel", "data-ends": ends})
            _box(drawn, x, y, _CHANNEL_WIDTH, _CHANNEL_HEIGHT)
            middle = x + _CHANNEL_WIDTH / 2
            chpids = " = ".join(dict.fromkeys(format_chpid(end.chpid) for end in channel))
            few = len(channel) <= _NAMED_MAX
            systems = ", ".join(end.node for end in channel) if few else f"{len(channel)} systems"
            _text(drawn, middle, y + 17, f"chpid {chpids}", "")
            _text(drawn, middle, y + 34, systems, "")
            count = sum(_ctcs(collection, channel).values())
            links = len(_ctcs(collection, channel))
            told = f"{count} CTCs, {links} link{'s' * (links > 1)}"
            _text(drawn, middle, y + 51, told, "place")
            places[channel] = (middle, y + (_CHANNEL_HEIGHT if below else 0))
        top += height + _CHANNEL_GAP
    return top


def _cables(
    svg: Element, collection: Collection, places: dict[Channel, tuple[float, float]], middle: float
) -> None:
    """The directors, and a line from each channel to its director or to the other channel."""
    names = sorted({name for _, fibre, _ in collection.fibres() for name in fibre.directors})
    at = {
        name: (WIDTH * (number + 1) / (len(names) + 1), middle) for number, name in enumerate(names)
    }
    lines: Counter[tuple[tuple[float, float], tuple[float, float]]] = Counter()
    isls: dict[tuple[str, str], str] = {}
    for _, fibre, channels in collection.fibres():
        ends = [places[channel] for channel in channels]
        if not fibre.directors:
            lines[ends[0], ends[1]] += 1
            continue
        for end, director in zip(ends, fibre.directors, strict=True):
            lines[end, at[director]] += 1
        if len(set(fibre.directors)) == 2 and fibre.path is not None:
            one, other = sorted(fibre.directors)
            isls[one, other] = fibre.path.name
    loops = 0
    for (one_end, other_end), count in lines.items():
        width = min(6.0, 1.0 + count / 2)
        if one_end[1] != other_end[1] or one_end == other_end:
            _line(svg, one_end, other_end, "both", width)
            continue
        loops += 1
        hangs = one_end[1] + (1 if one_end[1] < middle else -1) * _LOOP * (1 + (loops - 1) % 5)
        corners = one_end, (one_end[0], hangs), (other_end[0], hangs), other_end
        for corner, following in pairwise(corners):
            _line(svg, corner, following, "both", width)
    for (first, second), path in isls.items():
        _line(svg, at[first], at[second], "first", 4)
        between = (at[first][0] + at[second][0]) / 2
        _text(svg, between, middle - 8, f"path {path}", "place")
    for name, (x, y) in at.items():
        _box(svg, x - 60, y - 18, 120, 36, filled=True)
        _text(svg, x, y + 5, f"director {name}", "")


def _plug(collection: Collection, channel: Channel) -> tuple[str, str]:
    """The director of a channel and its port there, empty if the file does not say."""
    for _, fibre, end in collection.fibre_ends(channel):
        if fibre.directors:
            return fibre.directors[end], fibre.ports[end] if fibre.ports else ""
    return "", ""


def _ctcs(collection: Collection, channel: Channel) -> dict[str, int]:
    """CTCs on a channel by link, those with both ends there twice."""
    counts = {link.name: collection.ctc_count(channel, link) for link in collection.links}
    return {name: count for name, count in counts.items() if count}


def _box(
    svg: Element, x: float, y: float, width: float, height: float, *, filled: bool = False
) -> None:
    place = {"x": x, "y": y, "width": width, "height": height}
    attributes = {key: f"{value:g}" for key, value in place.items()}
    SubElement(svg, "rect", {**attributes, "class": "solid box" if filled else "box"})


def _line(
    svg: Element, one: tuple[float, float], other: tuple[float, float], kind: str, width: float
) -> None:
    place = {"x1": one[0], "y1": one[1], "x2": other[0], "y2": other[1], "stroke-width": width}
    SubElement(svg, "line", {**{key: f"{value:g}" for key, value in place.items()}, "class": kind})
