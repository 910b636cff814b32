"""The drawing of `isfc.answers.drawing_link` as something to touch: names, places to hit, focus."""

from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import isfc
from isfc.answers import drawing_link
from isfc.answers.drawing import WIDTH, cluster_of, draw_cluster
from isfc.reports.html import part

_ROW = 22


def overview(collection: isfc.Collection) -> str:
    """The SVG of machines, channels and directors; nothing where nothing is shared.

    A channel names the links that have a fibre on it: CTCs of these can be dropped there.
    """
    if cluster_of(collection) is None:
        return ""
    drawn, height = draw_cluster(collection)
    for channel in drawn.iterfind("g[@data-ends]"):
        ends = {*channel.attrib["data-ends"].split()}
        links = [
            link.name for link, fibre, _ in collection.fibres() if ends & {*_ends(link, fibre)}
        ]
        channel.set("data-links", " ".join(links))
        box = channel.find("rect")
        assert box is not None
        channel.insert(0, Element("rect", {**box.attrib, "class": "hit"}))
    drawn.set("viewBox", f"0 0 {WIDTH} {height}")
    return part("drawn", "The cluster drawn", ElementTree.tostring(drawn, "unicode"))


def touchable(link: isfc.Layout, left: isfc.Layout | None, mark: str) -> str:
    """The SVG of a link, whose fibres that are not ``left`` are struck out.

    They stand in the order of the file, which no edit changes. Fibres and CTCs are buttons to a
    screen reader, each with what it is in words.
    """
    of_file = {fibre.name: place for place, fibre in enumerate(link.fibres)}
    groups = sorted(
        drawing_link.link_groups(link, left), key=lambda group: of_file[group.fibre.name]
    )
    svg, _ = drawing_link.draw_link(link, mark, tuple(groups))
    svg.set("role", "group")
    svg.set("data-link", link.name)
    style = next(each for each in svg if each.tag == "style")
    svg.remove(style)  # the page has it
    named = {group.fibre.name: group for group in groups}
    for drawn in [each for each in svg if each.get("class") == "fibre"]:
        group = named[drawn.attrib["data-fibre"]]
        _make_fibre(drawn, group)
        drawn.set("data-links", link.name)
        drawn_ctcs = [each for each in drawn if each.get("class") == "ctc"]
        for ctc, use in zip(drawn_ctcs, group.uses, strict=True):
            ctc.set("data-link", link.name)
            ctc.set("id", f"ctc-{link.name}-{ctc.attrib['data-rdev']}")
            _make_ctc(
                ctc, f"CTC {drawing_link.ctc_words(link, group, use)} on fibre {group.fibre.name}"
            )
    return ElementTree.tostring(svg, "unicode")


def _make_fibre(drawn: Element, group: drawing_link.DrawnFibre) -> None:
    """A fibre can be chosen by the heading of its boxes."""
    if group.struck:
        drawn.set("class", "fibre struck")
    box = drawn.find("rect")
    assert box is not None
    top = float(box.attrib["y"])
    heading = Element("g", _button("heading", drawing_link.fibre_words(group)))
    heading.attrib |= {"id": f"fibre-{group.fibre.name}", "data-fibre": group.fibre.name}
    SubElement(heading, "rect", _hit(top, 26))
    drawn.insert(0, heading)


def _make_ctc(drawn: Element, label: str) -> None:
    line = drawn.find("line")
    assert line is not None
    drawn.attrib.update(_button("ctc", label))
    drawn.insert(0, Element("rect", _hit(float(line.attrib["y1"]) - _ROW / 2, _ROW)))


def _button(kind: str, label: str) -> dict[str, str]:
    return {"class": kind, "tabindex": "0", "role": "button", "aria-label": label}


def _hit(top: float, height: float) -> dict[str, str]:
    """An invisible rectangle as wide as the drawing."""
    place = {"x": 4.0, "y": top, "width": drawing_link.LINK_WIDTH - 8.0, "height": height}
    return {"class": "hit", **{name: f"{value:g}" for name, value in place.items()}}


def _ends(link: isfc.Layout, fibre: isfc.Fibre) -> Iterator[str]:
    """``ALPHA.40``, as the drawing of a cluster names the ends of channels."""
    return map(".".join, zip(link.nodes, fibre.chpid_names, strict=True))
