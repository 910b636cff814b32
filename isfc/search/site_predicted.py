"""What explanations of a site's figures predict where nothing was measured.

Two of them may be as near to what was measured, and part elsewhere: a link that waits for the fibre
does not tell what its channels' processors take. So each predicts loads that may not have run, on
the link as it is and on one CTC of it, and the widest difference says whether the choice matters.
"""

from collections.abc import Callable, Sequence
from functools import partial
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


def predicted_apart(
    fitted: Layout,
    others: Sequence[Layout],
    each: Callable[[Sequence[Callable[[], float]]], list[float]],
) -> str:
    """In words, where another explanation's prediction is furthest from the fit's.

    Each is the link with its constants. Empty if all are alike. ``each`` does the runs.
    """
    wanted = [_predictions(layout) for layout in (fitted, *others)]
    rates = iter(each([run for runs in wanted for run in runs.values()]))
    ours, *theirs = [{where: next(rates) for where in runs} for runs in wanted]
    apart = [(log(rate / ours[where]), where) for found in theirs for where, rate in found.items()]
    furthest, where = max(apart, key=lambda each: abs(each[0]))
    if abs(furthest) < ALIKE:
        return ""
    return f"{where} carries {100 * (exp(furthest) - 1):+.0f} %"


def _predictions(layout: Layout) -> dict[str, Callable[[], float]]:
    """What runs each load, for its MB/s."""
    links = {"the link": layout, "one CTC of it": layout.with_ctcs(layout.ctcs[:1])}
    return {
        f"{name}:{PAIRS} on {what}": partial(_mb_per_s, link, name)
        for what, link in links.items()
        for name in SUITES
    }


def _mb_per_s(layout: Layout, name: str) -> float:
    return run(Experiment.of(layout, SUITES[name], PAIRS, SECONDS, WARMUP)).mb_per_s
