"""Which systems of a collection share an IOCP deck: those of one CEC.

Each deck has one channel subsystem, CSS 0. In it a chpid is one channel for all partitions, and a
channel has one chpid. Where the systems of a CEC contradict that, each has a deck of its own.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from ctc.address import ChpidId, format_chpid
from isfc.layout.collection import Channel, ChannelEnd, Collection
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
