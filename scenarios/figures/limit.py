"""Which resource limits a run: the one whose speeding up raises its rate most.

This is found by evidence. The run is made again with one resource 5 % faster after the other, each
time with the same guests, over a short time. How much of these 5 % the rate gains is the resource's
share in the limit: 1 if nothing else counts, 0 if it never holds anything up. Only resources that
are busy for some of the time are tried. Then what limits is taken away, and what a site could add
is added: a CTC on each chpid, or a chpid.

Shares add up to about 1, as a run in which all is 5 % faster carries 5 % more. So what is busiest
is tried first, until nothing else can count; where many cases are looked at, `first_limit` ends
with what has most of the share.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Final

from isfc.layout.layout import Fibre, Layout
from isfc.layout.rules.changes import unused_chpids
from isfc.layout.rules.rule import ChangedLayout
from isfc.link.schedule import CTCS_MAX
from scenarios.figures.certainty import Range
from scenarios.figures.glance import SEEDS, Glance, glances
from scenarios.figures.ranges import rate_range
from scenarios.figures.resources import (
    COLLISIONS,
    LOAD,
    OFFERED,
    Resource,
    faster,
    resources_of,
    step_of,
)
from scenarios.runs.experiment import Experiment
from scenarios.runs.saturation import (
    SATURATING_PAIRS,
    STATED_PAIRS,
    SUITE,
    ModelledRate,
    RunEach,
    in_turn,
    one_way,
)
from scenarios.runs.workload import SUITES

FACTOR: Final = 1.05
"""So much faster is each resource once."""

BUSY_MIN: Final = 0.1
"""A resource that is less busy holds nothing up that counts."""
SHARE_MIN: Final = 0.1
"""A lesser share is not told from what seeds do."""
TIE: Final = 0.1
"""Shares that are no farther apart are alike: two runs of 5 % differ by as much."""
SHARE_MOST: Final = 0.5 + TIE
"""With such a share nothing else can have as much, nor be alike."""
UNLIMITED: Final = 1e3
"""So much faster is a resource that is taken away."""
LIKE_SHARE: Final = 0.03
"""Rates of short runs that differ by less are alike."""


@dataclass(frozen=True, slots=True)
class Share:
    """A resource's share in the limit, and the share of its time that it is busy, if it has one.

    ``where`` names the busiest of its kind where there are several links.
    """

    resource: Resource
    share: float
    busy: float | None
    where: str = ""


@dataclass(frozen=True, slots=True)
class Relief:
    """What the link carries with something added, as a share of what it does without."""

    added: str
    ratio: float

    @property
    def gains(self) -> bool:
        """Whether that is more than runs so short differ by."""
        return self.ratio > 1 + LIKE_SHARE


@dataclass(frozen=True, slots=True)
class Limit:
    """What limits a run: ``first`` is the resource with the greatest share, and those alike.

    ``shares`` are all that count, the greatest first. ``without`` is what the link would carry if
    ``first`` took no time, as a share of what it carries; ``reliefs`` what a site could add. All
    are of the load of ``experiment``.
    """

    experiment: Experiment
    first: tuple[Share, ...]
    shares: tuple[Share, ...]
    without: float
    reliefs: tuple[Relief, ...]


def find_limit(experiment: Experiment, run_each: RunEach = in_turn) -> Limit:
    """Find what limits a run, of one link or of several together. Its times do not count.

    What is tried ends when nothing else can count.
    """
    base = _Base(experiment, glances([experiment], run_each)[0], run_each)
    shares = base.shares(lambda found: sum(each.share for each in found) > 1 - SHARE_MIN)
    return base.limit(shares, base.reliefs())


def first_limit(experiment: Experiment, *, added: bool = False) -> Limit:
    """Find what limits a run by fewer runs: with one seed, and until a resource has most.

    What a site could add is tried if ``added``.
    """
    base = _Base(experiment, glances([experiment], in_turn, SEEDS[:1])[0], in_turn)
    shares = base.shares(lambda found: found[-1].share >= SHARE_MOST)
    return base.limit(shares, base.reliefs() if added else ())


class _Base:
    """The run as it is, beside which others stand."""

    def __init__(self, experiment: Experiment, seen: Sequence[Glance], run_each: RunEach) -> None:
        self._experiment, self._seen, self._run_each = experiment, seen, run_each
        self._busy = {key: fmean(glance.busy[key] for glance in seen) for key in seen[0].busy}

    def resources(self) -> list[Resource]:
        """Those that are to be tried, the busiest first, and then those that serve nobody."""
        collides = any(glance.collisions_per_s for glance in self._seen)
        tried = [
            resource
            for resource in resources_of(self._experiment)
            if self._busy.get(resource.key, 1.0) >= BUSY_MIN
            if resource.kind != COLLISIONS or collides
        ]
        return sorted(tried, key=lambda each: -self._busy.get(each.key, 0.0))

    def shares(self, is_enough: Callable[[Sequence[Share]], bool]) -> list[Share]:
        """The shares of resources, one after the other until that is enough."""
        found: list[Share] = []
        for resource in self.resources():
            found.append(self._share(resource))
            if is_enough(found):
                break
        return found

    def _share(self, resource: Resource) -> Share:
        key = resource.key
        runs = self._glances([faster(self._experiment, resource, FACTOR)])[0]
        step = step_of(self._experiment, resource, FACTOR)
        where = self._seen[0].where.get(key, "")
        return Share(resource, _ratio(runs, self._seen) / step, self._busy.get(key), where)

    def _glances(self, cases: Sequence[Experiment]) -> list[Sequence[Glance]]:
        return glances(cases, self._run_each, SEEDS[: len(self._seen)])

    def reliefs(self) -> tuple[Relief, ...]:
        """What a site could add to a link, and what it would carry then."""
        links = self._experiment.collection.links
        added = _added(links[0]) if len(links) == 1 else []
        cases = [self._experiment.over(layout) for _, layout in added]
        return tuple(
            Relief(what, 1 + _ratio(found, self._seen))
            for (what, _), found in zip(added, self._glances(cases), strict=True)
        )

    def limit(self, tried: Sequence[Share], reliefs: tuple[Relief, ...]) -> Limit:
        """What limits, of all that was tried; and the run without it."""
        shares = sorted(tried, key=lambda each: -each.share)
        least = max(SHARE_MIN, shares[0].share - TIE)
        first = tuple(each for each in shares if each.share >= least) or tuple(shares[:1])
        without = self._experiment
        for each in first:
            without = _freed(without, each.resource)
        found = self._glances([without])[0]
        return Limit(
            self._experiment,
            first,
            tuple(each for each in shares if each.share >= SHARE_MIN),
            1 + _ratio(found, self._seen),
            reliefs,
        )


@dataclass(frozen=True, slots=True, repr=False)
class ReasonedRate(ModelledRate):
    """What one node can send, with what limits it saturated and between what IBM's would lie.

    ``ranges`` are of the saturated rate, and of that with the stated load.
    """

    limit: Limit | None = None
    ranges: tuple[Range, Range] | None = None


def with_reasons(
    layout: Layout, figures: Sequence[ModelledRate], run_each: RunEach = in_turn
) -> tuple[ReasonedRate, ...]:
    """The same figures, each with what limits it saturated, and with the ranges of both loads."""
    experiments = [one_way(layout, each.sender, SATURATING_PAIRS) for each in figures]
    found = run_each(find_limit, experiments)
    return tuple(
        replace(each, limit=limit)
        for each, limit in zip(with_ranges(layout, figures), found, strict=True)
    )


def with_ranges(
    layout: Layout, figures: Sequence[ModelledRate], pairs: int = STATED_PAIRS
) -> tuple[ReasonedRate, ...]:
    """The same figures, each with the ranges of both loads; ``pairs`` are those of the stated."""
    return tuple(
        ReasonedRate(
            each.sender, each.saturated, each.stated, each.seen, None, _ranges(each, layout, pairs)
        )
        for each in figures
    )


def _ranges(figure: ModelledRate, layout: Layout, pairs: int) -> tuple[Range, Range]:
    """Of the saturated rate, and of that with the stated load."""
    collisions = 0.0 if figure.seen is None else figure.seen.collisions_per_s
    return (
        rate_range(figure.saturated_mb_per_s, layout, SUITES[SUITE], SATURATING_PAIRS, collisions),
        rate_range(figure.stated_mb_per_s, layout, SUITES[SUITE], pairs, collisions),
    )


def _freed(experiment: Experiment, resource: Resource) -> Experiment:
    """The same run where a resource takes no time; or with many pairs, or twice as many messages.

    More pairs and messages than saturate a link are no more load.
    """
    if resource.kind == LOAD:
        loads = (
            replace(load, pairs=max(load.pairs, SATURATING_PAIRS)) for load in experiment.loads
        )
        return replace(experiment, loads=tuple(loads))
    return faster(experiment, resource, 2.0 if resource.kind == OFFERED else UNLIMITED)


def _ratio(changed: Sequence[Glance], base: Sequence[Glance]) -> float:
    """How much more is carried, seed by seed, as a share."""
    return fmean(
        one.mb_per_s / other.mb_per_s - 1 if other.mb_per_s else 0.0
        for one, other in zip(changed, base, strict=True)
    )


def _added(layout: Layout) -> list[tuple[str, Layout]]:
    """What a site could add, and the layout with it: a CTC on each chpid, a chpid."""
    found = []
    fibres = dict.fromkeys(ctc.fibre for ctc in layout.ctcs)
    count = len(layout.ctcs)
    most = max(sum(ctc.fibre is fibre for ctc in layout.ctcs) for fibre in fibres)
    every = all(sum(ctc.fibre is fibre for ctc in layout.ctcs) == most for fibre in fibres)
    if count + len(fibres) <= CTCS_MAX:
        what = f"a {ordinal(most + 1)} CTC" if every else "one more CTC"
        where = "on each chpid" if len(fibres) > 1 else "on its chpid"
        found.append((f"{what} {where}", ChangedLayout("", _one_more_each)))
    if count + most <= CTCS_MAX and not any(fibre.channels for fibre in fibres):
        ctcs = f"{most} CTCs" if most > 1 else "1 CTC"
        found.append((f"one more chpid with {ctcs}", ChangedLayout("", _one_more_chpid)))
    return [(what, changed) for what, change in found if (changed := change.carried_out(layout))]


def _one_more_each(down: Sequence[Fibre]) -> Sequence[Fibre]:
    """One more CTC of each chpid, behind the others of it."""
    last = {fibre: place for place, fibre in enumerate(down)}
    return [
        each
        for place, fibre in enumerate(down)
        for each in ([fibre, fibre] if last[fibre] == place else [fibre])
    ]


def _one_more_chpid(down: Sequence[Fibre]) -> Sequence[Fibre]:
    """As many CTCs as the fullest chpid has, on another one like it, at the end."""
    fibres = list(dict.fromkeys(down))
    fullest = max(fibres, key=lambda fibre: list(down).count(fibre))
    other = replace(fullest, name=f"another {len(fibres)}", chpids=unused_chpids(fibres))
    return [*down, *[other] * list(down).count(fullest)]


_ORDINALS: Final = ("zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh")


def ordinal(number: int) -> str:
    """``fifth``, ``16th``."""
    return _ORDINALS[number] if number < len(_ORDINALS) else f"{number}th"
