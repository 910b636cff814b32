"""From pairs of devices to a layout, and what a reader of it should know."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from ctc.address import Rdev
from isfc.deck.active import Mates, are_active, mates_of
from isfc.deck.cabling import parse_ports
from isfc.deck.pairing import Joined, Pairing, Reason, Unpaired, pair
from isfc.deck.partition import DeckSystem
from isfc.layout.build import CtcChoice, Lengths, Names, Paths, Profiles, build_layout
from isfc.layout.layout import Layout
from isfc.link.name import NodeName


@dataclass(frozen=True, slots=True)
class Wired:
    """A layout, and remarks on what was inferred or does not show in it."""

    layout: Layout
    remarks: tuple[str, ...]


def wire(
    pairing: Pairing,
    profile: Profiles,
    active: Mapping[NodeName, Collection[Rdev]],
    name: Names = lambda _: None,
    km: Lengths = lambda _: 0.0,
    path: Paths = lambda _: None,
) -> Wired:
    """The layout of what was paired, of the ``active`` devices alone where a node has some.

    Raises `ConfigurationError` for what is no logical link.
    """
    connections = [CtcChoice(ctc.chpids, ctc.rdevs) for ctc in active_ctcs(pairing, active)]
    inferred = ",".join(f"{key}={value}" for key, value in sorted(pairing.inferred.items()))
    remarks = [f"inferred, since nothing else fits: --ports {inferred}"] if inferred else []
    layout = build_layout(
        pairing.nodes,
        connections,
        profile,
        name,
        km,
        path,
        ": choose them with the ACTIVATE ISLINK statements (--config FILE)",
    )
    return Wired(layout, tuple(remarks))


def active_ctcs(pairing: Pairing, active: Mapping[NodeName, Collection[Rdev]]) -> list[Joined]:
    """What was paired, of the ``active`` devices alone where a node has some."""
    return [ctc for ctc in pairing.ctcs if are_active(active, pairing.nodes, ctc.rdevs)]


def pair_all(systems: Sequence[DeckSystem], ports: Sequence[str]) -> list[Pairing]:
    """Pair each two of the systems; what is inferred of ports for two holds for the others.

    Of three systems and more, two that no CTC joins are left out.
    """
    entries = list(ports)
    pairings: list[Pairing] = []
    for first, second in combinations(systems, 2):
        pairings.append(pair(first, second, parse_ports(entries, systems)))
        entries += [f"{key}={value}" for key, value in pairings[-1].inferred.items()]
    return [pairing for pairing in pairings if pairing.ctcs] or pairings


def never_paired(pairings: Iterable[Pairing]) -> list[Unpaired]:
    """The devices that no partner has a mate of, each once, with the reason that says most."""
    told: dict[tuple[NodeName, int], Unpaired] = {}
    paired: set[tuple[NodeName, int]] = set()
    for pairing in pairings:
        for ctc in pairing.ctcs:
            ends = zip(pairing.systems, ctc.devices, strict=True)
            paired |= {(system.node, id(device)) for system, device in ends}
        for each in pairing.unpaired:
            known = told.setdefault((each.node, id(each.device)), each)
            if known.reason is Reason.OTHER_IMAGE:
                told[each.node, id(each.device)] = each
    left = [each for key, each in told.items() if key not in paired]
    return sorted(left, key=lambda each: (each.node.collation, each.device.rdev))


def paired_devices(pairings: Iterable[Pairing]) -> Mates:
    """By node, all devices that were paired, each with where it leads."""
    found = [*pairings]
    pairs = [(pairing.nodes, ctc.rdevs) for pairing in found for ctc in pairing.ctcs]
    return mates_of((node for pairing in found for node in pairing.nodes), pairs)
