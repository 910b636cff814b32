"""What one link or several are to be good at, in MB/s: by rule of thumb, and by runs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from isfc.layout.capacity import directions_of
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.loss import losses
from isfc.layout.lost import CHPID
from scenarios.moves.evacuation import Evacuation
from scenarios.moves.guest import GuestPlan
from scenarios.moves.guest_memory import GuestMemory
from scenarios.moves.moving import move
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import MIB
from scenarios.runs.run import run
from scenarios.runs.steady import Rate, steady_links, sum_of
from scenarios.runs.warmup import WARMUP
from scenarios.runs.workload import LinkLoad, Workload

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
    """What may be made great of several links. MB/s of 2^20 bytes, both ways of a link together."""

    SUM = "sum"
    """Of all links."""
    WORST_LINK = "worst-link"
    """Of the link that has least."""
    WORST_LOSS = "worst-loss"
    """Of all links, with that channel, director or path gone whose loss leaves least."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """The objectives, and the runs by which they are scored.

    ``loads`` are what runs over several links; over one link, its one load runs from either end as
    the objective says. ``seconds`` of virtual time are measured; None: until that is steady.
    """

    objectives: tuple[Objective, ...] | tuple[LinksObjective, ...]
    loads: tuple[LinkLoad, ...]
    seconds: float | None
    warmup: float = WARMUP
    seed: int = 1

    @property
    def workload(self) -> Workload:
        """That of the one load."""
        return self.loads[0].workload

    @property
    def pairs(self) -> int:
        """Those of the one load."""
        return self.loads[0].pairs

    def figures(self, collection: Collection) -> tuple[Rate, ...]:
        """The score by each objective, then what each of several links with traffic carries."""
        return tuple(self._figures(collection))

    def _figures(self, collection: Collection) -> list[Rate]:
        links: list[Rate] = []
        scores: list[Rate] = []
        for objective in self.objectives:
            if isinstance(objective, Objective):
                scores.append(self._score(objective, collection.links[0]))
                continue
            links = links or [sum_of(ways) for ways in self._carried(collection, self.loads)]
            match objective:
                case LinksObjective.SUM:
                    scores.append(sum_of(links))
                case LinksObjective.WORST_LINK:
                    scores.append(_least(links))
                case LinksObjective.WORST_LOSS:
                    scores.append(self._after_worst_loss(collection))
        return [*scores, *links]

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
        rests = [loss.rest for loss in losses(collection) if not loss.takes_systems]
        return _least([self._left(rest) for rest in dict.fromkeys(rests)])

    def _left(self, rest: Collection) -> Rate:
        joined = [{*link.nodes} for link in rest.links]
        loads = tuple(load for load in self.loads if {load.client, load.server} in joined)
        ways = self._carried(rest, loads) if loads else []
        return sum_of([sum_of(each) for each in ways]) if ways else Rate(0.0)

    def _sent(self, layout: Layout, client: int) -> Rate:
        """What one end of a link sends, the clients on it."""
        load = LinkLoad(layout.nodes[client], layout.nodes[1 - client], self.workload, self.pairs)
        (ways,) = self._carried(Collection.of(layout), (load,))
        return ways[client]

    def _carried(
        self, collection: Collection, loads: tuple[LinkLoad, ...]
    ) -> list[tuple[Rate, Rate]]:
        """What each link with traffic carries from its first node, and to it."""
        experiment = Experiment(
            collection, loads, seconds=self.seconds or 1.0, warmup=self.warmup, seed=self.seed
        )
        if self.seconds is None:
            return [*steady_links(experiment).rates.values()]
        found: list[tuple[Rate, Rate]] = []
        for link in run(experiment).links:
            seen = link.client.whole.result
            ways = Rate(seen.mb_per_s_out), Rate(seen.mb_per_s_in)
            found.append(ways if seen.node == link.experiment.layout.nodes[0] else ways[::-1])
        return found


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
