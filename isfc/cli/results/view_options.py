"""``--report``: which view of IBM's report is printed, and how."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Final

import typer
from msgspec import Struct

from isfc.answers.run import SERVICE, described, figures_of_run, measured_notes
from isfc.cli.options.number import bounded
from isfc.cli.output.notes import note_lines, show_notes
from isfc.cli.output.streams import show, show_csv, show_json, show_log
from isfc.cli.results.views import View
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import within
from isfc.layout.note import Note
from isfc.link.message import Traffic
from isfc.reports.measures import seed_words
from isfc.reports.ranges import factor_line, range_note
from scenarios.figures.figure import Figure
from scenarios.runs.experiment import SECONDS_MAX, Experiment
from scenarios.runs.report import MeasuredRun, check_traffic
from scenarios.runs.run import INTERVAL_MIN

INTERVAL = 1.0
"""Seconds of virtual time in a row of the link view."""


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
        sampled = self.view is not None and self.view.sampled
        if self.interval is not None and not sampled:
            raise ConfigurationError("--interval: expected --report link as well")
        if self.seeds is not None and sampled:
            raise ConfigurationError("--seeds and --report link: samples have no mean")

    @property
    def sample_s(self) -> float | None:
        """Seconds of virtual time in a sample; None if there is to be one of the whole run."""
        if self.view is None or not self.view.sampled:
            return None
        return INTERVAL if self.interval is None else self.interval

    @property
    def traffic(self) -> Traffic | None:
        """The traffic that alone the view can show; None if it shows any."""
        return None if self.view is None else self.view.traffic


def check_view(output: Output, experiments: Sequence[Experiment]) -> None:
    """Find out before anything is run whether the view can be had of all the experiments.

    Raises `ConfigurationError` for the table of the other kind of traffic.
    """
    for experiment in experiments:
        if output.traffic is not None:
            with within(f"--report {output.view}"):
                check_traffic(experiment, output.traffic)


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
        show(heading, "", view.page(runs), "", ranges, *note_lines(notes))


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


_SAID: Final = {
    "mb_per_s": "MB/s together",
    "messages_per_s": "Messages/s together",
    "rdev_util_percent": "RDEV util %",
    "cpu_percent_per_msg": "%CPU/msg",
    SERVICE: "Disc, Conn, Serv",
}
"""What a range is of: bytes and messages are counted both ways."""


def ranges_line(runs: Sequence[MeasuredRun]) -> str:
    """Between what the figures of all runs would lie, each as a factor: the widest of all."""
    found: dict[str, list[Figure]] = {}
    for run in runs:
        for sample in run.samples:
            for name, known in figures_of_run(run.experiment, sample.result).items():
                found.setdefault(name, []).append(known)
    said = "; ".join(f"{_SAID[name]} {factor_line(each)}" for name, each in found.items())
    every = range_note(known for each in found.values() for known in each)
    return f"Range: {said}. {every}" if said else "Range: none, as nothing was carried."


def run_notes_of(run: MeasuredRun) -> tuple[Note, ...]:
    """The notes of a run, by its fastest sample."""
    fastest = max(run.samples, key=lambda sample: sample.result.mb_per_s)
    return measured_notes(run.experiment, fastest.result)
