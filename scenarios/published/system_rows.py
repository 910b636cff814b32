"""Published rows of what shares a system with its channels, and our figures in their place.

SAPs, zHyperLink, OSA-Express, the ceilings above a channel. A row function gives the measures
that we have for a row; a measure it leaves out, ours does not have.
"""

from collections.abc import Mapping
from typing import Final

from ctc.features import find_channel
from isfc.io import osa
from isfc.io.bandwidth import DataRates, carry
from isfc.io.demand import DS8950, FIRST_BLOCK_LENGTH
from isfc.io.sap import MODELS, PROFILES, Z15, iop_busy, iop_threads, sap_busy, sap_io_per_s
from isfc.io.sizing import Guidelines
from isfc.io.zhyperlink import ZHYPERLINK, link_limit_per_s, link_load
from scenarios.published.table import Figures, PublishedRow, RowFunction

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
    profile = PROFILES[str(row.columns["machine"])]
    threads = iop_threads(int(row.number("saps")))
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
    return {"busy_percent": 100 * iop_busy(Z15, starts, interrupts, others)}


def z15_models(row: PublishedRow) -> Figures:
    """Drawers, CPs and SAPs of a model."""
    model = MODELS[str(row.columns["model"])]
    return {
        "drawers": model.drawers,
        "cps_max": model.cps_max,
        "standard_saps": model.saps,
    }


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
    hit_ns = (
        DS8950.hit_ns
        + find_channel("FICON Express16SA")
        .transport_work(FIRST_BLOCK_LENGTH, is_read=True)
        .processor_ns
    )
    ours = {"lad-04": hit_ns, "lad-05": hit_ns + DS8950.miss_ns}
    return _measure("access_ns", ours.get(str(row.columns["id"])))


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
    return (
        osa.StreamDirection.IN if row.columns["direction"] == "inbound" else osa.StreamDirection.OUT
    )


def ioss_bandwidth(row: PublishedRow) -> Figures:
    """So many channels, each as full as one can be, below the ceilings."""
    one_way, both = CHANNEL_MB_PER_S
    full = (
        DataRates(both / 2, both / 2)
        if row.columns["direction"] == "mix"
        else DataRates(one_way, 0)
    )
    return {"gb_per_s": carry([full] * int(row.number("channels"))).mb_per_s / 1e3}


CHANNEL_MB_PER_S: Final = (1_600.0, 3_200.0)
"""One way and both, of a FICON Express16SA channel (published: line speed and bus)."""


def _measure(name: str, figure: float | None) -> Figures:
    return {} if figure is None else {name: figure}


ROWS: Final[Mapping[str, RowFunction]] = {
    function.__name__: function
    for function in (
        *(sap_capacity, sap_iop_activity, z15_models, guidelines),
        *(zhyperlink_latency, zhyperlink_limits, zhyperlink_rmf, zhyperlink_workloads),
        *(zhyperlink_link_statistics, latency_ladder),
        *(osa_link_capacity, osa_streams, ioss_bandwidth),
    )
}
"""By the name of the table."""
