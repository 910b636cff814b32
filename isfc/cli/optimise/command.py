"""``isfc optimise``: which CTCs on each chpid, and in what order, for links to be good at."""

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct, structs

from ctc.address import parse_rdevs
from isfc.answers.profile import profile_of
from isfc.cli.optimise.json import found_json
from isfc.cli.optimise.page import found_page, front_picture, written, written_line
from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import JsonOption, OpenedFile, open_with_disks
from isfc.cli.options.number import JobsOption, bounded
from isfc.cli.options.option import valued
from isfc.cli.options.profile import LinkOptions
from isfc.cli.options.traffic import TrafficOption, choose_traffic
from isfc.cli.output.file import ForceOption, check_file, check_force, output_option
from isfc.cli.output.picture import check_picture, write_picture
from isfc.cli.output.progress import progress_bar
from isfc.cli.output.streams import show, show_json, write_file
from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.layout.comments import with_comments
from isfc.layout.layout import Layout
from isfc.layout.sharing import in_use
from isfc.layout.write import format_collection
from isfc.link.scan import CTCS_MAX
from isfc.search.candidate import parse_fixed
from isfc.search.objective import LinksObjective, Objective, Scoring
from isfc.search.optimise import optimise
from isfc.search.result import Task
from isfc.search.workers import shared_out
from scenarios.runs.experiment import PAIRS_MAX, SECONDS_MAX
from scenarios.runs.load import Load
from scenarios.runs.run import INTERVAL_MIN
from scenarios.runs.workload import Workload, find_workload

WORKLOAD = "HL"
PAIRS = 50
RUNS_MAX = 100_000
SEEDS_MAX = 100


OF_SEVERAL = "of several links; expected it with a file of several links, and without --link"


class GoalOptions(Struct, frozen=True):
    """How many CTCs there are to be, and what they are to be good at."""

    ctcs: Annotated[
        int | None, bounded("N", 1, CTCS_MAX, "CTCs in all; as many as LAYOUT has if not given.")
    ] = None
    objective: Annotated[
        list[Objective] | None,
        typer.Option(help="What to be good at; forward if not given. May be repeated."),
    ] = None
    of_links: Annotated[
        LinksObjective | None,
        typer.Option(
            help="Of several links: what their MB/s together are to be good at; sum if none."
        ),
    ] = None

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """The objectives of one link, each once."""
        return tuple(dict.fromkeys(self.objective or [Objective.FORWARD]))


class ScoredLoadOptions(Struct, frozen=True):
    """What runs over the links, and for how long."""

    traffic: TrafficOption = None
    workload: Annotated[
        str | None, valued("NAME", f"What runs over each link; {WORKLOAD} if nothing says it.")
    ] = None
    pairs: Annotated[
        int | None, bounded("N", 1, PAIRS_MAX, f"Pairs of guests; {PAIRS} if nothing says it.")
    ] = None
    seconds: Annotated[
        float,
        bounded(
            "S",
            INTERVAL_MIN,
            SECONDS_MAX,
            "Virtual time of each run of the search; the best are run until they are steady.",
        ),
    ] = 0.5

    @property
    def found(self) -> Workload:
        """What runs if there is no traffic."""
        return find_workload(self.workload or WORKLOAD)

    @property
    def found_pairs(self) -> int:
        """Of how many pairs."""
        return self.pairs or PAIRS


class SearchOptions(Struct, frozen=True):
    """How much is tried, and what stays as it is."""

    runs: Annotated[int, bounded("N", 1, RUNS_MAX, "The most candidates that are simulated.")] = 200
    seeds: Annotated[int, bounded("N", 1, SEEDS_MAX, "Seeds that the best are run with.")] = 3
    fixed: Annotated[
        str | None,
        valued("RDEVS", "Devices of the first system that may not move, as 6000-6003,6010."),
    ] = None


OutputOption = Annotated[
    Path | None,
    output_option("Write what is advised as a layout: the one given if there is nothing to gain."),
]
PlotOption = Annotated[
    Path | None, valued("FILE", "Draw the second objective over the first; .svg or .png.")
]


