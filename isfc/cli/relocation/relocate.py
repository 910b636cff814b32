"""``isfc relocate``: live guest relocation over a layout's link, in virtual time."""

from functools import partial

import typer
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from isfc.cli.options.experiment import SeedOption, choose_node
from isfc.cli.options.flattened import flattened
from isfc.cli.options.guest import GuestOptions
from isfc.cli.options.layout import open_with_disks
from isfc.cli.options.number import JobsOption
from isfc.cli.options.profile import LinkOptions, ProfileJson, profile_json
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.limit_record import LimitsJson
from isfc.cli.output.notes import NoteJson, note_lines, notes_json, show_notes
from isfc.cli.output.picture import write_picture
from isfc.cli.output.progress import progress_bar, run_all
from isfc.cli.output.streams import plain, show, show_csv, show_json, show_log
from isfc.cli.relocation.certainty import (
    UNRANGED,
    MovesLimit,
    MovesRangeJson,
    ranges_json,
    ranges_line,
)
from isfc.cli.relocation.options import (
    AtOption,
    BackgroundOption,
    LeavingOptions,
    LimitOptions,
    ShownOptions,
    WindowOption,
    read_background,
    read_orders,
)
from isfc.cli.relocation.relocate_page import GIB, passes_picture, relocation_page
from isfc.cli.relocation.study_page import (
    TriedJson,
    shorter_page,
    shorter_rows,
    sweep_page,
    sweep_rows,
)
from scenarios.figures.moved_ranges import relocation_ranges
from scenarios.moves.evacuation import WINDOW
from scenarios.moves.relocated import Relocated, RelocatedJson, check_stop, watch_relocation
from scenarios.moves.relocation import Relocation, relocation_notes
from scenarios.moves.study import Varied, advise
from scenarios.moves.study import sweep as run_sweep
from scenarios.moves.targets import Tenant, place_guests, rooms


class RelocateJson(RelocatedJson, frozen=True, kw_only=True):
    """``isfc relocate --json``. Names and meanings of the keys stay between releases."""

    ranges: MovesRangeJson | None
    """null if nothing follows from a rate"""
    limits: LimitsJson
    """the links meanwhile, by runs of HL with as many messages under way"""
    shorter: list[TriedJson] | UnsetType = UNSET
    """with `--shorter`"""
    profile: ProfileJson | UnsetType = UNSET
    """as of `isfc plan --json`"""


class SweepJson(Struct, frozen=True):
    """``isfc relocate --sweep --json``. Names and meanings of the keys stay between releases."""

    varied: str
    """`channels` or `guests`"""
    runs: list[TriedJson]
    """as of `shorter`"""
    notes: list[NoteJson]
    """as of `isfc plan --json`"""
    profile: ProfileJson | UnsetType
    """as of `isfc plan --json`"""


@flattened
def relocate_guests(
    chosen: LinkOptions,
    *,
    guest: GuestOptions,
    leaving: LeavingOptions,
    background: BackgroundOption = None,
    limited: LimitOptions,
    at: AtOption = None,
    window: WindowOption = WINDOW,
    seed: SeedOption = 1,
    jobs: JobsOption = None,
    shown: ShownOptions,
) -> None:
    """Show how long live guest relocations take over the link.

    Passes go over what has changed since the one before until little enough is left; then the
    guest is stopped. Every message is simulated. Ends with 1 if a guest could not be relocated.
    docs/relocation.md says what is assumed.
    """
    file = chosen.open_file()
    link, _ = open_with_disks(file, chosen.link_name)
    source = choose_node(link, "--from", leaving.source)
    plans = leaving.plans(guest, limited.limits, lambda plan: check_stop(plan, link, source))
    relocation = Relocation(
        link,
        plans,
        leaving.count_together(len(plans)),
        source,
        None if background is None else read_background(background),
        read_orders(at, plans),
        window,
        seed,
    )
    if room := rooms(file.collection):
        begin, end = relocation.way
        place_guests(file.collection, (begin,), [Tenant(plan, to=end) for plan in plans], room)
    if shown.sweep is not None:
        _sweep(relocation, shown.sweep, shown, jobs)
        return
    found = _watch(relocation)
    _show(found, shown, guest.like, jobs)
    if not found.all_moved:
        raise typer.Exit(ExitCode.FAILED)


def _sweep(relocation: Relocation, varied: Varied, shown: ShownOptions, jobs: int | None) -> None:
    """A table over what is varied. Guests that cannot be moved somewhere are no failure of it."""
    tried = run_sweep(relocation, varied, partial(run_all, jobs=jobs, is_said=True))
    rows = sweep_rows(varied, tried)
    each = [relocation_notes(relocation, one.outcome) for one in tried]
    notes = [*dict.fromkeys(note for those in each for note in those), UNRANGED]
    if shown.csv:
        show_notes(notes)
        show_csv(plain(rows))
    elif shown.json:
        site = profile_json(relocation.layout.site)
        show_json(SweepJson(varied, rows, notes_json(notes), site))
    else:
        show(sweep_page(relocation, varied, tried), *note_lines(notes))


def _show(found: Relocated, shown: ShownOptions, like: str | None, jobs: int | None) -> None:
    advice = None
    ranges = relocation_ranges(found.relocation, found.guests)
    if shown.shorter:
        advice = advise(found.relocation, found.outcome, partial(run_all, jobs=jobs, is_said=True))
    if shown.plot:
        source, to = found.relocation.way
        title = f"Passes from {source} to {to}"
        write_picture(shown.plot, passes_picture(found.guests, title, ranges))
    notes = (*found.notes, UNRANGED)
    if shown.csv:
        show_log(f"isfc: note: {ranges_line(ranges)}")
        show_notes(notes)
        show_csv(found.rows())
    elif shown.json:
        record = RelocateJson(
            **{**asdict(found.record), "notes": notes},
            ranges=ranges_json(ranges, found.guests),
            limits=MovesLimit.of(found.relocation.evacuation, found.guests).record(),
            shorter=UNSET if advice is None else shorter_rows(advice),
            profile=profile_json(found.relocation.layout.site),
        )
        show_json(record)
    else:
        why = MovesLimit.of(found.relocation.evacuation, found.guests).line()
        more = [] if advice is None else ["", shorter_page(found, advice)]
        show(relocation_page(found, like, ranges), why, *more, *note_lines(notes))


def _watch(relocation: Relocation) -> Relocated:
    """Relocate, and show how many GiB have been moved: more than all memory, as it changes."""
    total = sum(plan.memory.touched for plan in relocation.guests) / GIB
    unit = "GiB, and then what changes"
    with progress_bar(
        total, unit, lambda done: f"interrupted after {done:.1f} GiB", is_said=True
    ) as advance:
        return watch_relocation(relocation, lambda length: advance(length / GIB))
