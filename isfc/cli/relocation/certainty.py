"""What limits relocations, and the ranges of their times: in words and as records."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from isfc.reports.ranges import RangeJson, range_json
from scenarios.figures.ranges import flat_range
from scenarios.moves.figures import MovesFigures
from scenarios.moves.guest import Moved


class GuestRangesJson(Struct, frozen=True):
    """Between what the times of a guest would lie."""

    seconds: RangeJson | None
    quiesced_seconds: RangeJson | None
    other_end: bool
    """whether the guest is moved at one end of the range and not at the other"""


class MovesRangeJson(Struct, frozen=True):
    """Between what the times of all guests would lie."""

    seconds: RangeJson | None
    longest_stop_s: RangeJson | None
    rate: RangeJson | None
    """what passes and other traffic carry, as a factor of it"""
    guests: dict[str, GuestRangesJson]
    """by name"""


def ranges_json(found: MovesFigures, guests: Sequence[Moved]) -> MovesRangeJson | None:
    """The record of the ranges; None where no time follows from a rate."""
    if not found.rates:
        return None
    return MovesRangeJson(
        range_json(found.seconds),
        range_json(found.longest_stop),
        range_json(max(found.rates, key=lambda rate: rate.ends.high)),
        {
            guest.plan.name: GuestRangesJson(
                range_json(each.seconds), range_json(each.quiesced), each.other_end
            )
            for guest, each in zip(guests, found.guests, strict=True)
            if each.seconds.range is not None
        },
    )


def flat_ranges(found: MovesFigures) -> dict[str, Any]:
    """The same of all guests as columns of a row."""
    stop = flat_range("longest_stop_s", found.longest_stop)
    return {**flat_range("seconds", found.seconds), **stop}
