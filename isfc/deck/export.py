"""What the systems of a layout need: ACTIVATE ISLINK statements, and IOCP decks.

A layout says nothing of CECs, directors and unit addresses. So each system gets a deck of its own
CEC, in which it is a partition of CSS 0; its fibres are cables unless their ports are told; and the
CTCs of a fibre have the unit addresses 00, 01, ... in the order of the device list.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ctc.address import ChpidId, Rdev, format_chpid, format_rdev
from isfc.deck.card import CONTINUED_COLUMN
from isfc.deck.hint import format_fibre_hints, format_hints
from isfc.errors import ConfigurationError
from isfc.layout.layout import Collection, Fibre, Layout
from isfc.link.name import NodeName

Ports = Mapping[tuple[NodeName, ChpidId], str]
"""The director port of a node's chpid."""

_RDEVS_PER_LINE: Final = 8
"""As many as fit into the 72 columns of a statement, with NODE and a name behind them."""

_IMAGES_MAX: Final = 15
"""MIF image ids in a channel subsystem: 1 to F (published: IOCP User's Guide)."""

_NO_DISKS: Final = "* The disks of the layout, [[io]], are not in this deck"
_NO_CECS: Final = "* The CECs of the layout, and the channels shared in them, are not in this deck"

_TO: Final = " " * 15


def activation_text(layout: Layout, node: NodeName) -> str:
    """The ACTIVATE ISLINK statements of ``node``, which are commands as well."""
    end = layout.nodes.index(node)
    rdevs = sorted(ctc.rdevs[end] for ctc in layout.ctcs)
    lines = (rdevs[n : n + _RDEVS_PER_LINE] for n in range(0, len(rdevs), _RDEVS_PER_LINE))
    return "".join(
        f"ACTIVATE ISLINK {' '.join(map(format_rdev, line))} NODE {layout.nodes[1 - end]}\n"
        for line in lines
    )


def qualified(node: NodeName, statements: str) -> str:
    """Statements as they stand in a SYSTEM CONFIG file that several systems share."""
    return f"{node}: BEGIN\n{statements}{node}: END\n"


def own_ports(collection: Collection) -> Ports:
    """The ports that the layout itself has: link addresses of four digits if directors are joined.

    None if a director has a name that is no number of IOCP.
    """
    fibres = [(link, fibre) for link in collection.links for fibre in link.fibres if fibre.ports]
    if any(_switch(director) is None for _, fibre in fibres for director in fibre.directors):
        return {}
    joined = any(len(set(fibre.directors)) > 1 for _, fibre in fibres)
    return {
        (node, fibre.chpids[end]): (
            f"{_switch(fibre.directors[end])}{fibre.ports[end]}" if joined else fibre.ports[end]
        )
        for link, fibre in fibres
        for end, node in enumerate(link.nodes)
    }


def _switch(director: str) -> str | None:
    """A director's name as SWITCH has it, in two hex digits; None if it is no such number."""
    number = director.upper().rjust(2, "0")
    return number if len(number) == 2 and set(number) <= set("0123456789ABCDEF") else None


def deck_text(collection: Collection, node: NodeName, ports: Ports) -> str:
    """The IOCP deck of ``node``: its partition, its channels, and its end of each CTC.

    A fibre whose two ports are both told goes through a director; others are point to point.
    What IOCP has no keyword for stands in comments, which `isfc.deck.hint` reads. Raises
    `ConfigurationError` for a chpid that leads to several and has no port, and for more systems
    than have a MIF image id.
    """
    images = {system: mif for mif, system in enumerate(collection.systems, start=1)}
    if len(images) > _IMAGES_MAX:
        raise ConfigurationError(
            f"{len(images)} systems; expected at most {_IMAGES_MAX} in a channel subsystem"
        )
    partners = ", ".join(link.nodes[link.nodes[0] == node] for link in collection.links_of(node))
    lines = [
        f"* {node}: its CTCs to {partners}",
        *([_NO_DISKS] if "io" in collection.io else []),
        *([_NO_CECS] if collection.cecs or collection.shared_channels else []),
        f" RESOURCE PARTITION=((CSS(0),({node},{images[node]:X})))",
    ]
    ends = [
        _FibreEnd(link, fibre, link.nodes.index(node))
        for link in collection.links_of(node)
        for fibre in link.fibres
    ]
    for end in ends:
        shared = [other for other in ends if other.chpid == end.chpid]
        if shared[0] is end:
            lines += _channel(end, shared, ports)
        lines += _control_unit(end, images[end.partner], ports)
    return "".join(f"{line}\n" for line in _apart(lines))


