"""A layout drawn as SVG: its links one below the other, below the cluster that they are of.

The drawing of a cluster has the machines in two rows, the directors between them, and a line from
each channel to whatever it is cabled to; what a channel carries is written at it.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from msgspec import Struct

from ctc.address import format_chpid
from isfc.answers.drawing_link import STYLE, XMLNS, draw_box, draw_line, draw_link, draw_text
from isfc.errors.arguments import checked
from isfc.errors.in_words import counted
from isfc.layout.catalogue import AnyLayout, given_collection
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.parts import Channel
from isfc.layout.sharing import carried_by, shares_anything

WIDTH: Final = 640
_GAP: Final = 16
"""Between a drawing and the next."""
SOLID_STYLE: Final = """
.isfc-drawing .solid.box { fill: #fff; stroke-opacity: 1 }
@media (prefers-color-scheme: dark) { .isfc-drawing .solid.box { fill: #0d1117 } }
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


@checked
def drawing(layout: AnyLayout) -> str:
    """A layout drawn as SVG, as `isfc show -o` writes it: a document of its own.

    Raises `ConfigurationError` for what is no layout.
    """
    collection = given_collection(layout)
    return drawing_svg(*collection.links, cluster=cluster_of(collection))


def cluster_of(collection: Collection) -> Collection | None:
    """The cluster that is drawn above its links; None where they share nothing."""
    return collection if collection.shared_channels or shares_anything(collection) else None


def drawing_svg(*layouts: Layout, mark: str = "", cluster: Collection | None = None) -> str:
    """The drawing as SVG, a document of its own that can stand inside a page as well.

    Several layouts stand one below the other, below the ``cluster`` that they are of if that is
    to be drawn. ``mark`` ends the ids, so that a page may have more than one drawing.
    """
    if len(layouts) == 1 and cluster is None:
        svg, _ = draw_link(layouts[0], mark)
    else:
        svg, top = Element("svg", {"xmlns": XMLNS}), 0
        drawings = [draw_link(each, f"{mark}-{n}") for n, each in enumerate(layouts, start=1)]
        if cluster is not None:
            drawn, height = draw_cluster(cluster)
            SubElement(drawn, "style").text = STYLE + SOLID_STYLE
            drawings.insert(0, (drawn, height))
        for drawn, height in drawings:
            place = {"y": top, "width": WIDTH, "height": height, "preserveAspectRatio": "xMinYMin"}
            drawn.attrib.update({key: str(value) for key, value in place.items()})
            svg.append(drawn)
            top += height + _GAP
        svg.set("viewBox", f"0 0 {WIDTH} {top}")
    ElementTree.indent(svg)
    return ElementTree.tostring(svg, "unicode") + "\n"


class DrawnCec(Struct, frozen=True):
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


def draw_cluster(collection: Collection) -> tuple[Element, int]:
    """The SVG of a cluster, and its height."""
    machines = machines_of(collection)
    upper = machines[: (len(machines) + 1) // 2]
    lower = machines[len(upper) :]
    svg = Element("svg", {"class": "isfc-drawing cluster", "role": "img"})
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
            + ", ".join(f"{n} of {name}" for name, n in ctcs_of(collection, channel).items())
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
        draw_box(svg, 4, top, WIDTH - 8, height)
        draw_text(svg, WIDTH / 2, top + (22 if below else height - 12), machine.name, "node")
        for number, channel in enumerate(machine.channels):
            line, column = divmod(number, per_line)
            x = _CHANNEL_GAP + column * (_CHANNEL_WIDTH + _CHANNEL_GAP)
            y = top + (_CEC_HEAD - 12 if below else 12) + line * (_CHANNEL_HEIGHT + _CHANNEL_GAP)
            ends = " ".join(f"{end.node}.{format_chpid(end.chpid)}" for end in channel)
            drawn = SubElement(svg, "g", {"class": "channel", "data-ends": ends})
            draw_box(drawn, x, y, _CHANNEL_WIDTH, _CHANNEL_HEIGHT)
            middle = x + _CHANNEL_WIDTH / 2
            chpids = " = ".join(dict.fromkeys(format_chpid(end.chpid) for end in channel))
            few = len(channel) <= _NAMED_MAX
            systems = ", ".join(end.node for end in channel) if few else f"{len(channel)} systems"
            draw_text(drawn, middle, y + 17, f"chpid {chpids}", "")
            draw_text(drawn, middle, y + 34, systems, "")
            count = sum(ctcs_of(collection, channel).values())
            links = len(ctcs_of(collection, channel))
            told = f"{counted(count, 'CTC')}, {counted(links, 'link')}"
            draw_text(drawn, middle, y + 51, told, "place")
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
            draw_line(svg, one_end, other_end, "both", width)
            continue
        loops += 1
        hangs = one_end[1] + (1 if one_end[1] < middle else -1) * _LOOP * (1 + (loops - 1) % 5)
        corners = one_end, (one_end[0], hangs), (other_end[0], hangs), other_end
        for corner, following in pairwise(corners):
            draw_line(svg, corner, following, "both", width)
    for (first, second), path in isls.items():
        draw_line(svg, at[first], at[second], "first", 4)
        between = (at[first][0] + at[second][0]) / 2
        draw_text(svg, between, middle - 8, f"path {path}", "place")
    for name, (x, y) in at.items():
        draw_box(svg, x - 60, y - 18, 120, 36, filled=True)
        draw_text(svg, x, y + 5, f"director {name}", "")


def plug_of(collection: Collection, channel: Channel) -> tuple[str, str]:
    """The director of a channel and its port there, empty if the file does not say."""
    for _, fibre, end in collection.fibre_ends(channel):
        if fibre.directors:
            return fibre.directors[end], fibre.ports[end] if fibre.ports else ""
    return "", ""


def ctcs_of(collection: Collection, channel: Channel) -> dict[str, int]:
    """CTCs on a channel by link, those with both ends there twice."""
    counts = {link.name: collection.ctc_count(channel, link) for link in collection.links}
    return {name: count for name, count in counts.items() if count}
