"""Many experiments: shared out among the processors, with a bar that says how many are done."""

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TypeVar

from isfc.cli.progress import progress_bar
from isfc.search.workers import share_out

_Experiment = TypeVar("_Experiment")
_Outcome = TypeVar("_Outcome")


def run_all(
    work: Callable[[_Experiment], _Outcome], experiments: Sequence[_Experiment], jobs: int | None
) -> list[_Outcome]:
    """What ``work`` makes of every experiment, in their order; ``jobs`` of them at a time.

    ``work`` is a function of a module, which workers can find. After Ctrl-C the command ends
    and says how many were done.
    """
    outcomes: dict[int, _Outcome] = {}
    jobs, count = jobs or os.cpu_count() or 1, len(experiments)
    with (
        progress_bar(
            count, "runs", lambda done: f"interrupted after {done} of {count} runs"
        ) as advance,
        closing(share_out(work, experiments, jobs)) as answers,
    ):
        for index, outcome in answers:
            outcomes[index] = outcome
            advance(len(outcomes))
    return [outcomes[index] for index in range(len(experiments))]
