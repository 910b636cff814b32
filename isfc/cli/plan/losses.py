"""``isfc plan --lose``: what is left of a link with each chpid and each CTC gone."""

from collections.abc import Sequence

from msgspec import Struct
from rich.console import Group, RenderableType

from isfc.cli.judgement.advice import two_paces
from isfc.cli.judgement.limit import limit_line, limits_json, short_limit
from isfc.cli.judgement.worst_loss import worst_loss
from isfc.cli.output.limit_record import LimitsJson
from isfc.cli.output.notes import NoteJson, note_lines, notes_json
from isfc.cli.output.progress import run_all
from isfc.cli.output.ranges import RangeJson, likely, range_json, range_note, share_note
from isfc.cli.output.table import plain_table
from isfc.layout.collection import Cec
from isfc.layout.in_words import first_listed
from isfc.layout.layout import Layout
from isfc.layout.lost import PORT, SYSTEM, VARY, LostTogether, named_alone
from isfc.link.name import NodeName
from scenarios.figures.certainty import Range
from scenarios.figures.link_loss import AfterLoss, after_losses, left_range, share_range
from scenarios.runs.notes import loss_notes
from scenarios.runs.saturation import STATED_PAIRS, SUITE


class LossJson(Struct, frozen=True):
    """``isfc plan --lose --json``: what a loss leaves. Names and meanings of the keys stay."""

    kind: str | None
    """`director`, `path`, `cec`, `chpid` or `ctc`, `together` with `--without`, or null for the
    whole link"""
    gone: dict[str, str]
    """by node: the chpid or the RDEV, or all that is gone together"""
    ctcs_left: int
    """how many"""
    estimated_mb_per_s: dict[str, float]
    """by sending node: one-way capacity by IBM's rule of thumb"""
    simulated_mb_per_s: dict[str, float] | None
    """by sending node: what a run sends once that is steady, null with `--rule`"""
    simulated_spread_mb_per_s: dict[str, float] | None
    """by sending node: within what of it an endless run would be, with 95 % confidence"""
    simulated_second_mb_per_s: dict[str, float | None] | None
    """by sending node: the other pace that the link may keep, null if it has one"""
    simulated_range: dict[str, RangeJson] | None
    """by sending node: between what it would lie, in MB/s; null if nothing was run"""
    left_share: dict[str, float] | None
    """by sending node: what the loss leaves of the rate, of 1; null if nothing was run"""
    left_share_range: dict[str, RangeJson] | None
    """by sending node: between what that would lie"""
    limits: LimitsJson | None
    """what limits the slower direction, as of `isfc plan --json`; null if nothing was run"""
    notes: list[NoteJson]
    """as of `isfc plan --json`"""


def losses_of(
    layout: Layout,
    *,
    simulate: bool,
    together: LostTogether | None = None,
    cecs: Sequence[Cec] = (),
) -> tuple[RenderableType, list[LossJson]]:
    """What is left of ``layout``, by rule of thumb and, if wanted, by run: a page, and records.

    Without each chpid and CTC in turn, or without several things ``together``.
    """
    lefts = after_losses(layout, run_all if simulate else None, together, cecs)
    runs = f"Runs: {SUITE}, {STATED_PAIRS} pairs, until steady, one direction after the other"
    load = f"{runs}{_within(lefts)}."
    rates = [
        (f"{node}, {left.gone} gone,", rate)
        for left in lefts
        for node, rate in zip(layout.nodes, left.measured or (), strict=False)
    ]
    notes = loss_notes(layout, simulated=simulate)
    said = [two_paces(rates)] if any(rate.second_mb_per_s for _, rate in rates) else []
    if together is None:
        said += others_line(named_alone([layout], cecs, VARY, PORT, SYSTEM))
    page = Group(loss_page(layout, lefts, load), *said, *note_lines(notes))
    return page, [loss_json(layout, left, lefts[0]) for left in lefts]


def others_line(names: Sequence[str]) -> list[str]:
    """Which pieces have no row, and how to ask for them: the first of each kind; none, no line."""
    kinds = dict.fromkeys(name.partition(":")[0] for name in names)
    each = [first_listed([n for n in names if n.startswith(f"{kind}:")], 1) for kind in kinds]
    return [f"Not in the table, but named in --without: {'; '.join(each)}."] if each else []


