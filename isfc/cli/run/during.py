"""What happens to links while they run, what CP says to it, and what is recorded of every I/O."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from isfc.arguments import SEED_MAX
from isfc.cli.options.number import bounded
from isfc.cli.options.option import valued
from isfc.cli.output.file import check_file
from isfc.cli.output.progress import run_all, watch
from isfc.cli.output.streams import show_error, show_lines
from isfc.cli.results.view_options import Output
from isfc.cli.run.trace import SECONDS_MAX, run_traced
from isfc.errors import ConfigurationError
from scenarios.faults.fault import DRAWN_COUNT, Fault, draw_faults, read_faults
from scenarios.runs.experiment import Experiment
from scenarios.runs.operation import ConsoleEntry, Transcript, read_script
from scenarios.runs.repeat import repetitions
from scenarios.runs.run import Outcome, run

if TYPE_CHECKING:
    from isfc.io.configuration import IoConfiguration
    from scenarios.faults.run import FaultOutcome
    from scenarios.runs.shared_channel import SharedRun


class DuringOptions(Struct, frozen=True):
    """CP commands, faults and a trace. What goes with what is checked as it is read.

    ``output`` is what else is wanted of the run. All raise `ConfigurationError`.
    """

    cp: Annotated[
        str | None,
        valued("FILE", "Give CP commands at times of the run: lines 'at 2.5s [NODE:] COMMAND'."),
    ] = None
    trace: Annotated[
        Path | None,
        valued("FILE", "Write every I/O into FILE (.json), a trace that Perfetto opens."),
    ] = None
    faults: Annotated[
        str | None,
        valued("FILE", "Let things go wrong at times of the run: a TOML file of [[fault]]."),
    ] = None
    fault_seed: Annotated[
        int | None,
        bounded(
            "N", 0, SEED_MAX, f"The same with {DRAWN_COUNT} faults that are drawn from a seed."
        ),
    ] = None

    def transcript(self, experiment: Experiment, output: Output) -> Transcript | None:
        """What is to hold the responses to CP commands; None if there are no commands."""
        if self.cp is None:
            return None
        if output.seeds is not None:
            raise ConfigurationError("--cp and --seeds: every run would have responses of its own")
        try:
            return Transcript(read_script(self.cp, experiment))
        except ConfigurationError as error:
            raise ConfigurationError(f"--cp {error}") from None

    def trace_of(self, experiment: Experiment, output: Output, *, force: bool) -> Path | None:
        """The file of the trace that is wanted; None if none is."""
        if self.trace is None:
            return None
        check_file("--trace", self.trace, (".json",), force=force)
        if output.view or output.csv or output.seeds:
            raise ConfigurationError("--trace: expected without --report, --csv and --seeds")
        if experiment.seconds > SECONDS_MAX:
            raise ConfigurationError(
                f"--trace with {experiment.seconds:g} s: expected --seconds {SECONDS_MAX:g} or less"
            )
        return self.trace

    def faults_of(self, experiment: Experiment, output: Output) -> list[Fault] | None:
        """The faults, from a file or drawn; None if there are to be none."""
        if self.faults is None and self.fault_seed is None:
            return None
        if output.view or output.seeds or self.cp or self.trace:
            raise ConfigurationError(
                f"{'--fault-seed' if self.faults is None else '--faults'}: expected without "
                "--report, --seeds, --cp and --trace"
            )
        where = experiment.collection
        if self.faults is None:
            assert self.fault_seed is not None, "one of them was given"
            return draw_faults(self.fault_seed, where, experiment.begin_ns, experiment.end_ns)
        if self.fault_seed is not None:
            raise ConfigurationError("--fault-seed: expected without --faults, which says them all")
        return read_faults(self.faults, where, experiment.client_node, experiment.end_ns)


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
    output: Output,
    transcript: Transcript | None,
    trace: Path | None = None,
) -> list[Outcome]:
    """What came of a run, with the commands that are given meanwhile, or of one with each seed."""
    if output.seeds is not None:
        return run_all(run, repetitions(experiment, output.seeds))
    if trace is not None:
        return [run_traced(experiment, trace, transcript)]
    operation = None if transcript is None else transcript.operation
    return [
        watch(
            experiment.warmup + experiment.seconds,
            lambda progress: run(
                experiment, output.sample_s, progress=progress, operation=operation
            ),
        )
    ]


def beside_disks(experiment: Experiment, disks: "IoConfiguration", output: Output) -> "SharedRun":
    """What came of a run without the disks on chpids of the links, and with them."""
    from scenarios.runs.shared_channel import run_shared  # most links share with no disks

    return watch(
        experiment.warmup + experiment.seconds,
        lambda progress: run_shared(experiment, disks, output.sample_s, progress),
    )


def run_faults(
    experiment: Experiment, faults: Sequence[Fault], *, together: bool
) -> "FaultOutcome":
    """What came of a run with faults, of one link or of several ``together``."""
    from scenarios.faults.run import run_with_faults  # most runs have none

    return watch(
        experiment.warmup + experiment.seconds,
        lambda progress: run_with_faults(experiment, faults, progress, together=together),
    )


def show_transcript(entries: Iterable[ConsoleEntry]) -> None:
    """Print what CP said, and a blank line."""
    show_lines((*transcript_lines(entries), ""))


def show_refusals(transcript: Transcript) -> None:
    """Where responses have no place on stdout, say on stderr what CP has refused."""
    for entry in transcript.refusals:
        show_error(f"at {entry.at_s:g} s {entry.node}: {entry.command}: {entry.lines[0]}")
