"""Whether a site's fit is to be believed: the reasons for which it is refused.

A fit always finds factors. It says something of the site only if what ran and the layout are as
said, and if the site differs from the model in the constants that are fitted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from statistics import median
from typing import Final

from isfc.layout.site import SiteProfile
from isfc.search.site_surface import at_bound
from scenarios.figures.site_compare import MeasuredFigure

HELD_BACK_MAX: Final = 15.0
"""Percent that figures held back may be off by the median. Chosen: of sites that differ from the
model in the fitted constants alone, none comes near it."""

MISFIT_MAX: Final = 3.0
"""How far figures may be off all in all, as a multiple of how well they are known. Chosen: of the
same sites, noise of 5 % where 2 % are expected leaves 2."""

WORSE_MIN: Final = 2.0
"""Percent by which figures held back are further off than without the fit, to refuse it. Chosen:
less is chance."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Figures of one interval, or of one device of a single interval; ``seat`` says which."""

    seat: str
    figures: Sequence[MeasuredFigure]

    @property
    def median_percent(self) -> float:
        """How far they are off by the median, without signs."""
        return median(abs(each.error_percent or 0.0) for each in self.figures)


def doubts_of(
    profile: SiteProfile,
    held: Sequence[Judged],
    misfit: float,
    outlier: str = "",
    *,
    inferred: bool = False,
) -> Iterator[str]:
    """Each reason not to use a fit, in words. ``held`` is what was held back, by fits without it.

    ``misfit`` is how far the figures are off all in all, as a multiple of how well they are known,
    and ``outlier`` in words without which they are much nearer, if there is such a thing;
    ``inferred`` says that what ran is told by link activity alone.
    """
    ends = {name: each for name, each in profile.factors.items() if at_bound(log(each))}
    for name, factor in ends.items():
        yield f"{name} comes out at {factor:.2f}, the end of what is tried: no such site is known"
    off, before = profile.held_back, profile.before
    if len(held) < 2:
        yield (
            "one interval of link activity alone: nothing can be held back to see what the fit is "
            "worth: add the device rows of the interval, or more intervals"
        )
    elif off is not None and off.median > HELD_BACK_MAX:
        yield (
            f"figures held back are off by {off.median:.0f} % by the median, more than "
            f"{HELD_BACK_MAX:.0f} %{_furthest(held)}"
        )
    elif off is not None and before is not None and off.median > before.median + WORSE_MIN:
        yield (
            f"figures held back are off by {off.median:.1f} % by the median, and by "
            f"{before.median:.1f} % without the fit{_furthest(held)}"
        )
    if misfit > MISFIT_MAX:
        yield (
            f"figures are off by {misfit:.1f} times what their noise and rounding leave: the site "
            "differs from the model in something else than the constants that are fitted"
            f"{', or what ran is not what link activity lets one think' if inferred else ''}"
            f"{f': see {outlier}' if outlier else ''}"
        )


def _furthest(held: Sequence[Judged]) -> str:
    """Where figures are furthest off, if there is a choice."""
    judged = [each for each in held if each.figures]
    if len(judged) < 2:
        return ""
    worst = max(judged, key=lambda each: each.median_percent)
    return f"; furthest are those of {worst.seat}, by {worst.median_percent:.0f} %"
