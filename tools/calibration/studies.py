"""What each constant, each rule and each assumption of the model does, by runs: five studies.

`SENSITIVITIES` moves one constant by 20 %, down or up, runs every calibration row for each, both
ways. A constant that four seeds do not tell from chance is measured again with more. All of them
take some ten minutes on two idle processors.

`ABLATIONS` switches off one of `MODEL_RULES` at a time, by a value of a constant at which it does
nothing; nothing is fitted again. Its figures are those of `tools.calibration.judge`, with and
without the rule. A dozen replays of 2 s take some ten minutes on two idle processors. ``make
fidelity`` renews both, and ``docs/fidelity.md`` shows them.

`ASSUMPTIONS` is of links of every feature, of one, two and four fibres with four CTCs each, run at
both ends of each assumption that concerns them (a minute or two on isfc compiled): HL, saturated,
as `isfc plan` does. Links of 50 km and of twelve CTCs on one channel stand for distance and for
crowded channels, and tell of nothing else: those that tell of round trips have credits enough.

`AT_PACES` is of the same links and some of eight fibres, where CP takes from twice the time that it
does on a z10 to a sixth, with channels as they are and at both ends of what is assumed of them: as
machines differ (`scenarios.figures.paces`).

`ELASTICITIES` says how much a link's MB/s follow each constant that a site is fitted to: links of a
few features, of one CTC to sixteen, under the published workloads, at points around the constants
(some minutes on isfc compiled), and a line through them. How far the runs scatter about it is what
the line does not tell: a link that falls into collisions, or out of them, jumps.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from math import exp, log, sqrt
from operator import sub
from statistics import fmean, stdev
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import astuple, replace

from ctc.features import CATALOGUE
from isfc.layout.layout import Layout, with_site
from isfc.layout.machines import CpPace, at_pace
from isfc.layout.site import CONSTANTS, SiteProfile
from isfc.link.name import NodeName
from scenarios.figures.assumptions import (
    COLUMNS,
    CROWDED,
    LATER_CHANNELS,
    OVER_DISTANCE,
    PORTS,
    feature_of,
    variants,
    widening,
)
from scenarios.figures.certainty import FigureKind
from scenarios.figures.paces import CHANNELS, PACES
from scenarios.figures.paces import COLUMNS as PACE_COLUMNS
from scenarios.figures.ranges import COLUMNS as ELASTIC_COLUMNS
from scenarios.figures.ranges import mostly_writes
from scenarios.published.catalogue import load_table
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import run
from scenarios.runs.workload import SUITES
from scenarios.search.grid import Template
from scenarios.search.site_surface import surface_through
from tools import DOCS, PROJECT
from tools.calibration.calibrate import MEASURED
from tools.calibration.judge import judgement, replay_all
from tools.calibration.knobs import KNOBS, Knob, build_constants, present_values
from tools.calibration.loss import FittedRun, calibration_cases, losses
from tools.tables import Study

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


class Sensitivity(Struct, frozen=True):
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


_COLUMNS: Final = Sensitivity.__struct_fields__
SENSITIVITIES: Final = Study(DOCS / "sensitivity.csv", _COLUMNS, measure, KNOBS)


def load() -> dict[str, Sensitivity]:
    """What was measured, by the constant's name; nothing if there is no file."""
    found = msgspec.convert(SENSITIVITIES.rows(), list[Sensitivity], strict=False)
    return {one.name: one for one in found}


def _rounded(loss: float) -> float:
    """As it is stored: the same model gives the same digits."""
    return float(f"{loss:.6g}")


ABLATION_SEEDS: Final = 1
ABLATION_SECONDS: Final = 2.0
"""What one replay takes: figures differ by some tenths of a percent from seed to seed then."""

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


