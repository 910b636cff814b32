"""What each calibrated constant, and each rule of the model, does to the fit: ``make fidelity``.

`sensitivities` moves one constant by 20 %, down or up, runs every calibration row for each, both
ways, and writes ``docs/sensitivity.csv``. A constant that four seeds do not tell from chance is
measured again with more. All of them take some ten minutes on two idle processors.

`ablations` switches off one rule at a time (`RULES`), by a value of a constant at which it does
nothing; nothing is fitted again. It writes ``docs/ablations.csv``: figures of
`tools.calibration.judge`, with and without the rule. A dozen replays of 2 s take some ten minutes
on two idle processors. ``docs/fidelity.md`` shows both.
"""

from collections.abc import Mapping
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
from tools.calibration.judge import judgement, replay_all
from tools.calibration.knobs import KNOBS, Knob, build_constants, present_values
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

SENSITIVITIES: Final = DOCS / "sensitivity.csv"


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


def sensitivities() -> dict[Path, str]:
    """The table of every constant, in the order of `KNOBS`."""
    return {SENSITIVITIES: study(Sensitivity.__slots__, measure, KNOBS)}


def load() -> dict[str, Sensitivity]:
    """What was measured, by the constant's name; nothing if there is no file."""
    found = msgspec.convert(read_csv(SENSITIVITIES), list[Sensitivity], strict=False)
    return {one.name: one for one in found}


def _rounded(loss: float) -> float:
    """As it is stored: the same model gives the same digits."""
    return float(f"{loss:.6g}")


ABLATION_SEEDS: Final = 1
ABLATION_SECONDS: Final = 2.0
"""What one replay takes: figures differ by some tenths of a percent from seed to seed then."""

ABLATIONS: Final = DOCS / "ablations.csv"

SHOWN: Final = {
    "MB/s, several CTCs: median": ("transport", "mb_per_s", "multi-CTC", "median", "%"),
    "MB/s, several CTCs: 90 %": ("transport", "mb_per_s", "multi-CTC", "p90", "%"),
    "MB/s, several CTCs: worst": ("transport", "mb_per_s", "multi-CTC", "worst", "%"),
    "MB/s, one CTC: worst": ("transport", "mb_per_s", "one CTC", "worst", "%"),
    "RDEV util, several CTCs: 90 %": ("transport", "rdev_util_percent", "multi-CTC", "p90", "%"),
    "quiet rows: the worst": ("transport", "collisions_per_s", "quiet", "worst", ""),
    "DISC of writers: median": ("device_reports", "disc_ms", "writing devices", "median", "%"),
    "packages of replies: factor": ("link_activity", "read_pkgs_per_s", "all", "worst", "x"),
}
"""The figures that are kept, and which check of a table each is."""
ABLATION_COLUMNS: Final = ("without", *SHOWN)


RULES: Final[Mapping[str, Mapping[str, float]]] = {
    "a channel takes turns": {"chpid.turn_ns": 0},
    "a channel rolls off with its writers": {"chpid.roll_off": 0},
    "an interrupt takes time": {"chpid.interrupt_ns": 0},
    "the end of a WRITE is told promptly": {"chpid.write_interrupt_ns": 94_200},
    "a guest is dispatched first": {"guests.client_latency_ns": 0},
    "a client's bytes cost time": {"guests.client_ns_per_byte": 0},
    "a received byte costs time": {"link.receive_ns_per_byte": 0},
    "the release of a written byte costs time": {"link.release_ns_per_byte": 0},
    "a package takes a share": {"link.share_length": 0},
    "short links open a CTC later": {
        "link.open_length_exponent": 0,
        "link.open_count_exponent": 0,
    },
    "a long message opens a CTC": {"link.open_message_length": 16 * 2**20},
    "messages count on a single CTC": {"link.single_ctc_message_length": 0},
}
"""The rules that a constant switches off, and the values at which each does nothing."""


def measure_without(without: tuple[str, Mapping[str, float]]) -> list[tuple[str, ...]]:
    """The line of a model that does without a rule, by `ABLATION_COLUMNS`."""
    name, off = without
    found = {
        (one.table, one.measure, one.of, one.statistic, one.unit): one.reached
        for one in judgement(
            replay_all(ABLATION_SEEDS, ABLATION_SECONDS, None, build_constants(off))
        )
    }
    return [(name, *(f"{found[check]:.4g}" for check in SHOWN.values()))]


def ablations() -> dict[Path, str]:
    """The table: the model as it is, and without each of its rules in turn."""
    return {ABLATIONS: study(ABLATION_COLUMNS, measure_without, [("nothing", {}), *RULES.items()])}
