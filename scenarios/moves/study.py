"""What a relocation would come to over other channels, with fewer guests together, other limits.

`sweep` varies one thing; `changes_of` are those that may make the stop shorter. Each is a
relocation of its own, and `Tried` what it came to.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf
from typing import Final

from scenarios.moves.by_rate import CHANNELS_MAX, relocate_by_rate, with_channels
from scenarios.moves.guest import with_limits
from scenarios.moves.relocated import check_stops
from scenarios.moves.relocation import WINDOW_MAX, Relocation, RelocationOutcome, relocate
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


@dataclass(frozen=True, slots=True)
class Change:
    """Something to try, in words, and the relocation that it is."""

    what: str
    relocation: Relocation


@dataclass(frozen=True, slots=True)
class Tried:
    """What a change came to."""

    change: Change
    outcome: RelocationOutcome

    @property
    def moved_count(self) -> int:
        """How many guests run at their destination."""
        return sum(guest.moved for guest in self.outcome.guests)


Run = Callable[
    [Callable[[Relocation], RelocationOutcome], Sequence[Relocation]], Sequence[RelocationOutcome]
]
"""Runs relocations, maybe on several processors, and returns what they came to in their order."""


def sweep(relocation: Relocation, varied: Varied, run: Run) -> list[Tried]:
    """The relocation over 1, 2, 3 ... channels, or with 1, 2, 4 ... of its guests together."""
    check_stops(relocation)
    changes = [*_SWEPT[varied](relocation)]
    return _try_all(changes, run)


def _over_channels(relocation: Relocation) -> Iterator[Change]:
    most = min(CHANNELS_MAX, max(4, len(relocation.layout.fibres) + 2))
    for count in range(1, most + 1):
        layout = with_channels(relocation.layout, count)
        yield Change(f"{count}", replace(relocation, layout=layout))


def _over_guests(relocation: Relocation) -> Iterator[Change]:
    count = len(relocation.guests)
    for together in sorted({*(1 << power for power in range(count.bit_length())), count}):
        yield Change(f"{together}", replace(relocation, together=together))


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


def advise(relocation: Relocation, outcome: RelocationOutcome, run: Run) -> Advice:
    """Try what may make the stop shorter, or let guests be moved that were not."""
    changes = [*changes_of(relocation, outcome)]
    noisy = [Change("", each) for each in _noise_runs(relocation)]
    length = sum(guest.length for guest in outcome.guests) * len([*changes, *noisy])
    if length > SIMULATED_MAX:
        return _advise_by_rate(relocation, outcome, changes, run)
    tried = _try_all([*changes, *noisy], run)
    stops = [each.outcome.longest_stop_s for each in tried[len(changes) :]]
    stop_s = outcome.longest_stop_s
    noise_s = max(
        NOISE_SHARE_MIN * stop_s, max(stops) - min(stops), *(abs(each - stop_s) for each in stops)
    )
    return _advice(outcome, tried[: len(changes)], noise_s, simulated=True)


def _advise_by_rate(
    relocation: Relocation, outcome: RelocationOutcome, changes: Sequence[Change], run: Run
) -> Advice:
    """The same by the rules alone, held against this relocation by the rules."""
    tried = _try_all([Change("", relocation), *changes], run, relocate_by_rate)
    given, *others = tried
    return _advice(given.outcome, others, BY_RATE_SHARE * outcome.longest_stop_s, simulated=False)


def _advice(
    outcome: RelocationOutcome, tried: Sequence[Tried], noise_s: float, *, simulated: bool
) -> Advice:
    moved = sum(guest.moved for guest in outcome.guests)

    def helps(each: Tried) -> bool:
        if each.moved_count != moved:
            return each.moved_count > moved
        return each.outcome.longest_stop_s < outcome.longest_stop_s - noise_s

    shorter = sorted(filter(helps, tried), key=lambda t: (-t.moved_count, t.outcome.longest_stop_s))
    alike = tuple(each for each in tried if not helps(each))
    return Advice(noise_s, tuple(shorter), alike, simulated)


def changes_of(relocation: Relocation, outcome: RelocationOutcome) -> Iterator[Change]:
    """What is worth trying."""
    count = len(relocation.layout.fibres)
    if count < CHANNELS_MAX:
        feature = relocation.layout.fibres[-1].profile.feature
        layout = with_channels(relocation.layout, count + 1)
        yield Change(f"another chpid, {feature}", replace(relocation, layout=layout))
    if relocation.together > 3:
        half = relocation.together // 2
        yield Change(f"{half} at the same time", replace(relocation, together=half))
    if relocation.together > 1:
        yield Change("one guest after the other", replace(relocation, together=1))
    if relocation.background is not None:
        yield Change("no other traffic meanwhile", replace(relocation, background=None))
    if any(plan.limits.immediate for plan in relocation.guests):
        yield Change("without IMMEDIATE", _with_limits(relocation, immediate=False))
    ends = {guest.end for guest in outcome.guests}
    if RelocationEnd.QUIESCE in ends:
        yield Change("MAXQUIESCE NOLIMIT", _with_limits(relocation, max_quiesce=inf))
    if RelocationEnd.TOTAL in ends:
        yield Change("MAXTOTAL NOLIMIT", _with_limits(relocation, max_total=inf))


def _with_limits(relocation: Relocation, **changed: float | bool) -> Relocation:
    plans = tuple(with_limits(plan, **changed) for plan in relocation.guests)
    return replace(relocation, guests=plans)


def _noise_runs(relocation: Relocation) -> list[Relocation]:
    """The same, but for the seed of other traffic or how many messages are outstanding."""
    if relocation.background is not None:
        return [replace(relocation, seed=relocation.seed + more) for more in (1, 2)]
    windows = [max(1, round(relocation.window * (1 + share))) for share in NOISE_WINDOWS]
    return [replace(relocation, window=min(WINDOW_MAX, window)) for window in windows]


def _try_all(
    changes: Sequence[Change],
    run: Run,
    work: Callable[[Relocation], RelocationOutcome] = relocate,
) -> list[Tried]:
    outcomes = run(work, [change.relocation for change in changes])
    return [Tried(*pair) for pair in zip(changes, outcomes, strict=True)]
