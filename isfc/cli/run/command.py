"""``isfc run``: workloads over one link, or over several together, in virtual time."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from msgspec import UNSET

from isfc.answers.faults_run import faults_run
from isfc.answers.limit import limit_of_run
from isfc.answers.links_run import LinksRun, links_run
from isfc.answers.run import LinkRun, limit_fields, link_run
from isfc.answers.views import View
from isfc.cli.capability import AnswerPrinted, html_of
from isfc.cli.options.experiment import (
    EndOptions,
    ExtentOptions,
    LoadOptions,
    choose_node,
    make_experiment,
)
from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import WhyOption, open_with_disks
from isfc.cli.options.option import valued
from isfc.cli.options.profile import LinkOptions
from isfc.cli.options.traffic import TrafficOption, choose_traffic
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.file import check_file, check_force
from isfc.cli.results.view_options import Output, ViewOptions, check_view, show_report, view_heading
from isfc.cli.run.during import (
    DuringOptions,
    beside_disks,
    outcomes,
    run_faults,
    show_refusals,
    show_transcript,
)
from isfc.errors import ConfigurationError
from isfc.link.name import NodeName
from isfc.reported import report_of
from scenarios.figures.limit import find_limit, rests_on
from scenarios.runs.cluster_rows import cluster_rows
from scenarios.runs.experiment import Experiment
from scenarios.runs.operation import Transcript
from scenarios.runs.repeat import mean
from scenarios.runs.report import MeasuredRun, make_name, measured
from scenarios.runs.result import Result
from scenarios.runs.run import Outcome

if TYPE_CHECKING:
    from isfc.io.configuration import IoConfiguration


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
    why: WhyOption = False,
    html: Annotated[
        Path | None, valued("FILE.html", "Write the page to a file, and print nothing.")
    ] = None,
    printed: AnswerPrinted,
) -> None:
    """Run a workload and measure it as z/VM would.

    With --traffic or the file's [[traffic]] several links run together. Every client keeps some
    messages outstanding; every message is answered with one reply. MB are 2^20 bytes. The same
    layout, workload and seed give the same output to the last byte, on any machine.
    """
    printed.check(html)
    check_force("--html or --trace", html, during.trace, force=printed.force)
    if html is not None:
        check_file("--html", html, (".html",), force=printed.force)
    if viewed.report and (html or printed.notes or printed.table or printed.markdown):
        raise ConfigurationError("--report: expected without --html, --markdown, --notes, --table")
    output = Output(viewed.report, viewed.interval, printed.csv, printed.json, extent.seeds)
    run = _chosen(chosen, traffic, load, extent, ends)
    if why and (run.together or viewed.report is not None):
        raise ConfigurationError("--why: of one link as a whole; expected neither traffic nor view")
    check_view(output, run.experiment.each_alone)
    trace = during.trace_of(run.experiment, output, force=printed.force)
    faults = during.faults_of(run.experiment, output)
    transcript = during.transcript(run.experiment, output)
    if faults is not None:
        outcome = run_faults(run.experiment, faults, together=run.together)
        found = faults_run(run.experiment, outcome, together=run.together)
        _show(found, printed, html)
    elif viewed.report is not None:
        _show_view(run, output, viewed.report, transcript)
    elif run.together:
        _show(_links_found(run, output, transcript, trace), printed, html)
    else:
        link = _link_found(run, output, transcript, trace, why=why)
        _show(link, printed, html)
    if transcript is not None and transcript.refusals:
        if not viewed.report and not printed.json and (html or not printed.is_page):
            show_refusals(transcript)
        raise typer.Exit(ExitCode.FAILED)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What is to be run: one link, or several ``together``, and what disks on their chpids do.

    ``side`` is the node to measure at, ``layout`` what the command line called the layout.
    """

    layout: str
    experiment: Experiment
    together: bool
    disks: "IoConfiguration | None"
    side: NodeName | None = None

    def at_side(self, outcome: Outcome) -> Result:
        """What the end that was chosen saw."""
        return outcome.link().at(self.side).whole.result


def _chosen(
    chosen: LinkOptions,
    traffic: list[str] | None,
    load: LoadOptions,
    extent: ExtentOptions,
    ends: EndOptions,
) -> _Chosen:
    """What the options say; raises `ConfigurationError` for what contradicts or cannot run."""
    opened = chosen.open_file()
    own: dict[str, object] = {"--workload": load.workload, "--message": load.message}
    own |= {"--pairs": load.pairs, "--from": ends.client}
    loads = choose_traffic(opened, traffic, chosen.link_name, own)
    how: dict[str, Any] = {
        "seconds": extent.seconds,
        "warmup": extent.warmup,
        "seed": extent.seed,
    }
    if loads is not None:
        of_one = {"--side": ends.side, "--reply": load.reply, "--window": load.window}
        _check_together(of_one)
        try:
            experiment = Experiment(*loads, **how)
        except ConfigurationError as error:
            raise ConfigurationError(f"--{error}") from None
        return _Chosen(chosen.layout, experiment, True, _sharing(opened.disks, experiment))
    workload = load.choose_workload()
    if load.pairs is None:
        raise ConfigurationError("--pairs is missing: expected how many, such as --pairs 50")
    link, disks = open_with_disks(opened, chosen.link_name)
    client = choose_node(link, "--from", ends.client)
    side = choose_node(link, "--side", ends.side)
    experiment = make_experiment(link, workload, pairs=load.pairs, client=client, **how)
    return _Chosen(chosen.layout, experiment, False, disks, side)


