"""``isfc run --faults``: what goes wrong in a run, told as a story."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from isfc.cli.options.report import Output
from isfc.cli.render.faults import story_page
from isfc.cli.render.output import show, show_json
from isfc.errors import ConfigurationError
from scenarios.fault_run import Story
from scenarios.faults import Fault, read_faults
from scenarios.run import Experiment

FaultsOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Let things go wrong at times of the run: a TOML file of [[fault]]."
    ),
]


def read_wanted_faults(
    path: str | None, experiment: Experiment, output: Output, others: tuple[str | None, ...]
) -> list[Fault] | None:
    """The faults that ``--faults`` asks for; None if it was not given.

    ``others`` are options that do not go with it. Raises `ConfigurationError`.
    """
    if path is None:
        return None
    if output.view or output.csv or output.seeds or any(others):
        raise ConfigurationError(
            "--faults: expected without --report, --csv, --seeds, --cp, --trace and --timeline"
        )
    return read_faults(path, experiment.layout, experiment.client_node, experiment.end_ns)


def show_story(experiment: Experiment, story: Story, *, json: bool) -> None:
    """Print a story."""
    if json:
        show_json(story_record(experiment, story))
    else:
        show(story_page(experiment, story))


def story_record(experiment: Experiment, story: Story) -> dict[str, Any]:
    """What ``--json`` prints. Names and meanings of the keys stay between releases."""
    return {
        **experiment.settings(),
        "mb_per_s": story.mb_per_s,
        "events": [asdict(entry) for entry in story.entries],
        "faults": [asdict(recovery) for recovery in story.recoveries],
    }
