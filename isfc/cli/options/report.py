"""``--report``, ``--csv`` and ``--seeds``, which ``isfc run`` and ``isfc replay`` share."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Annotated

import typer

from isfc.cli.options.number import within
from isfc.cli.render import report as render_report
from isfc.cli.render.notes import note_lines, show_notes
from isfc.cli.render.output import show, show_csv, show_json
from isfc.cli.render.run import measured_notes
from isfc.errors import ConfigurationError
from isfc.layout.note import Note
from scenarios import report
from scenarios.repeat import SEEDS_MAX
from scenarios.report import MeasuredRun, check_traffic
from scenarios.run import INTERVAL_MIN, SECONDS_MAX, Experiment

INTERVAL = 1.0
"""Seconds of virtual time in a row of the link view."""


class View(StrEnum):
    """The views of IBM's report."""

    DEVICE = "device"
    LINK = "link"
    SUITE = "suite"
    APPC = "appc"


ReportOption = Annotated[
    View | None,
    typer.Option(
        help="Show a view of IBM's report instead: FCX108 DEVICE, link activity, "
        "or the table of ISFC Transport or of APPC/VM runs.",
        show_default=False,
    ),
]
IntervalOption = Annotated[
    float | None,
    typer.Option(
        metavar="S",
        callback=within(INTERVAL_MIN, SECONDS_MAX, "s"),
        help="Virtual time in a row of '--report link'; 1 second if not given.",
    ),
]
CsvOption = Annotated[bool, typer.Option("--csv", help="Print the view as CSV.")]
SeedsOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        callback=within(1, SEEDS_MAX),
        help="Repeat with N seeds; show the mean and the spread.",
    ),
]


@dataclass(frozen=True, slots=True)
class Output:
    """What is to be shown, and how. Raises `ConfigurationError` for options that contradict."""

    view: View | None
    interval: float | None
    csv: bool
    json: bool
    seeds: int | None
    together: bool = False
    """Whether it is of several links together, which have rows of their own."""

    def __post_init__(self) -> None:
        if self.csv and self.view is None and not self.together:
            raise ConfigurationError("--csv: expected --report as well, which says of what")
        if self.csv and self.json:
            raise ConfigurationError("--csv and --json: expected one of them")
        if self.interval is not None and self.view is not View.LINK:
            raise ConfigurationError("--interval: expected --report link as well")
        if self.seeds is not None and self.view is View.LINK:
            raise ConfigurationError("--seeds and --report link: samples have no mean")

    @property
    def sample_s(self) -> float | None:
        """Seconds of virtual time in a sample; None if there is to be one of the whole run."""
        if self.view is not View.LINK:
            return None
        return INTERVAL if self.interval is None else self.interval


def check_view(output: Output, experiments: Sequence[Experiment]) -> None:
    """Find out before anything is run whether the view can be had of all the experiments.

    Raises `ConfigurationError` for the table of the other kind of traffic.
    """
    if output.view not in (View.SUITE, View.APPC):
        return
    for experiment in experiments:
        try:
            check_traffic(experiment, appc=output.view is View.APPC)
        except ConfigurationError as error:
            raise ConfigurationError(f"--report {output.view}: {error}") from None


def show_report(output: Output, heading: str, runs: Sequence[MeasuredRun]) -> None:
    """Print the view that ``output`` names, as it says."""
    make_rows: Callable[[MeasuredRun], Iterable[report.Row]]
    match output.view:
        case View.DEVICE:
            make_rows, page = report.device_rows, render_report.device_page
        case View.LINK:
            make_rows, page = report.link_rows, render_report.link_page
        case View.SUITE:
            make_rows, page = report.suite_rows, render_report.suite_page
        case _:
            make_rows, page = report.appc_rows, render_report.appc_page
    notes = [*dict.fromkeys(note for run in runs for note in run_notes_of(run))]
    if output.csv or output.json:
        show_notes(notes)
        records = [asdict(row) for run in runs for row in make_rows(run)]
        if output.csv:
            show_csv(records)
        else:
            show_json(records)
    else:
        show(heading, "", page(runs), *note_lines(notes))


def run_notes_of(run: MeasuredRun) -> tuple[Note, ...]:
    """The notes of a run, by its fastest sample."""
    fastest = max(run.samples, key=lambda sample: sample.result.mb_per_s)
    return measured_notes(run.experiment, fastest.result)
