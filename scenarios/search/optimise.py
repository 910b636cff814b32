"""The search for a better layout: all candidates where they are few, else NSGA-II by Optuna.

First every candidate is estimated by IBM's rule of thumb, which costs next to nothing; what the
rule puts far behind is not simulated. The rest is scored by short runs, alike candidates once. The
best of them are then run until they are steady, with several seeds, and these figures are shown.

Several links that run together are climbed instead (`scenarios.search.climb`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import combinations
from typing import Any, Final

from ctc.address import Rdev
from isfc.errors import ConfigurationError
from isfc.errors.loading import check_library
from isfc.layout.capacity import newest
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from scenarios.search.candidate import (
    Candidate,
    all_candidates,
    candidate_of,
    canonical,
    exchanged,
    numbered,
    with_kept_numbers,
)
from scenarios.search.climb import Climb
from scenarios.search.scoring import (
    Contender,
    Found,
    Objective,
    ShareOut,
    Task,
    Trials,
    by_objective,
    estimate,
)

CHOICES_MAX: Final = 4_096
"""Choices that are enumerated: all of those from twelve devices."""

SCREEN_SHARE: Final = 0.5
"""What the rule of thumb puts below this share of its best is not simulated. Chosen: the model is
within a factor of two of the rule where a chpid has two CTCs or more."""

GENERATION: Final = 32
"""Candidates that are scored together, and the population of NSGA-II."""

BEST: Final = 10
"""Candidates that are run longer, and shown."""

BEST_DEFINED: Final = 3
"""Choices of defined devices that are run longer; the best of them is shown."""

Estimates = tuple[float, ...]
"""Of a candidate, by objective."""

ENUMERATED_MAX: Final = 20_000
"""Candidates that are enumerated; estimating each takes some 50 us."""


def optimise(
    task: Task, share_out: ShareOut, progress: Callable[[int], None] = lambda _: None
) -> Found:
    """Search for the layouts, or places of all CTCs of several links, that are best.

    ``share_out`` does the runs, on as many processors as it likes; the same task gives the same
    layouts. ``progress`` is told how many candidates have been simulated. Raises
    `ConfigurationError` if there is nothing to choose.
    """
    if not task.objectives:
        return Climb(task, share_out, progress).run()
    search = _LinkSearch(task, share_out, progress)
    search.choose_defined()
    candidates = all_candidates(task.layout.fibres, task.ctcs, ENUMERATED_MAX)
    if candidates is None:
        search.evolve()
    else:
        candidates = list(dict.fromkeys(map(search.representative, candidates)))
        kept = search.screened(candidates)
        if len({*kept, *search.scores}) <= task.runs:
            search.simulate(kept)
        else:
            search.evolve()
    return search.conclude(None if candidates is None else len(candidates))


class _LinkSearch(Trials[Candidate]):
    """One search of one link."""

    def __init__(self, task: Task, share_out: ShareOut, progress: Callable[[int], None]) -> None:
        super().__init__(task, share_out, progress)
        self._estimates: dict[Candidate, Estimates | None] = {}
        self._best_estimate = [0.0] * len(task.objectives)
        self._screened: set[Candidate] = set()
        self._defined: dict[Candidate, Layout] = {}
        self._mirrored = (
            set(task.objectives) == {Objective.SYMMETRIC}
            and not task.fixed
            and all(
                fibre.disks[0] == fibre.disks[1] and not fibre.km for fibre in task.layout.fibres
            )
        )
        """Whether a device list turned round is as good: what one end does the other then does.

        Over some distance the two ways of a link differ (`scenarios.runs.experiment.shape`).
        """

    def representative(self, candidate: Sequence[int]) -> Candidate:
        """The one of all candidates that are as good as this one by symmetry."""
        fibres = self.task.layout.fibres
        chosen = canonical(candidate, fibres)
        return min(chosen, canonical(chosen[::-1], fibres)) if self._mirrored else chosen

    def choose_defined(self) -> None:
        """Score links of the devices that are defined, in a third of the runs at most.

        All of them where they are so few; else devices are taken away one at a time, each time the
        one without which most is carried.
        """
        task = self.task
        left = max(1, task.runs // 3)
        every = choices(task.layout, task.ctcs, task.fixed)
        if every == []:
            return
        if every is not None:
            found = self._choices_of(self._worth_a_run(every))
            if len(found) <= left:
                self._simulate_defined(found)
                return
        current: Layout | None = task.layout
        while current is not None:
            found = self._choices_of(
                [current] if not self._defined else one_fewer(current, task.fixed)
            )
            new = dict([*((c, one) for c, one in found.items() if c not in self.scores)][:left])
            self._simulate_defined(new)
            left -= len(new)
            known = [c for c in found if c in self.scores]
            best = max(known, key=lambda c: self.scores[c], default=None)
            current = None if best is None or left <= 0 else found[best]

    def _worth_a_run(self, layouts: Sequence[Layout]) -> Iterator[Layout]:
        """Those that the rule of thumb does not put far behind the first of them."""
        first = self._estimates_of(layouts[0])
        for layout in layouts:
            figures = self._estimates_of(layout)
            if all(a >= SCREEN_SHARE * b for a, b in zip(figures, first, strict=True)):
                yield layout

    def _estimates_of(self, layout: Layout) -> Estimates:
        return tuple(estimate(objective, layout) for objective in self.task.objectives)

    def _choices_of(self, layouts: Iterable[Layout]) -> dict[Candidate, Layout]:
        """By candidate, alike ones once; the first of them."""
        fibres = self.task.layout.fibres
        found: dict[Candidate, Layout] = {}
        for layout in layouts:
            down = tuple(fibres.index(ctc.fibre) for ctc in layout.device_list())
            found.setdefault(self.representative(down), layout)
        return found

    def _simulate_defined(self, found: Mapping[Candidate, Layout]) -> None:
        self._defined.update(found)
        self._score(found)

    def screened(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Those that the rule of thumb does not put far behind."""
        possible = [c for c in candidates if self._estimate(c) is not None]
        return [c for c in possible if self.keeps(c)]

    def keeps(self, candidate: Candidate) -> bool:
        """Whether a candidate is worth a run; counts those that are not."""
        found = self._estimate(candidate)
        if found is None:
            return False
        both = zip(found, self._best_estimate, strict=True)
        promising = all(figure >= SCREEN_SHARE * best for figure, best in both)
        if not promising:
            self._screened.add(candidate)
        return promising

    def _estimate(self, candidate: Candidate) -> Estimates | None:
        if candidate not in self._estimates:
            layout = self._layout(candidate)
            found = None if layout is None else self._estimates_of(layout)
            self._estimates[candidate] = found
            if found is not None:
                self._best_estimate = [*map(max, self._best_estimate, found)]
        return self._estimates[candidate]

    def simulate(self, candidates: Sequence[Candidate]) -> None:
        """Score what is new among the candidates by short runs."""
        self._score({c: layout for c in candidates if (layout := self._layout(c)) is not None})

    def _score(self, layouts: Mapping[Candidate, Layout]) -> None:
        self.score({each: Collection.of(layout) for each, layout in layouts.items()})

    def _layout(self, candidate: Candidate) -> Layout | None:
        return numbered(self.task.layout, candidate, self.task.fixed, self.task.taken)

    def evolve(self) -> None:
        """NSGA-II over sequences of chpids, begun with those that a person would try."""
        task = self.task
        optuna = _optuna()
        study = optuna.create_study(
            directions=["maximize"] * len(task.objectives),
            sampler=optuna.samplers.NSGAIISampler(population_size=GENERATION, seed=task.seed),
        )
        choices = list(range(len(task.layout.fibres)))
        for candidate in self._beginnings():
            study.enqueue_trial(dict(zip(_NAMES, candidate, strict=False)))
        idle = 0
        while len(self.scores) < task.runs and idle < _IDLE_MAX:
            before = len(self.scores)
            trials = [study.ask() for _ in range(GENERATION)]
            drawn = [
                self.representative(
                    [t.suggest_categorical(name, choices) for name in _NAMES[: task.ctcs]]
                )
                for t in trials
            ]
            new = [c for c in dict.fromkeys(drawn) if c not in self.scores and self.keeps(c)]
            self.simulate(new[: task.runs - before])
            for trial, candidate in zip(trials, drawn, strict=True):
                found = self.scores.get(candidate)
                study.tell(trial, [0.0] * len(task.objectives) if found is None else list(found))
            idle = idle + 1 if len(self.scores) == before else 0

    def _beginnings(self) -> Iterator[Candidate]:
        """The layout given if it has as many CTCs, then even ones by chpid and across."""
        task, count = self.task, len(self.task.layout.fibres)
        given = candidate_of(task.layout)
        if len(given) == task.ctcs:
            yield given
        by_chpid = sorted(index % count for index in range(task.ctcs))
        across = [index % count for index in range(task.ctcs)]
        rates = [fibre.profile.link_gbps for fibre in task.layout.fibres]
        order = sorted(range(count), key=lambda index: rates[index])
        ends = [*order[::2], *reversed(order[1::2])]  # slow at the extremes, fast in the middle
        for chpids in (range(count), ends, [*ends[len(ends) // 2 :], *ends[: len(ends) // 2]]):
            yield tuple(chpids[index] for index in by_chpid)
            yield tuple(chpids[index] for index in across)

    def conclude(self, candidate_count: int | None) -> Found:
        """Run the best until they are steady, and the layout given beside them."""
        sought = [c for c in self.scores if len(c) == self.task.ctcs]
        if not sought:
            raise ConfigurationError("no layout keeps the fixed device numbers: fix fewer")
        ranked = sorted(sought, key=lambda c: self.scores[c], reverse=True)
        layouts = [self._kept(c) for c in self._spread_over_objectives(ranked)]
        chosen = self._best_defined()
        every = [*layouts, *chosen, self.task.layout]
        *both, given = self.measured([Collection.of(layout) for layout in every])
        best, defined = both[: len(layouts)], both[len(layouts) :]
        best.sort(key=by_objective, reverse=True)
        if any(self.task.layout.machines):
            best = newest_first(best)
        ahead = [one for one in defined if one.gains(given)]
        return Found(
            tuple(best),
            given,
            max(ahead, key=by_objective, default=given),
            len(sought),
            candidate_count,
            len(self._screened - self.scores.keys()),
            sum(c in self.scores for c in self._defined),
        )

    def _best_defined(self) -> list[Layout]:
        """The choices of defined devices that are best, but the layout given itself."""
        known = [c for c in self._defined if c in self.scores and len(c) <= self.task.ctcs]
        known.sort(key=lambda c: self.scores[c], reverse=True)
        given = {*self.task.layout.ctcs}
        layouts = [self._defined[c] for c in known]
        return [one for one in layouts if {*one.ctcs} != given][:BEST_DEFINED]

    def _kept(self, candidate: Candidate) -> Layout:
        """The layout of a candidate, or of one that is as good, that keeps most device numbers."""
        task = self.task
        ways = [candidate, candidate[::-1]] if self._mirrored else [candidate]
        alike = (one for way in ways for one in exchanged(way, task.layout.fibres))
        layout = with_kept_numbers(task.layout, alike, task.fixed, task.taken)
        return layout or self._layout(candidate) or self._defined[candidate]

    def _spread_over_objectives(self, ranked: Sequence[Candidate]) -> list[Candidate]:
        """The best by each objective in turn, until there are `BEST`."""
        count = len(self.task.objectives)

        def best_by(index: int) -> list[Candidate]:
            return sorted(ranked, key=lambda c: self.scores[c][index], reverse=True)

        by_objective = map(best_by, range(count))
        turns = (c for place in zip(*by_objective, strict=True) for c in place)
        return list(dict.fromkeys(turns))[:BEST]


def newest_first(ranked: Sequence[Contender]) -> list[Contender]:
    """Of those that the spread does not tell from the first, with most CTCs on the newest cards."""
    first = ranked[0].rates[0]
    alike = [one for one in ranked if not first.is_ahead(one.rates[0])]
    alike.sort(key=lambda one: newest(ctc.fibre.profile for ctc in one.layout.ctcs))
    return [*alike, *(one for one in ranked if one not in alike)]


_NAMES: Final = tuple(f"position {number:02}" for number in range(1, 17))
_IDLE_MAX: Final = 20
"""Generations that bring nothing new before the search ends."""


def _optuna() -> Any:
    """Optuna, without a word of its own on stderr."""
    check_library("optuna", "a search of so many candidates")
    optuna: Any = import_module("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna


def choices(layout: Layout, ctcs: int, fixed: frozenset[Rdev]) -> list[Layout] | None:
    """Every choice of at most so many devices, the largest first; None if there are too many.

    The ``fixed`` ones are in each.
    """
    if 2 ** len(layout.ctcs) > CHOICES_MAX:
        return None
    devices = layout.device_list()
    return [
        layout.with_ctcs(chosen)
        for count in range(min(ctcs, len(devices)), 0, -1)
        for chosen in combinations(devices, count)
        if fixed <= {ctc.rdevs[0] for ctc in chosen}
    ]


def one_fewer(layout: Layout, fixed: frozenset[Rdev]) -> Iterator[Layout]:
    """The layout without each of its devices in turn, but the fixed ones."""
    devices = layout.device_list()
    for gone in devices if len(devices) > 1 else ():
        if gone.rdevs[0] not in fixed:
            yield layout.with_ctcs(tuple(ctc for ctc in devices if ctc != gone))
