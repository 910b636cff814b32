"""``isfc run --faults`` and ``--fault-seed``: what goes wrong in a run, told as a story."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from isfc.cli.options.number import SEED_MAX, within
from isfc.cli.options.report import Output
from isfc.cli.render.faults import story_page
from isfc.cli.render.output import show, show_json
from isfc.errors import ConfigurationError
from scenarios.cluster import ClusterExperiment
from scenarios.fault_run import Recovery, Story
from scenarios.faults import DRAWN_COUNT, Fault, draw_faults, read_faults
from scenarios.run import Experiment

FaultsOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Let things go wrong at times of the run: a TOML file of [[fault]]."
    ),
]

FaultSeedOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        callback=within(0, SEED_MAX),
        help=f"The same with {DRAWN_COUNT} faults that are drawn from a seed.",
    ),
]


def read_wanted_faults(
    path: str | None,
    seed: int | None,
    experiment: Experiment | ClusterExperiment,
    output: Output,
    others: tuple[str | None, ...],
) -> list[Fault] | None:
    """The faults that ``--faults`` or ``--fault-seed`` asks for; None if neither was given.

    ``others`` are options that do not go with them. Raises `ConfigurationError`.
    """
    if path is None and seed is None:
        return None
    option = "--fault-seed" if path is None else "--faults"
    if output.view or output.csv or output.seeds or any(others):
        raise ConfigurationError(
            f"{option}: expected without --report, --csv, --seeds, --cp, --trace and --timeline"
        )
    where = (
        experiment.collection if isinstance(experiment, ClusterExperiment) else experiment.layout
    )
    if path is None:
        assert seed is not None, "one of them was given"
        return draw_faults(seed, where, experiment.begin_ns, experiment.end_ns)
    if seed is not None:
        raise ConfigurationError("--fault-seed: expected without --faults, which says them all")
    return read_faults(path, where, experiment.client_node, experiment.end_ns)


def show_story(experiment: Experiment | ClusterExperiment, story: Story, *, json: bool) -> None:
    """Print a story."""
    if json:
        show_json(story_record(experiment, story))
    else:
        show(story_page(experiment, story))


def story_record(experiment: Experiment | ClusterExperiment, story: Story) -> dict[str, Any]:
    """What ``--json`` prints. Names and meanings of the keys stay between releases."""
    return {
        **experiment.settings(),
        "mb_per_s": story.mb_per_s,
        "events": [asdict(entry) for entry in story.entries],
        "faults": [_recovery_record(recovery) for recovery in story.recoveries],
    }


def _recovery_record(recovery: Recovery) -> dict[str, Any]:
    """What a fault did; the link is named if several run together."""
    record = asdict(recovery)
    if not recovery.link:
        del record["link"]
    return record
