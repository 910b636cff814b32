"""Ranges of a fit's constants that are wider to one side.

A covariance is of lines, and holds as far as these were tried. Where a constant is less well known
than that, its range is sought on parabolas through all runs of the fit (`skewed`): it is held at a
value, the other unknowns go where the figures are least off, and the range ends where the squares
are as much more as they are at so many standard deviations.
"""

from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

from isfc.layout.site import CONSTANTS
from scenarios.search.site_search import Search
from scenarios.search.site_surface import Near, least_off, numpy, scipy, squares

POINTS_MIN: Final = 2
"""Runs for each coefficient of a parabola, to have them. Chosen."""

UNEVEN: Final = 1.2
"""How many times as wide as by the covariance a side is at least, to be told. Chosen."""

STEP: Final = 0.01
"""How near the end of a range is found, as a logarithm."""


def skewed(
    search: Search, near: Near, told: Any, logs: Any, misfit: float, deviations: float
) -> dict[str, tuple[float, float]]:
    """Of constants that are wider to one side: how far below and above, as logarithms.

    ``told`` are the unknowns that figures tell, ``logs`` what the fit has, and a range is of so
    many standard ``deviations``. Looked at are constants that lines do not reach, and those that
    are 1 as chance may have them off: their range is about what the figures tell. No side is less
    than by the covariance, from which is taken what slopes seem to tell by their scatter alone.
    """
    even, best = deviations * near.spread(misfit), near.best(told)
    more = deviations**2 * max(1.0, misfit) ** 2
    doubtful = [
        index
        for index in range(len(CONSTANTS))
        if told[index] and (even[index] > near.reach[index] or logs[index] == 0)
    ]
    found: dict[str, tuple[float, float]] = {}
    curves = _Curves.through(search, near, told) if doubtful else None
    if curves is None:
        return found
    for index in doubtful:
        away, least = float(best[index] - logs[index]), float(even[index])
        below, above = (curves.side(index, best, least, way, more) for way in (-1, 1))
        sides = max(least, below - away), max(least, above + away)
        if max(sides) > UNEVEN * least:
            found[CONSTANTS[index].name] = sides
    return found


class _Curves(Struct, frozen=True):
    """Parabolas of each judged figure along each unknown, and how the fit looks at them."""

    near: Near
    free: Any
    at: Callable[[Any], Any]
    least: Any
    most: Any

    @staticmethod
    def through(search: Search, near: Near, free: Any) -> "_Curves | None":
        """Those of all runs; None where there are too few."""
        centre, parts = near.surface.centre, []
        for places, points, shown in search.by_interval():
            off = points[:, places] - centre[places]
            given = numpy.column_stack([numpy.ones(len(off)), off, off**2])
            if len(given) < POINTS_MIN * given.shape[1]:
                return None
            parts.append((places, numpy.linalg.lstsq(given, shown, rcond=None)[0]))

        def at(logs: Any) -> Any:
            off = logs - centre
            rows = [
                numpy.concatenate([[1.0], off[places], off[places] ** 2]) @ curve
                for places, curve in parts
            ]
            return numpy.concatenate(rows)

        every = numpy.concatenate([points for _, points, _ in search.by_interval()])
        return _Curves(near, free, at, every.min(axis=0), every.max(axis=0))

    def side(self, index: int, logs: Any, even: float, way: int, more: float) -> float:
        """How far a constant goes to one side: ``even`` at least, and as far as there were runs."""
        end = float(self.most[index] if way > 0 else self.least[index])
        begin = float(logs[index])
        reach = abs(end - begin) - STEP
        if reach <= even:
            return even
        least = self._squares(logs)

        def over(far: float) -> float:
            return self._squares(logs, index, begin + way * far) - least - more

        if over(even) >= 0:
            return even
        return (
            reach
            if over(reach) <= 0
            else float(scipy.optimize.brentq(over, even, reach, xtol=STEP))
        )

    def _squares(self, start: Any, held: int | None = None, value: float = 0.0) -> float:
        """The least squares, with a constant held at a value."""
        changed = numpy.array(self.free, bool)
        point = numpy.where(changed, start, 0.0)
        if held is not None:
            changed[held], point[held] = False, value
        prior = self.near.unknowns.prior

        def off(given: Any) -> Any:
            point[changed] = given
            return numpy.concatenate([self.at(point) / self.near.known, point / prior])

        if changed.any():
            bounds = (self.least[changed] - STEP, self.most[changed] + STEP)
            point[changed] = least_off(off, numpy.clip(point[changed], *bounds), bounds)
        return squares(off(point[changed]))
