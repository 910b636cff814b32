"""What happens to links while they run, what CP says to it, and what is recorded of every I/O."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from isfc.cli.output.progress import run_all, watch
from isfc.cli.output.streams import show_error, show_lines
from isfc.cli.run.options import RunOptions
from isfc.cli.run.trace import run_traced
from scenarios.faults.fault import Fault
from scenarios.runs.experiment import Experiment
from scenarios.runs.operation import ConsoleEntry, Transcript
from scenarios.runs.result import repetitions
from scenarios.runs.run import Outcome, run

if TYPE_CHECKING:
    from isfc.io.configuration import IoConfiguration
    from scenarios.faults.run import FaultOutcome
    from scenarios.runs.shared_channel import SharedRun


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
