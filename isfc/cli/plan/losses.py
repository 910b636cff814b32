"""``isfc plan --lose``: what is left of a link with each chpid and each CTC gone."""

from collections.abc import Sequence

from msgspec import Struct
from rich.console import Group, RenderableType

from isfc.cli.judgement.advice import two_paces
from isfc.cli.output.notes import NoteJson, note_lines, notes_json
from isfc.cli.output.progress import run_all
from isfc.cli.output.table import plain_table
from isfc.layout.layout import Layout
from isfc.layout.loss import Loss
from isfc.layout.lost import LostTogether
from scenarios.figures.link_loss import AfterLoss, after_losses
from scenarios.runs.notes import loss_notes
from scenarios.runs.saturation import STATED_PAIRS, SUITE


class LossJson(Struct, frozen=True):
    """``isfc plan --lose --json``: what a loss leaves. Names and meanings of the keys stay."""

    kind: str | None
    """`chpid` or `ctc`, `together` with `--without`, or null for the whole link"""
    gone: dict[str, str]
    """by node: the chpid or the RDEV, or all that is gone together"""
    ctcs_left: int
    """how many"""
    estimated_mb_per_s: dict[str, float]
    """by sending node: one-way capacity by IBM's rule of thumb"""
    simulated_mb_per_s: dict[str, float] | None
    """by sending node: what a run sends once that is steady, with `--simulate`, else null"""
    simulated_spread_mb_per_s: dict[str, float] | None
    """by sending node: within what of it an endless run would be, with 95 % confidence"""
    simulated_second_mb_per_s: dict[str, float | None] | None
    """by sending node: the other pace that the link may keep, null if it has one"""
    notes: list[NoteJson]
    """as of `isfc plan --json`"""


def losses_of(
    layout: Layout, *, simulate: bool, together: LostTogether | None = None
) -> tuple[RenderableType, list[LossJson]]:
    """What is left of ``layout``, by rule of thumb and, if wanted, by run: a page, and records.

    Without each chpid and CTC in turn, or without several things ``together``.
    """
    lefts = after_losses(layout, run_all if simulate else None, together)
    runs = f"Runs: {SUITE}, {STATED_PAIRS} pairs, until steady, one direction after the other"
    load = f"{runs}{_within(lefts)}."
    rates = [
        (f"{node}, {left.gone} gone,", rate)
        for left in lefts
        for node, rate in zip(layout.nodes, left.measured or (), strict=False)
    ]
    notes = loss_notes(layout, simulated=simulate)
    said = [two_paces(rates)] if any(rate.second_mb_per_s for _, rate in rates) else []
    page = Group(loss_page(layout, lefts, load), *said, *note_lines(notes))
    return page, [loss_json(layout, left) for left in lefts]


def loss_json(layout: Layout, left: AfterLoss) -> LossJson:
    """The record of one loss, or of the whole link."""
    loss, nodes = left.loss, layout.nodes
    rates = None if left.measured is None else dict(zip(nodes, left.measured, strict=True))
    return LossJson(
        None if loss is None else loss.kind,
        {} if loss is None else dict(zip(nodes, loss.names, strict=True)),
        left.ctc_count,
        dict(zip(nodes, left.estimated, strict=True)),
        None if rates is None else {node: rate.mb_per_s for node, rate in rates.items()},
        None if rates is None else {node: rate.spread_mb_per_s for node, rate in rates.items()},
        None if rates is None else {node: rate.second_mb_per_s for node, rate in rates.items()},
        notes_json(loss_notes(layout, simulated=left.measured is not None)),
    )


def _within(lefts: Sequence[AfterLoss]) -> str:
    """``; within 2 % of an endless run``: the widest spread of all runs."""
    rates = [rate for left in lefts for rate in left.measured or () if rate.mb_per_s]
    if not rates:
        return ""
    widest = max(rate.spread_mb_per_s / rate.mb_per_s for rate in rates)
    return f"; each rate is within {100 * widest:.1f} % of an endless run's, with 95 % confidence"


def loss_page(layout: Layout, lefts: Sequence[AfterLoss], load: str) -> RenderableType:
    """The whole page; ``load`` describes the runs, if there were any."""
    first, second = layout.nodes
    runs = lefts[0].measured_mb_per_s
    run = (">\nrun",) if runs is not None else ()
    table = plain_table("gone", ">CTCs left", f">{first}\nrule", *run, f">{second}\nrule", *run)
    for left in lefts:
        cells: list[str] = []
        for way in (0, 1):
            cells.append(_rate(left.estimated[way], lefts[0].estimated[way]))
            if left.measured_mb_per_s is not None and runs is not None:
                cells.append(_rate(left.measured_mb_per_s[way], runs[way]))
        table.add_row(left.gone, str(left.ctc_count), *cells)
    what = "one chpid or CTC" if all(isinstance(one.loss, Loss) for one in lefts[1:]) else "this"
    heading = (
        f"MB/s that {first} and {second} can each send, with {what} gone; "
        "percent of the whole link."
    )
    notes = [load] if runs is not None else []
    return Group(heading, *notes, "", table)


def _rate(rate: float, whole: float) -> str:
    return f"{rate:.0f} {rate / whole * 100:3.0f} %" if whole else f"{rate:.0f}"
