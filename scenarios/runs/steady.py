"""A rate that is steady: runs go on until their mean is known within a stated share.

Virtual time is cut into batches. Means of batches are nearly independent, so that their spread says
how far the mean of the run may be from that of an endless one (the method of batch means: A. Law,
Simulation Modeling and Analysis, ch. 9). Two runs are made: one whose clients begin together, as
those of `isfc run` do, and one whose clients begin one after the other over an empty link. Each is
measured after `scenarios.runs.experiment`, and later while its batches have a trend
(`trend_score`). What both agree on is the rate. If they do not, both go on; if they then still do
not, the link has two paces, of which it keeps the one that it falls into, and both are said.

The beginning was once cut off by the MSER rule (K. P. White, 1997): of all beginnings, the one
after which the mean is known best, in a run that could end after half a second. The rule looks for
the cut that leaves the least spread, and a run that ends before its pace changes has no batch of
the other pace: whatever it cuts off, the rest is alike, so that its mean passes for known. Nothing
in such a run tells of what comes after it. So the least time is what counts, and a second run from
another state: a link that only seems steady in one of them is found out by the other.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from math import sqrt
from typing import Final

from msgspec import Struct

from isfc.layout.capacity import End
from isfc.link.events import Program
from isfc.link.name import NodeName
from isfc.reports.figure import are_apart
from scenarios.runs.channels import ChannelResult, PathResult, time_share
from scenarios.runs.experiment import LIKE_SHARE, NS_PER_S, WARMUP_NS, Experiment, Gradual
from scenarios.runs.result import MIB, Result, mean, measure
from scenarios.runs.run import Looks, build
from scenarios.runs.run import run as run_once

TREND_QUANTILE: Final = 1.96
"""Of the normal distribution: without a trend the test sees one in 5 % of all cases."""

DRIFT_SHARE: Final = 0.02
"""A trend over the whole of a run counts where its halves differ by more than this share of their
mean (chosen): as well as a rate is to be known."""

BATCHES: Final = 10
"""Batches that a run of a fixed length is cut into, to be tested; with fewer the sum is not
normal."""

CUT_SHARE: Final = 0.1
"""The beginning is left out by so much of all batches at a time (chosen)."""


def trend_score(batches: Sequence[float]) -> float:
    """Whether a trend is left in means of batches, by the Mann-Kendall test: 0, or how far from it.

    Of all pairs of batches it counts those in which the later one is greater, less those in which
    it is smaller, in standard deviations of that sum. Without a trend it is nearly normal around 0
    from ten batches on (H. B. Mann, Nonparametric Tests Against Trend, Econometrica 13, 1945; M. G.
    Kendall, Rank Correlation Methods, ch. 4, for its variance where values are equal). It asks for
    no distribution of the batches, and one that is far off counts no more than any other. Batches
    that resemble their neighbours make it see trends where there are none: then a run goes on for
    longer than it had to.
    """
    count = len(batches)
    total = sum(
        (later > earlier) - (later < earlier)
        for index, earlier in enumerate(batches)
        for later in batches[index + 1 :]
    )
    equal = Counter(batches).values()
    variance = (_term(count) - sum(map(_term, equal))) / 18
    if not total or variance <= 0:
        return 0.0
    return (total - (1 if total > 0 else -1)) / sqrt(variance)


def _term(count: int) -> int:
    return count * (count - 1) * (2 * count + 5)


def has_trend(batches: Sequence[float]) -> bool:
    """Whether the batches grow or fall by more than chance explains."""
    return abs(trend_score(batches)) > TREND_QUANTILE


def without_trend(batches: Sequence[float]) -> int:
    """How many batches at the beginning to leave out, so that no trend is left in the others.

    Half of them are kept at least: they may have a trend still.
    """
    step = max(1, round(CUT_SHARE * len(batches)))
    cuts = range(0, len(batches) // 2 + 1, step)
    return next((cut for cut in cuts if not has_trend(batches[cut:])), cuts[-1])


def drifts(batches: Sequence[float]) -> bool:
    """Whether a run of a fixed length has a trend, and one that matters to its mean."""
    if len(batches) < BATCHES or not has_trend(batches):
        return False
    half = len(batches) // 2
    first, second = sum(batches[:half]) / half, sum(batches[-half:]) / half
    return abs(second - first) > DRIFT_SHARE * (first + second) / 2


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

_FIRST_LOOK_NS: Final = 500_000_000
_FIRST_LOOK_BATCHES: Final = 5
"""A first look is at the second half of the warm-up (chosen)."""

_STUDENT: Final = (
    # two-sided 95 % quantiles of Student's t by degrees of freedom, from 1; then the normal one
    *(12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23),
    *(2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09, 2.09),
)
_NORMAL: Final = 2.0


class Rate(Struct, frozen=True):
    """MB/s (2^20 bytes), and within what of it an endless run's would be, with 95 % confidence.

    ``second_mb_per_s`` is the pace that the link keeps instead if its clients begin one after the
    other; None where that makes no difference. ``by_model_mb_per_s`` is what the model has, where
    ``mb_per_s`` is less, as that is to be counted on.
    """

    mb_per_s: float
    spread_mb_per_s: float = 0.0
    second_mb_per_s: float | None = None
    by_model_mb_per_s: float | None = None

    @property
    def modelled(self) -> float:
        """MB/s by the model, whatever is to be counted on."""
        return self.mb_per_s if self.by_model_mb_per_s is None else self.by_model_mb_per_s

    def no_more_than(self, most: float) -> "Rate":
        """The same, or so much of it."""
        if self.mb_per_s <= most:
            return self
        second = self.second_mb_per_s if (self.second_mb_per_s or most) < most else None
        return Rate(most, self.spread_mb_per_s, second, self.modelled)

    @property
    def paces(self) -> tuple[float, ...]:
        """MB/s of each pace, the rate first."""
        second = self.second_mb_per_s
        return (self.mb_per_s,) if second is None else (self.mb_per_s, second)

    @property
    def spread_percent(self) -> float:
        """The spread in percent of the rate."""
        return 100 * self.spread_mb_per_s / self.mb_per_s if self.mb_per_s else 0.0

    def differs(self, other: "Rate") -> bool:
        """Whether the two are farther apart than both spreads together explain.

        Of several paces those count that are nearest to each other.
        """
        spreads = self.spread_mb_per_s, other.spread_mb_per_s
        return are_apart(self.paces, other.paces, *spreads)

    def is_ahead(self, other: "Rate") -> bool:
        """Whether it is the greater of the two, and they differ."""
        return self.mb_per_s > other.mb_per_s and self.differs(other)


def sum_of(rates: Sequence[Rate]) -> Rate:
    """All of them together; the second pace is that of those that have one."""
    total = sum(rate.mb_per_s for rate in rates)
    second = sum(rate.paces[-1] for rate in rates)
    two_paces = any(rate.second_mb_per_s is not None for rate in rates)
    return Rate(total, _together(rates, total), second if two_paces else None, _modelled(rates))


def mean_of(rates: Sequence[Rate]) -> Rate:
    """The mean of the same rate with several seeds, known no better than half of what they differ.

    The second pace is the mean of those that have one.
    """
    figures = [rate.mb_per_s for rate in rates]
    middle = sum(figures) / len(rates)
    seconds = [rate.second_mb_per_s for rate in rates if rate.second_mb_per_s is not None]
    spread = max(_together(rates, 0.0) / len(rates), (max(figures) - min(figures)) / 2)
    second = sum(seconds) / len(seconds) if seconds else None
    modelled = _modelled(rates)
    by_model = None if modelled is None else modelled / len(rates)
    return Rate(middle, max(spread, SPREAD_SHARE_MIN * middle), second, by_model)


def _modelled(rates: Sequence[Rate]) -> float | None:
    """What the model has of rates in all; None where each is that."""
    if all(rate.by_model_mb_per_s is None for rate in rates):
        return None
    return sum(rate.modelled for rate in rates)


def _together(rates: Sequence[Rate], total: float) -> float:
    """The spread of a sum of rates."""
    spread = sqrt(sum(rate.spread_mb_per_s**2 for rate in rates))
    return max(spread, SPREAD_SHARE_MIN * total) if spread else 0.0


def first_look(experiment: Experiment) -> Rate:
    """About what all ends that have clients send, for a quarter of the work of `steady_run`.

    It may have a trend left, and a second pace is not looked for: of 584 rates of 40 layouts,
    saturated and with 50 pairs, 98 % are within 1.8 % of the steady one, three 4 to 11 % off.
    Where its batches differ by more than `SPREAD_SHARE`, it goes on until it is steady.
    """
    run = _Run(experiment, _FIRST_LOOK_NS)
    run.go_on(_FIRST_LOOK_BATCHES)
    found = sum_of([rate_of(run.batches(end)) for end in experiment.sending])
    if found.spread_mb_per_s <= SPREAD_SHARE * found.mb_per_s:
        return found
    return sum_of([each.rate for each in steady_ends(experiment).ends.values()])


class SteadyRun(Struct, frozen=True):
    """A run until what the client's node sends is steady, and all that this node saw since then.

    ``result`` is the mean of both runs; of the one whose clients begin together if the link has two
    paces.
    """

    rate: Rate
    result: Result


class SteadyEnds(Struct, frozen=True):
    """A run until every end that has clients is steady: what each sends, and all that it saw.

    What several fibres share is of the run whose clients begin together.
    """

    ends: Mapping[tuple[NodeName, NodeName], SteadyRun]
    channels: tuple[ChannelResult, ...]
    paths: tuple[PathResult, ...]

    @property
    def mb_per_s(self) -> float:
        """What all of them send, in MB/s (2^20)."""
        return sum(run.rate.mb_per_s for run in self.ends.values())


def steady_run(experiment: Experiment) -> SteadyRun:
    """Run until what the client's node sends is steady; the experiment's times do not count.

    It ends after `BATCHES_MAX` batches, steady or not.
    """
    (only,) = steady_ends(experiment).ends.values()
    return only


def steady_ends(experiment: Experiment) -> SteadyEnds:
    """The same of every end that has clients, of one link or of several that run together."""
    ends = experiment.sending
    share = time_share(experiment)
    gradual = _Run(experiment, WARMUP_NS, lambda program, _: Gradual(program, share))
    runs = _Run(experiment, WARMUP_NS), gradual
    rates = until_steady(runs, ends, is_mixed=share < 1)
    seen = [[run.result(end) for run in runs] for end in ends]
    _, channels, paths = runs[0].looks.shared(runs[0].first(ends))
    found = {
        end: SteadyRun(rate, mean(both) if rate.second_mb_per_s is None else both[0])
        for end, rate, both in zip(ends, rates, seen, strict=True)
    }
    return SteadyEnds(found, channels, paths)


def short_ends(experiment: Experiment) -> SteadyEnds:
    """The same of one run as long as the experiment says, steady or not: no rate has a spread."""
    outcome = run_once(experiment)
    links = {frozenset(each.experiment.layout.nodes): each for each in outcome.links}
    seen = {end: links[frozenset(end)].at(end[0]).whole.result for end in experiment.sending}
    ends = {end: SteadyRun(Rate(result.mb_per_s_out), result) for end, result in seen.items()}
    return SteadyEnds(ends, outcome.channels, outcome.paths)


def until_steady(runs: tuple["_Run", "_Run"], ends: Sequence[End], *, is_mixed: bool) -> list[Rate]:
    """What ends of links send, once all of that is steady in both runs.

    Of links that are mixed their sum is steady then, and each known within `LIKE_SHARE`.
    """
    together, gradual = runs
    count, apart = BATCHES_MIN, LIKE_SHARE if is_mixed else SPREAD_SHARE
    while True:
        together.go_on(count)
        gradual.go_on(count)
        batches = [(together.batches(end), gradual.batches(end)) for end in ends]
        rates = [agreed(*both, apart) for both in batches]
        known, judged = True, list[Sequence[Sequence[float]]](batches)
        if is_mixed:
            known = all(each.spread_mb_per_s <= apart * each.mb_per_s for each in rates)
            every = zip(*batches, strict=True)
            judged = [[[sum(each, 0.0) for each in zip(*run, strict=True)] for run in every]]
        if (known and all(is_steady(*both) for both in judged)) or count == BATCHES_MAX:
            return rates
        count = min(BATCHES_MAX, round(GROWTH * count))


_Around = Callable[[Program, NodeName], Program]


class _Run:
    """A run from one of the two beginnings, and what ends of links have done since ``begin_ns``."""

    def __init__(
        self, experiment: Experiment, begin_ns: int, around: _Around | None = None
    ) -> None:
        self._engine, systems = build(experiment, around=around)
        share = time_share(experiment)
        self._begin_ns, self._batch_ns = round(share * begin_ns), round(share * BATCH_NS)
        self.looks = Looks(experiment, systems)
        self.go_on(0)

    def go_on(self, count: int) -> None:
        """Run until there are so many batches."""
        while (done := len(self.looks.counters)) <= count:
            at_ns = self._begin_ns + self._batch_ns * done
            self._engine.run(at_ns)
            self.looks.look(at_ns)

    def batches(self, end: End) -> list[float]:
        """MB/s that an end sent in each batch."""
        sent = [look[end].sent_length for look in self.looks.counters]
        return [(b - a) * NS_PER_S / self._batch_ns / MIB for a, b in pairwise(sent)]

    def first(self, ends: Iterable[End]) -> int:
        """The look with which the batches begin that count."""
        return max(without_trend(self.batches(end)) for end in ends)

    def result(self, end: End) -> Result:
        """What an end saw of the batches that count."""
        looks = self.looks.counters[self.first([end]) :]
        before, after = ((look[end], look[end[::-1]]) for look in (looks[0], looks[-1]))
        return measure(end[0], before[0], after[0], (before[1], after[1]))


def is_steady(together: Sequence[float], gradual: Sequence[float]) -> bool:
    """Whether the batches of two runs have no trend left, agree, and have a mean known so well."""
    kept = [_kept(batches) for batches in (together, gradual)]
    one, two = map(rate_of, kept)
    rate = agreed(together, gradual)
    known = rate.spread_mb_per_s <= SPREAD_SHARE * rate.mb_per_s
    return known and not one.differs(two) and not any(map(has_trend, kept))


def agreed(
    together: Sequence[float], gradual: Sequence[float], share: float = SPREAD_SHARE
) -> Rate:
    """What two runs say together: the mean of the batches that count, or else two paces.

    They are two if they differ by more than the spreads of both runs explain, and by more than
    that ``share``.
    """
    kept = [_kept(batches) for batches in (together, gradual)]
    one, two = map(rate_of, kept)
    both = rate_of([*kept[0], *kept[1]])
    apart = abs(one.mb_per_s - two.mb_per_s)
    if one.differs(two) and apart > share * both.mb_per_s:
        spread = max(one.spread_mb_per_s, two.spread_mb_per_s)
        return Rate(one.mb_per_s, spread, two.mb_per_s)
    return both


def _kept(batches: Sequence[float]) -> Sequence[float]:
    return batches[without_trend(batches) :]


def rate_of(batches: Sequence[float]) -> Rate:
    """The mean of batches, and the spread of that mean."""
    middle = sum(batches) / len(batches)
    variance = sum((batch - middle) ** 2 for batch in batches) / (len(batches) - 1)
    quantile = _STUDENT[len(batches) - 2] if len(batches) - 2 < len(_STUDENT) else _NORMAL
    spread = quantile * sqrt(variance / len(batches))
    return Rate(middle, max(spread, SPREAD_SHARE_MIN * middle))
