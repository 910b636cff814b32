"""What ``isfc evacuate`` shows: the schedule as a chart, and what other traffic got meanwhile."""

from collections.abc import Iterator, Sequence
from typing import Any, Self

from msgspec import UNSET, Struct, UnsetType
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from isfc.cli.judgement.advice import paces, two_paces
from isfc.cli.output.ranges import likely, range_note
from isfc.cli.output.table import plain_table
from isfc.cli.relocation.certainty import flat_ranges, ranges_line, seconds
from isfc.cli.relocation.relocate_page import GIB, response_lines
from isfc.layout.in_words import first_listed
from scenarios.figures.certainty import Range
from scenarios.figures.moved_ranges import MovesRange
from scenarios.figures.ranges import links_range
from scenarios.moves.at_once import ALIKE_SHARE, BestTogether
from scenarios.moves.evacuation import Evacuated, Evacuation, EvacuationOutcome, OtherTraffic

_COLUMNS = 14
"""Of the chart."""


def evacuation_page(
    evacuation: Evacuation,
    outcome: EvacuationOutcome,
    ranges: MovesRange | None,
    said: Sequence[str] = (),
) -> RenderableType:
    """The whole page: what it comes to, and what else is ``said`` of that, then each guest."""
    count, together = len(evacuation.tenants), evacuation.at_once
    order = "one by one" if together == 1 else f"{together} together"
    parts: list[RenderableType] = [
        f"Evacuation of {evacuation.name}: {count} guest{'s' * (count > 1)}, {order}; times in s",
        "",
        (
            f"{'Empty' if outcome.all_moved else 'Not empty'} after {outcome.seconds:.2f} s; the "
            f"longest stop of a guest is {outcome.longest_quiesce_s:.2f} s."
        ),
    ]
    other = [f"{each.moved.plan.name} ({each.meant})" for each in outcome.guests if each.elsewhere]
    if other:
        parts.append(
            f"Elsewhere, as the link to where they were to go was down: {first_listed(other, 8)}."
        )
    parts += [ranges_line(ranges)] if ranges else []
    parts += [*filter(None, said), "", _schedule(outcome, ranges)]
    for response in outcome.responses:
        parts += ["", *response_lines(response)]
    if outcome.traffic:
        parts += ["", *_traffic(evacuation, outcome)]
    return Group(*parts)


class TogetherJson(Struct, frozen=True, kw_only=True):
    """What came of a number of guests together."""

    together: int
    seconds: float
    longest_stop_s: float
    longest_quiesce_s: float
    """the same, in this release"""
    moved: int
    """how many guests"""

    @classmethod
    def of(cls, count: int, outcome: EvacuationOutcome, **more: Any) -> Self:
        """The record of an outcome."""
        return cls(
            together=count,
            seconds=outcome.seconds,
            longest_stop_s=outcome.longest_quiesce_s,
            longest_quiesce_s=outcome.longest_quiesce_s,
            moved=sum(guest.moved.moved for guest in outcome.guests),
            **more,
        )


class SweptJson(TogetherJson, frozen=True, kw_only=True):
    """The same with what other traffic got; flat, as CSV has it. Names of the keys stay."""

    traffic_left_percent: float | None
    """what other traffic gets of what it gets alone; null without any"""
    seconds_likely_low: float | UnsetType = UNSET
    """this and those below: the ranges, if the times have some"""
    seconds_likely_high: float | UnsetType = UNSET
    seconds_sure_low: float | UnsetType = UNSET
    seconds_sure_high: float | UnsetType = UNSET
    longest_stop_s_likely_low: float | UnsetType = UNSET
    longest_stop_s_likely_high: float | UnsetType = UNSET
    longest_stop_s_sure_low: float | UnsetType = UNSET
    longest_stop_s_sure_high: float | UnsetType = UNSET
    longest_quiesce_s_likely_low: float | UnsetType = UNSET
    longest_quiesce_s_likely_high: float | UnsetType = UNSET
    longest_quiesce_s_sure_low: float | UnsetType = UNSET
    longest_quiesce_s_sure_high: float | UnsetType = UNSET


