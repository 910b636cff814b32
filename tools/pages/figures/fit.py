"""Figures of README, the changelog and the page on replays: how near the model comes to IBM's."""

import math
from functools import cache

from isfc.answers.replay_checks import checks_of
from scenarios.published.catalogue import load_table
from scenarios.published.verdict import left_out
from tools.calibration.bounds import SEEDS_OF_LENGTH
from tools.calibration.replayed import load
from tools.pages.spans import WORDS

_REACHED = {
    "half": ("transport", "mb_per_s", "multi-CTC", "median"),
    "most": ("transport", "mb_per_s", "multi-CTC", "p90"),
    "worst": ("transport", "mb_per_s", "multi-CTC", "worst"),
    "util_half": ("transport", "rdev_util_percent", "multi-CTC", "median"),
    "util_most": ("transport", "rdev_util_percent", "multi-CTC", "p90"),
}
"""Percent, rounded up, of all rows of a check."""


def figures(text: str) -> dict[str, str]:
    """Those that the page shows."""
    return {name: shown for name, shown in _figures().items() if f"<!--={name}-->" in text}


@cache
def _figures() -> dict[str, str]:
    replays = {one.name: one.verdict for one in load()}
    reached = {
        (check.table, check.measure, check.of, check.statistic): math.ceil(check.reached or 0)
        for verdict in replays.values()
        for check in checks_of(verdict)
    }
    times = [
        reached["device_reports", f"{time}_ms", "writing devices", "median"]
        for time in ("disc", "conn", "serv")
    ]
    suites = left_out()

    def rows(table: str, measure: str) -> dict[str, tuple[float, float]]:
        """IBM's figure and ours, by row."""
        found = replays[table].comparisons
        return {c.key: (c.published, c.emulated) for c in found if c.measure == measure}

    def ratios(table: str, measure: str) -> list[float]:
        return [ours / ibms for ibms, ours in rows(table, measure).values()]

    collisions = [
        both
        for key, both in rows("transport", "collisions_per_s").items()
        if key.split("/")[1] != "1"
    ]
    many = [max(ours / ibms, ibms / ours) for ibms, ours in collisions if ibms >= 20]
    quiet = [ours for ibms, ours in collisions if ibms <= 0.2]
    replies = ratios("link_activity", "read_pkgs_per_s")
    appc = ratios("appc_regression", "msgs_per_s")
    return {
        **{name: str(reached[check]) for name, check in _REACHED.items()},
        "device_times": str(max(times)),
        "left_out_median": f"{100 * suites.median_least:.0f} to {100 * suites.median_most:.0f}",
        "left_out_most": f"{100 * suites.p90_least:.0f} to {100 * suites.p90_most:.0f}",
        "left_out_worst": f"{100 * suites.worst:.0f}",
        "colliding": WORDS[len(many)],
        "colliding_near": WORDS[sum(factor <= 2 for factor in many)],
        "quiet": str(len(quiet)),
        "quiet_off": WORDS[sum(ours > 2 for ours in quiet)],
        "quiet_worst": f"{math.ceil(max(quiet))}",
        "replies_least": WORDS[math.floor(min(replies))],
        "replies_most": WORDS[math.ceil(max(replies))],
        "appc_fast": f"{100 * (max(appc) - 1):.0f}",
        "appc_slow": f"{100 * (1 - min(appc)):.0f}",
        "runs": str(len(load_table("transport").rows)),
        "bounds_from": f"{min(SEEDS_OF_LENGTH):g}",
    }
