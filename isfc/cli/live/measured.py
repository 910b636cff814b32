"""What live links measure: rates between two looks, and results as of ``isfc run``, shown."""

import asyncio
import shlex
import sys
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

import typer
from msgspec import UNSET, Struct, structs
from rich.console import Group, RenderableType

from ctc.address import Rdev
from isfc.answers.link_run import LinkRun, link_run, run_report
from isfc.cli.live.loops import run_live
from isfc.cli.live.options import LiveOptions
from isfc.cli.output.streams import show, show_json
from isfc.errors.in_words import number
from isfc.layout.layout import Layout
from isfc.link.counters import DeviceSnapshot, LinkEndSnapshot
from isfc.link.name import NodeName
from isfc.live.operator import LiveSnapshot
from isfc.reports.figure import Unit
from isfc.reports.report import Column, Table
from isfc.reports.terminal import page, table_of
from scenarios.runs.experiment import NS_PER_S
from scenarios.runs.result import MIB, Result, measure

_Counters = TypeVar("_Counters", LinkEndSnapshot, DeviceSnapshot)


class CtcRates(Struct, frozen=True):
    """One CTC at one end: what is written there, and what the ``device`` is doing now.

    MB are 2^20 bytes. ``turn`` counts from 1 in the write order; None if this end does not
    write here.
    """

    device: DeviceSnapshot
    turn: int | None
    mb_per_s: float
    packages_per_s: float
    collisions_per_s: float


class NodeRates(Struct, frozen=True):
    """One end of a live link, as ``seen`` last. ``link`` has what ``isfc run`` would measure.

    Seconds are the node's own: at ``--dilation K`` each of them takes K.
    """

    seen: LiveSnapshot
    link: Result
    late_percent: float
    ctcs: tuple[CtcRates, ...]


def rates(before: LiveSnapshot | None, after: LiveSnapshot) -> NodeRates:
    """What happened in between; since the node began, if ``before`` is None.

    A node that has restarted counts from zero: what it was before is not subtracted.
    """
    begin = _begin(before, after)
    first, last = begin.node, after.node
    seconds = (last.now_ns - first.now_ns) / NS_PER_S
    waited_ns = after.waited_ns - begin.waited_ns
    return NodeRates(
        seen=after,
        link=measure(NodeName(last.name), first, last),
        late_percent=100 * (after.late_ns - begin.late_ns) / max(1, waited_ns),
        ctcs=tuple(
            _ctc_rates(old, new, last.write_order, seconds)
            for old, new in zip(first.devices, last.devices, strict=True)
        ),
    )


def _ctc_rates(
    old: DeviceSnapshot, new: DeviceSnapshot, order: tuple[Rdev, ...], seconds: float
) -> CtcRates:
    return CtcRates(
        device=new,
        turn=order.index(new.rdev) + 1 if new.rdev in order else None,
        mb_per_s=(new.write_length - old.write_length) / seconds / MIB,
        packages_per_s=(new.write_package_count - old.write_package_count) / seconds,
        collisions_per_s=(new.collision_count - old.collision_count) / seconds,
    )


def _begin(before: LiveSnapshot | None, after: LiveSnapshot) -> LiveSnapshot:
    """What to subtract: ``before``, unless the process or its node has restarted since."""
    if before is None or after.node.now_ns <= before.node.now_ns:
        begin_ns = min(0, after.node.now_ns - 1)  # so that some time has passed
        return LiveSnapshot(_zero(after.node, begin_ns), 0, 0, 0, 0, 0, 0, 0)
    if after.severed_count != before.severed_count:
        used_ns = before.node.cpu_ns  # a process's goes on where the model's begins again
        cpu_ns = used_ns if used_ns <= after.node.cpu_ns else 0
        node = replace(_zero(after.node, before.node.now_ns), cpu_ns=cpu_ns)
        return structs.replace(before, node=node)
    return before


def _zero(node: LinkEndSnapshot, now_ns: int) -> LinkEndSnapshot:
    """The node at ``now_ns``, having done nothing."""
    devices = tuple(
        _uncounted(each, rdev=each.rdev, partner_rdev=each.partner_rdev) for each in node.devices
    )
    return _uncounted(node, now_ns=now_ns, devices=devices)


