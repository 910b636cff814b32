"""``isfc run``: workloads over one link, or over several together, in virtual time."""

import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from msgspec import UNSET

from isfc.answers.faults_run import faults_run
from isfc.answers.limit import limit_of_run
from isfc.answers.links_run import LinksRun, links_run
from isfc.answers.run import LinkRun, described, limit_fields, link_run
from isfc.answers.views import ranges_line, run_notes_of
from isfc.cli.options.formats import AnswerPrinted
from isfc.cli.options.option import flattened
from isfc.cli.output.progress import run_all, watch
from isfc.cli.output.streams import (
    ExitCode,
    show,
    show_csv,
    show_error,
    show_json,
    show_lines,
    show_log,
)
from isfc.cli.run.options import ChosenRun, RunOptions
from isfc.cli.run.trace import run_traced
from isfc.errors import ConfigurationError
from isfc.errors.arguments import as_options
from isfc.reports.measures import run_words
from isfc.reports.report import report_of
from scenarios.faults.fault import Fault
from scenarios.figures.limit import find_limit, rests_on
from scenarios.runs.experiment import Experiment
from scenarios.runs.operation import ConsoleEntry, Transcript
from scenarios.runs.report import MeasuredRun, cluster_rows, make_name, measured
from scenarios.runs.result import mean, repetitions
from scenarios.runs.run import Outcome, run

if TYPE_CHECKING:
    from isfc.io.configuration import IoConfiguration
    from scenarios.faults.run import FaultOutcome
    from scenarios.runs.shared_channel import SharedRun


@flattened
def run_layout(options: RunOptions, *, printed: AnswerPrinted) -> None:
    """Run a workload and measure it as z/VM would.

    With --traffic or the file's [[traffic]] several links run together. Every client keeps some
    messages outstanding; every message is answered with one reply. MB are 2^20 bytes. The same
    layout, workload and seed give the same output to the last byte, on any machine.
    """
    with as_options():
        chosen = options.choose(printed)
        experiment = chosen.experiment
        trace = options.trace_of(experiment, printed)
        faults = options.faults_of(experiment)
        transcript = options.transcript_of(experiment)
    if faults is not None:
        outcome = run_faults(experiment, faults, together=chosen.together)
        found: Any = faults_run(experiment, outcome, together=chosen.together)
    elif options.report is not None:
        found = _viewed(chosen, options, printed, transcript)
        show_view(options, found, printed)
    else:
        silent = transcript is not None or printed.format == "csv"
        found = _found(chosen, options, _run(chosen, options, transcript, trace), silent=silent)
    if options.report is None:
        said = getattr(found, "cp", UNSET)
        if said is not UNSET and not printed.instead:
            show_transcript(said)
        printed.show(found, report_of)
    if transcript is not None and transcript.refusals:
        if not options.report and printed.instead not in ("", "--json"):
            show_refusals(transcript)
        raise typer.Exit(ExitCode.FAILED)


_Ran = tuple[Sequence[Outcome], dict[str, Any]]
"""What came of a run with each seed, and what its record has of it beside the figures."""


def _run(
    chosen: ChosenRun, options: RunOptions, transcript: Transcript | None, trace: Path | None
) -> _Ran:
    """Run it; with disks on its chpids without them too, unless something else is asked for."""
    more: dict[str, Any] = {"command": shlex.join(["isfc", *sys.argv[1:]])}
    if chosen.disks is not None and not (options.seeds or transcript or trace):
        from isfc.answers.shared import shared_by  # few links share with disks

        shared = beside_disks(chosen.experiment, chosen.disks, options)
        return [shared.beside], {**more, "disks": shared_by(shared, chosen.side)}
    found = outcomes(chosen.experiment, options, transcript, trace)
    return found, more if transcript is None else {**more, "cp": transcript.entries}


def _found(
    chosen: ChosenRun, options: RunOptions, ran: _Ran, *, silent: bool
) -> LinkRun | LinksRun:
    """The record, with what limits it unless that is to be ``silent``.

    Where CP commands change a link it is, unless that is asked for.
    """
    found, more = ran
    experiment = found[0].experiment
    limit = find_limit(experiment) if options.why else None
    if limit is None and not silent:
        limit = limit_of_run(experiment, options.seeds)
    if options.why:
        more["rests_on"] = rests_on(experiment)
    if chosen.together:
        rows = cluster_rows(found)
        more |= limit_fields(limit, rows[-1].mb_per_s)
        return links_run(experiment, rows, options.seeds, **more)
    results = [chosen.at_side(outcome) for outcome in found]
    more |= limit_fields(limit, mean(results).mb_per_s)
    repeated = options.seeds is not None
    return link_run(chosen.experiment, results, chosen.layout, repeated=repeated, **more)


