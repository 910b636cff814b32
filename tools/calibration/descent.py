"""Move one or two constants at a time, and keep what brings the calibration rows nearer.

``python -m tools.calibration.descent --minutes 10`` starts from the constants as they stand in the
code, or with ``--start`` from those that an earlier search has stored. Each in turn, in an order
drawn from the seed, is tried a ``--step`` higher and lower, and together with another one; the best
of the four is kept if it is better than what there was. After each round the step is 0.7 times as
long. What is made small is the mean row's loss, as with CMA-ES (`tools.calibration.calibrate`), and
what the tables' goals are missed by, which speak of medians, nine tenths and worst rows. It is for
the last part of the way, and needs a start that is near: many rows have two paces, so that the loss
is too rough for a cloud of points or for least squares.

Only calibration rows are run. The constants of processor time are left alone. Nothing in the code
is changed: the numbers are carried over by hand, and reviewed.
"""

import argparse
import json
import math
import os
import random
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path
from typing import Final

from scenarios.published.companion import load_table
from scenarios.published.replay import Comparison, compare
from scenarios.published.table import PublishedTable
from scenarios.published.verdict import STATISTICS, in_group, summarise
from tools.calibration.calibrate import MEASURED
from tools.calibration.knobs import KNOBS, Knob, Values, present_values
from tools.calibration.loss import Case, calibration_cases, case_loss, emulate

MOVED: Final = tuple(knob for knob in KNOBS if not knob.is_of_processor_time)
"""The constants that are moved."""

SEEDS: Final = (1, 2)
"""Each run is the mean of these; the same ones always, so that two sets can be compared."""

ROWS_WEIGHT: Final = 6.0
"""What the mean loss of a row counts beside what goals are missed by. With 2 the calibration rows'
goals get nearer at the cost of the prediction rows."""

MECHANISM: Final = ("collisions_per_s", "rdev_util_percent", "disc_ms")
MECHANISM_WEIGHT: Final = 2.0
"""Collisions, RDEV util and DISC count more than a point of MB/s: they are the mechanism."""

MISSED_MAX: Final = 2.0
"""The most that a goal is missed by, as a logarithm: beyond a factor of seven it does not tell."""

MET_WEIGHT: Final = 0.2
"""What a goal that is met counts still: its figure over what is wanted, times this."""

PROGRESS: Final = 0.0005
"""A move has to make the loss smaller by this much: less is chance."""

STEP_SHRINKS: Final = 0.7


def missed_by(reached: float, wanted: float) -> float:
    """How far a figure is from its goal: the logarithm of the ratio, beyond the goal."""
    ratio = reached / wanted
    excess = min(MISSED_MAX, math.log(ratio)) if ratio > 1 else 0.0
    return excess + MET_WEIGHT * min(ratio, 1.0)


def goals_loss(tables: Iterable[PublishedTable], comparisons: Sequence[Comparison]) -> float:
    """What the goals of ``tables`` are missed by, on the rows that ``comparisons`` are of."""
    total = weights = 0.0
    for table in tables:
        found = [c for c in comparisons if c.table == table.name]
        for goal in table.goals:
            if goal.measure.startswith("cpu_"):
                continue
            chosen = in_group(table, table.groups[goal.group], goal.measure, found)
            summary = summarise(chosen, goal.distance)
            weight = MECHANISM_WEIGHT if goal.measure in MECHANISM else 1.0
            for name in STATISTICS:
                wanted = getattr(goal, name)
                if summary is not None and wanted is not None:
                    total += weight * missed_by(getattr(summary, name), wanted)
                    weights += weight
    return total / weights if weights else 0.0


