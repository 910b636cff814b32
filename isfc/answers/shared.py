"""What CTCs and disks on one chpid get alone, and beside each other."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from isfc.link.name import NodeName
from isfc.reports.figure import Figure, Note, Unit
from isfc.reports.report import Column, Table, headed
from isfc.reports.units import range_note, shown, with_unit
from scenarios.figures.ranges import links_rate
from scenarios.runs.notes import CHANNELS_UNRANGED

if TYPE_CHECKING:
    from isfc.io.shared import DiskChannel
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
        tuple(
            LinkBeside(link.name, *(links_rate(rate, [link]) for rate in rates))
            for link, *rates in run.rates(side)
        ),
        tuple(disks for each in run.channels for disks in _disks(each)),
        tuple(map(_chpid, run.channels)),
    )


def _chpid(each: "SharedChannel") -> SharedChpid:
    uses = each.ctcs_alone, each.ctcs_beside, each.disks_alone, each.disks_beside
    return SharedChpid(each.node, each.chpid, *(100 * use.processor for use in uses))


def _disks(each: "SharedChannel") -> Iterator[DisksBeside]:
    for alone, beside in zip(each.disks_alone.demands, each.disks_beside.demands, strict=True):
        rates = alone.rate_per_s, beside.rate_per_s
        times = alone.response_ns / 1e3, beside.response_ns / 1e3
        yield DisksBeside(alone.demand.workload.name, each.node, each.chpid, *rates, *times)


def disks_answer(found: Shared) -> Iterator[tuple[str, str]]:
    """What disks take of the one link, and what the link takes of them."""
    slowest, before, after = slowest_of(found.disks)
    one = found.links[0] if len(found.links) == 1 else None
    alone = f"the link alone carries {with_unit(one.alone)}; " if one else ""
    yield "Disks", f"{alone}{slowest.name} take {before} us, beside the CTCs {after} us"


def slowest_of(disks: Sequence[DisksBeside]) -> tuple[DisksBeside, str, str]:
    """Those that CTCs delay most, and how long they take without them, and beside them."""
    most = max(disks, key=lambda each: each.response_us_beside / each.response_us_alone)
    return most, shown(most.response_us_alone, Unit.US), shown(most.response_us_beside, Unit.US)


_PLACE: Final = (Column("node", "node"), Column("chpid", "chpid"))
_LINKS: Final = (Column("link", "name"), Column("alone", "alone"), Column("beside", "beside"))
_DISKS: Final = (
    Column("disks", "name"),
    *_PLACE,
    *headed(Unit.PER_S, io_per_s_alone="I/Os/s\nalone", io_per_s_beside="beside"),
    *headed(Unit.US, response_us_alone="response\nus alone", response_us_beside="beside"),
)
_CHPIDS: Final = (
    *_PLACE,
    *headed(Unit.PERCENT, ctc_percent_alone="CTCs\nalone %", ctc_percent_beside="beside"),
    *headed(Unit.PERCENT, disk_percent_alone="disks\nalone %", disk_percent_beside="beside"),
)


def disks_table(disks: Sequence[DisksBeside]) -> Table:
    """Disks, each alone and beside the CTCs."""
    return Table("Disks, each alone and beside the CTCs", _DISKS, disks, "disks")


def chpids_table(chpids: Sequence[SharedChpid]) -> Table:
    """The processors of chpids that both use."""
    return Table("The chpids' processors", _CHPIDS, chpids, "chpids", detail=True)


def disks_tables(found: Shared) -> Sequence[Table]:
    """Links, disks and chpids, each alone and beside the other."""
    links = "Links, alone and beside disks, MB/s (2^20) both ways"
    return (
        Table(links, _LINKS, found.links, "beside"),
        disks_table(found.disks),
        chpids_table(found.chpids),
    )


def disks_known(found: Shared) -> str:
    """From what the ranges of the links are made, and that the rest has none."""
    known = range_note(rate for each in found.links for rate in (each.alone, each.beside))
    return f"{known} {CHANNELS_UNRANGED.text}"


def disk_lines(shared: Sequence["DiskChannel"]) -> Iterator[str]:
    """A line for each chpid of a layout that disks use, with what they want of it."""
    for each in shared:
        wanted = each.wanted()
        line = max(wanted.line_in, wanted.line_out)
        names = ", ".join(demand.workload.name for demand in each.demands)
        yield (
            f"Disks on chpid {each.name} at {each.node}: {names}; alone "
            f"{shown(100 * wanted.processor, Unit.SPREAD)} % of its processor, "
            f"{shown(100 * line, Unit.SPREAD)} % of its line."
        )
