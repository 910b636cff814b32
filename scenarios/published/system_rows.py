"""Published rows of what is beside a channel and of relocations, and our figures in their place.

SAPs, zHyperLink, OSA-Express, the ceilings above a channel, and what programs have of it all. A row
function gives the measures that we have for a row; a measure it leaves out, ours does not have.

SAS over zHPF (SHARE 17576) ran on FICON Express8S channels, one I/O after the other. What SAS and
its storage take beside the channel is not ours: the time over zHPF, and MB/s, are taken as
published, and ours is what command mode adds.

Relocations are of guests that are moved over a link as IBM had it: one FICON Express4 channel with
twelve CTCs, the later system sending.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from statistics import fmean
from typing import Final

from ctc.features import find_channel
from isfc.io import machine, osa
from isfc.io.demand import DS8950, FIRST_BLOCK_LENGTH
from isfc.io.machine import Z15, DataRates, sap_busy, sap_io_per_s
from isfc.io.sizing import Guidelines
from isfc.io.zhyperlink import ZHYPERLINK, link_limit_per_s, link_load
from isfc.layout.file import parse_layout
from isfc.link.name import NodeName
from isfc.link.scan import CTCS_MAX, stop_short
from scenarios.moves.evacuation import Evacuation, EvacuationOutcome, move
from scenarios.moves.guest import KNOWN_GUESTS, GuestMemory, GuestPlan, Limits
from scenarios.moves.relocation import Moved
from scenarios.published.table import Figures, PublishedRow, RowFunction
from scenarios.runs.result import MIB

BUSY_REPORT_READS_PER_S: Final = 150_000
"""Synchronous reads a second that the busy report asks for (derived: 120,000 of them succeed,
and a fifth finds the link busy)."""

LIGHT_REPORT_READS_PER_S: Final = 1_240.14
"""Those of the light report (published: its LCU)."""

VSAM_READ_IOS: Final = 4.075
"""I/Os of a VSAM NSR read. Calibrated: 81.5 us over zHyperLink, at 20 us each."""

VSAM_SYNCHRONOUS_US: Final = 20.0
VSAM_ZHPF_US: Final = 117.0
"""An I/O of z14 and DS8880 (published: about 20 us; 104 to 130, of which this is the middle)."""

_IOPS_OF_MAX34: Final = 7


def sap_capacity(row: PublishedRow) -> Figures:
    """What a machine's SAPs carry; of what a single LPAR carries ours has no model."""
    if not row.has_number("sap_utilization_percent"):
        return {}
    profile = machine.PROFILES[str(row.columns["machine"])]
    threads = machine.iop_threads(int(row.number("saps")))
    return {
        "iop_threads": threads,
        "io_per_s": sap_io_per_s(profile, threads, row.number("sap_utilization_percent") / 100),
    }


def sap_iop_activity(row: PublishedRow) -> Figures:
    """How busy an IOP is; starts are dealt in turn, and each I/O has one interrupt."""
    starts, interrupts = row.number("starts_per_s"), row.number("interrupts_per_s")
    if row.columns["iop"] == "SYS":
        return {"busy_percent": 100 * sap_busy(Z15, _IOPS_OF_MAX34, starts, interrupts)}
    all_ios = starts * _IOPS_OF_MAX34
    others = sap_busy(Z15, _IOPS_OF_MAX34, all_ios, all_ios) * (_IOPS_OF_MAX34 - 1)
    return {"busy_percent": 100 * machine.iop_busy(Z15, starts, interrupts, others)}


def z15_models(row: PublishedRow) -> Figures:
    """Drawers, CPs and SAPs of a model."""
    model = machine.MODELS[str(row.columns["model"])]
    return {"drawers": model.drawers, "cps_max": model.cps_max, "standard_saps": model.saps}


def guidelines(row: PublishedRow) -> Figures:
    """The limits that sizing keeps to."""
    ours = Guidelines()
    limits = {
        ("channel", "processor utilization"): ours.processor_percent,
        ("channel", "bus utilization"): ours.bus_percent,
        ("SAP", "utilization"): ours.sap_percent,
    }
    return {"limit_percent": limits[str(row.columns["resource"]), str(row.columns["measure"])]}


def zhyperlink_latency(row: PublishedRow) -> Figures:
    """Synchronous latencies; those of storage and software around it are not ours."""
    busy = link_load(ZHYPERLINK, BUSY_REPORT_READS_PER_S).latency_ns / 1e3
    unloaded = ZHYPERLINK.unloaded_ns / 1e3
    ours = {"zhl-01": unloaded, "zhl-02": unloaded, "zhl-03": unloaded, "zhl-04": busy}
    return _measure("latency_us", ours.get(str(row.columns["id"])))


