"""``isfc run``: one workload over one layout, in virtual time."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import typer

from isfc.cli.cluster import check_together, run_together
from isfc.cli.exits import ExitCode
from isfc.cli.experiments import run_all
from isfc.cli.faults import show_fault_run
from isfc.cli.options.during import DuringOptions
from isfc.cli.options.experiment import (
    EndOptions,
    ExtentOptions,
    LoadOptions,
    choose_node,
    make_experiment,
)
from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import JsonOption, open_with_disks
from isfc.cli.options.profile import LinkOptions
from isfc.cli.options.report import CsvOption, Output, ViewOptions, check_view, show_report
from isfc.cli.options.traffic import TrafficOption, choose_traffic
from isfc.cli.progress import watch
from isfc.cli.record import run_record, shared_record
from isfc.cli.render.cp import show_refusals, show_transcript
from isfc.cli.render.output import show, show_json
from isfc.cli.render.report import View
from isfc.cli.render.run import run_heading, run_page
from isfc.cli.render.shared import shared_page
from isfc.cli.timeline import TimelineOutput, run_timeline
from isfc.errors import ConfigurationError
from isfc.io.configuration import IoConfiguration
from isfc.link.name import NodeName
from scenarios.cp_script import Transcript
from scenarios.operation import Operation
from scenarios.repeat import mean, repetitions
from scenarios.report import MeasuredRun, make_name, measured
from scenarios.run import Experiment, Result, record, run
from scenarios.shared_channel import run_shared

_Outcome = TypeVar("_Outcome")


@flattened
def run_layout(
    chosen: LinkOptions,
    *,
    traffic: TrafficOption = None,
    load: LoadOptions,
    extent: ExtentOptions,
    ends: EndOptions,
    viewed: ViewOptions,
    during: DuringOptions,
    csv: CsvOption = False,
    json: JsonOption = False,
) -> None:
    """Run a workload and measure it as z/VM would.

    With --traffic or the file's [[traffic]] several links run together. Every client keeps some
    messages outstanding; every message is answered with one reply. MB are 2^20 bytes. The same
    layout, workload and seed give the same output to the last byte, on any machine.
    """
    opened = chosen.open_file()
    own = {
        "--workload": load.workload,
        "--message": load.message,
        "--pairs": load.pairs,
        "--from": ends.client,
    }
    loads = choose_traffic(opened, traffic, chosen.link_name, own)
    output = Output(
        *(viewed.report, viewed.interval, csv, json, extent.seeds), together=loads is not None
    )
    if loads is not None:
        check_together({"--side": ends.side, "--reply": load.reply, "--window": load.window})
        run_together(loads, extent, output, during)
        return
    workload = load.choose_workload()
    if load.pairs is None:
        raise ConfigurationError("--pairs is missing: expected how many, such as --pairs 50")
    link, disks = open_with_disks(opened, chosen.link_name)
    client = choose_node(link, "--from", ends.client)
    side = choose_node(link, "--side", ends.side)
    experiment = make_experiment(
        link,
        workload,
        pairs=load.pairs,
        seconds=extent.seconds,
        warmup=extent.warmup,
        seed=extent.seed,
        client=client,
    )
    check_view(output, [experiment])
    timeline = during.timeline_of(experiment, output)
    faults = during.faults_of(experiment, output)
    transcript = during.transcript(experiment, output)
    if faults is not None:
        show_fault_run(experiment, faults, json=json)
    else:
        _measure(experiment, disks, side, output, timeline, transcript, chosen.layout)


def _measure(
    experiment: Experiment,
    disks: IoConfiguration | None,
    node: NodeName | None,
    output: Output,
    wanted: TimelineOutput[Experiment] | None,
    transcript: Transcript | None,
    layout: str,
) -> None:
    """Run one link and print what is wanted of it; ends with 1 if CP refused a command."""
    if wanted is not None:
        _show_timeline(wanted, node, output, transcript)
    elif output.view is None:
        _show_run(experiment, disks, node, output, transcript, layout)
    else:
        _show_view(output.view, experiment, node, output, transcript)
    if transcript is not None and transcript.refusals:
        raise typer.Exit(ExitCode.FAILED)


def _show_run(
    experiment: Experiment,
    disks: IoConfiguration | None,
    side: NodeName | None,
    output: Output,
    transcript: Transcript | None,
    layout: str,
) -> None:
    """Run the experiment, and print all of it; with what the disks on its chpids cost, run once."""
    if disks is None or output.seeds is not None or transcript is not None:
        results = _results(experiment, side, output.seeds, transcript)
        _show_results(experiment, results, output, transcript, layout)
        return
    shared = _watch(experiment, lambda progress: run_shared(experiment, disks, side, progress))
    if output.json:
        record = run_record(experiment, [shared.beside], layout)
        show_json({**record, "disks": shared_record(shared)})
    else:
        load = f"{experiment.workload.name}, {experiment.pairs} pairs"
        show(run_page(experiment, [shared.beside]), "", shared_page(shared, load))


def _show_results(
    experiment: Experiment,
    results: Sequence[Result],
    output: Output,
    transcript: Transcript | None,
    layout: str | None = None,
) -> None:
    """Print the record of a run, or its page; with the spread if it was repeated."""
    repeated = output.seeds is not None
    if output.json:
        record = run_record(experiment, results, layout, repeated=repeated)
        show_json(record if transcript is None else {**record, "cp": transcript.records()})
    else:
        show_transcript(transcript)
        show(run_page(experiment, results, repeated=repeated))


def _show_view(
    view: View,
    experiment: Experiment,
    side: NodeName | None,
    output: Output,
    transcript: Transcript | None,
) -> None:
    """Run the experiment, and print the view of the report that is wanted."""
    name = make_name(experiment)
    interval = output.sample_s
    if interval is None:
        run = measured(name, experiment, mean(_results(experiment, side, output.seeds, transcript)))
    else:
        recording = _watch(
            experiment,
            lambda progress: record(
                experiment, interval, progress=progress, operation=_operation(transcript)
            ),
        )
        run = MeasuredRun(name, experiment, recording.at(side).parts)
    if output.csv or output.json:
        show_refusals(transcript)
    else:
        show_transcript(transcript)
    heading = run_heading(experiment, run.samples[0].result.node, output.seeds or 1)
    show_report(output, view, heading, [run])


def _show_timeline(
    wanted: TimelineOutput[Experiment],
    side: NodeName | None,
    output: Output,
    transcript: Transcript | None,
) -> None:
    """Run the experiment, write its trace, and print its chart, or what it would print without."""
    timeline, result = _watch(
        wanted.experiment,
        lambda progress: run_timeline(wanted, side, progress, _operation(transcript)),
    )
    chart = wanted.chart(timeline)
    if chart is None:
        _show_results(wanted.experiment, [result], output, transcript)
    else:
        show_transcript(transcript)
        show(run_heading(wanted.experiment, result.node), "", chart)


def _operation(transcript: Transcript | None) -> Operation | None:
    return None if transcript is None else transcript.operation


def _results(
    experiment: Experiment,
    side: NodeName | None,
    seeds: int | None,
    transcript: Transcript | None,
) -> list[Result]:
    """The result of the run, or of one with each seed."""
    if seeds is None:
        operation = _operation(transcript)
        return [
            _watch(
                experiment,
                lambda progress: run(experiment, side, progress=progress, operation=operation),
            )
        ]

    return run_all(partial(run, side=side), repetitions(experiment, seeds), None)


def _watch(experiment: Experiment, work: Callable[[Callable[[float], None]], _Outcome]) -> _Outcome:
    """Do ``work`` on the experiment, which reports its progress, and show how far it has got."""
    return watch(experiment.warmup + experiment.seconds, work)
