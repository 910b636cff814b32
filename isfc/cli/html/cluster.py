"""The page's part on links that share channels: alone and together, and losses."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

from markupsafe import Markup

from isfc.answers.cluster import (
    cluster_report,
    cuts_table,
    limits_tables,
    links_table,
    shared_tables,
    systems_table,
    together_decision,
)
from isfc.answers.losses import Losses, losses_of, losses_table
from isfc.answers.plan_links import planned_together
from isfc.cli.drawing.cluster import drawing_svg
from isfc.layout.collection import Collection
from isfc.layout.loss import Loss
from isfc.layout.rules.book import find_in
from isfc.layout.rules.rule import Finding
from isfc.layout.sharing import shares_anything
from isfc.reports.html import section, table_of
from isfc.reports.ranges import range_note
from isfc.reports.template import panel, render
from isfc.search.report_runs import ClusterRuns
from scenarios.figures.cluster_plan import ClusterOverview, ClusterPlan, cluster_plan
from scenarios.runs.experiment import RunEach
from scenarios.runs.notes import SHARED_UNRANGED, cluster_notes

CLUSTER: Final = "cluster"
"""The id of the part."""

Row = Sequence[object]


def cluster_article(runs: ClusterRuns) -> Markup:
    """All about the links together."""
    plan, collection = runs.plan, runs.collection
    findings = find_in(collection)
    losses: Losses | Sequence[Loss]
    if isinstance(plan, ClusterPlan):
        found = planned_together(plan, ())
        losses = losses_of(runs.lefts)
        parts = {
            "said": " ".join((*found.known, SHARED_UNRANGED.text)),
            "links": table_of(links_table(found)),
            "shared": Markup().join(map(table_of, shared_tables(found))),
            "losses": table_of(losses_table(losses)),
        }
        where = "see each link"
    else:
        parts = _at_a_glance(plan) | {"findings": _findings(chain.from_iterable(findings.values()))}
        losses, where = plan.losses, "see What is found"
    return render(
        "cli/html/cluster.html",
        collection=collection,
        overview=isinstance(plan, ClusterOverview),
        decided=together_decision(plan.together, losses, findings, where),
        drawing=drawing_svg(cluster=collection, mark="-cluster"),
        **parts,
    )


def _at_a_glance(found: ClusterOverview) -> dict[str, Any]:
    """Of many links: what they come to."""
    load = "" if found.together is None else found.together.load.words
    return {
        "said": f"{range_note(each.rate for each in found.systems)} {SHARED_UNRANGED.text}",
        "systems": table_of(systems_table(found.systems, load)),
        "limits": Markup().join(map(table_of, limits_tables(found.busiest, found.slowest))),
        "losses": table_of(cuts_table(found.losses)),
    }


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
    found = planned_together(cluster_plan(links, run_each), cluster_notes(links))
    return section(cluster_report(found))
