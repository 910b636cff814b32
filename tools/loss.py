"""How far a set of constants is off, over some published runs: the number a search makes small.

Each run is emulated just long enough: what it costs to emulate is the number of exchanges, so
that is what is fixed, not the time.
"""

import math
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from scenarios.published import PublishedRow, PublishedTable, Role, load_table
from scenarios.replay import make_experiment
from scenarios.run import MIB, Experiment, Result, run
from scenarios.workload import Workload
from tools.knobs import Values, build_constants

EXCHANGES: Final = 2_500
EXCHANGES_PER_PAIR: Final = 20
"""What one run is measured for: a spread of some 2 % from seed to seed."""

SECONDS_MIN: Final = 0.1
WARMUP_SHARE: Final = 0.25
"""Virtual seconds measured at least, and what goes before them."""


@dataclass(frozen=True, slots=True)
class Case:
    """A published run, and how many times as long as is usual it is repeated here."""

    table: str
    row: PublishedRow
    length: float = 1.0

    def experiment(self, seed: int = 1) -> Experiment:
        """What to run."""
        experiment = make_experiment(_table(self.table), self.row)
        rate = self.row.number("mb_per_s") * MIB / _exchange_length(experiment.workload)
        exchanges = self.length * (EXCHANGES + EXCHANGES_PER_PAIR * experiment.pairs)
        seconds = max(SECONDS_MIN, exchanges / rate)
        warmup = max(SECONDS_MIN, WARMUP_SHARE * seconds)
        return replace(experiment, seconds=seconds, warmup=warmup, seed=seed)


Task = tuple[Case, int, Values]
"""A case, a seed, and the knobs that are turned."""

_table: Final = cache(load_table)


def calibration_cases(
    table: PublishedTable, leave_out: str | None = None, length: float = 1.0
) -> list[Case]:
    """The rows that constants may be fitted to, those of the suite ``leave_out`` excepted."""
    return [
        Case(table.name, row, length)
        for row in table.rows
        if row.role is Role.CALIBRATION and row.columns["suite"] != leave_out
    ]


def emulate(task: Task) -> Result:
    """Run one case."""
    case, seed, values = task
    return run(build_constants(values).apply(case.experiment(seed)))


def losses(
    cases: Sequence[Case], candidates: Sequence[Values], seed: int, pool: Executor
) -> list[float]:
    """The mean loss of each candidate over the cases, all drawn from the same seed."""
    tasks = [(case, seed, values) for values in candidates for case in cases]
    results = iter(list(pool.map(emulate, tasks, chunksize=4)))
    return [_mean(row_loss(case.row, next(results)) for case in cases) for _ in candidates]


def row_loss(row: PublishedRow, result: Result) -> float:
    """How far one run is off: mostly MB/s, on a log scale, what is far off the more.

    A link of one CTC counts less: it is a regime of its own, with a seventh of the rows.
    """
    lone = row.columns["rdevs"] == 1
    rate = _distance(result.mb_per_s, row.number("mb_per_s"), 0.1)
    loss = (rate + 20 * max(0.0, rate - 0.1) ** 2) * (0.6 if lone else 1.0)
    util = _distance(result.rdev_util_percent, row.number("rdev_util_percent"), 0.1)
    cpu = _distance(result.cpu_percent_per_msg, row.number("cpu_percent_per_msg"), 1e-6)
    loss += 0.25 * min(util, 1.0) + 0.15 * min(cpu, 1.0)
    return loss + _collision_loss(row.number("collisions_per_s"), result.collisions_per_s, lone)


def _collision_loss(published: float, emulated: float, lone: bool) -> float:
    if lone:
        return 0.25 * min(1.5, abs(math.log((emulated + 5) / (published + 5))))
    if published <= 0.2:
        return 0.15 * min(1.5, math.log1p(emulated / 3))
    if published >= 20:
        return 0.12 * min(2.0, abs(math.log((emulated + 2) / (published + 2))))
    return 0.0


def _distance(emulated: float, published: float, least: float) -> float:
    """The size of the logarithm of the ratio; ``least`` stands for nothing at all."""
    return abs(math.log(max(emulated, least) / published))


def _exchange_length(workload: Workload) -> float:
    """Bytes of a message and its reply, on average."""
    small = workload.min_percent / 100
    message = small * workload.min_length + (1 - small) * workload.max_length
    return message + workload.reply_length


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)
