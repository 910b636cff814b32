"""How well a suite is predicted that no constant was fitted to.

That is the figure for a workload of one's own: the rows called predictions are neighbours of
rows that constants were fitted to. ``left_out.csv`` is written by ``python -m
tools.calibration.calibrate --leave-out SUITE --record``.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Errors of MB/s, as ratios: of the suites' medians the least and the greatest, and so on."""

    median_least: float
    median_most: float
    p90_least: float
    p90_most: float
    worst: float

    def __str__(self) -> str:
        return (
            f"median {_percent(self.median_least)} to {_percent(self.median_most)} %, 90 % within "
            f"{_percent(self.p90_least)} to {_percent(self.p90_most)} %, "
            f"worst {_percent(self.worst)} %"
        )


@cache
def left_out() -> LeftOut:
    """What the latest searches without a suite came to."""
    text = resources.files(__package__).joinpath("left_out.csv").read_text("utf-8")
    return summarise_left_out(list(csv.DictReader(text.splitlines())))


def summarise_left_out(rows: Sequence[Mapping[str, str]]) -> LeftOut:
    """The least and the greatest of the suites."""
    medians = [float(row["median"]) for row in rows]
    nine_tenths = [float(row["p90"]) for row in rows]
    worst = max(float(row["worst"]) for row in rows)
    return LeftOut(min(medians), max(medians), min(nine_tenths), max(nine_tenths), worst)


def _percent(ratio: float) -> str:
    return f"{100 * ratio:.0f}"
