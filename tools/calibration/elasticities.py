"""Renew ``elasticities.csv``: how much a link's MB/s follow each constant that a site is fitted to.

``make docs`` runs links of a few features, of one CTC to sixteen, under the published workloads, at
points around the constants (some minutes on isfc compiled), and lays a line through them. How far
the runs scatter about it is what the line does not tell: a link that falls into collisions, or out
of them, jumps.
"""

from itertools import product
from math import exp, log
from pathlib import Path
from typing import Final

from isfc.layout.layout import with_site
from isfc.layout.site import CONSTANTS, SiteProfile
from scenarios.figures.ranges import COLUMNS
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import run
from scenarios.runs.workload import SUITES
from scenarios.search.site_surface import surface_through
from tools import PROJECT
from tools.calibration.assumptions import link
from tools.tables import study

TABLE: Final = PROJECT / "scenarios" / "figures" / "elasticities.csv"

LINKS: Final = ((1, 1), (1, 4), (2, 4), (4, 4))
"""Fibres, and CTCs on each."""
FEATURES: Final = ("FICON Express2", "FICON Express8S", "FICON Express16S+")
PAIRS: Final = (1, 10, 50, 100)
WIDTH: Final = 0.3
"""How far the points are from the constants, as a logarithm."""
POINTS: Final = 32
SECONDS: Final = 1.0


Kind = tuple[str, tuple[int, int], str, int]
"""Feature, fibres and CTCs, workload, and pairs: a line of the table."""


def lines(kind: Kind) -> list[tuple[str, ...]]:
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
        asked = Experiment.of(site, SUITES[suite], pairs, SECONDS, 0.3, seed)
        rates.append([log(run(asked).mb_per_s)])
    found = surface_through([*points], rates, numpy.zeros(len(CONSTANTS)))
    figures = (*found.slopes[0], found.scatter[0])
    head = (feature, fibres * ctcs, suite, pairs)
    return [(*map(str, head), *(f"{each:.3f}" for each in figures))]


def files() -> dict[Path, str]:
    """The table as it is now."""
    return {TABLE: study(COLUMNS, lines, product(FEATURES, LINKS, SUITES, PAIRS))}
