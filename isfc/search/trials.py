"""Runs of candidates: each is scored once, by a short run; the best then until they are steady."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Generic, TypeVar

from isfc.layout.collection import Collection
from isfc.search.objective import Scoring
from isfc.search.result import Contender, Figures, ShareOut, Task
from scenarios.runs.steady import mean_of

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
