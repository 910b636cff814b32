"""What ``isfc io run`` shows: its summary, and the views of RMF's reports."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table

from ctc.features import generation_code
from isfc.io.configuration import Protocol
from isfc.io.rmf_iop import WHOLE_SYSTEM
from isfc.io.run import ChannelRun, IoRun, OsaRun, SynchronousRun, WorkloadRun
from isfc.io.sap import SapLoad, iop_threads
from isfc.io.trunks import TrunkLoad
from isfc.reports.table import plain_table

Row = Mapping[str, object]

TITLES: Final = {
    "channel": "CHANNEL PATH ACTIVITY",
    "device": "DIRECT ACCESS DEVICE ACTIVITY",
    "iop": "I/O QUEUING ACTIVITY",
    "sync": "SYNCHRONOUS I/O DEVICE ACTIVITY",
}

_HEADINGS: Final = {
    "chpid": "ID",
    "generation": "G",
    "type": "TYPE",
    "speed": "SPEED",
    "part_percent": "PART",
    "total_percent": "TOTAL",
    "bus_percent": "BUS",
    "read_mb_per_s": "READ",
    "write_mb_per_s": "WRITE",
    "ficon_rate": "FICON/S",
    "ficon_active": "ACTIVE",
    "ficon_deferred": "DEFER",
    "zhpf_rate": "ZHPF/S",
    "zhpf_active": "ACTIVE",
    "zhpf_deferred": "DEFER",
    "workload": "DEVICES",
    "devices": "NO",
    "activity_per_s": "RATE",
    "response_ms": "RESP",
    "pend_ms": "PEND",
    "disc_ms": "DISC",
    "conn_ms": "CONN",
    "connect_percent": "%CONN",
    "utilization_percent": "%UTIL",
    "system": "SYSTEM",
    "iop": "IOP",
    "busy_percent": "%BUSY",
    "starts_per_s": "STARTS",
    "interrupts_per_s": "INTERRUPTS",
    "rate_per_s": "RATE",
    "mb_per_s": "MB/S",
    "success_percent": "%SUCCESS",
    "link_busy_percent": "%BUSY",
    "cache_miss_percent": "%MISS",
    "rejected_percent": "%REJECT",
}
"""RMF's headings of the columns, by their keys in CSV."""

_NAMES: Final = ("chpid", "feature", "workload", "system", "iop", "shared")
"""Columns that are no figures."""

_SUMMED: Final = (None, WHOLE_SYSTEM)
"""Of the IOPs, the page of everything has their sum."""


def io_run_page(run: IoRun) -> RenderableType:
    """The whole page: channels and workloads, then what is not run I/O by I/O."""
    parts: list[RenderableType] = [f"{run.seconds:g} s of virtual time"]
    for name in TITLES:
        if rows := [row for row in activity_rows(run, name) if row.get("iop") in _SUMMED]:
            parts += ["", TITLES[name], _table(rows)]
    if run.osas:
        parts += ["", "OSA-EXPRESS", _table([_osa_row(each) for each in run.osas])]
    if run.trunks:
        heading = "CARDS, INTERCONNECTS, FANOUTS"
        parts += ["", heading, _table([_trunk_row(each) for each in run.trunks])]
    if run.workloads:
        parts += ["", "RESPONSE TIMES", _percentiles(run.workloads)]
    return Group(*parts)


def report_page(run: IoRun, name: str, rows: Sequence[Row]) -> RenderableType:
    """One view as RMF has it."""
    return Group(f"{TITLES[name]}   interval {run.seconds:g} s", "", _table(rows))


def activity_rows(run: IoRun, name: str) -> list[Row]:
    """The lines of one view, in RMF's order of columns; the keys are those of the CSV."""
    return list(_ROWS[name](run))


def _channel_row(run: ChannelRun) -> Row:
    code = generation_code(run.channel.feature, run.route.link_gbps)
    row: dict[str, object] = {
        "chpid": run.channel.chpid,
        "type": "FC_S",
        "generation": "" if code is None else f"{code:02X}",
        "speed": f"{run.route.link_gbps:g}G",
        "total_percent": round(100 * run.processor, 2),
        "bus_percent": round(100 * run.bus, 2) if run.route.profile.bus_mb_per_s else "",
        "read_mb_per_s": round(run.traffic.read_mb_per_s, 2),
        "write_mb_per_s": round(run.traffic.write_mb_per_s, 2),
    }
    for protocol in (Protocol.FICON, Protocol.ZHPF):
        rate, active, deferred = run.of(protocol)
        row |= {
            f"{protocol}_rate": round(rate, 1),
            f"{protocol}_active": round(active, 1),
            f"{protocol}_deferred": round(deferred, 1),
        }
    return row


