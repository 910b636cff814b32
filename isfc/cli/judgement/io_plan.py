"""What ``isfc io plan`` shows: channels, synchronous I/O, networks, SAPs and the advice."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ctc.features import find_feature
from isfc.answers.findings import SEVERITY_STYLES
from isfc.io.advice import IoAdvice
from isfc.io.plan import ChannelPlan, IoPlan, OsaPlan
from isfc.io.trunks import TrunkLoad
from isfc.io.zhyperlink import SynchronousLoad
from isfc.reports.table import apart, plain_table

CHANNEL_HEADS: Final = (
    *("chpid", "feature", "Gb/s", "I/Os/s", "read MB/s", "write MB/s", "proc%", "bus%", "line%"),
)
WORKLOAD_HEADS: Final = ("workload", "chpid", "protocol", "I/Os/s", "response us", "open")


def io_plan_page(plan: IoPlan, advice: Sequence[IoAdvice]) -> RenderableType:
    """The whole page: what to change, then the figures."""
    parts: list[RenderableType] = [_advice(advice) if advice else "Nothing to change."]
    if plan.channels:
        channels = _table(CHANNEL_HEADS, channel_rows(plan.channels), left=2)
        workloads = _table(WORKLOAD_HEADS, workload_rows(plan.channels), left=3)
        parts += [channels, workloads]
    return apart([*parts, *other_lines(plan)])


def other_lines(plan: IoPlan) -> Iterator[str]:
    """What is said of features, zHyperLinks, OSAs and SAPs."""
    for name in dict.fromkeys(each.channel.feature for each in plan.channels):
        if unknown := find_feature(name).unknown:
            yield f"{name}: not known, and assumed or left out: {', '.join(unknown)}"
    yield from map(_synchronous, plan.synchronous)
    yield from map(_osa, plan.osas)
    for saps in plan.saps:
        count = f"{saps.saps} SAP{'s' * (saps.saps > 1)}"
        yield f"System {saps.system}: {count}, {_percent(saps.busy)} busy"
    limited = [load for load in plan.trunks if load.use]
    yield from map(_trunk, limited)
    if limited and (first := plan.first()):
        yield f"Full first: {first[0]}, {_percent(first[1])} used"


def _trunk(load: TrunkLoad) -> str:
    count, carried = len(load.trunk.channels), load.carried
    return (
        f"{load.trunk.heading}: {count} channel{'s' * (count > 1)}, "
        f"{carried.read_mb_per_s / 1e3:.1f} GB/s read, {carried.write_mb_per_s / 1e3:.1f} "
        f"written, {_percent(min(1.0, load.use))} used"
    )


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]], left: int) -> Table:
    figures = (f">{column}" for column in columns[left:])
    table = plain_table(*columns[:left], *figures, no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share <= 1 else "more than 100 %"


def channel_rows(plans: Sequence[ChannelPlan]) -> Iterator[Sequence[str]]:
    """A row for each channel, under `CHANNEL_HEADS`."""
    for plan in plans:
        estimate, moved = plan.estimate, plan.estimate.traffic
        yield (
            plan.channel.chpid,
            plan.channel.feature.removeprefix("FICON "),
            f"{estimate.route.link_gbps:g}",
            f"{estimate.io_per_s:,.0f}",
            f"{moved.read_mb_per_s:,.0f}",
            f"{moved.write_mb_per_s:,.0f}",
            f"{100 * estimate.processor:.1f}",
            f"{100 * estimate.bus:.1f}" if estimate.route.profile.bus_mb_per_s else "-",
            f"{100 * max(estimate.line_read, estimate.line_write):.1f}",
        )


def workload_rows(plans: Sequence[ChannelPlan]) -> Iterator[Sequence[str]]:
    """A row for each workload on each channel, under `WORKLOAD_HEADS`."""
    for plan in plans:
        for workload, each in zip(plan.workloads, plan.estimate.demands, strict=True):
            yield (
                workload.name,
                plan.channel.chpid,
                workload.protocol,
                f"{each.rate_per_s:,.0f}",
                f"{each.response_ns / 1e3:,.1f}",
                f"{each.active:,.1f}",
            )


def _synchronous(each: SynchronousLoad) -> str:
    links = f"{each.workload.name}: {len(each.links)} zHyperLink{'s' * (len(each.links) > 1)}"
    if each.outcome is None:
        return f"{links}; without a rate nothing is said of it."
    found = each.outcome
    if not found.success:
        return f"{links}, nothing synchronous"
    return (
        f"{links}, {100 * found.success:.1f} % synchronous in {found.latency_ns / 1e3:.1f} us, "
        f"{found.response_ns / 1e3:.1f} us with the others"
    )


def _osa(osa: OsaPlan) -> str:
    ways = (
        f"{rate.mb_per_s:,.0f} MiB/s {way} ({rate.limit})"
        for way, rate in (("out", osa.outbound), ("in", osa.inbound))
    )
    return f"{osa.channel.chpid} {osa.channel.feature}: streams get {', '.join(ways)}"


def _advice(advice: Sequence[IoAdvice]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    for item in advice:
        table.add_row(Text(item.severity, SEVERITY_STYLES[item.severity]), item.text)
    return table
