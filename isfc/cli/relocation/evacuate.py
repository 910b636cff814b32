"""``isfc evacuate``: move every guest of some systems to other members of their cluster."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from isfc.cli.options.experiment import SeedOption
from isfc.cli.options.flattened import flattened
from isfc.cli.options.guest_file import read_guests
from isfc.cli.options.layout import JsonOption, LayoutArgument, open_collection
from isfc.cli.options.number import JobsOption, bounded
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.file import ForceOption
from isfc.cli.output.limit_record import LimitsJson
from isfc.cli.output.notes import NoteJson, note_lines, notes_json, show_notes
from isfc.cli.output.picture import check_picture, write_picture
from isfc.cli.output.progress import progress_bar, run_all
from isfc.cli.output.ranges import RangeJson, range_json
from isfc.cli.output.streams import plain, show, show_csv, show_json, show_log
from isfc.cli.relocation.certainty import (
    UNRANGED,
    MovesLimit,
    MovesRangeJson,
    ranges_json,
    ranges_line,
)
from isfc.cli.relocation.evacuate_page import (
    SweptJson,
    TogetherJson,
    best_line,
    evacuation_page,
    sweep_page,
    sweep_rows,
    traffic_range,
)
from isfc.cli.relocation.options import AtOption, CsvOption, PlotOption, read_orders
from isfc.cli.relocation.relocate_page import passes_picture
from isfc.cli.relocation.rolling import show_rolling
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import within
from isfc.layout.collection import Collection
from isfc.layout.in_words import find_node
from isfc.layout.machines import find_link
from isfc.layout.note import Note
from isfc.link.name import NodeName
from scenarios.figures.moved_ranges import evacuation_ranges
from scenarios.moves.at_once import BestTogether, best_together, counts_together
from scenarios.moves.evacuated import systems_in_turn, systems_named
from scenarios.moves.evacuation import AT_ONCE_MAX, Evacuation, EvacuationOutcome, evacuate
from scenarios.moves.guest import large_guests
from scenarios.moves.orders import Response
from scenarios.moves.record import EvacuatedJson, TrafficJson, evacuated_json, traffic_json
from scenarios.moves.relocated import check_stop
from scenarios.moves.rolling import Rolling
from scenarios.moves.targets import Placed, Tenant, memory_notes, place_guests, rooms
from scenarios.moves.vmrelocate import Limits
from scenarios.runs.notes import cluster_notes
from scenarios.runs.workload import load_of

_Found = TypeVar("_Found")


class EvacuationShown(Struct, frozen=True):
    """What is shown of an evacuation, and how."""

    sweep: Annotated[
        bool, typer.Option("--sweep", help="A table instead: with 1, 2, 4 ... guests together.")
    ] = False
    best: Annotated[
        bool, typer.Option("--best", help="Search how many together are best, and show that.")
    ] = False
    rolling: Annotated[
        bool,
        typer.Option(
            "--rolling",
            help="Rolling maintenance: the systems in turn, or all that have guests; each is left, "
            "and gets its guests back.",
        ),
    ] = False
    plot: PlotOption = None
    force: ForceOption = False
    csv: CsvOption = False
    json: JsonOption = False

    def __post_init__(self) -> None:
        if self.sweep and self.plot:
            raise ConfigurationError("--sweep: expected no --plot with it")
        if self.rolling and (self.sweep or self.best or self.plot):
            raise ConfigurationError("--rolling: expected no --sweep, --best or --plot with it")
        if self.sweep and self.best:
            raise ConfigurationError("--sweep and --best: expected one of them")
        check_picture(self.plot, force=self.force)


GuestsOption = Annotated[
    Path,
    typer.Option(
        metavar="FILE.csv",
        help="A line for each guest: name,memory,change_rate,to, as LINUX1,64G,200M,BETA, "
        "and other options of 'isfc relocate' as columns. Without 'to' a guest goes where the "
        "file's [memory.SYSTEM] have room for it, or to the partners in turn. 'from' says where "
        "it is, if several systems are left.",
    ),
]


@flattened
def evacuate_system(
    layout: LayoutArgument,
    system: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SYSTEM...", help="The systems that the guests leave, or cec:NAME for its."
        ),
    ] = None,
    *,
    guests: GuestsOption,
    together: Annotated[
        int, bounded("N", 1, AT_ONCE_MAX, "How many guests leave a system at the same time.")
    ] = 1,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Without the traffic of the file's [[traffic]].")
    ] = False,
    at: AtOption = None,
    seed: SeedOption = 1,
    jobs: JobsOption = None,
    shown: EvacuationShown,
) -> None:
    """Show how long it takes to move every guest off systems.

    Guests are relocated as 'isfc relocate' does it, in the order of the file, over all links of
    the cluster and beside its [[traffic]]. When a link dies, those that wait for it go elsewhere.
    Ends with 1 if a guest could not be relocated.
    """
    collection = open_collection(layout).collection
    if quiet and not collection.traffic:
        raise ConfigurationError(f"--quiet: {layout} has no [[traffic]]; expected it without")
    loads = () if quiet else tuple(map(load_of, collection.traffic))
    if shown.rolling:
        tenants = read_tenants(guests, collection)
        losses = read_orders(at, [each.plan for each in tenants])
        order = _named(lambda: systems_in_turn(collection, system or (), tenants))
        show_rolling(Rolling(collection, order, tenants, together, loads, seed, losses), shown)
        return
    sources = _named(lambda: systems_named(collection, system or ()))
    placed = _placed(guests, collection, sources)
    orders = read_orders(at, [each.plan for each in placed])
    room = rooms(collection)
    evacuation = Evacuation(
        collection, sources, placed, together, loads, orders, seed=seed, room=room
    )
    if shown.sweep:
        _sweep(evacuation, jobs, shown)
        return
    best = None
    if shown.best:
        best = best_together(evacuation, lambda work, each: run_all(work, each, jobs, is_said=True))
        evacuation = replace(evacuation, at_once=best.count)
    _show(evacuation, best.outcome if best else _watch(evacuation), shown, best)


def _placed(
    guests: Path, collection: Collection, sources: Sequence[NodeName]
) -> tuple[Placed, ...]:
    """The guests of the file, and where each goes."""
    tenants = read_tenants(guests, collection)
    with within(f"--guests {guests}"):
        placed = place_guests(collection, sources, tenants, rooms(collection))
        for each in placed:
            check_stop(each.plan, find_link(collection, each.source, each.to), each.source)
    return placed


def _named(find: Callable[[], _Found]) -> _Found:
    """What is found, or an error that names the argument as the command has it."""
    try:
        return find()
    except ConfigurationError as error:
        raise ConfigurationError(f"SYSTEM{str(error).removeprefix('system')}") from None


def _show(
    evacuation: Evacuation,
    outcome: EvacuationOutcome,
    shown: EvacuationShown,
    best: BestTogether | None,
) -> None:
    ranges = evacuation_ranges(evacuation, outcome)
    if shown.plot:
        moved = [guest.moved for guest in outcome.guests]
        title = f"Passes from {evacuation.name}"
        write_picture(shown.plot, passes_picture(moved, title, ranges))
    if shown.csv:
        show_log(f"isfc: note: {ranges_line(ranges)}")
        show_notes(_notes(evacuation))
        show_csv(outcome.rows())
    elif shown.json:
        show_json(evacuation_json(evacuation, outcome, best))
    else:
        said = [] if best is None else [best_line(best)]
        said.append(MovesLimit.of(evacuation, [guest.moved for guest in outcome.guests]).line())
        page = evacuation_page(evacuation, outcome, ranges, said)
        show(page, *note_lines(_notes(evacuation)))
    if not outcome.all_moved:
        raise typer.Exit(ExitCode.FAILED)


def _notes(evacuation: Evacuation) -> tuple[Note, ...]:
    large = large_guests(tenant.plan for tenant in evacuation.tenants)
    memory = memory_notes(evacuation.collection)
    return (*cluster_notes(evacuation.collection), *large, *memory, UNRANGED)


def _sweep(evacuation: Evacuation, jobs: int | None, shown: EvacuationShown) -> None:
    """A table over how many go together. Guests that cannot be moved are no failure of it."""
    tried = [replace(evacuation, at_once=count) for count in counts_together(evacuation)]
    outcomes = run_all(evacuate, tried, jobs, is_said=True)
    ranges = [
        evacuation_ranges(each, outcome) for each, outcome in zip(tried, outcomes, strict=True)
    ]
    rows = sweep_rows(tried, outcomes, ranges)
    notes = _notes(evacuation)
    if shown.csv:
        show_notes(notes)
        show_csv(plain(rows))
    elif shown.json:
        show_json(EvacuateSweepJson(evacuation.name, rows, notes_json(notes)))
    else:
        show(sweep_page(evacuation, rows, ranges), *note_lines(notes))


def read_tenants(path: Path, collection: Collection) -> tuple[Tenant, ...]:
    """The guests in a CSV file. Raises `ConfigurationError`, which names file, line and column."""
    tenants = []
    for line in read_guests(path, has_destination=True, defaults=Limits()):
        with within(f"--guests {path}: line {line.number}"):
            to, source = (
                find_node(column, text, collection.systems) if text else None
                for column, text in (("to", line.to), ("from", line.source))
            )
            tenants.append(Tenant(line.plan, to=to, source=source))
    return tuple(tenants)


class RangedTrafficJson(TrafficJson, frozen=True):
    """The same with ranges."""

    alone_range: RangeJson
    meanwhile_range: RangeJson


class EvacuateJson(Struct, frozen=True):
    """``isfc evacuate --json``. Names and meanings of the keys stay between releases."""

    source: str
    """the system that the guests leave, or all of them in words"""
    together: int
    """how many leave a system at the same time"""
    tried: list[TogetherJson] | UnsetType
    """with `--best`: of each number that was tried"""
    seconds: float
    """until the last has arrived or was given up"""
    longest_stop_s: float
    """the longest that a guest was stopped"""
    longest_quiesce_s: float
    """the same, in this release"""
    all_moved: bool
    """whether the system is empty"""
    guests: list[EvacuatedJson]
    """in the order in which they began"""
    traffic: list[RangedTrafficJson]
    """of each link with other traffic"""
    responses: Sequence[Response]
    """as of `isfc relocate --json`"""
    ranges: MovesRangeJson | None
    """as of `isfc relocate --json`"""
    limits: LimitsJson
    """the links meanwhile, by runs of HL with as many messages under way"""
    notes: list[NoteJson]
    """as of `isfc plan --json`"""


class EvacuateSweepJson(Struct, frozen=True):
    """``isfc evacuate --sweep --json``. Names and meanings of the keys stay between releases."""

    source: str
    runs: list[SweptJson]
    """for each number of guests together"""
    notes: list[NoteJson]
    """as of `isfc plan --json`"""


def evacuation_json(
    evacuation: Evacuation, outcome: EvacuationOutcome, best: BestTogether | None = None
) -> EvacuateJson:
    """The record of an evacuation; ``best`` is what else was tried."""
    moved = [guest.moved for guest in outcome.guests]
    tried = UNSET if best is None else [TogetherJson.of(*each) for each in best.tried.items()]
    return EvacuateJson(
        evacuation.name,
        evacuation.at_once,
        tried,
        *(outcome.seconds, outcome.longest_quiesce_s, outcome.longest_quiesce_s),
        outcome.all_moved,
        [*map(evacuated_json, outcome.guests)],
        [
            RangedTrafficJson(
                **asdict(traffic_json(each)),
                alone_range=range_json(traffic_range(evacuation, each, each.alone.mb_per_s)),
                meanwhile_range=range_json(
                    traffic_range(evacuation, each, each.meanwhile_mb_per_s)
                ),
            )
            for each in outcome.traffic
        ],
        outcome.responses,
        ranges_json(evacuation_ranges(evacuation, outcome), moved),
        MovesLimit.of(evacuation, moved).record(),
        notes_json(_notes(evacuation)),
    )


def _watch(evacuation: Evacuation) -> EvacuationOutcome:
    """Run it, with a bar that says how many guests have arrived."""
    count = len(evacuation.tenants)
    with progress_bar(
        count, "guests", lambda done: f"interrupted after {done} of {count} guests", is_said=True
    ) as advance:
        return evacuate(evacuation, advance)