def _viewed(
    chosen: ChosenRun, options: RunOptions, printed: AnswerPrinted, transcript: Transcript | None
) -> list[MeasuredRun]:
    """What a view is of: of one link at its side, of several at each clients' end."""
    if chosen.together and (options.seeds or 1) > 1:
        raise ConfigurationError("--seeds and --report: expected one of them of several links")
    found = outcomes(chosen.experiment, options, transcript)
    if transcript is not None and not printed.instead:
        show_transcript(transcript.entries)
    elif transcript is not None:
        show_refusals(transcript)
    runs = []
    for link in found[0].links:
        seen, name = link.at(chosen.side), make_name(link.experiment)
        if options.sample_s is not None:
            runs.append(MeasuredRun(name, link.experiment, seen.parts))
        elif chosen.together:
            runs.append(MeasuredRun(name, link.experiment, (seen.whole,)))
        else:
            runs.append(measured(name, link.experiment, mean([*map(chosen.at_side, found)])))
    return runs


def transcript_lines(entries: Iterable[ConsoleEntry]) -> Iterator[str]:
    """A line with time, node and command, then its response; what came unasked with its time."""
    for entry in entries:
        place = f"{entry.at_s:12.6f} {entry.node:<8}"
        if entry.command is None:
            yield from (f"{place}   {line}" for line in entry.lines)
        else:
            yield f"{place} > {entry.command}"
            yield from entry.lines


def outcomes(
    experiment: Experiment,
    options: RunOptions,
    transcript: Transcript | None,
    trace: Path | None = None,
) -> list[Outcome]:
    """What came of a run, with the commands that are given meanwhile, or of one with each seed."""
    if options.seeds is not None:
        return run_all(run, repetitions(experiment, options.seeds))
    operation = None if transcript is None else transcript.operation
    if trace is not None:
        return [run_traced(experiment, trace, operation)]
    return [
        watch(
            experiment,
            lambda progress: run(
                experiment, options.sample_s, progress=progress, operation=operation
            ),
        )
    ]


def beside_disks(
    experiment: Experiment, disks: "IoConfiguration", options: RunOptions
) -> "SharedRun":
    """What came of a run without the disks on chpids of the links, and with them."""
    from scenarios.runs.shared_channel import run_shared  # most links share with no disks

    return watch(
        experiment,
        lambda progress: run_shared(experiment, disks, options.sample_s, progress),
    )


def run_faults(
    experiment: Experiment, faults: Sequence[Fault], *, together: bool
) -> "FaultOutcome":
    """What came of a run with faults, of one link or of several ``together``."""
    from scenarios.faults.run import run_with_faults  # most runs have none

    return watch(
        experiment,
        lambda progress: run_with_faults(experiment, faults, progress, together=together),
    )


def show_transcript(entries: Iterable[ConsoleEntry]) -> None:
    """Print what CP said, and a blank line."""
    show_lines((*transcript_lines(entries), ""))


def show_refusals(transcript: Transcript) -> None:
    """Where responses have no place on stdout, say on stderr what CP has refused."""
    for entry in transcript.refusals:
        show_error(f"at {entry.at_s:g} s {entry.node}: {entry.command}: {entry.lines[0]}")


def show_view(options: RunOptions, runs: Sequence[MeasuredRun], printed: AnswerPrinted) -> None:
    """Print the view that is wanted; CSV and JSON have ranges and notes on stderr."""
    view = options.report
    assert view is not None, "it is wanted"
    known = [ranges_line(runs), *(note.text for run in runs for note in run_notes_of(run))]
    known = [*dict.fromkeys(known)]
    if not printed.instead:
        page = view.page([view.of(run) for run in runs])
        rest = "\n\n".join(known)
        show(view_heading(runs, options.seeds or 1), "", page, "", rest)
        return
    for each in known:
        show_log(f"isfc: note: {each}")
    records = [asdict(row) for run in runs for row in view.rows(run)]
    if printed.format == "csv":
        show_csv(records)
    else:
        show_json(records)


def view_heading(runs: Sequence[MeasuredRun], seeds: int = 1) -> str:
    """What was run, for how long, and where it was measured."""
    experiment = runs[0].experiment
    node = runs[0].samples[0].result.node
    of = f"Logical link {' - '.join(experiment.layout.nodes)}, seen from {node}"
    what = f"{of}; clients on {experiment.client_node}\n{described(experiment.workload)}"
    if len(runs) > 1:
        what = f"{len(runs)} logical links, together"
    pairs = f"{experiment.pairs} pair{'s' * (experiment.pairs > 1)}, " * (len(runs) == 1)
    run = run_words(experiment.seconds, experiment.warmup, experiment.seed, seeds)
    return f"{what}\n{pairs}{run}"
