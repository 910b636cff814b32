"""What ``isfc plan`` shows of several links that share channels, and of what a loss leaves."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from isfc.cli.judgement.advice import fewer_line, known_together, link_names
from isfc.cli.judgement.limit import short_limit, together_line
from isfc.cli.judgement.worst_loss import ALL_LINKS, worst_loss
from isfc.cli.output.ranges import likely, range_note, share_note
from isfc.cli.output.table import plain_table
from isfc.layout.loss import ClusterLoss
from scenarios.figures.after_loss import AfterLoss
from scenarios.figures.cluster_plan import ClusterPlan, SharedChannelPlan
from scenarios.figures.limit import Limit
from scenarios.runs.cluster_shared import ChannelShare, PathResult


def cluster_plan_page(plan: ClusterPlan, limit: Limit | None = None) -> RenderableType:
    """Each link alone and with the others, then each channel that several fibres share."""
    figures = (">alone ->", "><-", ">together ->", "><-", "~range", ">left %")
    links = plain_table("~link", *figures, "~traffic", no_wrap=True)
    for link in plan.links:
        loads = ", ".join(dict.fromkeys(load.partition(":")[2] for load in link.traffic))
        links.add_row(
            link.name,
            *(f"{rate.mb_per_s:.0f}" for rate in link.rates),
            likely(link.range),
            f"{100 * link.share:.0f}",
            loads,
        )
    parts: list[RenderableType] = [
        Text("MB/s one way of each link, alone and all together", "bold"),
        links,
        f"range: of both ways together. {range_note(link.range for link in plan.links)}",
        *([together_line(limit, plan.together_mb_per_s)] if limit else []),
    ]
    if plan.channels or plan.paths:
        parts += ["", Text("What several fibres share, all links together", "bold")]
    if plan.channels:
        parts.append(_channels(plan.channels))
        parts.append(
            "A line carries so much each way, a data processor both ways together, in MB/s of long "
            "messages. busy % is of the one that is nearest to its end: line, data processor, or "
            "what starts I/Os. Who gets how much is out/in, in MB/s."
        )
    if plan.paths:
        parts += [""] * bool(plan.channels)
        parts.append(_paths(plan.paths))
        parts.append(
            "Inter-switch links carry so much each way as their rate and their buffer credits let "
            "through, in MB/s of long messages; busy % is of the direction with more."
        )
    parts += ["", known_together(plan)]
    return Group(*parts)


def _paths(paths: Sequence[PathResult]) -> Table:
    figures = (">each way", ">out", ">in", ">busy %")
    table = plain_table("~inter-switch links", *figures, "~links: out/in", no_wrap=True)
    for path in paths:
        table.add_row(
            path.name,
            *(f"{rate:.0f}" for rate in (path.mb_per_s_max, path.mb_per_s_out, path.mb_per_s_in)),
            f"{100 * path.busy:.0f}",
            _who(path.shares),
        )
    return table


def _who(shares: Sequence[ChannelShare]) -> str:
    """Which link moved how much, out and in."""
    moved = (
        f"{share.link} {share.mb_per_s_out:.0f}/{share.mb_per_s_in:.0f}"
        for share in shares
        if share.mb_per_s_out or share.mb_per_s_in
    )
    return ", ".join(moved) or "nothing"


def _channels(channels: Sequence[SharedChannelPlan]) -> Table:
    figures = (">line", ">processor", ">out", ">in", ">busy %")
    table = plain_table("~channel", *figures, "~links: out/in", no_wrap=True)
    for channel in channels:
        carried = channel.carried
        table.add_row(
            " =\n".join(map(str, carried.channel)),
            f"{channel.line_mb_per_s:.0f}",
            f"{channel.processor_mb_per_s:.0f}",
            f"{carried.mb_per_s_out:.0f}",
            f"{carried.mb_per_s_in:.0f}",
            f"{100 * carried.busy:.0f}",
            _who(carried.shares),
        )
    return table


def cluster_losses_page(lefts: Sequence[AfterLoss]) -> RenderableType:
    """A line for each thing that can be lost: what is left of all links, which of them are down."""
    whole = lefts[0]
    modelled = whole.ways is not None
    heads = (">\nMB/s", "~\nrange", ">left\n%", "~\nlimited by") if modelled else ()
    table = plain_table("~what is lost", *heads, "~links\ndown", "~links with\nfewer CTCs")
    for left in lefts:
        loss = left.loss if isinstance(left.loss, ClusterLoss) else None
        cut = Text(link_names(loss.cut), "yellow" if loss.cut else "") if loss else "none"
        cells = _left_cells(left) if modelled else ()
        table.add_row(left.gone, *cells, cut, fewer_line(loss) if loss else "none")
    parts: list[RenderableType] = [
        Text("What the loss of a piece leaves of all links together", "bold"),
        table,
    ]
    if not modelled:
        return Group(*parts)
    together = any(left.loss is not None and left.loss.kind == "together" for left in lefts)
    answer = [f"{'Without ' if together else 'Worst: '}{worst_loss(lefts)}"] if lefts[1:] else []
    if whole.limit is not None:
        answer.append(together_line(whole.limit, whole.mb_per_s))
    known = range_note(left.range for left in lefts)
    return Group(
        *answer,
        "",
        *parts,
        f"MB/s (2^20) {ALL_LINKS} and % of the whole, by the model, {whole.load.words}. "
        f"{known} {share_note(left.share_range for left in lefts)}".rstrip(),
    )


def _left_cells(left: AfterLoss) -> Sequence[str]:
    limit = "" if left.limit is None else short_limit(left.limit)
    return f"{left.mb_per_s:.0f}", likely(left.range), f"{100 * left.share:.0f}", limit
