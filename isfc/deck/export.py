"""What the systems of a layout need: ACTIVATE ISLINK statements, and IOCP decks.

A layout says nothing of CECs, directors and unit addresses. So each system gets a deck of its own
CEC, in which it is a partition of CSS 0; its fibres are cables unless their ports are told; and the
CTCs of a fibre have the unit addresses 00, 01, ... in the order of the device list.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from ctc.address import ChpidId, Rdev, format_chpid, format_rdev
from isfc.deck.card import CONTINUED_COLUMN
from isfc.deck.hint import format_hints
from isfc.layout.layout import Fibre, Layout
from isfc.link.name import NodeName

Ports = Mapping[tuple[NodeName, ChpidId], str]
"""The director port of a node's chpid."""

_RDEVS_PER_LINE: Final = 8
"""As many as fit into the 72 columns of a statement, with NODE and a name behind them."""

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


def deck_text(layout: Layout, node: NodeName, ports: Ports) -> str:
    """The IOCP deck of ``node``: its partition, its channels, and its end of each CTC.

    A fibre whose two ports are both told goes through a director; others are point to point.
    What IOCP has no keyword for stands in comments, which `isfc.deck.hint` reads.
    """
    end = layout.nodes.index(node)
    lines = [
        f"* {node}: its end of the logical link to {layout.nodes[1 - end]}",
        f" RESOURCE PARTITION=((CSS(0),({node},{_image(end)})))",
    ]
    for fibre in layout.fibres:
        lines += _fibre(layout, fibre, end, ports)
    return "".join(f"{line}\n" for line in lines)


def _image(end: int) -> int:
    """MIF image ids: 1 for the first node, 2 for the second."""
    return end + 1


def _fibre(layout: Layout, fibre: Fibre, end: int, ports: Ports) -> Iterator[str]:
    """One channel, its control unit and the devices."""
    node, partner = layout.nodes[end], layout.nodes[1 - end]
    chpid = format_chpid(fibre.chpids[end])
    far = ports.get((partner, fibre.chpids[1 - end]))
    linked = far is not None and (node, fibre.chpids[end]) in ports
    rdevs = [ctc.rdevs[end] for ctc in layout.device_list() if ctc.fibre == fibre]
    unit = format_rdev(min(rdevs))
    yield from format_hints(fibre, end, partner, ports.get((node, fibre.chpids[end])) or "")
    yield from _card("CHPID", f"PATH=(CSS(0),{chpid}),SHARED,TYPE=FC")
    yield from _card(
        "CNTLUNIT",
        f"CUNUMBR={unit},PATH=((CSS(0),{chpid})),",
        *([f"LINK=((CSS(0),{far})),"] if linked else []),
        f"CUADD={_image(1 - end)},UNITADD=((00,{len(rdevs):03d})),UNIT=FCTC",
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
