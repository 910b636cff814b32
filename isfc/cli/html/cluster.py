"""The page's part on links that share channels: the cluster drawn, alone and together, losses."""

from html import escape
from typing import Final

from isfc.cli.drawing.cluster import drawing_svg
from isfc.cli.html.decision import decision_list
from isfc.cli.html.parts import drawn, greatest, ranged, section, table
from isfc.cli.judgement.advice import fewer_line, known_together, link_names
from isfc.cli.judgement.together import together_decision
from isfc.cli.output.ranges import range_note
from isfc.layout.layout import Collection
from isfc.layout.loss import ClusterLoss
from isfc.layout.rules.book import find_all
from scenarios.figures.cluster_overview import ClusterOverview
from scenarios.figures.cluster_plan import ClusterPlan
from scenarios.figures.report_runs import ClusterRuns
from scenarios.runs.notes import SHARED_UNRANGED

CLUSTER: Final = "cluster"
"""The id of the part."""

_TITLE: Final = "All links together"


def cluster_article(runs: ClusterRuns) -> str:
    """All about the links together."""
    plan, collection = runs.plan, runs.collection
    svg = drawing_svg(cluster=collection, mark="-cluster")
    parts = [("layout", "Machines, channels and directors", drawn("The cluster drawn", svg))]
    losses = ("loss", "What a loss cuts", _losses(runs.losses))
    if isinstance(plan, ClusterPlan):
        below, where = " The parts below take each link as if it were alone.", "see each link"
        parts += [
            ("load", "Each link alone, and with the others", _links(plan)),
            ("channels", "What several fibres share", _channels(plan)),
            losses,
        ]
    else:
        below = f" {len(collection.links)} links; all about one of them: isfc report --link."
        where = "see What is found"
        worst = ("loss", "The worst losses", losses[2])
        found = ("findings", "What is found", _findings(collection))
        parts = [
            ("load", "What each system carries", _systems(plan)),
            ("limits", "Busiest and slowest", _limits(plan)),
            *(worst, found, *parts),
        ]
    sections = "\n".join(
        section(f"cluster-{name}", heading, content) for name, heading, content in parts
    )
    systems = escape(", ".join(collection.systems))
    said = together_decision(collection, plan.together_mb_per_s, runs.limit, where)
    return (
        f'<article id="{CLUSTER}"><header><h1>{_TITLE}</h1>\n<p>{systems}.{below}</p>\n'
        f"{decision_list(said)}</header>\n"
        f"{sections}</article>"
    )


def _systems(found: ClusterOverview) -> str:
    heads = ("System", "Out", "In", "Both", "Links", "CTCs", "Channels", "Gb/s", "Busiest channel")
    most = greatest(each.range for each in found.systems)
    rows = (
        (
            *(each.name, f"{each.out or 0:.0f}", f"{each.back or 0:.0f}"),
            ranged(f"{(each.out or 0) + (each.back or 0):.0f}", each.range, most),
            *(str(each.links), str(each.ctcs), str(each.channels), f"{each.gbps:g}"),
            f"{each.busiest[0]} {100 * each.busiest[1]:.0f} %" if each.busiest else "",
        )
        for each in found.systems
    )
    known = range_note(each.range for each in found.systems)
    said = f"A bar is the range of both ways. {known} {SHARED_UNRANGED.text}"
    caption = "MB/s (2^20) that each system sends and receives, all links together"
    return f"{table(caption, heads, rows)}\n<p>{escape(said)}</p>"


def _limits(found: ClusterOverview) -> str:
    busiest = ((name, f"{100 * busy:.0f}", str(links)) for name, busy, links in found.busiest)
    slowest = ((name, f"{out:.0f}", f"{back:.0f}") for name, out, back in found.slowest)
    return table(
        "Busiest of what links share, in one run", ("What", "Busy %", "Links"), busiest
    ) + table("Slowest links, MB/s each way", ("Link", "From the first node", "To it"), slowest)


def _findings(collection: Collection) -> str:
    counts: dict[tuple[str, str, str], int] = {}
    for link in collection.links:
        for each in find_all(link, collection.beside(link), collection):
            key = each.severity, each.id, each.remedy
            counts[key] = counts.get(key, 0) + 1
    rows = (
        (*key, str(count))
        for key, count in sorted(counts.items(), key=lambda each: each[0], reverse=True)
    )
    heads = ("Severity", "Finding", "What to do", "Links")
    return table("Findings summed up; isfc check has each", heads, rows)


def _links(plan: ClusterPlan) -> str:
    ways = ("Alone, to", "Alone, from", "Together, to", "Together, from")
    heads = ("Link", "Traffic", *ways, "Together, both")
    most = greatest(link.range for link in plan.links)
    rows = (
        (
            link.name,
            ", ".join(link.traffic),
            *(f"{rate.mb_per_s:.1f}" for rate in link.rates),
            ranged(f"{link.together_mb_per_s:.0f}", link.range, most),
        )
        for link in plan.links
    )
    known = range_note(link.range for link in plan.links)
    said = f"A bar is the range of both ways. {known} {SHARED_UNRANGED.text} "
    shown = table("MB/s (2^20) from the first node of each link, and to it", heads, rows)
    return f"{shown}\n<p>{escape(said + known_together(plan))}</p>"


def _channels(plan: ClusterPlan) -> str:
    heads = ("Channel", "Line", "Data processor", "Out", "In", "Busy %", "Links, out/in")
    rows = (
        (
            each.carried.name,
            f"{each.line_mb_per_s:.0f}",
            f"{each.processor_mb_per_s:.0f}",
            f"{each.carried.mb_per_s_out:.1f}",
            f"{each.carried.mb_per_s_in:.1f}",
            f"{100 * each.carried.busy:.0f}",
            ", ".join(
                f"{share.link} {share.mb_per_s_out:.0f}/{share.mb_per_s_in:.0f}"
                for share in each.carried.shares
            ),
        )
        for each in plan.channels
    )
    shown = table("MB/s (2^20): what it can carry, and who got how much", heads, rows)
    return shown + _paths(plan) if plan.paths else shown


def _paths(plan: ClusterPlan) -> str:
    heads = ("Inter-switch links", "Each way", "Out", "In", "Busy %", "Links, out/in")
    rows = (
        (
            each.name,
            f"{each.mb_per_s_max:.0f}",
            f"{each.mb_per_s_out:.1f}",
            f"{each.mb_per_s_in:.1f}",
            f"{100 * each.busy:.0f}",
            ", ".join(
                f"{share.link} {share.mb_per_s_out:.0f}/{share.mb_per_s_in:.0f}"
                for share in each.shares
            ),
        )
        for each in plan.paths
    )
    return table(
        "MB/s (2^20): what rate and buffer credits let through, and who got how much", heads, rows
    )


def _losses(losses: tuple[ClusterLoss, ...]) -> str:
    heads = ("Lost", "Links down", "Links with fewer CTCs")
    rows = (
        (
            loss.name,
            link_names(loss.cut),
            fewer_line(loss),
        )
        for loss in losses
    )
    return table(
        "Links that go with a channel, director, inter-switch links, CEC or system", heads, rows
    )
