"""A mix: what is asked of the channels of a system, whatever it was read from.

From an I/O configuration, or from an interval of an RMF report. MB are 10**6 bytes.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from ctc.bandwidth import Ceiling, Traffic
from ctc.channel import CHANNELS
from ctc.sap import iop_threads
from isfc.errors import ConfigurationError
from isfc.io.configuration import IoConfiguration, IoWorkload, Protocol
from isfc.io.rmf import WHOLE_SYSTEM, ChannelLine, DeviceLine, Interval

DEVICE_BLOCK_LENGTH: Final = 4096
"""Bytes of an I/O where a report has none, as that of devices; `mix_of_interval` takes others."""


@dataclass(frozen=True, slots=True)
class Load:
    """I/Os of one kind: so many a second, of ``io_bytes`` each.

    ``read_share`` of them read, ``command_share`` are in command mode and the others in transport
    mode, ``cache_hit`` are in the storage's cache, ``rejected`` are turned away by the control unit
    of a zHyperLink; all from 0 to 1.
    """

    name: str
    io_per_s: float
    io_bytes: int
    read_share: float = 1.0
    command_share: float = 0.0
    cache_hit: float = 1.0
    rejected: float = 0.0

    @property
    def mb_per_s(self) -> float:
        """Both directions together."""
        return self.io_per_s * self.io_bytes / 1e6


@dataclass(frozen=True, slots=True)
class Room:
    """All cards, all interconnects or all fanouts that there are: ``count``, and what they carry.

    ``ceiling`` is that of all of them, evenly used.
    """

    count: int
    ceiling: Ceiling


@dataclass(frozen=True, slots=True)
class Mix:
    """Loads that channels share; ``saps`` is None where nothing is said of them.

    ``rooms`` are what all channels share, where that is known. ``notes`` say what was assumed or
    left out; ``system`` is its name if it has one.
    """

    name: str
    loads: tuple[Load, ...]
    saps: int | None = None
    notes: tuple[str, ...] = ()
    system: str = ""
    rooms: tuple[Room, ...] = ()

    @property
    def io_per_s(self) -> float:
        """All I/Os a second."""
        return sum(load.io_per_s for load in self.loads)

    @property
    def read_mb_per_s(self) -> float:
        """What is read."""
        return sum(load.mb_per_s * load.read_share for load in self.loads)

    @property
    def write_mb_per_s(self) -> float:
        """What is written."""
        return sum(load.mb_per_s * (1 - load.read_share) for load in self.loads)

    @property
    def traffic(self) -> Traffic:
        """The data of all loads."""
        return Traffic(self.read_mb_per_s, self.write_mb_per_s)

    def grown(self, percent: float) -> "Mix":
        """The same mix, ``percent`` more of it."""
        factor = 1 + percent / 100
        loads = tuple(replace(one, io_per_s=one.io_per_s * factor) for one in self.loads)
        return replace(self, loads=loads)


def mix_of_configuration(configuration: IoConfiguration, name: str) -> Mix:
    """What the workloads of a configuration ask for.

    Raises `ConfigurationError` for a workload without a rate: how much it takes depends on the
    channels that are to be chosen. Streams over an OSA are left out.
    """
    disks = [one for one in configuration.workloads if one.protocol is not Protocol.TCP]
    left_out = len(configuration.workloads) - len(disks)
    if not disks:
        raise ConfigurationError(f"{name}: [[io]]: asks no channel for disk I/O; expected some")
    saps = [system.saps for system in configuration.systems.values() if system.saps is not None]
    return Mix(
        name,
        tuple(_load_of_workload(workload, name) for workload in disks),
        sum(saps) if saps else None,
        (f"{left_out} streams over OSAs are left out.",) if left_out else (),
        rooms=tuple(_rooms(configuration)),
    )


def _rooms(configuration: IoConfiguration) -> Iterator[Room]:
    """The levels that all FICON channels of the file are below: nothing passes by them."""
    ficon = [channel.chpid for channel in configuration.channels.values() if channel.is_ficon]
    for level, group in groupby(configuration.trunks, key=lambda trunk: trunk.ceiling.level):
        trunks = list(group)
        if sum(len(trunk.channels) for trunk in trunks) == len(ficon):
            one_way = sum(trunk.ceiling.one_way_mb_per_s for trunk in trunks)
            both = sum(trunk.ceiling.mb_per_s for trunk in trunks)
            yield Room(len(trunks), Ceiling(level, one_way, both))


def _load_of_workload(workload: IoWorkload, source: str) -> Load:
    if workload.rate_per_s is None:
        raise ConfigurationError(
            f"{source}: [[io]] {workload.name!r} rate: missing; expected I/Os a second, as the "
            "others depend on the channels that are to be chosen"
        )
    return Load(
        name=workload.name,
        io_per_s=workload.rate_per_s,
        io_bytes=workload.io_bytes,
        read_share=workload.read_share,
        command_share=1.0 if workload.protocol is Protocol.FICON else 0.0,
        cache_hit=workload.cache_hit_percent / 100,
        rejected=workload.rejected_percent / 100,
    )


def mix_of_interval(
    interval: Interval,
    *,
    device_block: int = DEVICE_BLOCK_LENGTH,
    device_read_share: float = 1.0,
) -> Mix:
    """What an interval of an RMF report asks for: by channel, or by LCU if it has devices only.

    The report on devices says nothing of bytes and directions, hence ``device_block`` and
    ``device_read_share``. Raises `ConfigurationError` if nothing was going on.
    """
    if interval.channels:
        loads = [_load_of_channel(line) for line in interval.channels if line.io_per_s]
        notes = (_reported(interval.channels),)
    else:
        loads = list(_loads_of_devices(interval.devices, device_block, device_read_share))
        assumed = f"{device_block} bytes an I/O, {device_read_share:.0%} reads, all zHPF"
        notes = (f"The report has no bytes and directions: assumed {assumed}.",)
    if not loads:
        raise ConfigurationError(
            f"{interval.name}: has no I/O of FICON channels or devices; expected Channel Path "
            "Activity or Direct Access Device Activity"
        )
    return Mix(interval.name, tuple(loads), _saps(interval), notes, interval.system)


def _saps(interval: Interval) -> int | None:
    """How many SAPs have the IOPs of a report; None if it has no IOPs."""
    iops = sum(line.iop != WHOLE_SYSTEM for line in interval.iops)
    return next((saps for saps in range(1, iops + 1) if iop_threads(saps) >= iops), None)


def _reported(channels: Sequence[ChannelLine]) -> str:
    """What the channels of the report are, and how busy they were."""
    known = Counter(feature for line in channels if (feature := _feature(line)))
    features = ", ".join(f"{count} {feature}" for feature, count in known.items())
    unknown = len(channels) - known.total()
    parts = [*([features] if features else []), *([f"{unknown} unknown"] if unknown else [])]
    busiest = (
        f"{name} up to {max(figures):g} %"
        for name, figures in (
            ("processor", [line.processor_percent or 0.0 for line in channels]),
            ("bus", [line.bus_percent or 0.0 for line in channels]),
        )
    )
    return f"Now on {', '.join(parts)}: {', '.join(busiest)}."


def _feature(line: ChannelLine) -> str | None:
    """The feature that a code of RMF's column G stands for; None if there is none, or it is new."""
    return next(
        (
            profile.feature
            for profile in CHANNELS.values()
            if line.generation
            and int(line.generation, 16) in (*profile.generations.values(), profile.fec_generation)
        ),
        None,
    )


def _load_of_channel(line: ChannelLine) -> Load:
    """A channel's average I/O. RMF has no count of reads: their share is that of their bytes."""
    read, write = line.read_mb_per_s or 0.0, line.write_mb_per_s or 0.0
    moved = read + write
    return Load(
        name=line.chpid,
        io_per_s=line.io_per_s,
        io_bytes=max(1, round(moved * 1e6 / line.io_per_s)),
        read_share=read / moved if moved else 1.0,
        command_share=(line.ficon_io_per_s or 0.0) / line.io_per_s,
    )


def _loads_of_devices(devices: Sequence[DeviceLine], block: int, read_share: float) -> list[Load]:
    ordered = sorted(devices, key=lambda line: line.lcu)
    rates = {
        lcu: sum(line.io_per_s for line in lines)
        for lcu, lines in groupby(ordered, key=lambda line: line.lcu)
    }
    return [Load(lcu, rate, block, read_share) for lcu, rate in rates.items() if rate]
