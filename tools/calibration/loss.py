"""How far a set of constants is off, over some published runs: the number a search makes small.

Each run is emulated just long enough: what it costs to emulate is the number of exchanges, or
of segments where replies have many, so that is what is fixed, not the time. A run that several
tables show counts in each of them.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from itertools import islice
from statistics import fmean
from typing import Final

from msgspec import Struct

from isfc.link.conversations import APPC_SEGMENT_LENGTH_MAX
from isfc.link.message import Traffic
from scenarios.published.catalogue import load_table
from scenarios.published.replay import compare, make_experiment
from scenarios.published.table import PublishedRow, PublishedTable, Role, TableView
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import MIB
from scenarios.runs.run import Recording, run
from scenarios.runs.workload import Workload
from tools.calibration.knobs import Values, build_constants

EXCHANGES: Final = 2_500
EXCHANGES_PER_PAIR: Final = 20
"""What one run is measured for: a spread of some 2 % from seed to seed. Where replies go in many
segments, as APPC/VM's do, so many segments are enough."""

EXCHANGES_MIN: Final = 60
EXCHANGES_PER_PAIR_MIN: Final = 6
"""What it is measured for at least, so that one exchange more or less hardly tells."""

SECONDS_MIN: Final = 0.05
WARMUP_SHARE: Final = 0.25
"""Virtual seconds measured at least, and what goes before them."""

CPU_WEIGHT: Final = 0.15
"""What %CPU/msg counts in a row's loss, throughput counting 1."""


class FittedRun(Struct, frozen=True):
    """A published run, as some tables show it: (table, row) each time.

    It is repeated here ``length`` times as long as is usual. ``cpu_weight`` is 0 where the
    constants of processor time are not to be found.
    """

    shown: tuple[tuple[str, PublishedRow], ...]
    length: float = 1.0
    cpu_weight: float = CPU_WEIGHT

    def experiment(self, seed: int = 1) -> Experiment:
        """What to run."""
        table, row = self.shown[0]
        experiment = make_experiment(load_table(table), row)
        pairs, workload = experiment.pairs, experiment.workload
        segments = self.length * (EXCHANGES + EXCHANGES_PER_PAIR * pairs)
        least = EXCHANGES_MIN + EXCHANGES_PER_PAIR_MIN * pairs
        exchanges = max(least, segments / _segments_per_reply(workload))
        seconds = max(SECONDS_MIN, exchanges / _exchanges_per_s(row, workload))
        warmup = max(SECONDS_MIN, WARMUP_SHARE * seconds)
        return replace(experiment, seconds=seconds, warmup=warmup, seed=seed)


Task = tuple[FittedRun, int, Values]
"""A case, a seed, and the knobs that are turned."""


def all_cases(tables: Iterable[PublishedTable], length: float = 1.0) -> list[FittedRun]:
    """Every run of some tables, once."""
    return _cases(((table, row) for table in tables for row in table.rows), length)


def calibration_cases(
    tables: Iterable[PublishedTable], leave_out: str | None = None, length: float = 1.0
) -> list[FittedRun]:
    """The rows that constants may be fitted to, those of the suite ``leave_out`` excepted."""
    rows = ((table, row) for table in tables for row in table.rows if row.role is Role.CALIBRATION)
    return [
        case
        for case in _cases(rows, length)
        if not leave_out or all(row.columns.get("suite") != leave_out for _, row in case.shown)
    ]


def _cases(rows: Iterable[tuple[PublishedTable, PublishedRow]], length: float) -> list[FittedRun]:
    shown: dict[Experiment, list[tuple[str, PublishedRow]]] = defaultdict(list)
    for table, row in rows:
        shown[make_experiment(table, row)].append((table.name, row))
    return [FittedRun(tuple(found), length) for found in shown.values()]


def emulate(task: Task) -> Recording:
    """Run one case."""
    case, seed, values = task
    return run(build_constants(values).apply(case.experiment(seed))).link()


def losses(
    cases: Sequence[FittedRun],
    candidates: Sequence[Values],
    seed: int,
    pool: Executor | None = None,
) -> list[float]:
    """The mean loss of each candidate over the cases, all drawn from the same seed.

    Without a pool runs are made one after the other.
    """
    tasks = [(case, seed, values) for values in candidates for case in cases]
    found = pool.map(_task_loss, tasks, chunksize=4) if pool else map(_task_loss, tasks)
    return [fmean(islice(found, len(cases))) for _ in candidates]


