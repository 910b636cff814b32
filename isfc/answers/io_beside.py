"""What the CTCs of a link and the disks on their chpids cost each other."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Struct
from msgspec.structs import asdict, astuple

from isfc.answers import shared
from isfc.answers.io_plan import name_of
from isfc.answers.io_run import Seconds, Seed, Warmup
from isfc.answers.limit import LimitedBy, limit_of_run, limits_answer, limits_of
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, checked, spelt
from isfc.io.run import SECONDS, WARMUP
from isfc.io.shared import links_with_disks
from isfc.layout.catalogue import given_document
from isfc.layout.checked_toml import within
from isfc.layout.sharing import with_notes
from isfc.reports.figure import Figure, Note, NoteKind, Reported
from isfc.reports.report import Report
from isfc.reports.units import range_note, with_unit
from scenarios.runs.experiment import PAIRS_MAX, Experiment
from scenarios.runs.notes import CHANNELS_UNRANGED, run_notes
from scenarios.runs.shared_channel import run_shared
from scenarios.runs.workload import find_workload

PAIRS: Final = 50
"""As many as most of the published runs of long messages have."""
LIMITED_SECONDS_MIN: Final = 1.0
"""Of shorter runs nothing is said of what limits, which takes some seconds of virtual time too."""


class LinkBesideDisks(Reported, Struct, frozen=True):
    """What CTCs of a link and the disks on their chpids get alone, and beside each other."""

    reported_by = "isfc.answers.io_beside.io_beside_report"

    link: str
    workload: str
    """what the CTCs carry"""
    pairs: int
    alone: Figure
    """MB/s (2^20) of the link both ways, as if there were no disks"""
    beside: Figure
    """and with them"""
    disks: tuple[shared.DisksBeside, ...]
    chpids: tuple[shared.SharedChpid, ...]
    limits: LimitedBy | None
    """of the link beside the disks; null of runs of less than a second"""
    notes: tuple[Note, ...]
    """as of `isfc plan --json`"""

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each workload on each chpid, as a data frame takes them."""
        return [asdict(each) for each in self.disks]


@checked
def io_beside(
    layout: str | Path,
    workload: Annotated[
        str,
        Argument("WORKLOAD", "What the CTCs carry meanwhile, such as HL, or a file of your own."),
    ],
    *,
    link: str | None = None,
    pairs: Annotated[int, Argument("N", "Pairs of guests that carry it.", 1, PAIRS_MAX)] = PAIRS,
    seconds: Seconds = SECONDS,
    warmup: Warmup = WARMUP,
    seed: Seed = 1,
) -> LinkBesideDisks:
    """Show what CTCs and the disks on their chpids cost each other.

    LAYOUT has [[io]] on chpids of its fibres. Shown is what the link and the disks get alone, and
    beside each other, and what limits the link then.

    Raises `ConfigurationError` where they share no chpid. ``layout`` is a path, or the text of the
    file.
    """
    with within(name_of(layout)):
        collection, disks = links_with_disks(given_document(layout))
        if disks is None:
            raise ConfigurationError("[[io]] channels: none is a chpid of the layout that CTCs use")
        opened = with_notes(collection, collection.link(link, spelt("link")))
        load = find_workload(workload), pairs
        experiment = Experiment.of(opened, *load, seconds, warmup, seed)
        run = run_shared(experiment, disks)
    found = shared.shared_by(run)
    ((_, alone, beside),) = map(astuple, found.links)
    limit = limit_of_run(run.beside.experiment, None, LIMITED_SECONDS_MIN)
    notes = run_notes(opened, experiment.workload, pairs, beside.value)
    return LinkBesideDisks(
        *(opened.name, workload, pairs, alone, beside),
        found.disks,
        found.chpids,
        None if limit is None else limits_of(limit, beside.value),
        (*notes, CHANNELS_UNRANGED),
    )


def io_beside_report(found: LinkBesideDisks) -> Report:
    """What the link and the disks lose beside each other; then each chpid."""
    return Report(
        f"{found.link}: CTCs ({found.workload}, {found.pairs} pair{'s' * (found.pairs > 1)}) "
        "and disks on one chpid",
        [*_answer(found)],
        [shared.disks_table(found.disks), shared.chpids_table(found.chpids)],
        notes=[range_note((found.alone, found.beside))],
        known=[each for each in found.notes if each.kind is not NoteKind.DISKS],
    )


def _answer(found: LinkBesideDisks) -> Iterator[tuple[str, str]]:
    yield "Link alone", f"{with_unit(found.alone)} (2^20) both ways"
    yield "With disks", f"{with_unit(found.beside)}"
    slowest, before, after = shared.slowest_of(found.disks)
    most = ", of which it delays these most" if len(found.disks) > 1 else ""
    yield "Disks", f"{slowest.name} at {slowest.chpid}: {before} us, with the link {after} us{most}"
    yield from limits_answer(found.limits)
