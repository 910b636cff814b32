"""``isfc run``: one workload over one layout, in virtual time."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any, TypeVar

import typer

from isfc.cli.exits import ExitCode
from isfc.cli.experiments import run_all
from isfc.cli.faults import FaultSeedOption, FaultsOption, read_wanted_faults, show_story
from isfc.cli.options.layout import JsonOption, LayoutArgument, LinkOption, open_with_disks
from isfc.cli.options.number import SEED_MAX, within
from isfc.cli.options.report import (
    CsvOption,
    IntervalOption,
    Output,
    ReportOption,
    SeedsOption,
    check_view,
    show_report,
)
from isfc.cli.progress import progress_bar
from isfc.cli.record import run_record, shared_record
from isfc.cli.render.cp import transcript_lines
from isfc.cli.render.output import show, show_error, show_json, show_lines
from isfc.cli.render.run import run_heading, run_page
from isfc.cli.render.shared import shared_page
from isfc.cli.render.workloads import workload_lines
from isfc.cli.timeline import TimelineOption, TimelineOutput, TraceOption, read_timeline
from isfc.errors import ConfigurationError
from isfc.io.configuration import IoConfiguration
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from scenarios.cp_script import Transcript, read_script
from scenarios.fault_run import tell
from scenarios.operation import Operation
from scenarios.repeat import mean, repetitions
from scenarios.report import MeasuredRun, make_name, measured
from scenarios.run import (
    INTERVAL_MIN,
    PAIRS_MAX,
    SECONDS_MAX,
    Experiment,
    Result,
    check_node,
    record,
    run,
)
from scenarios.shared_channel import run_shared
from scenarios.workload import (
    MESSAGE_LENGTH_MAX,
    TRANSPORT_WINDOW,
    WINDOW_MAX,
    WORKLOADS,
    Workload,
    find_workload,
    free_workload,
    workload_usage,
)

_Outcome = TypeVar("_Outcome")


def complete_workload(incomplete: str) -> list[str]:
    """The workloads that begin so."""
    names = (kind.name + ":" * bool(kind.operand) for kind in WORKLOADS.values())
    return [name for name in names if name.startswith(incomplete)]


PairsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        show_default=False,
        callback=within(1, PAIRS_MAX),
        help="Pairs of guests, one conversation each.",
    ),
]
WorkloadOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"A published workload: {workload_usage()} (APPC/VM).",
        autocompletion=complete_workload,
    ),
]
MessageOption = Annotated[
    str | None,
    typer.Option(
        metavar="MIN:MAX:PERCENT",
        help="Or one of your own: MIN bytes in PERCENT of the messages, MAX in the others.",
    ),
]
ReplyOption = Annotated[
    int | None,
    typer.Option(
        metavar="BYTES",
        callback=within(1, MESSAGE_LENGTH_MAX, "bytes"),
        help="The replies to your own messages.",
    ),
]
WindowOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        callback=within(1, WINDOW_MAX),
        help="Your own messages outstanding in a conversation; 2 if not given.",
    ),
]
SecondsOption = Annotated[
    float,
    typer.Option(
        metavar="S",
        callback=within(INTERVAL_MIN, SECONDS_MAX, "s"),
        help="Virtual time that is measured.",
    ),
]
WarmupOption = Annotated[
    float,
    typer.Option(
        metavar="S", callback=within(0, SECONDS_MAX, "s"), help="Virtual time before that."
    ),
]
SeedOption = Annotated[
    int,
    typer.Option(
        metavar="N",
        callback=within(0, SEED_MAX),
        help="Seed of the message sizes and of who begins when.",
    ),
]
ClientOption = Annotated[
    str | None,
    typer.Option("--from", metavar="NODE", help="The node of the clients; the first if not given."),
]
SideOption = Annotated[
    str | None,
    typer.Option(metavar="NODE", help="The node to measure at; the clients' if not given."),
]
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

    Every client keeps some messages outstanding; every message is answered with one reply.
    MB are 2^20 bytes. The same layout, workload and seed give the same output to the last
    byte, on any machine.
    """
    output = Output(report, interval, csv, json, seeds)
    chosen = choose_workload(workload, message, reply, window)
    if pairs is None:
        raise ConfigurationError("--pairs is missing: expected how many, such as --pairs 50")
    link, disks = open_with_disks(layout, link_name)
    source = choose_node(link, "--from", client)
    experiment = make_experiment(
        link, chosen, pairs=pairs, seconds=seconds, warmup=warmup, seed=seed, client=source
    )
    node = choose_node(link, "--side", side)
    check_view(output, [experiment])
    wanted = read_timeline(trace, timeline, experiment, output)
    planned = read_wanted_faults(faults, fault_seed, experiment, output, (cp, trace, timeline))
    transcript = None if cp is None else _transcript(cp, experiment, seeds)
    if planned is not None:
        story = _watch(experiment, lambda progress: tell(experiment, planned, progress))
        show_story(experiment, story, json=json)
    elif wanted is not None:
        _show_timeline(wanted, node, output, transcript)
    elif report is None:
        _show_run(experiment, disks, node, output, transcript, layout)
    else:
        _show_view(experiment, node, output, transcript)
    if transcript is not None and transcript.refusals:
        raise typer.Exit(ExitCode.FAILED)


