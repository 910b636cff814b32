"""What ``isfc evacuate`` shows: the schedule as a chart, and what other traffic got meanwhile."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from isfc.cli.judgement.advice import paces, two_paces
from isfc.cli.output.table import plain_table
from isfc.cli.relocation.relocate_page import GIB, response_lines
from scenarios.moves.evacuation import Evacuated, Evacuation, EvacuationOutcome

_COLUMNS = 26
"""Of the chart."""


def evacuation_page(evacuation: Evacuation, outcome: EvacuationOutcome) -> RenderableType:
    """The whole page."""
    count, together = len(evacuation.tenants), evacuation.at_once
    order = "one by one" if together == 1 else f"{together} together"
    parts: list[RenderableType] = [
        f"Evacuation of {evacuation.source}: {count} guest{'s' * (count > 1)}, {order}",
        "",
        _schedule(outcome),
        "",
        (
            f"{'Empty' if outcome.all_moved else 'Not empty'} after {outcome.seconds:.2f} s; the "
            f"longest stop of a guest is {outcome.longest_quiesce_s:.2f} s."
        ),
    ]
    for response in outcome.responses:
        parts += ["", *response_lines(response)]
    if outcome.traffic:
        parts += ["", *_traffic(outcome)]
    return Group(*parts)


def sweep_rows(
    tried: Sequence[Evacuation], outcomes: Sequence[EvacuationOutcome]
) -> list[dict[str, Any]]:
    """A flat record for each number of guests together. Names and meanings of the keys stay."""
    return [
        {
            "together": each.at_once,
            "seconds": outcome.seconds,
            "longest_quiesce_s": outcome.longest_quiesce_s,
            "moved": sum(guest.moved.moved for guest in outcome.guests),
            "traffic_left_percent": _left_percent(outcome),
        }
        for each, outcome in zip(tried, outcomes, strict=True)
    ]


def sweep_page(evacuation: Evacuation, rows: Sequence[dict[str, Any]]) -> RenderableType:
    """A line for each number of guests together."""
    count = len(evacuation.tenants)
    traffic = (">other traffic left %",) if evacuation.loads else ()
    table = plain_table(">together", ">s", ">longest stop s", ">moved", *traffic)
    for row in rows:
        left = row["traffic_left_percent"]
        table.add_row(
            str(row["together"]),
            f"{row['seconds']:.2f}",
            f"{row['longest_quiesce_s']:.2f}",
            f"{row['moved']} of {count}",
            *([] if left is None else [f"{left:.0f}"]),
        )
    guests = f"{count} guest{'s' * (count > 1)}"
    return Group(f"Evacuation of {evacuation.source}: {guests}, by guests together", "", table)


def _left_percent(outcome: EvacuationOutcome) -> float | None:
    """What all other traffic gets meanwhile of what it gets alone; None if there is none."""
    alone = sum(each.alone.mb_per_s for each in outcome.traffic)
    if not alone:
        return None
    return 100 * sum(each.meanwhile_mb_per_s for each in outcome.traffic) / alone


def _schedule(outcome: EvacuationOutcome) -> Table:
    table = plain_table("guest", "to", ">GiB", ">begins s", ">takes s", ">stop s", "")
    for each in outcome.guests:
        table.add_row(
            Text(each.moved.plan.name),
            each.to,
            f"{each.moved.plan.memory.size / GIB:g}",
            f"{each.begin_s:.2f}",
            f"{each.moved.seconds:.2f}",
            f"{each.moved.quiesced_seconds:.2f}",
            Text(_bar(each, outcome.seconds), "cyan", no_wrap=True)
            if each.moved.moved
            else Text(f"not moved, {each.moved.end}", "yellow"),
        )
    return table


def _bar(each: Evacuated, seconds: float) -> str:
    """When it was under way, of all the time."""
    begin = int(each.begin_s / seconds * _COLUMNS)
    end = max(begin + 1, round(each.end_s / seconds * _COLUMNS))
    return " " * begin + "=" * (end - begin)


def _traffic(outcome: EvacuationOutcome) -> Iterator[RenderableType]:
    table = plain_table("other traffic, MB/s", ">without", ">meanwhile", ">left %")
    for each in outcome.traffic:
        table.add_row(
            each.link,
            paces(each.alone),
            f"{each.meanwhile_mb_per_s:.0f}",
            f"{100 * each.meanwhile_mb_per_s / max(1e-9, each.alone.mb_per_s):.0f}",
        )
    yield table
    if second := two_paces((each.link, each.alone) for each in outcome.traffic):
        yield second
