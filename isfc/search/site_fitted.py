"""What a fit to a site has found: its profile, how well each constant is known, and its doubts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from isfc.layout.site import SiteProfile
from isfc.search.site_rivals import Explanation


@dataclass(frozen=True, slots=True)
class Fitted:
    """A profile; how far each factor's logarithm may be off, and which constants are not told.

    An uncertainty is two standard deviations, and wider where the figures are off by more than
    what is known of them (``misfit``, a multiple of it). ``doubts`` are the reasons not to use it,
    ``notes`` what else is to be looked at. ``explanations`` are what was held beside the fit, the
    best first.
    """

    profile: SiteProfile
    uncertainties: tuple[tuple[str, float], ...]
    untold: tuple[str, ...]
    misfit: float | None = None
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    explanations: tuple[Explanation, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each constant, as a data frame takes them.

        ``uncertainty`` is of the logarithm; one that is not told has a factor of 1.
        """
        factors = dict(self.profile.factors)
        return [
            {
                "constant": name,
                "factor": factors.get(name, 1.0),
                "told": name in factors,
                "uncertainty": off,
            }
            for name, off in self.uncertainties
        ]

    def marked(self, notes: Sequence[str] = ()) -> "Fitted":
        """The same with its doubts in the profile, and further notes."""
        profile = replace(self.profile, doubts=self.doubts)
        return replace(self, profile=profile, notes=(*self.notes, *notes))
