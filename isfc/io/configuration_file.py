"""Files of I/O configurations: TOML in, a checked `IoConfiguration` out.

::

    [channel.42]
    feature = "FICON Express16SA"   # or "zHyperLink Express", "OSA-Express7S 25 GbE", ...
    path = "far"                    # optional: a table [path.far]
    card = "A"                      # optional

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

The tables of cards, I/O interconnects and fanouts say which channels share them::

    [card.A]                        # two channels on each
    interconnect = "1"              # a PCIe interconnect leads to eight cards: an I/O domain

    [interconnect.1]
    fanout = "F"                    # a fanout to two interconnects

    [fanout.F]
    gb_per_s = 50                   # both ways together, if not as published
    gb_per_s_one_way = 40

Each table may be empty: then what was published holds (`isfc.io.machine`), for as many channels,
cards and interconnects as were published with it. GB are 10**9 bytes.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final

from msgspec.structs import replace

from ctc.features import find_profile
from isfc.errors import ConfigurationError
from isfc.io.configuration import (
    MTU_DEFAULT,
    OSA_FEATURES,
    ZHYPERLINK,
    IoChannel,
    IoConfiguration,
    IoWorkload,
    check_names,
    read_workload,
)
from isfc.io.machine import LEVELS, Ceiling, Trunk
from isfc.layout.checked_toml import convert, holds, no_table, show_key, within, words_of
from isfc.layout.collection import Collection
from isfc.layout.document import Document, Gbps, Root, TomlTable, parse_document, span
from isfc.layout.file import check_speed, collection_of, far_paths, find_path
from isfc.layout.layout import FarPath, Fibre

_SAPS_MAX: Final = 128
"""What nobody has: above, a figure is a slip."""

_OF_NO_FICON: Final = frozenset(("mtu", "large_send"))
_OF_NO_ZHYPERLINK: Final = frozenset(("mtu", "large_send", "link_gbps", "encrypted", "card"))
_OF_NO_OSA: Final = frozenset(("link_gbps", "encrypted", "path", "card"))
"""Keys that say nothing of a channel of some feature."""

_MTU_MIN: Final = 576
_MTU_MAX: Final = 9000


class _ChannelTable(TomlTable, frozen=True):
    feature: Annotated[str, holds('a feature in quotes, such as "FICON Express16SA"')]
    link_gbps: Gbps | None = None
    encrypted: Annotated[bool, holds("true or false")] = False
    path: Annotated[
        str | None, holds('the NAME of a table [path.NAME], in quotes, such as "far"')
    ] = None
    card: Annotated[
        str | None, holds('the NAME of a table [card.NAME], in quotes, such as "A"')
    ] = None
    system: Annotated[str, holds('the name of a system in quotes, such as "ATLANTA"')] = ""
    mtu: Annotated[int, span("bytes of an OSA's packet", _MTU_MIN, _MTU_MAX)] = MTU_DEFAULT
    large_send: Annotated[bool, holds("true or false")] = True


class _SystemTable(TomlTable, frozen=True):
    saps: Annotated[int, span("how many SAPs", 1, _SAPS_MAX)] | None = None


_GB_MIN: Final = 0.001
_GB_MAX: Final = 10_000.0
"""What nobody has: beyond these, a figure is a slip."""

_SPAN: Final = f"a number from {_GB_MIN:g} to {_GB_MAX:g}"


class _FanoutTable(TomlTable, frozen=True):
    gb_per_s: (
        Annotated[float, holds(f"GB/s both ways together, {_SPAN}", ge=_GB_MIN, le=_GB_MAX)] | None
    ) = None
    gb_per_s_one_way: (
        Annotated[float, holds(f"GB/s either way, {_SPAN}", ge=_GB_MIN, le=_GB_MAX)] | None
    ) = None


class _InterconnectTable(_FanoutTable, frozen=True):
    fanout: Annotated[str | None, holds("the NAME of a table [fanout.NAME], in quotes")] = None


class _CardTable(_FanoutTable, frozen=True):
    interconnect: Annotated[
        str | None, holds("the NAME of a table [interconnect.NAME], in quotes")
    ] = None


_TABLES: Final = ((_CardTable, "interconnect"), (_InterconnectTable, "fanout"), (_FanoutTable, ""))
"""Of `isfc.io.machine.LEVELS`: the table of each, and its key that leads up."""


def parse_io_configuration(data: bytes, source: str) -> IoConfiguration:
    """Check ``data``, the content of a file; ``source`` is its name in messages."""
    return io_configuration_of(parse_document(data, source))


def io_configuration_of(
    document: Document, collection: Collection | None = None
) -> IoConfiguration:
    """What a document says of channels and disks. Raises `ConfigurationError`.

    ``collection`` is what it says of links, if that is known already.
    """
    if collection is None and document.root.fibre:
        collection = collection_of(document)
    with within(document.source):
        return _configuration(document.root, collection)


def _configuration(root: Root, collection: Collection | None) -> IoConfiguration:
    if not root.io:
        none = "missing" if root.io is None else "none"
        raise ConfigurationError(f"io: {none}; expected {words_of(Root)['io']}")
    paths = far_paths(root)
    systems = {
        name: convert(table, _SystemTable, f"[system.{show_key(name)}]").saps
        for name, table in root.system.items()
    }
    channels = {name: _channel(name, table, paths) for name, table in root.channel.items()}
    cards = {name: table["card"] for name, table in root.channel.items() if "card" in table}
    if collection is not None:
        channels = _with_chpids(_fibres(collection), root.io, channels, cards)
    workloads = tuple(
        read_workload(number, table, channels) for number, table in enumerate(root.io, start=1)
    )
    check_names(workloads)
    nodes = frozenset[str]() if collection is None else frozenset(collection.systems)
    if systems or nodes:
        _check_systems(systems, nodes, channels, workloads)
    return IoConfiguration(channels, systems, workloads, tuple(_trunks(root, cards)))


def _trunks(root: Root, cards: Mapping[str, str]) -> Iterator[Trunk]:
    """The trunks of a file, those without channels left out; ``cards`` has the card of each chpid.

    Raises `ConfigurationError` for a bad table, a name that has none, or too much below one.
    """
    below, parents, above = "channel", cards, cards
    for (published, most), (kind, up) in zip(LEVELS, _TABLES, strict=True):
        level = published.level
        known = {
            name: convert(value, kind, f"[{level}.{show_key(name)}]")
            for name, value in getattr(root, level).items()
        }
        for child, name in parents.items():
            if name not in known:
                place = f"[{below}.{show_key(child)}] {level}"
                raise ConfigurationError(f"{place}: {no_table(level, name, known)}")
        for name, table in known.items():
            children = sum(parent == name for parent in parents.values())
            if children > most and not (table.gb_per_s or table.gb_per_s_one_way):
                raise ConfigurationError(
                    f"[{level}.{show_key(name)}]: has {children} {below}s; "
                    f"expected {most} at most, for which its ceilings were published, or "
                    "gb_per_s of its own"
                )
            if channels := tuple(chpid for chpid, at in above.items() if at == name):
                yield Trunk(name, _ceiling(published, table), channels)
        ups = {name: getattr(table, up, None) for name, table in known.items()}
        parents = {name: parent for name, parent in ups.items() if parent is not None}
        above = {chpid: parents[at] for chpid, at in above.items() if at in parents}
        below = level


def _ceiling(published: Ceiling, table: _FanoutTable) -> Ceiling:
    one_way, both = table.gb_per_s_one_way, table.gb_per_s
    return Ceiling(
        published.level,
        published.one_way_mb_per_s if one_way is None else 1e3 * one_way,
        published.mb_per_s if both is None else 1e3 * both,
    )


def _channel(name: str, value: object, paths: Mapping[str, FarPath]) -> IoChannel:
    place = f"[channel.{show_key(name)}]"
    table = convert(value, _ChannelTable, place)
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
    systems: Mapping[str, int | None],
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


_Fibres = Mapping[str, Mapping[str, Fibre]]
"""The fibres of a layout, by chpid and node.