def zhyperlink_limits(row: PublishedRow) -> Figures:
    """What a link carries, and the longest I/O."""
    ours = {"zli-01": link_limit_per_s(ZHYPERLINK), "zli-06": float(ZHYPERLINK.length_max)}
    return _measure("value", ours.get(str(row.columns["id"])))


def zhyperlink_rmf(row: PublishedRow) -> Figures:
    """A line of the synchronous I/O report: all links of a report are equally loaded."""
    is_light = str(row.columns["report"]).endswith("light")
    rate = LIGHT_REPORT_READS_PER_S if is_light else BUSY_REPORT_READS_PER_S
    load = link_load(ZHYPERLINK, rate)
    rejected = row.number("rejects_read_percent")
    return {
        "sync_read_ms": load.latency_ns / 1e6,
        "success_percent": 100 * (1 - load.busy) - rejected,
        "link_busy_percent": 100 * load.busy,
    }


def zhyperlink_workloads(row: PublishedRow) -> Figures:
    """VSAM reads, one after the other: the I/Os of a read, each as long as its path takes.

    A processor that waits is busy, so synchronous I/O takes as much of it as it takes time.
    """
    ios = row.number("operations") * VSAM_READ_IOS
    if row.columns["path"] == "zHPF":
        cpu_ns = ZHYPERLINK.asynchronous_cpu_ns
        return {"elapsed_s": ios * VSAM_ZHPF_US / 1e6, "cpu_s": ios * cpu_ns / 1e9}
    elapsed_s = ios * VSAM_SYNCHRONOUS_US / 1e6
    return {"elapsed_s": elapsed_s, "cpu_s": elapsed_s}


def zhyperlink_link_statistics(_row: PublishedRow) -> Figures:
    """The most that a link carries, whatever it did."""
    return {"cache_reads_per_s": link_limit_per_s(ZHYPERLINK)}


def latency_ladder(row: PublishedRow) -> Figures:
    """A zHPF 4K read: found in the storage's cache, and not."""
    work = find_channel("FICON Express16SA").transport_work(FIRST_BLOCK_LENGTH, is_read=True)
    hit_ns = DS8950.hit_ns + work.processor_ns
    ours = {"lad-04": hit_ns, "lad-05": hit_ns + DS8950.miss_ns}
    return _measure("access_ns", ours.get(str(row.columns["id"])))


def transaction_breakdown(row: PublishedRow) -> Figures:
    """The share of I/O service in a transaction's time, which the other shares leave."""
    if row.columns["component"] != "I/O service time":
        return {}
    least, most = (sum(shares) for shares in zip(*_OTHER_SHARES, strict=True))
    return {"share_percent_min": 100 - most, "share_percent_max": 100 - least}


_OTHER_SHARES: Final = ((5, 5), (2, 4), (20, 25), (4, 6))
"""Percent of a Db2 transaction in its CPU, latches, dispatcher and network: at least, at most."""


def osa_link_capacity(row: PublishedRow) -> Figures:
    """The effective capacity of a link."""
    mtu = int(row.number("mtu_bytes"))
    return {
        "tcp_payload_bytes": osa.packet_payload(mtu),
        "wire_bytes": osa.packet_wire_length(mtu),
        "effective_mb_per_s": osa.effective_mb_per_s(row.number("link_gbps"), mtu),
    }


def osa_streams(row: PublishedRow) -> Figures:
    """25 GbE beside 10 GbE, and its share of the link; of host CPU ours has no model."""
    mtu, measure = int(row.number("mtu_bytes")), str(row.columns["measure"])
    if measure == "share of effective link capacity":
        rate = osa.stream_rate(osa.OSA_EXPRESS7S_25GBE, mtu, _flow(row)).mb_per_s
        return {"change_percent": 100 * rate / osa.effective_mb_per_s(25, mtu)}
    if measure == "throughput":
        fast, slow = (
            osa.stream_rate(profile, mtu, _flow(row)).mb_per_s
            for profile in (osa.OSA_EXPRESS7S_25GBE, osa.OSA_EXPRESS6S_10GBE)
        )
        return {"change_percent": 100 * (fast / slow - 1)}
    return {}


