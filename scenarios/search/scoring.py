"""What is sought, by what it is scored, the runs of candidates, and what a search has found.

Objectives are of one link, or of several that run together, in MB/s: by rule of thumb, and by runs.
Each candidate is scored once, by a short run; the best then until they are steady.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Generic, TypeVar

from msgspec import Struct

from ctc.address import Rdev
from isfc.layout.capacity import directions_of, end_to_count_on
from isfc.layout.collection import Collection
from isfc.layout.layout import Fibre, Layout
from isfc.layout.loss import CHPID, losses
from isfc.layout.numbering import Taken
from isfc.reports.figure import Figure
from scenarios.figures.certainty import Odds, nobody_is_ahead, odds_ahead
from scenarios.figures.ranges import link_rate, links_rate, links_ratio
from scenarios.figures.rates import carry, slower_way
from scenarios.moves.evacuation import Evacuation, move
from scenarios.moves.guest import GuestMemory, GuestPlan
from scenarios.runs.experiment import WARMUP, Experiment, Load, in_turn
from scenarios.runs.result import MIB
from scenarios.runs.steady import Rate, SteadyEnds, mean_of, short_ends, steady_ends, sum_of

RELOCATED_LENGTH: Final = 256 * MIB
"""Memory of the guest that is relocated to score a layout, none of which changes meanwhile. Chosen:
a relocation is limited by the link from the first pass on, and this takes under a second of it."""


class Objective(StrEnum):
    """What may be made great of one link. Every one is MB/s of 2^20 bytes."""

    FORWARD = "forward"
    """From the first system to the second, clients on the first."""
    REVERSE = "reverse"
    """From the second to the first, clients on the second."""
    SYMMETRIC = "symmetric"
    """The lesser of both."""
    WORST_CHPID_LOSS = "worst-chpid-loss"
    """The lesser of both, with that chpid gone whose loss leaves least."""
    RELOCATION = "relocation"
    """What one guest's memory moves at, forward."""


class LinksObjective(StrEnum):
    """What may be made great of several links. MB/s of 2^20 bytes, of each its slower direction."""

    SUM = "sum"
    """Of all links."""
    WORST_LINK = "worst-link"
    """Of the link that has least."""
    WORST_LOSS = "worst-loss"
    """Of all links, with that channel, director or path gone whose loss leaves least."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """The objectives, what runs, and the runs by which they are scored.

    ``seconds`` of virtual time are measured; None: until that is steady.
    """

    objectives: tuple[Objective, ...] | tuple[LinksObjective, ...]
    load: Load
    seconds: float | None
    warmup: float = WARMUP
    seed: int = 1

    def figures(self, collection: Collection) -> tuple[Rate, ...]:
        """The score by each objective, then what each of several links with traffic carries."""
        links: list[Rate] = []
        scores: list[Rate] = []
        for objective in self.objectives:
            if isinstance(objective, Objective):
                scores.append(self._score(objective, collection.links[0]))
                continue
            links = links or self._slower(collection)
            match objective:
                case LinksObjective.SUM:
                    scores.append(sum_of(links))
                case LinksObjective.WORST_LINK:
                    scores.append(_least(links))
                case LinksObjective.WORST_LOSS:
                    scores.append(self._after_worst_loss(collection))
        return (*scores, *links)

    def _score(self, objective: Objective, layout: Layout) -> Rate:
        match objective:
            case Objective.FORWARD:
                return self._sent(layout, 0)
            case Objective.REVERSE:
                return self._sent(layout, 1)
            case Objective.SYMMETRIC:
                return _least([self._sent(layout, 0), self._sent(layout, 1)])
            case Objective.WORST_CHPID_LOSS:
                return _worst_loss(layout, lambda left: self._score(Objective.SYMMETRIC, left))
            case Objective.RELOCATION:
                idle = GuestPlan(
                    "GUEST", GuestMemory(size=RELOCATED_LENGTH, touched=RELOCATED_LENGTH)
                )
                moved = move(Evacuation.over(layout, [idle], seed=self.seed))
                (guest,) = moved.guests
                return Rate(moved.mb_per_s / guest.share).no_more_than(moved.mb_per_s)

    def _after_worst_loss(self, collection: Collection) -> Rate:
        """The least that all links carry with a piece gone that takes no system along."""
        rests = dict.fromkeys(loss.rest for loss in losses(collection) if not loss.takes_systems)
        lefts = [self._slower(rest) for rest in rests]
        return _least([sum_of(left) if left else Rate(0.0) for left in lefts])

    def _sent(self, layout: Layout, way: int) -> Rate:
        """What one end of a link sends."""
        (end,) = self._look(self.load.runs(Collection.of(layout))[way]).ends.values()
        return end_to_count_on(end.rate, layout, layout.nodes[way])

    def _slower(self, collection: Collection) -> list[Rate]:
        """What the slower direction of each link with traffic carries."""
        (carried,) = carry([collection], self.load, in_turn, self._look)
        rates = (slower_way(ways).rate for ways in (carried.ways or {}).values())
        return [rate for rate in rates if rate.mb_per_s]

    def _look(self, experiment: Experiment) -> SteadyEnds:
        seconds = self.seconds or experiment.seconds
        run = replace(experiment, seconds=seconds, warmup=self.warmup, seed=self.seed)
        return steady_ends(run) if self.seconds is None else short_ends(run)


def estimate(objective: Objective, layout: Layout) -> float:
    """The objective by IBM's rule of thumb, which needs no run."""
    forward, reverse = (float(way.estimated_mb_per_s) for way in directions_of(layout))
    match objective:
        case Objective.REVERSE:
            return reverse
        case Objective.SYMMETRIC:
            return min(forward, reverse)
        case Objective.WORST_CHPID_LOSS:
            return _worst_loss(
                layout, lambda left: Rate(estimate(Objective.SYMMETRIC, left))
            ).mb_per_s
        case _:
            return forward


