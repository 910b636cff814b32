"""The page's part on links that share channels: alone and together, and losses."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from markupsafe import Markup

from isfc.cli.drawing.cluster import drawing_svg
from isfc.cli.html.template import greatest, ranged, render
from isfc.cli.judgement.advice import fewer_line, known_together, link_names
from isfc.cli.judgement.together import together_decision
from isfc.cli.output.ranges import range_note
from isfc.layout.collection import Collection
from isfc.layout.rules.book import find_all
from scenarios.figures.cluster_overview import ClusterOverview
from scenarios.figures.cluster_plan import ClusterPlan
from scenarios.figures.report_runs import ClusterRuns
from scenarios.runs.cluster_shared import ChannelResult, PathResult
from scenarios.runs.notes import SHARED_UNRANGED

CLUSTER: Final = "cluster"
"""The id of the part."""

Row = Sequence[object]


def cluster_article(runs: ClusterRuns) -> Markup:
    """All about the links together."""
    plan, collection = runs.plan, runs.collection
    together = plan.together_mb_per_s
    if isinstance(plan, ClusterPlan):
        parts, where = _in_full(plan), "see each link"
    else:
        parts, where = _at_a_glance(plan, collection), "see What is found"
    return render(
        "html/cluster.html",
        collection=collection,
        overview=isinstance(plan, ClusterOverview),
        decided=together_decision(collection, together, runs.limit, where),
        drawing=drawing_svg(cluster=collection, mark="-cluster"),
        unranged=SHARED_UNRANGED.text,
        losses=((loss.name, link_names(loss.cut), fewer_line(loss)) for loss in runs.losses),
        **parts,
    )


def _at_a_glance(found: ClusterOverview, collection: Collection) -> dict[str, Any]:
    """Of many links: what they come to."""
    return {
        "known": range_note(each.range for each in found.systems),
        "systems": _systems(found),
        "busiest": ((name, f"{100 * busy:.0f}", links) for name, busy, links in found.busiest),
        "slowest": ((name, f"{out:.0f}", f"{back:.0f}") for name, out, back in found.slowest),
        "findings": _findings(collection),
    }


def _in_full(plan: ClusterPlan) -> dict[str, Any]:
    """Of a few links: each, and all that they share."""
    return {
        "known": range_note(link.range for link in plan.links),
        "together": known_together(plan),
        "links": _links(plan),
        "channels": (
            (
                each.carried.name,
                f"{each.line_mb_per_s:.0f}",
                f"{each.processor_mb_per_s:.0f}",
                *_carried(each.carried),
            )
            for each in plan.channels
        ),
        "paths": [(each.name, f"{each.mb_per_s_max:.0f}", *_carried(each)) for each in plan.paths],
    }


def _systems(found: ClusterOverview) -> Iterator[Row]:
    most = greatest(each.range for each in found.systems)
    for each in found.systems:
        yield (
            *(each.name, f"{each.out or 0:.0f}", f"{each.back or 0:.0f}"),
            ranged(f"{(each.out or 0) + (each.back or 0):.0f}", each.range, most),
            *(each.links, each.ctcs, each.channels, f"{each.gbps:g}"),
            f"{each.busiest[0]} {100 * each.busiest[1]:.0f} %" if each.busiest else "",
        )


def _findings(collection: Collection) -> Iterator[Row]:
    """Severity, id and remedy of each finding, the warnings first, and of how many links it is."""
    counts = Counter(
        (each.severity, each.id, each.remedy)
        for link in collection.links
        for each in find_all(link, collection.beside(link), collection)
    )
    return ((*key, counts[key]) for key in sorted(counts, reverse=True))


def _links(plan: ClusterPlan) -> Iterator[Row]:
    most = greatest(link.range for link in plan.links)
    for link in plan.links:
        yield (
            link.name,
            ", ".join(link.traffic),
            *(f"{rate.mb_per_s:.1f}" for rate in link.rates),
            ranged(f"{link.together_mb_per_s:.0f}", link.range, most),
        )


def _carried(shared: ChannelResult | PathResult) -> Iterator[str]:
    """What went over it out and in, how busy it was, and who got how much."""
    yield f"{shared.mb_per_s_out:.1f}"
    yield f"{shared.mb_per_s_in:.1f}"
    yield f"{100 * shared.busy:.0f}"
    yield ", ".join(
        f"{share.link} {share.mb_per_s_out:.0f}/{share.mb_per_s_in:.0f}" for share in shared.shares
    )
