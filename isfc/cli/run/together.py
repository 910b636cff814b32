"""``isfc run`` of several links together: what goes with it, and what it prints."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import typer
from rich.console import RenderableType

from isfc import __version__
from isfc.cli.judgement.limit import limit_of_run, limits_json, together_line
from isfc.cli.options.experiment import ExtentOptions
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.notes import note_records, show_notes
from isfc.cli.output.progress import run_all, watch
from isfc.cli.output.ranges import range_json
from isfc.cli.output.streams import show, show_csv, show_json
from isfc.cli.results.json import shared_json
from isfc.cli.results.shared import shared_page
from isfc.cli.results.view_options import Output, check_view, show_report
from isfc.cli.results.views import View
from isfc.cli.run.during import DuringOptions, show_refusals, show_transcript
from isfc.cli.run.faults import show_fault_run
from isfc.cli.run.timeline import TimelineOutput, run_timelines
from isfc.cli.run.together_page import (
    cluster_heading,
    cluster_page,
    row_range,
    run_cluster_notes,
)
from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.layout.sharing import channel_name
from scenarios.figures.ranges import flat_range
from scenarios.runs.cluster_rows import ClusterRow, cluster_rows
from scenarios.runs.cp_script import Transcript
from scenarios.runs.experiment import Experiment
from scenarios.runs.published_range import beyond_measured_cluster
from scenarios.runs.report import MeasuredRun, make_name
from scenarios.runs.run import Outcome, run
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
    timeline = during.timeline_of(experiment, output)
    transcript = during.transcript(experiment, output)
    chart: RenderableType | None = None
    if disks is not None:
        from isfc.io.shared import find_shared  # most files name no disks

        disks = disks if find_shared(disks, *experiment.collection.links) else None
    if disks is not None and not (timeline or transcript or output.seeds or output.view):
        _show_beside(experiment, disks, output)
        return
    if timeline is None:
        results = _results(experiment, output, transcript)
    else:
        chart, result = _timelines(timeline, transcript)
        results = [result]
    if chart is not None:
        show_transcript(transcript)
        show(cluster_heading(timeline.experiment if timeline else experiment, None), "", chart)
    elif output.view is not None:
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
    reasons, reasoned = ([], {}) if transcript else _reasons(experiment, rows, output)
    if output.json:
        record = cluster_json(experiment, rows, output.seeds) | reasoned
        show_json(record if transcript is None else {**record, "cp": transcript.records()})
    else:
        show_transcript(transcript)
        show(cluster_page(experiment, rows, output.seeds), *reasons)


def _reasons(
    experiment: Experiment, rows: Sequence[ClusterRow], output: Output
) -> tuple[list[RenderableType], dict[str, Any]]:
    """What limits all links together, for the page and as a record; nothing of a short run."""
    limit = limit_of_run(experiment, output.seeds)
    if limit is None:
        return [], {}
    mb_per_s = rows[-1].mb_per_s
    record = {"limits": limits_json(limit, mb_per_s)}
    return ["", together_line(limit, mb_per_s)], record


def _show_beside(experiment: Experiment, disks: "IoConfiguration", output: Output) -> None:
    """Run the links without the disks and with them, and print what each costs the other."""
    from scenarios.runs.shared_channel import run_shared

    total = experiment.warmup + experiment.seconds
    shared = watch(
        total,
        lambda progress: run_shared(experiment, disks, output.sample_s, progress),
    )
    found = shared.beside.experiment
    rows = cluster_rows([shared.beside])
    if output.csv:
        show_notes(run_cluster_notes(found))
        show_csv(csv_rows(found, rows))
    elif output.json:
        record = cluster_json(found, rows, None) | _reasons(found, rows, output)[1]
        show_json({**record, "disks": shared_json(shared, together=True)})
    else:
        loads = ", ".join(map(str, experiment.loads))
        reasons = _reasons(found, rows, output)[0]
        beside = shared_page(shared, loads, together=True)
        show(cluster_page(found, rows, None), *reasons, "", beside)


def _timelines(
    wanted: TimelineOutput, transcript: Transcript | None
) -> tuple[RenderableType | None, Outcome]:
    """Run the links and write the trace; the chart, if it is wanted."""
    operation = None if transcript is None else transcript.operation
    experiment = wanted.experiment
    timelines, result = watch(
        experiment.warmup + experiment.seconds,
        lambda progress: run_timelines(wanted, progress, operation),
    )
    return wanted.chart(*timelines), result


def cluster_json(
    experiment: Experiment, rows: Sequence[ClusterRow], seeds: int | None
) -> dict[str, Any]:
    """What ``--json`` prints. Names and meanings of the keys stay between releases."""
    shared: dict[str, list[dict[str, Any]]] = {"channel": [], "path": []}
    links: list[dict[str, Any]] = []
    for row in rows:
        if row.kind in shared:
            links = []
            shared[row.kind].append({**_figures(experiment, row), "links": links})
        elif row.kind == "share":
            links.append(_figures(experiment, row))
    channels = shared["channel"]
    known = map(channel_name, experiment.collection.shared_channels)
    return {
        "seconds": experiment.seconds,
        "warmup": experiment.warmup,
        "seed": experiment.seed,
        "seeds": seeds or 1,
        "links": [_figures(experiment, row) for row in rows if row.kind == "link"],
        "systems": [_figures(experiment, row) for row in rows if row.kind == "system"],
        "channels": channels,
        "paths": shared["path"],
        "together": _figures(experiment, rows[-1]),
        "shared_channels": [*dict.fromkeys([*known, *(each["name"] for each in channels)])],
        "extrapolated": beyond_measured_cluster(experiment.collection),
        **note_records(run_cluster_notes(experiment)),
        "version": __version__,
        "command": shlex.join(["isfc", *sys.argv[1:]]),
    }


def _figures(experiment: Experiment, row: ClusterRow) -> dict[str, Any]:
    """The figures that a row of its kind has; the range is of MB/s together."""
    record = asdict(row)
    del record["kind"]
    within = row_range(experiment, row)
    record["range"] = None if within is None else range_json(within)
    return {key: value for key, value in record.items() if value is not None and value != ""}


def csv_rows(experiment: Experiment, rows: Sequence[ClusterRow]) -> list[dict[str, Any]]:
    """The rows with their ranges, whose columns are empty where there is none."""
    ranges = [row_range(experiment, row) for row in rows]
    columns = [{} if each is None else flat_range("mb_per_s", each) for each in ranges]
    every = dict.fromkeys(name for one in columns for name in one)
    return [
        {**asdict(row), **{name: one.get(name) for name in every}}
        for row, one in zip(rows, columns, strict=True)
    ]


def _results(
    experiment: Experiment, output: Output, transcript: Transcript | None
) -> list[Outcome]:
    if output.seeds is not None:
        repeated = [replace(experiment, seed=experiment.seed + n) for n in range(output.seeds)]
        return run_all(run, repeated, None)
    operation = None if transcript is None else transcript.operation
    total = experiment.warmup + experiment.seconds
    return [
        watch(
            total,
            lambda progress: run(
                experiment, output.sample_s, progress=progress, operation=operation
            ),
        )
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
