"""Relocations by their rules alone, at a rate that a short one has over a link; their ranges.

Passes of a guest then take what their bytes take: no message is simulated, so that the answer comes
immediately however much memory there is. `would_move` says by it what would let a guest be moved
that was not.

No duration of a relocation is published, and what links carry is. So a guest is moved again by the
rules at the rate that it had, and at the ends of the range of that rate: its times are longer and
shorter in proportion. Less rate takes more than its share, as more is changed meanwhile. What
guests change is taken as it was told.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import compress
from math import ceil, inf
from typing import Final

from msgspec import Struct, structs

from isfc.errors.in_words import grouped
from isfc.layout.capacity import TOLD_MIN
from isfc.layout.collection import Collection
from isfc.layout.layout import CHANNELS_MAX, Layout, widened
from isfc.link.name import NodeName
from isfc.reports.figure import Figure, Interval, NoRange, Range, Unit
from scenarios.figures.ranges import link_rate
from scenarios.moves.evacuation import Evacuation, EvacuationOutcome, move
from scenarios.moves.guest import GuestMemory, GuestPlan, Limits, with_limits
from scenarios.moves.leaving import Placed
from scenarios.moves.relocation import Evacuated, Moved, RelocationEnd, WouldMove, by_rate
from scenarios.moves.rolling import RollingOutcome, Turn
from scenarios.runs.experiment import SECONDS, SUITE, Experiment, Load
from scenarios.runs.result import MIB
from scenarios.runs.steady import Rate
from scenarios.runs.workload import SUITES, LinkLoad

SAMPLE_LENGTH: Final = 128 * MIB
"""Bytes of each guest of the short relocation (chosen: a fraction of a second on most links)."""

SAMPLED_MAX: Final = 16
"""Guests of the short relocation, those first that were not moved (chosen)."""

MARGIN: Final = 0.05
"""What is said to do is so much more than is just enough (chosen; rates of passes differ less)."""

_BY_RATE: Final = (RelocationEnd.MOVED, RelocationEnd.QUIESCE, RelocationEnd.TOTAL)
"""Ends that follow from a rate; the others are what somebody did."""

_STEPS: Final = 200
"""Rates of change that are tried, evenly from none to its own."""


def sampled_rates(evacuation: Evacuation) -> list[float]:
    """Bytes/s of each guest of one system, as short relocations of all in their order have it."""

    def short(tenant: Placed) -> Placed:
        length = min(tenant.plan.memory.touched, SAMPLE_LENGTH)
        memory = GuestMemory(size=length, touched=length)
        plan = GuestPlan(tenant.plan.name, memory, Limits(max_quiesce=inf))
        return structs.replace(tenant, plan=plan)

    sample = replace(evacuation, tenants=tuple(map(short, evacuation.tenants)), orders=())
    return [guest.bytes_per_s for guest in move(sample).guests]


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
    stuck = [
        guest.end in (RelocationEnd.QUIESCE, RelocationEnd.TOTAL)
        and not _moves(guest.plan, guest.bytes_per_s * (1 - MARGIN))
        for guest in outcome.guests
    ]
    ways = {(each.source, each.to) for each in compress(outcome.guests, stuck)}
    channels = {way: _channels(outcome, *way) for way in ways}
    return tuple(
        _would_move(guest, channels[guest.source, guest.to]) if is_stuck else None
        for guest, is_stuck in zip(outcome.guests, stuck, strict=True)
    )


def _would_move(guest: Evacuated, channels: int | None) -> WouldMove:
    plan, rate = guest.plan, guest.bytes_per_s
    slow = rate * (1 - MARGIN)

    def moves(**limits: float) -> bool:
        return _moves(with_limits(plan, **limits), slow)

    free = by_rate(with_limits(plan, max_quiesce=inf, max_total=inf), slow)
    quiesce, total = (ceil(s * (1 + MARGIN)) for s in (free.quiesced_seconds, free.seconds))
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
    memory, writes = plan.memory, int(plan.memory.write_rate * share)
    less = replace(
        memory,
        change_rate=int(memory.change_rate * share),
        hot_set=memory.hot_set if writes else 0,
        write_rate=writes,
    )
    return structs.replace(plan, memory=less)


def _channels(outcome: EvacuationOutcome, source: NodeName, to: NodeName) -> int | None:
    """The fewest channels of a link with which all its guests are moved, if there are such.

    The link is taken by itself, with its other traffic.
    """
    evacuation = outcome.evacuation
    link = evacuation.collection.between(source, to)
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

    own, counts = rates(link), range(len(link.fibres) + 1, CHANNELS_MAX + 1)

    def enough(count: int) -> bool:
        faster = rates(widened(link, count))
        return all(
            _moves(guest.plan, guest.bytes_per_s * more / one * (1 - MARGIN))
            for guest, more, one in zip(guests, faster, own, strict=True)
        )

    if not counts or not enough(counts[-1]):
        return None
    return counts[bisect_left(counts, True, hi=len(counts) - 1, key=enough)]


class MovedFigures(Struct, frozen=True):
    """Of one guest: seconds until it is moved, or given up, and seconds for which it is stopped.

    ``other_end`` says that something else becomes of it at one end of the range.
    """

    seconds: Figure
    quiesced: Figure
    other_end: bool = False


class MovesFigures(Struct, frozen=True):
    """Of all guests, in their order. Where an end does not follow from rates, there is no range.

    ``rates`` are what the links of the others carry, as a factor of it.
    """

    seconds: Figure
    longest_stop: Figure
    guests: tuple[MovedFigures, ...]
    rates: tuple[Figure, ...]


def moving_load(evacuation: Evacuation) -> Experiment:
    """The messages of guests as a load: as many of `SUITE` under way as the guests have.

    It is on the links with most to move, as many as guests go together; other traffic is beside it.
    """
    loads: list[LinkLoad] = []
    for source in evacuation.sources:
        own = [tenant for tenant in evacuation.tenants if tenant.source == source]
        together = min(evacuation.together, len(own))
        lengths: Counter[NodeName] = Counter()
        for tenant in own:
            lengths[tenant.to] += tenant.plan.memory.touched
        links = [to for to, _ in lengths.most_common(together)]
        pairs = pairs_alike(-(-together // max(1, len(links))), evacuation.window)
        loads += (LinkLoad(source, to, SUITES[SUITE], pairs) for to in links)
    every = (*loads, *evacuation.loads)
    return Experiment(evacuation.collection, every, SECONDS, link=evacuation.link)


def pairs_alike(together: int, window: int) -> int:
    """Pairs of `SUITE` that have as many messages under way."""
    return max(1, together * window // SUITES[SUITE].window)


def moves_figures(outcome: EvacuationOutcome) -> MovesFigures:
    """What moves took, each time with its range."""
    evacuation, guests = outcome.evacuation, outcome.guests
    known = [guest for guest in guests if guest.end in _BY_RATE and guest.length]
    if not known:
        whole = _without_range(outcome.seconds), _without_range(outcome.longest_stop_s)
        return MovesFigures(*whole, tuple(map(_by_no_rate, guests)), ())
    pairs = pairs_alike(min(evacuation.together, len(guests)), evacuation.window)
    rates = [
        link_rate(
            1.0, evacuation.collection.between(guest.source, guest.to), Load(pairs=pairs)
        ).of_run(Rate(1.0).no_more_than(guest.share))
        for guest in known
    ]

    def moved(factors: Sequence[float]) -> list[Moved]:
        return [
            by_rate(guest.plan, guest.bytes_per_s / guest.share * factor)
            for guest, factor in zip(known, factors, strict=True)
        ]

    def all_seconds(found: list[Moved]) -> float:
        sources = [guest.source for guest in known]
        by_source = grouped(zip(sources, found, strict=True))
        return max(seconds_in_order(group, evacuation.together) for group in by_source.values())

    again = _AtEnds(moved, rates)

    def figures(number: int, guest: Evacuated) -> MovedFigures:
        return MovedFigures(
            again.figure(lambda found: found[number].seconds, guest.seconds),
            again.figure(lambda found: found[number].quiesced_seconds, guest.quiesced_seconds),
            again.differs(number),
        )

    each = {id(guest): figures(number, guest) for number, guest in enumerate(known)}
    return MovesFigures(
        again.figure(all_seconds, outcome.seconds),
        again.figure(
            lambda found: max(guest.quiesced_seconds for guest in found), outcome.longest_stop_s
        ),
        tuple(each.get(id(guest)) or _by_no_rate(guest) for guest in guests),
        tuple(rates),
    )


def _without_range(seconds: float) -> Figure:
    return Figure(seconds, Unit.SECONDS, no_range=NoRange.NO_RATE)


def _by_no_rate(guest: Evacuated) -> MovedFigures:
    seconds, stopped = map(_without_range, (guest.seconds, guest.quiesced_seconds))
    return MovedFigures(seconds, stopped)


def turn_figures(turn: Turn) -> MovesFigures:
    """What one turn of a rolling maintenance took."""
    if turn.outcome is not None:
        return moves_figures(turn.outcome)
    nothing = _without_range(0.0)
    return MovesFigures(nothing, nothing, (), ())


def rolling_figures(outcome: RollingOutcome) -> MovesFigures:
    """What all turns of a rolling maintenance took; of the guests each turn has its own."""
    turns = [turn_figures(each) for each in outcome.turns]
    return MovesFigures(
        _of_all(outcome.seconds, [each.seconds for each in turns], sum),
        _of_all(outcome.longest_stop_s, [each.longest_stop for each in turns], max),
        (),
        tuple(rate for each in turns for rate in each.rates),
    )


def _of_all(
    value: float, parts: Sequence[Figure], together: Callable[[list[float]], float]
) -> Figure:
    """Seconds of which those of ``parts`` are made; without a range if none of these has one."""
    known = [each.range for each in parts if each.range is not None]
    if not known:
        return _without_range(value)
    likely = [each.ends for each in parts]
    sure = [each.ends if each.range is None else each.range.sure for each in parts]
    ends = [
        Interval(together([each.low for each in some]), together([each.high for each in some]))
        for some in (likely, sure)
    ]
    within = structs.replace(known[0], likely=ends[0], sure=ends[1])
    modelled = together([each.modelled for each in parts])
    return _seconds(value, modelled, within)


def _seconds(value: float, by_model: float, within: Range) -> Figure:
    """Seconds, and how many by the model where what it carries is not to be counted on."""
    modelled = by_model if value - by_model > TOLD_MIN * value else None
    return Figure(value, Unit.SECONDS, within, by_model=modelled)


_Measure = Callable[[list[Moved]], float]


class _AtEnds:
    """What guests come to at their rates, and at the ends of the ranges of these."""

    def __init__(
        self, outcome: Callable[[Sequence[float]], list[Moved]], rates: Sequence[Figure]
    ) -> None:
        ranges = [each.range for each in rates if each.range is not None]
        self._widest = max(ranges, key=lambda each: each.likely.high)
        self._as_run = outcome([each.value for each in rates])
        self._by_model = outcome([1.0] * len(rates))
        self._likely, self._sure = (
            [outcome([each.low for each in some]), outcome([each.high for each in some])]
            for some in ([each.likely for each in ranges], [each.sure for each in ranges])
        )

    def figure(self, measure: _Measure, value: float) -> Figure:
        """A figure that was ``value`` in the run, in its proportion by the rules."""
        base = measure(self._as_run)

        def at(case: list[Moved]) -> float:
            return value * measure(case) / base if base else value

        def interval(cases: Sequence[list[Moved]]) -> Interval:
            found = [value, *map(at, cases)]
            return Interval(min(found), max(found))

        likely, sure = interval(self._likely), interval(self._sure)
        sure = Interval(min(likely.low, sure.low), max(likely.high, sure.high))
        within = structs.replace(self._widest, likely=likely, sure=sure)
        return _seconds(value, at(self._by_model), within)

    def differs(self, number: int) -> bool:
        """Whether a guest's end is another one at an end of the range."""
        return len({case[number].moved for case in (self._as_run, *self._likely)}) > 1
