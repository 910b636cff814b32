"""What is sought, the runs of candidates, and what a search has found: of one link, or of several.

Each candidate is scored once, by a short run; the best then until they are steady.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeVar

from ctc.address import Rdev
from isfc.layout.collection import Collection
from isfc.layout.layout import Fibre, Layout
from isfc.search.objective import Objective, Scoring
from scenarios.figures.certainty import Odds, nobody_is_ahead, odds_ahead
from scenarios.figures.figure import Figure
from scenarios.figures.ranges import link_rate, links_rate, links_ratio
from scenarios.runs.experiment import Load
from scenarios.runs.steady import Rate, mean_of

Figures = tuple[Rate, ...]
"""Of a candidate, as of `Scoring.figures`."""

ShareOut = Callable[
    [Callable[[Collection], Figures], Sequence[Collection]], Iterable[tuple[int, Figures]]
]
"""Does work on every item and yields (index, result) as they finish."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is sought: the best places of CTCs on the fibres of a collection.

    Of one link there are to be so many ``ctcs``; several keep theirs. ``runs`` is the most
    candidates that are simulated, ``fixed`` the first system's device numbers that may not move.
    """

    collection: Collection
    scoring: Scoring
    ctcs: int = 0
    runs: int = 200
    seeds: int = 3
    fixed: frozenset[Rdev] = frozenset()
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


@dataclass(frozen=True, slots=True)
class Contender:
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
            links_rate(rate.mb_per_s, self.collection.links, self.load).of_run(rate)
            if self.links
            else link_rate(rate.mb_per_s, self.layout, self.load).of_run(rate)
            for rate in self.rates
        )

    def odds_over(self, other: "Contender") -> Odds:
        """The odds that it is ahead of the other on real hardware, at the first objective."""
        here, there = (max(1e-9, each.rates[0].mb_per_s) for each in (self, other))
        return odds_ahead(links_ratio(here / there, other.collection.links, self.collection.links))

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


@dataclass(frozen=True, slots=True)
class Move:
    """A CTC of a link that is on another fibre than before."""

    link: Layout
    rdevs: tuple[Rdev, Rdev]
    before: Fibre
    after: Fibre


@dataclass(frozen=True, slots=True)
class Found:
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
    def advised(self) -> Contender:
        """The first of the best if it gains on the devices that are defined, else these."""
        best = self.best[0]
        return best if best.gains(self.defined) else self.defined

    @property
    def proposed(self) -> Contender:
        """What is written: what is advised, of as many CTCs as are sought.

        Of another number of CTCs than the layout given has it is the first of the best in any case.
        """
        best, given = self.best[0], self.given
        return self.advised if _count(best) == _count(given) else best

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
        work = partial(figures, scoring=self.task.scoring)
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
        by_seed = [
            dict(self._share_out(partial(figures, scoring=seed), different)) for seed in seeds
        ]
        found = []
        for collection in collections:
            index = different.index(collection)
            columns = zip(*(seed[index] for seed in by_seed), strict=True)
            rates = [*map(mean_of, columns)]
            links = dict(zip(task.links, rates[count:], strict=True))
            found.append(Contender(collection, tuple(rates[:count]), links, task.scoring.load))
        return found


def figures(collection: Collection, *, scoring: Scoring) -> Figures:
    """As of `Scoring.figures`, for other processes."""
    return scoring.figures(collection)
