"""What the systems of a layout need: statements, decks, or the layout again, by file.

Each CEC gets a deck, in which its systems are partitions of CSS 0, and a system of no CEC one of
its own. In it a chpid is one channel for all partitions, and a channel has one chpid; where the
systems of a CEC contradict that, each has a deck of its own. A deck begins with its partitions
alone, and `isfc.deck.amend` adds what their CTCs need.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Annotated, Any, Final, Literal

from msgspec import Struct, structs

from ctc.address import ChpidId, format_chpid, format_rdev
from isfc.deck.amend import amended
from isfc.deck.card import apart
from isfc.deck.deck import Ports
from isfc.deck.kept import own_ports
from isfc.deck.numbers import check_numbers
from isfc.deck.renumbered import renumbered
from isfc.deck.written import parse_link
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, checked, in_python
from isfc.errors.in_words import find_node, first_listed, grouped
from isfc.layout.catalogue import AnyLayout, given_collection
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.parts import ChannelEnd, KeptDeck
from isfc.layout.sharing import channel_name
from isfc.layout.write import format_collection
from isfc.link.name import NodeName

_IN_FILE_NAMES: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$#@-")


class Machine(Struct, frozen=True):
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
        if problem := _contradiction(collection, systems) if len(systems) > 1 else "":
            found += [Machine(str(system), (system,), problem) for system in systems]
        else:
            found.append(Machine(name, systems))
    found.sort(key=lambda machine: machine.systems[0].collation)
    names = _file_names((machine.name, machine.systems) for machine in found)
    return tuple(structs.replace(each, name=n) for each, n in zip(found, names, strict=True))


def _file_names(decks: Iterable[tuple[str, Iterable[NodeName]]]) -> list[str]:
    """A name for each deck that is fit for its file: its own, or those of its systems."""
    known = [*decks]
    names = {name.upper() for name, _ in known}
    fits = len(names) == len(known) and all({*name} <= _IN_FILE_NAMES for name in names)
    return [name if fits else "-".join(systems) for name, systems in known]


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


Tell = Callable[[str], None]
"""Is told what the texts cannot say."""


_DECK, _STATEMENTS = ".iocp", ".config"


class Exported(Struct, frozen=True):
    """Texts by the names of their files, and remarks on what they cannot say."""

    texts: Mapping[str, str]
    remarks: tuple[str, ...] = ()

    @property
    def is_deck(self) -> bool:
        """Whether each text is a deck, of which a file holds one."""
        return any(file.endswith(_DECK) for file in self.texts)

    @property
    def together(self) -> str:
        """All texts as one: of several systems, each statement says whose it is."""
        if len(self.texts) == 1 or self.is_deck:
            return "".join(self.texts.values())
        nodes = (NodeName(file.removesuffix(_STATEMENTS)) for file in self.texts)
        return "".join(map(qualified, nodes, self.texts.values()))

    def to_dict(self) -> dict[str, Any]:
        """Both, as JSON takes them."""
        return {"texts": dict(self.texts), "remarks": list(self.remarks)}

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each file, as a data frame takes them."""
        return [{"file": file, "text": text} for file, text in self.texts.items()]

    def __repr__(self) -> str:
        return f"<Exported {', '.join(self.texts)}: {len(self.remarks)} remarks>"


