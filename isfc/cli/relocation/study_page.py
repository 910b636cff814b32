"""What ``--sweep``, ``--shorter`` and ``--best`` show of moves."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from rich.console import Group, RenderableType

from isfc.cli.output.ranges import range_note
from isfc.cli.output.table import plain_table
from isfc.cli.relocation.certainty import flat_ranges, seconds
from isfc.cli.relocation.page import moves_in_words
from scenarios.figures.certainty import Range
from scenarios.figures.moved_ranges import evacuation_ranges
from scenarios.moves.evacuation import Evacuation, EvacuationOutcome
from scenarios.moves.study import Advice, Tried, Varied
from scenarios.moves.together import ALIKE_SHARE, BestTogether

_HEADINGS = {Varied.CHANNELS: "channels", Varied.GUESTS: "together"}


class TriedJson(Struct, frozen=True, kw_only=True):
    """What was tried, and what came of it; flat, as CSV has it. Names of the keys stay."""

    channels: int | UnsetType = UNSET
    """with `--sweep channels`"""
    together: int | UnsetType = UNSET
    """with `--sweep guests` and `--best`"""
    change: str | UnsetType = UNSET
    """with `--shorter`"""
    helps: bool | UnsetType = UNSET
    """with `--shorter`: whether it makes the stop shorter, or lets more guests be moved"""
    simulated: bool | UnsetType = UNSET
    """with `--shorter`: false where the rules alone were tried"""
    ctcs: int
    """of the links that guests leave by"""
    seconds: float
    longest_stop_s: float
    mb_per_s: float
    moved: int
    """how many guests"""
    traffic_left_percent: float | UnsetType = UNSET
    """what other traffic gets of what it gets alone, where both were run"""
    seconds_likely_low: float | UnsetType = UNSET
    """this and those below: the ranges, if the times have some"""
    seconds_likely_high: float | UnsetType = UNSET
    seconds_sure_low: float | UnsetType = UNSET
    seconds_sure_high: float | UnsetType = UNSET
    longest_stop_s_likely_low: float | UnsetType = UNSET
    longest_stop_s_likely_high: float | UnsetType = UNSET
    longest_stop_s_sure_low: float | UnsetType = UNSET
    longest_stop_s_sure_high: float | UnsetType = UNSET


def sweep_page(evacuation: Evacuation, varied: Varied, tried: Sequence[Tried]) -> RenderableType:
    """A line for each number of what is varied."""
    one_by_one = replace(evacuation, together=1)
    by = "channels" if varied is Varied.CHANNELS else "guests at the same time"
    said = moves_in_words(one_by_one).removesuffix(", one by one")
    return Group(f"Relocation of {said}, by {by}", "", *_table(f">{_HEADINGS[varied]}", tried))


def sweep_rows(varied: Varied, tried: Sequence[Tried]) -> list[TriedJson]:
    """The same as records."""
    return [_row(each, **{_HEADINGS[varied]: int(each.what)}) for each in tried]


def best_rows(best: BestTogether) -> list[TriedJson]:
    """Of each number of guests together that was tried."""
    return [_row(Tried("", outcome), together=count) for count, outcome in best.tried.items()]


def best_line(best: BestTogether) -> str:
    """How many together are best, of what was tried."""
    tried = ", ".join(f"{count}: {outcome.seconds:.2f} s" for count, outcome in best.tried.items())
    return (
        f"Best together: {best.count}; it moves the most guests in the shortest time, within "
        f"{100 * ALIKE_SHARE:g} %, with the fewest. Tried: {tried}."
    )


def shorter_page(outcome: EvacuationOutcome, advice: Advice) -> RenderableType:
    """What makes the stop shorter, the best first, and what does not."""
    return Group(*_shorter(outcome, advice))


def shorter_rows(advice: Advice) -> list[TriedJson]:
    """The same as records."""
    return [
        _row(each, change=each.what, helps=helps, simulated=advice.simulated)
        for helps, some in ((True, advice.shorter), (False, advice.alike))
        for each in some
    ]


def _shorter(outcome: EvacuationOutcome, advice: Advice) -> Iterator[RenderableType]:
    stop = f"{outcome.longest_stop_s:.2f} s, known within {max(0.005, advice.noise_s):.2f} s"
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
        yield f"{lead} with: {'; '.join(each.what for each in advice.alike)}."


def _table(heading: str, tried: Sequence[Tried]) -> Iterator[RenderableType]:
    """The table, and from what its ranges are made."""
    figures = (">s", "~range", ">longest\nstop s", "~\nrange", ">MB/s\none way", ">moved")
    is_beside = any(each.outcome.alone for each in tried)
    traffic = [">other traffic\nleft %"] * is_beside
    table = plain_table(heading, ">CTCs", *figures, *traffic, gap=1)
    rates: list[Range] = []
    for each in tried:
        row = _row(each)
        found = evacuation_ranges(each.outcome)
        rates += found.rates if found else ()
        table.add_row(
            each.what,
            str(row.ctcs),
            f"{row.seconds:.2f}",
            seconds(found.seconds if found else None),
            f"{row.longest_stop_s:.2f}",
            seconds(found.longest_stop if found else None),
            f"{row.mb_per_s:.0f}",
            f"{row.moved} of {len(each.outcome.guests)}",
            *([f"{row.traffic_left_percent:.0f}"] if is_beside else []),
        )
    yield table
    yield range_note(rates)


def _row(each: Tried, **of: Any) -> TriedJson:
    outcome = each.outcome
    collection = outcome.evacuation.collection
    ways = {frozenset((guest.source, guest.to)) for guest in outcome.guests}
    alone = sum(each.rate.mb_per_s for each in outcome.alone)
    if alone:
        left = sum(each.rate.mb_per_s for each in outcome.meanwhile)
        of["traffic_left_percent"] = 100 * left / alone
    return TriedJson(
        **of,
        ctcs=sum(len(link.ctcs) for link in collection.links if frozenset(link.nodes) in ways),
        seconds=outcome.seconds,
        longest_stop_s=outcome.longest_stop_s,
        mb_per_s=outcome.mb_per_s,
        moved=outcome.moved_count,
        **flat_ranges(evacuation_ranges(outcome)),
    )
