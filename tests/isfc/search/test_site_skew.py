"""Where lines do not reach, or chance may have a constant off 1, a range has two sides."""

from collections.abc import Iterator
from typing import Any, cast

import pytest

from isfc.layout.site import CONSTANTS
from isfc.search.site_search import Search
from isfc.search.site_skew import skewed
from isfc.search.site_surface import near_surface, surface_through

COUNT = len(CONSTANTS)
TRANSFER, TURN = 0, [constant.name for constant in CONSTANTS].index("turn")
REACH = 0.24


class Runs:
    """All runs of a fit to one interval."""

    def __init__(self, points: Any, shown: Any) -> None:
        self.points = points
        self.shown = shown

    def by_interval(self) -> Iterator[tuple[list[int], Any, Any]]:
        yield [*range(COUNT)], self.points, self.shown


def fitted(bend: float, level: float, slope: float) -> dict[str, tuple[float, float]]:
    """Both sides, where ten figures go with the turn as a parabola, and ten with the transfer."""
    import numpy  # which starts threads, and workers are forked without

    random = numpy.random.default_rng(3)
    points = numpy.vstack(
        [random.uniform(-1.3, 1.3, (64, COUNT)), random.uniform(-REACH, REACH, (32, COUNT))]
    )
    turn, transfer = points[:, TURN], points[:, TRANSFER]
    noise = numpy.random.default_rng(4).normal(0, 0.002, (len(points), 20))
    of_turn = numpy.repeat((level + slope * turn + bend * turn**2)[:, None], 10, axis=1)
    shown = numpy.hstack([of_turn, numpy.repeat(transfer[:, None], 10, axis=1)]) + noise
    surface = surface_through(points[64:], shown[64:], numpy.zeros(COUNT))
    told = numpy.isin(numpy.arange(COUNT), [TRANSFER, TURN])
    seen = near_surface(surface, [0.0] * 20, numpy.full(COUNT, REACH))
    moved = seen.best(seen.moved(told))
    return skewed(cast("Search", Runs(points, shown)), seen, told, moved, 1.0, 2.0)


def test_a_constant_that_shows_less_the_lower_it_is_may_be_lower() -> None:
    sides = fitted(bend=0.02, level=0.0, slope=0.03)
    assert {*sides} == {"turn"}  # the transfer is known to a tenth of what lines reach
    below, above = sides["turn"]
    assert below > 1.3 * above


def test_a_constant_that_is_1_as_chance_may_have_it_off_has_its_range_where_figures_are() -> None:
    # by 1.3 standard deviations the figures are nearer with a lower turn
    below, above = fitted(bend=0.0, level=0.008, slope=0.06)["turn"]
    assert above == pytest.approx(2 * 0.1, rel=0.2)
    assert below == pytest.approx(above + 0.13, rel=0.15)
