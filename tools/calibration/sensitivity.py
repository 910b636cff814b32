"""How much the fit loses when one calibrated constant moves by 20 %, down or up.

``python -m tools.calibration.sensitivity`` runs every calibration row for each constant, both
ways, and writes ``docs/sensitivity.csv``, from which ``tools.pages.fidelity`` makes its table. A
constant that four seeds do not tell from chance is measured again with more. With ``--length
0.3`` all of them take some ten minutes on two idle processors. It stores each constant as it is
done and, when started again, leaves out what is stored already for the same model.
"""

import argparse
import csv
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from math import sqrt
from operator import sub
from pathlib import Path
from statistics import fmean, stdev
from typing import Final

from scenarios.published.companion import load_table
from tools.calibration.calibrate import MEASURED
from tools.calibration.knobs import KNOBS, Knob, present_values
from tools.calibration.loss import Case, calibration_cases, losses

MOVE: Final = 0.2
"""How far a constant is moved."""

SEEDS: Final = 4
"""Each loss is the mean over so many seeds, with the constant moved and unmoved alike."""

MORE_SEEDS: Final = 24
"""The same for a constant whose moves `SEEDS` do not tell from chance."""

SIGNIFICANT: Final = 3
"""So many times the noise is more than chance."""

FIGURES: Final = Path(__file__).resolve().parents[2] / "docs" / "sensitivity.csv"


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What moving one constant does to the losses of `tools.calibration.loss`, means over rows.

    ``noise`` is the standard error of what the move changes, the greater of both ways, told
    from how much more or less it changes with one seed than with another. A constant that only
    weighs in a sum, as one of processor time does, has next to none.
    """

    name: str
    value: float
    unmoved: float
    down: float
    up: float
    noise: float
    seeds: int = SEEDS

    @property
    def loss(self) -> float:
        """What the fit loses, the two ways on average, as a share of what it has."""
        return ((self.down + self.up) / 2 - self.unmoved) / self.unmoved

    @property
    def matters(self) -> bool:
        """Whether either move changes the loss by more than chance does, for better or worse."""
        change = max(abs(self.down - self.unmoved), abs(self.up - self.unmoved))
        return change > SIGNIFICANT * self.noise


def measure(
    cases: Sequence[Case],
    knobs: Iterable[Knob],
    known: Mapping[str, Sensitivity],
    pool: Executor,
) -> Iterator[Sensitivity]:
    """Move each of ``knobs`` both ways and see what it does to the loss over ``cases``.

    What is ``known`` of the same model is taken as it is.
    """
    present = present_values()

    @cache
    def unmoved(seeds: int) -> list[float]:
        return [losses(cases, [{}], seed, pool)[0] for seed in range(1, seeds + 1)]

    def move(knob: Knob, seeds: int) -> Sensitivity:
        value = present[knob.name]
        moved = [{knob.name: value * factor} for factor in (1 - MOVE, 1 + MOVE)]
        both = [losses(cases, moved, seed, pool) for seed in range(1, seeds + 1)]
        ways = list(zip(*both, strict=True))
        starts = unmoved(seeds)
        down, up = (_rounded(fmean(way)) for way in ways)
        noise = _rounded(max(_standard_error(map(sub, way, starts)) for way in ways))
        return Sensitivity(knob.name, value, _rounded(fmean(starts)), down, up, noise, seeds)

    for knob in knobs:
        former = known.get(knob.name)
        if former and former.unmoved == _rounded(fmean(unmoved(former.seeds))):
            yield former
            continue
        found = move(knob, SEEDS)
        yield found if found.matters else move(knob, MORE_SEEDS)


def load(path: Path = FIGURES) -> dict[str, Sensitivity]:
    """What was measured, by the constant's name; nothing if there is no file."""
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {row["name"]: _read(row) for row in rows}


def store(found: Mapping[str, Sensitivity], length: float, path: Path = FIGURES) -> None:
    """Write the file, the constants in the order of `KNOBS`; what is no knob any more goes."""
    head = (
        "# made by python -m tools.calibration.sensitivity: every calibration row,\n"
        f"# each run {length:g} times as long as tools/calibration/loss.py says,\n"
        f"# means over so many seeds, moves of {100 * MOVE:.0f} %\n"
    )
    with path.open("w", newline="", encoding="utf-8") as file:
        file.write(head)
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Sensitivity.__slots__)
        for knob in KNOBS:
            if row := found.get(knob.name):
                writer.writerow(getattr(row, column) for column in Sensitivity.__slots__)


def _read(row: Mapping[str, str]) -> Sensitivity:
    figures = ("value", "unmoved", "down", "up", "noise")
    value, unmoved, down, up, noise = (float(row[figure]) for figure in figures)
    return Sensitivity(row["name"], value, unmoved, down, up, noise, int(row["seeds"]))


def _rounded(loss: float) -> float:
    """As it is stored: the same model gives the same digits."""
    return float(f"{loss:.6g}")


def _standard_error(sample: Iterable[float]) -> float:
    """How far the mean of a sample is from the truth, as its spread tells."""
    listed = list(sample)
    return stdev(listed) / sqrt(len(listed))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure as the command line says, and renew the file; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.calibration.sensitivity", description=__doc__
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (all cores)")
    parser.add_argument("--length", type=float, default=1.0, help="of each run, times the usual")
    options = parser.parse_args(arguments)
    cases = calibration_cases(map(load_table, MEASURED), length=options.length)
    known = load()
    with ProcessPoolExecutor(options.jobs) as pool:
        for number, row in enumerate(measure(cases, KNOBS, known, pool), start=1):
            known[row.name] = row
            store(known, options.length)
            line = f"{number} of {len(KNOBS)}: {row.name}: loss {100 * row.loss:+.1f} %"
            print(line, file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
