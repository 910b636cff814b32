"""What CTCs and disks on one chpid cost each other, as a table."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Group, RenderableType

from isfc.cli.output.ranges import likely, range_note
from isfc.cli.output.table import plain_table
from isfc.io.shared import Shared
from isfc.layout.layout import Layout
from scenarios.figures.certainty import Range
from scenarios.figures.ranges import links_range
from scenarios.runs.notes import CHANNELS_UNRANGED
from scenarios.runs.shared_channel import SharedChannel, SharedRun

Row = tuple[str, str, str]

HEADINGS = ("", "alone", "beside")


def shared_page(run: SharedRun[Any], load: str, links: Sequence[Layout]) -> RenderableType:
    """What the link and the disks on its chpids get alone, and beside each other.

    ``load`` is what the CTCs carry, ``links`` those of the file, with the disks.
    """
    what, alone, beside = HEADINGS
    table = plain_table(what, f">{alone}", f">{beside}", no_wrap=True)
    for row in shared_rows(run, links):
        table.add_row(*row)
    heading = f"CTCs ({load}) and disks on one chpid, each alone and beside the other"
    return Group(heading, table, shared_note(run, links))


def shared_note(run: SharedRun[Any], links: Sequence[Layout]) -> str:
    """From what the ranges of the links are made, and that the rest has none."""
    known = range_note(within for ranges in rate_ranges(run, links).values() for within in ranges)
    return f"{known} {CHANNELS_UNRANGED.text}"


def rate_ranges(run: SharedRun[Any], links: Sequence[Layout]) -> dict[str, tuple[Range, Range]]:
    """Of what each link carries without and with the disks, by its name among the rates."""
    named = {link.name: link for link in links}
    return {
        name: (links_range(alone, [link]), links_range(beside, [link]))
        for name, alone, beside in run.rates
        for link in [named.get(name, links[0])]
    }


def shared_rows(run: SharedRun[Any], links: Sequence[Layout]) -> Iterator[Row]:
    """The lines of the table: what it is, alone, and beside the other."""
    ranges = rate_ranges(run, links)
    for name, *rates in run.rates:
        alone, beside = (
            f"{rate:.1f} {likely(within)}" for rate, within in zip(rates, ranges[name], strict=True)
        )
        yield f"{name}, MB/s (2^20)", alone, beside
    for each in run.channels:
        yield from _channel_rows(each)


def _channel_rows(each: SharedChannel) -> Iterator[Row]:
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


def disk_lines(shared: Sequence[Shared]) -> Iterator[str]:
    """A line for each chpid of a layout that disks use, with what they want of it."""
    for each in shared:
        wanted = each.wanted()
        names = ", ".join(demand.name for demand in each.demands)
        yield (
            f"Disks on chpid {each.name} at {each.node}: {names}; alone "
            f"{100 * wanted.processor:.1f} % of its processor, "
            f"{100 * max(wanted.line_in, wanted.line_out):.1f} % of its line."
        )
