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


def run_record(
    experiment: Experiment,
    results: Sequence[Result],
    layout: str | None = None,
    *,
    repeated: bool = False,
) -> dict[str, Any]:
    """The record of a run, or of one that was ``repeated`` with several seeds.

    It holds the means of the results, and of a repeated run two more keys; ``layout`` is what the
    command line called it.
    """
    command = shlex.join(["isfc", *sys.argv[1:]])
    spread = {"seeds": len(results), "spread_percent": spreads(results)} if repeated else {}
    return {
        **experiment.settings(),
        **asdict(mean(results)),
        "provenance": provenance(experiment, version=__version__, name=layout, command=command),
        **spread,
    }
