"""What links carry, by the model and by IBM's rule of thumb: one definition for all who ask.

What a link carries is the rate of its slower direction, each direction by itself until it is
steady. Several links run at the same time, all first nodes sending and then all second ones; where
the file says their traffic, that runs instead, as it is. A link is the case of one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, TypeVar

from isfc.layout.capacity import directions_of, slower_by_rule
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from scenarios.figures.figure import Figure, NoRange, Unit
from scenarios.figures.limit import Limit, find_limit
from scenarios.figures.ranges import link_rate, links_rate
from scenarios.runs.cluster_shared import ChannelResult, PathResult, SharedResult
from scenarios.runs.experiment import Experiment
from scenarios.runs.load import STATED, Load
from scenarios.runs.result import Result
from scenarios.runs.saturation import RunEach, shape
from scenarios.runs.steady import Rate, SteadyEnds, steady_ends


@dataclass(frozen=True, slots=True)
class EndRate:
    """What one end of a link sends, and what it saw of that run; None where nothing was run."""

    rate: Rate
    seen: Result | None = None


Ways = tuple[EndRate, EndRate]
"""What the first node of a link sends, and what the second does."""

_NOTHING: Final[Ways] = EndRate(Rate(0.0)), EndRate(Rate(0.0))
"""Of a link that is down, and of one over which nothing runs."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What some links carry with a load; by the rule of thumb alone if ``ways`` is None.

    ``ways`` are by the name of each link. ``slower`` is the run of the direction in which less is
    carried in all, and ``limit`` what limits that. What several fibres share is, each channel and
    path, of the run in which it is busier.
    """

    links: Collection
    load: Load
    ways: Mapping[str, Ways] | None = field(default=None, hash=False)
    slower: Experiment | None = None
    channels: tuple[ChannelResult, ...] = ()
    paths: tuple[PathResult, ...] = ()
    limit: Limit | None = None

    @property
    def estimated_mb_per_s(self) -> float:
        """The same by the rule of thumb."""
        return sum(map(slower_by_rule, self.links.links))

    @property
    def rate(self) -> Figure:
        """MB/s of the slower direction of each link, in all; by rule if nothing was run."""
        links, found = self.links.links, self.ways
        if found is None:
            return Figure(self.estimated_mb_per_s, Unit.MB_PER_S, no_range=NoRange.BY_RULE)
        slower = [slower_way(found[link.name]) for link in links]
        if len(links) == 1:
            return self.rate_of(links[0], slower[0])
        return links_rate(sum((each.rate.mb_per_s for each in slower), 0.0), links, self.load)

    def rate_of(self, link: Layout, sent: EndRate) -> Figure:
        """The same of what one end of a link sends."""
        load, rate = self.load, sent.rate
        if len(self.links.links) > 1 or load.traffic:
            return links_rate(rate.mb_per_s, [link], load).of_run(rate)
        collisions = 0.0 if sent.seen is None else sent.seen.collisions_per_s
        return link_rate(rate.mb_per_s, link, load, collisions).of_run(rate)


def by_rule(link: Layout) -> tuple[float, float]:
    """What both ends of a link can send by IBM's rule of thumb, in MB/s."""
    down, up = directions_of(link)
    return down.estimated_mb_per_s, up.estimated_mb_per_s


def slower_way(ways: Ways) -> EndRate:
    """That of the ways that have something to send."""
    return min(
        (way for way in ways if way.rate.mb_per_s),
        key=lambda way: way.rate.mb_per_s,
        default=_NOTHING[0],
    )


def carry(
    every: Sequence[Collection],
    load: Load = STATED,
    run_each: RunEach | None = None,
    look: Callable[[Experiment], SteadyEnds] = steady_ends,
) -> list[Carried]:
    """What each of some collections carries with a load; by the rule of thumb without ``run_each``.

    Runs that are alike are made once, by ``look``: until they are steady, if nothing else is said.
    """
    if run_each is None:
        return [Carried(links, load) for links in every]
    runs = [load.runs(links) for links in every]
    seen = iter(_once(look, [run for both in runs for run in both], run_each))
    return [
        _carried(links, load, [next(seen) for _ in both])
        for links, both in zip(every, runs, strict=True)
    ]


def carry_all(links: Collection, run_each: RunEach) -> Carried:
    """What all links carry together, with their traffic or the stated load, and what limits it."""
    (carried,) = limited(carry([links], STATED.of(links), run_each), run_each)
    return carried


def carried_alone(links: Iterable[Layout], run_each: RunEach) -> dict[Layout, Carried]:
    """What each of some links carries by itself, with the stated load."""
    alone = {link: Collection.of(link) for link in links}
    return dict(zip(alone, carry([*alone.values()], STATED, run_each), strict=True))


def limited(
    every: Sequence[Carried], run_each: RunEach, *, with_added: bool = False
) -> list[Carried]:
    """The same with what limits each; ``with_added`` also what a site could add to it."""
    rates = {_alike(each.slower): each.rate.value for each in every if each.slower}
    find = partial(_limit, rates=rates, with_added=with_added)
    limits = iter(_once(find, [each.slower for each in every if each.slower], run_each))
    return [replace(each, limit=next(limits)) if each.slower else each for each in every]


def _limit(run: Experiment, *, rates: Mapping[object, float], with_added: bool) -> Limit:
    return find_limit(run, with_added=with_added, steady_mb_per_s=rates[_alike(run)])


def _carried(links: Collection, load: Load, runs: Sequence[SteadyEnds]) -> Carried:
    sent = {end: EndRate(run.rate, run.result) for each in runs for end, run in each.ends.items()}
    ways = {
        link.name: (sent.get(link.nodes, _NOTHING[0]), sent.get(link.nodes[::-1], _NOTHING[1]))
        for link in links.links
    }
    slower = min(runs, key=lambda run: run.mb_per_s, default=None)
    # of one link runs that are alike are made once, perhaps with other chpids
    shared = runs if len(links.links) > 1 else ()
    return Carried(
        links,
        load,
        ways,
        None if slower is None else load.runs(links)[runs.index(slower)],
        _busier([run.channels for run in shared]),
        _busier([run.paths for run in shared]),
    )


_Shared = TypeVar("_Shared", bound=SharedResult)


def _busier(runs: Sequence[Sequence[_Shared]]) -> tuple[_Shared, ...]:
    """Each that is shared, of the run in which it is busier."""
    return tuple(max(same, key=lambda each: each.busy) for same in zip(*runs, strict=True))


_Outcome = TypeVar("_Outcome")


def _once(
    work: Callable[[Experiment], _Outcome], experiments: Sequence[Experiment], run_each: RunEach
) -> list[_Outcome]:
    """Do work on every experiment, on those that are alike once."""
    keys = [_alike(each) for each in experiments]
    first = dict(zip(reversed(keys), reversed(experiments), strict=True))
    done = dict(zip(first, run_each(work, [*first.values()]), strict=True))
    return [done[key] for key in keys]


def _alike(experiment: Experiment) -> object:
    """What a run of a load depends on: of one link its shape."""
    links = experiment.collection.links
    if len(links) > 1:
        return experiment
    return shape(links[0], experiment.client_node), experiment.loads
