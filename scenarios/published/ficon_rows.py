"""What the models of FICON channels have in the place of a published row.

Each function takes a row of the table that it is named after and gives our figures by measure; a
measure that is left out is not modelled, and the table's companion says why.
"""

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from ctc.channel import command_frames, credits_by_rule, data_frames, information_units, line_ns
from ctc.features import generation_code
from isfc.io.configuration import IoChannel, IoWorkload, Protocol
from isfc.io.estimate import DemandEstimate, estimate_alone
from isfc.io.machine import Z14, Z15, iop_threads, sap_io_per_s
from isfc.io.zhyperlink import ZHYPERLINK
from isfc.layout.layout import FarPath, Isl
from scenarios.published.table import Figures, PublishedRow, RowFunction

LARGE_BYTES: Final = 131_072
"""32 x 4K, what the Express16SA report calls large."""

DRIVER_OUTSTANDING: Final = 16
"""Readers, and writers, of the I/O driver behind RMF's channel report: derived, the channel that
could not carry its load had 31 I/Os active."""

DRIVER_RATE_PER_S: Final = 6558.5
"""I/Os a second that it asked of a 16SA channel, and twice as many of the others (derived)."""

MIX_OUTSTANDING: Final = 256
"""I/Os at the same time for all devices of a channel that is driven to its maximum (assumed)."""

FAR_CHANNELS: Final = 4
"""Channels that share the two inter-switch links of the 100 km measurements ("several")."""

COMPARED_RATE_PER_S: Final = 15_000
"""Where the gain of zHPF "below 20K" is taken (chosen)."""

_CHANNEL: Final = IoChannel("42", "FICON Express16SA")

_PROTOCOLS: Final = {
    "zHPF": Protocol.ZHPF,
    "FICON": Protocol.FICON,
    "FICON with MIDAW": Protocol.FICON,
    "FCP": Protocol.FCP,
}


def channel_activity(row: PublishedRow) -> Figures:
    """A line of RMF's Channel Path Activity: a driver of readers and writers, 128K each."""
    feature = str(row.columns["feature"])
    channel = IoChannel("42", feature, link_gbps=row.number("link_gbps"))
    each = DRIVER_RATE_PER_S / 2 * (1 if feature.endswith("16SA") else 2)
    readers, writers = (
        _workload(
            Protocol.ZHPF, LARGE_BYTES, percent, rate_per_s=each, outstanding=DRIVER_OUTSTANDING
        )
        for percent in (100, 0)
    )
    found = estimate_alone(channel, readers, writers)
    reads, writes = (one.rate_per_s for one in found.demands)
    return {
        "part_utilization_percent": 100 * found.processor,
        "total_utilization_percent": 100 * found.processor,
        "bus_utilization_percent": 100 * found.bus,
        "read_mb_per_s": reads * LARGE_BYTES / 1e6,
        "write_mb_per_s": writes * LARGE_BYTES / 1e6,
        "zhpf_io_per_s": reads + writes,
        "zhpf_active": sum(one.active for one in found.demands),
    }


def channel_generation_codes(row: PublishedRow) -> Figures:
    """A code of RMF's column G, as far as its two hexadecimal digits are a number."""
    fec = row.columns["fec"] == "yes"
    code = generation_code(str(row.columns["feature"]), row.number("link_gbps"), fec=fec)
    return {"generation": float(f"{code:X}")} if code and row.has_number("generation") else {}


def endpoint_security(row: PublishedRow) -> Figures:
    """What encryption costs at the maximum, or one I/O at a time."""
    if row.columns["measure"] == "ifl_percent":
        return {}
    alone = "one at a time" in str(row.columns["workload"])
    protocol = _PROTOCOLS[str(row.columns["protocol"])]
    workload = _workload_of(row, protocol, outstanding=1 if alone else None)
    plain, encrypted_rate = (_most(row, workload, encrypted=each) for each in (False, True))
    return {
        "plain": plain,
        "encrypted": encrypted_rate,
        "impact_percent": round(100 * (plain - encrypted_rate) / plain, 6),
    }


