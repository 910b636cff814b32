"""What limits relocations, and the ranges of their times: in words and as records."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from isfc.cli.output.ranges import RangeJson, range_json
from scenarios.figures.moved_ranges import MovesRange
from scenarios.figures.ranges import flat_range
from scenarios.moves.guest import Moved


class GuestRangesJson(Struct, frozen=True):
    """Between what the times of a guest would lie."""

    seconds: RangeJson
    quiesced_seconds: RangeJson
    other_end: bool
    """whether the guest is moved at one end of the range and not at the other"""


class MovesRangeJson(Struct, frozen=True):
    """Between what the times of all guests would lie."""

    seconds: RangeJson
    longest_stop_s: RangeJson
    rate: RangeJson
    """what passes and other traffic carry, as a factor of it"""
    guests: dict[str, GuestRangesJson]
    """by name"""


def ranges_json(found: MovesRange | None, guests: Sequence[Moved]) -> MovesRangeJson | None:
    """The record of the ranges; None where no time follows from a rate."""
    if found is None:
        return None
    return MovesRangeJson(
        range_json(found.seconds),
        range_json(found.longest_stop),
        range_json(max(found.rates, key=lambda rate: rate.likely.high)),
        {
            guest.plan.name: GuestRangesJson(
                range_json(each.seconds), range_json(each.quiesced), each.other_end
            )
            for guest, each in zip(guests, found.guests, strict=True)
            if each is not None
        },
    )


def flat_ranges(found: MovesRange | None) -> dict[str, Any]:
    """The same of all guests as columns of a row."""
    if found is None:
        return {}
    stop = flat_range("longest_stop_s", found.longest_stop)
    return {**flat_range("seconds", found.seconds), **stop}
