"""The two ends of each range of CTCs: of the links, and of what else the kept decks define.

A device of a kept deck without a mate is a gap.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ctc.address import ChpidId, Rdev
from isfc.deck.hint import hinted_ports
from isfc.deck.kept import devices_of, kept_systems
from isfc.deck.pairing import Pairing, never_paired, pair_all
from isfc.errors import ConfigurationError
from isfc.errors.in_words import runs
from isfc.layout.collection import Collection
from isfc.link.name import NodeName


@dataclass(frozen=True, slots=True)
class RangeEnd:
    """One end of a range of CTCs; ``unit`` is its control unit, None if no deck tells it."""

    node: NodeName
    chpid: ChpidId
    unit: int | None
    rdev: Rdev


@dataclass(frozen=True, slots=True)
class CtcRange:
    """``count`` CTCs whose numbers and unit addresses follow each other.

    ``ends`` are (lesser name, greater name); the one that is missing is None. ``address`` is the
    first unit address, None if no deck tells it. ``in_link`` says whether the layout has them, and
    ``gap`` why there is no other end.
    """

    ends: tuple[RangeEnd | None, RangeEnd | None]
    address: int | None
    count: int = 1
    in_link: bool = True
    gap: str = ""

    def followed_by(self, other: "CtcRange") -> bool:
        """Whether another goes on where this ends."""
        beyond = tuple(end and replace(end, rdev=Rdev(end.rdev + self.count)) for end in self.ends)
        address = None if self.address is None else self.address + self.count
        same = (self.in_link, self.gap) == (other.in_link, other.gap)
        return same and beyond == other.ends and address == other.address


def ranges_of(collection: Collection) -> tuple[tuple[CtcRange, ...], tuple[str, ...]]:
    """All ranges of CTCs, and of devices without a mate; and what the kept decks do not tell."""
    systems = kept_systems(collection)
    units = {node: devices_of(system) for node, system in systems.items()}
    rows: list[CtcRange] = []
    for link in collection.links:
        for ctc in link.device_list():
            known = [
                units.get(node, {}).get(rdev)
                for node, rdev in zip(link.nodes, ctc.rdevs, strict=True)
            ]
            unit = [None if each is None else each.control_unit.number for each in known]
            first, second = map(RangeEnd, link.nodes, ctc.fibre.chpids, unit, ctc.rdevs)
            addresses = {each.unit_address for each in known if each}
            rows.append(CtcRange((first, second), min(addresses, default=None)))
    remarks: list[str] = []
    try:
        ports = [port for deck in collection.decks for port in deck.ports]
        known_systems = sorted(systems.values(), key=lambda each: each.node.collation)
        pairings = pair_all(known_systems, [*ports, *hinted_ports(known_systems, ports)])
    except ConfigurationError as error:
        remarks.append(f"the decks do not tell what else is connected: {error}".split("\n")[0])
        pairings = []
    seen = {tuple(end and (end.node, end.rdev) for end in row.ends) for row in rows}
    for row in (*_defined(pairings), *_gaps(pairings)):
        ends = tuple(end and (end.node, end.rdev) for end in row.ends)
        rows += [] if ends in seen else [row]
    ranges = (replace(run[0], count=len(run)) for run in runs(rows, CtcRange.followed_by))
    return tuple(ranges), tuple(remarks)


def _defined(pairings: Sequence[Pairing]) -> Iterator[CtcRange]:
    """What the decks join, whether a layout has it or not."""
    for pairing in pairings:
        for ctc in pairing.ctcs:
            first, second = (
                RangeEnd(node, channel.chpid, device.control_unit.number, device.rdev)
                for node, device, channel in zip(
                    pairing.nodes, ctc.devices, ctc.channels, strict=True
                )
            )
            address = ctc.devices[0].unit_address
            yield CtcRange((first, second), address, in_link=False)


def _gaps(pairings: Sequence[Pairing]) -> Iterator[CtcRange]:
    """Devices without a mate, but for those that lead to their own partition, as they should."""
    for each in never_paired(pairings):
        if not each.is_expected:
            unit = each.device.control_unit
            channel = next(iter(unit.paths.values()))[0].channel
            end = RangeEnd(each.node, channel.chpid, unit.number, each.device.rdev)
            yield CtcRange(
                (end, None), each.device.unit_address, in_link=False, gap=each.reason.value
            )