@checked
def export(
    layout: AnyLayout,
    as_: Annotated[
        Literal["activate", "iocp", "toml"],
        Argument("", "ACTIVATE ISLINK statements, IOCP decks, or a layout file.", is_named=True),
    ],
    *,
    system: Annotated[
        str | None, Argument("NODE", "What one system needs, instead of both.")
    ] = None,
    ports: Annotated[
        Sequence[str],
        Argument(
            "NODE:50=C1,...",
            "Director ports, for the LINK of IOCP decks, besides those of the layout; without "
            "either, fibres are cables.",
        ),
    ] = (),
    scheme: Annotated[
        Literal["alike", "traded", "cuadd", "target"] | None,
        Argument("", "Give all CTCs numbers of this scheme."),
    ] = None,
    first: Annotated[
        str | None,
        Argument("RDEV", "Where they begin: D000 of alike, 4000 of traded and cuadd if not said."),
    ] = None,
) -> Exported:
    """Write the statements that the systems of a layout need.

    'isfc import' makes the same layout of them again. Of a deck, what IOCP has no keyword for
    stands in comments, which the import reads. A folder gets a file for each system, or for each
    CEC. 'isfc check' says by which scheme CTCs are numbered, and 'isfc change' how to get from the
    numbers that a layout has to those of --scheme.

    Raises `ConfigurationError` for what cannot be written.
    """
    told: list[str] = []
    with in_python():
        collection = renumbered(given_collection(layout), scheme, first, told.append)
        if ports and as_ != "iocp":
            raise ConfigurationError("--ports: of IOCP decks; expected --as iocp with it")
        if system and as_ == "toml":
            raise ConfigurationError(
                "--system: a layout file has all systems; expected no --as toml"
            )
        nodes: Sequence[NodeName] = collection.systems
        if system is not None:
            nodes = [find_node("--system", system, collection.systems)]
        match as_:
            case "toml":
                texts = {f"{'-'.join(collection.systems)}.toml": format_collection(collection)}
            case "iocp":
                texts = _decks(collection, nodes, _ports(ports, collection), told.append)
            case "activate":
                check_numbers(collection)
                texts = {f"{node}{_STATEMENTS}": activations(collection, node) for node in nodes}
    return Exported(texts, tuple(told))


def activations(collection: Collection, node: NodeName) -> str:
    """The ACTIVATE ISLINK statements of all links of a system."""
    return "".join(activation_text(link, node) for link in collection.links_of(node))


def _decks(
    collection: Collection, nodes: Sequence[NodeName], ports: Ports, tell: Tell
) -> dict[str, str]:
    """The decks that the layout keeps, brought up to date, and new ones of the other systems."""
    known = {node: deck.name for deck in collection.decks for node in deck.partitions}
    bare = [each for each in machines(collection) if not set(each.systems) <= set(known)]
    for machine in bare:
        if there := set(machine.systems) & set(known):
            new = next(node for node in machine.systems if node not in known)
            raise ConfigurationError(
                f"{new} is in one CEC with {min(there)}, and no partition of its deck, [deck."
                f"{known[min(there)]}]; expected it in RESOURCE and in systems of the deck"
            )
    links = collection.links
    if not known:  # what no deck that is asked for has is not to be refused
        _tell_of_the_lost(collection, {**own_ports(collection), **ports}, tell)
        asked = [set(each.systems) for each in bare if set(each.systems) & set(nodes)]
        links = tuple(link for link in links if any(each & set(link.nodes) for each in asked))
    decks = (*collection.decks, *(bare_deck(collection, machine) for machine in bare))
    decks, remarks = amended(replace(collection, links=links, decks=decks), ports)
    for remark in remarks:
        tell(f"isfc: note: {remark}")
    names = _file_names((deck.name, deck.partitions) for deck in decks)
    named = zip(names, decks, strict=True)
    return {f"{name}{_DECK}": deck.cards for name, deck in named if {*deck.partitions} & {*nodes}}


def _tell_of_the_lost(collection: Collection, ports: Ports, tell: Tell) -> None:
    """Tell what decks cannot say of a layout that keeps none."""
    apart = ((one.conflict, node) for one in machines(collection) for node in one.systems)
    for problem, systems in grouped(apart).items():
        if problem:
            tell(
                f"isfc: note: {' and '.join(systems)} have a deck each, as of CECs of their own: "
                f"{problem}. 'isfc import' does not find the CEC and its shared channels again; "
                "--as toml keeps them"
            )
    for remark in left_out(collection, ports):
        tell(f"isfc: note: not in IOCP decks: {remark}; --as toml keeps it")


def _ports(texts: Sequence[str], collection: Collection) -> Ports:
    """What ``--ports`` says, by node and chpid."""
    known = {
        f"{end.node}:{format_chpid(end.chpid)}": (end.node, end.chpid)
        for end in collection.chpid_ends
    }
    said: dict[tuple[NodeName, ChpidId], str] = {}
    for entry in (part.strip() for text in texts for part in text.split(",")):
        place, _, port = entry.upper().partition("=")
        try:
            said[known[place]] = parse_link(port)
        except (KeyError, ConfigurationError):
            raise ConfigurationError(
                f"--ports {entry[:40]!r}: expected a node and a chpid of the layout, and a port, "
                f"such as {next(iter(known))}=C1"
            ) from None
    return said
