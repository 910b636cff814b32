"""Relocations by their rules alone, at a rate that a short one has over the same link.

Passes of a guest then take what their bytes take: no message is simulated, so that the answer comes
immediately however much memory there is. `would_move` says by it what would let a guest be moved
that was not.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import ceil, inf
from typing import Final

from isfc.layout.build import CHANNELS_MAX, widened
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.whole import find_link
from isfc.link.name import NodeName
from scenarios.moves.evacuation import Evacuation, EvacuationOutcome, WouldMove, move
from scenarios.moves.guest import (
    IO_CHANGED_LENGTH,
    STATE_LENGTH,
    GuestMemory,
    GuestPlan,
    Limits,
    Moved,
    Pass,
    RelocationEnd,
    with_limits,
)
from scenarios.moves.targets import Placed
from scenarios.runs.experiment import NS_PER_S
from scenarios.runs.result import MIB

SAMPLE_LENGTH: Final = 128 * MIB
"""Bytes of each guest of the short relocation (chosen: a fraction of a second on most links)."""

SAMPLED_MAX: Final = 16
"""Guests of the short relocation, those first that were not moved (chosen)."""

MARGIN: Final = 0.05
"""What is said to do is so much more than is just enough (chosen; rates of passes differ less)."""

_STEPS: Final = 200
"""Rates of change that are tried, evenly from none to its own."""


def by_rate(plan: GuestPlan, bytes_per_s: float, begin_ns: int = 0) -> Moved:
    """What becomes of a guest whose every byte takes as long."""
    return by_times(plan, begin_ns, took=lambda _, length: round(length / bytes_per_s * NS_PER_S))


def by_times(plan: GuestPlan, begin_ns: int, *, took: Callable[[int, int], int]) -> Moved:
    """What becomes of a guest; ``took`` says how many ns so many bytes take from a time on."""
    memory, limits = plan.memory, plan.limits
    passes: list[Pass] = []
    now_ns, length, left_s = begin_ns, memory.touched, inf
    stop_ns = total_ns = inf if limits.max_total == inf else begin_ns + limits.max_total * NS_PER_S

    def take(state_length: int = 0, *, quiesced: bool, changed: int | None = None) -> int:
        nonlocal now_ns
        begin, taken_ns = now_ns, took(now_ns, length + state_length)
        now_ns += taken_ns
        left = memory.changed(taken_ns) if changed is None else changed
        passes.append(Pass(begin, now_ns, length, left, quiesced, state_length))
        return left

    while length and now_ns < total_ns:
        changed = take(quiesced=False)
        left_s = changed / length * passes[-1].seconds
        length = changed
        if not limits.goes_on(len(passes), left_s):
            break
    if now_ns < total_ns:
        if limits.max_quiesce != inf:
            stop_ns = min(total_ns, now_ns + limits.max_quiesce * NS_PER_S)
        io_changed = min(IO_CHANGED_LENGTH, memory.touched) if memory.writes else 0
        length = take(STATE_LENGTH, quiesced=True, changed=io_changed)
        take(quiesced=True, changed=0)
    if now_ns < stop_ns:
        return Moved(plan, tuple(passes), RelocationEnd.MOVED)
    end = RelocationEnd.TOTAL if stop_ns == total_ns else RelocationEnd.QUIESCE
    return Moved(plan, tuple(_until(passes, round(stop_ns))), end)


def _until(passes: Sequence[Pass], end_ns: int) -> list[Pass]:
    """Passes until a limit ends the last of them, which has moved its share."""
    begun = [each for each in passes if each.begin_ns < end_ns]
    last = begun[-1]
    share = (end_ns - last.begin_ns) / max(1, last.end_ns - last.begin_ns)
    cut = replace(last, end_ns=end_ns, length=round(last.length * share), changed_length=0)
    return [*begun[:-1], cut if share < 1 else last]


def sampled_rates(evacuation: Evacuation) -> list[float]:
    """Bytes/s of each guest of one system, as short relocations of all in their order have it."""
    lengths = [min(plan.memory.touched, SAMPLE_LENGTH) for plan in evacuation.plans]
    short = [
        GuestPlan(plan.name, GuestMemory(size=length, touched=length), Limits(max_quiesce=inf))
        for plan, length in zip(evacuation.plans, lengths, strict=True)
    ]
    return [*map(_rate, move(replace(evacuation.with_plans(short), orders=())).guests)]


def in_order(
    plans: Iterable[GuestPlan],
    together: int,
    moved: Callable[[GuestPlan, int], Moved],
    begin_ns: int = 0,
) -> list[Moved]:
    """What becomes of guests of which so many are on their way, each as soon as one has ended."""
    free_ns = [begin_ns] * together
    found: list[Moved] = []
    for plan in plans:
        found.append(moved(plan, min(free_ns)))
        free_ns[free_ns.index(min(free_ns))] = found[-1].end_ns
    return found


def seconds_in_order(guests: Iterable[Moved], together: int) -> float:
    """How long guests take of which so many are on their way, each as long as it took."""
    free_s = [0.0] * together
    for guest in guests:
        free_s[free_s.index(min(free_s))] += guest.seconds
    return max(free_s)


def would_move(outcome: EvacuationOutcome) -> tuple[WouldMove | None, ...]:
    """For each guest that began, what would let it be moved; None for one that a limit let go."""
    guests = outcome.guests
    stuck = [
        guest
        for guest in guests
        if guest.end in (RelocationEnd.QUIESCE, RelocationEnd.TOTAL)
        and not _moves(guest.plan, _rate(guest) * (1 - MARGIN))
    ]
    ways = dict.fromkeys((guest.source, guest.to) for guest in stuck)
    channels = {way: _channels(outcome, *way) for way in ways}
    return tuple(
        _would_move(guest.plan, _rate(guest), channels[guest.source, guest.to])
        if any(guest is each for each in stuck)
        else None
        for guest in guests
    )


def _rate(guest: Moved) -> float:
    return max(1, guest.length) / max(1e-9, guest.seconds)


def _would_move(plan: GuestPlan, rate: float, channels: int | None) -> WouldMove:
    slow = rate * (1 - MARGIN)

    def moves(**limits: float) -> bool:
        return _moves(with_limits(plan, **limits), slow)

    def limit(seconds: float) -> int:
        return ceil(seconds * (1 + MARGIN))

    free = by_rate(with_limits(plan, max_quiesce=inf, max_total=inf), slow)
    quiesce, total = limit(free.quiesced_seconds), limit(free.seconds)
    both = not moves(max_quiesce=inf) and not moves(max_total=inf)
    share, memory = _share(plan, slow), plan.memory
    return WouldMove(
        rate,
        None if share is None else int(memory.change_rate * share),
        None if share is None else int(memory.write_rate * share),
        quiesce if both or moves(max_quiesce=inf) else None,
        total if both or moves(max_total=inf) else None,
        channels,
    )


def _moves(plan: GuestPlan, bytes_per_s: float) -> bool:
    return by_rate(plan, bytes_per_s).moved


def _share(plan: GuestPlan, bytes_per_s: float) -> float | None:
    """The share of its change up to which a guest is moved; None if there is none.

    Just below it may be moved again: what is left may happen to be more than MAXQUIESCE lets go.
    """
    if not plan.memory.writes:
        return None
    stays = (
        step
        for step in range(_STEPS + 1)
        if not _moves(_changing(plan, step / _STEPS), bytes_per_s)
    )
    first = next(stays, _STEPS)
    return (first - 1) / _STEPS if first > 1 else None


def _changing(plan: GuestPlan, share: float) -> GuestPlan:
    memory = plan.memory
    writes = int(memory.write_rate * share)
    less = replace(
        memory,
        change_rate=int(memory.change_rate * share),
        hot_set=memory.hot_set if writes else 0,
        write_rate=writes,
    )
    return replace(plan, memory=less)


def _channels(outcome: EvacuationOutcome, source: NodeName, to: NodeName) -> int | None:
    """The fewest channels of a link with which all its guests are moved, if there are such.

    The link is taken by itself, with its other traffic.
    """
    evacuation = outcome.evacuation
    link = find_link(evacuation.collection, source, to)
    guests = [guest for guest in outcome.guests if (guest.source, guest.to) == (source, to)]
    kept = sorted(range(len(guests)), key=lambda place: guests[place].moved)[:SAMPLED_MAX]
    guests = [guests[place] for place in sorted(kept)]

    def rates(layout: Layout) -> list[float]:
        alone = replace(
            evacuation,
            collection=Collection.of(layout),
            sources=(source,),
            tenants=tuple(Placed(guest.plan, source, to) for guest in guests),
            loads=evacuation.loads_of(link.name),
            orders=(),
        )
        return sampled_rates(alone)

    own = rates(link)
    counts = range(len(link.fibres) + 1, CHANNELS_MAX + 1)

    def enough(count: int) -> bool:
        faster = rates(widened(link, count))
        return all(
            _moves(guest.plan, _rate(guest) * more / one * (1 - MARGIN))
            for guest, more, one in zip(guests, faster, own, strict=True)
        )

    if not counts or not enough(counts[-1]):
        return None
    return counts[bisect_left(counts, True, hi=len(counts) - 1, key=enough)]
