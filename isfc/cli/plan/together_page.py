"""What ``isfc plan`` shows of several links that share channels."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from isfc.cli.judgement.advice import known_together
from isfc.cli.judgement.limit import together_line
from isfc.cli.output.ranges import likely, range_note
from isfc.cli.output.table import plain_table
from scenarios.figures.cluster_plan import ClusterPlan
from scenarios.runs.cluster_shared import ChannelResult, ChannelShare, PathResult


def cluster_plan_page(plan: ClusterPlan) -> RenderableType:
    """Each link alone and with the others, then each channel that several fibres share."""
    figures = (">alone ->", "><-", ">together ->", "><-", "~range", ">left %")
    links = plain_table("~link", *figures, "~traffic", no_wrap=True)
    together = plan.together
    for link in plan.links:
        loads = ", ".join(dict.fromkeys(load.partition(":")[2] for load in link.traffic))
        links.add_row(
            link.name,
            *(f"{rate.mb_per_s:.0f}" if rate.mb_per_s else "" for rate in link.rates),
            likely(link.rate),
            f"{100 * link.share:.0f}",
            loads or f"{together.load.workload.name}:{together.load.pairs}",
        )
    limit, known = together.limit, range_note(link.rate for link in plan.links)
    parts: list[RenderableType] = [
        Text(f"MB/s one way of each link, alone and all together, {together.load.words}", "bold"),
        links,
        f"range and left %: of the slower direction together. {known}",
        *([together_line(limit, together.rate.value)] if limit else []),
    ]
    channels, paths = together.channels, together.paths
    if channels or paths:
        parts += ["", Text("What several fibres share, all links together", "bold")]
    if channels:
        parts.append(_channels(channels))
        parts.append(
            "A line carries so much each way, a data processor both ways together, in MB/s of long "
            "messages. busy % is of the one that is nearest to its end: line, data processor, or "
            "what starts I/Os. Who gets how much is out/in, in MB/s. Of the two directions of the "
            "links that in which it is busier."
        )
    if paths:
        parts += [""] * bool(channels)
        parts.append(_paths(paths))
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


def _channels(channels: Sequence[ChannelResult]) -> Table:
    figures = (">line", ">processor", ">out", ">in", ">busy %")
    table = plain_table("~channel", *figures, "~links: out/in", no_wrap=True)
    for each in channels:
        rates = (
            each.line_mb_per_s,
            each.processor_mb_per_s,
            each.mb_per_s_out,
            each.mb_per_s_in,
            100 * each.busy,
        )
        name = " =\n".join(map(str, each.channel))
        table.add_row(name, *(f"{rate:.0f}" for rate in rates), _who(each.shares))
    return table
