"""What CTCs and disks on one chpid get alone, and beside each other."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from isfc.layout.note import Note
from isfc.link.name import NodeName
from scenarios.figures.figure import Figure
from scenarios.figures.ranges import links_rate
from scenarios.runs.notes import CHANNELS_UNRANGED

if TYPE_CHECKING:
    from scenarios.runs.shared_channel import SharedChannel, SharedRun


class LinkBeside(Struct, frozen=True):
    """What a link carries both ways, in MB/s (2^20)."""

    name: str
    alone: Figure
    """as if there were no disks on its chpids"""
    beside: Figure
    """and with them"""


class SharedChpid(Struct, frozen=True):
    """How busy CTCs and disks make the processor of a chpid that both use."""

    node: str
    chpid: str
    ctc_percent_alone: float
    ctc_percent_beside: float
    disk_percent_alone: float
    disk_percent_beside: float


class DisksBeside(Struct, frozen=True):
    """What a workload of disks gets on a chpid without CTCs, and with them."""

    name: str
    node: str
    chpid: str
    io_per_s_alone: float
    io_per_s_beside: float
    response_us_alone: float
    response_us_beside: float


class Shared(Struct, frozen=True):
    """What CTCs and the disks on their chpids get alone, and beside each other."""

    links: tuple[LinkBeside, ...]
    disks: tuple[DisksBeside, ...]
    chpids: tuple[SharedChpid, ...]
    notes: tuple[Note, ...] = (CHANNELS_UNRANGED,)


def shared_by(run: "SharedRun", side: NodeName | None = None) -> Shared:
    """The record of such a run, of links as ``side`` sees them; clients' if None."""
    return Shared(
        tuple(shared_rates(run, side)),
        tuple(disks for each in run.channels for disks in _disks(each)),
        tuple(map(_chpid, run.channels)),
    )


def shared_rates(run: "SharedRun", side: NodeName | None = None) -> Iterator[LinkBeside]:
    """Of each link, alone and beside disks."""
    for link, *rates in run.rates(side):
        yield LinkBeside(link.name, *(links_rate(rate, [link]) for rate in rates))


def _chpid(each: "SharedChannel") -> SharedChpid:
    uses = each.ctcs_alone, each.ctcs_beside, each.disks_alone, each.disks_beside
    return SharedChpid(each.node, each.chpid, *(100 * use.processor for use in uses))


def _disks(each: "SharedChannel") -> Iterator[DisksBeside]:
    for alone, beside in zip(each.disks_alone.demands, each.disks_beside.demands, strict=True):
        yield DisksBeside(
            *(alone.demand.name, each.node, each.chpid, alone.rate_per_s, beside.rate_per_s),
            *(alone.response_ns / 1e3, beside.response_ns / 1e3),
        )
