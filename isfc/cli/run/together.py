"""``isfc run`` of several links together: what goes with it, and what it prints."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from isfc import __version__
from isfc.answers.limit import limit_of_run, limits_of, together_line
from isfc.answers.limit_record import Limits
from isfc.answers.shared import Shared, shared_by
from isfc.answers.views import View
from isfc.cli.options.experiment import ExtentOptions
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.notes import show_notes
from isfc.cli.output.streams import show, show_csv, show_json
from isfc.cli.results.shared import shared_page
from isfc.cli.results.view_options import Output, check_view, show_report
from isfc.cli.run.during import (
    DuringOptions,
    beside_disks,
    outcomes,
    show_refusals,
    show_transcript,
)
from isfc.cli.run.faults import show_fault_run
from isfc.cli.run.together_page import cluster_heading, cluster_page, row_figure, run_cluster_notes
from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.layout.note import Note
from isfc.layout.sharing import channel_name
from isfc.reports.ranges import RangeJson, range_json
from scenarios.figures.limit import Limit
from scenarios.figures.ranges import flat_range
from scenarios.runs.cluster_rows import ClusterRow, cluster_rows
from scenarios.runs.cp_script import ConsoleEntry, Transcript
from scenarios.runs.experiment import Experiment
from scenarios.runs.published_range import beyond_measured_cluster
from scenarios.runs.report import MeasuredRun, make_name
from scenarios.runs.run import Outcome
from scenarios.runs.workload import LinkLoad

if TYPE_CHECKING:
    from isfc.io.configuration import IoConfiguration


def check_together(alone: Mapping[str, object]) -> None:
    """Raise `ConfigurationError` for an option that is of one link ``alone``."""
    for option, value in alone.items():
        if value is not None:
            raise ConfigurationError(
                f"{option}: of one link; expected it without --traffic and [[traffic]], "
                "with --workload, --pairs and --link"
            )


def run_together(
    chosen: tuple[Collection, tuple[LinkLoad, ...]],
    disks: "IoConfiguration | None",
    extent: ExtentOptions,
    output: Output,
    during: DuringOptions,
) -> None:
    """Run the links, disks on their chpids too, and print what came of them.

    Ends with 1 if CP refused a command.
    """
    try:
        experiment = Experiment(
            *chosen, seconds=extent.seconds, warmup=extent.warmup, seed=extent.seed
        )
    except ConfigurationError as error:
        raise ConfigurationError(f"--{error}") from None
    check_view(output, experiment.each_alone)
    faults = during.faults_of(experiment, output)
    if faults is not None:
        show_fault_run(experiment, faults, json=output.json, together=True)
        return
    trace = during.trace_of(experiment, output)
    transcript = during.transcript(experiment, output)
    if disks is not None:
        from isfc.io.shared import find_shared  # most files name no disks

        disks = disks if find_shared(disks, *experiment.collection.links) else None
    if disks is not None and not (trace or transcript or output.seeds or output.view):
        _show_beside(experiment, disks, output)
        return
    results = outcomes(experiment, output, transcript, trace)
    if output.view is not None:
        _show_views(experiment, results, output, output.view)
    else:
        _show_results(experiment, results, output, transcript)
    if transcript is not None and transcript.refusals:
        if output.view or output.csv:
            show_refusals(transcript)
        raise typer.Exit(ExitCode.FAILED)


def _show_results(
    experiment: Experiment,
    results: Sequence[Outcome],
    output: Output,
    transcript: Transcript | None,
) -> None:
    """Print all of a run, or of several with other seeds."""
    rows = cluster_rows(results)
    if output.csv:
        show_notes(run_cluster_notes(experiment))
        show_csv(csv_rows(experiment, rows))
        return
    limit = None if transcript else limit_of_run(experiment, output.seeds)
    if output.json:
        record = cluster_json(experiment, rows, output.seeds)
        cp = transcript.entries if transcript else UNSET
        show_json(replace(record, limits=_limits(limit, rows), cp=cp))
    else:
        show_transcript(transcript)
        show(cluster_page(experiment, rows, output.seeds), *_why(limit, rows))


def _limits(limit: Limit | None, rows: Sequence[ClusterRow]) -> Limits | UnsetType:
    """What limits all links together, if it is known: not of a short run."""
    return UNSET if limit is None else limits_of(limit, rows[-1].mb_per_s)


def _why(limit: Limit | None, rows: Sequence[ClusterRow]) -> list[str]:
    """The same as lines of the page."""
    return [] if limit is None else ["", together_line(limit, rows[-1].mb_per_s)]


def _show_beside(experiment: Experiment, disks: "IoConfiguration", output: Output) -> None:
    """Run the links without the disks and with them, and print what each costs the other."""
    shared = beside_disks(experiment, disks, output)
    found = shared.beside.experiment
    rows = cluster_rows([shared.beside])
    limit = None if output.csv else limit_of_run(found, output.seeds)
    if output.csv:
        show_notes(run_cluster_notes(found))
        show_csv(csv_rows(found, rows))
    elif output.json:
        record, limits = cluster_json(found, rows, None), _limits(limit, rows)
        show_json(replace(record, limits=limits, disks=shared_by(shared)))
    else:
        loads = ", ".join(map(str, experiment.loads))
        beside = shared_page(shared, loads, together=True)
        show(cluster_page(found, rows, None), *_why(limit, rows), "", beside)


class FiguresJson(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a link, a system, a channel or all carried; without the keys that are not of it."""

    name: str
    traffic: str = ""
    """of a link"""
    mb_per_s_out: float
    """written: by the first node of a link, by a system; over a path from where its name says"""
    mb_per_s_in: float
    mb_per_s: float
    messages_per_s: float | None = None
    collisions_per_s: float | None = None
    busy_percent: float | None = None
    """of the resource nearest to its end: line out, line in, data processor, starts of I/Os; disks
    are in it"""
    spread_percent: float | None = None
    """of MB/s, with `--seeds`"""
    range: RangeJson | None = None
    """between what `mb_per_s` would lie"""


