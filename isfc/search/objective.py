"""What one link or several are to be good at, in MB/s: by rule of thumb, and by runs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from isfc.layout.capacity import directions_of
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.loss import CHPID, losses
from scenarios.figures.rates import carry, slower_way
from scenarios.moves.evacuation import Evacuation, move
from scenarios.moves.guest import GuestMemory, GuestPlan
from scenarios.runs.experiment import WARMUP, Experiment, Load, in_turn
from scenarios.runs.result import MIB
from scenarios.runs.steady import Rate, SteadyEnds, short_ends, steady_ends, sum_of

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
                return Rate(move(Evacuation.over(layout, [idle], seed=self.seed)).mb_per_s)

    def _after_worst_loss(self, collection: Collection) -> Rate:
        """The least that all links carry with a piece gone that takes no system along."""
        rests = dict.fromkeys(loss.rest for loss in losses(collection) if not loss.takes_systems)
        lefts = [self._slower(rest) for rest in rests]
        return _least([sum_of(left) if left else Rate(0.0) for left in lefts])

    def _sent(self, layout: Layout, way: int) -> Rate:
        """What one end of a link sends."""
        (end,) = self._look(self.load.runs(Collection.of(layout))[way]).ends.values()
        return end.rate

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
