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
from typing import Annotated, Any, Final

from msgspec.structs import replace

from ctc.channel import BadFeature
from ctc.features import find_channel
from isfc.errors import ConfigurationError
from isfc.io import bandwidth
from isfc.io.bandwidth import Ceiling
from isfc.io.configuration import IO_BYTES_MAX, ZHYPERLINK, IoChannel, IoWorkload, Protocol, Trunk
from isfc.io.demand import work_of
from isfc.io.mix import named_workload
from isfc.layout.checked_toml import convert, holds, no_table, show_key, within
from isfc.layout.document import Root, Table


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
    workload = convert({**named, **value}, IoWorkload, place)
    for complaint in _misfits(workload, channels):
        raise ConfigurationError(f"{place} {complaint}")
    if "rate" in value and "outstanding" not in value:  # a named workload's
        return replace(workload, outstanding=None)
    return workload


def _misfits(asked: IoWorkload, channels: Mapping[str, IoChannel]) -> Iterator[str]:
    """Where the channels of a workload do not fit it, the worst first."""
    for name in asked.channels:
        if name not in channels:
            yield f"channels: {no_table('channel', name, channels)}"
    if len(set(asked.channels)) != len(asked.channels):
        yield "channels: names one twice; expected each once"
    used = [channels[name] for name in asked.channels if name in channels]
    if asked.protocol is Protocol.TCP:
        if not all(channel.is_osa for channel in used):
            yield 'channels: "tcp" uses an OSA; expected a channel with an OSA-Express feature'
    elif any(channel.is_osa for channel in used):
        yield f'protocol: an OSA carries no disk I/O; expected "{Protocol.TCP}"'
    elif asked.protocol is Protocol.SYNCHRONOUS:
        if not any(channel.is_zhyperlink for channel in used):
            yield f'channels: expected one with the feature "{ZHYPERLINK}" among them'
    elif any(channel.is_zhyperlink for channel in used):
        yield f'protocol: {ZHYPERLINK} carries only "{Protocol.SYNCHRONOUS}" I/O'
    yield from _says_nothing(asked)
    yield from _impossible(asked, used)
    if asked.rate_per_s is not None and asked.think_us:
        yield "think_us: a rate says when I/Os begin; expected think_us with outstanding alone"
    if asked.io_bytes > IO_BYTES_MAX:
        yield f"blocks: more than {IO_BYTES_MAX} bytes an I/O; expected fewer, or a smaller block"


def _says_nothing(asked: IoWorkload) -> Iterator[str]:
    """Keys that belong to another protocol."""
    for key, value, protocol in (
        ("rejected_percent", asked.rejected_percent, Protocol.SYNCHRONOUS),
        ("cpu_us_per_mb", asked.cpu_us_per_mb, Protocol.TCP),
    ):
        if value is not None and asked.protocol is not protocol:
            yield (
                f'{key}: says nothing of "{asked.protocol}"; expected no such key, or '
                f'protocol = "{protocol}"'
            )


def _impossible(asked: IoWorkload, used: list[IoChannel]) -> Iterator[str]:
    """What the feature of a channel cannot do."""
    if asked.protocol not in (Protocol.ZHPF, Protocol.FCP):
        return
    for channel in used:
        if not channel.is_ficon:
            continue
        try:
            work_of(find_channel(channel.feature), asked.protocol)(asked.block_bytes, is_read=True)
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


class _FanoutTable(Table, frozen=True):
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
"""Of `isfc.io.bandwidth.LEVELS`: the table of each, and its key that leads up."""


def read_trunks(root: Root, cards: Mapping[str, str]) -> Iterator[Trunk]:
    """The trunks of a file, those without channels left out; ``cards`` has the card of each chpid.

    Raises `ConfigurationError` for a bad table, a name that has none, or too much below one.
    """
    below, parents, above = "channel", cards, cards
    for (published, most), (kind, up) in zip(bandwidth.LEVELS, _TABLES, strict=True):
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