def _least(rates: Sequence[Rate]) -> Rate:
    return min(rates, key=lambda rate: rate.mb_per_s)


def _worst_loss(layout: Layout, figure: Callable[[Layout], Rate]) -> Rate:
    """The least that is left with a chpid gone: nothing where the link goes with it."""
    left = [loss.left for loss in losses(Collection.of(layout)) if loss.kind == CHPID]
    return _least([Rate(0.0) if layout is None else figure(layout) for layout in left])


Figures = tuple[Rate, ...]
"""Of a candidate, as of `Scoring.figures`."""

ShareOut = Callable[
    [Callable[[Collection], Figures], Sequence[Collection]], Iterable[tuple[int, Figures]]
]
"""Does work on every item and yields (index, result) as they finish."""


class Task(Struct, frozen=True):
    """What is sought: the best places of CTCs on the fibres of a collection.

    Of one link there are to be so many ``ctcs``; several keep theirs. ``runs`` is the most
    candidates that are simulated, ``fixed`` the first system's device numbers that may not move,
    ``taken`` the numbers that devices have.
    """

    collection: Collection
    scoring: Scoring
    ctcs: int = 0
    runs: int = 200
    seeds: int = 3
    fixed: frozenset[Rdev] = frozenset()
    taken: Taken = (frozenset(), frozenset())
    seed: int = 1

    @property
    def layout(self) -> Layout:
        """The one link."""
        return self.collection.links[0]

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """Those of one link."""
        return tuple(each for each in self.scoring.objectives if isinstance(each, Objective))

    @property
    def links(self) -> tuple[str, ...]:
        """The names of the links whose figures follow the scores; none if there is one link."""
        if self.objectives:
            return ()
        return tuple(link.name for link in loaded(self.collection, self.scoring.load))


def loaded(collection: Collection, load: Load) -> list[Layout]:
    """The links that have traffic: all, if the load is no file's."""
    ends = [{each.client, each.server} for each in load.traffic]
    return [link for link in collection.links if not ends or {*link.nodes} in ends]


class Contender(Struct, frozen=True):
    """A collection with its score by each objective, and what each of several links carries.

    All are of ``load``.
    """

    collection: Collection
    rates: tuple[Rate, ...]
    links: dict[str, Rate]
    load: Load

    @property
    def layout(self) -> Layout:
        """The one link."""
        return self.collection.links[0]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """MB/s by each objective."""
        return tuple(
            links_rate(rate.modelled, self.collection.links, self.load).of_run(rate)
            if self.links
            else link_rate(rate.modelled, self.layout, self.load).of_run(rate)
            for rate in self.rates
        )

    def odds_over(self, other: "Contender") -> Odds:
        """The odds that it is ahead of the other on real hardware, at the first objective."""
        here, there = (max(1e-9, each.rates[0].mb_per_s) for each in (self, other))
        links = other.collection.links, self.collection.links
        return odds_ahead(links_ratio(here / there, *links, self.load.each))

    def gains(self, other: "Contender") -> bool:
        """Whether it is ahead at the first objective: by runs, and as far as the odds tell.

        By more than both spreads explain, and in three of four such choices on real hardware.
        """
        is_ahead = self.rates[0].is_ahead(other.rates[0])
        return is_ahead and not nobody_is_ahead(self.odds_over(other))

    def dominates(self, other: "Contender") -> bool:
        """Whether it is nowhere worse and somewhere better."""
        ours, theirs = by_objective(self), by_objective(other)
        return ours != theirs and all(a >= b for a, b in zip(ours, theirs, strict=True))


