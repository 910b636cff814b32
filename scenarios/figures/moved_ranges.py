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

from isfc.layout.machines import find_link
from isfc.link.name import NodeName
from scenarios.figures.certainty import Interval, Range
from scenarios.figures.ranges import rate_range
from scenarios.moves.by_rate import by_rate, seconds_in_order
from scenarios.moves.evacuation import Evacuation, EvacuationOutcome
from scenarios.moves.guest import Moved
from scenarios.moves.vmrelocate import RelocationEnd
from scenarios.runs.experiment import Experiment
from scenarios.runs.saturation import SECONDS, SUITE
from scenarios.runs.workload import SUITES, LinkLoad

_BY_RATE: Final = (RelocationEnd.MOVED, RelocationEnd.QUIESCE, RelocationEnd.TOTAL)
"""Ends that follow from a rate; the others are what somebody did."""


@dataclass(frozen=True, slots=True)
class MovedRange:
    """Of one guest: seconds until it is moved, or given up, and seconds for which it is stopped.

    ``other_end`` says that what becomes of it is another thing at one end of ``seconds.likely``.
    """

    seconds: Range
    quiesced: Range
    other_end: bool


@dataclass(frozen=True, slots=True)
class MovesRange:
    """Of all guests. A guest has none whose end does not follow from rates.

    ``rates`` are those of what each guest's link carries, as a factor of it.
    """

    seconds: Range
    longest_stop: Range
    guests: tuple[MovedRange | None, ...]
    rates: tuple[Range, ...]


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


def evacuation_ranges(outcome: EvacuationOutcome) -> MovesRange | None:
    """Of moves; None where no guest's time follows from a rate."""
    evacuation, guests = outcome.evacuation, outcome.guests
    known = [guest for guest in guests if guest.end in _BY_RATE and guest.length]
    if not known:
        return None
    links = [find_link(evacuation.collection, guest.source, guest.to) for guest in known]
    pairs = pairs_alike(min(evacuation.together, len(guests)), evacuation.window)
    rates = [rate_range(1.0, link, SUITES[SUITE], pairs) for link in links]
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
        id(guest): MovedRange(
            again.range(_seconds(number), guest.seconds),
            again.range(_quiesced(number), guest.quiesced_seconds),
            again.differs(number),
        )
        for number, guest in enumerate(known)
    }
    return MovesRange(
        again.range(all_seconds, outcome.seconds),
        again.range(
            lambda found: max(guest.quiesced_seconds for guest in found), outcome.longest_stop_s
        ),
        tuple(each.get(id(guest)) for guest in guests),
        tuple(rates),
    )


_Measure = Callable[[list[Moved]], float]


def _seconds(number: int) -> _Measure:
    return lambda found: found[number].seconds


def _quiesced(number: int) -> _Measure:
    return lambda found: found[number].quiesced_seconds


class _AtEnds:
    """What guests come to at their rates, and at the ends of the ranges of these."""

    def __init__(
        self, outcome: Callable[[Sequence[float]], list[Moved]], rates: Sequence[Range]
    ) -> None:
        self._rates = rates
        self._as_run = outcome([1.0] * len(rates))
        self._likely = [outcome(ends) for ends in _ends([rate.likely for rate in rates])]
        self._sure = [outcome(ends) for ends in _ends([rate.sure for rate in rates])]

    def range(self, measure: _Measure, value: float) -> Range:
        """Of a figure that was ``value`` in the run, in its proportion by the rules."""
        base = measure(self._as_run)

        def interval(cases: Sequence[list[Moved]]) -> Interval:
            found = [value, *(value * measure(case) / base for case in cases if base)]
            return Interval(min(found), max(found))

        widest = max(self._rates, key=lambda rate: rate.likely.high)
        likely, sure = interval(self._likely), interval(self._sure)
        sure = Interval(min(likely.low, sure.low), max(likely.high, sure.high))
        return Range(value, likely, sure, widest.basis, widest.wider_for)

    def differs(self, number: int) -> bool:
        """Whether a guest's end is another one at an end of the range."""
        return len({case[number].moved for case in (self._as_run, *self._likely)}) > 1


def _ends(intervals: Sequence[Interval]) -> tuple[list[float], list[float]]:
    """The lower and the upper ends."""
    return [each.low for each in intervals], [each.high for each in intervals]
