"""What the systems of a layout need: ACTIVATE ISLINK statements, and IOCP decks.

Each CEC gets a deck, in which its systems are partitions of CSS 0, and a system of no CEC one of
its own. In it a chpid is one channel for all partitions, and a channel has one chpid; where the
systems of a CEC contradict that, each has a deck of its own. Fibres are cables unless their ports
are told. A layout has no unit addresses: the CTCs of a fibre get 00, 01, ... in the order of the
device list, or the next that both ends have free.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from ctc.address import ChpidId, Rdev, format_chpid, format_rdev
from isfc.deck.card import CONTINUED_COLUMN
from isfc.deck.hint import format_fibre_hints, format_hints
from isfc.errors import ConfigurationError
from isfc.layout.build import first_free
from isfc.layout.collection import Channel, ChannelEnd, Collection, KeptDeck
from isfc.layout.groups import grouped, runs
from isfc.layout.in_words import first_listed
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.layout.sharing import channel_name
from isfc.link.name import NodeName

_IN_FILE_NAMES: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$#@-")


@dataclass(frozen=True, slots=True)
class Machine:
    """The systems of one deck, the least name first; ``name`` is fit for the name of its file.

    ``conflict`` says why the systems of its CEC do not share a deck, or nothing.
    """

    name: str
    systems: tuple[NodeName, ...]
    conflict: str = ""


def machines(collection: Collection) -> tuple[Machine, ...]:
    """The decks of a collection, in the order of their first systems."""
    found: list[Machine] = []
    for name, systems in _homes(collection):
        problem = _contradiction(collection, systems) if len(systems) > 1 else ""
        if problem:
            found += [Machine(str(system), (system,), problem) for system in systems]
        else:
            found.append(Machine(name, systems))
    names = [machine.name.upper() for machine in found]
    if len(set(names)) < len(names) or not all(set(name) <= _IN_FILE_NAMES for name in names):
        found = [Machine("-".join(each.systems), each.systems, each.conflict) for each in found]
    return tuple(sorted(found, key=lambda machine: machine.systems[0].collation))


def file_names(decks: Mapping[str, Iterable[NodeName]]) -> dict[str, str]:
    """Names of decks, each with one that is fit for its file: its own, or those of its systems."""
    fits = len({name.upper() for name in decks}) == len(decks)
    fits = fits and all(set(name.upper()) <= _IN_FILE_NAMES for name in decks)
    return {name: name if fits else "-".join(systems) for name, systems in decks.items()}


def channels_known(collection: Collection, machine: Machine) -> dict[ChannelEnd, Channel]:
    """Every chpid of a deck's systems that CTCs use, and the channel that it is in the deck."""
    return {
        end: tuple(each for each in collection.channel(end.node, end.chpid) if each.node in members)
        for members in [set(machine.systems)]
        for end in _ends(collection, machine.systems)
    }


def _homes(collection: Collection) -> Iterator[tuple[str, tuple[NodeName, ...]]]:
    """The systems by CEC; where the file names none, by the channels that they share."""
    groups: list[tuple[str, list[NodeName]]]
    if collection.cecs:
        groups = [(cec.name, list(cec.systems)) for cec in collection.cecs]
    else:
        groups = [("", members) for members in _joined(collection)]
    placed = {system for _, members in groups for system in members}
    groups += [("", [system]) for system in collection.systems if system not in placed]
    for name, members in groups:
        systems = tuple(sorted(members, key=lambda system: system.collation))
        yield name or "-".join(systems), systems


def _joined(collection: Collection) -> list[list[NodeName]]:
    """The systems that shared channels join, directly or through others."""
    groups: list[list[NodeName]] = []
    for channel in collection.shared_channels:
        nodes = [end.node for end in channel]
        touched = [group for group in groups if set(group) & set(nodes)]
        merged = dict.fromkeys([*(node for group in touched for node in group), *nodes])
        groups = [group for group in groups if group not in touched] + [list(merged)]
    return groups