def _task_loss(task: Task) -> float:
    """How far one run is off: the sum over the tables that show it, each the mean of its rows.

    Judged where it was run: a recording takes longer to send than a number.
    """
    case, recording = task[0], emulate(task)
    found: dict[str, list[float]] = defaultdict(list)
    for name, row in case.shown:
        table = load_table(name)
        emulated = {c.measure: c.emulated for c in compare(table, row, [recording])}
        found[name].append(row_loss(table.view, row, emulated, case.cpu_weight))
    return sum(map(fmean, found.values()))


def row_loss(
    view: TableView,
    row: PublishedRow,
    emulated: Mapping[str, float],
    cpu_weight: float = CPU_WEIGHT,
) -> float:
    """How far one row is off, by what its table shows."""
    match view:
        case TableView.SUITE:
            loss = _suite_loss(row, emulated)
        case TableView.APPC:
            loss = _throughput_loss("msgs_per_s", row, emulated)
        case TableView.DEVICE:
            return _device_loss(row, emulated)
        case _:
            return _link_loss(row, emulated)
    cpu = _distance(emulated["cpu_percent_per_msg"], row.number("cpu_percent_per_msg"), 1e-6)
    return loss + cpu_weight * min(cpu, 1.0)


def _suite_loss(row: PublishedRow, emulated: Mapping[str, float]) -> float:
    """A link of one CTC counts less: it is a regime of its own, with a seventh of the rows."""
    single_ctc = row.columns["rdevs"] == 1
    loss = _throughput_loss("mb_per_s", row, emulated, 0.6 if single_ctc else 1.0)
    collisions = row.number("collisions_per_s"), emulated["collisions_per_s"]
    return loss + _collision_loss(*collisions, single_ctc)


def _throughput_loss(
    measure: str, row: PublishedRow, emulated: Mapping[str, float], weight: float = 1.0
) -> float:
    """Mostly throughput, on a log scale, what is far off the more; RDEV util too."""
    rate = _distance(emulated[measure], row.number(measure), 0.1)
    loss = (rate + 20 * max(0.0, rate - 0.1) ** 2) * weight
    if "rdev_util_percent" in emulated:
        util = _distance(emulated["rdev_util_percent"], row.number("rdev_util_percent"), 0.1)
        loss += 0.25 * min(util, 1.0)
    return loss


def _collision_loss(published: float, emulated: float, single_ctc: bool) -> float:
    if single_ctc:
        return 0.25 * min(1.5, abs(math.log((emulated + 5) / (published + 5))))
    if published <= 0.2:
        return 0.15 * min(1.5, math.log1p(emulated / 3))
    if published >= 20:
        return 0.12 * min(2.0, abs(math.log((emulated + 2) / (published + 2))))
    return 0.0


def _device_loss(row: PublishedRow, emulated: Mapping[str, float]) -> float:
    """Busy percent in points; where the device is busy, the parts of its service time too."""
    loss = 0.5 * min(1.0, abs(emulated["busy_percent"] - row.number("busy_percent")) / 20)
    if row.number("busy_percent") > 20:
        parts = ("pend_ms", "disc_ms", "conn_ms", "serv_ms")
        # the report rounds to a tenth of a millisecond
        loss += 0.25 * fmean(
            min(1.0, _distance(emulated[part] + 0.05, row.number(part) + 0.05, 0.05))
            for part in parts
        )
    return loss


def _link_loss(row: PublishedRow, emulated: Mapping[str, float]) -> float:
    """How messages are packed, both ways; how many there are is told elsewhere."""
    packed = ("write_msgs_per_pkg", "read_msgs_per_pkg")
    return 0.25 * fmean(min(1.0, _distance(emulated[p], row.number(p), 0.1)) for p in packed)


def _distance(emulated: float, published: float, least: float) -> float:
    """The size of the logarithm of the ratio; ``least`` stands for nothing at all."""
    return abs(math.log(max(emulated, least) / published))


def _exchanges_per_s(row: PublishedRow, workload: Workload) -> float:
    """Messages and replies a second, as published."""
    if "msgs_per_s" in row.columns:
        return row.number("msgs_per_s")
    return row.number("mb_per_s") * MIB / (workload.mean_length + workload.reply_length)


def _segments_per_reply(workload: Workload) -> int:
    """In how many segments a reply travels: they are the work of an exchange."""
    if workload.traffic is Traffic.TRANSPORT:
        return 1
    return -(-workload.reply_length // APPC_SEGMENT_LENGTH_MAX)
