"""``isfc optimise``: how many CTCs on each chpid, and in what order, for a link to be good at."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from ctc.address import format_rdev, parse_rdevs
from isfc.cli.exits import ExitCode
from isfc.cli.options.jobs import JobsOption
from isfc.cli.options.layout import JsonOption, LayoutArgument, LinkOption, open_layout
from isfc.cli.options.number import within
from isfc.cli.options.profile import ProfileOption, open_profile, profile_record
from isfc.cli.progress import progress_bar
from isfc.cli.render.notes import note_records
from isfc.cli.render.optimise import (
    activation_lines,
    beyond_found,
    definition_changes,
    found_notes,
    found_page,
    left_out,
    rule_changes,
    undefined,
    write_front,
)
from isfc.cli.render.output import show, show_error, show_json
from isfc.cli.render.picture import check_picture
from isfc.errors import ConfigurationError
from isfc.layout.layout import Layout
from isfc.layout.site_file import with_site
from isfc.layout.write import format_layout
from isfc.link.schedule import CTCS_MAX
from isfc.search.candidate import parse_fixed
from isfc.search.objective import Objective, ScoredLoad
from isfc.search.optimise import BEST, Contender, Scores, SearchResult, Task, optimise
from isfc.search.workers import share_out
from scenarios.run import INTERVAL_MIN, PAIRS_MAX, SECONDS_MAX
from scenarios.workload import find_workload

RUNS_MAX = 100_000
SEEDS_MAX = 100

CtcsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        callback=within(1, CTCS_MAX),
        help="CTCs in all; as many as LAYOUT has if not given.",
    ),
]
ObjectiveOption = Annotated[
    list[Objective] | None,
    typer.Option(help="What to be good at; forward if not given. May be repeated."),
]
WorkloadOption = Annotated[str, typer.Option(metavar="NAME", help="What runs over the link.")]
PairsOption = Annotated[
    int, typer.Option(metavar="N", callback=within(1, PAIRS_MAX), help="Pairs of guests.")
]
SecondsOption = Annotated[
    float,
    typer.Option(
        metavar="S",
        callback=within(INTERVAL_MIN, SECONDS_MAX, "s"),
        help="Virtual time of each run of the search; the best are run four times as long.",
    ),
]
RunsOption = Annotated[
    int,
    typer.Option(
        metavar="N", callback=within(1, RUNS_MAX), help="The most candidates that are simulated."
    ),
]
SeedsOption = Annotated[
    int,
    typer.Option(
        metavar="N", callback=within(1, SEEDS_MAX), help="Seeds that the best are run with."
    ),
]
FixedOption = Annotated[
    str | None,
    typer.Option(
        metavar="RDEVS", help="Devices of the first system that may not move, as 6000-6003,6010."
    ),
]
OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the best as a layout.")
]
PlotOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Draw the second objective over the first; .svg or .png."),
]


def optimise_layout(
    layout: LayoutArgument,
    *,
    link_name: LinkOption = None,
    profile: ProfileOption = None,
    ctcs: CtcsOption = None,
    objective: ObjectiveOption = None,
    workload: WorkloadOption = "HL",
    pairs: PairsOption = 50,
    seconds: SecondsOption = 0.5,
    runs: RunsOption = 200,
    seeds: SeedsOption = 3,
    fixed: FixedOption = None,
    output: OutputOption = None,
    plot: PlotOption = None,
    jobs: JobsOption = None,
    json: JsonOption = False,
) -> None:
    """Search for the best CTCs on a layout's chpids.

    How many CTCs go on each chpid, and in what order: all of them where they are few, else a search
    that is the same every time. Shows the best ten beside the layout given, and the commands that
    activate the best. With several objectives, those that no other one beats in all.
    """
    site = open_profile(profile)
    given = with_site(open_layout(layout, link_name), site)
    objectives = tuple(dict.fromkeys(objective or [Objective.FORWARD]))
    if plot is not None:
        if len(objectives) < 2:
            raise ConfigurationError("--plot: expected two objectives, to draw one over the other")
        check_picture(plot)
    task = Task(
        given,
        ctcs or len(given.ctcs),
        objectives,
        ScoredLoad(find_workload(workload), pairs, seconds, seconds / 2),
        runs=runs,
        seeds=seeds,
        fixed=parse_fixed(given, parse_rdevs(fixed) if fixed else ()),
    )
    found = _search(task, jobs or os.cpu_count() or 1)
    if output is not None:
        output.write_text(format_layout(found.best[0].layout), "utf-8")
    if plot is not None:
        write_front(plot, found, objectives)
    if json:
        show_json({**found_record(found, task), **profile_record(site)})
    else:
        show(found_page(found, task))


def _search(task: Task, jobs: int) -> SearchResult:
    """Search with a bar; after Ctrl-C the command ends."""

    def over_processes(
        work: Callable[[Layout], Scores], layouts: Sequence[Layout]
    ) -> Iterator[tuple[int, Scores]]:
        if layouts:
            with closing(share_out(work, layouts, jobs)) as answers:
                yield from answers

    try:
        with progress_bar(task.runs, "candidates") as advance:
            return optimise(task, over_processes, advance)
    except KeyboardInterrupt:
        show_error("interrupted; nothing is kept")
        raise typer.Exit(ExitCode.INTERRUPTED) from None


def found_record(found: SearchResult, task: Task) -> dict[str, Any]:
    """What ``--json`` prints. Names and meanings of the keys stay between releases."""
    front, given = found.front, found.given.layout
    return {
        "objectives": list(task.objectives),
        "candidates": found.candidate_count,
        "screened": found.screened_count,
        "simulated": found.simulated_count,
        "defined_simulated": found.defined_count,
        "given": _contender_record(found.given, found, task),
        "best": [
            {**_contender_record(one, found, task), "on_front": one in front}
            for one in found.best[:BEST]
        ],
        "gains": found.best[0].gains(found.given),
        "extrapolated": beyond_found(found, task),
        **note_records(found_notes(found, task)),
        "definition_changes": definition_changes(given, found.best[0].layout),
        "activate": _activate(found.best[0], found),
        "defined": {
            **_contender_record(found.defined, found, task),
            "gains": found.defined.gains(found.given),
            "activate": _activate(found.defined, found),
            "without": {node: left_out(found.defined.layout, given, node) for node in given.nodes},
        },
        "gains_on_defined": found.best[0].gains(found.defined),
    }


def _activate(one: Contender, found: SearchResult) -> dict[str, dict[str, list[str]]]:
    """By node: the statements that can be given now, and those that the IODF has to precede."""
    layout = one.layout
    return {node: activation_lines(layout, found.given.layout, node) for node in layout.nodes}


def _contender_record(one: Contender, found: SearchResult, task: Task) -> dict[str, Any]:
    devices = one.layout.device_list()
    new = undefined(one.layout, found.given.layout)
    return {
        "mb_per_s": dict(zip(task.objectives, one.scores, strict=True)),
        "spread_percent": dict(zip(task.objectives, one.spreads, strict=True)),
        "chpids": [ctc.fibre.name for ctc in devices],
        "rdevs": [[format_rdev(rdev) for rdev in ctc.rdevs] for ctc in devices],
        "needs_iodf": [ctc in new for ctc in devices],
        "rules": rule_changes(one, found.given),
    }
