"""The search for better places of all CTCs of links that run together, on the fibres there are.

Every link keeps its CTCs and their device numbers; which of the link's fibres each is on may
change. A climb: beginnings that a person would try, then the best of some neighbours, again and
again. A neighbour is one CTC on another fibre of its link, or two of a link that change places.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from random import Random
from typing import Final

from ctc.address import Rdev
from isfc.errors import ConfigurationError
from isfc.layout.layout import Collection, Fibre, Layout
from isfc.layout.sharing import in_use, with_channels
from isfc.search.candidate import Candidate, candidate_of
from scenarios.cluster import ClusterExperiment, LinkLoad, run_cluster
from scenarios.repeat import is_ahead, spread_percent
from scenarios.warmup import WARMUP

NEIGHBOURS: Final = 16
"""Neighbours that are scored together before the best of them is taken. Chosen."""

BEST: Final = 5
"""Candidates that are run longer, and shown."""

_IDLE_MAX: Final = 4
"""Steps that bring nothing better before the search ends. Chosen."""

Candidates = tuple[Candidate, ...]
"""For each link, the index of the fibre of each CTC down its device list."""


class LinksObjective(StrEnum):
    """What may be made great of several links. MB/s of 2^20 bytes, both ways of a link together."""

    SUM = "sum"
    """Of all links."""
    WORST_LINK = "worst-link"
    """Of the link that has least."""


@dataclass(frozen=True, slots=True)
class LinksTask:
    """What is sought: places of all CTCs of a collection, under these loads.

    ``runs`` is the most candidates that are simulated; the best are run four times as long.
    """

    collection: Collection
    loads: tuple[LinkLoad, ...]
    objective: LinksObjective = LinksObjective.SUM
    seconds: float = 0.2
    runs: int = 200
    seeds: int = 3
    seed: int = 1
    warmup: float = WARMUP


@dataclass(frozen=True, slots=True)
class LinksContender:
    """A collection with the MB/s of each link with traffic, and its score: means over the seeds."""

    collection: Collection
    links: dict[str, float]
    score: float
    spread_percent: float

    def gains(self, other: "LinksContender") -> bool:
        """Whether it is ahead by more than the seeds of both differ."""
        return is_ahead((self.score, self.spread_percent), (other.score, other.spread_percent))


@dataclass(frozen=True, slots=True)
class Move:
    """A CTC of a link that is on another fibre than before."""

    link: Layout
    rdevs: tuple[Rdev, Rdev]
    before: Fibre
    after: Fibre


@dataclass(frozen=True, slots=True)
class LinksFound:
    """What a search has found: the best first, the collection given, how much was looked at."""

    best: tuple[LinksContender, ...]
    given: LinksContender
    simulated_count: int

    @property
    def proposed(self) -> LinksContender:
        """What is written: the first of the best if it gains, else the one given."""
        return self.best[0] if self.best[0].gains(self.given) else self.given

    @property
    def moves(self) -> tuple[Move, ...]:
        """What the best has elsewhere than the collection given."""
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


Figures = tuple[float, ...]
"""MB/s of each link with traffic."""

ShareOut = Callable[
    [Callable[[Collection], Figures], Sequence[Collection]], Iterable[tuple[int, Figures]]
]
"""Does work on every item and yields (index, result) as they finish."""


def placed(collection: Collection, candidates: Candidates) -> Collection:
    """The collection with its CTCs on the fibres of a candidate; those without any are left out."""
    links: list[Layout] = []
    for link, candidate in zip(collection.links, candidates, strict=True):
        at = {
            ctc.rdevs: replace(link.fibres[index], channels=())
            for ctc, index in zip(link.device_list(), candidate, strict=True)
        }
        fibres = tuple(
            bare for fibre in link.fibres if (bare := replace(fibre, channels=())) in at.values()
        )
        ctcs = tuple(replace(ctc, fibre=at[ctc.rdevs]) for ctc in link.ctcs)
        links.append(replace(link, fibres=fibres, ctcs=ctcs))
    return with_channels(in_use(replace(collection, links=tuple(links))))


def optimise_links(
    task: LinksTask, share_out: ShareOut, progress: Callable[[int], None] = lambda _: None
) -> LinksFound:
    """Search for the places of all CTCs that are best under the loads.

    ``share_out`` does the runs, on as many processors as it likes; the same task gives the same
    collections. ``progress`` is told how many candidates have been simulated. Raises
    `ConfigurationError` if there is nothing to choose.
    """
    if all(len(link.fibres) == 1 for link in task.collection.links):
        raise ConfigurationError("each link has one fibre; expected several for a link, to choose")
    return _Climb(task, share_out, progress).run()


class _Climb:
    def __init__(
        self, task: LinksTask, share_out: ShareOut, progress: Callable[[int], None]
    ) -> None:
        self._task = task
        self._share_out = share_out
        self._progress = progress
        self._random = Random(f"places {task.seed}")
        self._given = tuple(map(candidate_of, task.collection.links))
        self._scores: dict[Candidates, float] = {}

    def run(self) -> LinksFound:
        task, known = self._task, self._scores
        self._simulate([self._given, *self._beginnings()])
        idle = 0
        while len(known) < task.runs and idle < _IDLE_MAX:
            best = max(known.values())
            self._simulate(self._neighbours(max(known, key=lambda each: known[each])))
            idle = 0 if max(known.values()) > best else idle + 1
        ranked = sorted(known, key=lambda each: known[each], reverse=True)[:BEST]
        *best_of, given = self._measured([*ranked, self._given])
        best_of.sort(key=lambda each: each.score, reverse=True)
        return LinksFound(tuple(best_of), given, len(known))

    def _beginnings(self) -> Iterator[Candidates]:
        """Each link's CTCs across its fibres or fibre by fibre; from the first, or one further."""
        counts = [(len(link.fibres), len(link.ctcs)) for link in self._task.collection.links]
        for step in (0, 1):
            yield tuple(
                tuple((n + step * place) % fibres for n in range(ctcs))
                for place, (fibres, ctcs) in enumerate(counts)
            )
            yield tuple(
                tuple((n * fibres // ctcs + step * place) % fibres for n in range(ctcs))
                for place, (fibres, ctcs) in enumerate(counts)
            )

    def _neighbours(self, best: Candidates) -> list[Candidates]:
        """Some candidates that differ from the best by one CTC or two, each new."""
        found: dict[Candidates, None] = {}
        for _ in range(20 * NEIGHBOURS):
            place = self._random.randrange(len(best))
            fibres = len(self._task.collection.links[place].fibres)
            moved = list(best[place])
            one, other = (self._random.randrange(len(moved)) for _ in range(2))
            if self._random.random() < 0.5:
                moved[one] = self._random.randrange(fibres)
            else:
                moved[one], moved[other] = moved[other], moved[one]
            near = (*best[:place], tuple(moved), *best[place + 1 :])
            if near not in self._scores and self._keeps_apart(place, moved):
                found[near] = None
            if len(found) == NEIGHBOURS:
                break
        return list(found)

    def _keeps_apart(self, place: int, moved: Sequence[int]) -> bool:
        """Whether a link that is on two fibres or more still is: one's loss must not cut it."""
        return len(set(moved)) >= min(2, len(set(self._given[place])))

    def _simulate(self, candidates: Iterable[Candidates]) -> None:
        new = [each for each in dict.fromkeys(candidates) if each not in self._scores]
        new = new[: self._task.runs - len(self._scores)]
        work = partial(figures, task=self._task)
        answers: dict[int, Figures] = {}
        for index, answer in self._share_out(work, [self._placed(each) for each in new]):
            answers[index] = answer
            self._progress(len(self._scores) + len(answers))
        for index, each in enumerate(new):
            self._scores[each] = self._score(answers[index])

    def _placed(self, candidates: Candidates) -> Collection:
        return placed(self._task.collection, candidates)

    def _score(self, each: Figures) -> float:
        return sum(each) if self._task.objective is LinksObjective.SUM else min(each)

    def _measured(self, ranked: Sequence[Candidates]) -> list[LinksContender]:
        """The candidates run longer, with several seeds."""
        task = self._task
        collections = [self._placed(each) for each in ranked]
        seeds = [
            dict(
                self._share_out(
                    partial(figures, task=replace(task, seconds=4 * task.seconds, seed=seed)),
                    collections,
                )
            )
            for seed in range(1, task.seeds + 1)
        ]
        names = [
            link.name
            for link in task.collection.links
            if any({load.client, load.server} == set(link.nodes) for load in task.loads)
        ]
        contenders = []
        for index, collection in enumerate(collections):
            columns = list(zip(*(found[index] for found in seeds), strict=True))
            scores = [self._score(found[index]) for found in seeds]
            contenders.append(
                LinksContender(
                    collection,
                    dict(zip(names, map(_mean, columns), strict=True)),
                    _mean(scores),
                    spread_percent(scores) or 0.0,
                )
            )
        return contenders


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def figures(collection: Collection, *, task: LinksTask) -> Figures:
    """MB/s of each link with traffic, both ways, of a run of all together."""
    experiment = ClusterExperiment(
        collection, task.loads, seconds=task.seconds, warmup=task.warmup, seed=task.seed
    )
    return tuple(link.client.whole.result.mb_per_s for link in run_cluster(experiment).links)
