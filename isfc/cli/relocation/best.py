"""What ``--best`` shows: how many guests together are best, of the numbers that were tried."""

from msgspec import UNSET, Struct, UnsetType

from isfc.cli.relocation.certainty import flat_ranges
from scenarios.moves.evacuation import EvacuationOutcome
from scenarios.moves.together import ALIKE_SHARE, BestTogether


class TriedJson(Struct, frozen=True, kw_only=True):
    """What came of so many guests together; flat. Names of the keys stay."""

    together: int
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


def best_rows(best: BestTogether) -> list[TriedJson]:
    """Of each number of guests together that was tried."""
    return [_row(count, outcome) for count, outcome in best.tried.items()]


def best_line(best: BestTogether) -> str:
    """How many together are best, of what was tried."""
    tried = ", ".join(f"{count}: {outcome.seconds:.2f} s" for count, outcome in best.tried.items())
    return (
        f"Best together: {best.count}; it moves the most guests in the shortest time, within "
        f"{100 * ALIKE_SHARE:g} %, with the fewest. Tried: {tried}."
    )


def _row(together: int, outcome: EvacuationOutcome) -> TriedJson:
    collection = outcome.evacuation.collection
    ways = {frozenset((guest.source, guest.to)) for guest in outcome.guests}
    alone = sum(each.rate.mb_per_s for each in outcome.alone)
    left = sum(each.rate.mb_per_s for each in outcome.meanwhile)
    return TriedJson(
        together=together,
        ctcs=sum(len(link.ctcs) for link in collection.links if frozenset(link.nodes) in ways),
        seconds=outcome.seconds,
        longest_stop_s=outcome.longest_stop_s,
        mb_per_s=outcome.mb_per_s,
        moved=outcome.moved_count,
        traffic_left_percent=100 * left / alone if alone else UNSET,
        **flat_ranges(outcome.figures),
    )