MODEL_RULES: Final[Mapping[str, Mapping[str, float]]] = {
    "a channel takes turns": {"chpid.turn_ns": 0},
    "a channel rolls off with its writers": {"chpid.roll_off": 0},
    "an interrupt takes time": {"chpid.interrupt_ns": 0},
    "the end of a WRITE is told promptly": {"chpid.write_interrupt_ns": 94_200},
    "a guest is dispatched first": {"guests.client_latency_ns": 0},
    "a client's bytes cost time": {"guests.client_ns_per_byte": 0},
    "a received byte costs time": {"link.receive_ns_per_byte": 0},
    "the release of a written byte costs time": {"link.release_ns_per_byte": 0},
    "a package takes a share": {"link.share_length": 0},
    "short links open a CTC later": {"link.open_length_exponent": 0, "link.open_count_exponent": 0},
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


ABLATIONS: Final = Study(
    DOCS / "ablations.csv",
    ABLATION_COLUMNS,
    measure_without,
    [("nothing", {}), *MODEL_RULES.items()],
)
"""The model as it is, and without each of its rules in turn."""


PAIRS: Final = 100
SECONDS: Final = 0.5
KM: Final = 50.0
ENOUGH_CREDITS: Final = 10_000
FIBRES: Final = (1, 2, 4)
CTCS: Final = 4
CROWDED_CTCS: Final = 12

NODES: Final = NodeName("EAST"), NodeName("WEST")


def link(feature: str, fibres: int, ctcs: int = CTCS, km: float = 0.0) -> Layout:
    """A link of so many fibres with so many CTCs each."""
    return Template(NODES, (feature,), fibres, ctcs, km=km).layout()


LinkCase = tuple[str, int, int, float, str]
"""What `link` takes, and what assumption alone is told by it; empty if all are."""


def links() -> Iterator[LinkCase]:
    """Every link that is run."""
    for feature in CATALOGUE:
        for fibres in FIBRES:
            yield feature.name, fibres, CTCS, 0.0, ""
            yield feature.name, fibres, CTCS, KM, OVER_DISTANCE
            yield feature.name, fibres, CTCS, KM, PORTS
        yield feature.name, 1, CROWDED_CTCS, 0.0, CROWDED


def lines(case: LinkCase) -> list[tuple[str, ...]]:
    """A line for each assumption that a link rests on and tells of, and each kind of figure."""
    feature, fibres, ctcs, km, only = case
    layout = link(feature, fibres, ctcs, km)
    if only == OVER_DISTANCE:
        layout = layout.with_fibres(lambda fibre: replace(fibre, port_credits=ENOUGH_CREDITS))
    experiment = Experiment.of(layout, SUITES["HL"], PAIRS, SECONDS)
    cases = [each for each in variants(experiment) if not only or each[0].name == only]
    if not cases:
        return []
    as_is = _figures(experiment)
    found: list[tuple[str, ...]] = []
    for assumption, ends in cases:
        at_ends = [*map(_figures, ends)]
        for kind, value in as_is.items():
            moved = widening(assumption, value, (each[kind] for each in at_ends))
            line = (
                *(assumption.name, feature_of(layout), str(len(layout.fibres)), kind),
                *(f"{value:.4g}", f"{moved.low:.3f}", f"{moved.high:.3f}"),
                f"runs of HL, {PAIRS} pairs, {len(layout.ctcs)} CTCs"
                + (f", {KM:g} km" if layout.fibres[0].km else ""),
            )
            found.append(line)
    return found


def _figures(experiment: Experiment) -> dict[FigureKind, float]:
    """MB/s, RDEV util, %CPU a message, and the service time of a write: what ranges are of."""
    result = run(experiment).result
    busy = [each for each in result.devices if mostly_writes(each)]
    return {
        FigureKind.RATE: result.mb_per_s,
        FigureKind.RDEV_UTIL: result.rdev_util_percent,
        FigureKind.CPU: result.cpu_percent_per_msg,
        FigureKind.SERVICE: fmean(each.serv_ms for each in busy) if busy else 0.0,
    }


FIGURES: Final = PROJECT / "scenarios" / "figures"
ASSUMPTIONS: Final = Study(FIGURES / "assumptions.csv", COLUMNS, lines, [*links()])

PACE_FIBRES: Final = ((1, 4), (2, 4), (4, 4), (8, 2))
"""Fibres, and CTCs on each."""


def figures_at_paces(kind: tuple[str, tuple[int, int]]) -> list[tuple[str, ...]]:
    """A line for each kind of figure, and for channels as they are and at both ends."""
    feature, (fibres, ctcs) = kind
    as_is = Experiment.of(link(feature, fibres, ctcs), SUITES["HL"], PAIRS, SECONDS)
    known = {assumption.name: ends for assumption, ends in variants(as_is)}
    cases = as_is, *known.get(LATER_CHANNELS, (as_is, as_is))
    found = []
    for channels, case in zip(CHANNELS, cases, strict=True):
        runs = [_figures(_at_pace(case, CpPace(pace, pace, pace))) for pace in PACES]
        for of in FigureKind:
            values = (f"{each[of]:.4g}" for each in runs)
            found.append((feature, str(fibres), of, channels, *values))
    return found


def _at_pace(case: Experiment, pace: CpPace) -> Experiment:
    link, guests = at_pace(case.link, pace), at_pace(case.guests, pace)
    return dataclasses.replace(case, link=link, guests=guests)


AT_PACES: Final = Study(
    FIGURES / "paces.csv",
    PACE_COLUMNS,
    figures_at_paces,
    [*product([feature.name for feature in CATALOGUE], PACE_FIBRES)],
)

SITE_LINKS: Final = ((1, 1), (1, 4), (2, 4), (4, 4))
"""Fibres, and CTCs on each."""
SITE_FEATURES: Final = ("FICON Express2", "FICON Express8S", "FICON Express16S+")
SITE_PAIRS: Final = (1, 10, 50, 100)
WIDTH: Final = 0.3
"""How far the points are from the constants, as a logarithm."""
POINTS: Final = 32
SITE_SECONDS: Final = 1.0


Kind = tuple[str, tuple[int, int], str, int]
"""Feature, fibres and CTCs, workload, and pairs: a line of the table."""


def rates_around(kind: Kind) -> list[tuple[str, ...]]:
    """The runs of a kind, and the line through them."""
    import numpy
    from scipy.stats.qmc import Sobol

    feature, (fibres, ctcs), suite, pairs = kind
    layout = link(feature, fibres, ctcs)
    points = WIDTH * (2 * Sobol(len(CONSTANTS), rng=1).random(POINTS) - 1)
    rates = []
    for seed, point in enumerate(points):
        factors = {c.name: exp(at) for c, at in zip(CONSTANTS, point, strict=True)}
        site = with_site(layout, SiteProfile("", factors, (feature,), 0, ""))
        asked = Experiment.of(site, SUITES[suite], pairs, SITE_SECONDS, 0.3, seed)
        rates.append([log(run(asked).mb_per_s)])
    found = surface_through([*points], rates, numpy.zeros(len(CONSTANTS)))
    figures = (*found.slopes[0], found.scatter[0])
    head = (feature, fibres * ctcs, suite, pairs)
    return [(*map(str, head), *(f"{each:.3f}" for each in figures))]


ELASTICITIES: Final = Study(
    FIGURES / "elasticities.csv",
    ELASTIC_COLUMNS,
    rates_around,
    [*product(SITE_FEATURES, SITE_LINKS, SUITES, SITE_PAIRS)],
)
"""How much rates follow each constant, by runs of every kind of link."""
