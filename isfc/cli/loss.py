"""``isfc plan --lose``: what is left of a link with each chpid and each CTC gone."""

from collections.abc import Iterator
from typing import Any, Final

from rich.console import Group, RenderableType

from isfc.cli.experiments import run_all
from isfc.cli.render.loss import Left, Rates, left_after, loss_page
from isfc.cli.render.notes import note_lines, note_records
from isfc.layout.layout import Layout
from isfc.layout.loss import Loss, losses
from scenarios.notes import loss_notes
from scenarios.run import Experiment, Result, run
from scenarios.workload import SUITES

SUITE: Final = "HL"
PAIRS: Final = 50
SECONDS: Final = 1.0
WARMUP: Final = 0.2
"""What is run: IBM's messages of the length of a relocation's, and enough pairs to fill the link.
Of published-4, -12 and -16, this second's rate is within 1 % of that of ten."""


def losses_of(layout: Layout, *, simulate: bool) -> tuple[RenderableType, list[dict[str, Any]]]:
    """What is left of ``layout``, by rule of thumb and, if wanted, by run: a page, and records."""
    lefts = left_of(layout, simulate=simulate)
    load = f"Runs: {SUITE}, {PAIRS} pairs, {SECONDS:g} s, one direction after the other."
    notes = loss_notes(layout, simulated=simulate)
    page = Group(loss_page(layout, lefts, load), *note_lines(notes))
    return page, [loss_record(layout, left) for left in lefts]


def left_of(layout: Layout, *, simulate: bool) -> list[Left]:
    """The whole link first, then what every loss leaves."""
    every: list[Loss | None] = [None, *losses(layout)]
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
        "simulated_mb_per_s": left.measured and dict(zip(nodes, left.measured, strict=True)),
        **note_records(loss_notes(layout, simulated=left.measured is not None)),
    }


def _measured(layout: Layout, every: list[Loss | None]) -> list[Rates]:
    """What runs give, sent by the one end and by the other; nothing where no CTC is left."""
    rests = [layout if loss is None else loss.left for loss in every]
    experiments = [
        Experiment(rest, SUITES[SUITE], PAIRS, SECONDS, WARMUP, client=node)
        for rest in rests
        if rest is not None
        for node in rest.nodes
    ]
    results = iter(run_all(run, experiments, None))
    return [(0.0, 0.0) if rest is None else (_sent(results), _sent(results)) for rest in rests]


def _sent(results: Iterator[Result]) -> float:
    return next(results).mb_per_s_out
