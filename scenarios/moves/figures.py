"""The ranges of relocations: their passes made again by the rules, at other rates of the link.

No duration of a relocation is published, and what links carry is. So a guest is moved again, by
`scenarios.moves.by_rate`, at the rate that it had and at the ends of the range of that rate: its
times are longer and shorter in proportion. Less rate takes more than its share, as more is changed
meanwhile. What guests change is taken as it was told.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from isfc.layout.whole import find_link
from isfc.link.name import NodeName
from scenarios.figures.figure import Figure, Interval, NoRange, Range, Unit
from scenarios.figures.ranges import link_rate
from scenarios.moves.by_rate import by_rate, seconds_in_order
from scenarios.moves.evacuation import Evacuated, Evacuation, EvacuationOutcome
from scenarios.moves.guest import Moved, RelocationEnd
from scenarios.moves.rolling import RollingOutcome, Turn
from scenarios.runs.experiment import SECONDS, SUITE, Experiment, Load
from scenarios.runs.workload import SUITES, LinkLoad

_BY_RATE: Final = (RelocationEnd.MOVED, RelocationEnd.QUIESCE, RelocationEnd.TOTAL)
"""Ends that follow from a rate; the others are what somebody did."""


@dataclass(frozen=True, slots=True)
class MovedFigures:
    """Of one guest: seconds until it is moved, or given up, and seconds for which it is stopped.

    ``other_end`` says that what becomes of it is another thing at one end of the range.
    """

    seconds: Figure
    quiesced: Figure
    other_end: bool = False


@dataclass(frozen=True, slots=True)
class MovesFigures:
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
        return MovesFigures(
            _without_range(outcome.seconds),
            _without_range(outcome.longest_stop_s),
            tuple(map(_by_no_rate, guests)),
            (),
        )
    links = [find_link(evacuation.collection, guest.source, guest.to) for guest in known]
    pairs = pairs_alike(min(evacuation.together, len(guests)), evacuation.window)
    rates = [link_rate(1.0, link, Load(pairs=pairs)) for link in links]
    speeds = [guest.length / max(1e-9, guest.seconds) for guest in known]

    def moved(factors: Sequence[float]) -> list[Moved]:
        return [
            by_rate(guest.plan, speed * factor)
            for guest, speed, factor in zip(known, speeds, factors, strict=True)
        ]

    def all_seconds(found: list[Moved]) -> float:
        by_source: dict[NodeName, list[Moved]] = {}
        for each, guest in zip(found, known, strict=True):
            by_source.setdefault(guest.source, []).append(each)
        return max(seconds_in_order(group, evacuation.together) for group in by_source.values())

    again = _AtEnds(moved, rates)
    each = {
        id(guest): MovedFigures(
            again.figure(_seconds(number), guest.seconds),
            again.figure(_quiesced(number), guest.quiesced_seconds),
            again.differs(number),
        )
        for number, guest in enumerate(known)
    }
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
    return MovedFigures(_without_range(guest.seconds), _without_range(guest.quiesced_seconds))


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
    within = replace(known[0], likely=ends[0], sure=ends[1])
    return Figure(value, Unit.SECONDS, within)


_Measure = Callable[[list[Moved]], float]


def _seconds(number: int) -> _Measure:
    return lambda found: found[number].seconds


def _quiesced(number: int) -> _Measure:
    return lambda found: found[number].quiesced_seconds


class _AtEnds:
    """What guests come to at their rates, and at the ends of the ranges of these."""

    def __init__(
        self, outcome: Callable[[Sequence[float]], list[Moved]], rates: Sequence[Figure]
    ) -> None:
        self._widest = max(_ranges(rates), key=lambda each: each.likely.high)
        self._as_run = outcome([1.0] * len(rates))
        self._likely = [outcome(ends) for ends in _ends([each.likely for each in _ranges(rates)])]
        self._sure = [outcome(ends) for ends in _ends([each.sure for each in _ranges(rates)])]

    def figure(self, measure: _Measure, value: float) -> Figure:
        """A figure that was ``value`` in the run, in its proportion by the rules."""
        base = measure(self._as_run)

        def interval(cases: Sequence[list[Moved]]) -> Interval:
            found = [value, *(value * measure(case) / base for case in cases if base)]
            return Interval(min(found), max(found))

        likely, sure = interval(self._likely), interval(self._sure)
        sure = Interval(min(likely.low, sure.low), max(likely.high, sure.high))
        within = replace(self._widest, likely=likely, sure=sure)
        return Figure(value, Unit.SECONDS, within)

    def differs(self, number: int) -> bool:
        """Whether a guest's end is another one at an end of the range."""
        return len({case[number].moved for case in (self._as_run, *self._likely)}) > 1


def _ranges(rates: Sequence[Figure]) -> list[Range]:
    return [each.range for each in rates if each.range is not None]


def _ends(intervals: Sequence[Interval]) -> tuple[list[float], list[float]]:
    """The lower and the upper ends."""
    return [each.low for each in intervals], [each.high for each in intervals]
