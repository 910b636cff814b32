"""Files of I/O configurations: TOML in, a checked `IoConfiguration` out.

::

    [channel.42]
    feature = "FICON Express16SA"   # or "zHyperLink Express", "OSA-Express7S 25 GbE", ...
    path = "far"                    # optional: a table [path.far]

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

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from ctc.address import format_chpid
from ctc.channel import find_channel
from ctc.errors import BadFeature
from ctc.profiles import find_profile
from isfc.errors import ConfigurationError
from isfc.io.configuration import (
    MTU_DEFAULT,
    OSA_FEATURES,
    ZHYPERLINK,
    Channel,
    FarPath,
    IoConfiguration,
    IoWorkload,
    Isl,
    Protocol,
    System,
)
from isfc.io.workloads import named_workload
from isfc.layout.checked_toml import convert, decode, read_bytes, show_key, within
from isfc.layout.file import parse_collection

_KM_MAX: Final = 10_000.0
_RATE_MAX: Final = 1e9
_IO_BYTES_MAX: Final = 1 << 30
_OUTSTANDING_MAX: Final = 100_000
_SAPS_MAX: Final = 128
"""What nobody has: above, a figure is a slip."""

_OF_NO_FICON: Final = frozenset(("mtu", "large_send"))
_OF_NO_ZHYPERLINK: Final = frozenset(("mtu", "large_send", "link_gbps", "encrypted"))
_OF_NO_OSA: Final = frozenset(("link_gbps", "encrypted", "path"))
"""Keys that say nothing of a channel of some feature."""

_CREDITS_MAX: Final = 65_535
_MTU_MIN: Final = 576
_MTU_MAX: Final = 9000

_Gbps = Annotated[float, Meta(ge=0.1, le=128)]
_Percent = Annotated[float, Meta(ge=0, le=100)]
_Count = Annotated[int, Meta(ge=1, le=_OUTSTANDING_MAX)]


class _Root(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    io: list[dict[str, Any]]
    channel: dict[str, Any] = {}
    path: dict[str, Any] = {}
    system: dict[str, Any] = {}
    fibre: dict[str, Any] = {}
    ctc: list[Any] = []
    link: list[Any] = []


class _ChannelTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    feature: str
    link_gbps: _Gbps | None = None
    encrypted: bool = False
    path: str | None = None
    system: str = ""
    mtu: Annotated[int, Meta(ge=_MTU_MIN, le=_MTU_MAX)] = MTU_DEFAULT
    large_send: bool = True


class _IslTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    gbps: _Gbps
    credits: Annotated[int, Meta(ge=1, le=_CREDITS_MAX)]
    count: Annotated[int, Meta(ge=1, le=256)] = 1


class _PathTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    km: Annotated[float, Meta(ge=0, le=_KM_MAX)]
    isl: Any = None


class _SystemTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    saps: Annotated[int, Meta(ge=1, le=_SAPS_MAX)] | None = None


class _IoTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    channels: Annotated[list[str], Meta(min_length=1)]
    workload: str | None = None
    protocol: Protocol = Protocol.ZHPF
    block: Annotated[int, Meta(ge=1, le=_IO_BYTES_MAX)] = 4096
    blocks: Annotated[int, Meta(ge=1, le=4096)] = 1
    read_percent: _Percent = 100.0
    rate: Annotated[float, Meta(gt=0, le=_RATE_MAX)] | None = None
    outstanding: _Count | None = None
    think_us: Annotated[float, Meta(ge=0, le=1e9)] = 0.0
    devices: _Count = 8
    cache_hit_percent: _Percent = 100.0
    system: str = ""


_EXPECTED: Final[Mapping[type, Mapping[str, str]]] = {
    _Root: {
        "io": "a table for each workload, headed [[io]]",
        "channel": "a table for each channel, such as [channel.42]",
        "path": "a table for each way to far storage, such as [path.far]",
        "system": "a table for each system, such as [system.ATLANTA]",
        "fibre": "a link's fibres, as in a layout",
        "ctc": "a link's CTCs, as in a layout",
        "link": "a collection's links, as in a layout",
    },
    _ChannelTable: {
        "feature": 'a feature in quotes, such as "FICON Express16SA"',
        "link_gbps": "Gb/s, a number from 0.1 to 128",
        "encrypted": "true or false",
        "path": 'the NAME of a table [path.NAME], in quotes, such as "far"',
        "system": 'the name of a system in quotes, such as "ATLANTA"',
        "mtu": f"bytes of an OSA's packet, from {_MTU_MIN} to {_MTU_MAX}",
        "large_send": "true or false",
    },
    _IslTable: {
        "gbps": "Gb/s, a number from 0.1 to 128",
        "credits": f"buffer credits of a port, from 1 to {_CREDITS_MAX}",
        "count": "how many inter-switch links side by side, from 1 to 256",
    },
    _PathTable: {
        "km": f"kilometres, a number from 0 to {_KM_MAX:g}",
        "isl": "inter-switch links, such as { count = 2, gbps = 16, credits = 960 }",
    },
    _SystemTable: {"saps": f"how many SAPs, from 1 to {_SAPS_MAX}"},
    _IoTable: {
        "name": "a name in quotes",
        "channels": 'a list of channels, such as ["42", "43"]',
        "workload": 'a named workload in quotes, such as "read-4k"',
        "protocol": f"one of {', '.join(Protocol)}",
        "block": f"bytes of a block, from 1 to {_IO_BYTES_MAX}",
        "blocks": "blocks in an I/O, from 1 to 4096",
        "read_percent": "a percentage, from 0 to 100",
        "rate": "I/Os a second, above 0",
        "outstanding": f"how many I/Os at the same time, from 1 to {_OUTSTANDING_MAX}",
        "think_us": "microseconds between an I/O and the next, from 0",
        "devices": f"how many devices, from 1 to {_OUTSTANDING_MAX}",
        "cache_hit_percent": "a percentage, from 0 to 100",
        "system": 'the name of a system in quotes, such as "ATLANTA"',
    },
}
"""What may stand in each table, in the words of an error message."""


def read_io_configuration(path: Path) -> IoConfiguration:
    """Read and check the I/O configuration at ``path``; raise `ConfigurationError` otherwise."""
    with within(str(path)):
        return _parse(read_bytes(path, "an I/O configuration"))


def parse_io_configuration(data: bytes, source: str) -> IoConfiguration:
    """Check ``data``, the content of a file; ``source`` is its name in messages."""
    with within(source):
        return _parse(data)


def _parse(data: bytes) -> IoConfiguration:
    root = convert(decode(data, "an I/O configuration"), _Root, "", _EXPECTED[_Root])
    if not root.io:
        raise ConfigurationError(f"io: none; expected {_EXPECTED[_Root]['io']}")
    paths = {name: _path(name, table) for name, table in root.path.items()}
    systems = {
        name: System(
            name,
            convert(
                table, _SystemTable, f"[system.{show_key(name)}]", _EXPECTED[_SystemTable]
            ).saps,
        )
        for name, table in root.system.items()
    }
    channels = {name: _channel(name, table, paths) for name, table in root.channel.items()}
    if root.fibre:
        channels |= _ridden(data, root.io, channels)
    workloads = tuple(
        _workload(number, table, channels) for number, table in enumerate(root.io, start=1)
    )
    _check_names(workloads)
    if systems and not root.fibre:
        _check_systems(systems, channels, workloads)
    return IoConfiguration(channels, systems, workloads)


def _ridden(
    data: bytes, tables: list[dict[str, Any]], channels: Mapping[str, Channel]
) -> dict[str, Channel]:
    """The chpids of the layout's fibres that disks use too."""
    found: dict[str, Channel] = {}
    fibres = [
        (node, format_chpid(chpid), fibre)
        for link in parse_collection(data).links
        for fibre in link.fibres
        for node, chpid in zip(link.nodes, fibre.chpids, strict=True)
    ]
    for number, table in enumerate(tables, start=1):
        wanted = table.get("channels", ())
        for name in wanted if isinstance(wanted, list) else ():
            owners = {
                node: fibre
                for node, chpid, fibre in fibres
                if chpid == name and table.get("system", node) == node
            }
            if name in channels or not owners:
                continue
            if len(owners) > 1:
                raise ConfigurationError(
                    f"[[io]] #{number} channels: {show_key(name)} is a chpid of "
                    f"{' and of '.join(owners)}; expected system, which says whose"
                )
            ((node, fibre),) = owners.items()
            profile = fibre.profile
            if (
                found.setdefault(
                    name, Channel(name, profile.feature, profile.link_gbps, system=node)
                ).system
                != node
            ):
                raise ConfigurationError(
                    f"[[io]] #{number} channels: {show_key(name)} of {found[name].system} carries "
                    f"disks too; expected disks of one system in a file"
                )
    return found


