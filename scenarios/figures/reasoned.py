"""What nodes can send by the model, with the reason and the range of each figure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from scenarios.figures.certainty import Range
from scenarios.figures.limit import Limit, added, find_limit
from scenarios.figures.ranges import rate_range
from scenarios.runs.experiment import Experiment
from scenarios.runs.saturation import (
    SATURATING_PAIRS,
    STATED_PAIRS,
    SUITE,
    ModelledRate,
    RunEach,
    in_turn,
    one_way,
    rates_of,
    runs_of,
    shape,
)
from scenarios.runs.steady import steady_run
from scenarios.runs.workload import SUITES


@dataclass(frozen=True, slots=True, repr=False)
class ReasonedRate(ModelledRate):
    """What one node can send, with what limits it saturated and between what IBM's would lie.

    ``ranges`` are of the saturated rate, and of that with the stated load.
    """

    limit: Limit | None = None
    ranges: tuple[Range, Range] | None = None


Known = dict[Layout, tuple[ModelledRate, ...]]
"""What the nodes of layouts can send."""


def with_reasons(
    layout: Layout, changed: Sequence[Layout], run_each: RunEach = in_turn
) -> tuple[tuple[ReasonedRate, ...], Known]:
    """What both nodes of a layout can send, each with what limits it and with ranges.

    Beside it: what nodes of ``changed`` layouts can send. All is run at one time.
    """
    layouts = dict.fromkeys((layout, *changed))
    ways = {(each, node): shape(each, node) for each in layouts for node in each.nodes}
    once = {form: way for way, form in reversed(ways.items())}
    limits = {_shapes(layout, node): node for node in layout.nodes}
    runs: list[Callable[[], Any]] = [
        partial(find_limit, _saturated(layout, node)) for node in limits.values()
    ]
    runs += [partial(steady_run, each) for each in runs_of([*once.values()])]
    done = run_each(_called, runs)
    found = dict(zip(limits, done, strict=False))
    rates = dict(zip(once, rates_of([*once.values()], done[len(limits) :]), strict=True))
    known: Known = {
        each: tuple(rates[ways[each, node]].sent_by(node) for node in each.nodes)
        for each in layouts
    }
    reasoned = (
        replace(
            each, limit=found[_shapes(layout, each.sender)].in_run(_saturated(layout, each.sender))
        )
        for each in with_ranges(layout, known[layout])
    )
    return tuple(reasoned), known


def _saturated(layout: Layout, node: NodeName) -> Experiment:
    return one_way(layout, node, SATURATING_PAIRS)


def _shapes(layout: Layout, node: NodeName) -> tuple[object, ...]:
    """What its limit depends on."""
    return tuple(shape(each, node) for each in (layout, *(each for _, each in added(layout))))


def _called(run: Callable[[], Any]) -> Any:
    return run()


def with_ranges(
    layout: Layout, figures: Sequence[ModelledRate], pairs: int = STATED_PAIRS
) -> tuple[ReasonedRate, ...]:
    """The same figures, each with the ranges of both loads; ``pairs`` are those of the stated."""
    return tuple(
        ReasonedRate(
            each.sender, each.saturated, each.stated, each.seen, None, _ranges(each, layout, pairs)
        )
        for each in figures
    )


def _ranges(figure: ModelledRate, layout: Layout, pairs: int) -> tuple[Range, Range]:
    """Of the saturated rate, and of that with the stated load."""
    collisions = 0.0 if figure.seen is None else figure.seen.collisions_per_s
    return (
        rate_range(figure.saturated_mb_per_s, layout, SUITES[SUITE], SATURATING_PAIRS, collisions),
        rate_range(figure.stated_mb_per_s, layout, SUITES[SUITE], pairs, collisions),
    )
