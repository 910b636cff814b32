"""Fit what is marked calibrated, on the rows that are declared for it, and on nothing else.

``python -m tools.calibration.calibrate --minutes 30`` starts from the constants as they stand in
the code, searches with CMA-ES (the package ``cma``, from ``pip install 'isfc[dev]'``) and
prints what it found, with its residuals, calibration and prediction rows apart. Each generation
runs with a seed of its own, so that the search cannot settle on the luck of one. After each it
stores its state and, started again, goes on from there. Nothing in the code is changed: the
numbers are carried over by hand, and reviewed.

``--leave-out SUITE`` fits the constants of ISFC Transport to three of its suites and predicts
the fourth. It begins half-way between the bounds of each constant: those in the code know all four.
Constants of APPC/VM and of processor time stay as they are, and %CPU/msg counts nothing: the
throughput of these suites does not depend on them. With ``--record`` its rows go into
``docs/left_out.csv``, which ``docs/fidelity.md`` sums up. 200 generations with ``--length 0.1``
take ten to twenty minutes on two processors.
"""

import argparse
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from isfc.answers.replay_checks import errors_of
from scenarios.published.catalogue import TABLES, load_table
from scenarios.published.replay import ComparedFigure, Part, compare
from scenarios.published.table import PublishedTable
from scenarios.published.verdict import TableVerdict
from tools.calibration.certainty import store_rows
from tools.calibration.knobs import KNOBS, Knob, Values, present_values, values_at
from tools.calibration.loss import FittedRun, all_cases, calibration_cases, emulate, losses

STEP: Final = 0.08
STEP_FROM_MIDDLE: Final = 0.2
"""How far the first generation strays, on the knobs' scale."""

FINAL_SEEDS: Final = (9_001, 9_002, 9_003)
"""The seeds that decide between the finalists; no generation comes to them."""

MEASURED: Final = tuple(name for name in TABLES if load_table(name).is_measured)
"""The tables of runs, whose calibration rows are fitted to."""

Say = Callable[[str], None]


class ConstantSearch:
    """CMA-ES over some knobs, which keeps its state in a file.

    Raises `ValueError` if the file holds the state of another search.
    """

    def __init__(self, state: Path, knobs: Sequence[Knob], seed: int, suite: str | None) -> None:
        self._state = state
        self._knobs = knobs
        self._start = start_values(knobs, suite)
        self.kind = {"knobs": [knob.name for knob in knobs], "seed": seed, "left out": suite}
        if state.exists():
            stored = pickle.loads(state.read_bytes())
            if stored["kind"] != self.kind:
                raise ValueError(f"{state} is of another search: {stored['kind']}")
            self._evolution = stored["evolution"]
        else:
            self._evolution = self._begin(seed, STEP_FROM_MIDDLE if suite else STEP)

    @property
    def generations(self) -> int:
        """How many there have been, earlier runs included."""
        return int(self._evolution.countiter)

    def improve(
        self, cases: Sequence[FittedRun], minutes: float, generations: int, pool: Executor, say: Say
    ) -> None:
        """Go on for so long, to so many generations in all, or until the search has converged."""
        start, evolution = time.monotonic(), self._evolution
        while self.generations < generations and not evolution.stop():
            if time.monotonic() - start >= minutes * 60:
                break
            points = evolution.ask()
            candidates = [values_at(self._knobs, point) for point in points]
            found = losses(cases, candidates, self.generations + 1, pool)
            evolution.tell(points, found)
            self._store()
            say(
                f"generation {self.generations}: loss {min(found):.4f} to {max(found):.4f}, "
                f"step {evolution.sigma:.4f}, {time.monotonic() - start:.0f} of "
                f"{minutes * 60:.0f} s"
            )

    def best(self, cases: Sequence[FittedRun], pool: Executor, say: Say) -> Values:
        """The best of start, best point and centre of the search, by seeds new to it."""
        result = self._evolution.result
        finalists = {"start": self._start}
        if self.generations:
            finalists["best point"] = values_at(self._knobs, result.xbest)
            finalists["centre"] = values_at(self._knobs, result.xfavorite)
        candidates = list(finalists.values())
        rounds = [losses(cases, candidates, seed, pool) for seed in FINAL_SEEDS]
        means = [sum(column) / len(FINAL_SEEDS) for column in zip(*rounds, strict=True)]
        for name, mean in zip(finalists, means, strict=True):
            say(f"loss of the {name}, with three new seeds: {mean:.4f}")
        return candidates[means.index(min(means))]

    def _begin(self, seed: int, step: float) -> Any:
        """A search that learns how far to move each knob, but not how they depend on each other.

        A hundred generations are too few for that: without it, four searches of 80, each
        without a suite, ended with a loss that was a tenth less on average.
        """
        import cma

        start = [knob.position(self._start[knob.name]) for knob in self._knobs]
        options = {
            "bounds": [0, 1],
            "popsize": 14,
            "CMA_diagonal": True,
            "seed": seed,
            "verbose": -9,
        }
        return cma.CMAEvolutionStrategy(start, step, options)

    def _store(self) -> None:
        """Replace the file whole, so that an interrupted search can go on."""
        beside = self._state.with_suffix(".new")
        beside.write_bytes(pickle.dumps({"kind": self.kind, "evolution": self._evolution}))
        beside.replace(self._state)


