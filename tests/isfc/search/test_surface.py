"""Lines through noisy runs: what they were, how far runs scatter, and how well lines are known."""

from typing import Any

import numpy
import pytest

from isfc.search.surface import surface_through

SLOPES = numpy.array([[0.5, -1.0], [0.0, 0.3]])
LEVEL = numpy.array([0.1, -0.2])
CENTRE = numpy.array([0.3, 0.0])


def points(count: int) -> Any:
    return CENTRE + numpy.random.default_rng(1).uniform(-0.3, 0.3, (count, 2))


def shown(at: Any, scatter: float, seed: int = 2) -> Any:
    noise = numpy.random.default_rng(seed).normal(0, scatter, (len(at), 2))
    return LEVEL + (at - CENTRE) @ SLOPES.T + noise


def test_lines_without_scatter_are_found_as_they_are() -> None:
    at = points(8)
    surface = surface_through([*at], [*shown(at, 0.0)], CENTRE)
    assert surface.level == pytest.approx(LEVEL)
    assert surface.slopes == pytest.approx(SLOPES)
    assert surface.scatter == pytest.approx([0, 0], abs=1e-12)
    assert surface.at(CENTRE + 0.1) == pytest.approx(LEVEL + 0.1 * SLOPES.sum(axis=1))


def test_how_well_lines_are_known_is_how_far_they_come_out_from_each_other() -> None:
    at = points(32)
    found = [surface_through([*at], [*shown(at, 0.05, seed)], CENTRE) for seed in range(300)]
    assert numpy.mean([each.scatter for each in found]) == pytest.approx(0.05, rel=0.03)
    level = numpy.std([each.level[0] for each in found])
    assert level == pytest.approx(0.05 * found[0].level_share ** 0.5, rel=0.1)
    slope = numpy.std([each.slopes[0, 1] for each in found])
    assert slope == pytest.approx(0.05 * found[0].slope_share[1, 1] ** 0.5, rel=0.1)


def test_too_few_points_are_refused() -> None:
    at = points(3)
    with pytest.raises(ValueError, match="3 points; expected more than 3"):
        surface_through([*at], [*shown(at, 0.0)], CENTRE)
