"""What ``isfc run --json`` prints. Names and meanings of the keys stay between releases."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from msgspec import UNSET, Struct, UnsetType

from isfc import __version__
from isfc.answers.limit_record import Limits
from isfc.answers.profile import Profile, profile_of
from isfc.answers.run_ranges import figures_of_run, measured_notes
from isfc.answers.shared import Shared
from isfc.layout.note import Note
from isfc.reports.ranges import RangeJson, range_json
from scenarios.runs.cp_script import ConsoleEntry
from scenarios.runs.experiment import Experiment
from scenarios.runs.provenance import Provenance, provenance
from scenarios.runs.published_range import beyond_measured_run
from scenarios.runs.repeat import mean, spreads
from scenarios.runs.result import DeviceResult, Result

if TYPE_CHECKING:
    from scenarios.figures.rests_on import RestsOn


class RunJson(Struct, frozen=True, kw_only=True):
    """``isfc run --json`` of one link."""

    partner: str | UnsetType = UNSET
    """of `isfc up` of a system with several links: the one at the other end"""
    client: str
    """the node of the clients"""
    workload: str
    pairs: int
    """of guests"""
    seconds: float
    """virtual time that was measured"""
    warmup: float
    """virtual time before that"""
    seed: int
    node: str
    """the side that all that follows is seen from"""
    mb_per_s: float
    """both directions"""
    mb_per_s_out: float
    mb_per_s_in: float
    messages_per_s: float
    """both directions, acknowledgements of HY among them"""
    messages_per_s_out: float
    messages_per_s_in: float
    packages_per_s_out: float
    packages_per_s_in: float
    messages_per_package_out: float
    messages_per_package_in: float
    bytes_per_package_out: float
    """with headers"""
    bytes_per_package_in: float
    rdev_util_percent: float
    """busy percent, summed over devices"""
    collisions_per_s: float
    """write collisions"""
    cpu_percent_per_msg: float
    """percent of a processor in the link driver for each exchange a second"""
    tx_pend_count: float
    """messages that wait for a CTC when the run ends"""
    devices: tuple[DeviceResult, ...]
    ranges: dict[str, RangeJson | None]
    """of `MB/s`, `Messages/s`, `RDEV util %`, `%CPU/msg`, and of `Disc, Conn, Serv` of each device
    that mostly writes as a factor of it, none of what is 0"""
    extrapolated: list[str]
    """what no published figure identifies: [extrapolation](extrapolation.md)"""
    notes: list[Note]
    profile: Profile | UnsetType = UNSET
    """as of `isfc plan --json`"""
    provenance: Provenance
    """what it was made with"""
    seeds: int | UnsetType = UNSET
    """with `--seeds`: how many; the figures are means"""
    spread_percent: dict[str, float | None] | UnsetType = UNSET
    """with `--seeds`, by measure: (greatest - least) / mean x 100, or null where the mean is 0"""
    limits: Limits | UnsetType = UNSET
    """both ways together, of a run that is [long enough](layouts.md#what-limits), all `--seeds`
    together, and with `--why`; not with `--cp`"""
    rests_on: "list[RestsOn] | UnsetType" = UNSET
    """as of `isfc plan --json`, with `--why`"""
    cp: list[ConsoleEntry] | UnsetType = UNSET
    """with `--cp`"""
    disks: Shared | UnsetType = UNSET
    """with `[[io]]` on its chpids"""


def run_json(
    experiment: Experiment,
    results: Sequence[Result],
    layout: str | None = None,
    *,
    repeated: bool = False,
) -> RunJson:
    """The record of a run, or of one that was ``repeated`` with several seeds: of the means.

    ``layout`` is what the command line called it.
    """
    command = shlex.join(["isfc", *sys.argv[1:]])
    figures = mean(results)
    within = figures_of_run(experiment, figures)
    return RunJson(
        **experiment.settings(),
        **asdict(figures),
        ranges={name: range_json(found) for name, found in within.items()},
        extrapolated=beyond_measured_run(
            experiment.layout, experiment.workload, experiment.pairs, figures.mb_per_s
        ),
        notes=list(measured_notes(experiment, figures)),
        profile=profile_of(experiment.layout.site),
        provenance=provenance(experiment, version=__version__, name=layout, command=command),
        seeds=len(results) if repeated else UNSET,
        spread_percent=spreads(results) if repeated else UNSET,
    )