def _path(name: str, value: object) -> FarPath:
    place = f"[path.{show_key(name)}]"
    table = convert(value, _PathTable, place, _EXPECTED[_PathTable])
    if table.isl is None:
        return FarPath(name, table.km)
    isl = convert(table.isl, _IslTable, f"{place} isl", _EXPECTED[_IslTable])
    return FarPath(name, table.km, Isl(isl.count, isl.gbps, isl.credits))


def _channel(name: str, value: object, paths: Mapping[str, FarPath]) -> Channel:
    place = f"[channel.{show_key(name)}]"
    table = convert(value, _ChannelTable, place, _EXPECTED[_ChannelTable])
    assert isinstance(value, dict), "or it would not be converted"
    without = _OF_NO_OSA if table.feature in OSA_FEATURES else _OF_NO_ZHYPERLINK
    if table.feature not in (ZHYPERLINK, *OSA_FEATURES):
        without = _OF_NO_FICON
        with within(f"{place} feature"):
            most = find_profile(table.feature).link_gbps
        if table.link_gbps is not None and table.link_gbps > most:
            raise ConfigurationError(
                f"{place} link_gbps: {table.feature} runs at {most:g} Gb/s at most; "
                f"expected a number from 0.1 to {most:g}"
            )
    for key in value:
        if key in without:
            raise ConfigurationError(
                f"{place} {key}: says nothing of {table.feature}; expected no such key with it"
            )
    if table.path is not None and table.path not in paths:
        raise ConfigurationError(
            f"{place} path: there is no [path.{show_key(table.path)}]; expected one of "
            f"{', '.join(map(show_key, paths)) or 'the tables [path.NAME], of which there is none'}"
        )
    return Channel(
        chpid=name,
        feature=table.feature,
        link_gbps=table.link_gbps,
        encrypted=table.encrypted,
        path=None if table.path is None else paths[table.path],
        system=table.system,
        mtu_bytes=table.mtu,
        large_send=table.large_send,
    )


