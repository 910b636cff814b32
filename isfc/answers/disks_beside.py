"""What CTCs and the disks on their chpids cost each other, as an answer has it."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from isfc.layout.note import Note
from isfc.link.name import NodeName
from isfc.reports.report import Column, Table
from isfc.reports.units import shown, with_unit
from scenarios.figures.figure import Figure, Unit
from scenarios.figures.ranges import links_rate
from scenarios.runs.notes import CHANNELS_UNRANGED
from scenarios.runs.shared_channel import SharedChannel, SharedRun


class LinkAlone(Struct, frozen=True):
    """What a link carries both ways, in MB/s (2^20)."""

    link: str
    alone: Figure
    """as if there were no disks"""
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


class DisksBesideCtcs(Struct, frozen=True):
    """What a workload of disks gets on a chpid without CTCs, and with them."""

    name: str
    node: str
    chpid: str
    io_per_s_alone: float
    io_per_s_beside: float
    response_us_alone: float
    response_us_beside: float


class DisksBeside(Struct, frozen=True):
    """What links and the disks on their chpids get alone, and beside each other."""

    links: tuple[LinkAlone, ...]
    disks: tuple[DisksBesideCtcs, ...]
    chpids: tuple[SharedChpid, ...]
    notes: tuple[Note, ...]


def disks_beside(run: SharedRun, side: NodeName | None = None) -> DisksBeside:
    """The record of such a run, of what node ``side`` sees of a link; the clients' if None."""
    return DisksBeside(
        tuple(
            LinkAlone(link.name, *(links_rate(rate, [link]) for rate in rates))
            for link, *rates in run.rates(side)
        ),
        tuple(row for each in run.channels for row in _disks(each)),
        tuple(map(_chpid, run.channels)),
        (CHANNELS_UNRANGED,),
    )


def _chpid(each: SharedChannel) -> SharedChpid:
    uses = each.ctcs_alone, each.ctcs_beside, each.disks_alone, each.disks_beside
    return SharedChpid(each.node, each.chpid, *(100 * use.processor for use in uses))


def _disks(each: SharedChannel) -> Iterator[DisksBesideCtcs]:
    for alone, beside in zip(each.disks_alone.demands, each.disks_beside.demands, strict=True):
        yield DisksBesideCtcs(
            *(alone.demand.name, each.node, each.chpid, alone.rate_per_s, beside.rate_per_s),
            *(alone.response_ns / 1e3, beside.response_ns / 1e3),
        )


def disks_answer(found: DisksBeside) -> Iterator[tuple[str, str]]:
    """What disks take of the one link, and what the link takes of them."""
    without = [f"{with_unit(each.alone)}" for each in found.links[:1]]
    slowest = max(found.disks, key=lambda each: each.response_us_beside / each.response_us_alone)
    before, after = (
        shown(each, Unit.PER_S) for each in (slowest.response_us_alone, slowest.response_us_beside)
    )
    alone = f"the link alone carries {without[0]}; " if len(found.links) == 1 else ""
    yield "Disks", f"{alone}{slowest.name} take {before} us, beside the CTCs {after} us"


_PLACE: Final = (Column("node", "node"), Column("chpid", "chpid"))
_LINKS: Final = (Column("link", "link"), Column("alone", "alone"), Column("beside", "beside"))
_DISKS: Final = (
    Column("disks", "name"),
    *_PLACE,
    Column("I/Os/s\nalone", "io_per_s_alone", Unit.PER_S),
    Column("beside", "io_per_s_beside", Unit.PER_S),
    Column("response\nus alone", "response_us_alone", Unit.PER_S),
    Column("beside", "response_us_beside", Unit.PER_S),
)
_CHPIDS: Final = (
    *_PLACE,
    Column("CTCs\nalone %", "ctc_percent_alone", Unit.PERCENT),
    Column("beside", "ctc_percent_beside", Unit.PERCENT),
    Column("disks\nalone %", "disk_percent_alone", Unit.PERCENT),
    Column("beside", "disk_percent_beside", Unit.PERCENT),
)


def disks_tables(found: DisksBeside) -> Sequence[Table]:
    """Links, disks and chpids, each alone and beside the other."""
    return (
        Table(
            "Links, alone and beside disks, MB/s (2^20) both ways", _LINKS, found.links, "beside"
        ),
        Table("Disks, alone and beside the CTCs", _DISKS, found.disks, "disks"),
        Table("The processors of chpids that both use", _CHPIDS, found.chpids, "chpids"),
    )