class SharedFiguresJson(FiguresJson, frozen=True, kw_only=True, omit_defaults=True):
    """What a channel or a path carried that several fibres share."""

    links: list[FiguresJson]
    """what each moves over it"""


class LinksRunJson(Struct, frozen=True, kw_only=True):
    """``isfc run --json`` of several links. Names and meanings of the keys stay."""

    seconds: float
    """virtual time that was measured"""
    warmup: float
    """virtual time before that"""
    seed: int
    seeds: int
    """how many the means are of"""
    links: list[FiguresJson]
    """those with traffic"""
    systems: list[FiguresJson]
    """the same of each over all its links"""
    channels: list[SharedFiguresJson]
    """those that several fibres share or one has both ends on"""
    paths: list[SharedFiguresJson]
    """the same of each path whose inter-switch links several fibres take"""
    together: FiguresJson
    """the same of all links"""
    shared_channels: list[str]
    """the channels that several systems, fibres, or CTCs and disks share, in words"""
    extrapolated: list[str]
    """what no published figure identifies: [extrapolation](extrapolation.md)"""
    notes: list[Note]
    version: str
    """what printed it"""
    command: str
    limits: Limits | UnsetType = UNSET
    """of all together, as of one link"""
    cp: list[ConsoleEntry] | UnsetType = UNSET
    """as of one link"""
    disks: Shared | UnsetType = UNSET


def cluster_json(
    experiment: Experiment, rows: Sequence[ClusterRow], seeds: int | None
) -> LinksRunJson:
    """The record of a run, or of the means of several."""
    shared: dict[str, list[SharedFiguresJson]] = {"channel": [], "path": []}
    links: list[FiguresJson] = []
    for row in rows:
        if row.kind in shared:
            links = []
            shared[row.kind].append(SharedFiguresJson(**_figures(experiment, row), links=links))
        elif row.kind == "share":
            links.append(FiguresJson(**_figures(experiment, row)))
    own = {
        kind: [FiguresJson(**_figures(experiment, row)) for row in rows if row.kind == kind]
        for kind in ("link", "system", "all")
    }
    known = map(channel_name, experiment.collection.shared_channels)
    return LinksRunJson(
        seconds=experiment.seconds,
        warmup=experiment.warmup,
        seed=experiment.seed,
        seeds=seeds or 1,
        links=own["link"],
        systems=own["system"],
        channels=shared["channel"],
        paths=shared["path"],
        together=own["all"][0],
        shared_channels=[*dict.fromkeys([*known, *(each.name for each in shared["channel"])])],
        extrapolated=beyond_measured_cluster(experiment.collection),
        notes=list(run_cluster_notes(experiment)),
        version=__version__,
        command=shlex.join(["isfc", *sys.argv[1:]]),
    )


def _figures(experiment: Experiment, row: ClusterRow) -> dict[str, Any]:
    """The figures of a row; the range is of MB/s together."""
    figures = asdict(row)
    del figures["kind"]
    return {**figures, "range": range_json(row_figure(experiment, row))}


def csv_rows(experiment: Experiment, rows: Sequence[ClusterRow]) -> list[dict[str, Any]]:
    """The rows with their ranges, whose columns are empty where there is none."""
    ranges = [row_figure(experiment, row) for row in rows]
    columns = [{} if each is None else flat_range("mb_per_s", each) for each in ranges]
    every = dict.fromkeys(name for one in columns for name in one)
    return [
        {**asdict(row), **{name: one.get(name) for name in every}}
        for row, one in zip(rows, columns, strict=True)
    ]


def _show_views(
    experiment: Experiment,
    results: Sequence[Outcome],
    output: Output,
    view: View,
) -> None:
    """The view of IBM's report that is wanted: of every link, at its clients' end."""
    if output.seeds is not None and output.seeds > 1:
        raise ConfigurationError("--seeds and --report: expected one of them of several links")
    runs = [
        MeasuredRun(
            make_name(link.experiment),
            link.experiment,
            (link.client.whole,) if output.sample_s is None else link.client.parts,
        )
        for link in results[0].links
    ]
    show_report(output, view, cluster_heading(experiment, None), runs)
