"""Layout files: TOML in, a checked `Layout` out.

::

    [fibre.1]                            # one FICON path between the two systems
    feature = "FICON Express2"           # a generation known to ctc.profiles
    link_gbps = 2                        # if it runs at another speed than its own
    chpid = { ATLANTA = "40", BOSTON = "50" }

    [[ctc]]                              # ranges are paired in order
    fibre = "1"
    rdevs = { ATLANTA = "6000-6003", BOSTON = "7000-7003" }

Whatever is wrong is a `ConfigurationError` that names the file, the table and the key, and
says what was expected.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import msgspec

from ctc.address import format_chpid, format_rdev, parse_chpid, parse_rdevs
from ctc.profiles import find_profile
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import convert, decode, read_bytes, show_key, within
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.link.name import NodeName
from isfc.link.schedule import CTCS_MAX

LINK_GBPS_MIN: Final = 0.1
LINK_GBPS_MAX: Final = 128.0
FIBRE_NAME_LENGTH_MAX: Final = 32

_Nodes = tuple[NodeName, NodeName]
_T = TypeVar("_T")


class Root(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A layout file, its tables not yet checked: an error is to name the table it is in."""

    fibre: dict[str, Any]
    ctc: list[Any]


class FibreTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table ``[fibre.NAME]``."""

    feature: str
    chpid: dict[str, str]
    link_gbps: Annotated[float, msgspec.Meta(ge=LINK_GBPS_MIN, le=LINK_GBPS_MAX)] | None = None


class CtcTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table ``[[ctc]]``."""

    fibre: str
    rdevs: dict[str, str]


EXPECTED: Final[Mapping[type, Mapping[str, str]]] = {
    Root: {
        "fibre": "a table for each FICON path, such as [fibre.1]",
        "ctc": "a table for each range of CTCs, headed [[ctc]]",
    },
    FibreTable: {
        "feature": 'a FICON feature in quotes, such as "FICON Express2"',
        "chpid": 'the chpid at each node, such as { ATLANTA = "40", BOSTON = "50" }',
        "link_gbps": f"Gb/s, a number from {LINK_GBPS_MIN:g} to {LINK_GBPS_MAX:g}",
    },
    CtcTable: {
        "fibre": 'the NAME of a table [fibre.NAME], in quotes, such as "1"',
        "rdevs": 'device numbers at each node, such as { ATLANTA = "6000", BOSTON = "7000" }',
    },
}
"""What may stand in each table, in the words of an error message."""


def read_layout(path: Path) -> Layout:
    """Read and check the layout file at ``path``; raise `ConfigurationError` otherwise."""
    with within(str(path)):
        return _parse(read_bytes(path, "a layout file"))


def parse_layout(data: bytes | str, source: str = "layout") -> Layout:
    """The layout that ``data``, the content of a layout file, describes.

    ``source`` is its name in messages. Raises `ConfigurationError` for what is wrong with it.
    """
    with within(source):
        return _parse(data.encode() if isinstance(data, str) else data)


def _parse(data: bytes) -> Layout:
    root = _table(decode(data, "a layout"), Root, "")
    if not root.fibre:
        raise ConfigurationError(f"fibre: none; expected {EXPECTED[Root]['fibre']}")
    tables = {
        name: _table(table, FibreTable, f"[fibre.{show_key(name)}]")
        for name, table in root.fibre.items()
    }
    name, table = next(iter(tables.items()))
    with within(f"[fibre.{show_key(name)}] chpid"):
        nodes = _two_nodes(table.chpid)
    fibres = _fibres(tables, nodes)
    return Layout(nodes, tuple(fibres.values()), _ctcs(root.ctc, fibres, nodes))


def _table(value: object, kind: type[_T], place: str) -> _T:
    return convert(value, kind, place, EXPECTED[kind])