def _flow(row: PublishedRow) -> osa.StreamDirection:
    """Which way; both ways are alike where the link is the limit."""
    is_inbound = row.columns["direction"] == "inbound"
    return osa.StreamDirection.IN if is_inbound else osa.StreamDirection.OUT


def ioss_bandwidth(row: PublishedRow) -> Figures:
    """So many channels, each as full as one can be, below the ceilings."""
    one_way, both = CHANNEL_MB_PER_S
    is_mixed = row.columns["direction"] == "mix"
    full = DataRates(both / 2, both / 2) if is_mixed else DataRates(one_way, 0)
    count, below = int(row.number("channels")), 1
    for ceiling, children in machine.LEVELS:
        below = min(count, below * children)
        reads, writes = ceiling.slowness(machine.total([full] * below))
        full = DataRates(full.read_mb_per_s / reads, full.write_mb_per_s / writes)
    return {"gb_per_s": count * full.mb_per_s / 1e3}


CHANNEL_MB_PER_S: Final = (1_600.0, 3_200.0)
"""One way and both, of a FICON Express16SA channel (published: line speed and bus)."""


SAS_FEATURE: Final = "FICON Express8S"

HALF_TRACK_LENGTH: Final = 27_648
SMALL_LENGTH: Final = 6_144
"""Bytes of a block of 27K and of 6K (published)."""

SEQUENTIAL_BLOCKS: Final = 2
"""Blocks of 27K that a sequential read chains: those of a track (assumed)."""

_PAGES: Final = {"Tall": (27_648, 240_176), "Wide": (55_296, 147_061)}
"""Bytes of a member's page, and how many there are (published)."""


def sas_members(row: PublishedRow) -> Figures:
    """The size of a member."""
    return {"size_mb": row.number("page_bytes") * row.number("pages") / MIB}


def sas_elapsed(row: PublishedRow) -> Figures:
    """Command mode's time: zHPF's, and for each I/O what the channel processor takes more."""
    member = str(row.columns["member"])
    if member not in _PAGES:
        return {}
    page_bytes, pages = _PAGES[member]
    io_bytes, ios = page_bytes, pages
    if row.columns["library_block"] == "6K":
        io_bytes, ios = SMALL_LENGTH, pages * page_bytes // SMALL_LENGTH
    zhpf_s = row.number("elapsed_zhpf_s")
    channel = find_channel(SAS_FEATURE)
    zhpf_ns, command_ns = (
        work(io_bytes, is_read=True).processor_ns
        for work in (channel.transport_work, channel.command_work)
    )
    command_s = zhpf_s + ios * (command_ns - zhpf_ns) / 1e9
    return {"elapsed_ccw_s": command_s, "ratio": zhpf_s / command_s}


def sas_channel_utilization(row: PublishedRow) -> Figures:
    """The channel at the published MB/s."""
    channel = find_channel(SAS_FEATURE)
    assert channel.bus_mb_per_s is not None, "Express8S has a bus"
    blocks = 1 if row.columns["test"] == "Random Read" else SEQUENTIAL_BLOCKS
    io_bytes = blocks * HALF_TRACK_LENGTH
    make = channel.command_work if row.columns["program"] == "CCW" else channel.transport_work
    mb_per_s = row.number("mb_per_s")
    io_per_s = mb_per_s * 1e6 / io_bytes
    return {
        "channel_utilization_percent": io_per_s * make(io_bytes, is_read=True).processor_ns / 1e7,
        "bus_utilization_percent": 100 * mb_per_s / channel.bus_mb_per_s,
    }


def _measure(name: str, figure: float | None) -> Figures:
    return {} if figure is None else {name: figure}


ROWS: Final[Mapping[str, RowFunction]] = {
    function.__name__: function
    for function in (
        *(sap_capacity, sap_iop_activity, z15_models, guidelines, ioss_bandwidth),
        *(zhyperlink_latency, zhyperlink_limits, zhyperlink_rmf, zhyperlink_workloads),
        *(zhyperlink_link_statistics, latency_ladder, transaction_breakdown),
        *(osa_link_capacity, osa_streams, sas_members, sas_elapsed, sas_channel_utilization),
    )
}
"""By the name of the table, in the order in which tables are shown."""

_LAYOUT: Final = parse_layout(
    """
[fibre.1]
feature = "FICON Express4"
chpid = { LPAR1 = "3C", LPAR2 = "3D" }

[[ctc]]
fibre = "1"
rdevs = { LPAR1 = "D000-D00B", LPAR2 = "D000-D00B" }
"""
)
_PASS_UNIT: Final = 4096 * 1024
"""Bytes of the unit that passes are published in, 1024 pages."""