class LossJudge:
    """Says how far sets of constants are off, all of one call side by side."""

    def __init__(self, tables: Sequence[PublishedTable], length: float, pool: Executor) -> None:
        self._tables = tables
        # the long runs first, so that no process is left with one of them at the end
        self._cases = sorted(
            calibration_cases(tables, length=length), key=lambda case: -case.experiment().pairs
        )
        self._pool = pool

    def losses(self, candidates: Sequence[Values]) -> list[float]:
        """The loss of each candidate."""
        tasks = [(case, values) for values in candidates for case in self._cases]
        found = list(self._pool.map(_judge, tasks, chunksize=8))
        count = len(self._cases)
        return [self._loss(found[first : first + count]) for first in range(0, len(found), count)]

    def _loss(self, found: Sequence[tuple[float, list[Comparison]]]) -> float:
        rows = sum(loss for loss, _ in found) / len(found)
        comparisons = [c for _, of_case in found for c in of_case]
        return ROWS_WEIGHT * rows + goals_loss(self._tables, comparisons)


def _judge(task: tuple[Case, Values]) -> tuple[float, list[Comparison]]:
    case, values = task
    recordings = [emulate((case, seed, values)) for seed in SEEDS]
    loss = sum(case_loss(case, recording) for recording in recordings) / len(recordings)
    comparisons = [
        comparison
        for name, row in case.shown
        for comparison in compare(load_table(name), row, recordings)
    ]
    return loss, comparisons


def moved(knob: Knob, values: Values, step: float) -> dict[str, float]:
    """``values`` with one of them times ``exp(step)``, between its bounds."""
    value = min(max(values[knob.name] * math.exp(step), knob.low), knob.high)
    return {**values, knob.name: value}


def descend(
    judge: LossJudge, start: Values, knobs: Sequence[Knob], step: float, seed: int
) -> Iterator[tuple[float, str, Values]]:
    """Each set of constants that is better than the one before: loss, what moved, the set.

    The start comes first. There is no end but the caller's.
    """
    chance = random.Random(seed)
    values = start
    (loss,) = judge.losses([values])
    yield loss, "start", values
    while True:
        for knob in chance.sample(knobs, len(knobs)):
            candidates = list(_candidates(values, knob, knobs, step, chance))
            found = judge.losses(candidates)
            best = found.index(min(found))
            if found[best] < loss - PROGRESS:
                loss, values = found[best], candidates[best]
            yield loss, knob.name, values
        step *= STEP_SHRINKS


def _candidates(
    values: Values, knob: Knob, knobs: Sequence[Knob], step: float, chance: random.Random
) -> Iterator[Values]:
    """A step of ``knob`` both ways, alone and together with one of another."""
    other = chance.choice(knobs)
    way = chance.choice((1, -1))
    for change in (step, -step):
        alone = moved(knob, values, change)
        yield alone
        yield moved(other, alone, change * way)


def main(arguments: Sequence[str] | None = None) -> int:
    """Descend as the command line says; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.calibration.descent",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=10, help="how long to search (10)")
    parser.add_argument("--step", type=float, default=0.15, help="of the first round (0.15)")
    parser.add_argument("--length", type=float, default=0.6, help="of each run, times the usual")
    parser.add_argument("--seed", type=int, default=1, help="of the order (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (all cores)")
    parser.add_argument("--start", type=Path, help="begin with the constants stored there")
    parser.add_argument("--store", type=Path, default=Path("descent.json"), help="what is found")
    parser.add_argument(
        "--keep", action="append", default=[], help="not the knobs with this in their name"
    )
    options = parser.parse_args(arguments)
    tables = [load_table(name) for name in MEASURED]
    knobs = [knob for knob in MOVED if not any(part in knob.name for part in options.keep)]
    start: Mapping[str, float] = present_values(MOVED)
    if options.start:
        start = {**start, **json.loads(options.start.read_text("utf-8"))}
    end = time.monotonic() + options.minutes * 60
    with ProcessPoolExecutor(options.jobs) as pool:
        judge = LossJudge(tables, options.length, pool)
        best = math.inf
        for loss, name, values in descend(judge, start, knobs, options.step, options.seed):
            if loss < best:
                best = loss
                options.store.write_text(json.dumps(values, indent=2) + "\n", "utf-8")
                value = f" {values[name]:.4g}" if name in values else ""
                print(f"{loss:.4f} {name}{value}, {end - time.monotonic():.0f} s left", flush=True)
            if time.monotonic() > end:
                return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
