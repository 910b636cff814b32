"""What partitions share: the channels of their CEC, and the directors that channels sit on.

A deck is a CEC. A channel path that two of its partitions use is one channel, whichever CSS either
is in. A channel's own port is the link address of the control units that lead to it, its director
the first half of a link address of four digits, or SWITCH.

Of a console people say which systems are of one CEC. A chpid of one number at two of them is taken
for one channel, as it is in one channel subsystem.

Control units tell of CTCs that other partitions have on these channels: each is on a channel, and
has a link address and a CUADD, which is the image at the other end. A CTC has a control unit at
either end, as in `isfc.deck.pairing`; where no deck has the other end, its one end is told of.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import Any, Final

from msgspec import Struct, structs

from ctc.address import ChpidId, format_chpid
from isfc.deck.cabling import Cabling, DeviceGroup
from isfc.deck.deck import FICON, Deck, DeckSystem, Partition
from isfc.deck.pairing import DirectorPort, Pairing, cuadds_to
from isfc.errors import ConfigurationError
from isfc.errors.in_words import find_node, first_listed, grouped, listed
from isfc.layout.collection import Collection
from isfc.layout.layout import Fibre, Layout
from isfc.layout.parts import Cec, ChannelEnd, OtherCtcs, OtherLink
from isfc.layout.sharing import in_use, maybe_one
from isfc.link.name import NAME_LENGTH_MAX, NodeName, Nodes

_CEC_NAME_LENGTH_MAX: Final = 24
"""Characters of a file's name that a CEC is called by."""


_Chpids = tuple[ChpidId, ChpidId]


def together(pairings: Sequence[Pairing], links: Sequence[Layout]) -> Collection:
    """The links of ``pairings``, in their order, with the channels, CECs and ports they share.

    Directors and ports are left out where they contradict each other.
    """
    systems = {system.node: system for pairing in pairings for system in pairing.systems}
    every = Collection.of(*links).chpid_ends
    ends = grouped((id(systems[end.node].channel(end.chpid)), end) for end in every)
    shared = tuple(tuple(same) for same in ends.values() if len(same) > 1)
    names = deck_names([*systems.values()])
    members = grouped((id(system.deck), system) for system in systems.values())
    cecs = tuple(
        Cec(names[deck], tuple(system.node for system in of), of[0].deck.machine)
        for deck, of in members.items()
    )
    plugged = _plugged(pairings, links)
    return Collection(plugged, _path_tables(links), shared_channels=shared, cecs=cecs)


def _path_tables(links: Sequence[Layout]) -> dict[str, Any]:
    """The tables of the paths that fibres of the links take, as a layout file has them."""
    found: dict[str, Any] = {}
    for path in (fibre.path for link in links for fibre in link.fibres):
        if path is not None:
            table = found.setdefault(path.name, {"km": path.km})
            if path.isl is not None:
                table["isl"] = structs.asdict(path.isl)
    return {"path": found} if found else {}


def within_one_director(
    pairings: Sequence[Pairing],
) -> frozenset[frozenset[tuple[NodeName, ChpidId]]]:
    """The two ends of each fibre of which one director is all of the way, as the decks tell."""
    return frozenset(
        frozenset(zip(pairing.nodes, chpids, strict=True))
        for pairing in pairings
        for chpids, (first, second) in _plugs(pairing)
        if first.director == second.director
    )


def crossings(pairings: Sequence[Pairing], links: Sequence[Layout]) -> Iterator[str]:
    """What to say of fibres with an end on each of two directors, whose joint no deck tells.

    One whose inter-switch links a comment of a deck tells of (`isfc.deck.hint`) needs no word.
    """
    untold = [{fibre.chpids for fibre in link.fibres if fibre.isl is None} for link in links]
    crossing = (
        (" and ".join(sorted((first.director, second.director))), _joined(pairing.nodes, chpids))
        for pairing, fibres in zip(pairings, untold, strict=True)
        for chpids, (first, second) in _plugs(pairing)
        if first.director != second.director and chpids in fibres
    )
    for way, names in grouped(dict.fromkeys(crossing)).items():
        yield (
            f"directors {way} are both on the way from {first_listed(names, 2)}: no deck says "
            "how they are joined, and the layout has no inter-switch links there. Add [path.NAME] "
            "with km and isl, and path of these fibres; or *ISFC "
            "CHPID=40,PATH='NAME',KM=10,ISLGBPS=16,CREDITS=90 to a deck"
        )


