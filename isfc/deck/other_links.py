"""What decks say of CTCs of other partitions on the channels of a layout.

Control units tell them: each is on a channel, and has a link address and a CUADD, which is the
image at the other end. A CTC has a control unit at either end, as in `isfc.deck.pairing`; where no
deck has the other end, its one end is told of.
"""

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from isfc.deck.cabling import Cabling, DeviceGroup
from isfc.deck.deck import Deck, Partition
from isfc.deck.pairing import FICON, UNSHARED_IMAGE
from isfc.deck.partition import DeckSystem
from isfc.errors.in_words import grouped
from isfc.layout.collection import Collection
from isfc.layout.parts import ChannelEnd, OtherCtcs, OtherLink
from isfc.link.name import NAME_LENGTH_MAX, NodeName


@dataclass(frozen=True, slots=True)
class _End:
    """The devices of a partition on one control unit."""

    node: NodeName
    partition: Partition
    cuadd: int
    group: DeviceGroup

    @property
    def answers_to(self) -> tuple[int | None, ...]:
        """What CUADD of a control unit that leads here may be."""
        image = self.partition.image
        return (image,) if self.group.channel.shared else (image, UNSHARED_IMAGE)

    @property
    def first_rdev(self) -> int:
        """The least of its device numbers."""
        return min(device.rdev for device in self.group.devices.values())


def other_links(
    collection: Collection, systems: Sequence[DeckSystem], decks: Sequence[Deck], cabling: Cabling
) -> tuple[OtherLink, ...]:
    """The links that ``decks`` have on channels of a collection beside its own.

    ``systems`` are those of the collection, ``cabling`` is what is known of their ports.
    """
    names = {
        id(system.channel(fibre.chpids[end])): ChannelEnd(system.node, fibre.chpids[end])
        for system in reversed(systems)  # the first one's name stays
        for link in collection.links_of(system.node)
        for end in (link.nodes.index(system.node),)
        for fibre in link.fibres
    }
    known = {frozenset(link.nodes) for link in collection.links}
    found: dict[tuple[tuple[NodeName, ...], int], Counter[tuple[ChannelEnd, ...]]] = {}
    for ends, count in _ctcs([*_ends(systems, decks)], {*names}, cabling):
        nodes = tuple(end.node for end in ends)
        if frozenset(nodes) not in known:
            image = ends[0].cuadd if len(ends) == 1 else 0  # all that is known of who is there
            ctcs = found.setdefault((nodes, image), Counter())
            for end in ends:  # a channel of others alone is called by the first that has it
                channel = end.group.channel
                names.setdefault(id(channel), ChannelEnd(end.node, channel.chpid))
            ctcs[tuple(names[id(end.group.channel)] for end in ends)] += count
    order = sorted(found, key=lambda link: ([node.collation for node in link[0]], link[1]))
    return tuple(
        OtherLink(link[0], tuple(OtherCtcs(at, count) for at, count in found[link].items()))
        for link in order
    )


def _ctcs(
    ends: Sequence[_End], own: Set[int], cabling: Cabling
) -> Iterator[tuple[tuple[_End, ...], int]]:
    """So many CTCs with one or both ends on some channels, by the lesser name's device numbers."""
    facing = grouped(((image, end.cuadd), end) for end in ends for image in end.answers_to)
    seen: set[frozenset[int]] = set()
    for end in sorted(ends, key=lambda each: (each.node.collation, each.first_rdev)):
        group = end.group
        if id(group.channel) not in own:
            continue
        mates = [
            mate
            for image in end.answers_to
            for mate in facing.get((end.cuadd, image or 0), ())
            if mate.node != end.node and cabling.lead(group, mate.group)
        ]
        if len({id(mate.group.channel) for mate in mates}) == 1:
            for mate in mates:
                common = len(group.devices.keys() & mate.group.devices.keys())
                if common and frozenset((id(end), id(mate))) not in seen:
                    yield (mate, end) if mate.node.precedes(end.node) else (end, mate), common
                seen.add(frozenset((id(end), id(mate))))
        elif not cabling.is_known(group.channel, group.link):  # else no device leads back
            yield (end,), len(group.devices)


def _ends(systems: Sequence[DeckSystem], decks: Sequence[Deck]) -> Iterator[_End]:
    """The control units of all partitions, each with the devices that CTCs may have there."""
    nodes = {id(system.partition): system.node for system in systems}
    taken = {*nodes.values()}
    for deck in decks:
        devices = [
            device
            for device in deck.devices
            if not device.others and device.control_unit.recognizes(device.unit_address)
        ]
        own = {id(each.partition): each.partition for each in systems if each.deck is deck}
        own |= {id(each): each for each in deck.partitions.values() if each.mif is not None}
        for partition in own.values():
            node = nodes.get(id(partition)) or _free_name(partition.name, taken)
            taken.add(node)
            ends: dict[int, _End] = {}
            for device in devices:
                unit = device.control_unit
                paths = unit.paths.get(partition.css, ())
                if len(paths) != 1 or paths[0].channel.kind not in ("", FICON):
                    continue
                both = paths[0].channel.access, device.access
                if all(each.admits(partition.name, partition.css) for each in both):
                    group = DeviceGroup(paths[0].channel, paths[0].link, False, {})
                    end = ends.setdefault(id(unit), _End(node, partition, unit.cuadd, group))
                    end.group.devices.setdefault(device.unit_address, device)
            yield from ends.values()


def _free_name(name: str, taken: set[NodeName]) -> NodeName:
    """A partition's name, or like it where a system of another deck has that."""
    others = (f"{name[: NAME_LENGTH_MAX - len(str(n))]}{n}" for n in range(2, len(taken) + 3))
    return next(each for each in map(NodeName, (name, *others)) if each not in taken)
