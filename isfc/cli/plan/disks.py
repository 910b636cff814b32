"""CTCs and disks on one chpid in ``isfc plan``, loaded only for layouts that have both."""

from typing import TypeVar

from msgspec.structs import replace
from rich.console import Group, RenderableType

from isfc.answers.plan import PlannedLink, PlannedLinks
from isfc.answers.shared import shared_by
from isfc.cli.results.shared import shared_page
from isfc.io.configuration import IoConfiguration
from isfc.io.shared import find_shared
from scenarios.runs.experiment import Experiment
from scenarios.runs.shared_channel import run_shared

_Record = TypeVar("_Record", PlannedLink, PlannedLinks)


def beside_disks(
    page: RenderableType,
    record: _Record,
    experiment: Experiment,
    disks: IoConfiguration,
    load: str,
    *,
    together: bool = False,
) -> tuple[RenderableType, _Record]:
    """A page and its record, with what CTCs under a load and disks cost each other, if any."""
    if not find_shared(disks, *experiment.collection.links):
        return page, record
    shared = run_shared(experiment, disks)
    page = Group(page, "", shared_page(shared, load, together=together))
    return page, replace(record, disks=shared_by(shared))
