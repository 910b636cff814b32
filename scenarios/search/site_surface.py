"""Lines through the runs of a site's fit, and what they say of the constants and of what ran.

A `Surface` is a line for each judged figure, through runs near a point. `Near` finds on it the
factors with which the figures are least off, and how well each is known. Beside the constants,
what ran may be unknown: pairs of guests, or the rate that is offered, of each interval.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from math import log
from typing import Any, Final

from msgspec import Struct

from isfc.layout.site import CONSTANTS, FACTOR_MAX


class _Later:
    """A library that is loaded when something of it is first asked for."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._module), name)


numpy: Any = _Later("numpy")
scipy: Any = _Later("scipy")

PRIOR: Final = 0.5
"""How far a factor is expected from 1, as a logarithm: 1.65 times. Chosen: the features that were
fitted apart, and the releases of z/VM, are within that of each other."""

LINE_PRIOR: Final = 0.3
"""The same of the line beside the processor. Chosen: they are one feature's, and only another
feature in the layout, or disks on the channel, take them apart."""

TRANSFER: Final = [constant.name for constant in CONSTANTS].index("transfer")
LINE: Final = [constant.name for constant in CONSTANTS].index("line")
GAIN: Final = 9.0
"""By how much squares must be less with the line apart from the processor, or with a cause that is
no constant. Chosen: three standard deviations, as most sites are as their layout says."""

LINE_APART: Final = 2.0
"""Standard deviations of the line's factor by which it is away from 1, to be apart. Chosen."""

REPORT: Final = 0.02
"""How well a report's figure is known, as a share of it, beside its rounding. Chosen."""

OWN_SCATTER: Final = 0.5
"""How far a measured interval scatters itself, as a share of a short run's scatter. Chosen: that of
an interval of 2 seconds; of a minute it is less."""

MODEL: Final = 2.0
"""Residuals beyond so many times how well a figure is known count less (soft l1): a few figures
that the model has wrong for other reasons must not bend the constants."""

FALSE: Final = 2.0
"""How many times over what scatter alone seems to tell is taken off what the slopes tell. Chosen:
the scatter of the figures of a run is not independent, so that its sum is uncertain itself."""

TOLD: Final = 0.6
"""A constant whose uncertainty the figures leave above this share of the prior's is not told."""


KEPT: Final = 2.0
"""By how much squares must be less with a constant off 1, to have it there: Akaike's criterion."""


class Unknowns(Struct, frozen=True):
    """The unknowns of a fit: the logarithms of the factors of `CONSTANTS`, then of what ran.

    Arrays: ``prior`` is how far each is expected from 0; it is between ``least`` and ``most``.
    """

    prior: Any
    least: Any
    most: Any

    def bounded(self, logs: Any) -> Any:
        """The nearest that may be."""
        return numpy.clip(logs, self.least, self.most)


def unknowns(loads: Sequence[tuple[float, float, float]] = ()) -> Unknowns:
    """Those of a fit; of each unknown load how far it is expected from 0, and its bounds."""
    most = log(FACTOR_MAX)
    constants = [(LINE_PRIOR if each.name == "line" else PRIOR, -most, most) for each in CONSTANTS]
    return Unknowns(*numpy.array([*constants, *loads]).T)


class Surface(Struct, frozen=True):
    """Lines through the runs near ``centre``: arrays of numpy, a row or entry for each figure.

    ``scatter`` is the standard deviation of one run about its line. ``level_share`` is the variance
    of a level, and ``slope_share`` the covariance of slopes, of a figure whose scatter is 1; the
    same of all figures, or an entry for each.
    """

    centre: Any
    level: Any
    slopes: Any
    scatter: Any
    level_share: Any
    slope_share: Any

    def at(self, point: Any) -> Any:
        """Each figure at ``point``."""
        return self.level + self.slopes @ (point - self.centre)


def surface_through(points: Any, figures: Any, centre: Any) -> Surface:
    """The lines of ``figures``, a list for each of ``points``.

    Raises `ValueError` for fewer points than lines have unknowns, and one more.
    """
    offsets = numpy.array(points) - centre
    count, unknowns = offsets.shape[0], offsets.shape[1] + 1
    if count <= unknowns:
        raise ValueError(f"{count} points; expected more than {unknowns}")
    given = numpy.column_stack([numpy.ones(count), offsets])
    shown = numpy.array(figures)
    lines, *_ = numpy.linalg.lstsq(given, shown, rcond=None)
    scatter = numpy.sqrt(numpy.sum((shown - given @ lines) ** 2, axis=0) / (count - unknowns))
    share = numpy.linalg.pinv(given.T @ given)  # of few pairs, points may have the same number
    return Surface(centre, lines[0], lines[1:].T, scatter, float(share[0, 0]), share[1:, 1:])


def joined(parts: Sequence[tuple[Surface, Sequence[int]]], centre: Any) -> Surface:
    """One surface of several, each with the places of its unknowns among all of ``centre``."""
    count = len(centre)
    slopes, shares = [], []
    for part, places in parts:
        figures = len(part.level)
        wide, share = numpy.zeros((figures, count)), numpy.zeros((figures, count, count))
        wide[:, places] = part.slopes
        share[:, numpy.array(places)[:, None], places] = part.slope_share
        slopes.append(wide)
        shares.append(share)
    return Surface(
        centre,
        numpy.concatenate([part.level for part, _ in parts]),
        numpy.concatenate(slopes),
        numpy.concatenate([part.scatter for part, _ in parts]),
        numpy.concatenate([numpy.full(len(part.level), part.level_share) for part, _ in parts]),
        numpy.concatenate(shares),
    )


