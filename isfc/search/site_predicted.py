"""What explanations of a site's figures predict where nothing was measured.

Two of them may be as near to what was measured, and part elsewhere: a link that waits for the fibre
does not tell what its channels' processors take. So each predicts loads that may not have run, on
the link as it is and on one CTC of it, and the widest difference says whether the choice matters.
"""

from collections.abc import Sequence
from math import exp, log
from typing import Final

from isfc.layout.layout import Layout
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import run
from scenarios.runs.workload import SUITES

PAIRS: Final = 50
"""Pairs of the loads that are predicted: as many as keep any link busy."""

SECONDS: Final = 0.4
WARMUP: Final = 0.15
"""Virtual time of each run."""

ALIKE: Final = 0.08
"""How far predictions may be apart, as a logarithm, for the choice not to matter. Chosen: less than
a tenth, and more than the scatter of short runs."""

RUNS: Final = 2 * len(SUITES)
"""Runs for the predictions of one explanation."""


def predicted_apart(fitted: Layout, others: Sequence[Layout]) -> str:
    """In words, where another explanation's prediction is furthest from the fit's.

    Each is the link with its constants. Empty if all are alike.
    """
    ours = _predictions(fitted)
    apart = [
        (log(theirs / ours[where]), where)
        for other in others
        for where, theirs in _predictions(other).items()
    ]
    furthest, where = max(apart, key=lambda each: abs(each[0]))
    if abs(furthest) < ALIKE:
        return ""
    return f"{where} carries {100 * (exp(furthest) - 1):+.0f} %"


def _predictions(layout: Layout) -> dict[str, float]:
    """MB/s of each load."""
    links = {"the link": layout, "one CTC of it": layout.with_ctcs(layout.ctcs[:1])}
    return {
        f"{name}:{PAIRS} on {what}": run(
            Experiment.of(link, workload, PAIRS, SECONDS, WARMUP)
        ).mb_per_s
        for what, link in links.items()
        for name, workload in SUITES.items()
    }
