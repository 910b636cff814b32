"""What CTCs and disks on one chpid cost each other, as a table."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType

from isfc.answers.shared import shared_rates
from isfc.link.name import NodeName
from isfc.reports.ranges import range_note
from isfc.reports.table import plain_table
from isfc.reports.units import range_of
from scenarios.runs.notes import CHANNELS_UNRANGED

if TYPE_CHECKING:
    from isfc.io.shared import DiskChannel
    from scenarios.runs.shared_channel import SharedChannel, SharedRun

Row = tuple[str, str, str]

HEADINGS = ("", "alone", "beside")


def shared_page(
    run: "SharedRun", load: str, side: NodeName | None = None, *, together: bool = False
) -> RenderableType:
    """What links and the disks on their chpids get alone, and beside each other.

    ``load`` is what the CTCs carry; only links that run ``together`` have names.
    """
    what, alone, beside = HEADINGS
    table = plain_table(what, f">{alone}", f">{beside}", no_wrap=True)
    for row in shared_rows(run, side, together=together):
        table.add_row(*row)
    heading = f"CTCs ({load}) and disks on one chpid, each alone and beside the other"
    return Group(heading, table, shared_note(run, side))


def shared_note(run: "SharedRun", side: NodeName | None = None) -> str:
    """From what the ranges of the links are made, and that the rest has none."""
    known = range_note(
        rate for each in shared_rates(run, side) for rate in (each.alone, each.beside)
    )
    return f"{known} {CHANNELS_UNRANGED.text}"


def shared_rows(
    run: "SharedRun", side: NodeName | None = None, *, together: bool = False
) -> Iterator[Row]:
    """The lines of the table: what it is, alone, and beside the other."""
    for link in shared_rates(run, side):
        name, both = link.name if together else "link", (link.alone, link.beside)
        before, meanwhile = (f"{each.value:.1f} {range_of(each)}" for each in both)
        yield f"{name}, MB/s (2^20) both ways", before, meanwhile
    for each in run.channels:
        yield from _channel_rows(each)


def _channel_rows(each: "SharedChannel") -> Iterator[Row]:
    name = f"{each.node} chpid {each.chpid}"
    yield (
        f"{name}, CTCs, processor %",
        f"{100 * each.ctcs_alone.processor:.1f}",
        f"{100 * each.ctcs_beside.processor:.1f}",
    )
    yield (
        f"{name}, disks, processor %",
        f"{100 * each.disks_alone.processor:.1f}",
        f"{100 * each.disks_beside.processor:.1f}",
    )
    for alone, beside in zip(each.disks_alone.demands, each.disks_beside.demands, strict=True):
        disks = f"{name}, {alone.demand.name}"
        yield f"{disks}, I/Os/s", f"{alone.rate_per_s:,.0f}", f"{beside.rate_per_s:,.0f}"
        yield (
            f"{disks}, response us",
            f"{alone.response_ns / 1e3:,.1f}",
            f"{beside.response_ns / 1e3:,.1f}",
        )


def disk_lines(shared: Sequence["DiskChannel"]) -> Iterator[str]:
    """A line for each chpid of a layout that disks use, with what they want of it."""
    for each in shared:
        wanted = each.wanted()
        names = ", ".join(demand.name for demand in each.demands)
        yield (
            f"Disks on chpid {each.name} at {each.node}: {names}; alone "
            f"{100 * wanted.processor:.1f} % of its processor, "
            f"{100 * max(wanted.line_in, wanted.line_out):.1f} % of its line."
        )
