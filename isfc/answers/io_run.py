"""What channels carry in a run of an I/O configuration, with the views of RMF's reports."""

from collections.abc import Iterator
from typing import Annotated, Any, Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from ctc.features import generation_code
from isfc.answers import io_plan
from isfc.errors.arguments import SEED_MAX, Argument, checked
from isfc.errors.in_words import listed
from isfc.io.configuration import IoConfiguration, Protocol
from isfc.io.limit import LOADS, IoLimit, IoLimiting, IoResource, find_io_limit
from isfc.io.machine import SapLoad, TrunkLoad, sap_loads, trunk_loads
from isfc.io.osa import OsaActivity, osa_activity
from isfc.io.plan import asynchronous
from isfc.io.run import SECONDS, WARMUP, ChannelRun, LoadActivity, load_activity, run_channels
from isfc.io.shared import read_disks
from isfc.io.zhyperlink import ReadsActivity, reads_activity, synchronous_loads
from isfc.layout.checked_toml import within
from isfc.reports.figure import Note, Reported, Unit
from isfc.reports.report import Column, Report, Table, headed
from isfc.reports.units import shown
from scenarios.runs.notes import CHANNELS_UNRANGED

_SECONDS_MAX: Final = 3_600.0

Seconds = Annotated[float, Argument("S", "Virtual time that is measured.", 0.01, _SECONDS_MAX)]
Warmup = Annotated[float, Argument("S", "Virtual time before that.", 0, _SECONDS_MAX)]
Seed = Annotated[int, Argument("N", "Another seed, another run.", 0, SEED_MAX)]


class ChannelActivity(io_plan.ChannelFigures, frozen=True, kw_only=True):
    """A channel that was run: of each protocol its I/Os a second, and more."""

    generation: str
    """RMF's code of the feature and its speed; empty if none was published"""
    frame_bytes_read: float
    """average, with headers"""
    frame_bytes_write: float
    ficon_per_s: float
    ficon_active: float
    """open exchanges"""
    ficon_deferred_per_s: float
    """I/Os that could not start immediately"""
    zhpf_per_s: float
    zhpf_active: float
    zhpf_deferred_per_s: float
    fcp_per_s: float
    fcp_active: float
    fcp_deferred_per_s: float


