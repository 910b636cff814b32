"""What a fit to a site has found: its profile, how well each constant is known, and its doubts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import Any

from isfc.layout.site import SiteProfile
from isfc.search.site_rivals import Explanation


@dataclass(frozen=True, slots=True)
class Fitted:
    """A profile; how far each factor's logarithm may be off, and which constants are not told.

    An uncertainty is two standard deviations, and wider where the figures are off by more than
    what is known of them (``misfit``, a multiple of it). ``skewed`` has how far
    below and above may go of constants that lines do not reach. ``doubts`` are the reasons not to
    use it, ``notes`` what else is to be looked at. ``explanations`` are what was held beside the
    fit, the best first.
    """

    profile: SiteProfile
    uncertainties: tuple[tuple[str, float], ...]
    untold: tuple[str, ...]
    misfit: float | None = None
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    explanations: tuple[Explanation, ...] = ()
    skewed: tuple[tuple[str, tuple[float, float]], ...] = ()

    def ranges(self) -> dict[str, tuple[float, float]]:
        """Of each constant, between what its factor is: 95 % of such ranges hold it."""
        factors, sides = dict(self.profile.factors), dict(self.skewed)
        found = {}
        for name, off in self.uncertainties:
            below, above = sides.get(name, (off, off))
            factor = factors.get(name, 1.0)
            found[name] = (factor * exp(-below), factor * exp(above))
        return found

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each constant, as a data frame takes them.

        ``uncertainty`` is of the logarithm; one that is not told has a factor of 1.
        """
        factors, ranges = dict(self.profile.factors), self.ranges()
        return [
            {
                "constant": name,
                "factor": factors.get(name, 1.0),
                "told": name in factors,
                "uncertainty": off,
                "low": ranges[name][0],
                "high": ranges[name][1],
            }
            for name, off in self.uncertainties
        ]

    def marked(self, notes: Sequence[str] = ()) -> "Fitted":
        """The same with its doubts in the profile, and further notes."""
        profile = replace(self.profile, doubts=self.doubts)
        return replace(self, profile=profile, notes=(*self.notes, *notes))