def _apart(lines: Iterable[str]) -> Iterator[str]:
    """The cards, with an empty comment behind one that column 72 would continue."""
    for line in lines:
        yield line
        if line.startswith("*") and line[CONTINUED_COLUMN - 1 : CONTINUED_COLUMN].strip():
            yield "*"


@dataclass(frozen=True, slots=True)
class _FibreEnd:
    """A fibre as one of the two nodes has it."""

    layout: Layout
    fibre: Fibre
    end: int

    @property
    def partner(self) -> NodeName:
        return self.layout.nodes[1 - self.end]

    @property
    def chpid(self) -> ChpidId:
        return self.fibre.chpids[self.end]

    @property
    def far(self) -> str:
        """Its other end: a node and its chpid."""
        return f"{self.partner}:{format_chpid(self.fibre.chpids[1 - self.end])}"

    def port(self, ports: Ports) -> str | None:
        """The port of its own chpid, if it is told."""
        return ports.get((self.layout.nodes[self.end], self.chpid))

    def far_port(self, ports: Ports) -> str | None:
        """The port of the far chpid, if it is told."""
        return ports.get((self.partner, self.fibre.chpids[1 - self.end]))


def _channel(end: _FibreEnd, shared: Sequence[_FibreEnd], ports: Ports) -> Iterator[str]:
    """A channel that one fibre end has, or that ends of several links share."""
    chpid = format_chpid(end.chpid)
    port = end.port(ports)
    if len(shared) > 1 and not (port and all(each.far_port(ports) for each in shared)):
        node = end.layout.nodes[end.end]
        partners = " and ".join(each.partner for each in shared)
        raise ConfigurationError(
            f"chpid {chpid} at {node} leads to {partners}, so it is on a director; expected "
            f"--ports {node}:{chpid}=C1 and so on, for it and the chpids it leads to"
        )
    yield from format_hints(chpid, end.fibre.profile, port or end.far)
    for each in shared:
        yield from format_fibre_hints(chpid, each.fibre, each.far if len(shared) > 1 else None)
    directors = end.fibre.directors
    switch = _switch(directors[end.end]) if directors and port else None
    named = f",SWITCH={switch}" if switch else ""
    yield from _card("CHPID", f"PATH=(CSS(0),{chpid}),SHARED{named},TYPE=FC")


def _control_unit(end: _FibreEnd, image: int, ports: Ports) -> Iterator[str]:
    """The control unit that leads to ``image``, and its devices."""
    chpid, far = format_chpid(end.chpid), end.far_port(ports)
    linked = far is not None and end.port(ports) is not None
    ctcs = end.layout.device_list()
    rdevs = [ctc.rdevs[end.end] for ctc in ctcs if ctc.fibre == end.fibre]
    unit = format_rdev(min(rdevs))
    yield from _card(
        "CNTLUNIT",
        f"CUNUMBR={unit},PATH=((CSS(0),{chpid})),",
        *([f"LINK=((CSS(0),{far})),"] if linked else []),
        f"CUADD={image:X},UNITADD=((00,{len(rdevs):03d})),UNIT=FCTC",
    )
    for first, run in _runs(rdevs):
        yield from _card(
            "IODEVICE",
            f"ADDRESS=({format_rdev(run[0])},{len(run):03d}),CUNUMBR=({unit}),",
            f"UNITADD={first:02X},STADET=Y,UNIT=FCTC",
        )


def _card(operation: str, *operands: str) -> Iterator[str]:
    """A statement on cards: a mark in column 72 where it goes on, in column 16."""
    first, *others = operands
    cards = [f" {operation} {first}", *(_TO + more for more in others)]
    for card in cards[:-1]:
        yield card.ljust(CONTINUED_COLUMN - 1) + "*"
    yield cards[-1]


def _runs(rdevs: list[Rdev]) -> Iterator[tuple[int, list[Rdev]]]:
    """Runs of device numbers, each with its first unit address."""
    start = 0
    for index in range(1, len(rdevs) + 1):
        if index == len(rdevs) or rdevs[index] != rdevs[index - 1] + 1:
            yield start, rdevs[start:index]
            start = index
