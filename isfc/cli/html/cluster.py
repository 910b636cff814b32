"""The page's part on links that share channels: alone and together, and losses."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

from markupsafe import Markup

from isfc.cli.drawing.cluster import drawing_svg
from isfc.cli.judgement.advice import fewer_line, link_names
from isfc.cli.judgement.cluster import cluster_known, cluster_report, links_table, shared_tables
from isfc.cli.judgement.losses import losses_table
from isfc.cli.judgement.together import together_decision
from isfc.cli.output.ranges import range_note
from isfc.cli.reports.html import section, table_of
from isfc.cli.reports.template import greatest, panel, ranged, render, table
from isfc.layout.collection import Collection
from isfc.layout.loss import Loss
from isfc.layout.rules.book import find_in
from isfc.layout.rules.rule import Finding
from isfc.layout.sharing import shares_anything
from isfc.search.report_runs import ClusterRuns
from scenarios.figures.cluster_overview import ClusterOverview
from scenarios.figures.cluster_plan import ClusterPlan, cluster_plan
from scenarios.figures.figure import Figure
from scenarios.figures.losses import AfterLoss
from scenarios.runs.notes import SHARED_UNRANGED, cluster_notes
from scenarios.runs.saturation import RunEach

CLUSTER: Final = "cluster"
"""The id of the part."""

Row = Sequence[object]


def cluster_article(runs: ClusterRuns) -> Markup:
    """All about the links together."""
    plan, collection = runs.plan, runs.collection
    findings = find_in(collection)
    losses: Sequence[AfterLoss] | Sequence[Loss] = runs.lefts
    if isinstance(plan, ClusterPlan):
        parts = {
            "said": " ".join((*cluster_known(plan), SHARED_UNRANGED.text)),
            "links": table_of(links_table(plan)),
            "shared": Markup().join(map(table_of, shared_tables(plan))),
            "losses": table_of(losses_table(runs.lefts)),
        }
        where = "see each link"
    else:
        parts = _at_a_glance(plan) | {"findings": _findings(chain.from_iterable(findings.values()))}
        losses, where = plan.losses, "see What is found"
    return render(
        "html/cluster.html",
        collection=collection,
        overview=isinstance(plan, ClusterOverview),
        decided=together_decision(plan.together, losses, findings, where),
        drawing=drawing_svg(cluster=collection, mark="-cluster"),
        **parts,
    )


def _known(figures: Iterable[Figure | None]) -> str:
    """What the bars of the tables are, and which figures have none."""
    return f"{range_note(figures)} {SHARED_UNRANGED.text}"


def _at_a_glance(found: ClusterOverview) -> dict[str, Any]:
    """Of many links: what they come to."""
    return {
        "said": _known(each.rate for each in found.systems),
        "systems": _systems(found),
        "busiest": ((name, f"{100 * busy:.0f}", links) for name, busy, links in found.busiest),
        "slowest": ((name, f"{out:.0f}", f"{back:.0f}") for name, out, back in found.slowest),
        "losses": table(
            "Links that go with a chpid, director, path, CEC or system",
            ("Lost", "Links down", "Links with fewer CTCs"),
            ((loss.name, link_names(loss.cut), fewer_line(loss)) for loss in found.losses),
        ),
    }


def _systems(found: ClusterOverview) -> Iterator[Row]:
    most = greatest(each.rate for each in found.systems)
    for each in found.systems:
        out = 0.0 if each.rate is None else each.rate.value
        yield (
            *(each.name, ranged(f"{out:.0f}", each.rate, most), f"{each.back or 0:.0f}"),
            *(each.links, each.ctcs, each.channels, f"{each.gbps:g}"),
            f"{each.busiest[0]} {100 * each.busiest[1]:.0f} %" if each.busiest else "",
        )


def _findings(found: Iterable[Finding]) -> Iterator[Row]:
    """Severity, id and remedy of each finding, the warnings first, and of how many links it is."""
    counts = Counter((each.severity, each.id, each.remedy) for each in found)
    return ((*key, counts[key]) for key in sorted(counts, reverse=True))


def together_panel(links: Collection, run_each: RunEach) -> Markup:
    """``isfc plan`` of links that share channels: which keeps least, then what each carries.

    Or that they share nothing.
    """
    if not shares_anything(links):
        return panel([("No two links share a channel.", "Each carries what it carries alone.")])
    return section(cluster_report(cluster_plan(links, run_each), cluster_notes(links)))
