"""What a live run shows: as ``isfc run`` does, from one system or from both."""

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType

from isfc.cli.live.node import Measured
from isfc.cli.options.live import LiveOptions
from isfc.cli.record import run_record
from isfc.cli.render.run import run_page
from scenarios.run import Experiment


def live_page(
    options: LiveOptions, experiment: Experiment, measured: Sequence[Measured]
) -> RenderableType:
    """The page of each system that has measured."""
    pages: list[RenderableType] = []
    for each in measured:
        pages += [run_page(experiment, [each.result], time=_time(options)), ""]
        if options.factor:
            pages += [f"Lag: {each.lag_percent:.2f} % of the time was lateness", ""]
    return Group(*pages[:-1])


def live_record(
    options: LiveOptions,
    experiment: Experiment,
    measured: Sequence[Measured],
    layout: str | None = None,
) -> dict[str, Any]:
    """What ``--json`` prints: ``results`` has for each system what ``isfc run --json`` prints."""
    return {
        "pace": options.pace.value,
        "dilation": options.factor or None,
        "lag_percent": {each.result.node: each.lag_percent for each in measured},
        "results": [run_record(experiment, [each.result], layout) for each in measured],
    }


def _time(options: LiveOptions) -> str:
    if not options.factor:
        return "real time"
    return f"model time, each taking {options.factor} s"
