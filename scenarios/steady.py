"""A rate that is steady: a run goes on until its mean is known within a stated share.

Virtual time is cut into batches. Means of batches are nearly independent, so that their spread says
how far the mean of the run may be from that of an endless one (the method of batch means: A. Law,
Simulation Modeling and Analysis, ch. 9). The start of a run, in which queues fill, is left out by
the MSER rule (K. P. White, 1997): of all beginnings that could be cut off, the one after which the
mean is known best. Half of the batches are kept at least.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from scenarios.run import MIB, NS_PER_S, Experiment, Result, build, measure

BATCH_NS: Final = 50_000_000
"""A twentieth of a second of virtual time: some fifty packages and more on a busy CTC."""
BATCHES_MIN: Final = 10
BATCHES_MAX: Final = 120
"""Six seconds of virtual time. What is not steady by then is shown with the spread that it has."""
SPREAD_SHARE: Final = 0.02
"""A rate is steady when its mean is known within this share of it, with 95 % confidence."""

SPREAD_SHARE_MIN: Final = 0.005
"""No rate is known better than that: batches that happen to be alike say nothing of the others."""

_STUDENT: Final = (
    # two-sided 95 % quantiles of Student's t by degrees of freedom, from 1; then the normal one
    *(12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23),
    *(2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09, 2.09),
)
_NORMAL: Final = 2.0


@dataclass(frozen=True, slots=True)
class Rate:
    """MB/s (2^20 bytes), and within what of it an endless run's would be, with 95 % confidence."""

    mb_per_s: float
    spread_mb_per_s: float = 0.0

    def differs(self, other: "Rate") -> bool:
        """Whether the two are farther apart than both spreads together explain."""
        spread = sqrt(self.spread_mb_per_s**2 + other.spread_mb_per_s**2)
        return abs(self.mb_per_s - other.mb_per_s) > spread


def steady_rate(experiment: Experiment) -> Rate:
    """What the client's node sends, as of `steady_run`."""
    return steady_run(experiment).rate


@dataclass(frozen=True, slots=True)
class SteadyRun:
    """A run until what the client's node sends is steady, and all that this node saw since then."""

    rate: Rate
    result: Result


def steady_run(experiment: Experiment) -> SteadyRun:
    """Run until what the client's node sends is steady; the experiment's times do not count.

    It ends after `BATCHES_MAX` batches, steady or not.
    """
    engine, systems = build(experiment)
    end = systems[0].ends[0]
    batches: list[float] = []
    looks = [end.snapshot(engine.now_ns)]
    while True:
        engine.run(BATCH_NS * (len(batches) + 1))
        looks.append(end.snapshot(engine.now_ns))
        sent = looks[-1].write_length - looks[-2].write_length
        batches.append(sent * NS_PER_S / BATCH_NS / MIB)
        if len(batches) < BATCHES_MIN:
            continue
        rate = rate_of(batches)
        steady = rate.spread_mb_per_s <= SPREAD_SHARE * rate.mb_per_s
        if steady or len(batches) == BATCHES_MAX:
            name = looks[0].name
            return SteadyRun(rate, measure(name, looks[_beginning(batches)], looks[-1]))


def _beginning(batches: Sequence[float]) -> int:
    """How many batches at the beginning are left out."""
    return min(
        range(len(batches) // 2 + 1),
        key=lambda cut: _variance(batches[cut:]) / (len(batches) - cut),
    )


def rate_of(batches: Sequence[float]) -> Rate:
    """The mean of the batches without their beginning, and the spread of that mean."""
    kept = batches[_beginning(batches) :]
    mean = sum(kept) / len(kept)
    quantile = _STUDENT[len(kept) - 2] if len(kept) - 2 < len(_STUDENT) else _NORMAL
    spread = quantile * sqrt(_variance(kept) / len(kept))
    return Rate(mean, max(spread, SPREAD_SHARE_MIN * mean))


def _variance(batches: Sequence[float]) -> float:
    mean = sum(batches) / len(batches)
    return sum((batch - mean) ** 2 for batch in batches) / (len(batches) - 1)
