"""A rate that is steady: runs go on until their mean is known within a stated share.

Virtual time is cut into batches. Means of batches are nearly independent, so that their spread says
how far the mean of the run may be from that of an endless one (the method of batch means: A. Law,
Simulation Modeling and Analysis, ch. 9). Two runs are made: one whose clients begin together, as
those of `isfc run` do, and one whose clients begin one after the other over an empty link. Each is
measured after `scenarios.warmup`, and later while its batches have a trend (`scenarios.trend`).
What both agree on is the rate. If they do not, both go on; if they then still do not, the link has
two paces, of which it keeps the one that it falls into, and both are said.

The beginning was once cut off by the MSER rule (K. P. White, 1997): of all beginnings, the one
after which the mean is known best, in a run that could end after half a second. The rule looks for
the cut that leaves the least spread, and a run that ends before its pace changes has no batch of
the other pace: whatever it cuts off, the rest is alike, so that its mean passes for known. Nothing
in such a run tells of what comes after it. So the least time is what counts, and a second run from
another state: a link that only seems steady in one of them is found out by the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from isfc.engine.program import Program
from isfc.link.counters import LinkEndSnapshot
from isfc.link.name import NodeName
from scenarios.gradual import Gradual
from scenarios.repeat import mean
from scenarios.run import MIB, NS_PER_S, Experiment, Result, build, measure
from scenarios.trend import has_trend, without_trend
from scenarios.warmup import WARMUP_NS

BATCH_NS: Final = 100_000_000
"""A tenth of a second of virtual time: some hundred packages and more on a busy CTC."""
BATCHES_MIN: Final = 10
"""Of each run: with fewer neither the test for a trend nor the spread says much."""
BATCHES_MAX: Final = 50
"""Five seconds of virtual time. What is not steady by then is shown with the spread that it has."""
GROWTH: Final = 1.5
"""A run that is not steady goes on for half as long again (chosen)."""
SPREAD_SHARE: Final = 0.02
"""A rate is steady when its mean is known within this share of it, with 95 % confidence. Means of
two runs that are no farther apart than that are one pace."""

SPREAD_SHARE_MIN: Final = 0.01
"""No rate is known better than that: batches that happen to be alike say nothing of the others.
Chosen: a link may go back to another pace once in some seconds, for a fraction of one. Three
Express4 with two CTCs each do, by 15 %, and a run that ends after two seconds has mostly seen none
of it, or too much. Of 24 of their rates, by seeds and loads, 21 are within 1 % of what runs of ten
seconds give, the worst 1.3 % off."""

_STUDENT: Final = (
    # two-sided 95 % quantiles of Student's t by degrees of freedom, from 1; then the normal one
    *(12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23),
    *(2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09, 2.09),
)
_NORMAL: Final = 2.0


@dataclass(frozen=True, slots=True)
class Rate:
    """MB/s (2^20 bytes), and within what of it an endless run's would be, with 95 % confidence.

    ``second_mb_per_s`` is the pace that the link keeps instead if its clients begin one after the
    other; None where that makes no difference.
    """

    mb_per_s: float
    spread_mb_per_s: float = 0.0
    second_mb_per_s: float | None = None

    @property
    def paces(self) -> tuple[float, ...]:
        """MB/s of each pace, the rate first."""
        second = self.second_mb_per_s
        return (self.mb_per_s,) if second is None else (self.mb_per_s, second)

    def differs(self, other: "Rate") -> bool:
        """Whether the two are farther apart than both spreads together explain.

        Of several paces those count that are nearest to each other.
        """
        spread = sqrt(self.spread_mb_per_s**2 + other.spread_mb_per_s**2)
        return all(abs(one - two) > spread for one in self.paces for two in other.paces)


def steady_rate(experiment: Experiment) -> Rate:
    """What the client's node sends, as of `steady_run`."""
    return steady_run(experiment).rate


