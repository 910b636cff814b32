"""What the systems of a layout need: ACTIVATE ISLINK statements, and which deck each is in.

Each CEC gets a deck, in which its systems are partitions of CSS 0, and a system of no CEC one of
its own. In it a chpid is one channel for all partitions, and a channel has one chpid; where the
systems of a CEC contradict that, each has a deck of its own. A deck begins with its partitions
alone, and `isfc.deck.amend` adds what their CTCs need.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final

from ctc.address import ChpidId, format_chpid, format_rdev
from isfc.deck.card import apart
from isfc.deck.deck import Ports
from isfc.errors import ConfigurationError
from isfc.errors.in_words import first_listed
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.parts import ChannelEnd, KeptDeck
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


def _homes(collection: Collection) -> Iterator[tuple[str, tuple[NodeName, ...]]]:
    """The systems by CEC; where the file names none, by the channels that they share."""
    groups = [[*cec.systems] for cec in collection.cecs]
    groups += [[system] for system in collection.systems if collection.cec_of(system) is None]
    for channel in () if collection.cecs else collection.shared_channels:
        nodes = {end.node for end in channel}
        joined = [group for group in groups if nodes & {*group}]
        groups = [group for group in groups if group not in joined] + [[*chain(*joined)]]
    for members in groups:
        systems = tuple(sorted(members, key=lambda system: system.collation))
        cec = collection.cec_of(systems[0])
        yield cec.name if cec else "-".join(systems), systems


def _contradiction(collection: Collection, systems: Iterable[NodeName]) -> str:
    """Why one CSS cannot have the chpids of some systems, or nothing."""
    known: dict[ChpidId, ChannelEnd] = {}
    for end in (each for node in systems for each in collection.chpid_ends if each.node == node):
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


_RDEVS_PER_LINE: Final = 8
"""As many as fit into the 72 columns of a statement, with NODE and a name behind them."""

_IMAGES_MAX: Final = 15
"""MIF image ids in a channel subsystem: 1 to F (published: IOCP User's Guide)."""

_NAMED_MAX: Final = 6
"""Fibres that a remark names."""

_NO_DISKS: Final = "* The disks of the layout, [[io]], are not in this deck"
_NO_CECS: Final = "* The CEC of the layout, and the channels shared in it, are not in this deck"

_OWN_NUMBERS: Final = "* isfc: no deck is kept; CSS, image ids, CUADD and all numbers are new"


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


def bare_deck(collection: Collection, machine: Machine) -> KeptDeck:
    """A deck of a machine of which none is kept: its partitions alone, of CSS 0.

    Raises `ConfigurationError` for more systems than have a MIF image id.
    """
    images = {system: mif for mif, system in enumerate(collection.systems, start=1)}
    if len(images) > _IMAGES_MAX:
        raise ConfigurationError(
            f"{len(images)} systems; expected at most {_IMAGES_MAX} in a channel subsystem"
        )
    lines = []
    for node in machine.systems:
        partners = ", ".join(link.partner(node) for link in collection.links_of(node))
        lines.append(f"* {node}: its CTCs to {partners}")
    lines += [_NO_DISKS] if "io" in collection.io else []
    lines += [_NO_CECS] if machine.conflict else []
    named = ",".join(f"({node},{images[node]:X})" for node in machine.systems)
    lines += [_OWN_NUMBERS, f" RESOURCE PARTITION=((CSS(0),{named}))"]
    partitions = {node: str(node) for node in machine.systems}
    return KeptDeck(machine.name, partitions, (), "".join(f"{line}\n" for line in apart(lines)))