def _contradiction(collection: Collection, systems: Iterable[NodeName]) -> str:
    """Why one CSS cannot have the chpids of some systems, or nothing."""
    known: dict[ChpidId, ChannelEnd] = {}
    for end in _ends(collection, systems):
        channel = collection.channel(end.node, end.chpid)
        if len({each.chpid for each in channel}) > 1:
            return f"{channel_name(channel)} has two chpids, and a channel of a CSS has one"
        other = known.setdefault(end.chpid, end)
        if other not in channel:
            return (
                f"chpid {format_chpid(end.chpid)} is a channel of its own at {other.node} and at "
                f"{end.node}, and a chpid of a CSS is one channel"
            )
    return ""


def _ends(collection: Collection, systems: Iterable[NodeName]) -> Iterator[ChannelEnd]:
    for system in systems:
        for link in collection.links_of(system):
            for fibre in link.fibres:
                yield ChannelEnd(system, fibre.chpids[link.nodes.index(system)])


Ports = Mapping[tuple[NodeName, ChpidId], str]
"""The director port of a node's chpid."""

_RDEVS_PER_LINE: Final = 8
"""As many as fit into the 72 columns of a statement, with NODE and a name behind them."""

_IMAGES_MAX: Final = 15
"""MIF image ids in a channel subsystem: 1 to F (published: IOCP User's Guide)."""

_NAMED_MAX: Final = 6
"""Fibres that a remark names."""

_NO_DISKS: Final = "* The disks of the layout, [[io]], are not in this deck"
_NO_CECS: Final = "* The CEC of the layout, and the channels shared in it, are not in this deck"

_OWN_NUMBERS: Final = "* isfc: no deck is kept; CSS, image ids, CUADD and all numbers are new"

_TO: Final = " " * 15

_CtcKey = tuple[tuple[NodeName, NodeName], tuple[Rdev, Rdev]]
"""A CTC: its nodes, and its device numbers."""


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
    if any(switch_of(director) is None for _, fibre in fibres for director in fibre.directors):
        return {}
    joined = any(len(set(fibre.directors)) > 1 for _, fibre in fibres)
    return {
        (node, fibre.chpids[end]): (
            f"{switch_of(fibre.directors[end])}{fibre.ports[end]}" if joined else fibre.ports[end]
        )
        for link, fibre in fibres
        for end, node in enumerate(link.nodes)
    }


def switch_of(director: str) -> str | None:
    """A director's name as SWITCH has it, in two hex digits; None if it is no such number."""
    number = director.upper().rjust(2, "0")
    return number if len(number) == 2 and set(number) <= set("0123456789ABCDEF") else None


def deck_text(
    collection: Collection, machine: Machine, ports: Ports, machines: Sequence[Machine] = ()
) -> str:
    """The IOCP deck of a machine: its partitions, its channels, and their ends of each CTC.

    A fibre whose two ports are both told goes through a director; others are point to point.
    What IOCP has no keyword for stands in comments, which `isfc.deck.hint` reads. ``machines`` are
    all of the collection if any of them has several systems. Raises `ConfigurationError` for a
    channel that leads to several and has no port, and for more systems than have a MIF image id.
    """
    images = {system: mif for mif, system in enumerate(collection.systems, start=1)}
    if len(images) > _IMAGES_MAX:
        raise ConfigurationError(
            f"{len(images)} systems; expected at most {_IMAGES_MAX} in a channel subsystem"
        )
    whole = _Whole(collection, images, ports, tuple(machines) or (machine,))
    ends = [
        _FibreEnd(whole, link, fibre, link.nodes.index(node))
        for node in machine.systems
        for link in collection.links_of(node)
        for fibre in link.fibres
    ]
    lines = [*_heading(collection, machine, images)]
    units = grouped((end.unit, end) for end in ends)
    numbers: set[int] = set()
    begun: set[Channel] = set()
    for end in ends:
        if end.channel not in begun:
            begun.add(end.channel)
            lines += _channel(end, [each for each in ends if each.channel == end.channel], machine)
        if units[end.unit][0] is end:
            lines += _control_unit(units[end.unit], machine, numbers)
    return "".join(f"{line}\n" for line in _apart(lines))


