"""What a loss leaves of a link, or of all links of a file: one definition for all who ask.

What a link carries is the rate of its slower direction, each direction by itself until it is
steady. Several links run at the same time, all first nodes sending and then all second ones; where
the file says their traffic, that runs instead, as it is. What a loss leaves is a share of what the
whole carries so; of several links it is a share of the sum.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeVar

from isfc.layout.capacity import directions_of
from isfc.layout.collection import Cec, Collection
from isfc.layout.layout import Layout
from isfc.layout.loss import (
    ClusterLoss,
    Loss,
    cluster_pieces,
    left_of,
    losses,
    without_fibres,
)
from isfc.layout.lost import CEC, SYSTEM, LostTogether, collection_without, lost_pieces
from scenarios.figures.certainty import Range
from scenarios.figures.limit import Limit, find_limit
from scenarios.figures.ranges import links_gain_range, links_range, rate_range
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import Result
from scenarios.runs.saturation import SECONDS, STATED_PAIRS, SUITE, RunEach, shape
from scenarios.runs.steady import Rate, SteadyRun, steady_ends
from scenarios.runs.workload import SUITES, LinkLoad, Workload, load_of

AnyLoss = Loss | LostTogether | ClusterLoss
"""One thing that is gone, or several together."""

Lost = tuple[AnyLoss, Collection]
"""A loss, and the links that it leaves."""


@dataclass(frozen=True, slots=True)
class WaySent:
    """What one end of a link sends, and what it saw of that run; None where nothing was run."""

    rate: Rate
    seen: Result | None = None


_NOTHING: Final = WaySent(Rate(0.0)), WaySent(Rate(0.0))
"""Of a link that is down, and of one over which nothing runs."""

Ways = tuple[WaySent, WaySent]
"""What the first node of a link sends, and what the second does."""


@dataclass(frozen=True, slots=True)
class LossLoad:
    """What runs: ``pairs`` of a workload over each link, or the ``traffic`` of several."""

    workload: Workload = SUITES[SUITE]
    pairs: int = STATED_PAIRS
    traffic: tuple[LinkLoad, ...] = ()

    @property
    def words(self) -> str:
        """The load, as every page says it."""
        if self.traffic:
            return "with the traffic of the file"
        return f"with {self.pairs} pairs of {self.workload.name}, each way by itself"

    def of(self, collection: Collection) -> "LossLoad":
        """The same of some links: with their traffic, if they are several and have some."""
        return (
            self
            if len(collection.links) == 1
            else LossLoad(self.workload, self.pairs, tuple(map(load_of, collection.traffic)))
        )

    def runs(self, rest: Collection) -> list[Experiment]:
        """The runs of what is left: one for each direction, or that of the traffic."""
        if self.traffic:
            joined = [{*link.nodes} for link in rest.links]
            every = [tuple(t for t in self.traffic if {t.client, t.server} in joined)]
        else:
            ends = [link.nodes for link in rest.links]
            every = [
                tuple(LinkLoad(*end, self.workload, self.pairs) for end in ways)
                for ways in (ends, [(second, first) for first, second in ends])
            ]
        return [Experiment(rest, loads, seconds=SECONDS) for loads in every if loads]


@dataclass(frozen=True, slots=True)
class AfterLoss:
    """What is left of ``whole`` after a loss; the whole itself if both are None.

    ``ways`` are by the name of each link that is left; None where nothing was run. ``limit`` is of
    the direction in which less is carried.
    """

    loss: AnyLoss | None
    rest: Collection
    load: LossLoad
    ways: Mapping[str, Ways] | None = field(default=None, hash=False)
    limit: Limit | None = None
    whole: "AfterLoss | None" = None

    @property
    def gone(self) -> str:
        """What is gone, in a word and as each end names it."""
        match self.loss:
            case None:
                return "nothing"
            case ClusterLoss(name=name):
                return name
            case LostTogether(text=text, piece=piece):
                return text.replace(":", " ", 1) if piece else text
            case loss:
                here, there = loss.names
                named = here if here == there else f"{here} ({there})"
                return f"{'chpid' if loss.kind == 'chpid' else 'CTC'} {named}"

    @property
    def ctc_count(self) -> int:
        """CTCs of all links that are left."""
        return sum(len(link.ctcs) for link in self.rest.links)

    @property
    def slower(self) -> WaySent | None:
        """The slower direction of the only link, of which its rate is."""
        return None if self.sent is None else _slower(self.sent)

    @property
    def sent(self) -> Ways | None:
        """What both ends of the only link send, nothing if it is down; None if it was not run."""
        return None if self.ways is None else next(iter(self.ways.values()), _NOTHING)

    @property
    def estimated(self) -> tuple[float, float]:
        """The same by rule of thumb, in MB/s."""
        return next(map(_by_rule, self.rest.links), (0.0, 0.0))

    @property
    def mb_per_s(self) -> float:
        """MB/s (2^20) of the slower direction, of several links in all; by rule if not run."""
        if self.ways is None:
            return sum((min(_by_rule(link)) for link in self.rest.links), 0.0)
        return sum((_slower(ways).rate.mb_per_s for ways in self.ways.values()), 0.0)

    @property
    def range(self) -> Range | None:
        """Between what that would lie; None where nothing was run, and where nothing is left."""
        links, found = self.rest.links, self.ways
        if found is None or not self.mb_per_s:
            return None
        if len(links) > 1:
            return links_range(self.mb_per_s, links)
        (link,) = links
        return self._range_of(_slower(found[link.name]))

    def way_range(self, way: int) -> Range | None:
        """The same of what one end of the only link sends."""
        if self.sent is None or not self.rest.links:
            return None
        return self._range_of(self.sent[way])

    def _range_of(self, sent: WaySent) -> Range:
        (link,), load = self.rest.links, self.load
        collisions = 0.0 if sent.seen is None else sent.seen.collisions_per_s
        return rate_range(sent.rate.mb_per_s, link, load.workload, load.pairs, collisions)

    @property
    def share(self) -> float:
        """What is left of the whole, of 1."""
        of = 0.0 if self.whole is None else self.whole.mb_per_s
        return self.mb_per_s / of if of else 1.0

    @property
    def share_range(self) -> Range | None:
        """Between what that would lie: the widest of those of links that have lost something.

        None where nothing was run, and where nothing is left.
        """
        if self.whole is None or self.ways is None or not self.mb_per_s:
            return None
        links = self.rest.links
        return links_gain_range(self.share, self.whole.rest.links, links) if links else None

    def to_dict(self) -> dict[str, Any]:
        """One flat record, as a data frame takes it; MB/s (2^20) of the slower direction.

        ``low`` and ``high`` are between what IBM's would lie in four of five cases; ``left`` is of
        1.
        """
        within = self.range
        return {
            "gone": "" if self.loss is None else self.gone,
            "mb_per_s": self.mb_per_s,
            "low_mb_per_s": None if within is None else within.likely.low,
            "high_mb_per_s": None if within is None else within.likely.high,
            "left": self.share,
        }


def _by_rule(link: Layout) -> tuple[float, float]:
    down, up = directions_of(link)
    return down.estimated_mb_per_s, up.estimated_mb_per_s


def _slower(ways: Ways) -> WaySent:
    """That of the ways that have something to send."""
    return min(
        (way for way in ways if way.rate.mb_per_s),
        key=lambda way: way.rate.mb_per_s,
        default=_NOTHING[0],
    )


def link_losses(
    layout: Layout, cecs: Sequence[Cec] = (), together: LostTogether | None = None
) -> list[Lost]:
    """Every loss of a link: directors, paths, CECs, chpids and CTCs; or one ``together``."""
    every: list[Loss | LostTogether] = [*lost_pieces(layout, cecs), *losses(layout)]
    if together is not None:
        every = [together]
    return [(loss, Collection.of(*() if loss.left is None else (loss.left,))) for loss in every]


def links_losses(collection: Collection, pieces: Sequence[str] = ()) -> list[Lost]:
    """Every loss of hardware of some links; or that of ``pieces`` together.

    They are named as in `isfc.layout.lost`.
    """
    if pieces:
        rest, _ = collection_without(collection, pieces)
        return [(left_of(collection, "together", " + ".join(pieces), rest), rest)]
    return [(loss, without_fibres(collection, gone)) for loss, gone in cluster_pieces(collection)]


def after_losses(
    collection: Collection,
    lost: Sequence[Lost],
    run_each: RunEach | None = None,
    load: LossLoad | None = None,
    *,
    each_limit: bool = True,
) -> list[AfterLoss]:
    """The whole first, then what each loss leaves; by rule of thumb alone without ``run_each``.

    What limits is found of the whole, and if ``each_limit`` of what each loss leaves.
    """
    if len(collection.links) == 1:
        collection = Collection.of(*collection.links)
    load = (load or LossLoad()).of(collection)
    rests = [collection, *(rest for _, rest in lost)]
    if run_each is None:
        whole, *lefts = (AfterLoss(None, rest, load) for rest in rests)
    else:
        whole, *lefts = _run(rests, load, run_each, each_limit=each_limit)
    return [
        whole,
        *(
            AfterLoss(loss, left.rest, load, left.ways, left.limit, whole)
            for (loss, _), left in zip(lost, lefts, strict=True)
        ),
    ]


def carried_by_each(
    links: Iterable[Layout], run_each: RunEach, load: LossLoad | None = None
) -> dict[Layout, AfterLoss]:
    """What each of some links carries by itself, of which nothing is lost; alike ones run once."""
    load, rests = load or LossLoad(), [Collection.of(link) for link in dict.fromkeys(links)]
    return {
        rest.links[0]: AfterLoss(None, rest, load, _ways(rest, both))
        for rest, both in zip(rests, _steady(rests, load, run_each), strict=True)
    }


def _steady(rests: Sequence[Collection], load: LossLoad, run_each: RunEach) -> "list[list[_Seen]]":
    """The runs of each, and what was seen of them."""
    runs = [load.runs(rest) for rest in rests]
    seen = iter(_once(steady_ends, [run for both in runs for run in both], run_each))
    return [[(run, next(seen)) for run in both] for both in runs]


def _run(
    rests: Sequence[Collection], load: LossLoad, run_each: RunEach, *, each_limit: bool
) -> list[AfterLoss]:
    found = _steady(rests, load, run_each)
    slower = [min(both, key=_sum, default=None) for both in found]
    limited = [run for run, _ in filter(None, slower)]
    limits = iter(
        [
            *_once(find_limit, limited[:1], run_each),
            *(_once(_limit_alone, limited[1:], run_each) if each_limit else ()),
        ]
    )
    return [
        AfterLoss(None, rest, load, _ways(rest, both), next(limits, None) if least else None)
        for rest, both, least in zip(rests, found, slower, strict=True)
    ]


_limit_alone = partial(find_limit, with_added=False)

_Seen = tuple[Experiment, Sequence[SteadyRun]]


def _sum(seen: _Seen) -> float:
    return sum(end.rate.mb_per_s for end in seen[1])


def _ways(rest: Collection, seen: Iterable[_Seen]) -> dict[str, Ways]:
    sent = {
        end: WaySent(run.rate, run.result)
        for experiment, runs in seen
        for end, run in zip(experiment.sending, runs, strict=True)
    }
    return {
        link.name: (
            sent.get(link.nodes, _NOTHING[0]),
            sent.get(link.nodes[::-1], _NOTHING[1]),
        )
        for link in rest.links
    }


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


def worst_of(lefts: Sequence[AfterLoss]) -> AfterLoss | None:
    """The loss that leaves least of the whole, which is first; None if there is none.

    That of a system or a CEC counts only where nothing else may be lost: no layout survives it.
    """
    after = lefts[1:]
    survived = [left for left in after if left.loss and left.loss.kind not in (CEC, SYSTEM)]
    return min(survived or after, key=lambda left: left.share, default=None)
