"""What ``isfc io plan`` shows: channels, synchronous I/O, networks, SAPs and the advice."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from isfc.cli.render.check import SEVERITY_STYLES
from isfc.io.advice import Advice
from isfc.io.plan import ChannelPlan, IoPlan, OsaPlan
from isfc.io.synchronous import SynchronousLoad


def io_plan_page(plan: IoPlan, advice: Sequence[Advice]) -> RenderableType:
    """The whole page."""
    parts: list[RenderableType] = []
    if plan.channels:
        parts += [_channels(plan.channels), "", _workloads(plan.channels), ""]
    parts += [line for each in plan.synchronous for line in (_synchronous(each), "")]
    parts += [line for osa in plan.osas for line in (_osa(osa), "")]
    parts += [
        line
        for saps in plan.saps
        for line in (f"System {saps.system}: {saps.saps} SAPs, {_percent(saps.busy)} busy", "")
    ]
    return Group(*parts, _advice(advice) if advice else "Nothing to change.")


def _table(*columns: str, left: int = 1) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for place, column in enumerate(columns):
        table.add_column(column, justify="left" if place < left else "right", no_wrap=True)
    return table


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share <= 1 else "more than 100 %"


def _channels(plans: Sequence[ChannelPlan]) -> Table:
    table = _table(
        *("chpid", "feature", "Gb/s", "I/Os/s", "read MB/s", "write"),
        *("proc%", "bus%", "line%"),
        left=2,
    )
    for plan in plans:
        estimate = plan.estimate
        read, write = plan.mb_per_s
        table.add_row(
            plan.channel.chpid,
            plan.channel.feature.removeprefix("FICON "),
            f"{estimate.route.link_gbps:g}",
            f"{plan.io_per_s:,.0f}",
            f"{read:,.0f}",
            f"{write:,.0f}",
            f"{100 * estimate.processor:.1f}",
            f"{100 * estimate.bus:.1f}",
            f"{100 * max(estimate.line_read, estimate.line_write):.1f}",
        )
    return table


def _workloads(plans: Sequence[ChannelPlan]) -> Table:
    table = _table("workload", "chpid", "protocol", "I/Os/s", "response us", "open", left=3)
    for name, chpid, protocol, rate, response_ns, active in _rows(plans):
        table.add_row(
            *(name, chpid, protocol, f"{rate:,.0f}", f"{response_ns / 1e3:,.1f}", f"{active:,.1f}")
        )
    return table


def _rows(
    plans: Sequence[ChannelPlan],
) -> Iterator[tuple[str, str, str, float, float, float]]:
    for plan in plans:
        for workload, each in zip(plan.workloads, plan.estimate.demands, strict=True):
            yield (
                *(workload.name, plan.channel.chpid, workload.protocol),
                *(each.rate_per_s, each.response_ns, each.active),
            )


def _synchronous(each: SynchronousLoad) -> str:
    links = f"{each.workload.name}: {len(each.links)} zHyperLink{'s' * (len(each.links) > 1)}"
    if each.outcome is None:
        return f"{links}; without a rate nothing is said of it."
    found = each.outcome
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


def _advice(advice: Sequence[Advice]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    for item in advice:
        table.add_row(Text(item.severity, SEVERITY_STYLES[item.severity]), item.text)
    return table