SCALE: Final = 16
"""Java's guest is moved in a sixteenth of its size. Passes then take a sixteenth of the time, and
leave the same share of the hot set (derived: H (1 - e^(-wT/H)) / H depends on T/H alone)."""

_KINDS: Final = {"fio, direct I/O": "direct-io", "OLTP: Oracle, memory target 1616 MiB": "oltp"}


def relocation_row(row: PublishedRow) -> Figures:
    """Ours in the place of a measurement."""
    metric = str(row.columns["metric"])
    if metric in _OF_DEVICES:
        idle = GuestMemory(size=1024 * MIB, touched=1024 * MIB)
        rates = sorted((each.io_per_s for each in _move(idle).devices), reverse=True)
        return {"value": _OF_DEVICES[metric](rates)}
    if metric.startswith("first_pass"):
        memory = KNOWN_GUESTS[_KINDS[str(row.columns["workload"])]].memory
        (guest,) = _move(memory, Limits(max_total=20.0)).guests
        return {"value": guest.passes[0].length / (_PASS_UNIT if metric.endswith("pages") else MIB)}
    if metric == "average_intermediate_pass_of_first":
        first, *between = _java_passes()
        return {"value": 100 * fmean(between) / first}
    return {}


def rule_row(row: PublishedRow) -> Figures:
    """Ours in the place of a rule."""
    ours = _RULES.get(str(row.columns["id"]))
    return {} if ours is None else {"value": float(ours())}


def _writers(rates: list[float]) -> list[float]:
    """Those that the memory goes over: the others have a few I/Os, of counts."""
    return [rate for rate in rates if rate > rates[0] / 2]


_OF_DEVICES: Final[Mapping[str, Callable[[list[float]], float]]] = {
    "writers": lambda rates: len(_writers(rates)),
    "ssch_per_s_each_writer": lambda rates: fmean(_writers(rates)),
    "ssch_per_s_link": lambda rates: sum(_writers(rates)),
    "unidirectional": lambda rates: len(rates) - len(_writers(rates)),
    "ssch_per_s_each_unidirectional": lambda rates: max(rates[len(_writers(rates)) :]),
}


def _java_passes() -> list[int]:
    """Bytes of each pass before the guest is stopped."""
    java = KNOWN_GUESTS["java"].memory
    size, touched, hot_set = (each // SCALE for each in (java.size, java.touched, java.hot_set))
    scaled = replace(java, size=size, touched=touched, hot_set=hot_set)
    (guest,) = _move(scaled, Limits(quiesce_goal=0.0)).guests
    return [each.length for each in guest.passes if not each.quiesced]


_DEFAULTS: Final = Limits()


@cache
def _move(memory: GuestMemory, limits: Limits = _DEFAULTS) -> EvacuationOutcome:
    plan = GuestPlan("GUEST", memory, limits)
    return move(Evacuation.over(_LAYOUT, [plan], source=NodeName("LPAR2")))


def _small(*, immediate: bool = False) -> Moved:
    """A small guest that changes fast."""
    memory = GuestMemory(size=16 * MIB, touched=16 * MIB, change_rate=1024 * MIB)
    (guest,) = _move(memory, Limits(quiesce_goal=0.0, immediate=immediate)).guests
    return guest


def _passes(guest: Moved, *, quiesced: bool) -> int:
    return sum(each.quiesced is quiesced for each in guest.passes)


def _forks() -> int:
    """What goes beside each other once the guest is stopped: state and devices, and memory."""
    first = next(each for each in _small().passes if each.quiesced)
    return 2 * bool(first.state_length) + bool(first.length)


_RULES: Final[Mapping[str, Callable[[], float]]] = {
    "rule-01": lambda: _DEFAULTS.max_quiesce,
    "rule-04": lambda: _passes(_small(immediate=True), quiesced=False),
    "rule-05": lambda: _passes(_small(), quiesced=True),
    "rule-06": _forks,
    "rule-08": lambda: max(stop_short(count) for count in range(2, 9)),
    "rule-09": lambda: max(stop_short(count) for count in range(9, CTCS_MAX + 1)),
    "rule-10": lambda: CTCS_MAX,
}

RELOCATION_ROWS: Final[Mapping[str, RowFunction]] = {
    "relocation": relocation_row,
    "relocation_rules": rule_row,
}
"""Our figures by measure for a row of each table."""