def start_values(knobs: Sequence[Knob], suite: str | None) -> dict[str, float]:
    """The knobs where a search begins: as they are, or in the middle if it leaves out a suite."""
    return values_at(knobs, [0.5] * len(knobs)) if suite else present_values(knobs)


def residuals(
    tables: Sequence[PublishedTable], values: Values, pool: Executor, length: float = 1.0
) -> list[ComparedFigure]:
    """Every published figure beside ours with the knobs at ``values``."""
    known = {table.name: table for table in tables}
    cases = all_cases(tables, length)
    results = pool.map(emulate, [(case, 1, values) for case in cases], chunksize=4)
    return [
        comparison
        for case, result in zip(cases, results, strict=True)
        for name, row in case.shown
        for comparison in compare(known[name], row, [result])
    ]


def tally(table: PublishedTable, comparisons: Sequence[ComparedFigure]) -> Iterator[str]:
    """The residuals of calibration and of prediction rows, for all that is bounded or wanted."""
    found = tuple(comparison for comparison in comparisons if comparison.table == table.name)
    for error in errors_of(TableVerdict(Part(table, table.rows), found, (), ())):
        half, most, worst = (
            "infinite" if size is None else f"{size:.3g} {error.unit}"
            for size in (error.half, error.nine_of_ten, error.all)
        )
        yield (
            f"{table.name:15} {error.measure:20} {error.group:12} {error.role or '':12} "
            f"{error.rows:3} rows: median {half:>7}, 90 % {most:>7}, worst {worst:>7} at "
            f"{error.worst}"
        )


def calibrate(options: argparse.Namespace, suite: str | None, pool: Executor) -> None:
    """One search, all rows or without a suite, and what came of it."""
    tables = [load_table(name) for name in (["transport"] if suite else MEASURED)]
    cases = calibration_cases(tables, suite, options.length)
    knobs = [*KNOBS]
    if suite:
        cases = [replace(case, cpu_weight=0.0) for case in cases]
        knobs = [knob for knob in KNOBS if knob.is_of_transport]
    state = options.state.with_stem(options.state.stem + (f"-{suite}" if suite else ""))
    search = ConstantSearch(state, knobs, options.seed, suite)
    say: Say = partial(print, file=sys.stderr, flush=True)
    search.improve(cases, options.minutes, options.generations, pool, say)
    best = search.best(cases, pool, say)
    before = start_values(knobs, suite)
    print(f"{search.generations} generations, {len(cases)} runs, without {suite or 'none'}")
    for name, value in best.items():
        print(f"{name:52} {before[name]:12.4g} -> {value:12.4g}")
    comparisons = residuals(tables, best, pool, options.length)
    for table in tables:
        print(*tally(table, comparisons), sep="\n")
    if suite and options.record:
        store_rows(suite, comparisons, f"{search.generations} generations", options.seed)


def main(arguments: Sequence[str] | None = None) -> int:
    """Calibrate as the command line says; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.calibration.calibrate", description=__doc__
    )
    suites = [str(suite) for suite in load_table("transport").choices("suite")]
    parser.add_argument("--minutes", type=float, default=30, help="how long to search (30)")
    parser.add_argument("--generations", type=int, default=sys.maxsize, help="at most so many")
    parser.add_argument("--seed", type=int, default=1, help="of the search (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (all cores)")
    parser.add_argument("--length", type=float, default=1.0, help="of each run, times the usual")
    parser.add_argument("--state", type=Path, default=Path("calibration.state"))
    parser.add_argument(
        "--leave-out", action="append", choices=suites, help="a search without this suite"
    )
    parser.add_argument(
        "--record", action="store_true", help="renew docs/left_out.csv: the draw of this seed"
    )
    options = parser.parse_args(arguments)
    try:
        with ProcessPoolExecutor(options.jobs) as pool:
            for suite in options.leave_out or [None]:
                calibrate(options, suite, pool)
    except (ImportError, ValueError) as error:
        hint = "; pip install 'isfc[dev]'" if isinstance(error, ImportError) else ""
        print(f"calibrate: {error}{hint}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
