"""What limits relocations, and the ranges of their times: in words and as records."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from isfc.cli.judgement.limit import limit_line, limits_json
from isfc.cli.output.limit_record import LimitsJson
from isfc.cli.output.ranges import RangeJson, factor_line, range_json, range_note
from scenarios.figures.figure import Figure, Interval
from scenarios.figures.limit import Limit, find_limit
from scenarios.figures.moved import MovedFigures, MovesFigures, moving_load
from scenarios.figures.ranges import flat_range
from scenarios.moves.evacuation import EvacuationOutcome
from scenarios.moves.guest import Moved


def guest_line(guest: Moved, found: MovedFigures) -> str:
    """The range of one guest's times, in a sentence; nothing if it has none."""
    if found.seconds.range is None:
        return ""
    other = "not be" if guest.moved else "be"
    end = f" At one end of it the guest would {other} moved." if found.other_end else ""
    return f"Range: {seconds(found.seconds)} s, {seconds(found.quiesced)} s of them stopped.{end}"


def seconds(figure: Figure) -> str:
    """``3.30-4.61``: of seconds, to hundredths as they are told; nothing without a range."""
    return "" if figure.range is None else of_seconds(figure.ends)


def of_seconds(ends: Interval) -> str:
    """The same of an interval."""
    return f"{ends.low:.2f}-{ends.high:.2f}"


def ranges_line(found: MovesFigures) -> str:
    """The range of all, and from what all ranges are made."""
    if not found.rates:
        return ""
    times = f"{seconds(found.seconds)} s, longest stop {seconds(found.longest_stop)} s; "
    every = f"Range of all: {times}" if len(found.guests) > 1 else "Range "
    return (
        f"{every}of MB/s and exchanges/s: {factor_line(found.rates)}. {range_note(found.rates)} "
        "Times are those of the same passes at the ends of what the link would carry."
    )


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


@dataclass(frozen=True, slots=True)
class MovesLimit:
    """What limits the links that guests are moved over, and with what they were moved."""

    limit: Limit
    mb_per_s: float
    load: str

    @classmethod
    def of(cls, outcome: EvacuationOutcome) -> "MovesLimit":
        """Find it, by short runs of as many messages as the guests have under way."""
        limit = find_limit(moving_load(outcome.evacuation))
        load = f"{outcome.evacuation.window} messages of each guest under way"
        return cls(limit, outcome.mb_per_s, load)

    def line(self) -> str:
        """``Moving is limited by: how fast BOSTON receives ...``."""
        return f"Moving is {limit_line(self.limit, self.mb_per_s, self.load)} MB/s."

    def record(self) -> LimitsJson:
        """The same for ``--json``."""
        return limits_json(self.limit, self.mb_per_s, self.load)
