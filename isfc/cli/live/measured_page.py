"""Running a live command, and what it shows: as ``isfc run``, from each system that measured."""

import asyncio
import shlex
import sys
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any

import typer
from msgspec import UNSET, Struct
from rich.console import Group, RenderableType

from isfc.answers.run import LinkRun, link_run, run_report
from isfc.cli.live.loops import run_live
from isfc.cli.live.options import LiveOptions
from isfc.cli.live.running_node import Measured
from isfc.cli.output.streams import show, show_json
from isfc.errors.in_words import number
from isfc.layout.layout import Layout
from isfc.reports.figure import Unit
from isfc.reports.report import Column, Table
from isfc.reports.terminal import page, table_of


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