def _workload(number: int, value: dict[str, Any], channels: Mapping[str, Channel]) -> IoWorkload:
    place = f"[[io]] #{number}"
    named: Mapping[str, Any] = {}
    if isinstance(value.get("workload"), str):
        with within(f"{place} workload"):
            named = named_workload(value["workload"])
    table = convert({**named, **value}, _IoTable, place, _EXPECTED[_IoTable])
    for complaint in _misfits(table, channels):
        raise ConfigurationError(f"{place} {complaint}")
    return IoWorkload(
        name=table.name,
        channels=tuple(table.channels),
        protocol=table.protocol,
        block_bytes=table.block,
        blocks=table.blocks,
        read_percent=table.read_percent,
        rate_per_s=table.rate,
        outstanding=None if "rate" in value and "outstanding" not in value else table.outstanding,
        think_us=table.think_us,
        devices=table.devices,
        cache_hit_percent=table.cache_hit_percent,
        system=table.system,
    )


def _misfits(table: _IoTable, channels: Mapping[str, Channel]) -> Iterator[str]:
    """Where the channels of a workload do not fit it, the worst first."""
    for name in table.channels:
        if name not in channels:
            known = ", ".join(map(show_key, channels)) or "none"
            yield f"channels: there is no [channel.{show_key(name)}]; expected one of {known}"
    if len(set(table.channels)) != len(table.channels):
        yield "channels: names one twice; expected each once"
    used = [channels[name] for name in table.channels if name in channels]
    if table.protocol is Protocol.TCP:
        if not all(channel.is_osa for channel in used):
            yield 'channels: "tcp" uses an OSA; expected a channel with an OSA-Express feature'
    elif any(channel.is_osa for channel in used):
        yield f'protocol: an OSA carries no disk I/O; expected "{Protocol.TCP}"'
    elif table.protocol is Protocol.SYNCHRONOUS:
        if not any(channel.is_zhyperlink for channel in used):
            yield f'channels: expected one with the feature "{ZHYPERLINK}" among them'
    elif any(channel.is_zhyperlink for channel in used):
        yield f'protocol: {ZHYPERLINK} carries only "{Protocol.SYNCHRONOUS}" I/O'
    yield from _impossible(table, used)
    if table.rate is not None and table.think_us:
        yield "think_us: a rate says when I/Os begin; expected think_us with outstanding alone"
    if table.block * table.blocks > _IO_BYTES_MAX:
        yield f"blocks: more than {_IO_BYTES_MAX} bytes an I/O; expected fewer, or a smaller block"


def _impossible(table: _IoTable, used: list[Channel]) -> Iterator[str]:
    """What the feature of a channel cannot do."""
    if table.protocol not in (Protocol.ZHPF, Protocol.FCP):
        return
    for channel in used:
        if not channel.is_ficon:
            continue
        profile = find_channel(channel.feature)
        do = profile.transport_work if table.protocol is Protocol.ZHPF else profile.fcp_work
        try:
            do(table.block, is_read=True)
        except BadFeature as error:
            yield f"protocol: {error}"


def _check_systems(
    systems: Mapping[str, System],
    channels: Mapping[str, Channel],
    workloads: tuple[IoWorkload, ...],
) -> None:
    named = {f"[channel.{show_key(name)}]": each.system for name, each in channels.items()}
    named |= {f"[[io]] #{number}": each.system for number, each in enumerate(workloads, start=1)}
    for place, system in named.items():
        if system and system not in systems:
            raise ConfigurationError(
                f"{place} system: there is no [system.{show_key(system)}]; "
                f"expected one of {', '.join(map(show_key, systems))}"
            )


def _check_names(workloads: tuple[IoWorkload, ...]) -> None:
    seen: dict[str, int] = {}
    for number, workload in enumerate(workloads, start=1):
        if not workload.name.isprintable() or not 1 <= len(workload.name) <= 32:
            raise ConfigurationError(
                f"[[io]] #{number} name: expected 1 to 32 printable characters"
            )
        first = seen.setdefault(workload.name, number)
        if first != number:
            raise ConfigurationError(
                f"[[io]] #{number} name: {workload.name!r} is already [[io]] #{first}'s; "
                "expected each name once"
            )