def _check_together(alone: Mapping[str, object]) -> None:
    """Raise `ConfigurationError` for an option that is of one link ``alone``."""
    for option, value in alone.items():
        if value is not None:
            raise ConfigurationError(
                f"{option}: of one link; expected it without --traffic and [[traffic]], "
                "with --workload, --pairs and --link"
            )


def _sharing(disks: "IoConfiguration | None", experiment: Experiment) -> "IoConfiguration | None":
    """The disks, if any is on a chpid of the links."""
    if disks is None:
        return None
    from isfc.io.shared import find_shared  # most files name no disks

    return disks if find_shared(disks, *experiment.collection.links) else None


def _show(found: Any, printed: AnswerPrinted, html: Path | None) -> None:
    """Print an answer, or write its page, with what CP said above the page."""
    if html is not None:
        html_of(report_of).write(html, found)
        return
    said = getattr(found, "cp", UNSET)
    if said is not UNSET and printed.is_page:
        show_transcript(said)
    printed.show(found, report_of)


def _run(
    run: _Chosen, output: Output, transcript: Transcript | None, trace: Path | None
) -> tuple[Sequence[Outcome], dict[str, Any]]:
    """What came of it, of each seed, and what the record has of it beside the figures.

    With disks on its chpids, unless something else is asked for, it is run without them too.
    """
    more: dict[str, Any] = {"command": shlex.join(["isfc", *sys.argv[1:]])}
    if run.disks is not None and not (output.seeds or transcript or trace):
        from isfc.answers.shared import shared_by  # few links share with disks

        shared = beside_disks(run.experiment, run.disks, output)
        return [shared.beside], {**more, "disks": shared_by(shared, run.side)}
    found = outcomes(run.experiment, output, transcript, trace)
    return found, more if transcript is None else {**more, "cp": transcript.entries}


def _link_found(
    run: _Chosen, output: Output, transcript: Transcript | None, trace: Path | None, *, why: bool
) -> LinkRun:
    """The record of one link, with what limits it.

    Where CP commands change the link that is said only if it is asked for.
    """
    found, more = _run(run, output, transcript, trace)
    results = [run.at_side(outcome) for outcome in found]
    experiment = found[0].experiment
    limit = find_limit(experiment) if why else None
    if limit is None and transcript is None and not output.csv:
        limit = limit_of_run(experiment, output.seeds)
    if why:
        more["rests_on"] = rests_on(experiment)
    more |= limit_fields(limit, mean(results).mb_per_s)
    repeated = output.seeds is not None
    return link_run(run.experiment, results, run.layout, repeated=repeated, **more)


def _links_found(
    run: _Chosen, output: Output, transcript: Transcript | None, trace: Path | None
) -> LinksRun:
    """The record of several links, with what limits them together."""
    found, more = _run(run, output, transcript, trace)
    experiment, rows = found[0].experiment, cluster_rows(found)
    silent = transcript is not None or output.csv
    limit = None if silent else limit_of_run(experiment, output.seeds)
    more |= limit_fields(limit, rows[-1].mb_per_s)
    return links_run(experiment, rows, output.seeds, **more)


def _show_view(run: _Chosen, output: Output, view: View, transcript: Transcript | None) -> None:
    """Print a view of IBM's report: of one link at its side, of several at each clients' end."""
    if run.together and output.seeds is not None and output.seeds > 1:
        raise ConfigurationError("--seeds and --report: expected one of them of several links")
    found = outcomes(run.experiment, output, transcript)
    if transcript is not None and (output.csv or output.json):
        show_refusals(transcript)
    elif transcript is not None:
        show_transcript(transcript.entries)
    runs = []
    for link in found[0].links:
        seen, name = link.at(run.side), make_name(link.experiment)
        if output.sample_s is not None:
            runs.append(MeasuredRun(name, link.experiment, seen.parts))
        elif run.together:
            runs.append(MeasuredRun(name, link.experiment, (seen.whole,)))
        else:
            runs.append(measured(name, link.experiment, mean([*map(run.at_side, found)])))
    show_report(output, view, view_heading(runs, output.seeds or 1), runs)
