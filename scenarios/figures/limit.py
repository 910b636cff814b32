"""Which resource limits a run: the one whose speeding up raises its rate most; what it rests on.

This is found by evidence. The run is made again with one resource 5 % faster after the other, each
time with the same guests, over a short time. How much of these 5 % the rate gains is the resource's
share in the limit: 1 if nothing else counts, 0 if it never holds anything up. Only resources that
are busy for some of the time are tried. Then what limits is taken away, and what a site could add
is added: a CTC on each chpid, or a chpid.

Shares add up to about 1, as a run in which all is 5 % faster carries 5 % more. So what is busiest
is tried first, with one seed, until one resource has most or nothing else can count. Only what may
be alike by that seed is run with the others too. What is one system's holds up its own links alone.

A figure rests on the constants of the model that move it: each is made 10 % less and 10 % more, one
after the other, in short runs with the same guests. What moves the rate by more than 2 % is said.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import fmean
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from isfc.layout.capacity import end_to_count_on
from isfc.layout.layout import Fibre, Layout, widened
from isfc.layout.rules.rule import ChangedLayout
from isfc.link.scan import CTCS_MAX
from isfc.reports.figure import Figure
from scenarios.figures import resources
from scenarios.figures.certainty import nobody_is_ahead, odds_ahead
from scenarios.figures.glance import SEEDS, Glance, Waited, glances
from scenarios.figures.ranges import link_rate, link_ratio, links_rate
from scenarios.figures.resources import Holder, Known, Resource, faster, known, scaled
from scenarios.runs.experiment import SATURATING_PAIRS, Experiment, Load, RunEach, in_turn
from scenarios.runs.steady import Rate, first_look, steady_ends

FACTOR: Final = 1.05
"""So much faster is each resource once."""

BUSY_MIN: Final = 0.1
"""A resource that is less busy holds nothing up that counts."""
SHARE_MIN: Final = 0.1
"""A lesser share is not told from what seeds do."""
TIE: Final = 0.1
"""Shares that are no farther apart are alike: two runs of 5 % differ by as much."""
UNLIKE: Final = 0.25
"""Shares of one seed that are so far apart are not alike with more. Chosen: of 68 runs, of layouts
shipped and drawn and of one made for each kind of limit, no verdict is another than with 0.3, with
which none of 72 was another than that of all seeds. With 0.15 one is."""
SHARE_CLEAR: Final = 0.5 + UNLIKE
"""With such a share by one seed, no other seed says otherwise."""
SHARE_OF_BUSY: Final = 2.0
"""No resource's share is more than so many times the share of its time that it is busy (1.5 was the
most of the same runs)."""
UNLIMITED: Final = 1e3
"""So much faster is a resource that is taken away."""
LIKE_SHARE: Final = 0.03
"""Rates of short runs that differ by less are alike."""


class Share(Struct, frozen=True):
    """A resource's share in the limit, and the share of its time that it is busy, if it has one.

    ``where`` names the busiest of its kind where there are several links.
    """

    resource: Resource
    share: float
    busy: float | None
    where: str = ""


class SeenResource(Struct, frozen=True):
    """How busy a resource of a run is, if it serves one after the other, and what waits for it."""

    resource: Resource
    busy: float | None
    waited: Waited | None


class Relief(Struct, frozen=True):
    """How many times what the link does without, it carries with something added."""

    added: str
    ratio: Figure

    @property
    def differs(self) -> bool:
        """Whether it is more, or less: by more than runs so short differ by, and by the odds."""
        is_apart = abs(self.ratio.value - 1) > LIKE_SHARE and self.ratio.value > 0
        return is_apart and not nobody_is_ahead(odds_ahead(self.ratio))


class Limit(Struct, frozen=True):
    """What limits a run: ``first`` is the resource with the greatest share, and those alike.

    ``shares`` are all that count, the greatest first. ``factor`` is how many times as much the link
    would carry if ``first`` took no time; ``reliefs`` are what a site could add. All are of the
    load of ``experiment``. ``resources`` are all that it has, as a short run shows them.
    """

    experiment: Experiment
    first: tuple[Share, ...]
    shares: tuple[Share, ...]
    factor: float
    reliefs: tuple[Relief, ...]
    resources: tuple[SeenResource, ...] = ()

    def without(self, mb_per_s: float) -> Figure:
        """What a run that carries so many MB/s would carry without the limit."""
        experiment, value = self.experiment, self.factor * mb_per_s
        if len(experiment.collection.links) > 1:
            return links_rate(value, experiment.collection.links)
        return link_rate(value, experiment.layout, Load(experiment.workload, experiment.pairs))


def find_limit(
    experiment: Experiment,
    run_each: RunEach = in_turn,
    *,
    with_added: bool = True,
    steady_mb_per_s: float | None = None,
) -> Limit:
    """Find what limits a run, of one link or of several together. Its times do not count.

    More than one seed is run where that does not tell it clearly. What a site could add to a link
    is tried if ``with_added``, and held to what the run carries once it is steady, which is known
    as ``steady_mb_per_s`` or run for that.
    """
    base, tried = _tried(experiment, run_each)
    if max(each.share for each in tried) < SHARE_MIN:  # the run has not settled by then
        base, tried = _tried(experiment, run_each, _LONGER)
    return base.limit(tried, base.reliefs(steady_mb_per_s) if with_added else ())


_LONGER: Final = 4
"""So many times as long are short runs in which nothing that is faster makes a difference. Over 40
km four CTCs of FICON Express16SA take a second to come to their pace."""


def _tried(
    experiment: Experiment, run_each: RunEach, longer: int = 1
) -> "tuple[_Base, Sequence[Share]]":
    """The run as it is, and the shares of its resources."""
    base = _Base(experiment, run_each, longer)
    tried = base.tried([], lambda found: _is_clear(found) or _nothing_else_counts(found))
    if _is_clear(tried):
        return base, tried
    return base, base.tried(base.with_all_seeds(tried), _nothing_else_counts)


def _is_clear(found: Sequence[Share]) -> bool:
    """Whether one resource has so much by one seed that others cannot change it.

    Where shares add up to more than 1, the rate is one that changes from seed to seed.
    """
    shares = [each.share for each in found]
    return (
        max(shares, default=0.0) >= SHARE_CLEAR
        and sum(max(0.0, each) for each in shares) <= 1 + TIE
    )


def _nothing_else_counts(found: Sequence[Share]) -> bool:
    """Whether several have all of it together."""
    return len(found) > 1 and sum(each.share for each in found) > 1 - SHARE_MIN


class _Base:
    """The run as it is, beside which others stand: with one seed, and later with all."""

    def __init__(self, experiment: Experiment, run_each: RunEach, longer: int = 1) -> None:
        self._experiment, self._run_each, self._longer = experiment, run_each, longer
        self._seen = [*glances([experiment], run_each, SEEDS[:1], longer, waits=True)[0]]
        self._runs: dict[Resource, Sequence[Glance]] = {}

    def tried(
        self, known: Sequence[Share], is_enough: Callable[[Sequence[Share]], bool]
    ) -> list[Share]:
        """The shares that are known, and those of other resources until that is enough.

        The busiest come first, and then those that serve nobody. What cannot have as much as
        another is left out.
        """
        found = [*known]
        others = [each for each in self._resources() if each not in self._runs]
        for resource in others if not is_enough(found) else ():
            busy = self._busy(resource.key)
            if found and busy is not None:
                most = max(each.share for each in found)
                part = self._seen[0].parts.get(resource.node, 1.0)
                if SHARE_OF_BUSY * busy * part < most - UNLIKE:
                    continue
            found.append(self._share(resource))
            if is_enough(found):
                break
        return found

    def with_all_seeds(self, tried: Sequence[Share]) -> list[Share]:
        """The same shares by all seeds: those that may be alike, and two of them at least."""
        self._seen += self._glances(self._experiment, SEEDS[1:])
        shares = sorted((each.share for each in tried), reverse=True)
        least = min(shares[0] - UNLIKE, *shares[1:2])
        return [each if each.share < least else self._share(each.resource) for each in tried]

    def _resources(self) -> list[Resource]:
        """Those that are to be tried."""
        collides = any(glance.collisions_per_s for glance in self._seen)
        busy = {each: self._busy(each.key) for each in resources.resources_of(self._experiment)}
        tried = [
            resource
            for resource, share in busy.items()
            if share is None or share >= BUSY_MIN
            if resource.kind != resources.COLLISIONS or collides
        ]
        return sorted(tried, key=lambda each: -(busy[each] or 0.0))

    def _busy(self, key: str) -> float | None:
        """The share of its time that a resource is busy, if it has one."""
        if key not in self._seen[0].busy:
            return None
        return fmean(glance.busy[key] for glance in self._seen)

    def _share(self, resource: Resource) -> Share:
        """By all seeds with which the run is known as it is."""
        key, done = resource.key, self._runs.get(resource, [])
        changed = faster(self._experiment, resource, FACTOR)
        self._runs[resource] = [*done, *self._glances(changed, self._seeds[len(done) :])]
        step = resources.step_of(self._experiment, resource, FACTOR)
        where = self._seen[0].where.get(key, "")
        share = _ratio(self._runs[resource], self._seen) / step
        return Share(resource, share, self._busy(key), where)

    @property
    def _seeds(self) -> Sequence[int]:
        return SEEDS[: len(self._seen)]

    def _glances(self, case: Experiment, seeds: Sequence[int]) -> list[Glance]:
        return [*glances([case], self._run_each, seeds, self._longer)[0]]

    def reliefs(self, steady_mb_per_s: float | None) -> tuple[Relief, ...]:
        """What a site could add to a link, and what it would carry then."""
        links = self._experiment.collection.links
        if not (more := dict(added(links[0])) if len(links) == 1 else {}):
            return ()
        steady = Rate(steady_mb_per_s or steady_ends(self._experiment).mb_per_s)
        base, loads = _counted(self._experiment, steady), self._experiment.loads
        runs = [*map(self._experiment.over, more.values())]
        looks = map(_counted, runs, self._run_each(first_look, runs))
        return tuple(
            Relief(what, link_ratio(look / base if base else 1.0, links[0], layout, loads=loads))
            for (what, layout), look in zip(more.items(), looks, strict=True)
        )

    def limit(self, tried: Sequence[Share], reliefs: tuple[Relief, ...]) -> Limit:
        """What limits, of all that was tried; and the run without it."""
        shares = sorted(tried, key=lambda each: -each.share)
        least = max(SHARE_MIN, shares[0].share - TIE)
        first = tuple(each for each in shares if each.share >= least) or tuple(shares[:1])
        without = self._experiment
        for each in first:
            without = _freed(without, each.resource)
        return Limit(
            self._experiment,
            first,
            tuple(each for each in shares if each.share >= SHARE_MIN),
            1 + _ratio(self._glances(without, self._seeds), self._seen),
            reliefs,
            tuple(self._all_seen()),
        )

    def _all_seen(self) -> Iterator[SeenResource]:
        """Every resource of the run, with what the first seed shows of it."""
        seen, experiment = self._seen[0], self._experiment
        each_end = [
            Resource(kind, n)
            for kind in (resources.CTCS, resources.COPYING, resources.CPU)
            for n in experiment.nodes
        ]
        for resource in [*resources.resources_of(experiment), *each_end]:
            busy, waited = seen.busy.get(resource.key), seen.waited.get(resource.key)
            if resource.kind != resources.COPYING or busy:
                yield SeenResource(resource, busy, waited)


def _counted(run: Experiment, rate: Rate) -> float:
    """What of it is to be counted on, in MB/s; all of what two ends send."""
    if len(run.sending) > 1:
        return rate.mb_per_s
    ((sender, _),) = run.sending
    return end_to_count_on(rate, run.layout, sender).mb_per_s


def _freed(experiment: Experiment, resource: Resource) -> Experiment:
    """The same run where a resource takes no time; or with many pairs, or twice as many messages.

    More pairs and messages than saturate a link are no more load.
    """
    if resource.kind == resources.LOAD:
        return experiment.with_loads(
            lambda load: replace(load, pairs=max(load.pairs, SATURATING_PAIRS))
        )
    return faster(experiment, resource, 2.0 if resource.kind == resources.OFFERED else UNLIMITED)


def _ratio(changed: Sequence[Glance], base: Sequence[Glance]) -> float:
    """How much more is carried, seed by seed, as a share."""
    return fmean(
        one.mb_per_s / other.mb_per_s - 1 if other.mb_per_s else 0.0
        for one, other in zip(changed, base, strict=True)
    )


def added(layout: Layout) -> list[tuple[str, Layout]]:
    """What a site could add, and the layout with it: a CTC on each chpid, a chpid."""
    found = []
    held = Counter(ctc.fibre for ctc in layout.ctcs)
    count, most = len(layout.ctcs), max(held.values())
    if count + len(held) <= CTCS_MAX:
        alike = min(held.values()) == most
        what = f"a {ordinal(most + 1)} CTC" if alike else "one more CTC"
        where = "on each chpid" if len(held) > 1 else "on its chpid"
        changed = ChangedLayout("", _one_more_each).carried_out(layout)
        found += [(f"{what} {where}", changed)] if changed else []
    if count + most <= CTCS_MAX and not any(fibre.channels for fibre in held):
        ctcs = f"{most} CTCs" if most > 1 else "1 CTC"
        found.append((f"one more chpid with {ctcs}", widened(layout, len(layout.fibres) + 1)))
    return found


def _one_more_each(down: Sequence[Fibre]) -> Sequence[Fibre]:
    """One more CTC of each chpid, behind the others of it."""
    last = {fibre: place for place, fibre in enumerate(down)}
    return [
        each
        for place, fibre in enumerate(down)
        for each in ([fibre, fibre] if last[fibre] == place else [fibre])
    ]


_ORDINALS: Final = ("zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh")


def ordinal(number: int) -> str:
    """``fifth``, ``16th``."""
    return _ORDINALS[number] if number < len(_ORDINALS) else f"{number}th"


MOVE: Final = 0.1
"""Each constant is moved by this share of itself."""
MOVED_MIN: Final = 0.02
"""A figure rests on a constant that moves it by more than this share."""


class RestsOn(Struct, frozen=True):
    """A constant, and what the rate becomes with less and more of it, as shares of it."""

    holder: Holder
    name: str
    known: Known
    less: float
    more: float

    @property
    def moved(self) -> float:
        """The greater of both moves, without sign."""
        return max(abs(self.less - 1), abs(self.more - 1))


def rests_on(experiment: Experiment, run_each: RunEach = in_turn) -> list[RestsOn]:
    """The constants that the rate of a run rests on, those that move it most first."""
    placed = [(kind.holder, name) for kind in resources.RESOURCES for name in kind.fields]
    every = [(holder, name) for holder in Holder for name in resources.time_constants(holder)]
    names = [each for each in dict.fromkeys([*placed, *every]) if _value(experiment, *each)]
    cases = [
        scaled(experiment, holder, (name,), 1 + move)
        for holder, name in names
        for move in (-MOVE, MOVE)
    ]
    base, *runs = glances([experiment, *cases], run_each)
    found = []
    for (holder, name), less, more in zip(names, runs[::2], runs[1::2], strict=True):
        ends = 1 + _ratio(less, base), 1 + _ratio(more, base)
        found.append(RestsOn(holder, name, known(holder, name, experiment.layout), *ends))
    moved = [each for each in found if each.moved > MOVED_MIN]
    return sorted(moved, key=lambda each: -each.moved)


def _value(experiment: Experiment, holder: Holder, name: str) -> bool:
    """Whether there is anything to move."""
    if holder == Holder.FEATURE:
        return any(getattr(fibre.profile, name) for fibre in experiment.layout.fibres)
    record = experiment.link if holder == Holder.LINK else experiment.guests
    return bool(getattr(record, name))
