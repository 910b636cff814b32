"""Guests that are moved: run with a bar, and shown as a page, JSON, CSV or a picture."""

import typer
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from isfc.cli.options.profile import ProfileJson, profile_json
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.limit_record import LimitsJson
from isfc.cli.output.notes import NoteJson, note_lines, notes_json, show_notes
from isfc.cli.output.picture import write_picture
from isfc.cli.output.progress import progress_bar, run_all
from isfc.cli.output.ranges import RangeJson, range_json
from isfc.cli.output.streams import plain, show, show_csv, show_json, show_log
from isfc.cli.relocation.certainty import MovesLimit, MovesRangeJson, ranges_json, ranges_line
from isfc.cli.relocation.options import ShownOptions
from isfc.cli.relocation.page import GIB, moves_page, traffic_range
from isfc.cli.relocation.picture import passes_picture
from isfc.cli.relocation.study_page import (
    TriedJson,
    best_line,
    best_rows,
    shorter_page,
    shorter_rows,
    sweep_page,
    sweep_rows,
)
from scenarios.figures.moved_ranges import evacuation_ranges
from scenarios.moves.compared import evacuate
from scenarios.moves.evacuation import Evacuation, EvacuationOutcome
from scenarios.moves.record import EvacuationJson, TrafficJson
from scenarios.moves.study import Advice, Varied
from scenarios.moves.study import sweep as run_sweep
from scenarios.moves.together import BestTogether


class RangedTrafficJson(TrafficJson, frozen=True, kw_only=True):
    """The same with ranges."""

    alone_range: RangeJson
    meanwhile_range: RangeJson


class MovesJson(EvacuationJson, frozen=True, kw_only=True):
    """``isfc relocate --json`` and ``isfc evacuate --json``. Names of the keys stay."""

    traffic: tuple[RangedTrafficJson, ...]
    """of each link with other traffic"""
    ranges: MovesRangeJson | None
    """null if nothing follows from a rate"""
    limits: LimitsJson
    """the links meanwhile, by runs of HL with as many messages under way"""
    shorter: list[TriedJson] | UnsetType = UNSET
    """with `--shorter`"""
    tried: list[TriedJson] | UnsetType = UNSET
    """as of `shorter`, with `--best`: of each number of guests together that was tried"""
    profile: ProfileJson | UnsetType = UNSET
    """as of `isfc plan --json`"""


class SweepJson(Struct, frozen=True):
    """With ``--sweep``. Names and meanings of the keys stay between releases."""

    source: str
    """the system that the guests leave, or all of them in words"""
    varied: str
    """`channels` or `guests`"""
    runs: list[TriedJson]
    """as of `shorter`"""
    notes: list[NoteJson]
    """as of `isfc plan --json`"""
    profile: ProfileJson | UnsetType
    """as of `isfc plan --json`"""


def watch(evacuation: Evacuation) -> EvacuationOutcome:
    """Run it, and show how many GiB have been moved: more than all memory, as it changes."""
    total = sum(plan.memory.touched for plan in evacuation.plans) / GIB
    unit = "GiB, and then what changes"
    with progress_bar(
        total, unit, lambda done: f"interrupted after {done:.1f} GiB", is_said=True
    ) as advance:
        return evacuate(evacuation, lambda length: advance(length / GIB))


def show_moves(
    outcome: EvacuationOutcome,
    shown: ShownOptions,
    *,
    like: str | None = None,
    advice: Advice | None = None,
    best: BestTogether | None = None,
) -> None:
    """Show what came of them; ends with 1 if a guest could not be moved."""
    ranges = evacuation_ranges(outcome)
    if shown.plot:
        write_picture(shown.plot, passes_picture(outcome, ranges))
    if shown.csv:
        show_log(f"isfc: note: {ranges_line(ranges)}")
        show_notes(outcome.notes)
        show_csv(outcome.rows())
    elif shown.json:
        show_json(moves_json(outcome, advice, best))
    else:
        parts = [moves_page(outcome, ranges, like), MovesLimit.of(outcome).line()]
        parts += [] if best is None else [best_line(best)]
        parts += [] if advice is None else ["", shorter_page(outcome, advice)]
        show(*parts, *note_lines(outcome.notes))
    if not outcome.all_moved:
        raise typer.Exit(ExitCode.FAILED)


def moves_json(
    outcome: EvacuationOutcome, advice: Advice | None = None, best: BestTogether | None = None
) -> MovesJson:
    """The record of moves; ``best`` is what else was tried."""
    record = asdict(outcome.record)
    traffic = tuple(
        RangedTrafficJson(
            **asdict(each),
            alone_range=range_json(traffic_range(outcome, each.link, each.alone_mb_per_s)),
            meanwhile_range=range_json(traffic_range(outcome, each.link, each.meanwhile_mb_per_s)),
        )
        for each in record.pop("traffic")
    )
    return MovesJson(
        **record,
        traffic=traffic,
        ranges=ranges_json(evacuation_ranges(outcome), outcome.guests),
        limits=MovesLimit.of(outcome).record(),
        shorter=UNSET if advice is None else shorter_rows(advice),
        tried=UNSET if best is None else best_rows(best),
        profile=_profile(outcome.evacuation),
    )


def show_sweep(
    evacuation: Evacuation, varied: Varied, shown: ShownOptions, jobs: int | None
) -> None:
    """A table over what is varied. Guests that cannot be moved somewhere are no failure of it."""
    tried = run_sweep(
        evacuation, varied, lambda work, each: run_all(work, each, jobs, is_said=True)
    )
    rows = sweep_rows(varied, tried)
    notes = [*dict.fromkeys(note for each in tried for note in each.outcome.notes)]
    if shown.csv:
        show_notes(notes)
        show_csv(plain(rows))
    elif shown.json:
        profile = _profile(evacuation)
        show_json(SweepJson(evacuation.name, varied, rows, notes_json(notes), profile))
    else:
        show(sweep_page(evacuation, varied, tried), *note_lines(notes))


def _profile(evacuation: Evacuation) -> ProfileJson | UnsetType:
    return profile_json(evacuation.collection.links[0].site)