def left_out(collection: Collection, ports: Ports) -> Iterator[str]:
    """What no deck of a collection has, not even in comments, each in words.

    ``ports`` are those that are told.
    """
    if collection.traffic:
        yield "what runs over the links, [[traffic]]"
    unplugged = [
        fibre.name
        for link in collection.links
        for fibre in link.fibres
        if fibre.directors
        and any(end not in ports for end in zip(link.nodes, fibre.chpids, strict=True))
    ]
    if unplugged:
        yield (
            f"directors, of fibres that are cables there for want of a port at each end (--ports "
            f"or port): {first_listed(unplugged, _NAMED_MAX)}"
        )


def _heading(
    collection: Collection, machine: Machine, images: Mapping[NodeName, int]
) -> Iterator[str]:
    """The comments that a deck begins with, and its partitions."""
    for node in machine.systems:
        links = collection.links_of(node)
        partners = ", ".join(link.partner(node) for link in links)
        yield f"* {node}: its CTCs to {partners}"
    if "io" in collection.io:
        yield _NO_DISKS
    if machine.conflict:
        yield _NO_CECS
    yield _OWN_NUMBERS
    named = ",".join(f"({node},{images[node]:X})" for node in machine.systems)
    yield f" RESOURCE PARTITION=((CSS(0),{named}))"


def _apart(lines: Iterable[str]) -> Iterator[str]:
    """The cards, with an empty comment behind one that column 72 would continue."""
    for line in lines:
        yield line
        if line.startswith("*") and line[CONTINUED_COLUMN - 1 : CONTINUED_COLUMN].strip():
            yield "*"


def bare_deck(collection: Collection, machine: Machine) -> KeptDeck:
    """A deck of a machine of which none is kept: its partitions alone, of CSS 0."""
    images = {system: mif for mif, system in enumerate(collection.systems, start=1)}
    lines = _heading(collection, machine, images)
    partitions = {node: str(node) for node in machine.systems}
    return KeptDeck(machine.name, partitions, (), "".join(f"{line}\n" for line in _apart(lines)))


class _Whole:
    """What decks of a collection have in common: ports, images, and unit addresses of CTCs."""

    def __init__(
        self,
        collection: Collection,
        images: Mapping[NodeName, int],
        ports: Ports,
        machines: Sequence[Machine],
    ) -> None:
        self.collection = collection
        self.images = images
        self._channels: dict[ChannelEnd, Channel] = {}
        for machine in machines:
            self._channels |= channels_known(collection, machine)
        self.ports = {
            same: port
            for (node, chpid), port in ports.items()
            for same in self.channel(ChannelEnd(node, chpid))
        }
        self._addresses = dict(self._choose_addresses())

    def channel(self, end: ChannelEnd) -> Channel:
        """The channel that a chpid is in its deck."""
        return self._channels.get(end, (end,))

    def address(self, link: Layout, ctc: CtcPair) -> int:
        """The unit address of a CTC."""
        return self._addresses[link.nodes, ctc.rdevs]

    def _choose_addresses(self) -> Iterator[tuple[_CtcKey, int]]:
        """A unit address for each CTC: one that its control units have free at both ends.

        Systems that share a channel share its control unit to a partner, and in it a device, if
        both call it by one number.
        """
        taken: dict[object, tuple[Rdev, set[NodeName]]] = {}
        for link in self.collection.links:
            for ctc in link.device_list():
                units = [_FibreEnd(self, link, ctc.fibre, end).unit for end in (0, 1)]
                ends = list(zip(units, ctc.rdevs, link.nodes, strict=True))
                address = next(
                    address
                    for address in count()
                    if all(
                        (known := taken.get((unit, address))) is None
                        or (known[0] == rdev and node not in known[1])
                        for unit, rdev, node in ends
                    )
                )
                for unit, rdev, node in ends:
                    taken.setdefault((unit, address), (rdev, set()))[1].add(node)
                yield (link.nodes, ctc.rdevs), address


