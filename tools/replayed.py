"""Published tables replayed with several seeds: what ``docs/fidelity.md`` is made of."""

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from scenarios.published import PublishedTable, load_table
from scenarios.replay import Comparison, compare, make_experiment
from scenarios.run import Result, run
from tools.goals import Figure

COLUMNS: Final = ("table", "key", "measure", "role", "published", "emulated", "least", "greatest")
"""Of ``docs/fidelity.csv``: ``emulated`` is the mean of the seeds."""

_table: Final = cache(load_table)


@dataclass(frozen=True, slots=True)
class Replay:
    """One table, replayed: a comparison for each figure and seed."""

    table: PublishedTable
    comparisons: Sequence[Comparison]

    def by_cell(self) -> Mapping[tuple[str, str], list[Comparison]]:
        """The comparisons of each (key, measure), one for each seed."""
        found: dict[tuple[str, str], list[Comparison]] = defaultdict(list)
        for comparison in self.comparisons:
            found[comparison.key, comparison.measure].append(comparison)
        return found

    def figures(self) -> dict[str, list[Figure]]:
        """The figures of each measure, in the order of the table, each the mean of its seeds."""
        found = self.by_cell()
        return {
            measure: [
                Figure(row, row.number(measure), mean(found[row.key, measure]))
                for row in self.table.rows
            ]
            for measure in self.table.measures
        }


Task = tuple[str, str, int, float]
"""Table, key, seed, virtual seconds."""


def emulate(task: Task) -> Result:
    """Repeat one published run with one seed."""
    name, key, seed, seconds = task
    table = _table(name)
    (row,) = (row for row in table.rows if row.key == key)
    return run(replace(make_experiment(table, row, seconds), seed=seed))


def replay(name: str, seeds: int, seconds: float, pool: Executor) -> Replay:
    """Repeat every run of a table with the seeds from 1 on."""
    table = load_table(name)
    runs = [(row, seed) for row in table.rows for seed in range(1, seeds + 1)]
    tasks = [(name, row.key, seed, seconds) for row, seed in runs]
    results = pool.map(emulate, tasks, chunksize=4)
    found = zip(runs, results, strict=True)
    return Replay(table, [c for (row, _), result in found for c in compare(table, row, result)])


def store(replays: Iterable[Replay], path: Path) -> None:
    """Write every figure, IBM's and ours."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for one in replays:
            writer.writerows(_lines(one))


def mean(comparisons: Sequence[Comparison]) -> float:
    """What was emulated, over all seeds."""
    return sum(comparison.emulated for comparison in comparisons) / len(comparisons)


def _lines(one: Replay) -> Iterator[list[str]]:
    for (key, measure), found in one.by_cell().items():
        emulated = [comparison.emulated for comparison in found]
        figures = (mean(found), min(emulated), max(emulated))
        published = f"{found[0].published:g}"
        yield [
            *(one.table.name, key, measure, found[0].role, published),
            *(f"{figure:.5g}" for figure in figures),
        ]
