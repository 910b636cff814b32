"""``isfc evacuate``: move every guest of a system to other members of its cluster."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from isfc.cli.options.experiment import SeedOption
from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import JsonOption, LayoutArgument, open_collection
from isfc.cli.options.number import JobsOption, bounded
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.notes import note_lines, note_records, show_notes
from isfc.cli.output.picture import check_picture
from isfc.cli.output.progress import progress_bar, run_all
from isfc.cli.output.ranges import range_json
from isfc.cli.output.streams import show, show_csv, show_json, show_log
from isfc.cli.relocation.certainty import UNRANGED, ranges_json, ranges_line
from isfc.cli.relocation.evacuate_page import (
    evacuation_page,
    sweep_page,
    sweep_rows,
    traffic_range,
)
from isfc.cli.relocation.guest_file import GuestLine, read_guests
from isfc.cli.relocation.options import AtOption, CsvOption, PlotOption, read_orders
from isfc.cli.relocation.relocate_page import write_relocation_plot
from isfc.errors import ConfigurationError
from isfc.layout.channels import find_link
from isfc.layout.checked_toml import within
from isfc.layout.layout import Collection, find_node
from isfc.layout.note import Note
from isfc.link.name import NodeName
from scenarios.figures.moved_ranges import evacuation_ranges
from scenarios.moves.evacuation import (
    AT_ONCE_MAX,
    Evacuation,
    EvacuationOutcome,
    Tenant,
    counts_together,
    evacuate,
)
from scenarios.moves.guest import large_guests
from scenarios.moves.relocated import check_stop
from scenarios.moves.vmrelocate import Limits
from scenarios.runs.notes import cluster_notes
from scenarios.runs.workload import load_of


@dataclass(frozen=True, slots=True)
class EvacuationShown:
    """What is shown of an evacuation, and how."""

    sweep: Annotated[
        bool, typer.Option("--sweep", help="A table instead: with 1, 2, 4 ... guests together.")
    ] = False
    plot: PlotOption = None
    csv: CsvOption = False
    json: JsonOption = False

    def __post_init__(self) -> None:
        if self.sweep and self.plot:
            raise ConfigurationError("--sweep: expected no --plot with it")
        if self.plot:
            check_picture(self.plot)


GuestsOption = Annotated[
    Path,
    typer.Option(
        metavar="FILE.csv",
        help="A line for each guest: name,memory,change_rate,to, as LINUX1,64G,200M,BETA, "
        "and other options of 'isfc relocate' as columns. Without 'to' the guests go to the "
        "partners in turn.",
    ),
]


@flattened
def evacuate_system(
    layout: LayoutArgument,
    system: Annotated[
        str, typer.Argument(metavar="SYSTEM", help="The system that the guests leave.")
    ],
    *,
    guests: GuestsOption,
    together: Annotated[
        int, bounded("N", 1, AT_ONCE_MAX, "How many guests are on their way at the same time.")
    ] = 1,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Without the traffic of the file's [[traffic]].")
    ] = False,
    at: AtOption = None,
    seed: SeedOption = 1,
    jobs: JobsOption = None,
    shown: EvacuationShown,
) -> None:
    """Show how long it takes to move every guest off a system.

    Guests are relocated as 'isfc relocate' does it, in the order of the file, over all links of
    the cluster and beside its [[traffic]]. Ends with 1 if a guest could not be relocated.
    """
    collection = open_collection(layout).collection
    if quiet and not collection.traffic:
        raise ConfigurationError(f"--quiet: {layout} has no [[traffic]]; expected it without")
    source = find_node("SYSTEM", system, collection.systems)
    tenants = read_tenants(guests, collection, source)
    evacuation = Evacuation(
        collection,
        source,
        tenants,
        together,
        () if quiet else tuple(map(load_of, collection.traffic)),
        read_orders(at, [tenant.plan for tenant in tenants]),
        seed=seed,
    )
    if shown.sweep:
        _sweep(evacuation, jobs, shown)
        return
    outcome = _watch(evacuation)
    moved = [guest.moved for guest in outcome.guests]
    ranges = evacuation_ranges(evacuation, moved)
    if shown.plot:
        write_relocation_plot(shown.plot, moved, f"Passes from {source}", ranges)
    if shown.csv:
        show_log(f"isfc: note: {ranges_line(ranges)}")
        show_notes(_notes(evacuation))
        show_csv(outcome.rows())
    elif shown.json:
        show_json(evacuation_json(evacuation, outcome))
    else:
        show(evacuation_page(evacuation, outcome, ranges), *note_lines(_notes(evacuation)))
    if not outcome.all_moved:
        raise typer.Exit(ExitCode.FAILED)


def _notes(evacuation: Evacuation) -> tuple[Note, ...]:
    large = large_guests(tenant.plan for tenant in evacuation.tenants)
    return (*cluster_notes(evacuation.collection), *large, UNRANGED)


def _sweep(evacuation: Evacuation, jobs: int | None, shown: EvacuationShown) -> None:
    """A table over how many go together. Guests that cannot be moved are no failure of it."""
    tried = [replace(evacuation, at_once=count) for count in counts_together(evacuation)]
    outcomes = run_all(evacuate, tried, jobs, is_said=True)
    ranges = [
        evacuation_ranges(each, [guest.moved for guest in outcome.guests])
        for each, outcome in zip(tried, outcomes, strict=True)
    ]
    rows = sweep_rows(tried, outcomes, ranges)
    notes = _notes(evacuation)
    if shown.csv:
        show_notes(notes)
        show_csv(rows)
    elif shown.json:
        show_json({"source": evacuation.source, "runs": rows, **note_records(notes)})
    else:
        show(sweep_page(evacuation, rows, ranges), *note_lines(notes))


def read_tenants(path: Path, collection: Collection, source: NodeName) -> tuple[Tenant, ...]:
    """The guests in a CSV file. Raises `ConfigurationError`, which names file, line and column."""
    partners = [
        node for link in collection.links_of(source) for node in link.nodes if node != source
    ]
    tenants = []
    for number, line in enumerate(read_guests(path, has_destination=True, defaults=Limits())):
        with within(f"--guests {path}: line {line.number}"):
            to = _destination(line, partners[number % len(partners)], partners)
            check_stop(line.plan, find_link(collection, source, to), source)
            tenants.append(Tenant(line.plan, to))
    return tuple(tenants)


def _destination(line: GuestLine, in_turn: NodeName, partners: list[NodeName]) -> NodeName:
    to = line.to.upper()
    if to and to not in partners:
        raise ConfigurationError(f"to: no link to {to[:40]}; expected {', '.join(partners)}")
    return NodeName(to) if to else in_turn


def evacuation_json(evacuation: Evacuation, outcome: EvacuationOutcome) -> dict[str, Any]:
    """What ``--json`` prints. Names and meanings of the keys stay between releases."""
    moved = [guest.moved for guest in outcome.guests]
    record = outcome.to_dict()
    for row, each in zip(record["traffic"], outcome.traffic, strict=True):
        for when in ("alone", "meanwhile"):
            within = traffic_range(evacuation, each, row[f"{when}_mb_per_s"])
            row[f"{when}_range"] = range_json(within)
    return {
        "source": evacuation.source,
        "together": evacuation.at_once,
        **record,
        **ranges_json(evacuation_ranges(evacuation, moved), moved),
        **note_records(_notes(evacuation)),
    }


def _watch(evacuation: Evacuation) -> EvacuationOutcome:
    """Run it, with a bar that says how many guests have arrived."""
    count = len(evacuation.tenants)
    with progress_bar(
        count, "guests", lambda done: f"interrupted after {done} of {count} guests", is_said=True
    ) as advance:
        return evacuate(evacuation, advance)
