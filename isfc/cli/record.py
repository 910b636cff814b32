"""What ``isfc run --json`` prints. Names and meanings of the keys stay between releases."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from isfc import __version__
from scenarios.provenance import provenance
from scenarios.repeat import mean, spreads
from scenarios.run import Experiment, Result


def run_record(experiment: Experiment, result: Result, layout: str | None = None) -> dict[str, Any]:
    """The record of a run; ``layout`` is what the command line called it."""
    return {
        "client": experiment.client or experiment.layout.nodes[0],
        "workload": experiment.workload.name,
        "pairs": experiment.pairs,
        "seconds": experiment.seconds,
        "warmup": experiment.warmup,
        "seed": experiment.seed,
        **asdict(result),
        "provenance": provenance(
            experiment,
            version=__version__,
            name=layout,
            command=shlex.join(["isfc", *sys.argv[1:]]),
        ),
    }


def repeated_run_record(
    experiment: Experiment, results: Sequence[Result], layout: str | None = None
) -> dict[str, Any]:
    """The record of a run with ``--seeds``: the means, and two more keys."""
    return {
        **run_record(experiment, mean(results), layout),
        "seeds": len(results),
        "spread_percent": spreads(results),
    }
