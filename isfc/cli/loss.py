"""``isfc plan --lose``: what is left of a link with each chpid and each CTC gone."""

from collections.abc import Sequence
from typing import Any, Final

from rich.console import Group, RenderableType

from isfc.cli.experiments import run_all
from isfc.cli.render.loss import AnyLoss, Left, SteadyRates, gone_name, left_after, loss_page
from isfc.cli.render.notes import note_lines, note_records
from isfc.cli.render.paces import two_paces
from isfc.layout.layout import Layout
from isfc.layout.loss import losses
from isfc.layout.lost import LostTogether
from scenarios.notes import loss_notes
from scenarios.saturation import STATED_PAIRS, SUITE, stated_load
from scenarios.steady import Rate, steady_rate

NOTHING: Final = (Rate(0.0), Rate(0.0))
"""What both nodes send where no CTC is left."""


def losses_of(
    layout: Layout, *, simulate: bool, together: LostTogether | None = None
) -> tuple[RenderableType, list[dict[str, Any]]]:
    """What is left of ``layout``, by rule of thumb and, if wanted, by run: a page, and records.

    Without each chpid and CTC in turn, or without several things ``together``.
    """
    lefts = left_of(layout, simulate=simulate, together=together)
    runs = f"Runs: {SUITE}, {STATED_PAIRS} pairs, until steady, one direction after the other"
    load = f"{runs}{_within(lefts)}."
    rates = [
        (f"{node}, {gone_name(left.loss)} gone,", rate)
        for left in lefts
        for node, rate in zip(layout.nodes, left.measured or (), strict=False)
    ]
    notes = loss_notes(layout, simulated=simulate)
    said = [two_paces(rates)] if any(rate.second_mb_per_s for _, rate in rates) else []
    page = Group(loss_page(layout, lefts, load), *said, *note_lines(notes))
    return page, [loss_record(layout, left) for left in lefts]


def left_of(layout: Layout, *, simulate: bool, together: LostTogether | None = None) -> list[Left]:
    """The whole link first, then what every loss leaves, or what is left without all together."""
    every: list[AnyLoss | None] = [None, *(losses(layout) if together is None else [together])]
    measured = _measured(layout, every) if simulate else [None] * len(every)
    return [left_after(layout, loss, rates) for loss, rates in zip(every, measured, strict=True)]


def loss_record(layout: Layout, left: Left) -> dict[str, Any]:
    """What ``--json`` prints of a loss. Names and meanings of the keys stay between releases."""
    loss, nodes = left.loss, layout.nodes
    return {
        "kind": None if loss is None else loss.kind,
        "gone": {} if loss is None else dict(zip(nodes, loss.names, strict=True)),
        "ctcs_left": left.ctc_count,
        "estimated_mb_per_s": dict(zip(nodes, left.estimated, strict=True)),
        "simulated_mb_per_s": left.measured
        and {node: rate.mb_per_s for node, rate in zip(nodes, left.measured, strict=True)},
        "simulated_spread_mb_per_s": left.measured
        and {node: rate.spread_mb_per_s for node, rate in zip(nodes, left.measured, strict=True)},
        "simulated_second_mb_per_s": left.measured
        and {node: rate.second_mb_per_s for node, rate in zip(nodes, left.measured, strict=True)},
        **note_records(loss_notes(layout, simulated=left.measured is not None)),
    }


def _measured(layout: Layout, every: list[AnyLoss | None]) -> list[SteadyRates]:
    """What runs give, sent by the one end and by the other; nothing where no CTC is left."""
    rests = [layout if loss is None else loss.left for loss in every]
    experiments = [
        stated_load(rest, node) for rest in rests if rest is not None for node in rest.nodes
    ]
    found = iter(run_all(steady_rate, experiments, None))
    return [NOTHING if rest is None else (next(found), next(found)) for rest in rests]


def _within(lefts: Sequence[Left]) -> str:
    """``; within 2 % of an endless run``: the widest spread of all runs."""
    rates = [rate for left in lefts for rate in left.measured or () if rate.mb_per_s]
    if not rates:
        return ""
    widest = max(rate.spread_mb_per_s / rate.mb_per_s for rate in rates)
    return f"; each rate is within {100 * widest:.1f} % of an endless run's, with 95 % confidence"
