"""Layout files: TOML in, a checked `Layout` out.

::

    [fibre.1]                            # one FICON path between the two systems
    feature = "FICON Express2"           # a generation known to ctc.features
    link_gbps = 2                        # if it runs slower than its feature
    km = 10                              # if it is longer than a machine room
    chpid = { ATLANTA = "40", BOSTON = "50" }

    [[ctc]]                              # ranges are paired in order
    fibre = "1"
    rdevs = { ATLANTA = "6000-6003", BOSTON = "7000-7003" }

Fibres join two systems, which have one logical link. With more systems the links are declared, and
a fibre belongs to the link between the two nodes that its ``chpid`` names. Fibres may share chpids,
channels (``[[shared_channel]]``), directors, and the inter-switch links of a ``path``::

    [[link]]
    nodes = ["ATLANTA", "BOSTON"]

    [[link]]
    nodes = ["BOSTON", "CHICAGO"]

`isfc.layout.document` decodes the file. ``[[io]]`` and the tables it needs may stand beside these:
`isfc.io.configuration_file` reads them.

Whatever is wrong is a `ConfigurationError` that names the file, the table and the key, and
says what was expected.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from msgspec import structs

from ctc.address import Rdev, format_rdev, parse_chpid, parse_rdevs
from ctc.features import find_profile
from isfc.errors import ConfigurationError
from isfc.errors.arguments import checked
from isfc.layout import parts
from isfc.layout.checked_toml import check_table_name, no_table, show_key, within, words_of
from isfc.layout.collection import Collection
from isfc.layout.document import LINK_GBPS_MIN, CtcTable, Document, FibreTable, Root, parse_document
from isfc.layout.layout import CtcPair, FarPath, Fibre, Isl, Layout, on_machines
from isfc.layout.processors import MachineTable, Processors
from isfc.layout.sharing import with_notes
from isfc.link.name import NodeName, Nodes

_T = TypeVar("_T")


@checked
def parse_layout(data: bytes | str, source: str = "layout", link: str | None = None) -> Layout:
    """The layout that ``data``, the content of a layout file, describes.

    ``source`` is its name in messages. Of several links ``link`` names the one that is meant, as in
    ``ATLANTA-BOSTON``. Raises `ConfigurationError` for what is wrong with it.
    """
    collection = parse_collection(data, source)
    with within(source):
        return with_notes(collection, collection.link(link))


def parse_collection(data: bytes | str, source: str = "layout") -> Collection:
    """The links that ``data``, the content of a layout file, describes; as for `parse_layout`."""
    return collection_of(parse_document(data, source))


def collection_of(document: Document) -> Collection:
    """The links of a document, and what they share. Raises `ConfigurationError`."""
    with within(document.source):
        root = document.root
        for name, tables in (("fibre", root.fibre), ("ctc", root.ctc)):
            if tables is None:
                raise ConfigurationError(f"{name}: missing; expected {words_of(Root)[name]}")
        if not root.fibre:
            raise ConfigurationError(f"fibre: none; expected {words_of(Root)['fibre']}")
        links = _links(root, root.fibre)
        fibres = _fibres(root.fibre, far_paths(root), links)
        ctcs = _ctcs(root.ctc or [], fibres)
        layouts = tuple(
            Layout(
                nodes,
                tuple(fibre for fibre, joined in fibres.values() if joined == nodes),
                tuple(ctc for ctc, joined in ctcs if joined == nodes),
            )
            for nodes in links
        )
        systems = Collection(layouts, whole=True).systems
        own = dict(_machines(root, systems))
        layouts = tuple(on_machines(each, own) for each in layouts)
        return Collection(
            layouts,
            document.kept(),
            tuple(_shared_channels(root)),
            tuple(_cecs(root)),
            tuple(_traffic(root)),
            tuple(_decks(root, systems)),
            tuple(_memory(root, systems)),
            tuple(_others(root)),
            assumed=document.assumed,
        )


def far_paths(root: Root) -> dict[str, FarPath]:
    """The far paths of a file, by name."""
    return {
        name: FarPath(
            name, table.km, None if table.isl is None else Isl(**structs.asdict(table.isl))
        )
        for name, table in root.path.items()
    }


def _links(root: Root, tables: Mapping[str, FibreTable]) -> list[Nodes]:
    """The nodes of each link: of every ``[[link]]``, or those that the first fibre joins."""
    if not root.link:
        name, table = next(iter(tables.items()))
        with within(f"[fibre.{show_key(name)}] chpid"):
            return [_two_nodes(table.chpid)]
    links: list[Nodes] = []
    for number, link in enumerate(root.link, start=1):
        with within(f"[[link]] #{number} nodes"):
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


def _two_nodes(names: Iterable[str]) -> Nodes:
    """The two nodes of the link, the lesser name first."""
    nodes = sorted({NodeName(name) for name in names}, key=lambda node: node.collation)
    if len(nodes) != 2:
        named = ", ".join(nodes)[:40] or "no node"
        raise ConfigurationError(f"names {named}; expected two nodes, the ends of the link")
    return nodes[0], nodes[1]


def _link_of(values: Mapping[str, str], links: list[Nodes]) -> Nodes:
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


def _by_node(values: Mapping[str, str], nodes: Nodes, read: Callable[[str], _T]) -> tuple[_T, _T]:
    """The first node's value and the second's, each read from its text."""
    first, second = _link_of(values, [nodes])
    return read(values[first]), read(values[second])


def _fibres(
    tables: Mapping[str, FibreTable], paths: Mapping[str, FarPath], links: list[Nodes]
) -> dict[str, tuple[Fibre, Nodes]]:
    """The fibres by name, each with the nodes that it joins."""
    fibres: dict[str, tuple[Fibre, Nodes]] = {}
    for name, table in tables.items():
        place = f"[fibre.{show_key(name)}]"
        with within(f"{place} feature"):
            profile = find_profile(table.feature, table.link_gbps)
        check_speed(place, profile.feature, table.link_gbps)
        with within(f"{place} chpid"):
            nodes = _link_of(table.chpid, links)
            chpids = _by_node(table.chpid, nodes, parse_chpid)
        path = find_path(place, table.path, paths)
        if path is not None and table.km:
            raise ConfigurationError(f"{place} km: its path has one; expected path or km, not both")
        fibre = Fibre(
            name,
            profile,
            chpids,
            km=table.km if path is None else path.km,
            path=path,
            directors=_directors(place, table, nodes, path),
            ports=_ports(place, table, nodes),
        )
        fibres[name] = fibre, nodes
    return fibres


def find_path(place: str, name: str | None, paths: Mapping[str, FarPath]) -> FarPath | None:
    """The far path that the table at ``place`` names, if it names one."""
    if name is None:
        return None
    if name not in paths:
        raise ConfigurationError(f"{place} path: {no_table('path', name, paths)}")
    return paths[name]


def check_speed(place: str, feature: str, link_gbps: float | None) -> None:
    """A link may run slower than its feature, and never faster."""
    most = find_profile(feature).link_gbps
    if link_gbps is not None and link_gbps > most:
        raise ConfigurationError(
            f"{place} link_gbps: {feature} runs at {most:g} Gb/s at most; "
            f"expected a number from {LINK_GBPS_MIN:g} to {most:g}"
        )


def _ctcs(
    tables: Iterable[CtcTable], fibres: Mapping[str, tuple[Fibre, Nodes]]
) -> list[tuple[CtcPair, Nodes]]:
    """All CTCs, in the order of the file, each with the nodes that it joins."""
    ctcs: list[tuple[CtcPair, Nodes]] = []
    owners: dict[tuple[NodeName, Rdev], str] = {}
    for number, table in enumerate(tables, start=1):
        place = f"[[ctc]] #{number}"
        if table.fibre not in fibres:
            raise ConfigurationError(f"{place} fibre: {no_table('fibre', table.fibre, fibres)}")
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
                    if (owner := owners.setdefault((node, rdev), place)) != place:
                        raise ConfigurationError(
                            f"{format_rdev(rdev)} at {node} is already in {owner}; expected it "
                            "once in the file"
                        )
    return ctcs


def _cecs(root: Root) -> Iterator[parts.Cec]:
    """The machines."""
    for name, table in root.cec.items():
        with within(f"[cec.{show_key(name)}] systems"):
            systems = tuple(map(NodeName, table.systems))
        with within(f"[cec.{show_key(name)}] machine"):
            machine = _processors(table.machine) if table.machine else None
        yield parts.Cec(name, systems, machine)


def _machines(root: Root, systems: tuple[NodeName, ...]) -> Iterator[tuple[NodeName, Processors]]:
    """What each system runs on that says so itself."""
    for name, said in root.machine.items():
        with within(f"machine {show_key(name)}"):
            parts.check_system(NodeName(name), systems)
            machine = _processors(said)
        yield NodeName(name), machine


def _processors(said: str | MachineTable) -> Processors:
    from isfc.layout.machines import processors_of  # few layouts say one

    return processors_of(said)


def _memory(root: Root, systems: tuple[NodeName, ...]) -> list[parts.Memory]:
    """The memory of the systems, in their order."""
    found = []
    for name, table in root.memory.items():
        with within(f"[memory.{show_key(name)}]"):
            found.append(parts.Memory(NodeName(name), table.free_gib, table.overcommit))
    known = [*systems, *(each.system for each in found)]
    return sorted(found, key=lambda each: known.index(each.system))


def _decks(root: Root, systems: tuple[NodeName, ...]) -> Iterator[parts.KeptDeck]:
    """The decks that are kept, each system in one at most."""
    homes: dict[NodeName, str] = {}
    for name, table in root.deck.items():
        place = f"[deck.{show_key(name)}]"
        with within(f"{place} systems"):
            partitions = {NodeName(each): text for each, text in table.systems.items()}
            if not partitions:
                raise ConfigurationError("names no system; expected one at least")
            for system in partitions:
                parts.check_system(system, systems)
                if homes.setdefault(system, name) != name:
                    raise ConfigurationError(
                        f"{system} is already in [deck.{show_key(homes[system])}]; expected it in "
                        "one deck"
                    )
        yield parts.KeptDeck(name, partitions, tuple(table.ports), table.cards)


def _shared_channels(root: Root) -> Iterator[parts.Channel]:
    """The channels that several systems share."""
    for number, table in enumerate(root.shared_channel, start=1):
        with within(f"[[shared_channel]] #{number} chpid"):
            ends = [(NodeName(name), parse_chpid(text)) for name, text in table.chpid.items()]
        yield tuple(parts.ChannelEnd(*end) for end in ends)


def _directors(
    place: str, table: FibreTable, nodes: Nodes, path: FarPath | None
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
            directors = _by_node(table.director, nodes, str)
        for name in directors:
            check_table_name(show_key(name), name, "a director")
        isls = path is not None and path.isl is not None
        if directors[0] == directors[1] and isls:
            raise ConfigurationError(
                "one, and a path with inter-switch links; expected the director at each node"
            )
    return directors


def _ports(place: str, table: FibreTable, nodes: Nodes) -> tuple[str, ...]:
    """The port of the director at each end of a fibre, or nothing."""
    if table.port is None:
        return ()
    with within(f"{place} port"):
        if table.director is None:
            raise ConfigurationError("of no director; expected director, which says whose")
        ports = _by_node(table.port, nodes, str.upper)
        for port in ports:
            if not 1 <= len(port) <= 4 or not set(port) <= set("0123456789ABCDEF"):
                raise ConfigurationError(f"{port[:40]!r} is not a port: expected 1 to 4 hex digits")
    return tuple(port.rjust(2, "0") for port in ports)


def _traffic(root: Root) -> Iterator[parts.LinkTraffic]:
    """What runs over the links."""
    for number, table in enumerate(root.traffic, start=1):
        ends: list[NodeName] = []
        for key, name in (("from", table.source), ("to", table.to)):
            with within(f"[[traffic]] #{number} {key}"):
                ends.append(NodeName(name))
        yield parts.LinkTraffic(ends[0], ends[1], table.workload, table.pairs)


def _others(root: Root) -> Iterator[parts.OtherLink]:
    """The links beside those of the file, and the channels that their CTCs are on."""
    for number, table in enumerate(root.other_link, start=1):
        with within(f"[[other_link]] #{number} nodes"):
            nodes = tuple(map(NodeName, table.nodes))
        with within(f"[[other_link]] #{number} ctcs"):
            ctcs = tuple(
                parts.OtherCtcs(tuple(map(_channel_end, text.split("="))), count)
                for text, count in table.ctcs.items()
            )
        yield parts.OtherLink(nodes, ctcs)


def _channel_end(text: str) -> parts.ChannelEnd:
    node, colon, chpid = text.strip().partition(":")
    if not colon:
        raise ConfigurationError(f"{text[:40]!r}: expected a system and its chpid, as ATLANTA:40")
    return parts.ChannelEnd(NodeName(node), parse_chpid(chpid))
