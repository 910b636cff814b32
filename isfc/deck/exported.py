"""What the systems of a layout need: statements, decks, or the layout again, each text by its file.

The command `isfc export` says the remarks on what the texts cannot say.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from ctc.address import ChpidId, format_chpid
from isfc.deck.amend import amended
from isfc.deck.deck import Ports
from isfc.deck.export import (
    activation_text,
    bare_deck,
    file_names,
    left_out,
    machines,
    own_ports,
    qualified,
)
from isfc.deck.number import parse_link
from isfc.deck.renumbered import renumbered
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, checked, in_python
from isfc.errors.in_words import find_node, grouped
from isfc.layout.catalogue import AnyLayout, given_collection
from isfc.layout.collection import Collection
from isfc.layout.write import format_collection
from isfc.link.name import NodeName

Tell = Callable[[str], None]
"""Is told what the texts cannot say."""


_DECK, _STATEMENTS = ".iocp", ".config"


@dataclass(frozen=True, slots=True)
class Exported:
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
    stands in comments that begin with *ISFC. A folder gets a file for each system, or for each
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
                texts = {f"{node}{_STATEMENTS}": _activations(collection, node) for node in nodes}
    return Exported(texts, tuple(told))


def _activations(collection: Collection, node: NodeName) -> str:
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
    texts, remarks = amended(replace(collection, links=links, decks=decks), ports)
    for remark in remarks:
        tell(f"isfc: note: {remark}")
    names = file_names({deck.name: deck.partitions for deck in decks})
    return {
        f"{names[deck.name]}{_DECK}": texts[deck.name]
        for deck in decks
        if set(deck.partitions) & set(nodes)
    }


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
