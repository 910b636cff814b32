"""A fit where nobody says what ran: pairs, or offered rates, are unknowns as well.

More pairs on a slower link show much the same as fewer on a faster one. So the constants are fitted
with the pairs that come nearest to link activity, with the fewest and with the most that do as
well; then with those that are nearest at the speed of the best of these fits, as long as they
change. If none is near, messages may have come at times of their own: an open load. All figures
of the intervals say which fit is nearest; where others are as near and come to the same constants,
the choice does not matter, and else the fit is refused.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import log
from typing import Final

from isfc.layout.layout import Layout
from isfc.layout.site import CONSTANTS
from isfc.layout.site_file import with_site
from isfc.search.site_fit import NOISY, FitInterval
from isfc.search.site_fit import fit as fit_as_taken
from isfc.search.site_fit import runs_of as runs_as_taken
from isfc.search.site_fitted import Fitted
from isfc.search.site_rivals import AS_GOOD
from scenarios.figures.site_workload import derive

AGAIN_MAX: Final = 2
"""How often pairs are looked for again at the speed of the fit. Chosen: more changes little."""

ALIKE: Final = 0.1
"""How far factors of fits that are as near may be apart, as a logarithm, for pairs not to matter.
Chosen: the noise of a short measurement leaves half of it."""


def runs_of(layout: Layout, intervals: Sequence[FitInterval]) -> int:
    """How many runs a fit takes at most."""
    more = AGAIN_MAX + 1 if any(map(_is_unknown, intervals)) else 0
    return (len(_choices(intervals)) + more) * runs_as_taken(layout, len(intervals))


@dataclass(frozen=True, slots=True)
class _Tried:
    """Intervals as they were taken, and the fit to them."""

    intervals: Sequence[FitInterval]
    fitted: Fitted

    @property
    def misfit(self) -> float:
        """How far the fit is off."""
        return self.fitted.misfit or 0.0


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

    def attempt(choice: Sequence[FitInterval]) -> _Tried:
        return _Tried(
            choice, fit_as_taken(layout, choice, name, lambda _: progress(next(done) + 1))
        )

    found = [attempt(choice) for choice in _choices(intervals)]
    best = min(found, key=lambda each: each.misfit)
    for _ in range(AGAIN_MAX):
        at_site = with_site(layout, best.fitted.profile)
        again = [_told_again(at_site, one) for one in best.intervals]
        if any(_loads(again) == _loads(each.intervals) for each in found):
            break
        found.append(attempt(again))
        best = min(found, key=lambda each: each.misfit)
    if best.misfit > NOISY and any(map(_is_unknown, intervals)):
        found.append(attempt([_as_open(one) for one in intervals]))
    return _chosen(found)


def _chosen(found: Sequence[_Tried]) -> Fitted:
    """The nearest fit, and what those that are as near take from what it is worth."""
    best = min(found, key=lambda each: each.misfit)
    near = [each for each in found if each is not best and _as_near(each.fitted, best.fitted)]
    apart = [_apart(each.fitted, best.fitted) for each in near]
    if max((abs(step) for steps in apart for step in steps), default=0.0) > ALIKE:
        doubts = [*_of_pairs([best, *near]), *best.fitted.doubts]
        return replace(best.fitted, doubts=tuple(doubts))
    profile = replace(best.fitted.profile, covariance=_with(best.fitted, apart))
    return replace(best.fitted, profile=profile)


def _is_unknown(one: FitInterval) -> bool:
    return one.derived.is_inferred and not one.derived.is_light


def _loads(intervals: Sequence[FitInterval]) -> list[str]:
    return [one.derived.load for one in intervals]


def _choices(intervals: Sequence[FitInterval]) -> list[list[FitInterval]]:
    """The intervals as they are taken; with the fewest pairs, and with the most."""
    found = [[*intervals]]
    if any(one.derived.as_well for one in intervals):
        found += [[_taken(one, end) for one in intervals] for end in (0, 1)]
    return [choice for index, choice in enumerate(found) if choice not in found[:index]]


def _taken(one: FitInterval, end: int) -> FitInterval:
    """The interval with the fewest pairs that do as well, or the most."""
    if not one.derived.as_well:
        return one
    return replace(one, derived=replace(one.derived, pairs=one.derived.as_well[end]))


def _told_again(at_site: Layout, one: FitInterval) -> FitInterval:
    """The interval with the pairs that link activity tells at such constants."""
    if not _is_unknown(one):
        return one
    derived = derive(at_site, one.seen)
    return one if derived.is_light else FitInterval(one.seen, derived)


def _as_open(one: FitInterval) -> FitInterval:
    return replace(one, derived=one.derived.as_open()) if _is_unknown(one) else one


def _of_pairs(near: Sequence[_Tried]) -> list[str]:
    """Where fits that are as near differ in what ran."""
    found = []
    for index, one in enumerate(near[0].intervals):
        loads = {each.intervals[index].derived.load: None for each in near}
        if len(loads) > 1:
            found.append(
                f"{one.seen.place}: link activity does not tell how many pairs ran: "
                f"{' and '.join(loads)} do as well, at other speeds of the link"
            )
    return found


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