def by_objective(one: Contender) -> tuple[float, ...]:
    """MB/s of a contender, to put it in order."""
    return tuple(rate.mb_per_s for rate in one.rates)


class Move(Struct, frozen=True):
    """A CTC of a link that is on another fibre than before."""

    link: Layout
    rdevs: tuple[Rdev, Rdev]
    before: Fibre
    after: Fibre


class Found(Struct, frozen=True):
    """What a search has found: the best first, what was given, and how much was looked at.

    ``defined`` is the best choice among the devices of one link that are defined: what was given if
    nothing else is ahead of that, or there is no other choice.
    """

    best: tuple[Contender, ...]
    given: Contender
    defined: Contender
    simulated_count: int
    """Those of as many CTCs as are sought."""
    candidate_count: int | None = None
    """All candidates, alike ones once; None if there are too many to be counted."""
    screened_count: int = 0
    """Those that the rule of thumb left out."""
    defined_count: int = 0
    """Choices of the devices that are defined that were simulated."""

    @property
    def front(self) -> tuple[Contender, ...]:
        """Those of the best that no other one dominates, in the order of the first objective."""
        every = (*self.best, self.given)
        return tuple(a for a in self.best if not any(b.dominates(a) for b in every))

    @property
    def proposed(self) -> Contender:
        """What is written: the first of the best if it gains on the devices that are defined.

        Else these; of another number of CTCs than the layout given has the first in any case.
        """
        best, is_alike = self.best[0], _count(self.best[0]) == _count(self.given)
        return self.defined if is_alike and not best.gains(self.defined) else best

    @property
    def moves(self) -> tuple[Move, ...]:
        """What the best has elsewhere than what was given: of several links, which keep numbers."""
        found: list[Move] = []
        for old, new in zip(
            self.given.collection.links, self.best[0].collection.links, strict=True
        ):
            fibres = {ctc.rdevs: ctc.fibre for ctc in new.ctcs}
            found += [
                Move(old, ctc.rdevs, ctc.fibre, fibres[ctc.rdevs])
                for ctc in old.device_list()
                if ctc.fibre.name != fibres[ctc.rdevs].name
            ]
        return tuple(found)


def _count(contender: Contender) -> int:
    return sum(len(link.ctcs) for link in contender.collection.links)


_Candidate = TypeVar("_Candidate")


class Trials(Generic[_Candidate]):
    """The scores of all candidates so far, by objective."""

    def __init__(self, task: Task, share_out: ShareOut, progress: Callable[[int], None]) -> None:
        self.task = task
        self.scores: dict[_Candidate, tuple[float, ...]] = {}
        self._share_out = share_out
        self._progress = progress

    def score(self, collections: Mapping[_Candidate, Collection]) -> None:
        """Score what is new among the candidates."""
        new = [each for each in collections if each not in self.scores]
        work = self.task.scoring.figures
        answers: dict[int, Figures] = {}
        for index, answer in self._share_out(work, [collections[each] for each in new]):
            answers[index] = answer
            self._progress(len(self.scores) + len(answers))
        objectives = self.task.scoring.objectives
        for index, each in enumerate(new):
            rates = answers[index][: len(objectives)]
            self.scores[each] = tuple(rate.mb_per_s for rate in rates)

    def measured(self, collections: Sequence[Collection]) -> list[Contender]:
        """Collections run until they are steady, with several seeds."""
        task, count = self.task, len(self.task.scoring.objectives)
        seeds = [
            replace(task.scoring, seconds=None, seed=seed) for seed in range(1, task.seeds + 1)
        ]
        different = list(dict.fromkeys(collections))
        by_seed = [dict(self._share_out(seed.figures, different)) for seed in seeds]
        found = []
        for collection in collections:
            index = different.index(collection)
            columns = zip(*(seed[index] for seed in by_seed), strict=True)
            rates = [*map(mean_of, columns)]
            links = dict(zip(task.links, rates[count:], strict=True))
            found.append(Contender(collection, tuple(rates[:count]), links, task.scoring.load))
        return found