def endpoint_security_batch(row: PublishedRow) -> Figures:
    """A batch run with encryption takes what it takes without: the channel does it."""
    plain = _BATCH_PLAIN[str(row.columns["workload"])]
    return dict(zip(("cpu_percent", "interrupts_per_s", "elapsed_s"), plain, strict=True))


_BATCH_PLAIN: Final = {"CB-L": (91.72, 89_886.62, 544.3), "CB-S": (23.86, 11_443.0, 675.9)}
"""The rows without encryption, which are given: processor %, interrupts a second, seconds."""


def fcp(row: PublishedRow) -> Figures:
    """FCP with the data router, one I/O or many at a time; there is no model without the router."""
    if row.columns["data_router"] == "off" or row.columns["measure"] == "response_saving_us":
        return {}
    alone = row.columns["workload"] == "one at a time"
    workload = _workload_of(row, Protocol.FCP, outstanding=1 if alone else None)
    return {"value": _most(row, workload, encrypted=row.columns["encrypted"] == "yes")}


def _most(row: PublishedRow, workload: IoWorkload, *, encrypted: bool) -> float:
    """I/Os a second of a channel, or MB/s if that is the row's measure."""
    rate = _alone(workload, replace(_CHANNEL, encrypted=encrypted)).rate_per_s
    return rate * (workload.io_bytes / 1e6 if row.columns["measure"] == "mb_per_s" else 1)


def ficon_distance(row: PublishedRow) -> Figures:
    """Throughput over two inter-switch links, or what the way adds to a response."""
    if row.has_number("mb_per_s"):
        isl = Isl(2, row.number("isl_gbps"), int(row.number("buffer_credits")))
        channel = replace(_CHANNEL, path=FarPath("far", row.number("km"), isl))
        workload = _workload(Protocol.ZHPF, LARGE_BYTES, _read_percent(row))
        found = estimate_alone(channel, workload, sharing=FAR_CHANNELS)
        return {"mb_per_s": FAR_CHANNELS * found.demands[0].rate_per_s * LARGE_BYTES / 1e6}
    if not row.has_number("added_ms"):
        return {}
    far = FarPath("far", row.number("km"), Isl(2, row.number("isl_gbps"), 960))
    workload = _workload(Protocol.ZHPF, int(row.number("block_bytes")), 100, rate_per_s=100)
    times = [_alone(workload, replace(_CHANNEL, path=path)).response_ns for path in (None, far)]
    return {"added_ms": (times[1] - times[0]) / 1e6}


def ficon_frames(row: PublishedRow) -> Figures:
    """The average frame in the direction of the data."""
    frames = data_frames(int(row.number("block_bytes")))
    mixed = row.columns["direction"] == "50/50 mix"
    found = frames.plus(command_frames()) if mixed else frames
    return {"average_frame_bytes": round(found.average_length)}


def ficon_generations(row: PublishedRow) -> Figures:
    """The maximum of one channel."""
    feature, encrypted = str(row.columns["feature"]), row.columns["encrypted"] == "yes"
    channel = IoChannel("42", feature, row.number("link_gbps"), encrypted)
    workload = _workload_of(row, _PROTOCOLS[str(row.columns["protocol"])])
    io_per_s = _alone(workload, channel).rate_per_s
    return {"io_per_s": io_per_s, "mb_per_s": io_per_s * workload.io_bytes / 1e6}


def ficon_iu_counts(row: PublishedRow) -> Figures:
    """Information units of a read."""
    units = information_units(
        int(row.number("block_bytes")), transport=row.columns["protocol"] == "zHPF"
    )
    return dict(zip(("ius_to_control_unit", "ius_to_channel"), units, strict=True))


def ficon_mix(row: PublishedRow) -> Figures:
    """A channel driven to its maximum by devices of both protocols, each as deep."""
    workloads = [
        _workload(protocol, 4096, 100, outstanding=round(MIX_OUTSTANDING * percent / 100))
        for protocol, percent in (
            (Protocol.ZHPF, row.number("zhpf_devices_percent")),
            (Protocol.FICON, row.number("ficon_devices_percent")),
        )
        if percent
    ]
    found = estimate_alone(_CHANNEL, *workloads)
    return {"io_per_s": sum(one.rate_per_s for one in found.demands)}


