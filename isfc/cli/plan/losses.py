"""``isfc plan --lose``: what is left of a link with each chpid and each CTC gone."""

from collections.abc import Sequence

from msgspec import Struct
from rich.console import Group, RenderableType

from isfc.cli.judgement.advice import two_paces
from isfc.cli.judgement.limit import limit_line, limits_json, short_limit
from isfc.cli.judgement.worst_loss import loss_words, worst_loss
from isfc.cli.output.limit_record import LimitsJson
from isfc.cli.output.notes import NoteJson, note_lines, notes_json
from isfc.cli.output.progress import run_all
from isfc.cli.output.ranges import RangeJson, likely, range_json, range_note, share_note
from isfc.cli.output.table import plain_table
from isfc.layout.collection import Cec, Collection
from isfc.layout.in_words import first_listed
from isfc.layout.layout import Layout
from isfc.layout.loss import ClusterLoss
from isfc.layout.lost import PORT, SYSTEM, VARY, LostTogether, named_alone
from scenarios.figures.after_loss import AfterLoss, after_losses, link_losses
from scenarios.runs.notes import loss_notes


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
    left_share: float | None
    """what the loss leaves of the rate of the slower direction, of 1; null for the whole link"""
    left_share_range: RangeJson | None
    """between what that would lie; null if nothing was run or is left"""
    text: str | None
    """the same in words, and by which load; null for the whole link"""
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
    lefts = after_losses(
        Collection.of(layout),
        link_losses(layout, cecs, together),
        run_all if simulate else None,
    )
    rates = [
        (f"{node}, {left.gone} gone,", way.rate)
        for left in lefts
        for node, way in zip(layout.nodes, left.sent or (), strict=False)
    ]
    notes = loss_notes(layout, simulated=simulate)
    said = [two_paces(rates)] if any(rate.second_mb_per_s for _, rate in rates) else []
    if together is None:
        said += others_line(named_alone([layout], cecs, VARY, PORT, SYSTEM))
    page = Group(loss_page(layout, lefts), *said, *note_lines(notes))
    return page, [loss_json(layout, left) for left in lefts]


def others_line(names: Sequence[str]) -> list[str]:
    """Which pieces have no row, and how to ask for them: the first of each kind; none, no line."""
    kinds = dict.fromkeys(name.partition(":")[0] for name in names)
    each = [first_listed([n for n in names if n.startswith(f"{kind}:")], 1) for kind in kinds]
    return [f"Not in the table, but named in --without: {'; '.join(each)}."] if each else []


def loss_json(layout: Layout, left: AfterLoss) -> LossJson:
    """The record of one loss, or of the whole link."""
    loss, nodes, share = left.loss, layout.nodes, left.share_range
    names = () if loss is None or isinstance(loss, ClusterLoss) else loss.names
    rates = None
    if left.sent is not None:
        rates = {node: way.rate for node, way in zip(nodes, left.sent, strict=True)}
    ranges = [(node, left.way_range(way)) for way, node in enumerate(nodes)]
    return LossJson(
        None if loss is None else loss.kind,
        dict(zip(nodes, names, strict=False)),
        left.ctc_count,
        dict(zip(nodes, left.estimated, strict=True)),
        None if rates is None else {node: rate.mb_per_s for node, rate in rates.items()},
        None if rates is None else {node: rate.spread_mb_per_s for node, rate in rates.items()},
        None if rates is None else {node: rate.second_mb_per_s for node, rate in rates.items()},
        None if rates is None else {n: range_json(within) for n, within in ranges if within},
        None if loss is None else left.share,
        None if share is None else range_json(share),
        None if loss is None else loss_words(left),
        None if left.limit is None else limits_json(left.limit, left.mb_per_s),
        notes_json(loss_notes(layout, simulated=left.sent is not None)),
    )


def _load(lefts: Sequence[AfterLoss]) -> str:
    """By which runs, and how well each is known: the widest spread of all."""
    rates = [way.rate for left in lefts for way in left.sent or () if way.rate.mb_per_s]
    widest = max(rate.spread_percent for rate in rates)
    return (
        f"Runs {lefts[0].load.words}, until steady; each rate is within {widest:.1f} % of an "
        "endless run's, with 95 % confidence."
    )


def loss_page(layout: Layout, lefts: Sequence[AfterLoss]) -> RenderableType:
    """The whole page."""
    whole, ways = lefts[0], (0, 1)
    modelled = whole.sent is not None
    heads = (">{}\nmodel", "~\nrange", ">\nrule") if modelled else (">{}\nrule",)
    ends = [head.format(node) for node in layout.nodes for head in heads]
    limited = ("~slower is\nlimited by",) if modelled else ()
    table = plain_table("gone", ">CTCs\nleft", ">left\n%", *ends, *limited, gap=1)
    for left in lefts:
        cells = [cell for way in ways for cell in _way_cells(left, way)]
        if modelled:
            cells.append("" if left.limit is None else short_limit(left.limit))
        table.add_row(left.gone, str(left.ctc_count), f"{100 * left.share:.0f}", *cells)
    together = any(one.loss is not None and one.loss.kind == "together" for one in lefts)
    what = "without what is named" if together else "with one piece gone"
    by = "by the model, and by IBM's rule of thumb" if modelled else "by IBM's rule of thumb"
    heading = (
        f"MB/s (2^20) one way that {' and '.join(layout.nodes)} can each send {what}, {by}; "
        "% of the slower direction of the whole link."
    )
    begin = "Without " if together else "Worst: "
    answer = [f"{begin}{worst_loss(lefts)}"] if lefts[1:] else []
    if whole.limit is not None:
        answer.append(
            f"The slower way of the whole link is {limit_line(whole.limit, whole.mb_per_s)} MB/s."
        )
    page: list[RenderableType] = [*answer, *[""] * bool(answer), heading, table]
    if not modelled:
        return Group(*page)
    ranges = range_note(left.way_range(way) for left in lefts for way in ways)
    shares = share_note(left.share_range for left in lefts)
    return Group(*page, "", f"{_load(lefts)} {ranges} {shares}".strip())


def _way_cells(left: AfterLoss, way: int) -> list[str]:
    """What the model carries, if it was asked, and its range; and the rule's figure."""
    rule = f"{left.estimated[way]:.0f}"
    if left.sent is None:
        return [rule]
    return [f"{left.sent[way].rate.mb_per_s:.0f}", likely(left.way_range(way)), rule]