def _joined(nodes: Nodes, chpids: _Chpids) -> str:
    """``VMA:50 to VMB:51``."""
    ends = zip(nodes, map(format_chpid, chpids), strict=True)
    return " to ".join(map(":".join, ends))


def deck_names(systems: Sequence[DeckSystem]) -> dict[int, str]:
    """What to call the decks of some systems, by identity: after their files, each otherwise."""
    names: dict[int, str] = {}
    for system in systems:
        if id(system.deck) not in names:
            names[id(system.deck)] = _name(system.deck, [*names.values()])
    return names


def _name(deck: Deck, taken: Sequence[str]) -> str:
    """A deck's file without folder and suffix, made a name that no other has."""
    file = deck.file.replace("\\", "/").rpartition("/")[2]
    stem = "".join(c for c in file.partition(".")[0] if c.isprintable())
    name = stem.strip("- ")[:_CEC_NAME_LENGTH_MAX] or "cec"
    known = {each.upper() for each in taken}
    numbered = (f"{name}-{n}" for n in range(2, len(taken) + 3))
    return next(each for each in (name, *numbered) if each.upper() not in known)


def _plugged(pairings: Sequence[Pairing], links: Sequence[Layout]) -> tuple[Layout, ...]:
    """The links, their fibres with directors and ports."""
    if contradiction(pairings, links):
        return tuple(links)

    def plugged(fibre: Fibre, plugs: Mapping[_Chpids, tuple[DirectorPort, DirectorPort]]) -> Fibre:
        both = plugs.get(fibre.chpids, ())
        directors, ports = (plug.director for plug in both), (plug.port for plug in both)
        return structs.replace(fibre, directors=tuple(directors), ports=tuple(ports))

    return tuple(
        link.with_fibres(partial(plugged, plugs=dict(_plugs(pairing))))
        for link, pairing in zip(links, pairings, strict=True)
    )


def _plugs(pairing: Pairing) -> Iterator[tuple[_Chpids, tuple[DirectorPort, DirectorPort]]]:
    """For the chpids of a fibre, their plugs, where both are known."""
    for ctc in pairing.ctcs:
        first, second = pairing.plugs(ctc)
        if first and second:
            yield ctc.chpids, (first, second)


def contradiction(pairings: Sequence[Pairing], links: Sequence[Layout]) -> str | None:
    """The first channel that is on two ports, or port that has two channels, in words.

    If there is one, the layout has no directors and ports.
    """
    advice = (
        "one of these is wrong, and the layout is without directors and ports. Correct the link "
        "addresses of these control units, or SWITCH of these chpids"
    )
    plugs: dict[int, DirectorPort] = {}
    channels: dict[DirectorPort, int] = {}
    names: dict[int, str] = {}
    for pairing, link in zip(pairings, links, strict=True):
        systems = {system.node: system for system in pairing.systems}
        for chpids, both in dict(_plugs(pairing)).items():
            for node, chpid, plug in zip(link.nodes, chpids, both, strict=True):
                path = systems[node].channel(chpid)
                channel = id(path)
                name = names.setdefault(channel, f"{node}:{path}")
                if (first := plugs.setdefault(channel, plug)) != plug:
                    ports = f"{first} by one control unit, and {plug} by another"
                    return f"{name} is on port {ports}: {advice}"
                if (other := channels.setdefault(plug, channel)) != channel:
                    return f"{names[other]} and {name} are both on port {plug}: {advice}"
    return None


