"""What links share, read from a document: channels, machines, directors, and their traffic."""

from collections.abc import Mapping

from ctc.address import parse_chpid
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import check_table_name, show_key, within
from isfc.layout.collection import (
    Cec,
    Channel,
    ChannelEnd,
    KeptDeck,
    LinkTraffic,
    Memory,
    OtherCtcs,
    OtherLink,
)
from isfc.layout.document import Document, FibreTable
from isfc.layout.path import FarPath
from isfc.link.name import NodeName


def read_cecs(document: Document) -> tuple[Cec, ...]:
    """The machines."""
    cecs = []
    for name, table in document.cecs.items():
        with within(f"[cec.{show_key(name)}] systems"):
            cecs.append(Cec(name, tuple(map(NodeName, table.systems))))
    return tuple(cecs)


def read_memory(document: Document, systems: tuple[NodeName, ...]) -> tuple[Memory, ...]:
    """The memory of the systems, in their order."""
    found = []
    for name, table in document.memory.items():
        with within(f"[memory.{show_key(name)}]"):
            found.append(Memory(NodeName(name), table.free_gib, table.overcommit))
    known = [*systems, *(each.system for each in found)]
    return tuple(sorted(found, key=lambda each: known.index(each.system)))


def read_decks(document: Document, systems: tuple[NodeName, ...]) -> tuple[KeptDeck, ...]:
    """The decks that are kept, each system in one at most."""
    homes: dict[NodeName, str] = {}
    decks: list[KeptDeck] = []
    for name, table in document.decks.items():
        place = f"[deck.{show_key(name)}]"
        with within(f"{place} systems"):
            partitions = {_system(each, systems): text for each, text in table.systems.items()}
            if not partitions:
                raise ConfigurationError("names no system; expected one at least")
            for system in partitions:
                if homes.setdefault(system, name) != name:
                    raise ConfigurationError(
                        f"{system} is already in [deck.{show_key(homes[system])}]; expected it in "
                        "one deck"
                    )
        decks.append(KeptDeck(name, partitions, tuple(table.ports), table.cards))
    return tuple(decks)


def _system(name: str, systems: tuple[NodeName, ...]) -> NodeName:
    system = NodeName(name)
    if system not in systems:
        raise ConfigurationError(f"{system} has no link; expected one of {', '.join(systems)}")
    return system


def read_shared_channels(document: Document) -> tuple[Channel, ...]:
    """The channels that several systems share."""
    channels = []
    for number, table in enumerate(document.shared_channels, start=1):
        with within(f"[[shared_channel]] #{number} chpid"):
            channels.append(
                tuple(
                    ChannelEnd(NodeName(name), parse_chpid(text))
                    for name, text in table.chpid.items()
                )
            )
    return tuple(channels)


def read_directors(
    place: str, table: FibreTable, nodes: tuple[NodeName, NodeName], path: FarPath | None
) -> tuple[str, ...]:
    """The director at each end of a fibre, or nothing.

    Two without a path of inter-switch links are joined in a way that the file does not tell, which
    is a note on every figure (`isfc.layout.sharing`).
    """
    if table.director is None:
        return ()
    with within(f"{place} director"):
        if isinstance(table.director, str):
            directors = (table.director, table.director)
        else:
            directors = _of_nodes(table.director, nodes)
        for name in directors:
            check_table_name(show_key(name), name, "a director")
        isls = path is not None and path.isl is not None
        if directors[0] == directors[1] and isls:
            raise ConfigurationError(
                "one, and a path with inter-switch links; expected the director at each node"
            )
    return directors


def read_ports(place: str, table: FibreTable, nodes: tuple[NodeName, NodeName]) -> tuple[str, ...]:
    """The port of the director at each end of a fibre, or nothing."""
    if table.port is None:
        return ()
    with within(f"{place} port"):
        if table.director is None:
            raise ConfigurationError("of no director; expected director, which says whose")
        ports = tuple(port.upper() for port in _of_nodes(table.port, nodes))
        for port in ports:
            if not 1 <= len(port) <= 4 or not set(port) <= set("0123456789ABCDEF"):
                raise ConfigurationError(f"{port[:40]!r} is not a port: expected 1 to 4 hex digits")
    return tuple(port.rjust(2, "0") for port in ports)


def _of_nodes(values: Mapping[str, str], nodes: tuple[NodeName, NodeName]) -> tuple[str, str]:
    """The first node's value and the second's."""
    if set(values) != set(nodes):
        named = ", ".join(values)[:40] or "no node"
        raise ConfigurationError(f"names {named}; expected {nodes[0]} and {nodes[1]}")
    return values[nodes[0]], values[nodes[1]]


def read_traffic(document: Document) -> tuple[LinkTraffic, ...]:
    """What runs over the links."""
    found: list[LinkTraffic] = []
    for number, table in enumerate(document.traffic, start=1):
        ends: list[NodeName] = []
        for key, name in (("from", table.source), ("to", table.to)):
            with within(f"[[traffic]] #{number} {key}"):
                ends.append(NodeName(name))
        found.append(LinkTraffic(ends[0], ends[1], table.workload, table.pairs))
    return tuple(found)


def read_others(document: Document) -> tuple[OtherLink, ...]:
    """The links beside those of the file, and the channels that their CTCs are on."""
    found: list[OtherLink] = []
    for number, table in enumerate(document.other_links, start=1):
        with within(f"[[other_link]] #{number} nodes"):
            nodes = tuple(map(NodeName, table.nodes))
        with within(f"[[other_link]] #{number} ctcs"):
            ctcs = tuple(
                OtherCtcs(tuple(map(_channel_end, text.split("="))), count)
                for text, count in table.ctcs.items()
            )
        found.append(OtherLink(nodes, ctcs))
    return tuple(found)


def _channel_end(text: str) -> ChannelEnd:
    node, colon, chpid = text.strip().partition(":")
    if not colon:
        raise ConfigurationError(f"{text[:40]!r}: expected a system and its chpid, as ATLANTA:40")
    return ChannelEnd(NodeName(node), parse_chpid(chpid))
