"""What a layout is to be good at, as a number of MB/s: by rule of thumb, and by a run."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from isfc.layout.capacity import directions_of
from isfc.layout.layout import Fibre, Layout
from isfc.layout.loss import losses
from scenarios.guest_memory import GuestMemory
from scenarios.relocated_guest import GuestPlan
from scenarios.relocation import Relocation, relocate
from scenarios.run import MIB, Experiment, run
from scenarios.workload import Workload

RELOCATED_LENGTH: Final = 256 * MIB
"""Memory of the guest that is relocated to score a layout, none of which changes meanwhile. Chosen:
a relocation is limited by the link from the first pass on, and this takes under a second of it."""


class Objective(StrEnum):
    """What may be made great. Every one is MB/s of 2^20 bytes."""

    FORWARD = "forward"
    """From the first system to the second, clients on the first."""
    REVERSE = "reverse"
    """From the second to the first, clients on the second."""
    SYMMETRIC = "symmetric"
    """The lesser of both."""
    WORST_CHPID_LOSS = "worst-chpid-loss"
    """Forward, with that chpid gone whose loss costs most."""
    RELOCATION = "relocation"
    """What one guest's memory moves at, forward."""


@dataclass(frozen=True, slots=True)
class ScoredLoad:
    """What runs over a layout to score it. Times are seconds of virtual time."""

    workload: Workload
    pairs: int
    seconds: float
    warmup: float
    seed: int = 1


def estimate(objective: Objective, layout: Layout) -> float:
    """The objective by IBM's rule of thumb, which needs no run."""
    forward, reverse = (float(way.estimated_mb_per_s) for way in directions_of(layout))
    match objective:
        case Objective.REVERSE:
            return reverse
        case Objective.SYMMETRIC:
            return min(forward, reverse)
        case Objective.WORST_CHPID_LOSS:
            return _worst_loss(layout, lambda left: estimate(Objective.FORWARD, left))
        case _:
            return forward


def score(objective: Objective, layout: Layout, load: ScoredLoad) -> float:
    """The objective by runs in virtual time; the more, the better."""
    match objective:
        case Objective.FORWARD:
            return _out(layout, load, 0)
        case Objective.REVERSE:
            return _out(layout, load, 1)
        case Objective.SYMMETRIC:
            return min(_out(layout, load, 0), _out(layout, load, 1))
        case Objective.WORST_CHPID_LOSS:
            return _worst_loss(layout, lambda left: _out(left, load, 0))
        case Objective.RELOCATION:
            idle = GuestPlan("GUEST", GuestMemory(RELOCATED_LENGTH, RELOCATED_LENGTH))
            moved = relocate(Relocation(layout, (idle,), seed=load.seed))
            return moved.guests[0].length / moved.seconds / MIB


def _out(layout: Layout, load: ScoredLoad, client: int) -> float:
    """MB/s that one end writes, the clients on it."""
    experiment = Experiment(
        layout,
        load.workload,
        load.pairs,
        load.seconds,
        load.warmup,
        load.seed,
        client=layout.nodes[client],
    )
    return run(experiment).mb_per_s_out


def _worst_loss(layout: Layout, figure: Callable[[Layout], float]) -> float:
    """The least that is left with a chpid gone: nothing where the link goes with it."""
    left = [loss.left for loss in losses(layout) if isinstance(loss.gone, Fibre)]
    return min(0.0 if layout is None else figure(layout) for layout in left)