@dataclass(frozen=True, slots=True)
class _FibreEnd:
    """A fibre as one of the two nodes has it."""

    whole: _Whole
    layout: Layout
    fibre: Fibre
    end: int

    @property
    def node(self) -> NodeName:
        return self.layout.nodes[self.end]

    @property
    def partner(self) -> NodeName:
        return self.layout.nodes[1 - self.end]

    @property
    def channel(self) -> Channel:
        """Its own channel."""
        return self.whole.channel(ChannelEnd(self.node, self.fibre.chpids[self.end]))

    @property
    def far_channel(self) -> Channel:
        """The channel that it leads to."""
        return self.whole.channel(ChannelEnd(self.partner, self.fibre.chpids[1 - self.end]))

    @property
    def unit(self) -> tuple[Channel, Channel, NodeName]:
        """What a control unit is of: two channels and a partner."""
        return self.channel, self.far_channel, self.partner

    @property
    def far(self) -> str:
        """Its other end: a node and its chpid."""
        return f"{self.partner}:{format_chpid(self.fibre.chpids[1 - self.end])}"

    @property
    def port(self) -> str | None:
        """The port of its own chpid, if it is told."""
        return self.whole.ports.get(self.channel[0])

    @property
    def far_port(self) -> str | None:
        """The port of the far chpid, if it is told."""
        return self.whole.ports.get(self.far_channel[0])


def _channel(end: _FibreEnd, shared: Sequence[_FibreEnd], machine: Machine) -> Iterator[str]:
    """A channel that one fibre end has, or that ends of several links share."""
    chpid = format_chpid(end.channel[0].chpid)
    ways = {each.far_channel for each in shared}
    if (len(ways) > 1 or end.channel in ways) and not (
        end.port and all(each.far_port for each in shared)
    ):
        partners = " and ".join(dict.fromkeys(each.partner for each in shared))
        raise ConfigurationError(
            f"chpid {chpid} at {end.node} leads to {partners}, so it is on a director; expected "
            f"--ports {end.node}:{chpid}=C1 and so on, for it and the chpids it leads to"
        )
    yield from format_hints(chpid, end.fibre.profile, end.port or end.far)
    for each in shared:
        far = each.far if len(shared) > 1 else None
        node = each.node if len(machine.systems) > 1 else None
        yield from format_fibre_hints(chpid, each.fibre, far, node)
    directors = end.fibre.directors
    switch = switch_of(directors[end.end]) if directors and end.port else None
    named = f",SWITCH={switch}" if switch else ""
    yield from _card("CHPID", f"PATH=(CSS(0),{chpid}),SHARED{named},TYPE=FC")


def _control_unit(ends: Sequence[_FibreEnd], machine: Machine, numbers: set[int]) -> Iterator[str]:
    """The control unit that leads to a partner, and its devices; ``numbers`` are those taken."""
    first = ends[0]
    whole, chpid = first.whole, format_chpid(first.channel[0].chpid)
    linked = first.far_port is not None and first.port is not None
    owners = grouped(
        ((ctc.rdevs[end.end], whole.address(end.layout, ctc)), end.node)
        for end in ends
        for ctc in end.layout.device_list()
        if ctc.fibre == end.fibre
    )
    number = first_free(min(rdev for rdev, _ in owners), 0x10000, numbers)
    numbers.add(number)
    unit = format_rdev(Rdev(number))
    many = max(address for _, address in owners) + 1
    yield from _card(
        "CNTLUNIT",
        f"CUNUMBR={unit},PATH=((CSS(0),{chpid})),",
        *([f"LINK=((CSS(0),{first.far_port})),"] if linked else []),
        f"CUADD={whole.images[first.partner]:X},UNITADD=((00,{many:03d})),UNIT=FCTC",
    )
    devices = [(rdev, address, nodes) for (rdev, address), nodes in owners.items()]
    for run in runs(devices, lambda last, each: each == (last[0] + 1, last[1] + 1, last[2])):
        rdev, address, nodes = run[0]
        access = f",PART=({','.join(nodes)})" if len(machine.systems) > 1 else ""
        yield from _card(
            "IODEVICE",
            f"ADDRESS=({format_rdev(rdev)},{len(run):03d}),CUNUMBR=({unit}),",
            f"UNITADD={address:02X},STADET=Y{access},UNIT=FCTC",
        )


def _card(operation: str, *operands: str) -> Iterator[str]:
    """A statement on cards: a mark in column 72 where it goes on, in column 16."""
    first, *others = operands
    cards = [f" {operation} {first}", *(_TO + more for more in others)]
    for card in cards[:-1]:
        yield card.ljust(CONTINUED_COLUMN - 1) + "*"
    yield cards[-1]
