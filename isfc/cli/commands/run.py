"""``isfc run``: one workload over one layout, in virtual time."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, TypeVar

import typer

from isfc.cli.cluster import Wanted, check_together, run_together
from isfc.cli.exits import ExitCode
from isfc.cli.experiments import run_all
from isfc.cli.faults import FaultSeedOption, FaultsOption, read_wanted_faults, show_story
from isfc.cli.options.experiment import (
    ClientOption,
    MessageOption,
    PairsOption,
    ReplyOption,
    SecondsOption,
    SeedOption,
    SideOption,
    WarmupOption,
    WindowOption,
    WorkloadOption,
    choose_node,
    choose_workload,
    make_experiment,
)
from isfc.cli.options.layout import (
    JsonOption,
    LayoutArgument,
    LinkOption,
    open_collection,
    open_with_disks,
)
from isfc.cli.options.profile import (
    ProfileOption,
    file_at_site,
    open_profile,
)
from isfc.cli.options.report import (
    CsvOption,
    IntervalOption,
    Output,
    ReportOption,
    SeedsOption,
    check_view,
    show_report,
)
from isfc.cli.options.traffic import TrafficOption, choose_traffic
from isfc.cli.progress import watch
from isfc.cli.record import run_record, shared_record
from isfc.cli.render.cp import transcript_lines
from isfc.cli.render.output import show, show_error, show_json, show_lines
from isfc.cli.render.report import View
from isfc.cli.render.run import run_heading, run_page
from isfc.cli.render.shared import shared_page
from isfc.cli.timeline import (
    TimelineOption,
    TimelineOutput,
    TraceOption,
    read_timeline,
    run_timeline,
)
from isfc.errors import ConfigurationError
from isfc.io.configuration import IoConfiguration
from isfc.link.name import NodeName
from scenarios.cp_script import Transcript, read_script
from scenarios.fault_run import tell
from scenarios.operation import Operation
from scenarios.repeat import mean, repetitions
from scenarios.report import MeasuredRun, make_name, measured
from scenarios.run import Experiment, Result, record, run
from scenarios.shared_channel import run_shared

_Outcome = TypeVar("_Outcome")


CpOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Give CP commands at times of the run: lines 'at 2.5s [NODE:] COMMAND'.",
    ),
]


def run_layout(
    layout: LayoutArgument,
    *,
    link_name: LinkOption = None,
    profile: ProfileOption = None,
    traffic: TrafficOption = None,
    pairs: PairsOption = None,
    workload: WorkloadOption = None,
    message: MessageOption = None,
    reply: ReplyOption = None,
    window: WindowOption = None,
    seconds: SecondsOption = 10.0,
    warmup: WarmupOption = 1.0,
    seed: SeedOption = 1,
    seeds: SeedsOption = None,
    client: ClientOption = None,
    side: SideOption = None,
    report: ReportOption = None,
    interval: IntervalOption = None,
    cp: CpOption = None,
    trace: TraceOption = None,
    timeline: TimelineOption = None,
    faults: FaultsOption = None,
    fault_seed: FaultSeedOption = None,
    csv: CsvOption = False,
    json: JsonOption = False,
) -> None:
    """Run a workload and measure it as z/VM would.

    With --traffic or the file's [[traffic]] several links run together. Every client keeps some
    messages outstanding; every message is answered with one reply. MB are 2^20 bytes. The same
    layout, workload and seed give the same output to the last byte, on any machine.
    """
    own = {"--workload": workload, "--message": message, "--pairs": pairs, "--from": client}
    opened = file_at_site(open_collection(layout), open_profile(profile))
    loads = choose_traffic(opened, traffic, link_name, own)
    if loads:
        check_together({"--side": side, "--reply": reply, "--window": window})
        output = Output(report, interval, csv, json, seeds, together=True)
        wanted_of_all = Wanted(cp, trace, timeline, faults, fault_seed)
        run_together(loads, seconds, warmup, seed, output, wanted_of_all)
        return
    output = Output(report, interval, csv, json, seeds)
    chosen = choose_workload(workload, message, reply, window)
    if pairs is None:
        raise ConfigurationError("--pairs is missing: expected how many, such as --pairs 50")
    link, disks = open_with_disks(opened, link_name)
    source, node = choose_node(link, "--from", client), choose_node(link, "--side", side)
    experiment = make_experiment(
        link, chosen, pairs=pairs, seconds=seconds, warmup=warmup, seed=seed, client=source
    )
    check_view(output, [experiment])
    wanted = read_timeline(trace, timeline, experiment, output)
    planned = read_wanted_faults(faults, fault_seed, experiment, output, (cp, trace, timeline))
    transcript = None if cp is None else _transcript(cp, experiment, seeds)
    if planned is not None:
        story = _watch(experiment, lambda progress: tell(experiment, planned, progress))
        show_story(experiment, story, json=json)
    else:
        _measure(experiment, disks, node, output, wanted, transcript, layout)


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
        _show_transcript(transcript)
        show(run_page(experiment, results, repeated=repeated))


def _show_transcript(transcript: Transcript | None) -> None:
    """Print what CP said, if it was asked, and a blank line."""
    if transcript is not None:
        show_lines((*transcript_lines(transcript.entries), ""))


def _show_refusals(transcript: Transcript | None) -> None:
    """Where responses have no place on stdout, say on stderr what CP has refused."""
    for entry in transcript.refusals if transcript else ():
        show_error(f"at {entry.at_s:g} s {entry.node}: {entry.command}: {entry.lines[0]}")


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
        _show_refusals(transcript)
    else:
        _show_transcript(transcript)
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
        _show_transcript(transcript)
        show(run_heading(wanted.experiment, result.node), "", chart)


def _transcript(path: str, experiment: Experiment, seeds: int | None) -> Transcript:
    """What is to hold the responses to the commands in a file."""
    if seeds is not None:
        raise ConfigurationError("--cp and --seeds: every run would have responses of its own")
    try:
        return Transcript(read_script(path, experiment))
    except ConfigurationError as error:
        raise ConfigurationError(f"--cp {error}") from None


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