@flattened
def optimise_layout(
    chosen: LinkOptions,
    *,
    goal: GoalOptions,
    load: ScoredLoadOptions,
    search: SearchOptions,
    output: OutputOption = None,
    plot: PlotOption = None,
    force: ForceOption = False,
    jobs: JobsOption = None,
    json: JsonOption = False,
) -> None:
    """Search for the best CTCs on a layout's chpids.

    How many CTCs go on each chpid, and in what order: all of them where they are few, else a search
    that is the same every time. Shows the best ten beside the layout given, and the commands that
    activate the best. With several objectives, those that no other one beats in all. Of a file with
    several links it moves the CTCs of all of them, as they run together.
    """
    check_force("-o or --plot", output, plot, force=force)
    if output is not None:
        check_file("-o", output, (), force=force)
    opened = chosen.open_file()
    if chosen.link_name is None and len(opened.collection.links) > 1:
        _check_none(
            _of_one(opened),
            ctcs=goal.ctcs,
            objective=goal.objective,
            fixed=search.fixed,
            plot=plot,
        )
        task = _links_task(opened, goal, load, search)
    else:
        _check_none(OF_SEVERAL, of_links=goal.of_links, traffic=load.traffic)
        layout = open_with_disks(opened, chosen.link_name)[0]
        if plot is not None:
            if len(goal.objectives) < 2:
                raise ConfigurationError(
                    "--plot: expected two objectives, to draw one over the other"
                )
            check_picture(plot, force=force)
        task = _link_task(layout, goal, load, search)
    at_a_time = jobs or os.cpu_count() or 1
    with progress_bar(task.runs, "candidates", lambda _: "interrupted; nothing is kept") as advance:
        found = optimise(task, partial(shared_out, jobs=at_a_time), advance)
    if output is not None:
        proposed = _whole(opened.collection, found.proposed.collection.links)
        write_file(output, with_comments(format_collection(proposed), opened.text))
    if plot is not None:
        write_picture(plot, front_picture(found, task))
    if json:
        show_json(structs.replace(found_json(found, task), profile=profile_of(task.layout.site)))
    else:
        show(found_page(found, task), *written_line(output, written(found)))


def _whole(given: Collection, links: tuple[Layout, ...]) -> Collection:
    """The file with other CTCs: machines, shared channels, traffic, disks and decks stay.

    Of several links of which one was placed it is that one, without the disks.
    """
    kept = replace(given, links=links)
    return in_use(kept if len(links) == len(given.links) else replace(kept, io={}))


def _link_task(
    layout: Layout, goal: GoalOptions, load: ScoredLoadOptions, search: SearchOptions
) -> Task:
    """What is sought of one link."""
    return Task(
        Collection.of(layout),
        Scoring(goal.objectives, Load(load.found, load.found_pairs), load.seconds),
        goal.ctcs or len(layout.ctcs),
        search.runs,
        search.seeds,
        parse_fixed(layout, parse_rdevs(search.fixed) if search.fixed else ()),
    )


def _links_task(
    opened: OpenedFile, goal: GoalOptions, load: ScoredLoadOptions, search: SearchOptions
) -> Task:
    """What is sought of several: under ``--traffic``, the file's, or a workload each way."""
    options = {"--workload": load.workload, "--pairs": load.pairs}
    chosen = choose_traffic(opened, load.traffic, None, options)
    collection, traffic = chosen or (opened.collection, ())
    objective = goal.of_links or LinksObjective.SUM
    scoring = Scoring((objective,), Load(load.found, load.found_pairs, traffic), load.seconds)
    return Task(collection, scoring, runs=search.runs, seeds=search.seeds)


def _of_one(opened: OpenedFile) -> str:
    """Why an option that is of one link cannot be taken, and what to do."""
    links = opened.collection.links
    names = ", ".join(link.name for link in links)
    return f"of one link, and the file has {len(links)} links; expected --link with one of {names}"


def _check_none(why: str, **options: object) -> None:
    """Raise `ConfigurationError` for an option that is given, and is not of what is searched."""
    for name, value in options.items():
        if value:
            raise ConfigurationError(f"--{name.replace('_', '-')}: {why}")
