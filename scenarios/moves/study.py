"""What a relocation would come to over other channels, with fewer guests together, other limits.

`sweep` varies one thing; `changes_of` are those that may make the stop shorter. Each is a
relocation of its own, and `Tried` what it came to.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf
from typing import Final

from ctc.address import RDEV_MAX, ChpidId, Rdev
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.link.schedule import CTCS_MAX
from scenarios.moves.relocated import check_stops
from scenarios.moves.relocation import WINDOW_MAX, Relocation, RelocationOutcome, relocate
from scenarios.moves.vmrelocate import RelocationEnd

NOISE_WINDOWS: Final = (-0.1, 0.1)
"""How much more or fewer messages are outstanding in the runs that say what noise is. Chosen: it
changes nothing that a user would want to know, but the order of events."""

NOISE_SHARE_MIN: Final = 0.02
"""No stop is known better than that share of it (chosen)."""


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
    first; ``alike`` are the others.
    """

    noise_s: float
    shorter: tuple[Tried, ...]
    alike: tuple[Tried, ...]


def advise(relocation: Relocation, outcome: RelocationOutcome, run: Run) -> Advice:
    """Try what may make the stop shorter, or let guests be moved that were not."""
    changes = [*changes_of(relocation, outcome)]
    noisy = [Change("", each) for each in _noise_runs(relocation)]
    tried = _try_all([*changes, *noisy], run)
    stops = [each.outcome.longest_stop_s for each in tried[len(changes) :]]
    stop_s = outcome.longest_stop_s
    noise_s = max(
        NOISE_SHARE_MIN * stop_s, max(stops) - min(stops), *(abs(each - stop_s) for each in stops)
    )
    moved = sum(guest.moved for guest in outcome.guests)

    def helps(each: Tried) -> bool:
        if each.moved_count != moved:
            return each.moved_count > moved
        return each.outcome.longest_stop_s < stop_s - noise_s

    found = tried[: len(changes)]
    shorter = sorted(filter(helps, found), key=lambda t: (-t.moved_count, t.outcome.longest_stop_s))
    return Advice(noise_s, tuple(shorter), tuple(each for each in found if not helps(each)))


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
    plans = tuple(
        # names of limits, from this module only
        replace(plan, limits=replace(plan.limits, **changed))  # type: ignore[arg-type]
        for plan in relocation.guests
    )
    return replace(relocation, guests=plans)


def _noise_runs(relocation: Relocation) -> list[Relocation]:
    """The same, but for the seed of other traffic or how many messages are outstanding."""
    if relocation.background is not None:
        return [replace(relocation, seed=relocation.seed + more) for more in (1, 2)]
    windows = [max(1, round(relocation.window * (1 + share))) for share in NOISE_WINDOWS]
    return [replace(relocation, window=min(WINDOW_MAX, window)) for window in windows]


def _try_all(changes: Sequence[Change], run: Run) -> list[Tried]:
    outcomes = run(relocate, [change.relocation for change in changes])
    return [Tried(*pair) for pair in zip(changes, outcomes, strict=True)]


CHANNELS_MAX: Final = 8
"""Channels of a link in a sweep. Chosen: two CTCs on each of them."""


def with_channels(layout: Layout, count: int) -> Layout:
    """The layout over so many fibres: its first ones, and then more like the last.

    A fibre keeps its CTCs, as many of them as a link of 16 has room for; one that is new has as
    many as the last. New CTCs have the numbers after the last; new chpids share nothing.
    """
    fibres = list(layout.fibres[:count])
    last = fibres[-1]
    while len(fibres) < count:
        taken = [fibre.chpids for fibre in (*layout.fibres, *fibres)]
        first, second = (_free_chpid([chpids[end] for chpids in taken]) for end in (0, 1))
        name = f"{last.name}+{len(fibres)}"
        fibres.append(replace(last, name=name, chpids=(first, second), channels=(), ports=()))
    devices = layout.device_list()
    most = CTCS_MAX // count
    own = {fibre: [ctc for ctc in devices if ctc.fibre == fibre][:most] for fibre in fibres}
    ctcs = [ctc for each in own.values() for ctc in each]
    for fibre in fibres[len(layout.fibres) :]:
        ctcs += _more(ctcs, fibre, len(own[last]))
    return replace(layout, fibres=tuple(fibres), ctcs=tuple(ctcs))


def _more(ctcs: list[CtcPair], fibre: Fibre, count: int) -> list[CtcPair]:
    first, second = (max(ctc.rdevs[end] for ctc in ctcs) for end in (0, 1))
    room = min(count, RDEV_MAX - max(first, second))
    return [
        CtcPair(fibre, (Rdev(first + number), Rdev(second + number)))
        for number in range(1, room + 1)
    ]


def _free_chpid(taken: list[ChpidId]) -> ChpidId:
    after = (ChpidId((max(taken) + step) % 256) for step in range(1, 257))
    return next(chpid for chpid in after if chpid not in taken)
