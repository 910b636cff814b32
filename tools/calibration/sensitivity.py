"""How much the fit loses when one calibrated constant moves by 20 %, down or up.

``make fidelity`` runs every calibration row for each constant, both ways, and writes
``docs/sensitivity.csv``, from which ``tools.pages.fidelity`` makes its table. A constant that four
seeds do not tell from chance is measured again with more. All of them take some ten minutes on two
idle processors.
"""

from dataclasses import astuple, dataclass
from functools import cache
from math import sqrt
from operator import sub
from pathlib import Path
from statistics import fmean, stdev
from typing import Final

import msgspec

from scenarios.published.catalogue import load_table
from tools import DOCS
from tools.calibration.calibrate import MEASURED
from tools.calibration.knobs import KNOBS, Knob, present_values
from tools.calibration.loss import FittedRun, calibration_cases, losses
from tools.tables import read_csv, study

MOVE: Final = 0.2
"""How far a constant is moved."""

LENGTH: Final = 0.3
"""Of each run, times what `tools.calibration.loss` says."""

SEEDS: Final = 4
"""Each loss is the mean over so many seeds, with the constant moved and unmoved alike."""

MORE_SEEDS: Final = 24
"""The same for a constant whose moves `SEEDS` do not tell from chance."""

SIGNIFICANT: Final = 3
"""So many times the noise is more than chance."""

FIGURES: Final = DOCS / "sensitivity.csv"


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


@cache
def _cases() -> list[FittedRun]:
    return calibration_cases(map(load_table, MEASURED), length=LENGTH)


@cache
def _unmoved(seeds: int) -> list[float]:
    return [losses(_cases(), [{}], seed)[0] for seed in range(1, seeds + 1)]


def _moved(knob: Knob, seeds: int) -> Sensitivity:
    value = present_values()[knob.name]
    moved = [{knob.name: value * factor} for factor in (1 - MOVE, 1 + MOVE)]
    both = [losses(_cases(), moved, seed) for seed in range(1, seeds + 1)]
    ways = list(zip(*both, strict=True))
    starts = _unmoved(seeds)
    down, up = (_rounded(fmean(way)) for way in ways)
    errors = (stdev(map(sub, way, starts)) / sqrt(seeds) for way in ways)
    noise = _rounded(max(errors))
    return Sensitivity(knob.name, value, _rounded(fmean(starts)), down, up, noise, seeds)


def measure(knob: Knob) -> list[tuple[object, ...]]:
    """The line of a constant: moved both ways, with as many seeds as that takes."""
    found = _moved(knob, SEEDS)
    return [astuple(found if found.matters else _moved(knob, MORE_SEEDS))]


def files() -> dict[Path, str]:
    """The table of every constant, in the order of `KNOBS`."""
    return {FIGURES: study(Sensitivity.__slots__, measure, KNOBS)}


def load() -> dict[str, Sensitivity]:
    """What was measured, by the constant's name; nothing if there is no file."""
    found = msgspec.convert(read_csv(FIGURES), list[Sensitivity], strict=False)
    return {one.name: one for one in found}


def _rounded(loss: float) -> float:
    """As it is stored: the same model gives the same digits."""
    return float(f"{loss:.6g}")
