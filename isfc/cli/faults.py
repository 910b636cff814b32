"""``isfc run --faults`` and ``--fault-seed``: what goes wrong in a run, told as a story."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from isfc.cli.progress import watch
from isfc.cli.render.faults import story_page
from isfc.cli.render.notes import note_lines, note_records
from isfc.cli.render.output import show, show_json
from isfc.layout.note import Note
from scenarios.cluster import ClusterExperiment
from scenarios.fault_run import Recovery, Story, tell
from scenarios.faults import Fault
from scenarios.notes import cluster_notes, run_notes
from scenarios.run import Experiment


def tell_story(
    experiment: Experiment | ClusterExperiment, faults: Sequence[Fault], *, json: bool
) -> None:
    """Run one link or several with faults, and print the story."""
    story = watch(
        experiment.warmup + experiment.seconds, lambda progress: tell(experiment, faults, progress)
    )
    if json:
        show_json(story_record(experiment, story))
    else:
        show(story_page(experiment, story), *note_lines(_story_notes(experiment, story)))


def _story_notes(experiment: Experiment | ClusterExperiment, story: Story) -> tuple[Note, ...]:
    """Those of the run without faults."""
    if isinstance(experiment, ClusterExperiment):
        return cluster_notes(experiment.collection)
    return run_notes(experiment.layout, experiment.workload, experiment.pairs, story.mb_per_s)


def story_record(experiment: Experiment | ClusterExperiment, story: Story) -> dict[str, Any]:
    """What ``--json`` prints. Names and meanings of the keys stay between releases."""
    return {
        **experiment.settings(),
        "mb_per_s": story.mb_per_s,
        **note_records(_story_notes(experiment, story)),
        "events": [asdict(entry) for entry in story.entries],
        "faults": [_recovery_record(recovery) for recovery in story.recoveries],
    }


def _recovery_record(recovery: Recovery) -> dict[str, Any]:
    """What a fault did; the link is named if several run together."""
    record = asdict(recovery)
    if not recovery.link:
        del record["link"]
    return record
