"""Between what the figures of runs would lie on real hardware, and what is noted of runs."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from isfc.layout.note import Note
from isfc.reports.ranges import factor_line, range_note
from isfc.reports.units import range_of
from scenarios.figures.certainty import FigureKind
from scenarios.figures.figure import Figure
from scenarios.figures.ranges import figure_of, mostly_writes, run_figures
from scenarios.runs.experiment import Experiment
from scenarios.runs.load import Load
from scenarios.runs.notes import BUSY, run_notes, unranged
from scenarios.runs.report import MeasuredRun
from scenarios.runs.result import Result

_RANGED: Final = {
    "mb_per_s": "MB/s",
    "messages_per_s": "Messages/s",
    "rdev_util_percent": "RDEV util %",
    "cpu_percent_per_msg": "%CPU/msg",
}
SERVICE = "Disc, Conn, Serv"
"""The times of each device that mostly writes: their range is a factor of them."""

_UNRANGED: Final = (
    f"packages, collisions and TXPENDCT, of a device's I/O/s, Pend and Busy %, and of {BUSY}"
)


def range_line(experiment: Experiment, result: Result) -> str:
    """Between what the figures of a run would lie on real hardware."""
    found = figures_of_run(experiment, result)
    said = "; ".join(
        f"{said_name(name)} {factor_line([each]) if name == SERVICE else range_of(each)}"
        for name, each in found.items()
    )
    return f"Range: {said}. {range_note(found.values())}" if found else ""


def said_name(name: str) -> str:
    """What a range is of: bytes and messages are counted both ways."""
    return f"{name} together" if name in ("MB/s", "Messages/s") else name


def figures_of_run(experiment: Experiment, result: Result) -> dict[str, Figure]:
    """The figures whose errors are known, by name; none that is 0."""
    figures = {name: value for name, value in asdict(result).items() if name in _RANGED and value}
    figures["collisions_per_s"] = result.collisions_per_s
    found = {_RANGED[name]: each for name, each in run_figures(experiment, figures).items()}
    if any(map(mostly_writes, result.devices)):
        run = experiment.layout, Load(experiment.workload, experiment.pairs)
        found[SERVICE] = figure_of(FigureKind.SERVICE, 1.0, *run, result.collisions_per_s)
    return found


def measured_notes(experiment: Experiment, result: Result) -> tuple[Note, ...]:
    """The notes of what a run has measured."""
    layout, workload, pairs = experiment.layout, experiment.workload, experiment.pairs
    return (*run_notes(layout, workload, pairs, result.mb_per_s), unranged(_UNRANGED))


def ranges_line(runs: Sequence[MeasuredRun]) -> str:
    """Between what the figures of all runs would lie, each as a factor: the widest of all."""
    found: dict[str, list[Figure]] = {}
    for run in runs:
        for sample in run.samples:
            for name, known in figures_of_run(run.experiment, sample.result).items():
                found.setdefault(name, []).append(known)
    said = "; ".join(f"{said_name(name)} {factor_line(each)}" for name, each in found.items())
    every = range_note(known for each in found.values() for known in each)
    return f"Range: {said}. {every}" if said else "Range: none, as nothing was carried."


def run_notes_of(run: MeasuredRun) -> tuple[Note, ...]:
    """The notes of a run, by its fastest sample."""
    fastest = max(run.samples, key=lambda sample: sample.result.mb_per_s)
    return measured_notes(run.experiment, fastest.result)
