"""Guests that were moved, in words: what became of each, its passes, the ranges, what limits."""

from collections.abc import Iterator, Sequence
from typing import Final

from isfc.answers.limit import limit_line, limits_of
from isfc.answers.limit_record import Limits
from isfc.reports.ranges import factor_line, range_note
from isfc.reports.units import range_of, shown
from scenarios.figures.figure import Figure
from scenarios.figures.limit import Limit, find_limit
from scenarios.moves.evacuation import Evacuated, EvacuationOutcome
from scenarios.moves.figures import MovedFigures, MovesFigures, moving_load
from scenarios.moves.guest import Moved, Pass
from scenarios.moves.record import WouldMove
from scenarios.moves.vmrelocate import RelocationEnd
from scenarios.runs.result import MIB

GIB: Final = 2**30

_Found = tuple[Evacuated, WouldMove | None, MovedFigures]


def each_guest(outcome: EvacuationOutcome, figures: MovesFigures) -> Iterator[_Found]:
    """What became of each guest, what would let it be moved, and its times."""
    return zip(outcome.guests, outcome.advice, figures.guests, strict=True)


def what_became(guest: Evacuated) -> str:
    """``LINUX1 was moved in 25.21 s, ...``: what became of it, in a sentence."""
    return f"{guest.plan.name} {_end(guest)}"


def _end(guest: Evacuated) -> str:
    stays = f"the guest stays on {guest.source}"
    moved = f"{guest.length / GIB:.2f} GiB moved"
    match guest.end:
        case RelocationEnd.MOVED:
            return (
                f"was moved in {guest.seconds:.2f} s, {guest.quiesced_seconds:.2f} s of them "
                f"stopped; {moved}."
            )
        case RelocationEnd.CANCELLED:
            return f"was not moved: cancelled after {guest.seconds:.2f} s; {moved} until then."
        case RelocationEnd.TOTAL:
            return (
                f"was not moved: MAXTOTAL exceeded after {guest.seconds:.2f} s, {moved} until "
                f"then; {stays}."
            )
        case RelocationEnd.LINK if not guest.seconds:
            return "was not moved: the link was down."
        case RelocationEnd.LINK:
            return (
                f"was not moved: the link was lost after {guest.seconds:.2f} s; {moved} until then."
            )
        case _:
            return (
                f"was not moved: MAXQUIESCE exceeded after {guest.quiesced_seconds:.2f} s "
                f"stopped; {stays}."
            )


def would_line(would: WouldMove) -> str:
    """What would let it be moved, in a sentence."""
    ways = []
    if would.change_bytes_per_s is not None:
        rates = ((would.change_bytes_per_s, "of change"), (would.write_bytes_per_s, "written"))
        ways.append(
            "at most "
            + " and ".join(f"{rate / MIB:.3g} MB/s {what}" for rate, what in rates if rate)
        )
    limits = (("MAXQUIESCE", would.max_quiesce_s), ("MAXTOTAL", would.max_total_s))
    if any(seconds for _, seconds in limits):
        ways.append(" and ".join(f"{name} {seconds}" for name, seconds in limits if seconds))
    if would.channels is not None:
        ways.append(f"{would.channels} channels")
    at = f"By the rules, at the {would.bytes_per_s / MIB:.0f} MB/s of its passes"
    if not ways:
        return f"{at}, neither less change nor more channels would let it be moved."
    return f"{at}, it would be moved with {', or '.join(ways)}."


PASS_HEADS: Final = ("pass", "begins s", "takes s", "moves GiB", "MB/s one way", "changed GiB")


def pass_rows(passes: Sequence[Pass]) -> Iterator[tuple[str, ...]]:
    """A row for each pass, below `PASS_HEADS`."""
    for number, each in enumerate(passes, start=1):
        length = each.length + each.state_length
        yield (
            f"{number}{' stopped' if each.quiesced else ''}",
            f"{each.begin_ns / 1e9:.2f}",
            f"{each.seconds:.2f}",
            f"{length / GIB:.3f}",
            f"{length / max(1e-9, each.seconds) / MIB:.1f}",
            f"{each.changed_length / GIB:.3f}",
        )


def guest_line(guest: Moved, found: MovedFigures) -> str:
    """The range of one guest's times, in a sentence; nothing if it has none."""
    if found.seconds.range is None:
        return ""
    other = "not be" if guest.moved else "be"
    end = f" At one end of it the guest would {other} moved." if found.other_end else ""
    return f"Range: {range_of(found.seconds)} s, {range_of(found.quiesced)} s of them stopped.{end}"


def with_range(figure: Figure) -> tuple[str, str]:
    """A figure and its range, as two cells of a row."""
    return shown(figure.value, figure.unit), range_of(figure)


def ranges_line(found: MovesFigures) -> str:
    """The range of all, and from what all ranges are made."""
    if not found.rates:
        return ""
    times = f"{range_of(found.seconds)} s, longest stop {range_of(found.longest_stop)} s; "
    every = f"Range of all: {times}" if len(found.guests) > 1 else "Range "
    return (
        f"{every}of MB/s and exchanges/s: {factor_line(found.rates)}. {range_note(found.rates)} "
        "Times are those of the same passes at the ends of what the link would carry."
    )


def moving_line(outcome: EvacuationOutcome) -> str:
    """``Moving is limited by: how fast BOSTON receives ...``; it takes short runs."""
    return f"Moving is {limit_line(*_limit(outcome))} MB/s."


def moving_limits(outcome: EvacuationOutcome) -> Limits:
    """The same for ``--json``."""
    return limits_of(*_limit(outcome))


def _limit(outcome: EvacuationOutcome) -> tuple[Limit, float, str]:
    """What limits as many messages as the guests have under way, at which rate and load."""
    load = f"{outcome.evacuation.window} messages of each guest under way"
    return find_limit(moving_load(outcome.evacuation)), outcome.mb_per_s, load
