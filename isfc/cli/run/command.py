"""``isfc run``: one workload over one layout, in virtual time."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from msgspec import UNSET
from msgspec.structs import replace
from rich.console import RenderableType

from isfc.answers.limit import limit_of_run, limits_of, resources_table, rests_on_table, run_line
from isfc.answers.shared import shared_by
from isfc.answers.views import View
from isfc.cli.options.experiment import (
    EndOptions,
    ExtentOptions,
    LoadOptions,
    choose_node,
    make_experiment,
)
from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import JsonOption, WhyOption, open_with_disks
from isfc.cli.options.profile import LinkOptions
from isfc.cli.options.traffic import TrafficOption, choose_traffic
from isfc.cli.output.csv_option import CsvOption
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.streams import show, show_json
from isfc.cli.results.json import run_json
from isfc.cli.results.page import run_heading, run_page
from isfc.cli.results.shared import shared_page
from isfc.cli.results.view_options import Output, ViewOptions, check_view, show_report
from isfc.cli.run.during import (
    DuringOptions,
    beside_disks,
    outcomes,
    show_refusals,
    show_transcript,
)
from isfc.errors import ConfigurationError
from isfc.link.name import NodeName
from isfc.reports.terminal import table_of
from scenarios.figures.limit import find_limit
from scenarios.figures.rests_on import rests_on
from scenarios.runs.cp_script import Transcript
from scenarios.runs.experiment import Experiment
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
    csv: CsvOption = False,
    json: JsonOption = False,
) -> None:
    """Run a workload and measure it as z/VM would.

    With --traffic or the file's [[traffic]] several links run together. Every client keeps some
    messages outstanding; every message is answered with one reply. MB are 2^20 bytes. The same
    layout, workload and seed give the same output to the last byte, on any machine.
    """
    opened = chosen.open_file()
    own: dict[str, object] = {"--workload": load.workload, "--message": load.message}
    own |= {"--pairs": load.pairs, "--from": ends.client}
    loads = choose_traffic(opened, traffic, chosen.link_name, own)
    output = Output(viewed.report, viewed.interval, csv, json, extent.seeds)
    if why and (loads is not None or viewed.report is not None):
        raise ConfigurationError("--why: of one link as a whole; expected neither traffic nor view")
    if loads is not None:
        from isfc.cli.run.together import check_together, run_together  # most runs are of one link

        check_together({"--side": ends.side, "--reply": load.reply, "--window": load.window})
        run_together(loads, opened.disks, extent, output, during)
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
    trace = during.trace_of(experiment, output)
    faults = during.faults_of(experiment, output)
    transcript = during.transcript(experiment, output)
    if faults is not None:
        from isfc.cli.run.faults import show_fault_run

        show_fault_run(experiment, faults, json=json)
    else:
        _LinkRun(experiment, disks, side, output, transcript, trace, chosen.layout, why).show()


@dataclass(frozen=True, slots=True)
class _LinkRun:
    """One link that is to be run, what the disks on its chpids do, and how it is shown.

    ``side`` is the node to measure at, ``layout`` what the command line called the layout.
    """

    experiment: Experiment
    disks: "IoConfiguration | None"
    side: NodeName | None
    output: Output
    transcript: Transcript | None
    trace: Path | None
    layout: str
    why: bool

    def show(self) -> None:
        """Run it and print what is wanted of it; ends with 1 if CP refused a command."""
        if self.output.view is None:
            self._show_run()
        else:
            self._show_view(self.output.view)
        if self.transcript is not None and self.transcript.refusals:
            raise typer.Exit(ExitCode.FAILED)

    def _show_run(self) -> None:
        """Print all of the run; with what the disks on its chpids cost, run once."""
        experiment, disks = self.experiment, self.disks
        if disks is None or self.output.seeds or self.transcript or self.trace:
            self._show_results(self._results())
            return
        shared = beside_disks(experiment, disks, self.output)
        result = self._at_side(shared.beside)
        reasons, why = self._reasons(shared.beside.experiment, result.mb_per_s)
        if self.output.json:
            record = run_json(experiment, [result], self.layout)
            show_json(replace(record, **why, disks=shared_by(shared, self.side)))
        else:
            load = f"{experiment.workload.name}, {experiment.pairs} pairs"
            page = run_page(experiment, [result])
            show(page, *reasons, "", shared_page(shared, load, self.side))

    def _show_results(self, results: Sequence[Result]) -> None:
        """Print the record of a run, or its page; with the spread if it was repeated."""
        transcript, repeated = self.transcript, self.output.seeds is not None
        reasons, why = self._reasons(self.experiment, mean(results).mb_per_s)
        if self.output.json:
            record = run_json(self.experiment, results, self.layout, repeated=repeated)
            show_json(replace(record, **why, cp=transcript.entries if transcript else UNSET))
        else:
            show_transcript(transcript)
            show(run_page(self.experiment, results, repeated=repeated), *reasons)

    def _reasons(
        self, experiment: Experiment, mb_per_s: float
    ) -> tuple[list[RenderableType], dict[str, Any]]:
        """What limits the run and, if asked for, what it rests on: of the page and of the record.

        Of a run in which CP commands change the link it is said only if asked for.
        """
        limit = find_limit(experiment) if self.why else None
        if limit is None and self.transcript is None:
            limit = limit_of_run(experiment, self.output.seeds)
        if limit is None:
            return [], {}
        page: list[RenderableType] = ["", run_line(limit, mb_per_s)]
        record: dict[str, Any] = {"limits": limits_of(limit, mb_per_s)}
        if not self.why:
            return page, record
        found = rests_on(experiment)
        page += ["", table_of(resources_table(limit)), "", table_of(rests_on_table(found))]
        return page, {**record, "rests_on": found}

    def _show_view(self, view: View) -> None:
        """Print the view of the report that is wanted."""
        experiment, output = self.experiment, self.output
        name = make_name(experiment)
        if output.sample_s is None:
            shown = measured(name, experiment, mean(self._results()))
        else:
            (outcome,) = outcomes(experiment, output, self.transcript)
            shown = MeasuredRun(name, experiment, outcome.link().at(self.side).parts)
        if output.csv or output.json:
            show_refusals(self.transcript)
        else:
            show_transcript(self.transcript)
        heading = run_heading(experiment, shown.samples[0].result.node, output.seeds or 1)
        show_report(output, view, heading, [shown])

    def _results(self) -> list[Result]:
        """The result of the run, or of one with each seed."""
        found = outcomes(self.experiment, self.output, self.transcript, self.trace)
        return [self._at_side(outcome) for outcome in found]

    def _at_side(self, outcome: Outcome) -> Result:
        """What the end that was chosen saw."""
        return outcome.link().at(self.side).whole.result
