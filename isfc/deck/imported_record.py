"""What ``isfc import --json`` prints. Names and meanings of the keys stay between releases."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctc.address import format_chpid, format_rdev
from isfc.deck.pairing import Pairing, Unpaired
from isfc.layout.collection import Collection

if TYPE_CHECKING:
    from isfc.deck.imported import Imported


@dataclass(frozen=True, slots=True)
class CtcJson:
    """A CTC: its chpids and device numbers, of the first node and of the second."""

    chpids: list[str]
    rdevs: list[str]


@dataclass(frozen=True, slots=True)
class UnpairedJson:
    """A device without a mate."""

    node: str
    rdev: str
    place: str
    """file, line and column"""
    reason: str
    """[one of these](import.md#what-is-not-paired)"""
    text: str


@dataclass(frozen=True, slots=True)
class ImportedLinkJson:
    """A link; of consoles and partition links nothing was inferred, and nothing left."""

    nodes: list[str]
    """the two systems"""
    ctcs: list[CtcJson]
    """of each, those of the first node and of the second"""
    inferred: dict[str, str]
    """by `NODE:CHPID`: the port, or the chpid at the other end of the cable, that follows from the
    decks"""
    unpaired: list[UnpairedJson]


@dataclass(frozen=True, slots=True)
class ImportedJson:
    """All links."""

    links: list[ImportedLinkJson]
    shared_channels: list[dict[str, str]]
    """chpids by system, each list of which is one channel"""
    cecs: dict[str, list[str]]
    """by name, the systems of each"""


def imported_json(found: "Imported") -> ImportedJson:
    """The record of what was imported."""
    pairings = found.pairings or [None] * len(found.apart)
    return ImportedJson(
        [_link_json(*each) for each in zip(pairings, found.apart, strict=True)],
        [
            {end.node: format_chpid(end.chpid) for end in channel}
            for channel in found.collection.shared_channels
        ],
        {cec.name: [*cec.systems] for cec in found.collection.cecs},
    )


def _link_json(pairing: Pairing | None, alone: Collection) -> ImportedLinkJson:
    (layout,) = alone.links
    return ImportedLinkJson(
        [*layout.nodes],
        [CtcJson([*map(format_chpid, ctc.fibre.chpids)], [*ctc.rdev_names]) for ctc in layout.ctcs],
        dict(pairing.inferred) if pairing else {},
        [*map(_unpaired_json, pairing.unpaired)] if pairing else [],
    )


def _unpaired_json(each: Unpaired) -> UnpairedJson:
    device = each.device
    return UnpairedJson(
        each.node, format_rdev(device.rdev), str(device.place), each.reason.value, each.text
    )
