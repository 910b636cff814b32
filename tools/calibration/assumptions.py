"""What the model's assumptions and constants do to links of each kind, by runs of them.

`assumptions` renews ``assumptions.csv``: ``make docs`` runs links of every feature, of one, two and
four fibres with four CTCs each, and at both ends of each assumption that concerns them (a minute or
two on isfc compiled): HL, saturated, as `isfc plan` does. Links of 50 km and of twelve CTCs on one
channel stand for distance and for crowded channels, and tell of nothing else: those that tell of
round trips have credits enough.

`elasticities` renews ``elasticities.csv``, how much a link's MB/s follow each constant that a site
is fitted to: links of a few features, of one CTC to sixteen, under the published workloads, at
points around the constants (some minutes on isfc compiled), and a line through them. How far the
runs scatter about it is what the line does not tell: a link that falls into collisions, or out of
them, jumps.
"""

from collections.abc import Iterator
from itertools import product
from math import exp, log
from pathlib import Path
from statistics import fmean
from typing import Final

from msgspec.structs import replace

from ctc.features import CATALOGUE
from isfc.layout.layout import Layout, with_site
from isfc.layout.site import CONSTANTS, SiteProfile
from isfc.link.name import NodeName
from scenarios.figures.assumptions import (
    COLUMNS,
    CROWDED,
    OVER_DISTANCE,
    PORTS,
    feature_of,
    variants,
    widening,
)
from scenarios.figures.certainty import FigureKind
from scenarios.figures.ranges import COLUMNS as ELASTIC_COLUMNS
from scenarios.figures.ranges import mostly_writes
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import run
from scenarios.runs.workload import SUITES
from scenarios.search.grid import Template
from scenarios.search.site_surface import surface_through
from tools import PROJECT
from tools.tables import study

TABLE: Final = PROJECT / "scenarios" / "figures" / "assumptions.csv"

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


def links() -> Iterator[tuple[Layout, str]]:
    """Every link that is run, and what assumption alone is told by it; empty if all are."""
    for feature in CATALOGUE:
        for fibres in FIBRES:
            yield link(feature.name, fibres), ""
            far = link(feature.name, fibres, km=KM)
            enough = far.with_fibres(lambda fibre: replace(fibre, port_credits=ENOUGH_CREDITS))
            yield enough, OVER_DISTANCE
            yield far, PORTS
        yield link(feature.name, 1, CROWDED_CTCS), CROWDED


def lines(case: tuple[Layout, str]) -> list[tuple[str, ...]]:
    """A line for each assumption that a link rests on and tells of, and each kind of figure."""
    layout, only = case
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


def assumptions() -> dict[Path, str]:
    """The table, of runs of every link."""
    return {TABLE: study(COLUMNS, lines, links())}


ELASTICITIES: Final = PROJECT / "scenarios" / "figures" / "elasticities.csv"

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


def elasticities() -> dict[Path, str]:
    """How much rates follow each constant, by runs of every kind of link."""
    return {
        ELASTICITIES: study(
            ELASTIC_COLUMNS, rates_around, product(SITE_FEATURES, SITE_LINKS, SUITES, SITE_PAIRS)
        )
    }