def _two_nodes(names: Iterable[str]) -> _Nodes:
    """The two nodes of the link, the lesser name first."""
    nodes = sorted((NodeName(name) for name in names), key=lambda node: node.collation)
    if len(nodes) != 2:
        named = ", ".join(nodes)[:40] or "no node"
        raise ConfigurationError(f"names {named}; expected two nodes, the ends of the link")
    return nodes[0], nodes[1]


def _by_node(values: Mapping[str, str], nodes: _Nodes, read: Callable[[str], _T]) -> tuple[_T, _T]:
    """The first node's value and the second's, each read from its text."""
    if {NodeName(name) for name in values} != set(nodes):
        named = ", ".join(values)[:40] or "no node"
        raise ConfigurationError(
            f"names {named}; expected {nodes[0]} and {nodes[1]}, the two nodes of this link"
        )
    return read(values[nodes[0]]), read(values[nodes[1]])


def _fibres(tables: Mapping[str, FibreTable], nodes: _Nodes) -> dict[str, Fibre]:
    """The fibres by name."""
    fibres: dict[str, Fibre] = {}
    owners: dict[tuple[NodeName, str], str] = {}
    for name, table in tables.items():
        place = f"[fibre.{show_key(name)}]"
        if not name.isprintable() or not 1 <= len(name) <= FIBRE_NAME_LENGTH_MAX:
            raise ConfigurationError(
                f"{place}: not the name of a fibre; "
                f"expected 1 to {FIBRE_NAME_LENGTH_MAX} printable characters"
            )
        with within(f"{place} feature"):
            profile = find_profile(table.feature, table.link_gbps)
        with within(f"{place} chpid"):
            chpids = _by_node(table.chpid, nodes, parse_chpid)
            for node, chpid in zip(nodes, chpids, strict=True):
                _claim(owners, node, format_chpid(chpid), place)
        fibres[name] = Fibre(name, profile, chpids)
    return fibres


def _ctcs(tables: list[Any], fibres: Mapping[str, Fibre], nodes: _Nodes) -> tuple[CtcPair, ...]:
    """All CTCs, in the order of the file."""
    ctcs: list[CtcPair] = []
    owners: dict[tuple[NodeName, str], str] = {}
    for number, value in enumerate(tables, start=1):
        place = f"[[ctc]] #{number}"
        table = _table(value, CtcTable, place)
        if table.fibre not in fibres:
            raise ConfigurationError(
                f"{place} fibre: there is no [fibre.{show_key(table.fibre)}]; "
                f"expected one of {', '.join(map(show_key, fibres))}"
            )
        with within(f"{place} rdevs"):
            here, there = _by_node(table.rdevs, nodes, parse_rdevs)
            if len(here) != len(there):
                raise ConfigurationError(
                    f"{len(here)} at {nodes[0]} and {len(there)} at {nodes[1]}; "
                    "expected as many at one node as at the other"
                )
            for pair in zip(here, there, strict=True):
                ctcs.append(CtcPair(fibres[table.fibre], pair))
                for node, rdev in zip(nodes, pair, strict=True):
                    _claim(owners, node, format_rdev(rdev), place)
    if len(ctcs) > CTCS_MAX:
        raise ConfigurationError(
            f"[[ctc]] rdevs: {len(ctcs)} CTCs; expected at most {CTCS_MAX} in a logical link"
        )
    used = {ctc.fibre.name for ctc in ctcs}
    for name in fibres:
        if name not in used:
            raise ConfigurationError(
                f"[fibre.{show_key(name)}]: carries no CTC; expected a [[ctc]] that names it"
            )
    return tuple(ctcs)


def _claim(owners: dict[tuple[NodeName, str], str], node: NodeName, item: str, place: str) -> None:
    """Note that ``item`` at ``node`` belongs to the table at ``place``, and to no other."""
    owner = owners.setdefault((node, item), place)
    if owner != place:
        raise ConfigurationError(
            f"{item} at {node} is already in {owner}; expected it once in the file"
        )