``[[io]]`` names chpids as it names channels. A ``[channel.NAME]`` of the same system and chpid says
more of what the disks find there, such as the way to their storage; it may not say anything else
than the fibre does.
"""


def _fibres(collection: Collection) -> _Fibres:
    fibres: dict[str, dict[str, Fibre]] = {}
    for link, fibre, _ in collection.fibres():
        for node, chpid in zip(link.nodes, fibre.chpid_names, strict=True):
            fibres.setdefault(chpid, {})[node] = fibre
    return fibres


def _with_chpids(
    fibres: _Fibres,
    tables: Sequence[Mapping[str, Any]],
    channels: Mapping[str, IoChannel],
    cards: Mapping[str, str],
) -> dict[str, IoChannel]:
    """All channels of a layout's file: its own, and the chpids that its ``[[io]]`` name besides.

    ``channels`` are those that it says something of, ``cards`` has the card of each that is on one.
    Raises `ConfigurationError` where these and the fibres say different things.
    """
    found = {name: _agreeing(fibres, channel, name in cards) for name, channel in channels.items()}
    for place, name, system in _named(tables):
        owners = {
            node: fibre for node, fibre in fibres.get(name, {}).items() if system in (None, node)
        }
        if name in channels or not owners:
            continue
        node = _only(f"{place} channels", name, owners)
        profile = owners[node].profile
        channel = IoChannel(name, profile.feature, profile.link_gbps, system=node)
        if found.setdefault(name, channel).system != node:
            raise ConfigurationError(
                f"{place} channels: {show_key(name)} of {found[name].system} carries disks too; "
                "expected disks of one system in a file"
            )
    return found


def _named(tables: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str, Any]]:
    """Each name in ``channels`` of each ``[[io]]``, with its place and system (None if not said).

    The tables are not checked yet.
    """
    for number, table in enumerate(tables, start=1):
        wanted = table.get("channels", ())
        for name in wanted if isinstance(wanted, list) else ():
            if isinstance(name, str):
                yield f"[[io]] #{number}", name, table.get("system")


def _only(place: str, name: str, owners: Mapping[str, Fibre]) -> str:
    """The one node whose chpid is meant."""
    if len(owners) > 1:
        raise ConfigurationError(
            f"{place}: {show_key(name)} is a chpid of {' and of '.join(owners)}; "
            "expected system, which says whose"
        )
    return next(iter(owners))


def _agreeing(fibres: _Fibres, channel: IoChannel, on_card: bool) -> IoChannel:
    """A channel that the file has a table of, which belongs to a node if it is a chpid of one."""
    place = f"[channel.{show_key(channel.chpid)}]"
    owners = fibres.get(channel.chpid, {})
    if channel.system not in ("", *owners) or not owners:
        return channel
    node = channel.system or _only(place, channel.chpid, owners)
    fibre, profile = owners[node], owners[node].profile
    about = f"CTCs of [fibre.{show_key(fibre.name)}] use it at {node}"
    if channel.feature != profile.feature:
        raise ConfigurationError(
            f"{place} feature: {about}, on {profile.feature}; expected that, or a system of its own"
        )
    if channel.link_gbps not in (None, profile.link_gbps):
        raise ConfigurationError(
            f"{place} link_gbps: {about}, at {profile.link_gbps:g} Gb/s; expected no such key"
        )
    if on_card:
        raise ConfigurationError(
            f"{place} card: {about}, and no card counts what they move; expected no such key"
        )
    return replace(channel, link_gbps=profile.link_gbps, system=node)
