"""What nodes can send by the model, with the reason and the range of each figure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

from isfc.layout.layout import Layout
from scenarios.figures.certainty import Range
from scenarios.figures.limit import Limit, find_limit
from scenarios.figures.ranges import rate_range
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
from scenarios.runs.steady import Rate, first_look, steady_run
from scenarios.runs.workload import SUITES


@dataclass(frozen=True, slots=True, repr=False)
class ReasonedRate(ModelledRate):
    """What one node can send, with what limits it saturated and between what IBM's would lie.

    ``ranges`` are of the saturated rate, and of that with the stated load.
    """

    limit: Limit | None = None
    ranges: tuple[Range, Range] | None = None


SlowerRates = tuple[Rate, Rate]
"""What the slower direction of a layout carries, saturated and with the stated load."""


def with_reasons(
    layout: Layout, changed: Sequence[Layout], run_each: RunEach = in_turn
) -> tuple[tuple[ReasonedRate, ...], dict[Layout, SlowerRates]]:
    """What both nodes of a layout can send, each with what limits it and with ranges.

    Beside it: what a first look at ``changed`` layouts shows, those that are alike once. Each way
    has runs of its own, and all are done at one time.
    """
    ways = [(layout, node) for node in layout.nodes]
    looks = {shape(each, node): (each, node) for each in changed for node in each.nodes}
    groups: tuple[list[Callable[[], Any]], ...] = (
        [partial(find_limit, one_way(*way, SATURATING_PAIRS)) for way in ways],
        [partial(steady_run, each) for each in runs_of(ways)],
        [partial(first_look, each) for each in runs_of([*looks.values()])],
    )
    done = iter(run_each(_called, [run for group in groups for run in group]))
    limits, runs, seen = ([*islice(done, len(group))] for group in groups)
    both = dict(zip(looks, zip(seen[::2], seen[1::2], strict=True), strict=True))
    figures = with_ranges(layout, rates_of(ways, runs))
    reasoned = (replace(each, limit=limit) for each, limit in zip(figures, limits, strict=True))
    slower = {each: _slower([both[shape(each, node)] for node in each.nodes]) for each in changed}
    return tuple(reasoned), slower


def slower_rates(figures: Sequence[ModelledRate]) -> SlowerRates:
    """Of what nodes can send."""
    return _slower([(each.saturated, each.stated) for each in figures])


def _slower(ways: Sequence[SlowerRates]) -> SlowerRates:
    saturated, stated = (
        min(rates, key=lambda rate: rate.mb_per_s) for rates in zip(*ways, strict=True)
    )
    return saturated, stated


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