class IoActivity(Reported, Struct, frozen=True):
    """What channels carried in a run of an I/O configuration."""

    reported_by = "isfc.answers.io_run.io_run_report"

    name: str
    """the file, or `config`"""
    seconds: float
    """virtual time measured"""
    warmup: float
    """and that went before"""
    seed: int
    channels: tuple[ChannelActivity, ...]
    workloads: tuple[LoadActivity, ...]
    synchronous: tuple[ReadsActivity, ...]
    saps: tuple[SapLoad, ...]
    osas: tuple[OsaActivity, ...]
    trunks: tuple[TrunkLoad, ...]
    """the cards, interconnects and fanouts of the file, from the channel up"""
    limits: IoLimit | None
    """what limits the I/Os, null if none go over channels"""
    notes: tuple[Note, ...]
    """as of `isfc plan --json`; of a layout, that its CTCs are not in the figures"""

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each channel, as a data frame takes them."""
        return [asdict(each) for each in self.channels]


@checked
def io_run(
    config: io_plan.Config, *, seconds: Seconds = SECONDS, warmup: Warmup = WARMUP, seed: Seed = 1
) -> IoActivity:
    """Run an I/O configuration; show what channels carry.

    Channels are run I/O by I/O; zHyperLinks, OSAs and SAPs follow from their rates. The same
    seed makes the same run. Tables are as in RMF's reports: channel path activity, direct access
    device activity, I/O queuing activity, synchronous I/O.

    Raises `ConfigurationError`. ``config`` is a path, or the text of the file.
    """
    configuration, alone = read_disks(config)
    with within(io_plan.name_of(config)):
        found = io_activity(configuration, seconds, warmup, seed)
        limit = find_io_limit(configuration)
    return replace(
        found,
        name=io_plan.name_of(config),
        limits=None if limit is None else replace(limit, text=io_limited_by(limit)),
        notes=(*alone, CHANNELS_UNRANGED),
    )


def io_activity(
    configuration: IoConfiguration, seconds: float = SECONDS, warmup: float = WARMUP, seed: int = 1
) -> IoActivity:
    """Run every channel of ``configuration``; nothing is said of what limits the I/Os.

    Raises `ctc.channel.BadFeature` where a feature cannot do what is asked of it.
    """
    reads = [*synchronous_loads(configuration)]
    workloads = asynchronous(configuration, reads)
    channels = [*run_channels(configuration, workloads, seconds, warmup, seed)]
    carried_by = [
        (each.demand.workload.system or run.channel.system, each.io_per_s)
        for run in channels
        for each in run.loads
    ]
    moved = {run.channel.chpid: run.traffic for run in channels}
    osas = (each for each in configuration.channels.values() if each.is_osa)
    return IoActivity(
        *("config", seconds, warmup, seed),
        tuple(map(_channel, channels)),
        tuple(load_activity(each, channels) for each in workloads),
        tuple(map(reads_activity, reads)),
        sap_loads(configuration.systems, carried_by),
        tuple(osa_activity(each, configuration.users_of(each.chpid)) for each in osas),
        trunk_loads(configuration.trunks, moved),
        limits=None,
        notes=(),
    )


def _channel(run: ChannelRun) -> ChannelActivity:
    code = generation_code(run.channel.feature, run.route.link_gbps)
    whats = "per_s", "active", "deferred_per_s"
    by_protocol: dict[str, Any] = {
        f"{protocol}_{what}": value
        for protocol in (Protocol.FICON, Protocol.ZHPF, Protocol.FCP)
        for what, value in zip(whats, run.of(protocol), strict=True)
    }
    return ChannelActivity(
        **io_plan.channel_fields(run),
        generation="" if code is None else f"{code:02X}",
        frame_bytes_read=run.frame_bytes(reads=True),
        frame_bytes_write=run.frame_bytes(reads=False),
        **by_protocol,
    )


def io_run_report(found: IoActivity) -> Report:
    """What was carried, how fast, and what limits it; then workloads, and RMF's views."""
    queuing, trunks = io_plan.machine_tables(found.saps, found.trunks)
    tables = (
        Table("RESPONSE TIMES", _RESPONSES, found.workloads, "workloads"),
        Table("CHANNEL PATH ACTIVITY", _CHANNELS, found.channels, "channel"),
        Table("DIRECT ACCESS DEVICE ACTIVITY", _DEVICES, found.workloads, "device", detail=True),
        queuing,
        Table("SYNCHRONOUS I/O DEVICE ACTIVITY", _READS, found.synchronous, "sync"),
        Table("OSA-EXPRESS; MB are 2^20 bytes", _OSAS, found.osas, "osas"),
        trunks,
    )
    run = f"{found.seconds:g} s of virtual time after {found.warmup:g} s of warm-up"
    return Report(
        f"{found.name}: I/O in {found.seconds:g} s of virtual time; MB are 10^6 bytes",
        [*_answer(found)],
        [each for each in tables if each.rows],
        notes=[f"Each figure is of one run: {run}, seed {found.seed}.", *_costs(found)],
        known=found.notes,
    )