def near_surface(
    surface: Surface, rounding: Sequence[float], reach: Any, of: Unknowns | None = None
) -> "Near":
    """What a surface says, with how far each figure's rounding may have it off, as a share."""
    scatter = surface.scatter**2 * (OWN_SCATTER**2 + surface.level_share)
    # what is rounded is off by no more than half a digit, evenly spread
    known = numpy.sqrt(REPORT**2 + numpy.array(rounding) ** 2 / 3 + scatter)
    return Near(surface, known, reach, of or unknowns())


class Near(Struct, frozen=True):
    """What the runs around a point say: their surface, how well each figure is known, how far."""

    surface: Surface
    known: Any
    reach: Any
    unknowns: Unknowns

    def best(self, free: Any = None, used: Sequence[bool] | None = None) -> Any:
        """The unknowns at which the figures, or those ``used``, are least off.

        What is not ``free`` stays at 0: a factor of 1.
        """
        centre, prior = self.surface.centre, self.unknowns.prior
        changed = numpy.flatnonzero(numpy.ones(len(centre), bool) if free is None else free)
        weights = numpy.where(True if used is None else used, 1 / self.known, 0.0)
        found = numpy.zeros(len(centre))
        if not changed.size:
            return found

        def off(logs: Any) -> Any:
            found[changed] = logs
            return numpy.concatenate([self.surface.at(found) * weights, logs / prior[changed]])

        lower, upper = map(self.unknowns.bounded, (centre - self.reach, centre + self.reach))
        found[changed] = least_off(off, centre[changed], (lower[changed], upper[changed]))
        return found

    def at_edge(self, logs: Any) -> bool:
        """Whether a point is as far as the surface goes."""
        return bool((abs(logs - self.surface.centre) / self.reach).max() > 0.95)

    def misfit(self, logs: Any, used: Sequence[bool] | None = None) -> float:
        """How far figures, or those ``used``, are off, as a multiple of how well they are known.

        By root mean square, where those that are far off count less as in the fit; 1 is as near
        as can be expected.
        """
        off = self.surface.at(logs) / self.known
        if used is not None:
            off = off[numpy.array(used)]
        left = max(1, len(off) - len(logs))
        return float(numpy.sqrt(squares(off) / left))

    def spread(self, misfit: float) -> Any:
        """The standard deviations of the unknowns, as of `covariance`."""
        return numpy.sqrt(numpy.diag(self.covariance(misfit)))

    def covariance(self, misfit: float) -> Any:
        """The covariance of the unknowns, where figures are off by ``misfit``.

        Slopes scatter, and so seem to tell what they do not: that is taken off what they tell.
        """
        surface = self.surface
        slopes = surface.slopes / self.known[:, None]
        noise = (surface.scatter / self.known) ** 2
        share = numpy.broadcast_to(surface.slope_share, (len(noise), *slopes.shape[1:] * 2))
        false = FALSE * numpy.tensordot(noise, share, 1)
        values, axes = numpy.linalg.eigh(slopes.T @ slopes - false)
        told = axes @ numpy.diag(numpy.clip(values, 0, None)) @ axes.T / max(1.0, misfit) ** 2
        return numpy.linalg.inv(told + numpy.diag(self.unknowns.prior**-2.0))

    def told(self) -> Any:
        """Which unknowns are free: what ran, and the constants that the figures tell.

        The line apart only if they are much nearer with it.
        """
        misfit = self.misfit(self.best())
        spread = self.spread(misfit)
        told = spread <= TOLD * self.unknowns.prior
        told[len(CONSTANTS) :] = True
        together = told.copy()
        together[LINE] = False
        is_apart = abs(self.best(told)[LINE]) > LINE_APART * spread[LINE]
        return told if is_apart and self.is_needed(LINE, told) else together

    def is_needed(self, index: int, free: Any) -> bool:
        """Whether figures are much nearer with an unknown off 0, among those that are free."""
        without = free.copy()
        without[index] = False
        best = self.best(free)
        gain = self._squares(self.best(without)) - self._squares(best)
        return gain > GAIN * max(1.0, self.misfit(best)) ** 2

    def moved(self, told: Any) -> Any:
        """Which of the constants that are told are off 1 by more than chance (AIC)."""
        moved = told.copy()
        least = KEPT * max(1.0, self.misfit(self.best(told))) ** 2
        constants = slice(len(CONSTANTS))
        while moved[constants].any():
            own = self._squares(self.best(moved))
            gains = {}
            for index in moved[constants].nonzero()[0]:
                fewer = moved.copy()
                fewer[index] = False
                gains[index] = self._squares(self.best(fewer)) - own
            index = min(gains, key=gains.__getitem__)
            if gains[index] > least:
                break
            moved[index] = False
        return moved

    def _squares(self, logs: Any) -> float:
        """The sum that is least at the best."""
        prior = logs / self.unknowns.prior
        return squares(numpy.concatenate([self.surface.at(logs) / self.known, prior]))


def squares(off: Any) -> float:
    """The sum of the squares of residuals; those beyond `MODEL` count less."""
    return float((2 * MODEL**2 * ((1 + (off / MODEL) ** 2) ** 0.5 - 1)).sum())


def least_off(off: Callable[[Any], Any], start: Any, bounds: tuple[Any, Any]) -> Any:
    """Where within bounds that sum is least of the residuals that ``off`` gives."""
    return scipy.optimize.least_squares(off, start, bounds=bounds, loss="soft_l1", f_scale=MODEL).x


def at_bound(log_factor: float) -> bool:
    """Whether a factor is as far from 1 as a profile may have it."""
    return abs(log_factor) > 0.98 * log(FACTOR_MAX)
