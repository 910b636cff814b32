"""Tables ``[[io]]`` of an I/O configuration: what is asked of its channels, checked.

The tables of cards, I/O interconnects and fanouts say which channels share them::

    [channel.42]
    feature = "FICON Express16SA"
    card = "A"                      # two channels on each

    [card.A]
    interconnect = "1"              # a PCIe interconnect leads to eight cards: an I/O domain

    [interconnect.1]
    fanout = "F"                    # a fanout to two interconnects

    [fanout.F]
    gb_per_s = 50                   # both ways together, if not as published
    gb_per_s_one_way = 40

Each table may be empty: then what was published holds (`isfc.io.bandwidth`), for as many channels,
cards and interconnects as were published with it. GB are 10**9 bytes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from ctc.errors import BadFeature
from ctc.features import find_channel
from isfc.errors import ConfigurationError
from isfc.io import bandwidth
from isfc.io.bandwidth import Ceiling
from isfc.io.configuration import ZHYPERLINK, IoChannel, IoWorkload, Protocol, Trunk
from isfc.io.mix import named_workload
from isfc.layout.checked_toml import convert, holds, no_table, show_key, within

_RATE_MAX: Final = 1e9
_IO_BYTES_MAX: Final = 1 << 30
_OUTSTANDING_MAX: Final = 100_000
_CPU_US_MAX: Final = 1e6
"""What nobody has: above, a figure is a slip."""

_Percent = Annotated[float, holds("a percentage, from 0 to 100", ge=0, le=100)]

_OUTSTANDING: Final = f"how many I/Os at the same time, from 1 to {_OUTSTANDING_MAX}"
_Outstanding = Annotated[int, holds(_OUTSTANDING, ge=1, le=_OUTSTANDING_MAX)]
_CPU_US: Final = f"microseconds of CPU for 2^20 bytes, above 0 and up to {_CPU_US_MAX:g}"
_CpuUs = Annotated[float, holds(_CPU_US, gt=0, le=_CPU_US_MAX)]


class _IoTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, holds("a name in quotes")]
    channels: Annotated[
        list[str],
        Meta(min_length=1, description='a list of channels, such as ["42", "43"]'),
    ]
    workload: Annotated[str | None, holds('a named workload in quotes, such as "read-4k"')] = None
    protocol: Annotated[Protocol, holds(f"one of {', '.join(Protocol)}")] = Protocol.ZHPF
    block_bytes: Annotated[
        int, holds(f"bytes of a block, from 1 to {_IO_BYTES_MAX}", ge=1, le=_IO_BYTES_MAX)
    ] = msgspec.field(default=4096, name="block")
    blocks: Annotated[int, holds("blocks in an I/O, from 1 to 4096", ge=1, le=4096)] = 1
    read_percent: _Percent = 100.0
    rate_per_s: Annotated[float, holds("I/Os a second, above 0", gt=0, le=_RATE_MAX)] | None = (
        msgspec.field(default=None, name="rate")
    )
    outstanding: _Outstanding | None = None
    think_us: Annotated[
        float, holds("microseconds between an I/O and the next, from 0", ge=0, le=1e9)
    ] = 0.0
    devices: Annotated[
        int, holds(f"how many devices, from 1 to {_OUTSTANDING_MAX}", ge=1, le=_OUTSTANDING_MAX)
    ] = 8
    cache_hit_percent: _Percent = 100.0
    system: Annotated[str, holds('the name of a system in quotes, such as "ATLANTA"')] = ""
    rejected_percent: _Percent | None = None
    cpu_us_per_mb: _CpuUs | None = None


def read_workload(
    number: int, value: dict[str, Any], channels: Mapping[str, IoChannel]
) -> IoWorkload:
    """The workload of table ``number`` of a file that has these channels.

    Raises `ConfigurationError` for what is wrong with it.
    """
    place = f"[[io]] #{number}"
    named: Mapping[str, Any] = {}
    if isinstance(value.get("workload"), str):
        with within(f"{place} workload"):
            named = named_workload(value["workload"])
    table = convert({**named, **value}, _IoTable, place)
    for complaint in _misfits(table, channels):
        raise ConfigurationError(f"{place} {complaint}")
    said = msgspec.structs.asdict(table)
    del said["workload"]
    said |= {"channels": (*table.channels,), "rejected_percent": table.rejected_percent or 0.0}
    if "rate" in value and "outstanding" not in value:  # a named workload's
        said["outstanding"] = None
    return IoWorkload(**said)


def _misfits(table: _IoTable, channels: Mapping[str, IoChannel]) -> Iterator[str]:
    """Where the channels of a workload do not fit it, the worst first."""
    for name in table.channels:
        if name not in channels:
            yield f"channels: {no_table('channel', name, channels)}"
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
    yield from _says_nothing(table)
    yield from _impossible(table, used)
    if table.rate_per_s is not None and table.think_us:
        yield "think_us: a rate says when I/Os begin; expected think_us with outstanding alone"
    if table.block_bytes * table.blocks > _IO_BYTES_MAX:
        yield f"blocks: more than {_IO_BYTES_MAX} bytes an I/O; expected fewer, or a smaller block"


def _says_nothing(table: _IoTable) -> Iterator[str]:
    """Keys that belong to another protocol."""
    for key, value, protocol in (
        ("rejected_percent", table.rejected_percent, Protocol.SYNCHRONOUS),
        ("cpu_us_per_mb", table.cpu_us_per_mb, Protocol.TCP),
    ):
        if value is not None and table.protocol is not protocol:
            yield (
                f'{key}: says nothing of "{table.protocol}"; expected no such key, or '
                f'protocol = "{protocol}"'
            )


def _impossible(table: _IoTable, used: list[IoChannel]) -> Iterator[str]:
    """What the feature of a channel cannot do."""
    if table.protocol not in (Protocol.ZHPF, Protocol.FCP):
        return
    for channel in used:
        if not channel.is_ficon:
            continue
        profile = find_channel(channel.feature)
        do = profile.transport_work if table.protocol is Protocol.ZHPF else profile.fcp_work
        try:
            do(table.block_bytes, is_read=True)
        except BadFeature as error:
            yield f"protocol: {error}"


def check_names(workloads: tuple[IoWorkload, ...]) -> None:
    """Raise `ConfigurationError` for a bad name, or one that two workloads have."""
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


_GB_MIN: Final = 0.001
_GB_MAX: Final = 10_000.0
"""What nobody has: beyond these, a figure is a slip."""

_SPAN: Final = f"a number from {_GB_MIN:g} to {_GB_MAX:g}"


class _FanoutTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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


@dataclass(frozen=True, slots=True)
class _Kind:
    """One level: its table, the key that leads up from it, and how much is below it, as published.

    ``below`` says what that is, in the words of an error message.
    """

    ceiling: Ceiling
    table: type[_FanoutTable]
    up: str | None
    below: str
    below_max: int


_KINDS: Final = (
    _Kind(bandwidth.CARD, _CardTable, "interconnect", "channels", bandwidth.CHANNELS_OF_CARD),
    _Kind(
        bandwidth.INTERCONNECT,
        _InterconnectTable,
        "fanout",
        "cards",
        bandwidth.CARDS_OF_INTERCONNECT,
    ),
    _Kind(bandwidth.FANOUT, _FanoutTable, None, "interconnects", bandwidth.INTERCONNECTS_OF_FANOUT),
)
"""From the channel up."""

Tables = Mapping[str, Mapping[str, Any]]
"""The tables of each level, by level and name."""


def read_trunks(tables: Tables, cards: Mapping[str, str]) -> Iterator[Trunk]:
    """The trunks of a file, those without channels left out; ``cards`` has the card of each chpid.

    Raises `ConfigurationError` for a bad table, a name that has none, or too much below one.
    """
    parents: Mapping[str, str] = cards
    places = {chpid: f"[channel.{show_key(chpid)}]" for chpid in cards}
    above: dict[str, str] = dict(cards)
    for kind in _KINDS:
        level = kind.ceiling.level
        known = {
            name: convert(value, kind.table, f"[{level}.{show_key(name)}]")
            for name, value in tables[level].items()
        }
        for child, name in parents.items():
            if name not in known:
                raise ConfigurationError(f"{places[child]} {level}: {no_table(level, name, known)}")
        found: dict[str, str] = {}
        for name, table in known.items():
            children = sum(parent == name for parent in parents.values())
            if children > kind.below_max and not (table.gb_per_s or table.gb_per_s_one_way):
                raise ConfigurationError(
                    f"[{level}.{show_key(name)}]: has {children} {kind.below}; "
                    f"expected {kind.below_max} at most, "
                    "for which its ceilings were published, or gb_per_s of its own"
                )
            channels = tuple(chpid for chpid, at in above.items() if at == name)
            if channels:
                yield Trunk(name, _ceiling(kind.ceiling, table), channels)
            up = getattr(table, kind.up) if kind.up else None
            if up is not None:
                found[name] = up
        places = {name: f"[{level}.{show_key(name)}]" for name in found}
        above = {chpid: found[at] for chpid, at in above.items() if at in found}
        parents = found


def _ceiling(published: Ceiling, table: _FanoutTable) -> Ceiling:
    one_way, both = table.gb_per_s_one_way, table.gb_per_s
    return Ceiling(
        published.level,
        published.one_way_mb_per_s if one_way is None else 1e3 * one_way,
        published.mb_per_s if both is None else 1e3 * both,
    )