def best_line(best: BestTogether) -> str:
    """How many together are best, of what was tried."""
    tried = ", ".join(f"{count}: {outcome.seconds:.2f} s" for count, outcome in best.tried.items())
    return (
        f"Best together: {best.count}; it moves the most guests in the shortest time, within "
        f"{100 * ALIKE_SHARE:g} %, with the fewest. Tried: {tried}."
    )


def sweep_rows(
    tried: Sequence[Evacuation],
    outcomes: Sequence[EvacuationOutcome],
    ranges: Sequence[MovesRange | None],
) -> list[SweptJson]:
    """A record for each number of guests together."""
    return [
        SweptJson.of(
            each.at_once,
            outcome,
            traffic_left_percent=_left_percent(outcome),
            **flat_ranges(known, "longest_stop_s") | flat_ranges(known, "longest_quiesce_s"),
        )
        for each, outcome, known in zip(tried, outcomes, ranges, strict=True)
    ]


def sweep_page(
    evacuation: Evacuation, rows: Sequence[SweptJson], ranges: Sequence[MovesRange | None]
) -> RenderableType:
    """A line for each number of guests together."""
    count = len(evacuation.tenants)
    traffic = (">other traffic left %",) if evacuation.loads else ()
    figures = (">s", "~range", ">longest stop s", "~range", ">moved")
    table = plain_table(">together", *figures, *traffic)
    for row, known in zip(rows, ranges, strict=True):
        left = row.traffic_left_percent
        table.add_row(
            str(row.together),
            f"{row.seconds:.2f}",
            seconds(known.seconds if known else None),
            f"{row.longest_stop_s:.2f}",
            seconds(known.longest_stop if known else None),
            f"{row.moved} of {count}",
            *([] if left is None else [f"{left:.0f}"]),
        )
    guests = f"{count} guest{'s' * (count > 1)}"
    note = range_note(rate for each in ranges if each for rate in each.rates)
    heading = f"Evacuation of {evacuation.name}: {guests}, by guests together"
    return Group(heading, "", table, note)


def _left_percent(outcome: EvacuationOutcome) -> float | None:
    """What all other traffic gets meanwhile of what it gets alone; None if there is none."""
    alone = sum(each.alone.mb_per_s for each in outcome.traffic)
    if not alone:
        return None
    return 100 * sum(each.meanwhile_mb_per_s for each in outcome.traffic) / alone


def _schedule(outcome: EvacuationOutcome, ranges: MovesRange | None) -> Table:
    figures = (">begins", ">takes", "~range", ">stop", "~range")
    sources = len({each.source for each in outcome.guests}) > 1
    table = plain_table("guest", *["from"] * sources, "to", ">GiB", *figures, "", gap=1)
    within = ranges.guests if ranges else [None] * len(outcome.guests)
    for each, known in zip(outcome.guests, within, strict=True):
        table.add_row(
            Text(each.moved.plan.name),
            *[each.source] * sources,
            each.to,
            f"{each.moved.plan.memory.size / GIB:g}",
            f"{each.begin_s:.2f}",
            f"{each.moved.seconds:.2f}",
            seconds(known.seconds if known else None),
            f"{each.moved.quiesced_seconds:.2f}",
            seconds(known.quiesced if known else None),
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


def traffic_range(evacuation: Evacuation, traffic: OtherTraffic, mb_per_s: float) -> Range:
    """Between what the other traffic of a link would carry."""
    return links_range(mb_per_s, [evacuation.collection.link(traffic.link)])


def _traffic(evacuation: Evacuation, outcome: EvacuationOutcome) -> Iterator[RenderableType]:
    figures = (">without", "~range", ">meanwhile", "~range", ">left %")
    table = plain_table("other traffic, MB/s both ways", *figures)
    ranges = []
    for each in outcome.traffic:
        without, meanwhile = (
            traffic_range(evacuation, each, rate)
            for rate in (each.alone.mb_per_s, each.meanwhile_mb_per_s)
        )
        ranges += [without, meanwhile]
        table.add_row(
            each.link,
            paces(each.alone),
            likely(without),
            f"{each.meanwhile_mb_per_s:.0f}",
            likely(meanwhile),
            f"{100 * each.meanwhile_mb_per_s / max(1e-9, each.alone.mb_per_s):.0f}",
        )
    yield table
    yield range_note(ranges)
    if second := two_paces((each.link, each.alone) for each in outcome.traffic):
        yield second
