"""A fit where link activity does not tell how many pairs ran: they are unknowns as well.

More pairs on a slower link show much the same as fewer on a faster one. So the constants are fitted
with the pairs that come nearest to link activity, with the fewest and with the most that do as
well. All figures of the intervals say which of these fits is nearest; where others are as near and
come to the same constants, the choice does not matter, and else the fit is refused.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from math import log
from typing import Final

from isfc.layout.layout import Layout
from isfc.layout.site import CONSTANTS
from isfc.search.site_fit import FitInterval
from isfc.search.site_fit import fit as fit_as_taken
from isfc.search.site_fit import runs_of as runs_as_taken
from isfc.search.site_fitted import Fitted
from isfc.search.site_rivals import AS_GOOD

ALIKE: Final = 0.1
"""How far factors of fits that are as near may be apart, as a logarithm, for pairs not to matter.
Chosen: the noise of a short measurement leaves half of it."""


def runs_of(layout: Layout, intervals: Sequence[FitInterval]) -> int:
    """How many runs a fit takes at most."""
    return len(_choices(intervals)) * runs_as_taken(layout, len(intervals))


def fit(
    layout: Layout,
    intervals: Sequence[FitInterval],
    name: str,
    progress: Callable[[int], None] = lambda _: None,
) -> Fitted:
    """The profile that fits ``intervals`` best, over the pairs that may have run.

    ``progress`` is told how many runs are done. Raises `ConfigurationError` where scipy is missing.
    """
    done = count()
    found = [
        fit_as_taken(layout, choice, name, lambda _: progress(next(done) + 1))
        for choice in _choices(intervals)
    ]
    best = min(found, key=lambda each: each.misfit or 0.0)
    as_near = [each for each in found if each is not best and _as_near(each, best)]
    apart = [_apart(each, best) for each in as_near]
    if max((abs(step) for steps in apart for step in steps), default=0.0) > ALIKE:
        doubts = [*map(_of_pairs, filter(_is_open, intervals)), *best.doubts]
        return replace(best, doubts=tuple(doubts))
    return replace(best, profile=replace(best.profile, covariance=_with(best, apart)))


def _is_open(one: FitInterval) -> bool:
    return bool(one.derived.as_well)


def _choices(intervals: Sequence[FitInterval]) -> list[list[FitInterval]]:
    """The intervals as they are taken; with the fewest pairs, and with the most."""
    found = [[*intervals]]
    if any(map(_is_open, intervals)):
        found += [[_taken(one, end) for one in intervals] for end in (0, 1)]
    return [choice for index, choice in enumerate(found) if choice not in found[:index]]


def _taken(one: FitInterval, end: int) -> FitInterval:
    """The interval with the fewest pairs that do as well, or the most."""
    if not _is_open(one):
        return one
    return replace(one, derived=replace(one.derived, pairs=one.derived.as_well[end]))


def _of_pairs(one: FitInterval) -> str:
    least, most = one.derived.as_well
    return (
        f"{one.seen.place}: link activity does not tell how many pairs ran: {least} to {most} do "
        "as well, at other speeds of the link"
    )


def _as_near(one: Fitted, best: Fitted) -> bool:
    """Whether the evidence for the best is weak: squares by which another fit is further off."""
    if one.misfit is None or best.misfit is None or not best.explanations:
        return False
    more = one.misfit**2 - best.misfit**2
    return best.explanations[0].figures * more < AS_GOOD * max(1.0, best.misfit) ** 2


def _apart(one: Fitted, best: Fitted) -> list[float]:
    """How far each factor is from the best fit's, as a logarithm."""
    ours, theirs = dict(one.profile.factors), dict(best.profile.factors)
    return [log(ours.get(c.name, 1.0) / theirs.get(c.name, 1.0)) for c in CONSTANTS]


def _with(best: Fitted, apart: Sequence[Sequence[float]]) -> tuple[tuple[float, ...], ...]:
    """The best fit's covariance, and how far those that are as near are from it."""
    return tuple(
        tuple(
            known + sum(steps[row] * steps[column] for steps in apart) / max(1, len(apart))
            for column, known in enumerate(line)
        )
        for row, line in enumerate(best.profile.covariance)
    )
