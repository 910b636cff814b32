"""``isfc run --faults`` and ``--fault-seed``: what goes wrong in a run, and what comes of it."""

from collections.abc import Sequence
from dataclasses import asdict

from msgspec import UNSET, Struct, UnsetType

from isfc.cli.output.notes import NoteJson, note_lines, notes_json
from isfc.cli.output.progress import watch
from isfc.cli.output.streams import show, show_json
from isfc.cli.run.faults_page import fault_page
from isfc.layout.note import Note
from scenarios.faults.fault import Fault
from scenarios.faults.run import FaultEvent, FaultOutcome, run_with_faults
from scenarios.runs.experiment import Experiment
from scenarios.runs.notes import cluster_notes, run_notes, unranged


def show_fault_run(
    experiment: Experiment, faults: Sequence[Fault], *, json: bool, together: bool = False
) -> None:
    """Run one link, or any number ``together``, with faults, and print what came of it."""
    outcome = watch(
        experiment.warmup + experiment.seconds,
        lambda progress: run_with_faults(experiment, faults, progress, together=together),
    )
    if json:
        show_json(fault_json(experiment, outcome, together=together))
    else:
        notes = note_lines(_notes(experiment, outcome, together=together))
        show(fault_page(experiment, outcome, together=together), *notes)


def _notes(experiment: Experiment, outcome: FaultOutcome, *, together: bool) -> tuple[Note, ...]:
    """Those of the run without faults, and that nothing tells how far it is off with them."""
    if together:
        notes = cluster_notes(experiment.collection)
    else:
        load = experiment.workload, experiment.pairs
        notes = run_notes(experiment.layout, *load, outcome.mb_per_s)
    return (*notes, unranged("what faults do to links"))


class RecoveryJson(Struct, frozen=True, omit_defaults=True):
    """What a fault did to the throughput, both ways."""

    fault: str
    at_s: float
    over_s: float
    before_mb_per_s: float | None
    """null if it is not known what ran before"""
    during_mb_per_s: float | None
    after_mb_per_s: float | None
    recovered_ms: float | None
    """null if it did not recover, or it is not known what ran before"""
    link: str = ""
    """of several links that run together"""


class FaultsJson(Struct, frozen=True, kw_only=True):
    """``isfc run --faults FILE --json``. Names and meanings of the keys stay between releases."""

    traffic: list[str] | UnsetType = UNSET
    """of several links, in place of the next three"""
    client: str | UnsetType = UNSET
    """as without faults"""
    workload: str | UnsetType = UNSET
    pairs: int | UnsetType = UNSET
    seconds: float
    warmup: float
    seed: int
    mb_per_s: float
    """both ways, from the end of the warm-up on"""
    notes: list[NoteJson]
    """as of the run without faults"""
    events: tuple[FaultEvent, ...]
    faults: list[RecoveryJson]


def fault_json(
    experiment: Experiment, outcome: FaultOutcome, *, together: bool = False
) -> FaultsJson:
    """The record of a run with faults."""
    return FaultsJson(
        **experiment.settings(together=together),
        mb_per_s=outcome.mb_per_s,
        notes=notes_json(_notes(experiment, outcome, together=together)),
        events=outcome.events,
        faults=[RecoveryJson(**asdict(each)) for each in outcome.recoveries],
    )