def loss_json(layout: Layout, left: AfterLoss, whole: AfterLoss) -> LossJson:
    """The record of one loss, or of the whole link."""
    loss, nodes = left.loss, layout.nodes
    rates = None if left.measured is None else dict(zip(nodes, left.measured, strict=True))
    shares = None if rates is None else _shares(layout, left, whole)
    return LossJson(
        None if loss is None else loss.kind,
        {} if loss is None else dict(zip(nodes, loss.names, strict=True)),
        left.ctc_count,
        dict(zip(nodes, left.estimated, strict=True)),
        None if rates is None else {node: rate.mb_per_s for node, rate in rates.items()},
        None if rates is None else {node: rate.spread_mb_per_s for node, rate in rates.items()},
        None if rates is None else {node: rate.second_mb_per_s for node, rate in rates.items()},
        None if rates is None else _ranges_json(layout, left),
        None if shares is None else {node: each.value for node, each in shares.items()},
        None if shares is None else {node: range_json(each) for node, each in shares.items()},
        None if left.limit is None else limits_json(left.limit, _slower(left)),
        notes_json(loss_notes(layout, simulated=left.measured is not None)),
    )


def _ranges_json(layout: Layout, left: AfterLoss) -> dict[str, RangeJson]:
    found = {node: left_range(layout, left, way) for way, node in enumerate(layout.nodes)}
    return {node: range_json(each) for node, each in found.items() if each is not None}


def _shares(layout: Layout, left: AfterLoss, whole: AfterLoss) -> dict[NodeName, Range]:
    """What a loss leaves of the rate; nothing of the whole link, and where no CTC is left."""
    found = {node: share_range(layout, left, whole, way) for way, node in enumerate(layout.nodes)}
    return {node: each for node, each in found.items() if each is not None}


def _slower(left: AfterLoss) -> float:
    """MB/s of the direction whose limit was found."""
    return min(left.measured_mb_per_s or left.estimated)


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
    modelled = lefts[0].measured is not None
    heads = ("model   %", "~\nrange", ">\nrule") if modelled else ("rule   %",)
    ends = [
        f">{node}\n{head}" if head == heads[0] else head
        for node in (first, second)
        for head in heads
    ]
    limited = ("~slower is\nlimited by",) if modelled else ()
    table = plain_table("gone", ">CTCs\nleft", *ends, *limited, gap=1)
    for left in lefts:
        cells: list[str] = []
        for way in (0, 1):
            cells += _model_cells(layout, left, lefts[0], way)
            rule = left.estimated[way]
            cells.append(f"{rule:.0f}" if modelled else _rate(rule, lefts[0].estimated[way]))
        if modelled:
            cells.append("" if left.limit is None else short_limit(left.limit))
        table.add_row(left.gone, str(left.ctc_count), *cells)
    together = any(one.loss is not None and one.loss.kind == "together" for one in lefts)
    what = "without what is named" if together else "with one piece gone"
    by = "by the model, and by IBM's rule of thumb" if modelled else "by IBM's rule of thumb"
    heading = (
        f"MB/s (2^20) one way that {first} and {second} can each send {what}, {by}; "
        "% of the whole link."
    )
    begin = "Without " if together else "Worst: "
    answer = [f"{begin}{worst_loss(layout, lefts)}"] if lefts[1:] else []
    whole, ways = lefts[0], (0, 1)
    if whole.limit is not None:
        answer.append(
            f"With {STATED_PAIRS} pairs the slower way of the whole link is "
            f"{limit_line(whole.limit, _slower(whole))} MB/s."
        )
    page: list[RenderableType] = [*answer, *[""] * bool(answer), heading, table]
    if not modelled:
        return Group(*page)
    ranges = range_note(left_range(layout, whole, way) for way in ways)
    shares = share_note(share_range(layout, left, whole, way) for left in lefts for way in ways)
    return Group(*page, "", f"{load} {ranges} {shares}".strip())


def _model_cells(layout: Layout, left: AfterLoss, whole: AfterLoss, way: int) -> list[str]:
    """What the model carries, and its range; nothing if it was not asked."""
    if left.measured is None or whole.measured is None:
        return []
    rates = (left.measured[way].mb_per_s, whole.measured[way].mb_per_s)
    return [_rate(*rates), likely(left_range(layout, left, way))]


def _rate(rate: float, whole: float) -> str:
    return f"{rate:.0f} {rate / whole * 100:3.0f}" if whole else f"{rate:.0f}"