def ficon_ratios(row: PublishedRow) -> Figures:
    """A ratio that is claimed of a channel; others are not the channel's to give."""
    match row.key:
        case "rat-01" | "rat-02":
            size, percent = int(row.number("block_bytes")), _read_percent(row)
            return {
                "ratio": _maximum(Protocol.ZHPF, size, percent)
                / _maximum(Protocol.FICON, size, percent)
            }
        case "rat-04" | "rat-05":
            return {"ratio": _alone_ns(Protocol.ZHPF, row) / _alone_ns(Protocol.FICON, row)}
        case "rat-07":
            found = estimate_alone(_CHANNEL, _workload(Protocol.ZHPF, LARGE_BYTES, 100))
            return {"ratio": found.processor}
        case "rat-08":
            return {"ratio": ZHYPERLINK.unloaded_ns / _alone_ns(Protocol.ZHPF, row)}
        case "rat-09":
            z15, z14 = (
                sap_io_per_s(profile, iop_threads(saps), 1.0)
                for profile, saps in ((Z15, 22), (Z14, 23))
            )
            return {"ratio": z15 / z14}
        case _:
            return {}


def ficon_response(row: PublishedRow) -> Figures:
    """A point of a response time curve."""
    if row.key == "res-01":
        return {"response_ms": _response_ms(Protocol.FICON, row.number("io_per_s"))}
    if row.key == "res-05":
        ficon, zhpf = (
            _response_ms(protocol, COMPARED_RATE_PER_S)
            for protocol in (Protocol.FICON, Protocol.ZHPF)
        )
        return {"response_ms": ficon - zhpf}
    if row.key == "res-09":
        return {"response_ms": _alone_ns(Protocol.FCP, row) / 1e6}
    return {}


def isl_capacity(row: PublishedRow) -> Figures:
    """What an inter-switch link carries each way, and its credits by the old rule."""
    gbps = row.number("link_gbps")
    carried = LARGE_BYTES * 1e3 / line_ns(data_frames(LARGE_BYTES), gbps)
    return {
        "max_mb_per_s_each_direction": carried,
        "credits_for_100_km_by_rule": credits_by_rule(gbps, 100),
    }


def _read_percent(row: PublishedRow) -> float:
    direction = str(row.columns["direction"])
    if "mix" in direction:
        return 50
    return 0 if direction == "write" else 100


def _workload_of(row: PublishedRow, protocol: Protocol, **more: Any) -> IoWorkload:
    """That of a row with a block and a direction."""
    return _workload(protocol, int(row.number("block_bytes")), _read_percent(row), **more)


def _workload(protocol: Protocol, size: int, read_percent: float, **more: Any) -> IoWorkload:
    moved = {"protocol": protocol, "block_bytes": size, "read_percent": read_percent, **more}
    return IoWorkload("published", ("42",), **moved)


def _alone(workload: IoWorkload, channel: IoChannel = _CHANNEL) -> DemandEstimate:
    (found,) = estimate_alone(channel, workload).demands
    return found


def _maximum(protocol: Protocol, size: int, read_percent: float) -> float:
    return _alone(_workload(protocol, size, read_percent)).rate_per_s


def _alone_ns(protocol: Protocol, row: PublishedRow) -> float:
    """The response time of one I/O after the other."""
    return _alone(_workload_of(row, protocol, outstanding=1)).response_ns


def _response_ms(protocol: Protocol, rate_per_s: float) -> float:
    return _alone(_workload(protocol, 4096, 100, rate_per_s=rate_per_s)).response_ns / 1e6


ROWS: Final[Mapping[str, RowFunction]] = {
    function.__name__: function
    for function in (
        *(ficon_generations, ficon_ratios, ficon_mix, ficon_response, channel_activity),
        *(channel_generation_codes, ficon_frames, ficon_iu_counts, ficon_distance, isl_capacity),
        *(endpoint_security, endpoint_security_batch, fcp),
    )
}
"""By the name of the table, in the order in which tables are shown."""
