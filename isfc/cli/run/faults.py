"""``isfc run --faults`` and ``--fault-seed``: what goes wrong in a run, and what comes of it."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from isfc.cli.output.notes import note_lines, note_records
from isfc.cli.output.progress import watch
from isfc.cli.output.streams import show, show_json
from isfc.cli.run.faults_page import fault_page
from isfc.layout.note import Note
from scenarios.faults.fault import Fault
from scenarios.faults.run import FaultOutcome, Recovery, run_with_faults
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


def fault_json(
    experiment: Experiment, outcome: FaultOutcome, *, together: bool = False
) -> dict[str, Any]:
    """What ``--json`` prints. Names and meanings of the keys stay between releases."""
    return {
        **experiment.settings(together=together),
        "mb_per_s": outcome.mb_per_s,
        **note_records(_notes(experiment, outcome, together=together)),
        "events": [asdict(entry) for entry in outcome.events],
        "faults": [_recovery_record(recovery) for recovery in outcome.recoveries],
    }


def _recovery_record(recovery: Recovery) -> dict[str, Any]:
    """What a fault did; the link is named if several run together."""
    record = asdict(recovery)
    if not recovery.link:
        del record["link"]
    return record
