"""Layout files: TOML in, a checked `Layout` out.

::

    [fibre.1]                            # one FICON path between the two systems
    feature = "FICON Express2"           # a generation known to ctc.profiles
    link_gbps = 2                        # if it runs slower than its feature
    km = 10                              # if it is longer than a machine room
    chpid = { ATLANTA = "40", BOSTON = "50" }

    [[ctc]]                              # ranges are paired in order
    fibre = "1"
    rdevs = { ATLANTA = "6000-6003", BOSTON = "7000-7003" }

Fibres join two systems, which have one logical link. With more systems the links are declared, and
a fibre belongs to the link between the two nodes that its ``chpid`` names. Two links may share a
chpid of the node they have in common::

    [[link]]
    nodes = ["ATLANTA", "BOSTON"]

    [[link]]
    nodes = ["BOSTON", "CHICAGO"]

``[[io]]`` and the tables it needs may stand beside these: `isfc.io.configuration_file` reads them.

Whatever is wrong is a `ConfigurationError` that names the file, the table and the key, and
says what was expected.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import msgspec

from ctc.address import format_chpid, format_rdev, parse_chpid, parse_rdevs
from ctc.profiles import find_profile
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import (
    check_table_name,
    convert,
    decode,
    read_bytes,
    show_key,
    within,
)
from isfc.layout.layout import Collection, CtcPair, Fibre, Layout
from isfc.link.name import NodeName
from isfc.link.schedule import CTCS_MAX

LINK_GBPS_MIN: Final = 0.1
LINK_GBPS_MAX: Final = 128.0
KM_MAX: Final = 10_000.0
"""Farther than any fibre goes that a channel could use."""

_IO_TABLES: Final = ("channel", "path", "card", "interconnect", "fanout", "system", "io")
"""What a layout may have beside its links, in the order in which it is written."""

_Nodes = tuple[NodeName, NodeName]
_T = TypeVar("_T")


class Root(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A layout file, its tables not yet checked: an error is to name the table it is in."""

    fibre: dict[str, Any]
    ctc: list[Any]
    link: list[Any] = []
    io: list[dict[str, Any]] = []
    channel: dict[str, dict[str, Any]] = {}
    path: dict[str, dict[str, Any]] = {}
    system: dict[str, dict[str, Any]] = {}
    card: dict[str, dict[str, Any]] = {}
    interconnect: dict[str, dict[str, Any]] = {}
    fanout: dict[str, dict[str, Any]] = {}


class LinkTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table ``[[link]]``: needed only where there are several links."""

    nodes: list[str]


class FibreTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table ``[fibre.NAME]``."""

    feature: str
    chpid: dict[str, str]
    link_gbps: Annotated[float, msgspec.Meta(ge=LINK_GBPS_MIN, le=LINK_GBPS_MAX)] | None = None
    km: Annotated[float, msgspec.Meta(ge=0, le=KM_MAX)] = 0.0


class CtcTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table ``[[ctc]]``."""

    fibre: str
    rdevs: dict[str, str]


EXPECTED: Final[Mapping[type, Mapping[str, str]]] = {
    Root: {
        "fibre": "a table for each FICON path, such as [fibre.1]",
        "ctc": "a table for each range of CTCs, headed [[ctc]]",
        "link": "a table for each logical link, headed [[link]], if there are several",
        "io": "disk I/O beside the link, headed [[io]], which isfc io reads",
        "channel": "channels of disk I/O, such as [channel.42], which isfc io reads",
        "path": "ways to far storage, such as [path.far], which isfc io reads",
        "system": "systems, such as [system.ATLANTA], which isfc io reads",
        "card": "cards that channels share, such as [card.A], which isfc io reads",
        "interconnect": "I/O interconnects, such as [interconnect.1], which isfc io reads",
        "fanout": "fanout cards, such as [fanout.F], which isfc io reads",
    },
    LinkTable: {
        "nodes": 'the two nodes of a link, such as ["ATLANTA", "BOSTON"]',
    },
    FibreTable: {
        "feature": 'a FICON feature in quotes, such as "FICON Express2"',
        "chpid": 'the chpid at each node, such as { ATLANTA = "40", BOSTON = "50" }',
        "link_gbps": f"Gb/s, a number from {LINK_GBPS_MIN:g} to {LINK_GBPS_MAX:g}",
        "km": f"the fibre's length in kilometres, a number from 0 to {KM_MAX:g}",
    },
    CtcTable: {
        "fibre": 'the NAME of a table [fibre.NAME], in quotes, such as "1"',
        "rdevs": 'device numbers at each node, such as { ATLANTA = "6000", BOSTON = "7000" }',
    },
}
"""What may stand in each table, in the words of an error message."""


def read_layout(path: Path, link: str | None = None) -> Layout:
    """Read and check the layout file at ``path``; ``link`` is as for `parse_layout`.

    Raises `ConfigurationError` for anything else.
    """
    with within(str(path)):
        return _parse(read_bytes(path, "a layout file")).link(link)


def parse_layout(data: bytes | str, source: str = "layout", link: str | None = None) -> Layout:
    """The layout that ``data``, the content of a layout file, describes.

    ``source`` is its name in messages. Of several links ``link`` names the one that is meant, as in
    ``ATLANTA-BOSTON``. Raises `ConfigurationError` for what is wrong with it.
    """
    with within(source):
        return parse_collection(data, "").link(link)


def parse_collection(data: bytes | str, source: str = "layout") -> Collection:
    """The links that ``data``, the content of a layout file, describes; as for `parse_layout`."""
    with within(source) if source else nullcontext():
        return _parse(data.encode() if isinstance(data, str) else data)


def _parse(data: bytes) -> Collection:
    root = _table(decode(data, "a layout"), Root, "")
    if not root.fibre:
        raise ConfigurationError(f"fibre: none; expected {EXPECTED[Root]['fibre']}")
    tables = {
        name: _table(table, FibreTable, f"[fibre.{show_key(name)}]")
        for name, table in root.fibre.items()
    }
    links = _links(root.link, tables)
    fibres = _fibres(tables, links)
    ctcs = _ctcs(root.ctc, fibres)
    return Collection(
        tuple(
            Layout(
                nodes,
                tuple(fibre for fibre, joined in fibres.values() if joined == nodes),
                tuple(ctc for ctc, joined in ctcs if joined == nodes),
            )
            for nodes in links
        ),
        {name: table for name in _IO_TABLES if (table := getattr(root, name))},
    )


def _table(value: object, kind: type[_T], place: str) -> _T:
    return convert(value, kind, place, EXPECTED[kind])


def _links(declared: list[Any], tables: Mapping[str, FibreTable]) -> list[_Nodes]:
    """The nodes of each link: of every ``[[link]]``, or those that the first fibre joins."""
    if not declared:
        name, table = next(iter(tables.items()))
        with within(f"[fibre.{show_key(name)}] chpid"):
            return [_two_nodes(table.chpid)]
    links: list[_Nodes] = []
    for number, value in enumerate(declared, start=1):
        place = f"[[link]] #{number}"
        link = _table(value, LinkTable, place)
        with within(f"{place} nodes"):
            nodes = _two_nodes(link.nodes)
            if nodes in links:
                raise ConfigurationError(
                    f"{nodes[0]} and {nodes[1]} are joined already; expected one link between them"
                )
            if not any(set(table.chpid) == set(nodes) for table in tables.values()):
                raise ConfigurationError(
                    f"no [fibre.NAME] joins {nodes[0]} and {nodes[1]}; expected one at least"
                )
        links.append(nodes)
    return links


def _two_nodes(names: Iterable[str]) -> _Nodes:
    """The two nodes of the link, the lesser name first."""
    nodes = sorted({NodeName(name) for name in names}, key=lambda node: node.collation)
    if len(nodes) != 2:
        named = ", ".join(nodes)[:40] or "no node"
        raise ConfigurationError(f"names {named}; expected two nodes, the ends of the link")
    return nodes[0], nodes[1]


def _link_of(values: Mapping[str, str], links: list[_Nodes]) -> _Nodes:
    """The link whose two nodes have a value each."""
    named = {NodeName(name) for name in values}
    for nodes in links:
        if named == set(nodes):
            return nodes
    wrong = f"names {', '.join(values)[:40] or 'no node'}"
    pairs = [f"{first} and {second}" for first, second in links]
    if len(links) == 1:
        raise ConfigurationError(f"{wrong}; expected {pairs[0]}, the two nodes of this link")
    raise ConfigurationError(
        f"{wrong}; expected the two nodes of one link: {', '.join(pairs[:-1])} or {pairs[-1]}"
    )


def _by_node(values: Mapping[str, str], nodes: _Nodes, read: Callable[[str], _T]) -> tuple[_T, _T]:
    """The first node's value and the second's, each read from its text."""
    first, second = _link_of(values, [nodes])
    return read(values[first]), read(values[second])


def _fibres(
    tables: Mapping[str, FibreTable], links: list[_Nodes]
) -> dict[str, tuple[Fibre, _Nodes]]:
    """The fibres by name, each with the nodes that it joins."""
    fibres: dict[str, tuple[Fibre, _Nodes]] = {}
    for name, table in tables.items():
        place = f"[fibre.{show_key(name)}]"
        check_table_name(place, name, "a fibre")
        with within(f"{place} feature"):
            profile = find_profile(table.feature, table.link_gbps)
        check_speed(place, profile.feature, table.link_gbps)
        with within(f"{place} chpid"):
            nodes = _link_of(table.chpid, links)
            chpids = _by_node(table.chpid, nodes, parse_chpid)
            fibre = Fibre(name, profile, chpids, km=table.km)
            for other, joined in fibres.values():
                _check_shared(fibre, nodes, other, joined)
        fibres[name] = fibre, nodes
    return fibres


def check_speed(place: str, feature: str, link_gbps: float | None) -> None:
    """A link may run slower than its feature, and never faster."""
    most = find_profile(feature).link_gbps
    if link_gbps is not None and link_gbps > most:
        raise ConfigurationError(
            f"{place} link_gbps: {feature} runs at {most:g} Gb/s at most; "
            f"expected a number from {LINK_GBPS_MIN:g} to {most:g}"
        )


def _check_shared(fibre: Fibre, nodes: _Nodes, other: Fibre, joined: _Nodes) -> None:
    """A chpid may be on several fibres of different links, if it is the same feature on all."""
    for node, chpid in zip(nodes, fibre.chpids, strict=True):
        if node not in joined or other.chpids[joined.index(node)] != chpid:
            continue
        place = f"{format_chpid(chpid)} at {node} is already in [fibre.{show_key(other.name)}]"
        if nodes == joined:
            raise ConfigurationError(
                f"{place}; expected its CTCs on one fibre: a director can lead it to several "
                f"chpids of {_other_end(nodes, node)}, but isfc knows one path of a chpid to "
                "each partner"
            )
        if fibre.profile != other.profile:
            raise ConfigurationError(f"{place}; expected the same feature and link_gbps in both")


def _other_end(nodes: _Nodes, node: NodeName) -> NodeName:
    """The other of the two nodes."""
    return nodes[1 - nodes.index(node)]


def _ctcs(
    tables: list[Any], fibres: Mapping[str, tuple[Fibre, _Nodes]]
) -> list[tuple[CtcPair, _Nodes]]:
    """All CTCs, in the order of the file, each with the nodes that it joins."""
    ctcs: list[tuple[CtcPair, _Nodes]] = []
    owners: dict[tuple[NodeName, str], str] = {}
    for number, value in enumerate(tables, start=1):
        place = f"[[ctc]] #{number}"
        table = _table(value, CtcTable, place)
        if table.fibre not in fibres:
            raise ConfigurationError(
                f"{place} fibre: there is no [fibre.{show_key(table.fibre)}]; "
                f"expected one of {', '.join(map(show_key, fibres))}"
            )
        fibre, nodes = fibres[table.fibre]
        with within(f"{place} rdevs"):
            here, there = _by_node(table.rdevs, nodes, parse_rdevs)
            if len(here) != len(there):
                raise ConfigurationError(
                    f"{len(here)} at {nodes[0]} and {len(there)} at {nodes[1]}; "
                    "expected as many at one node as at the other"
                )
            for pair in zip(here, there, strict=True):
                ctcs.append((CtcPair(fibre, pair), nodes))
                for node, rdev in zip(nodes, pair, strict=True):
                    _claim(owners, node, format_rdev(rdev), place)
    for count in Counter(joined for _, joined in ctcs).values():
        if count > CTCS_MAX:
            raise ConfigurationError(
                f"[[ctc]] rdevs: {count} CTCs; expected at most {CTCS_MAX} in a logical link"
            )
    used = {ctc.fibre.name for ctc, _ in ctcs}
    for name in fibres:
        if name not in used:
            raise ConfigurationError(
                f"[fibre.{show_key(name)}]: carries no CTC; expected a [[ctc]] that names it"
            )
    return ctcs


def _claim(owners: dict[tuple[NodeName, str], str], node: NodeName, item: str, place: str) -> None:
    """Note that ``item`` at ``node`` belongs to the table at ``place``, and to no other."""
    owner = owners.setdefault((node, item), place)
    if owner != place:
        raise ConfigurationError(
            f"{item} at {node} is already in {owner}; expected it once in the file"
        )
