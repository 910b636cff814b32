"""What ``isfc run --json`` prints. Names and meanings of the keys stay between releases."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from isfc import __version__
from isfc.cli.options.profile import profile_record
from isfc.cli.output.notes import note_records
from isfc.cli.output.ranges import range_json
from isfc.cli.results.page import measured_notes, ranges_of_run
from isfc.cli.results.shared import shared_rates
from isfc.link.name import NodeName
from scenarios.runs.experiment import Experiment
from scenarios.runs.notes import CHANNELS_UNRANGED
from scenarios.runs.provenance import provenance
from scenarios.runs.published_range import beyond_measured_run
from scenarios.runs.repeat import mean, spreads
from scenarios.runs.result import Result

if TYPE_CHECKING:
    from scenarios.runs.shared_channel import SharedChannel, SharedRun


def run_json(
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
    figures = mean(results)
    return {
        **experiment.settings(),
        **asdict(figures),
        "ranges": {
            name: range_json(found) for name, found in ranges_of_run(experiment, figures).items()
        },
        "extrapolated": beyond_measured_run(
            experiment.layout, experiment.workload, experiment.pairs, figures.mb_per_s
        ),
        **note_records(measured_notes(experiment, figures)),
        **profile_record(experiment.layout.site),
        "provenance": provenance(experiment, version=__version__, name=layout, command=command),
        **spread,
    }


def shared_json(
    run: "SharedRun", side: NodeName | None = None, *, together: bool = False
) -> dict[str, Any]:
    """What CTCs and the disks on their chpids get alone, and beside each other."""
    rates = {
        name: {
            "mb_per_s_alone": alone.mb_per_s,
            "mb_per_s_beside": beside.mb_per_s,
            "range_alone": range_json(alone.within),
            "range_beside": range_json(beside.within),
        }
        for name, alone, beside in shared_rates(run, side, together=together)
    }
    return {
        **({"links": rates} if together else rates),
        "channels": {each.chpid: _shared_record(each) for each in run.channels},
        **note_records([CHANNELS_UNRANGED]),
    }


def _shared_record(each: "SharedChannel") -> dict[str, Any]:
    pairs = zip(each.disks_alone.demands, each.disks_beside.demands, strict=True)
    return {
        "node": each.node,
        "ctc_processor_percent_alone": 100 * each.ctcs_alone.processor,
        "ctc_processor_percent_beside": 100 * each.ctcs_beside.processor,
        "disk_processor_percent_alone": 100 * each.disks_alone.processor,
        "disk_processor_percent_beside": 100 * each.disks_beside.processor,
        "workloads": {
            alone.demand.name: {
                "io_per_s_alone": alone.rate_per_s,
                "io_per_s_beside": beside.rate_per_s,
                "response_us_alone": alone.response_ns / 1e3,
                "response_us_beside": beside.response_ns / 1e3,
            }
            for alone, beside in pairs
        },
    }