def _device_row(run: WorkloadRun) -> Row:
    devices = run.workload.devices
    busy = run.io_per_s * (run.conn_us + run.disc_us) / devices / 1e4
    return {
        "workload": run.workload.name,
        "devices": devices,
        "activity_per_s": round(run.io_per_s / devices, 3),
        "response_ms": round(run.response_us / 1e3, 3),
        "pend_ms": round(run.pend_us / 1e3, 3),
        "disc_ms": round(run.disc_us / 1e3, 3),
        "conn_ms": round(run.conn_us / 1e3, 3),
        "connect_percent": round(run.io_per_s * run.conn_us / devices / 1e4, 2),
        "utilization_percent": round(busy, 2),
    }


def _iop_rows(run: IoRun) -> Iterator[Row]:
    for each in run.saps:
        iops = iop_threads(each.saps)
        for number in range(1, iops + 1):
            yield _iop_row(each, f"{number:02X}", 1 / iops)
        yield _iop_row(each, WHOLE_SYSTEM, 1.0)


def _iop_row(run: SapLoad, iop: str, share: float) -> Row:
    rate = round(share * run.io_per_s, 3)
    return {
        "system": run.system,
        "iop": iop,
        "activity_per_s": rate,
        "busy_percent": round(100 * run.busy, 2) if run.busy != float("inf") else "over",
        "starts_per_s": rate,
        "interrupts_per_s": rate,
    }


def _sync_row(run: SynchronousRun) -> Row:
    outcome, wanted = run.outcome, run.workload.rate_per_s or 0.0
    done = wanted * outcome.success
    return {
        "workload": run.workload.name,
        "devices": run.workload.devices,
        "rate_per_s": round(done, 2),
        "response_ms": round(outcome.latency_ns / 1e6, 3),
        "mb_per_s": round(done * run.workload.io_bytes / 1e6, 2),
        "success_percent": round(100 * outcome.success, 2),
        "link_busy_percent": round(100 * outcome.link_busy, 2),
        "cache_miss_percent": round(100 * outcome.cache_miss, 2),
        "rejected_percent": round(100 * outcome.rejected, 2),
    }


def _osa_row(run: OsaRun) -> Row:
    return {
        "chpid": run.channel.chpid,
        "feature": run.channel.feature,
        "MTU": run.channel.mtu_bytes,
        "MB/s out (2^20)": f"{run.mb_per_s_out:,.1f}",
        "MB/s in": f"{run.mb_per_s_in:,.1f}",
        "packets/s": f"{run.packets_per_s:,.0f}",
        "CPU us/MB": "" if run.cpu_us_per_mb is None else f"{run.cpu_us_per_mb:,.1f}",
    }


def _trunk_row(load: TrunkLoad) -> Row:
    return {
        "shared": load.trunk.title,
        "channels": len(load.trunk.channels),
        "GB/s read": f"{load.carried.read_mb_per_s / 1e3:.2f}",
        "write": f"{load.carried.write_mb_per_s / 1e3:.2f}",
        "% used": f"{100 * load.use:.1f}" if load.use else "",
    }


_ROWS: Final[Mapping[str, Callable[[IoRun], Iterator[Row]]]] = {
    "channel": lambda run: map(_channel_row, run.channels),
    "device": lambda run: map(_device_row, run.workloads),
    "iop": _iop_rows,
    "sync": lambda run: map(_sync_row, run.synchronous),
}


def _percentiles(workloads: Sequence[WorkloadRun]) -> Table:
    return _table(
        [
            {
                "workload": each.workload.name,
                "I/Os/s": f"{each.io_per_s:,.0f}",
                "MB/s both ways": f"{each.mb_per_s:,.1f}",
                "mean us": f"{each.response_us:,.1f}",
                "p50 us": f"{each.response_p50_us:,.1f}",
                "p99 us": f"{each.response_p99_us:,.1f}",
            }
            for each in workloads
        ]
    )


def _table(rows: Sequence[Row]) -> Table:
    keys = [key for key in rows[0] if key != "type"]  # all are FC_S, and 80 columns are few
    heads = (f"{'' if key in _NAMES else '>'}{_HEADINGS.get(key, key)}" for key in keys)
    table = plain_table(*heads, gap=1, no_wrap=True)
    for row in rows:
        table.add_row(*(_shown(key, row[key]) for key in keys))
    return table


def _shown(key: str, value: object) -> str:
    """A figure with as many places as RMF shows of its kind."""
    if not isinstance(value, float):
        return str(value)
    places = 3 if key.endswith("_ms") else 2 if key.endswith("percent") else 1
    return f"{value:.{places}f}"
