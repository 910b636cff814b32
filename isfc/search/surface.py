"""A response surface: what noisy runs show, as straight lines of what they were given.

Two runs of nearly the same constants differ by their scatter far more than by the constants. So
slopes are not taken between two runs, but by least squares through many, which also tells how far
runs scatter, and with it how well the lines are known.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Surface:
    """Lines through the runs near ``centre``: arrays of numpy, a row or entry for each figure.

    ``scatter`` is the standard deviation of one run about its line. ``level_share`` is the variance
    of a level, and ``slope_share`` the covariance of slopes, of a figure whose scatter is 1.
    """

    centre: Any
    level: Any
    slopes: Any
    scatter: Any
    level_share: float
    slope_share: Any

    def at(self, point: Any) -> Any:
        """Each figure at ``point``."""
        return self.level + self.slopes @ (point - self.centre)


def surface_through(points: Sequence[Any], figures: Sequence[Any], centre: Any) -> Surface:
    """The lines of ``figures``, a list for each of ``points``.

    Raises `ValueError` for fewer points than lines have unknowns, and one more.
    """
    import numpy

    offsets = numpy.array(points) - centre
    count, unknowns = offsets.shape[0], offsets.shape[1] + 1
    if count <= unknowns:
        raise ValueError(f"{count} points; expected more than {unknowns}")
    given = numpy.column_stack([numpy.ones(count), offsets])
    shown = numpy.array(figures)
    lines, *_ = numpy.linalg.lstsq(given, shown, rcond=None)
    scatter = numpy.sqrt(numpy.sum((shown - given @ lines) ** 2, axis=0) / (count - unknowns))
    share = numpy.linalg.inv(given.T @ given)
    return Surface(centre, lines[0], lines[1:].T, scatter, float(share[0, 0]), share[1:, 1:])
