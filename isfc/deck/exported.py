"""What the systems of a layout need: statements, decks, or the layout again, each text by its file.

`exported` is told what the texts cannot say, and `export`, which is public, keeps that.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ctc.address import ChpidId, format_chpid
from isfc.arguments import checked, in_python
from isfc.deck.amend import amended
from isfc.deck.export import (
    Ports,
    activation_text,
    bare_deck,
    deck_text,
    file_names,
    left_out,
    machines,
    own_ports,
)
from isfc.deck.number import parse_link
from isfc.deck.renumbered import renumbered
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import AnyLayout, given_collection
from isfc.layout.collection import Collection
from isfc.layout.groups import grouped
from isfc.layout.in_words import find_node
from isfc.layout.write import format_collection
from isfc.link.name import NodeName

Tell = Callable[[str], None]
"""Is told what the texts cannot say."""


@dataclass(frozen=True, slots=True)
class Exported:
    """Texts by the names of their files, and remarks on what they cannot say."""

    texts: Mapping[str, str]
    remarks: tuple[str, ...] = ()

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
    as_: Literal["activate", "iocp", "toml"],
    *,
    system: str | None = None,
    ports: Sequence[str] = (),
    scheme: Literal["alike", "traded", "cuadd", "target"] | None = None,
    first: str | None = None,
) -> Exported:
    """Write the statements that the systems of a layout need, as `isfc export` does.

    ``as_`` ACTIVATE ISLINK statements, IOCP decks, or a layout file; ``system`` is the one that
    they are for, both if it is None. ``ports`` are director ports for decks, such as
    ``"ATLANTA:50=C1"``, besides those of the layout. With ``scheme``, ``alike``, ``traded``,
    ``cuadd`` or ``target``, all CTCs have other numbers, from ``first`` on, such as ``"D000"``.
    Raises `ConfigurationError` for what cannot be written.
    """
    told: list[str] = []
    with in_python():
        collection = renumbered(given_collection(layout), scheme, first, told.append)
        nodes = chosen(collection, as_, system, ports)
        texts = exported(collection, as_, nodes, ports, told.append)
    return Exported(texts, tuple(told))


def chosen(
    collection: Collection, form: str, system: str | None, ports: Sequence[str]
) -> list[NodeName]:
    """The systems that are meant; `ConfigurationError` for options that do not go together."""
    if ports and form != "iocp":
        raise ConfigurationError("--ports: of IOCP decks; expected --as iocp with it")
    if system and form == "toml":
        raise ConfigurationError("--system: a layout file has all systems; expected no --as toml")
    if system is None:
        return list(collection.systems)
    return [find_node("--system", system, collection.systems)]


def exported(
    collection: Collection, form: str, nodes: Sequence[NodeName], ports: Sequence[str], tell: Tell
) -> dict[str, str]:
    """The texts that ``nodes`` need, by the names of their files."""
    if form == "toml":
        return {"-".join(collection.systems) + ".toml": format_collection(collection)}
    if form == "iocp":
        write = _kept_decks if collection.decks else _decks
        return write(collection, nodes, _ports(ports, collection), tell)
    return {
        f"{node}.config": "".join(activation_text(link, node) for link in collection.links_of(node))
        for node in nodes
    }


def _decks(
    collection: Collection, nodes: Sequence[NodeName], ports: Ports, tell: Tell
) -> dict[str, str]:
    """The decks that have some of ``nodes``, by file; tells what IOCP cannot say."""
    ports = {**own_ports(collection), **ports}
    decks = machines(collection)
    apart = ((each.conflict, node) for each in decks if each.conflict for node in each.systems)
    for problem, systems in grouped(apart).items():
        tell(
            f"isfc: note: {' and '.join(systems)} have a deck each, as of CECs of their own: "
            f"{problem}. 'isfc import' does not find the CEC and its shared channels again; "
            "--as toml keeps them"
        )
    for remark in left_out(collection, ports):
        tell(f"isfc: note: not in IOCP decks: {remark}; --as toml keeps it")
    return {
        f"{machine.name}.iocp": deck_text(collection, machine, ports, decks)
        for machine in decks
        if set(machine.systems) & set(nodes)
    }


def _kept_decks(
    collection: Collection, nodes: Sequence[NodeName], ports: Ports, tell: Tell
) -> dict[str, str]:
    """The decks that the layout keeps, brought up to date, and bare ones of the other systems."""
    known = {node: deck.name for deck in collection.decks for node in deck.partitions}
    bare = [each for each in machines(collection) if not set(each.systems) <= set(known)]
    for machine in bare:
        if there := set(machine.systems) & set(known):
            new = next(node for node in machine.systems if node not in known)
            raise ConfigurationError(
                f"{new} is in one CEC with {min(there)}, and no partition of its deck, [deck."
                f"{known[min(there)]}]; expected it in RESOURCE and in systems of the deck"
            )
    decks = (*collection.decks, *(bare_deck(collection, machine) for machine in bare))
    done = amended(replace(collection, decks=decks), ports)
    for remark in done.remarks:
        tell(f"isfc: note: {remark}")
    names = file_names({deck.name: deck.partitions for deck in decks})
    return {
        f"{names[deck.name]}.iocp": done.texts[deck.name]
        for deck in decks
        if set(deck.partitions) & set(nodes)
    }


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
