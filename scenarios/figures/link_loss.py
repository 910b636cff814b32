"""A link without one chpid or CTC after the other, or without several: by rule, and by runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from isfc.layout.capacity import directions_of
from isfc.layout.collection import Cec
from isfc.layout.layout import Layout
from isfc.layout.loss import Loss, losses
from isfc.layout.lost import LostTogether, lost_pieces
from scenarios.figures.certainty import Range
from scenarios.figures.limit import Limit, first_limit
from scenarios.figures.ranges import gain_range, rate_range
from scenarios.runs.saturation import STATED_PAIRS, SUITE, RunEach, stated_load
from scenarios.runs.steady import Rate, steady_rate
from scenarios.runs.workload import SUITES

_NOTHING: Final = (Rate(0.0), Rate(0.0))
"""What both nodes send where no CTC is left."""

Rates = tuple[float, float]
"""MB/s that the first node sends, and that the second does."""

AnyLoss = Loss | LostTogether
"""One thing that is gone, or several together."""

SteadyRates = tuple[Rate, Rate]
"""The same by runs, each until it was steady."""


@dataclass(frozen=True, slots=True)
class AfterLoss:
    """What is left after a loss, or of the whole link if ``loss`` is None.

    ``measured`` is what runs gave, if there were any, and ``limit`` what limits the slower of both.
    """

    loss: AnyLoss | None
    ctc_count: int
    estimated: Rates
    measured: SteadyRates | None
    limit: Limit | None = None

    @property
    def gone(self) -> str:
        """What is gone, in a word and as each end names it."""
        if self.loss is None:
            return "nothing"
        here, there = self.loss.names
        if isinstance(self.loss, LostTogether):
            return here
        named = here if here == there else f"{here} ({there})"
        return f"{'chpid' if self.loss.kind == 'chpid' else 'CTC'} {named}"

    @property
    def measured_mb_per_s(self) -> Rates | None:
        """What runs gave, without their spreads."""
        if self.measured is None:
            return None
        first, second = self.measured
        return first.mb_per_s, second.mb_per_s


def left_after(
    layout: Layout, loss: AnyLoss | None, measured: SteadyRates | None, limit: Limit | None
) -> AfterLoss:
    """What the rule of thumb says of a loss, beside what was measured."""
    rest = layout if loss is None else loss.left
    if rest is None:
        return AfterLoss(loss, 0, (0, 0), measured)
    down, up = directions_of(rest)
    by_rule = down.estimated_mb_per_s, up.estimated_mb_per_s
    return AfterLoss(loss, len(rest.ctcs), by_rule, measured, limit)


def after_losses(
    layout: Layout,
    run_each: RunEach | None = None,
    together: LostTogether | None = None,
    cecs: Sequence[Cec] = (),
) -> list[AfterLoss]:
    """The whole link first, then what every loss leaves, or what is left without all together.

    Directors, paths and ``cecs`` come before chpids and CTCs. By rule of thumb
    alone without ``run_each``.
    """
    every: list[AnyLoss | None] = [None]
    if together is None:
        every += [*lost_pieces(layout, cecs), *losses(layout)]
    else:
        every.append(together)
    rests = [layout if loss is None else loss.left for loss in every]
    measured = _measured(rests, run_each) if run_each else [None] * len(every)
    limits = _limits(rests, measured, run_each) if run_each else [None] * len(every)
    return [left_after(layout, *each) for each in zip(every, measured, limits, strict=True)]


def _measured(rests: Sequence[Layout | None], run_each: RunEach) -> list[SteadyRates]:
    """What runs give, sent by the one end and by the other; nothing where no CTC is left."""
    experiments = [
        stated_load(rest, node) for rest in rests if rest is not None for node in rest.nodes
    ]
    found = iter(run_each(steady_rate, experiments))
    return [_NOTHING if rest is None else (next(found), next(found)) for rest in rests]


def _limits(
    rests: Sequence[Layout | None], measured: Sequence[SteadyRates | None], run_each: RunEach
) -> list[Limit | None]:
    """What limits the slower direction of each."""
    experiments = [
        stated_load(rest, rest.nodes[rates[1].mb_per_s < rates[0].mb_per_s])
        for rest, rates in zip(rests, measured, strict=True)
        if rest is not None and rates is not None
    ]
    found = iter(run_each(first_limit, experiments))
    return [None if rest is None else next(found) for rest in rests]


def left_range(layout: Layout, left: AfterLoss, way: int) -> Range | None:
    """The range of what one node of ``layout`` sends after a loss; None where nothing was run."""
    rest = layout if left.loss is None else left.loss.left
    if left.measured is None or rest is None:
        return None
    return rate_range(left.measured[way].mb_per_s, rest, SUITES[SUITE], STATED_PAIRS)


def share_range(layout: Layout, left: AfterLoss, whole: AfterLoss, way: int) -> Range | None:
    """The range of what a loss leaves of ``whole``, of 1; None where nothing was run."""
    if left.measured is None or whole.measured is None or left.loss is None:
        return None
    rest, of = left.loss.left, whole.measured[way].mb_per_s
    return gain_range(left.measured[way].mb_per_s / of, layout, rest) if rest and of else None