@dataclass(frozen=True, slots=True)
class SteadyRun:
    """A run until what the client's node sends is steady, and all that this node saw since then.

    ``result`` is the mean of both runs; of the one whose clients begin together if the link has two
    paces.
    """

    rate: Rate
    result: Result


def steady_run(experiment: Experiment) -> SteadyRun:
    """Run until what the client's node sends is steady; the experiment's times do not count.

    It ends after `BATCHES_MAX` batches, steady or not.
    """
    runs = [_Run(experiment), _Run(experiment, gradual=experiment.client_node)]
    count = BATCHES_MIN
    while True:
        for run in runs:
            run.go_on(count)
        together, gradual = (run.batches for run in runs)
        rate = agreed(together, gradual)
        if is_steady(together, gradual) or count == BATCHES_MAX:
            seen = [run.result() for run in runs]
            return SteadyRun(rate, mean(seen) if rate.second_mb_per_s is None else seen[0])
        count = min(BATCHES_MAX, round(GROWTH * count))


class _Run:
    """A run from one of the two beginnings, and its batches since the warm-up."""

    def __init__(self, experiment: Experiment, gradual: NodeName | None = None) -> None:
        def begun(program: Program, node: NodeName) -> Program:
            return Gradual(program) if node == gradual else program

        self._engine, systems = build(experiment, around=begun)
        self._end = systems[0].ends[0]
        self._engine.run(WARMUP_NS)
        self._looks: list[LinkEndSnapshot] = [self._end.snapshot(WARMUP_NS)]
        self.batches: list[float] = []

    def go_on(self, count: int) -> None:
        """Run until there are so many batches."""
        while len(self.batches) < count:
            self._engine.run(WARMUP_NS + BATCH_NS * (len(self.batches) + 1))
            self._looks.append(self._end.snapshot(self._engine.now_ns))
            sent = self._looks[-1].write_length - self._looks[-2].write_length
            self.batches.append(sent * NS_PER_S / BATCH_NS / MIB)

    def result(self) -> Result:
        """What the client's node saw of the batches that count."""
        first = self._looks[without_trend(self.batches)]
        return measure(first.name, first, self._looks[-1])


def is_steady(together: Sequence[float], gradual: Sequence[float]) -> bool:
    """Whether the batches of two runs have no trend left, agree, and have a mean known so well."""
    kept = [_kept(batches) for batches in (together, gradual)]
    one, two = map(rate_of, kept)
    rate = agreed(together, gradual)
    known = rate.spread_mb_per_s <= SPREAD_SHARE * rate.mb_per_s
    return known and not one.differs(two) and not any(map(has_trend, kept))


def agreed(together: Sequence[float], gradual: Sequence[float]) -> Rate:
    """What two runs say together: the mean of the batches that count, or else two paces.

    They are two if they differ by more than the spreads of both runs explain, and by more than
    `SPREAD_SHARE`.
    """
    kept = [_kept(batches) for batches in (together, gradual)]
    one, two = map(rate_of, kept)
    both = rate_of([*kept[0], *kept[1]])
    apart = abs(one.mb_per_s - two.mb_per_s)
    if one.differs(two) and apart > SPREAD_SHARE * both.mb_per_s:
        spread = max(one.spread_mb_per_s, two.spread_mb_per_s)
        return Rate(one.mb_per_s, spread, two.mb_per_s)
    return both


def _kept(batches: Sequence[float]) -> Sequence[float]:
    return batches[without_trend(batches) :]


def rate_of(batches: Sequence[float]) -> Rate:
    """The mean of batches, and the spread of that mean."""
    middle = sum(batches) / len(batches)
    quantile = _STUDENT[len(batches) - 2] if len(batches) - 2 < len(_STUDENT) else _NORMAL
    spread = quantile * sqrt(_variance(batches) / len(batches))
    return Rate(middle, max(spread, SPREAD_SHARE_MIN * middle))


def _variance(batches: Sequence[float]) -> float:
    middle = sum(batches) / len(batches)
    return sum((batch - middle) ** 2 for batch in batches) / (len(batches) - 1)
