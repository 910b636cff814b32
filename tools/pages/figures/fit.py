"""Figures of README, the changelog and the page on replays: how near the model comes to IBM's."""

import math
from collections.abc import Sequence
from functools import cache

from scenarios.published.table import load_table
from scenarios.published.verdict import left_out
from tools.calibration.bounds import SEEDS_OF_LENGTH
from tools.calibration.replayed import ReplayedTable, load
from tools.pages.spans import WORDS


def figures(text: str) -> dict[str, str]:
    """Those that the page shows."""
    found = {**_rates(), **_left_out(), **_collisions(), **_worst(), "runs": _runs()}
    found["bounds_from"] = f"{min(SEEDS_OF_LENGTH):g}"
    return {name: shown for name, shown in found.items() if f"<!--={name}-->" in text}


@cache
def _replays() -> dict[str, ReplayedTable]:
    return {replay.name: replay for replay in load()}


def emulated(table: str, measure: str) -> dict[str, tuple[float, float]]:
    """IBM's figure and ours, by row."""
    comparisons = _replays()[table].verdict.comparisons
    return {c.key: (c.published, c.emulated) for c in comparisons if c.measure == measure}


def _reached(table: str, group: str, measure: str, statistic: str = "median") -> int:
    """Percent, rounded up, of all rows of a goal."""
    (summary,) = (
        check.summary
        for check in _replays()[table].verdict.checks
        if check.goal and (check.goal.group, check.goal.measure) == (group, measure)
    )
    return math.ceil(100 * float(getattr(summary, statistic)))


def _rates() -> dict[str, str]:
    times = ("disc_ms", "conn_ms", "serv_ms")
    rates, use = (
        ("transport", "multi-CTC", "mb_per_s"),
        ("transport", "multi-CTC", "rdev_util_percent"),
    )
    found = {
        "half": _reached(*rates),
        "most": _reached(*rates, "p90"),
        "worst": _reached(*rates, "worst"),
        "util_half": _reached(*use),
        "util_most": _reached(*use, "p90"),
        "device_times": max(_reached("device_reports", "writing devices", ms) for ms in times),
    }
    return {name: str(percent) for name, percent in found.items()}


def _left_out() -> dict[str, str]:
    found = left_out()
    return {
        "left_out_median": f"{100 * found.median_least:.0f} to {100 * found.median_most:.0f}",
        "left_out_most": f"{100 * found.p90_least:.0f} to {100 * found.p90_most:.0f}",
        "left_out_worst": f"{100 * found.worst:.0f}",
    }


def _collisions() -> dict[str, str]:
    found = [
        rates
        for key, rates in emulated("transport", "collisions_per_s").items()
        if key.split("/")[1] != "1"
    ]
    many = [max(ours / ibms, ibms / ours) for ibms, ours in found if ibms >= 20]
    quiet = [ours for ibms, ours in found if ibms <= 0.2]
    return {
        "colliding": WORDS[len(many)],
        "colliding_near": WORDS[sum(factor <= 2 for factor in many)],
        "quiet": str(len(quiet)),
        "quiet_off": WORDS[sum(ours > 2 for ours in quiet)],
        "quiet_worst": f"{math.ceil(max(quiet))}",
    }


def _worst() -> dict[str, str]:
    replies = _ratios("link_activity", "read_pkgs_per_s")
    appc = _ratios("appc_regression", "msgs_per_s")
    return {
        "replies_least": WORDS[math.floor(min(replies))],
        "replies_most": WORDS[math.ceil(max(replies))],
        "appc_fast": f"{100 * (max(appc) - 1):.0f}",
        "appc_slow": f"{100 * (1 - min(appc)):.0f}",
    }


def _ratios(table: str, measure: str) -> Sequence[float]:
    return [ours / ibms for ibms, ours in emulated(table, measure).values()]


def _runs() -> str:
    return str(len(load_table("transport").rows))
