"""Files of I/O configurations: TOML in, a checked `IoConfiguration` out.

::

    [channel.42]
    feature = "FICON Express16SA"   # or "zHyperLink Express", "OSA-Express7S 25 GbE", ...
    path = "far"                    # optional: a table [path.far]
    card = "A"                      # optional: see `isfc.io.io_table`

    [path.far]
    km = 100
    isl = { count = 2, gbps = 16, credits = 960 }

    [[io]]
    name = "oltp"
    workload = "read-4k"            # optional: a named workload, whose keys these override
    channels = ["42"]
    rate = 20000                    # or outstanding = 32, or both: at most so many at a time;
                                    # neither: as much as it carries

The same tables may stand in a link's layout: ``channels`` then also names chpids of fibres, and
``system`` says of which node.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from ctc.profiles import find_profile
from isfc.errors import ConfigurationError
from isfc.io.configuration import (
    MTU_DEFAULT,
    OSA_FEATURES,
    ZHYPERLINK,
    IoChannel,
    IoConfiguration,
    IoSystem,
    IoWorkload,
)
from isfc.io.io_table import check_names, read_trunks, read_workload
from isfc.io.shared_chpids import find_shared_chpids, with_shared_chpids
from isfc.layout.checked_toml import convert, no_table, read_bytes, show_key, within
from isfc.layout.collection import Collection
from isfc.layout.document import EXPECTED, Document, Gbps, Root, parse_document
from isfc.layout.file import check_speed, collection_of, far_paths, find_path
from isfc.layout.path import FarPath

_SAPS_MAX: Final = 128
"""What nobody has: above, a figure is a slip."""

_OF_NO_FICON: Final = frozenset(("mtu", "large_send"))
_OF_NO_ZHYPERLINK: Final = frozenset(("mtu", "large_send", "link_gbps", "encrypted", "card"))
_OF_NO_OSA: Final = frozenset(("link_gbps", "encrypted", "path", "card"))
"""Keys that say nothing of a channel of some feature."""

_MTU_MIN: Final = 576
_MTU_MAX: Final = 9000


class _ChannelTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    feature: str
    link_gbps: Gbps | None = None
    encrypted: bool = False
    path: str | None = None
    card: str | None = None
    system: str = ""
    mtu: Annotated[int, Meta(ge=_MTU_MIN, le=_MTU_MAX)] = MTU_DEFAULT
    large_send: bool = True


class _SystemTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    saps: Annotated[int, Meta(ge=1, le=_SAPS_MAX)] | None = None


_EXPECTED: Final[Mapping[type, Mapping[str, str]]] = {
    _ChannelTable: {
        "feature": 'a feature in quotes, such as "FICON Express16SA"',
        "link_gbps": "Gb/s, a number from 0.1 to 128",
        "encrypted": "true or false",
        "path": 'the NAME of a table [path.NAME], in quotes, such as "far"',
        "card": 'the NAME of a table [card.NAME], in quotes, such as "A"',
        "system": 'the name of a system in quotes, such as "ATLANTA"',
        "mtu": f"bytes of an OSA's packet, from {_MTU_MIN} to {_MTU_MAX}",
        "large_send": "true or false",
    },
    _SystemTable: {"saps": f"how many SAPs, from 1 to {_SAPS_MAX}"},
}
"""What may stand in each table, in the words of an error message."""


def read_io_configuration(path: Path) -> IoConfiguration:
    """Read and check the I/O configuration at ``path``; raise `ConfigurationError` otherwise."""
    with within(str(path)):
        data = read_bytes(path, "an I/O configuration")
    return parse_io_configuration(data, str(path))


def parse_io_configuration(data: bytes, source: str) -> IoConfiguration:
    """Check ``data``, the content of a file; ``source`` is its name in messages."""
    return io_configuration_of(parse_document(data, source))


def io_configuration_of(
    document: Document, collection: Collection | None = None
) -> IoConfiguration:
    """What a document says of channels and disks. Raises `ConfigurationError`.

    ``collection`` is what it says of links, if that is known already.
    """
    if collection is None and document.fibres:
        collection = collection_of(document)
    with within(document.source):
        return _configuration(document, collection)


def _configuration(document: Document, collection: Collection | None) -> IoConfiguration:
    root = document.root
    if root.io is None:
        raise ConfigurationError(f"io: missing; expected {EXPECTED[Root]['io']}")
    if not root.io:
        raise ConfigurationError(f"io: none; expected {EXPECTED[Root]['io']}")
    paths = far_paths(document)
    systems = {
        name: IoSystem(
            name,
            convert(
                table, _SystemTable, f"[system.{show_key(name)}]", _EXPECTED[_SystemTable]
            ).saps,
        )
        for name, table in root.system.items()
    }
    channels = {name: _channel(name, table, paths) for name, table in root.channel.items()}
    cards = {name: table["card"] for name, table in root.channel.items() if "card" in table}
    shared = None if collection is None else find_shared_chpids(collection)
    if shared:
        channels = with_shared_chpids(shared, root.io, channels, cards)
    workloads = tuple(
        read_workload(number, table, channels) for number, table in enumerate(root.io, start=1)
    )
    check_names(workloads)
    nodes = shared.nodes if shared else frozenset[str]()
    if systems or nodes:
        _check_systems(systems, nodes, channels, workloads)
    trunks = read_trunks(
        {"card": root.card, "interconnect": root.interconnect, "fanout": root.fanout},
        cards,
    )
    return IoConfiguration(channels, systems, workloads, trunks)


def _channel(name: str, value: object, paths: Mapping[str, FarPath]) -> IoChannel:
    place = f"[channel.{show_key(name)}]"
    table = convert(value, _ChannelTable, place, _EXPECTED[_ChannelTable])
    assert isinstance(value, dict), "or it would not be converted"
    feature = table.feature
    without = _OF_NO_OSA if table.feature in OSA_FEATURES else _OF_NO_ZHYPERLINK
    if table.feature not in (ZHYPERLINK, *OSA_FEATURES):
        without = _OF_NO_FICON
        with within(f"{place} feature"):
            feature = find_profile(table.feature).feature
        check_speed(place, feature, table.link_gbps)
    for key in value:
        if key in without:
            raise ConfigurationError(
                f"{place} {key}: says nothing of {table.feature}; expected no such key with it"
            )
    return IoChannel(
        chpid=name,
        feature=feature,
        link_gbps=table.link_gbps,
        encrypted=table.encrypted,
        path=find_path(place, table.path, paths),
        system=table.system,
        mtu_bytes=table.mtu,
        large_send=table.large_send,
    )


def _check_systems(
    systems: Mapping[str, IoSystem],
    nodes: frozenset[str],
    channels: Mapping[str, IoChannel],
    workloads: tuple[IoWorkload, ...],
) -> None:
    """Every system that is named is one of the file's, or a node of its links."""
    named = {f"[channel.{show_key(name)}]": each.system for name, each in channels.items()}
    named |= {f"[[io]] #{number}": each.system for number, each in enumerate(workloads, start=1)}
    for place, system in named.items():
        if system and system not in systems and system not in nodes:
            known = [*systems, *sorted(nodes - {*systems})]
            raise ConfigurationError(f"{place} system: {no_table('system', system, known)}")
    for name in systems if nodes else ():
        if name not in nodes and name not in named.values():
            raise ConfigurationError(
                f"[system.{show_key(name)}]: nothing is of this system; expected one of "
                f"{', '.join(sorted(nodes))}, or one that a channel or an [[io]] names"
            )
