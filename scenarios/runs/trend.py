"""Whether a trend is left in means of batches: the Mann-Kendall test.

Of all pairs of batches it counts those in which the later one is greater, less those in which it is
smaller. Without a trend the sum is nearly normal around 0 from ten batches on (H. B. Mann,
Nonparametric Tests Against Trend, Econometrica 13, 1945; M. G. Kendall, Rank Correlation Methods,
ch. 4, for its variance where values are equal). It asks for no distribution of the batches, and one
that is far off counts no more than any other. Batches that resemble their neighbours make it see
trends where there are none: then a run goes on for longer than it had to.
"""

from collections import Counter
from collections.abc import Sequence
from math import sqrt
from typing import Final

TREND_QUANTILE: Final = 1.96
"""Of the normal distribution: without a trend the test sees one in 5 % of all cases."""

DRIFT_SHARE: Final = 0.02
"""A trend over the whole of a run counts where its halves differ by more than this share of their
mean (chosen): as well as `scenarios.runs.steady` wants to know a rate."""

BATCHES: Final = 10
"""Batches that a run of a fixed length is cut into, to be tested; with fewer the sum is not
normal."""

CUT_SHARE: Final = 0.1
"""The beginning is left out by so much of all batches at a time (chosen)."""


def trend_score(batches: Sequence[float]) -> float:
    """How far the sum is from 0, in its standard deviations: positive where batches grow."""
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
