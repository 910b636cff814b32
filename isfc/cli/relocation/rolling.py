"""``isfc evacuate --rolling``: rolling maintenance on one page."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

import typer
from msgspec import Struct
from msgspec.structs import asdict
from rich.console import Group, RenderableType

from isfc.answers.moves import GIB, with_range
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.notes import note_lines, show_notes
from isfc.cli.output.streams import show, show_csv, show_json
from isfc.cli.relocation.options import ShownOptions
from isfc.cli.relocation.page import response_lines
from isfc.cli.relocation.shown import watch
from isfc.layout.in_words import first_listed
from isfc.layout.note import Note
from isfc.reports.ranges import RangeJson, range_json, range_note
from isfc.reports.table import plain_table
from isfc.reports.units import with_unit
from scenarios.moves.notes import moves_notes
from scenarios.moves.orders import Response
from scenarios.moves.record import TurnJson
from scenarios.moves.rolling import Rolling, RollingOutcome, Turn, roll

_NAMED = 6
"""Guests that the page names."""


def show_rolling(rolling: Rolling, shown: ShownOptions) -> None:
    """Run it, with a bar, and show what came of it; ends with 1 if a guest stayed."""
    leaving = [each.plan.memory.touched for each in rolling.tenants if each.source in rolling.order]
    outcome = watch(2 * sum(leaving), partial(roll, rolling))
    plans = [tenant.plan for tenant in rolling.tenants]
    notes = moves_notes(rolling.collection, plans, rolling.loads)
    if shown.csv:
        show_notes(notes)
        show_csv(outcome.rows())
    elif shown.json:
        show_json(rolling_json(rolling, outcome, notes))
    else:
        show(_page(rolling, outcome), *note_lines(notes))
    if not outcome.all_moved:
        raise typer.Exit(ExitCode.FAILED)


class RangedTurnJson(TurnJson, frozen=True):
    """The same with ranges, null if nothing follows from a rate."""

    seconds_range: RangeJson | None
    longest_stop_range: RangeJson | None


class RollingJson(Struct, frozen=True):
    """``isfc evacuate --rolling --json``. Names and meanings of the keys stay between releases."""

    order: list[str]
    """of the systems"""
    together: int
    """how many leave a system at the same time"""
    seconds: float
    """of all moves, without the maintenance itself"""
    longest_stop_s: float
    """the longest that a guest was stopped"""
    all_moved: bool
    """whether every guest was away when its system was left, and is back"""
    turns: list[RangedTurnJson]
    """two for each system"""
    responses: Sequence[Response]
    """as of `isfc relocate --json`"""
    seconds_range: RangeJson | None
    """null if nothing follows from a rate"""
    longest_stop_range: RangeJson | None
    notes: list[Note]
    """as of `isfc plan --json`"""


def rolling_json(
    rolling: Rolling,
    outcome: RollingOutcome,
    notes: Sequence[Note],
) -> RollingJson:
    """The record of a rolling maintenance."""
    return RollingJson(
        [*rolling.order],
        rolling.together,
        *(outcome.seconds, outcome.longest_stop_s),
        outcome.all_moved,
        [
            RangedTurnJson(
                **asdict(turn),
                seconds_range=range_json(each.figures.seconds),
                longest_stop_range=range_json(each.figures.longest_stop),
            )
            for turn, each in zip(outcome.turn_records(), outcome.turns, strict=True)
        ],
        outcome.responses,
        range_json(outcome.figures.seconds),
        range_json(outcome.figures.longest_stop),
        list(notes),
    )


def _page(rolling: Rolling, outcome: RollingOutcome) -> RenderableType:
    heads = (">guests", ">GiB", ">takes", "~range", ">stop", "~range")
    table = plain_table("system", "", *heads, "guests go to", gap=1)
    for turn in outcome.turns:
        known = turn.figures
        table.add_row(
            turn.system if turn.is_away else "",
            turn.way,
            f"{len(turn.guests)}",
            f"{sum(each.plan.memory.size for each in turn.guests) / GIB:g}",
            *with_range(known.seconds),
            *with_range(known.longest_stop),
            _where(turn),
        )
    together = "one by one" if rolling.together == 1 else f"{rolling.together} together"
    stayed = [
        f"{name} {f'at {turn.system}' if turn.is_away else 'where it went'}"
        for turn in outcome.turns
        for name in turn.stayed
    ]
    found = outcome.figures
    took, stop = with_unit(found.seconds), with_unit(found.longest_stop)
    said = (
        f"{took} of moves, without the maintenance itself; the longest stop of a guest is {stop}. "
        f"{range_note(found.rates)}"
    )
    failed = [f"Not moved, and left behind: {first_listed(stayed, _NAMED)}."] if stayed else []
    count = len(rolling.tenants)
    return Group(
        f"Rolling maintenance of {len(rolling.order)} systems, in this order: "
        f"{', '.join(rolling.order)}",
        f"{count} guest{'s' * (count > 1)}, {together} from each system; times in s",
        "",
        table,
        "",
        said,
        *failed,
        *(line for each in outcome.responses for line in ("", *response_lines(each))),
    )


def _where(turn: Turn) -> str:
    """How many guests went where."""
    if not turn.is_away:
        return ""
    counts = Counter(each.to for each in turn.guests if each.moved)
    return ", ".join(f"{system} {count}" for system, count in sorted(counts.items()))
