"""What ``isfc relocate --sweep`` and ``--shorter`` show."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from rich.console import Group, RenderableType

from isfc.cli.output.ranges import range_note
from isfc.cli.output.table import plain_table
from isfc.cli.relocation.certainty import flat_ranges, seconds
from scenarios.figures.certainty import Range
from scenarios.figures.moved_ranges import relocation_ranges
from scenarios.moves.relocated import Relocated
from scenarios.moves.relocation import Relocation
from scenarios.moves.study import Advice, Tried, Varied
from scenarios.runs.result import MIB

_HEADINGS = {Varied.CHANNELS: "channels", Varied.GUESTS: "together"}


class TriedJson(Struct, frozen=True, kw_only=True):
    """What was tried, and what came of it; flat, as CSV has it. Names of the keys stay."""

    channels: int | UnsetType = UNSET
    """with `--sweep channels`"""
    together: int | UnsetType = UNSET
    """with `--sweep guests`"""
    change: str | UnsetType = UNSET
    """with `--shorter`"""
    helps: bool | UnsetType = UNSET
    """with `--shorter`: whether it makes the stop shorter, or lets more guests be moved"""
    simulated: bool | UnsetType = UNSET
    """with `--shorter`: false where the rules alone were tried"""
    ctcs: int
    seconds: float
    longest_stop_s: float
    mb_per_s: float
    moved: int
    """how many guests"""
    seconds_likely_low: float | UnsetType = UNSET
    """this and those below: the ranges, if the times have some"""
    seconds_likely_high: float | UnsetType = UNSET
    seconds_sure_low: float | UnsetType = UNSET
    seconds_sure_high: float | UnsetType = UNSET
    longest_stop_s_likely_low: float | UnsetType = UNSET
    longest_stop_s_likely_high: float | UnsetType = UNSET
    longest_stop_s_sure_low: float | UnsetType = UNSET
    longest_stop_s_sure_high: float | UnsetType = UNSET


def sweep_page(relocation: Relocation, varied: Varied, tried: Sequence[Tried]) -> RenderableType:
    """A line for each number of what is varied."""
    source, to = relocation.way
    count = len(relocation.guests)
    guests = "a guest" if count == 1 else f"{count} guests"
    return Group(
        f"Relocation of {guests} from {source} to {to}, by "
        + ("channels" if varied is Varied.CHANNELS else "guests at the same time"),
        "",
        *_table(f">{_HEADINGS[varied]}", tried),
    )


def sweep_rows(varied: Varied, tried: Sequence[Tried]) -> list[TriedJson]:
    """The same as records."""
    return [_row(each, **{_HEADINGS[varied]: int(each.change.what)}) for each in tried]


def shorter_page(found: Relocated, advice: Advice) -> RenderableType:
    """What makes the stop shorter, the best first, and what does not."""
    return Group(*_shorter(found, advice))


def shorter_rows(advice: Advice) -> list[TriedJson]:
    """The same as records."""
    return [
        _row(each, change=each.change.what, helps=helps, simulated=advice.simulated)
        for helps, some in ((True, advice.shorter), (False, advice.alike))
        for each in some
    ]


def _shorter(found: Relocated, advice: Advice) -> Iterator[RenderableType]:
    stop = f"{found.longest_stop_s:.2f} s, known within {max(0.005, advice.noise_s):.2f} s"
    yield f"The longest stop is {stop}."
    if not advice.simulated:
        yield (
            "What follows is by the rules, at the rate of a short relocation each: to simulate "
            "every message of it would take long."
        )
    if advice.shorter:
        yield "This makes it shorter, or lets more guests be moved:"
        yield from _table("change", advice.shorter)
    if advice.alike:
        lead = "Beyond that nothing changes" if advice.shorter else "Nothing makes it shorter"
        yield f"{lead} with: {'; '.join(each.change.what for each in advice.alike)}."


def _table(heading: str, tried: Sequence[Tried]) -> Iterator[RenderableType]:
    """The table, and from what its ranges are made."""
    figures = (">s", "~range", ">longest\nstop s", "~\nrange", ">MB/s\none way", ">moved")
    table = plain_table(heading, ">CTCs", *figures, gap=1)
    rates: list[Range] = []
    for each in tried:
        row = _row(each)
        found = relocation_ranges(each.change.relocation, each.outcome.guests)
        rates += found.rates if found else ()
        table.add_row(
            each.change.what,
            str(row.ctcs),
            f"{row.seconds:.2f}",
            seconds(found.seconds if found else None),
            f"{row.longest_stop_s:.2f}",
            seconds(found.longest_stop if found else None),
            f"{row.mb_per_s:.0f}",
            f"{row.moved} of {len(each.change.relocation.guests)}",
        )
    yield table
    yield range_note(rates)


def _row(each: Tried, **of: Any) -> TriedJson:
    outcome = each.outcome
    length = sum(guest.length for guest in outcome.guests)
    found = relocation_ranges(each.change.relocation, outcome.guests)
    return TriedJson(
        **of,
        ctcs=len(each.change.relocation.layout.ctcs),
        seconds=outcome.seconds,
        longest_stop_s=outcome.longest_stop_s,
        mb_per_s=length / max(1e-9, outcome.seconds) / MIB,
        moved=each.moved_count,
        **flat_ranges(found, "longest_stop_s"),
    )