def with_cecs(collection: Collection, said: Iterable[str]) -> Collection:
    """The collection with the CECs of ``EAST=VMA1,VMA2``, and with the channels that they share.

    Raises `ConfigurationError` for a system that there is not, or that is in two.
    """
    cecs: list[Cec] = []
    taken: list[NodeName] = []
    for text in said:
        name, equals, systems = text.partition("=")
        if not name.strip() or not equals or name in (cec.name for cec in cecs):
            raise ConfigurationError(
                f"--cec {text[:40]!r}: expected a name and its systems, each name once, such as "
                "EAST=VMA1,VMA2"
            )
        nodes = [
            find_node(f"--cec {name}", each.strip(), collection.systems)
            for each in systems.split(",")
        ]
        taken += nodes
        if len({*taken}) < len(taken):
            raise ConfigurationError(f"--cec {text[:40]!r}: expected each system in one CEC, once")
        cecs.append(Cec(name.strip(), tuple(nodes)))
    users = grouped(
        ((cec.name, end.chpid), end)
        for cec in cecs
        for end in collection.chpid_ends
        if end.node in cec.systems
    )
    shared = tuple(tuple(ends) for ends in users.values() if len(ends) > 1)
    return in_use(replace(collection, cecs=tuple(cecs), shared_channels=shared))


def one_channel_remarks(collection: Collection) -> Iterator[str]:
    """What is taken for one channel, and what may be one and nobody has said."""
    for cec in collection.cecs:
        chpids = [
            format_chpid(channel[0].chpid)
            for channel in collection.shared_channels
            if channel[0].node in cec.systems
        ]
        if chpids:
            yield (
                f"chpids {listed(chpids)} of {cec.name} are taken for one channel each at its "
                "systems; if these are in two channel subsystems, change [[shared_channel]]"
            )
    asked = [" and ".join(nodes) for nodes in maybe_one(collection)]
    if asked:
        first, _, second = asked[0].partition(" and ")
        yield (
            f"chpids of {first_listed(asked, 3)} have one number, and may be one channel of a "
            f"CEC: every figure takes them for two until --cec NAME={first},{second} says that "
            f"the systems are of one CEC, or --cec NAME={first} --cec OTHER={second} of two"
        )


class _UnitEnd(Struct, frozen=True):
    """The devices of a partition on one control unit."""

    node: NodeName
    partition: Partition
    cuadd: int
    group: DeviceGroup

    @property
    def answers_to(self) -> tuple[int, ...]:
        """What CUADD of a control unit that leads here may be."""
        return cuadds_to(self.partition, self.group.channel)

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
    ends: Sequence[_UnitEnd], own: Set[int], cabling: Cabling
) -> Iterator[tuple[tuple[_UnitEnd, ...], int]]:
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
            for mate in facing.get((end.cuadd, image), ())
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


def _ends(systems: Sequence[DeckSystem], decks: Sequence[Deck]) -> Iterator[_UnitEnd]:
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
            ends: dict[int, _UnitEnd] = {}
            for device in devices:
                unit = device.control_unit
                paths = unit.paths.get(partition.css, ())
                if len(paths) != 1 or paths[0].channel.kind not in ("", FICON):
                    continue
                both = paths[0].channel.access, device.access
                if all(each.admits(partition.name, partition.css) for each in both):
                    group = DeviceGroup(paths[0].channel, paths[0].link, False, {})
                    end = ends.setdefault(id(unit), _UnitEnd(node, partition, unit.cuadd, group))
                    end.group.devices.setdefault(device.unit_address, device)
            yield from ends.values()


def _free_name(name: str, taken: set[NodeName]) -> NodeName:
    """A partition's name, or like it where a system of another deck has that."""
    others = (f"{name[: NAME_LENGTH_MAX - len(str(n))]}{n}" for n in range(2, len(taken) + 3))
    return next(each for each in map(NodeName, (name, *others)) if each not in taken)
