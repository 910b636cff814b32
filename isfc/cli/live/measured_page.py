"""What a live run shows: as ``isfc run`` does, from each system that has measured."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace

from msgspec import UNSET, Struct
from rich.console import Group, RenderableType

from isfc.answers.run import LinkRun, link_run, run_report
from isfc.cli.live.options import LiveOptions
from isfc.cli.live.running_node import Measured
from isfc.cli.output.streams import show, show_json
from isfc.layout.layout import Layout
from isfc.reports.table import plain_table
from isfc.reports.terminal import page


def show_measured(
    options: LiveOptions,
    links: Sequence[Layout],
    measured: Sequence[Measured],
    layout: str,
    *,
    json: bool,
) -> None:
    """Print what was measured, if anything was; ``layout`` is what the command line called it."""
    if measured and json:
        show_json(live_json(options, links, measured, layout))
    elif measured:
        show(live_page(options, links, measured))


def live_page(
    options: LiveOptions, links: Sequence[Layout], measured: Sequence[Measured]
) -> RenderableType:
    """The page of each system that has measured; of several links a line for each of their ends."""
    if any(each.partner is not None for each in measured):
        return _links_page(options, measured)
    pages: list[RenderableType] = []
    for each in measured:
        record = _record(options, links, each, None)
        pages += [page(run_report(record), notes=True), ""]
        if options.factor:
            pages += [f"Lag: {each.lag_percent:.2f} % of the time was lateness", ""]
    return Group(*pages[:-1])


class LiveJson(Struct, frozen=True):
    """``isfc up --json`` and ``isfc node --json``. Names and meanings of the keys stay."""

    pace: str
    """`none` or `modelled`"""
    dilation: float | None
    """how many seconds each second of the model took; null with `none`"""
    lag_percent: dict[str, float]
    """by node, or `NODE-PARTNER` of one with several links: how much of the time it waited to be
    called was lateness"""
    results: list[LinkRun]
    """of each node, in the order of their names; for each of its links, if it has several"""


def live_json(
    options: LiveOptions,
    links: Sequence[Layout],
    measured: Sequence[Measured],
    layout: str | None = None,
) -> LiveJson:
    """The record of what was measured at each link end."""
    results = []
    for each in measured:
        record = _record(options, links, each, layout)
        results.append(replace(record, partner=UNSET if each.partner is None else each.partner))
    lags = {lag_key(each): each.lag_percent for each in measured}
    return LiveJson(options.pace.value, options.factor or None, lags, results)


def _record(
    options: LiveOptions, links: Sequence[Layout], each: Measured, layout: str | None
) -> LinkRun:
    """What one link end has measured."""
    ends = {each.result.node, each.partner}
    link = next(link for link in links if each.partner is None or ends == {*link.nodes})
    experiment = options.experiment(link)
    assert experiment is not None, "nothing to measure"
    command = shlex.join(["isfc", *sys.argv[1:]])
    return link_run(experiment, [each.result], layout, time=_time(options), command=command)


def lag_key(measured: Measured) -> str:
    """What a lag is listed under: the system, or with several links the system and its partner."""
    node = measured.result.node
    return node if measured.partner is None else f"{node}-{measured.partner}"


def _links_page(options: LiveOptions, measured: Sequence[Measured]) -> RenderableType:
    """A table of all link ends; a system writes at the left of the arrow, its partner reads."""
    lag = (">lag %",) if options.factor else ()
    table = plain_table("link", ">MB/s out", ">MB/s in", ">msg/s", ">coll/s", *lag)
    for each in measured:
        result = each.result
        table.add_row(
            f"{result.node} > {each.partner or ''}",
            f"{result.mb_per_s_out:.1f}",
            f"{result.mb_per_s_in:.1f}",
            f"{result.messages_per_s:,.0f}",
            f"{result.collisions_per_s:.1f}",
            *([f"{each.lag_percent:.2f}"] if options.factor else []),
        )
    what = f"{options.workload} with {options.pairs} pairs on each link"
    how_long = f"{options.seconds:g} s of {_time(options)} after {options.warmup:g} s of warm-up"
    return Group(what, how_long, "", table)


def _time(options: LiveOptions) -> str:
    if not options.factor:
        return "real time"
    return f"model time, each taking {options.factor} s"
