"""Figures of intervals by the time of the day or the week: means and percentiles.

A percentile is of time: for so many percent of it there was no more. Rates are MB/s (2^20).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Final

from isfc.measured.intervals import WEEKDAYS, CarriedInterval

SLOT_S: Final = 900
"""Seconds of a slot, the steps in which a day or a week is looked at. Chosen: the usual interval of
reports."""

PERIODS: Final = {"day": 86_400, "week": 7 * 86_400}
"""Seconds after which times count as the same again."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A quarter of an hour of the day or the week: what each node sent then, by the percentile."""

    begin_s: int
    label: str
    mean_mb_per_s: tuple[float, float]
    mb_per_s: tuple[float, float]


Weighed = Sequence[tuple[float, float]]
"""Figures, each with how much it counts."""


def mean(weighed: Weighed) -> float:
    """The mean of figures."""
    return sum(value * weight for value, weight in weighed) / sum(weight for _, weight in weighed)


def percentile_of(weighed: Weighed, percentile: float) -> float:
    """The least figure up to which there is so much of the weight."""
    wanted = percentile / 100 * sum(weight for _, weight in weighed) * (1 - 1e-12)
    ordered = sorted(weighed)
    reached = accumulate(weight for _, weight in ordered)
    return next(
        (value for (value, _), sum_ in zip(ordered, reached, strict=True) if sum_ >= wanted),
        ordered[-1][0],
    )


def slots_of(
    intervals: Sequence[CarriedInterval], percentile: float, period: str
) -> Iterator[Slot]:
    """The slots that some interval is in, an interval in each that it touches."""
    found: dict[int, list[tuple[CarriedInterval, float]]] = {}
    for each in intervals:
        at = each.begin
        while at < each.end:
            slot = since(at, period) // SLOT_S * SLOT_S
            over = at + timedelta(seconds=SLOT_S - since(at, period) % SLOT_S)
            until = min(over, each.end)
            found.setdefault(slot, []).append((each, (until - at).total_seconds()))
            at = until
    for begin_s, parts in sorted(found.items()):
        both = [[(each.mb_per_s[way], weight) for each, weight in parts] for way in (0, 1)]
        yield Slot(
            begin_s,
            label_of(begin_s, period),
            (mean(both[0]), mean(both[1])),
            (percentile_of(both[0], percentile), percentile_of(both[1], percentile)),
        )


def since(time: datetime, period: str) -> int:
    """Seconds since the day began, or the week on Monday."""
    day = time.weekday() * 86_400 if period == "week" else 0
    return day + time.hour * 3600 + time.minute * 60 + time.second


def label_of(begin_s: int, period: str) -> str:
    """``09:15``, or ``Mon 09:15``."""
    days, rest = divmod(begin_s, 86_400)
    day = f"{WEEKDAYS[days]} " if period == "week" else ""
    return f"{day}{rest // 3600:02}:{rest // 60 % 60:02}"