_RESPONSES: Final = (
    Column("workload", "name"),
    Column("I/Os/s", "io_per_s", Unit.PER_S),
    Column("MB/s\nboth ways", "mb_per_s", Unit.MB_PER_S),
    *headed(Unit.US, response_us="mean\nus", response_p50_us="p50\nus", response_p99_us="p99\nus"),
)
_CHANNELS: Final = (
    *headed(chpid="ID", generation="G"),
    Column("SPEED", "link_gbps", Unit.GBPS),
    *headed(Unit.PERCENT, processor_percent="TOTAL", bus_percent="BUS"),
    *headed(Unit.MB_PER_S, mb_per_s_read="READ", mb_per_s_write="WRITE"),
    Column("FICON/S", "ficon_per_s", Unit.PER_S),
    *headed(Unit.COUNT, ficon_active="ACTIVE", ficon_deferred_per_s="DEFER"),
    Column("ZHPF/S", "zhpf_per_s", Unit.PER_S),
    *headed(Unit.COUNT, zhpf_active="ACTIVE", zhpf_deferred_per_s="DEFER"),
)
_DEVICES: Final = (
    *headed(name="DEVICES", devices="NO"),
    Column("RATE", "device_io_per_s", Unit.COUNT),
    *headed(Unit.US, response_us="RESP\nus", pend_us="PEND\nus", disc_us="DISC\nus"),
    Column("CONN\nus", "conn_us", Unit.US),
    *headed(Unit.PERCENT, connect_percent="%CONN", utilization_percent="%UTIL"),
)
_READS: Final = (
    *headed(name="DEVICES", devices="NO"),
    Column("RATE", "io_per_s", Unit.PER_S),
    Column("RESP\nus", "latency_us", Unit.US),
    Column("MB/S", "mb_per_s", Unit.MB_PER_S),
    *headed(Unit.PERCENT, success_percent="%SUCCESS", link_busy_percent="%BUSY"),
    *headed(Unit.PERCENT, cache_miss_percent="%MISS", rejected_percent="%REJECT"),
)
_OSAS: Final = (
    *headed(chpid="chpid", feature="feature", mtu_bytes="MTU"),
    *headed(Unit.MB_PER_S, mb_per_s_out="out\nMB/s", mb_per_s_in="in\nMB/s"),
    Column("packets/s", "packets_per_s", Unit.PER_S),
    Column("CPU\nus/MB", "cpu_us_per_mb", Unit.US),
)


def _answer(found: IoActivity) -> Iterator[tuple[str, str]]:
    if found.channels or found.synchronous:
        yield "Carried", io_plan.carried(found.channels, found.synchronous)
    if ran := [each for each in found.workloads if each.io_per_s]:
        slowest = max(ran, key=lambda each: each.response_us)
        mean, most = (
            shown(each, Unit.US) for each in (slowest.response_us, slowest.response_p99_us)
        )
        which = f", of {slowest.name}" if len(ran) > 1 or found.synchronous else ""
        yield "Response", f"{mean} us on average, 99 of 100 within {most} us{which}"
    if found.limits is not None and ran:
        others = "; but for synchronous I/Os" * bool(found.synchronous)
        yield "Limited by", f"{found.limits.text}{others}"
    if not found.channels and found.osas:
        both = sum(each.mb_per_s_out + each.mb_per_s_in for each in found.osas)
        yield "Streams", f"{shown(both, Unit.MB_PER_S)} MB/s (2^20) both ways over OSAs"


def _costs(found: IoActivity) -> Iterator[str]:
    """Of OSAs, why what sending costs is not known."""
    for why in dict.fromkeys(each.cpu_unknown for each in found.osas if each.cpu_unknown):
        chpids = ", ".join(each.chpid for each in found.osas if each.cpu_unknown == why)
        yield f"CPU of OSA {chpids}: {why}"


_WORDS: Final = {
    IoResource.PROCESSOR: "the channels' processors",
    IoResource.LINE: "the fibre links, or what leads to far storage",
    IoResource.BUS: "the channels' buses",
    IoResource.STORAGE: "the storage",
    IoResource.DISTANCE: "the distance",
    IoResource.TRUNK: "cards, interconnects or fanouts",
    IoResource.OUTSTANDING: "the I/Os under way at a time: no more are allowed",
    IoResource.RATE: "the load: workloads ask for no more",
}

_SOME: Final = 0.3
"""With a smaller share the greatest is one of several."""


def io_limited_by(limit: IoLimit) -> str:
    """``the storage; ...``: what limits, what there is to gain, and of what responses consist."""
    by = listed([_named(each) for each in limit.by])
    if limit.by[0].share < _SOME:
        by = f"several things together, most by {by}"
    alike = ", about alike" if len(limit.by) > 1 else ""
    told = "with twice that load" if limit.by[0].resource in LOADS else "without this limit"
    slow = listed(
        [
            f"{_WORDS[each.resource]} {shown(each.share, Unit.SHARE)} %"
            for each in limit.response[:3]
        ]
    )
    rate = shown(limit.without_io_per_s, Unit.PER_S)
    return f"{by}{alike}; {told}: {rate} a second. Of their response time: {slow}"


def _named(limiting: IoLimiting) -> str:
    words = _WORDS[limiting.resource]
    if limiting.where is None or limiting.busy_percent is None:
        return words
    busy = shown(min(100.0, limiting.busy_percent), Unit.PERCENT)
    return f"{words} ({limiting.where} busy {busy} %)"
