"""``--report``: which view of IBM's report is printed, and how."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated

import typer
from msgspec import Struct

from isfc.answers.run import described
from isfc.answers.views import View, ranges_line, run_notes_of, sample_seconds
from isfc.answers.views import check_view as check_shown
from isfc.arguments import as_options
from isfc.cli.options.number import bounded
from isfc.cli.output.notes import note_lines, show_notes
from isfc.cli.output.streams import show, show_csv, show_json, show_log
from isfc.reports.measures import seed_words
from scenarios.runs.experiment import SECONDS_MAX, Experiment
from scenarios.runs.report import MeasuredRun
from scenarios.runs.run import INTERVAL_MIN


class ViewOptions(Struct, frozen=True):
    """Which view of IBM's report is wanted, if one is, and how long its rows are."""

    report: Annotated[
        View | None,
        typer.Option(
            help="Show a view of IBM's report instead: FCX108 DEVICE, link activity, "
            "or the table of ISFC Transport or of APPC/VM runs."
        ),
    ] = None
    interval: Annotated[
        float | None,
        bounded(
            "S",
            INTERVAL_MIN,
            SECONDS_MAX,
            "Virtual time in a row of '--report link'; 1 second if not given.",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class Output:
    """What is to be shown, and how. Raises `ConfigurationError` for options that contradict."""

    view: View | None
    interval: float | None
    csv: bool
    json: bool
    seeds: int | None

    def __post_init__(self) -> None:
        with as_options():
            sample_seconds(self.view, self.interval, self.seeds)

    @property
    def sample_s(self) -> float | None:
        """As `sample_seconds`."""
        return sample_seconds(self.view, self.interval, self.seeds)


def check_view(output: Output, experiments: Sequence[Experiment]) -> None:
    """Find out before anything is run whether the view can be had of all the experiments.

    Raises `ConfigurationError` for the table of the other kind of traffic.
    """
    if output.view is not None:
        with as_options():
            check_shown(output.view, experiments)


def show_report(output: Output, view: View, heading: str, runs: Sequence[MeasuredRun]) -> None:
    """Print a view of the report, as ``output`` says."""
    notes = [*dict.fromkeys(note for run in runs for note in run_notes_of(run))]
    ranges = ranges_line(runs)
    if output.csv or output.json:
        show_log(f"isfc: note: {ranges}")
        show_notes(notes)
        records = [asdict(row) for run in runs for row in view.rows(run)]
        if output.csv:
            show_csv(records)
        else:
            show_json(records)
    else:
        page = view.page([view.of(run) for run in runs])
        show(heading, "", page, "", ranges, *note_lines(notes))


def view_heading(runs: Sequence[MeasuredRun], seeds: int = 1) -> str:
    """What was run, for how long, and where it was measured."""
    experiment = runs[0].experiment
    node = runs[0].samples[0].result.node
    of = f"Logical link {' - '.join(experiment.layout.nodes)}, seen from {node}"
    what = f"{of}; clients on {experiment.client_node}\n{described(experiment.workload)}"
    if len(runs) > 1:
        what = f"{len(runs)} logical links, together"
    pairs = f"{experiment.pairs} pair{'s' * (experiment.pairs > 1)}, " * (len(runs) == 1)
    return (
        f"{what}\n{pairs}{experiment.seconds:g} s of virtual time after {experiment.warmup:g} s of "
        f"warm-up, {seed_words(experiment.seed, seeds)}"
    )
