"""Guests that are moved: run with a bar, and shown as a page, JSON, CSV or a picture."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import typer
from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from isfc.answers.limit_record import Limits
from isfc.answers.moves import GIB, moving_limits, moving_line, ranges_line
from isfc.answers.profile import Profile, profile_of
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.notes import note_lines, show_notes
from isfc.cli.output.picture import write_picture
from isfc.cli.output.progress import progress_bar, run_all
from isfc.cli.output.streams import show, show_csv, show_json, show_log
from isfc.cli.relocation.best import TriedJson, best_line, best_rows
from isfc.cli.relocation.certainty import MovesRangeJson, ranges_json
from isfc.cli.relocation.options import ShownOptions
from isfc.cli.relocation.page import moves_page, traffic_rate
from isfc.cli.relocation.picture import passes_picture
from isfc.reports.ranges import RangeJson, range_json
from scenarios.moves.compared import evacuate
from scenarios.moves.evacuation import Evacuation, EvacuationOutcome
from scenarios.moves.record import EvacuationJson, TrafficJson
from scenarios.moves.together import BestTogether, best_together

_Outcome = TypeVar("_Outcome")


class RangedTrafficJson(TrafficJson, frozen=True, kw_only=True):
    """The same with ranges."""

    alone_range: RangeJson | None
    meanwhile_range: RangeJson | None


class MovesJson(EvacuationJson, frozen=True, kw_only=True):
    """``isfc relocate --json`` and ``isfc evacuate --json``. Names of the keys stay."""

    traffic: tuple[RangedTrafficJson, ...]
    """of each link with other traffic"""
    ranges: MovesRangeJson | None
    """null if nothing follows from a rate"""
    limits: Limits
    """the links meanwhile, by runs of HL with as many messages under way"""
    tried: list[TriedJson] | UnsetType = UNSET
    """with `--best`: of each number of guests together that was tried"""
    profile: Profile | UnsetType = UNSET
    """as of `isfc plan --json`"""


def watch(total: int, move: Callable[[Callable[[int], None]], _Outcome]) -> _Outcome:
    """Let ``move`` go on, which tells how many bytes it has moved, and show how many GiB.

    ``total`` are the bytes of all memory; more are moved, as it changes.
    """
    unit = "GiB, and then what changes"
    with progress_bar(
        total / GIB, unit, lambda done: f"interrupted after {done:.1f} GiB", is_said=True
    ) as advance:
        return move(lambda length: advance(length / GIB))


def move_and_show(
    evacuation: Evacuation, shown: ShownOptions, jobs: int | None, *, like: str | None = None
) -> None:
    """Run it, or search the best, and show what came of it; ends with 1 if a guest stayed."""
    best = None
    if shown.best:
        best = best_together(evacuation, partial(run_all, jobs=jobs, is_said=True))
    total = sum(plan.memory.touched for plan in evacuation.plans)
    outcome = best.outcome if best else watch(total, partial(evacuate, evacuation))
    figures = outcome.figures
    if shown.plot:
        write_picture(shown.plot, passes_picture(outcome, figures))
    if shown.csv:
        show_log(f"isfc: note: {ranges_line(figures)}")
        show_notes(outcome.notes)
        show_csv(outcome.rows())
    elif shown.json:
        show_json(moves_json(outcome, best))
    else:
        answer = [] if best is None else [best_line(best), ""]
        parts = [*answer, moves_page(outcome, figures, like), moving_line(outcome)]
        show(*parts, *note_lines(outcome.notes))
    if not outcome.all_moved:
        raise typer.Exit(ExitCode.FAILED)


def moves_json(outcome: EvacuationOutcome, best: BestTogether | None = None) -> MovesJson:
    """The record of moves; ``best`` is what else was tried."""
    record = asdict(outcome.record)
    traffic = tuple(
        RangedTrafficJson(
            **asdict(each),
            alone_range=range_json(traffic_rate(outcome, each.link, each.alone_mb_per_s)),
            meanwhile_range=range_json(traffic_rate(outcome, each.link, each.meanwhile_mb_per_s)),
        )
        for each in record.pop("traffic")
    )
    return MovesJson(
        **record,
        traffic=traffic,
        ranges=ranges_json(outcome.figures, outcome.guests),
        limits=moving_limits(outcome),
        tried=UNSET if best is None else best_rows(best),
        profile=profile_of(outcome.evacuation.collection.links[0].site),
    )