def choose_workload(
    name: str | None, message: str | None, reply: int | None, window: int | None
) -> Workload:
    """The workload that the options mean; `ConfigurationError` if they contradict each other."""
    own = {"--message": message, "--reply": reply, "--window": window}
    given = [option for option, value in own.items() if value is not None]
    if name is not None:
        if given:
            raise ConfigurationError(
                f"--workload {name[:40]} and {given[0]}: expected a published workload "
                "or one of your own, not both"
            )
        return find_workload(name)
    if message is None or reply is None:
        refusal = "no workload: expected --workload, or --message and --reply"
        raise ConfigurationError("\n".join((refusal, "", *workload_lines())))
    try:
        return free_workload(message, reply, TRANSPORT_WINDOW if window is None else window)
    except ConfigurationError as error:
        reason = str(error).removeprefix("message ")
        raise ConfigurationError(f"{', '.join(given)}: {reason}") from None


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
    show_report(output, heading, [run])


def _show_timeline(
    wanted: TimelineOutput,
    side: NodeName | None,
    output: Output,
    transcript: Transcript | None,
) -> None:
    """Run the experiment, write its trace, and print its chart, or what it would print without."""
    timeline, result = _watch(
        wanted.experiment,
        lambda progress: wanted.run(side, progress, _operation(transcript)),
    )
    chart = wanted.chart(timeline)
    if chart is None:
        _show_results(wanted.experiment, [result], output, transcript)
    else:
        _show_transcript(transcript)
        show(run_heading(wanted.experiment, result.node), "", chart)


def make_experiment(*arguments: Any, **settings: Any) -> Experiment:
    """An `Experiment`. What it refuses is told in the words of the command.

    Its settings are called as the options are.
    """
    try:
        return Experiment(*arguments, **settings)
    except ConfigurationError as error:
        raise ConfigurationError(f"--{error}") from None


def choose_node(layout: Layout, option: str, name: str | None) -> NodeName | None:
    """The node of the layout that an option names."""
    if name is None:
        return None
    check_node(layout, option, name.upper())
    return NodeName(name.upper())


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
    done = 0.0
    total = experiment.warmup + experiment.seconds

    def advance(seconds: float) -> None:
        nonlocal done
        done = seconds
        show_progress(seconds)

    try:
        with progress_bar(total, "s of virtual time") as show_progress:
            return work(advance)
    except KeyboardInterrupt:
        show_error(f"interrupted after {done:.2f} of {total:g} s of virtual time")
        raise typer.Exit(ExitCode.INTERRUPTED) from None