def _uncounted(counters: _Counters, **kept: Any) -> _Counters:
    """Counters as they begin, but for what is no count, and for counts by size."""
    names = [each.name for each in fields(counters)]
    counts = {name: 0 for name in names if isinstance(getattr(counters, name), int)}
    return replace(counters, **counts | kept)


class Measured(Struct, frozen=True):
    """What a live node measured of one link, and how late that was, in percent of model time."""

    result: Result
    lag_percent: float
    partner: NodeName | None = None
    """The system at the other end; None if the node has that link only."""


def run_measured(
    main: Callable[[asyncio.Event, list[Measured]], Coroutine[Any, Any, int]],
    options: LiveOptions,
    links: Sequence[Layout],
    layout: str,
    *,
    json: bool,
) -> None:
    """Run ``main`` live, and print what it has measured, if that is anything; end with its code.

    ``layout`` is what the command line called it.
    """
    measured: list[Measured] = []
    code = run_live(lambda stop: main(stop, measured))
    if measured:
        found = live_run(options, links, measured, layout)
        if json:
            show_json(found)
        else:
            show(live_page(found))
    if code:
        raise typer.Exit(code)


class LiveRun(Struct, frozen=True):
    """What live systems have measured."""

    pace: str
    """`none` or `modelled`"""
    dilation: float | None
    """how many seconds each second of the model took; null with `none`"""
    lag_percent: dict[str, float]
    """by node, or `NODE-PARTNER` of one with several links: how much of the time it waited to be
    called was lateness"""
    results: list[LinkRun]
    """of each node, in the order of their names; for each of its links, if it has several"""


def live_run(
    options: LiveOptions,
    links: Sequence[Layout],
    measured: Sequence[Measured],
    layout: str | None = None,
) -> LiveRun:
    """What was measured at each link end."""
    results, lags = list[LinkRun](), dict[str, float]()
    factor, command = options.factor, shlex.join(["isfc", *sys.argv[1:]])
    time = f"model time, each taking {factor} s" if factor else "real time"
    for each in measured:
        ends = {each.result.node, each.partner}
        link = next(link for link in links if each.partner is None or ends == {*link.nodes})
        experiment = options.experiment(link)
        assert experiment is not None, "nothing to measure"
        found = link_run(experiment, [each.result], layout, time=time, command=command)
        results.append(replace(found, partner=each.partner or UNSET))
        lags[lag_key(results[-1])] = each.lag_percent
    return LiveRun(options.pace.value, factor or None, lags, results)


def live_page(found: LiveRun) -> RenderableType:
    """The page of each system that has measured; of several links a line for each of their ends."""
    if any(each.partner is not UNSET for each in found.results):
        return _links_page(found)
    pages: list[RenderableType] = []
    for each in found.results:
        pages += [page(run_report(each), notes=True), ""]
        if found.dilation:
            lag = number(found.lag_percent[lag_key(each)], 2)
            pages += [f"Lag: {lag} % of the time was lateness", ""]
    return Group(*pages[:-1])


def lag_key(found: LinkRun) -> str:
    """What a lag is listed under: the system, or with several links the system and its partner."""
    return found.node if found.partner is UNSET else f"{found.node}-{found.partner}"


def _links_page(found: LiveRun) -> RenderableType:
    """A table of all link ends; a system writes at the left of the arrow, its partner reads."""

    def lag(each: LinkRun) -> float:
        return found.lag_percent[lag_key(each)]

    columns = [
        Column("link", "link", value=lambda each: f"{each.node} > {each.partner}"),
        Column("MB/s out", "mb_per_s_out", width=8, places=1),
        Column("MB/s in", "mb_per_s_in", width=7, places=1),
        Column("msg/s", "messages_per_s", Unit.COUNTED),
        Column("coll/s", "collisions_per_s", width=6, places=1),
    ]
    if found.dilation:
        columns.append(Column("lag %", "lag_percent", width=6, places=2, value=lag))
    one = found.results[0]
    what = f"{one.workload} with {one.pairs} pairs on each link"
    how_long = f"{one.seconds:g} s of {one.time} after {one.warmup:g} s of warm-up"
    return Group(what, how_long, "", table_of(Table("", columns, found.results)))
