"""A mix: what is asked of the channels of a system, whatever it was read from.

From an I/O configuration, or from an interval of an RMF report. MB are 10**6 bytes.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct, structs

from ctc.features import feature_of_code
from isfc.errors import ConfigurationError
from isfc.errors.in_words import first_listed, grouped, number
from isfc.io.configuration import IoConfiguration, IoWorkload, Protocol
from isfc.io.machine import Ceiling, DataRates, iop_threads
from isfc.io.rmf_channels import ChannelLine
from isfc.io.rmf_lines import LINES_MISSING, WHOLE_SYSTEM, RmfInterval
from isfc.io.rmf_text import PassedOver
from isfc.layout.layout import FarPath

DEVICE_BLOCK_LENGTH: Final = 4096
"""Bytes of an I/O where a report has none, as that of devices; `mix_of_interval` takes others."""

_NAMED_MAX: Final = 6
"""Channels or devices that a note names."""


class IoLoad(Struct, frozen=True):
    """I/Os of one kind: so many a second, of ``io_bytes`` each.

    ``read_share`` of them read, ``cache_hit`` are in the storage's cache, ``rejected`` are turned
    away by the control unit of a zHyperLink; all from 0 to 1.
    """

    name: str
    io_per_s: float
    io_bytes: int
    read_share: float = 1.0
    cache_hit: float = 1.0
    rejected: float = 0.0

    @property
    def mb_per_s(self) -> float:
        """Both directions together."""
        return self.io_per_s * self.io_bytes / 1e6


class Room(Struct, frozen=True):
    """All cards, all interconnects or all fanouts that there are: ``count``, and what they carry.

    ``ceiling`` is that of all of them, evenly used.
    """

    count: int
    ceiling: Ceiling


class Mix(Struct, frozen=True):
    """Loads that channels share; ``saps`` is None where nothing is said of them.

    ``rooms`` are what all channels share, where that is known. ``notes`` say what was assumed or
    left out; ``unmeasured`` are the chpids whose load is missing, so that the mix is not all there
    is. ``system`` is its name if it has one, ``km`` how far the storage is if that is known.
    """

    name: str
    loads: tuple[IoLoad, ...]
    saps: int | None = None
    notes: tuple[str, ...] = ()
    system: str = ""
    rooms: tuple[Room, ...] = ()
    unmeasured: tuple[str, ...] = ()
    km: float | None = None
    account: str = ""
    """What became of each line of the report that it was read from."""

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
    def traffic(self) -> DataRates:
        """The data of all loads."""
        return DataRates(self.read_mb_per_s, self.write_mb_per_s)

    def grown(self, percent: float) -> "Mix":
        """The same mix, ``percent`` more of it."""
        factor = 1 + percent / 100
        loads = tuple(structs.replace(one, io_per_s=one.io_per_s * factor) for one in self.loads)
        return structs.replace(self, loads=loads)


def mix_of_configuration(configuration: IoConfiguration, name: str) -> Mix:
    """What the workloads of a configuration ask for.

    Raises `ConfigurationError` for a workload without a rate: how much it takes depends on the
    channels that are to be chosen. Streams over an OSA are left out.
    """
    disks = [one for one in configuration.workloads if one.protocol is not Protocol.TCP]
    if not disks:
        raise ConfigurationError(f"{name}: [[io]]: asks no channel for disk I/O; expected some")
    saps = [each for each in configuration.systems.values() if each is not None]
    return Mix(
        name,
        tuple(_load_of_workload(workload, name) for workload in disks),
        sum(saps) if saps else None,
        tuple(_notes(configuration)),
        rooms=tuple(_rooms(configuration)),
        km=max((path.km for path in _paths(configuration)), default=None),
    )


def _paths(configuration: IoConfiguration) -> tuple[FarPath, ...]:
    """The paths that channels of the file take, each once."""
    paths = (channel.path for channel in configuration.channels.values())
    return tuple(dict.fromkeys(path for path in paths if path is not None))


def _notes(configuration: IoConfiguration) -> Iterator[str]:
    """What a sizing does not take as the file has it."""
    left_out = sum(one.protocol is Protocol.TCP for one in configuration.workloads)
    if left_out:
        yield f"{left_out} streams over OSAs are left out."
    for protocol in (Protocol.FCP, Protocol.SYNCHRONOUS):
        names = [one.name for one in configuration.workloads if one.protocol is protocol]
        if names:
            yield f"Sized as zHPF, not as {protocol.value}: {first_listed(names, _NAMED_MAX)}."
    joined = [path for path in _paths(configuration) if path.isl is not None]
    if joined:
        named = first_listed([path.name for path in joined], _NAMED_MAX)
        yield f"The inter-switch links of path {named} are not taken: they are sized as well."


def _rooms(configuration: IoConfiguration) -> Iterator[Room]:
    """The levels that all FICON channels of the file are below: nothing passes by them."""
    ficon = [channel.chpid for channel in configuration.channels.values() if channel.is_ficon]
    for level, group in groupby(configuration.trunks, key=lambda trunk: trunk.ceiling.level):
        trunks = list(group)
        if sum(len(trunk.channels) for trunk in trunks) == len(ficon):
            one_way = sum(trunk.ceiling.one_way_mb_per_s for trunk in trunks)
            both = sum(trunk.ceiling.mb_per_s for trunk in trunks)
            yield Room(len(trunks), Ceiling(level, one_way, both))


def _load_of_workload(workload: IoWorkload, source: str) -> IoLoad:
    if workload.rate_per_s is None:
        raise ConfigurationError(
            f"{source}: [[io]] {workload.name!r} rate: missing; expected I/Os a second, as the "
            "others depend on the channels that are to be chosen"
        )
    return IoLoad(
        name=workload.name,
        io_per_s=workload.rate_per_s,
        io_bytes=workload.io_bytes,
        read_share=workload.read_share,
        cache_hit=workload.cache_hit_percent / 100,
        rejected=workload.rejected,
    )


def mix_of_interval(
    interval: RmfInterval,
    *,
    device_block: int = DEVICE_BLOCK_LENGTH,
    device_read_share: float = 1.0,
) -> Mix:
    """What an interval of an RMF report asks for: by channel, or by LCU if it has devices only.

    The report on devices says nothing of bytes and directions, hence ``device_block`` and
    ``device_read_share``. A channel whose rates or bytes RMF could not measure is no load, and is
    named. Raises `ConfigurationError` if nothing is left.
    """
    unmeasured = tuple(line.chpid for line in interval.channels if not line.has_load)
    if interval.channels:
        measured = [line for line in interval.channels if line.has_load]
        loads = [_load_of_channel(line) for line in measured if line.io_per_s]
        notes = tuple(_reported(interval.channels))
    else:
        lcus = sorted(grouped((line.lcu, line.io_per_s) for line in interval.devices).items())
        loads = [
            IoLoad(lcu, sum(rates), device_block, device_read_share)
            for lcu, rates in lcus
            if sum(rates)
        ]
        assumed = (
            f"{device_block} bytes an I/O, {number(100 * device_read_share)} % reads, all zHPF"
        )
        notes = (f"The report has no bytes and directions: assumed {assumed}.",)
    if not loads:
        raise _nothing(interval, unmeasured)
    notes += tuple(_left_out(interval.passed_over))
    saps = _saps(interval)
    return Mix(
        *(interval.name, tuple(loads), saps, notes, interval.system),
        unmeasured=unmeasured,
        account=str(interval.account),
    )


def _nothing(interval: RmfInterval, unmeasured: Sequence[str]) -> ConfigurationError:
    """Why an interval is no mix."""
    if unmeasured:
        return ConfigurationError(
            f"{interval.name}: RMF could not measure the I/Os or MB/s of {_chpids(unmeasured)}, "
            "and nothing else was going on; expected an interval with figures in place of dashes "
            "and blanks"
        )
    return ConfigurationError(
        f"{interval.name}: has no I/O of FICON channels or devices; expected Channel Path "
        "Activity or Direct Access Device Activity"
    )


def _chpids(chpids: Sequence[str]) -> str:
    return f"chpid{'s' * (len(chpids) > 1)} {first_listed(chpids, _NAMED_MAX)}"


def _left_out(passed_over: Sequence[PassedOver]) -> Iterator[str]:
    """The lines of a report that are no load, by the reason."""
    reasons = {
        "no FICON channel": "Passed over, other types",
        "no figures": "Passed over, without figures",
        LINES_MISSING: "Lines are missing, and not counted",
    }
    for kind, what in reasons.items():
        names = [
            line.name if kind == "no figures" else f"{line.name} {line.kind}"
            for line in passed_over
            if line.reason == kind
        ]
        if names:
            yield f"{what}: {first_listed(names, _NAMED_MAX)}."


def _saps(interval: RmfInterval) -> int | None:
    """How many SAPs have the IOPs of a report; None if it has none, or not all of them."""
    if any(each.name == WHOLE_SYSTEM for each in interval.passed_over):
        return None
    iops = sum(line.iop != WHOLE_SYSTEM for line in interval.iops)
    return next((saps for saps in range(1, iops + 1) if iop_threads(saps) >= iops), None)


def not_sized(intervals: Sequence[RmfInterval], which: str | None) -> Iterator[str]:
    """What a reader should know of the intervals that are not sized."""
    gaps = sum(not one.is_measured for one in intervals)
    idle = len(intervals) - gaps
    if which == "all" and idle:
        yield f"{idle} {_intervals(idle)} without I/O left out."
    if gaps:
        yield f"{gaps} {_intervals(gaps)} not sized, with channels that RMF could not measure."


def _intervals(count: int) -> str:
    return "interval" if count == 1 else "intervals"


def _reported(channels: Sequence[ChannelLine]) -> Iterator[str]:
    """What the channels of the report are, how busy they were, and which figures are missing."""
    known = Counter(feature for line in channels if (feature := _feature(line)))
    parts = [f"{count} {feature}" for feature, count in known.items()]
    codes = [line.generation for line in channels if not _feature(line)]
    if codes:
        told = ", ".join(dict.fromkeys(code for code in codes if code))
        parts.append(f"{len(codes)} unknown" + (f" (code {told} below G)" if told else ""))
    processor = _busiest("processor", [line.processor_percent for line in channels])
    bus = _busiest("bus", [line.bus_percent for line in channels])
    yield f"Now on {', '.join(parts)}: {processor}, {bus}."
    lacking = {
        "I/Os or MB/s, so left out": [c.chpid for c in channels if not c.has_load],
        "utilization": [c.chpid for c in channels if None in (c.processor_percent, c.bus_percent)],
    }
    for lacks, chpids in lacking.items():
        if chpids:
            yield f"Not measured by RMF: {lacks}: {_chpids(chpids)}."
    without = [c.chpid for c in channels if not c.has_zhpf and c.io_per_s]
    if without:
        yield f"Nothing below ZHPF OPERATIONS, so command mode alone: {_chpids(without)}."


def _busiest(name: str, percents: Sequence[float | None]) -> str:
    measured = [percent for percent in percents if percent is not None]
    return f"{name} up to {max(measured):g} %" if measured else f"{name} not measured"


def _feature(line: ChannelLine) -> str | None:
    """The feature that a code of RMF's column G stands for; None if there is none, or it is new."""
    found = feature_of_code(int(line.generation, 16)) if line.generation else None
    return found.name if found else None


def _load_of_channel(line: ChannelLine) -> IoLoad:
    """A channel's average I/O. RMF has no count of reads: their share is that of their bytes."""
    read, write = line.read_mb_per_s or 0.0, line.write_mb_per_s or 0.0
    moved = read + write
    return IoLoad(
        name=line.chpid,
        io_per_s=line.io_per_s,
        io_bytes=max(1, round(moved * 1e6 / line.io_per_s)),
        read_share=read / moved if moved else 1.0,
    )
