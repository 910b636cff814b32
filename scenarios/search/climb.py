"""The search for better places of the CTCs of several links that run together: they are climbed.

Every link keeps its CTCs and their device numbers; which of the link's fibres each is on may
change, if the link has traffic. It begins with what a person would try, then takes the best of some
neighbours, again and again. A neighbour is one CTC on another fibre of its link, or two of a link
that change places.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from random import Random
from typing import Final

from msgspec import structs

from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection, with_channels
from isfc.layout.layout import Layout
from isfc.layout.sharing import in_use
from scenarios.search.candidate import Candidate, candidate_of
from scenarios.search.scoring import Found, ShareOut, Task, Trials, by_objective, loaded

NEIGHBOURS: Final = 16
"""Neighbours that are scored together before the best of them is taken. Chosen."""

CLIMB_BEST: Final = 5
"""Candidates that are run longer, and shown."""

_CLIMB_IDLE_MAX: Final = 4
"""Steps that bring nothing better before the search ends. Chosen."""

Candidates = tuple[Candidate, ...]
"""For each link, the index of the fibre of each CTC down its device list."""


def placed(collection: Collection, candidates: Candidates) -> Collection:
    """The collection with its CTCs on the fibres of a candidate; those without any are left out."""
    links: list[Layout] = []
    for link, candidate in zip(collection.links, candidates, strict=True):
        at = {
            ctc.rdevs: structs.replace(link.fibres[index], channels=())
            for ctc, index in zip(link.device_list(), candidate, strict=True)
        }
        bare = (structs.replace(fibre, channels=()) for fibre in link.fibres)
        fibres = tuple(each for each in bare if each in at.values())
        ctcs = tuple(structs.replace(ctc, fibre=at[ctc.rdevs]) for ctc in link.ctcs)
        links.append(replace(link, fibres=fibres, ctcs=ctcs))
    used = in_use(replace(collection, links=tuple(links)))
    return replace(used, links=with_channels(used))


class Climb(Trials[Candidates]):
    """One search. Raises `ConfigurationError` if there is nothing to choose."""

    def __init__(self, task: Task, share_out: ShareOut, progress: Callable[[int], None]) -> None:
        super().__init__(task, share_out, progress)
        moved = loaded(task.collection, task.scoring.load)
        self._free = [
            place
            for place, link in enumerate(task.collection.links)
            if len(link.fibres) > 1 and link in moved
        ]
        """Of the links whose CTCs may move: those with traffic, and fibres to choose from."""
        if not self._free:
            raise ConfigurationError(
                "each link with traffic has one fibre; expected several for one of them, to choose"
            )
        self._random = Random(f"places {task.seed}")
        self._given = tuple(map(candidate_of, task.collection.links))

    def run(self) -> Found:
        """Climb until nothing is better, or all runs are done."""
        known = self.scores
        self._simulate([self._given, *self._beginnings()])
        idle = 0
        while len(known) < self.task.runs and idle < _CLIMB_IDLE_MAX:
            best = max(known.values())
            self._simulate(self._neighbours(max(known, key=lambda each: known[each])))
            idle = 0 if max(known.values()) > best else idle + 1
        ranked = sorted(known, key=lambda each: known[each], reverse=True)[:CLIMB_BEST]
        collections = [placed(self.task.collection, each) for each in (*ranked, self._given)]
        *best_of, given = self.measured(collections)
        best_of.sort(key=by_objective, reverse=True)
        return Found(tuple(best_of), given, given, len(known))

    def _beginnings(self) -> Iterator[Candidates]:
        """Each link's CTCs across its fibres or fibre by fibre; from the first, or one further.

        Those of links that are not to change stay where they are.
        """
        for step, across in product((0, 1), (True, False)):
            begun = [*self._given]
            for place in self._free:
                link = self.task.collection.links[place]
                fibres, ctcs = len(link.fibres), len(link.ctcs)
                down = (n if across else n * fibres // ctcs for n in range(ctcs))
                begun[place] = tuple((n + step * place) % fibres for n in down)
            yield tuple(begun)

    def _neighbours(self, best: Candidates) -> list[Candidates]:
        """Some candidates that differ from the best by one CTC or two, each new."""
        found: dict[Candidates, None] = {}
        for _ in range(20 * NEIGHBOURS):
            place = self._random.choice(self._free)
            fibres = len(self.task.collection.links[place].fibres)
            moved = list(best[place])
            one, other = (self._random.randrange(len(moved)) for _ in range(2))
            if self._random.random() < 0.5:
                moved[one] = self._random.randrange(fibres)
            else:
                moved[one], moved[other] = moved[other], moved[one]
            near = (*best[:place], tuple(moved), *best[place + 1 :])
            if near not in self.scores and self._keeps_apart(place, moved):
                found[near] = None
            if len(found) == NEIGHBOURS:
                break
        return list(found)

    def _keeps_apart(self, place: int, moved: Sequence[int]) -> bool:
        """Whether a link that is on two fibres or more still is: one's loss must not cut it."""
        return len(set(moved)) >= min(2, len(set(self._given[place])))

    def _simulate(self, candidates: Iterable[Candidates]) -> None:
        new = [each for each in dict.fromkeys(candidates) if each not in self.scores]
        new = new[: self.task.runs - len(self.scores)]
        self.score({each: placed(self.task.collection, each) for each in new})
