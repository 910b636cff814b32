"""CTCs and disks on one chpid in ``isfc plan``, loaded only for layouts that have both."""

from typing import TypeVar

from msgspec.structs import replace
from rich.console import Group, RenderableType

from isfc.answers.plan import PlannedLink, PlannedLinks
from isfc.answers.shared import Shared, disks_known, disks_tables, shared_by
from isfc.io.configuration import IoConfiguration
from isfc.io.shared import find_shared
from isfc.reports.table import apart
from isfc.reports.terminal import table_of
from scenarios.runs.experiment import Experiment
from scenarios.runs.shared_channel import run_shared

_Record = TypeVar("_Record", PlannedLink, PlannedLinks)


def beside_disks(
    page: RenderableType,
    record: _Record,
    experiment: Experiment,
    disks: IoConfiguration,
    load: str,
) -> tuple[RenderableType, _Record]:
    """A page and its record, with what CTCs under a load and disks cost each other, if any."""
    if not find_shared(disks, *experiment.collection.links):
        return page, record
    shared = run_shared(experiment, disks)
    found: Shared = shared_by(shared)
    heading = f"CTCs ({load}) and disks on one chpid, each alone and beside the other"
    parts: list[RenderableType] = [heading, *map(table_of, disks_tables(found)), disks_known(found)]
    return Group(page, "", apart(parts)), replace(record, disks=found)
