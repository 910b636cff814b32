"""What a relocation would come to over other channels, with fewer guests together, other limits.

`sweep` varies one thing; `changes_of` are those that may make the stop shorter. Each is a
relocation of its own, and `Tried` what it came to.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf
from typing import Final

from scenarios.moves.by_rate import CHANNELS_MAX, move_by_rate, with_channels
from scenarios.moves.compared import check_stops, evacuate
from scenarios.moves.evacuation import WINDOW_MAX, Evacuation, EvacuationOutcome
from scenarios.moves.guest import with_limits
from scenarios.moves.moving import move
from scenarios.moves.together import RunEach, counts_together
from scenarios.moves.vmrelocate import RelocationEnd

NOISE_WINDOWS: Final = (-0.1, 0.1)
"""How much more or fewer messages are outstanding in the runs that say what noise is. Chosen: it
changes nothing that a user would want to know, but the order of events."""

NOISE_SHARE_MIN: Final = 0.02
"""No stop is known better than that share of it (chosen)."""


SIMULATED_MAX: Final = 32 * 2**30
"""Bytes that all relocations of an advice may move in simulation. Chosen: about ten seconds."""

BY_RATE_SHARE: Final = 0.05
"""How well a stop by the rules is known: that share of it (chosen; rates of passes differ less)."""


class Varied(StrEnum):
    """What a sweep varies."""

    CHANNELS = "channels"
    GUESTS = "guests"


Change = tuple[str, Evacuation]
"""Something to try, in words, and the moves that it is."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What a change came to."""

    what: str
    outcome: EvacuationOutcome


def sweep(evacuation: Evacuation, varied: Varied, run: RunEach) -> list[Tried]:
    """The moves over 1, 2, 3 ... channels of the only link, or with 1, 2, 4 ... guests together."""
    check_stops(evacuation)
    return _try_all([*_SWEPT[varied](evacuation)], run, evacuate)


def _over_channels(evacuation: Evacuation) -> Iterator[Change]:
    link = evacuation.only_link
    most = min(CHANNELS_MAX, max(4, len(link.fibres) + 2))
    for count in range(1, most + 1):
        yield (f"{count}", evacuation.with_link(with_channels(link, count)))


def _over_guests(evacuation: Evacuation) -> Iterator[Change]:
    for together in counts_together(evacuation):
        yield (f"{together}", replace(evacuation, together=together))


_SWEPT: Final = {Varied.CHANNELS: _over_channels, Varied.GUESTS: _over_guests}


@dataclass(frozen=True, slots=True)
class Advice:
    """What was tried against a relocation's stop, and how sure its own stop is, in seconds.

    ``shorter`` are those that make it shorter, and those that let more guests be moved, the best
    first; ``alike`` are the others. ``simulated`` is false where the rules alone were tried, at the
    rate of a short relocation each, as all of them would move more than `SIMULATED_MAX`.
    """

    noise_s: float
    shorter: tuple[Tried, ...]
    alike: tuple[Tried, ...]
    simulated: bool = True


def advise(outcome: EvacuationOutcome, run: RunEach) -> Advice:
    """Try what may make the stop of a relocation shorter, or let guests be moved that were not."""
    changes = [*changes_of(outcome)]
    noisy = [("", each) for each in _noise_runs(outcome.evacuation)]
    length = sum(guest.length for guest in outcome.guests) * len([*changes, *noisy])
    stop_s = outcome.longest_stop_s
    if length > SIMULATED_MAX:  # then all by the rules alone, this relocation too
        given, *tried = _try_all([("", outcome.evacuation), *changes], run, move_by_rate)
        return _advice(given.outcome, tried, BY_RATE_SHARE * stop_s, simulated=False)
    tried = _try_all([*changes, *noisy], run, move)
    stops = [each.outcome.longest_stop_s for each in tried[len(changes) :]]
    noise_s = max(
        NOISE_SHARE_MIN * stop_s, max(stops) - min(stops), *(abs(each - stop_s) for each in stops)
    )
    return _advice(outcome, tried[: len(changes)], noise_s, simulated=True)


def _advice(
    outcome: EvacuationOutcome, tried: Sequence[Tried], noise_s: float, *, simulated: bool
) -> Advice:
    def helps(each: Tried) -> bool:
        if each.outcome.moved_count != outcome.moved_count:
            return each.outcome.moved_count > outcome.moved_count
        return each.outcome.longest_stop_s < outcome.longest_stop_s - noise_s

    shorter = sorted(
        filter(helps, tried), key=lambda t: (-t.outcome.moved_count, t.outcome.longest_stop_s)
    )
    alike = tuple(each for each in tried if not helps(each))
    return Advice(noise_s, tuple(shorter), alike, simulated)


def changes_of(outcome: EvacuationOutcome) -> Iterator[Change]:
    """What is worth trying over one link."""
    given = outcome.evacuation
    link, together = given.only_link, given.together
    count = len(link.fibres)
    if count < CHANNELS_MAX:
        feature = link.fibres[-1].profile.feature
        more = given.with_link(with_channels(link, count + 1))
        yield (f"another chpid, {feature}", more)
    if together > 3:
        half = together // 2
        yield (f"{half} at the same time", replace(given, together=half))
    if together > 1:
        yield ("one guest after the other", replace(given, together=1))
    if given.loads:
        yield ("no other traffic meanwhile", replace(given, loads=()))
    if any(plan.limits.immediate for plan in given.plans):
        yield ("without IMMEDIATE", _with_limits(given, immediate=False))
    ends = {guest.end for guest in outcome.guests}
    if RelocationEnd.QUIESCE in ends:
        yield ("MAXQUIESCE NOLIMIT", _with_limits(given, max_quiesce=inf))
    if RelocationEnd.TOTAL in ends:
        yield ("MAXTOTAL NOLIMIT", _with_limits(given, max_total=inf))


def _with_limits(evacuation: Evacuation, **changed: float | bool) -> Evacuation:
    return evacuation.with_plans([with_limits(plan, **changed) for plan in evacuation.plans])


def _noise_runs(evacuation: Evacuation) -> list[Evacuation]:
    """The same, but for the seed of other traffic or how many messages are outstanding."""
    if evacuation.loads:
        return [replace(evacuation, seed=evacuation.seed + more) for more in (1, 2)]
    windows = [max(1, round(evacuation.window * (1 + share))) for share in NOISE_WINDOWS]
    return [replace(evacuation, window=min(WINDOW_MAX, window)) for window in windows]


def _try_all(
    changes: Sequence[Change],
    run: RunEach,
    work: Callable[[Evacuation], EvacuationOutcome],
) -> list[Tried]:
    outcomes = run(work, [evacuation for _, evacuation in changes])
    return [Tried(what, outcome) for (what, _), outcome in zip(changes, outcomes, strict=True)]
