"""The page's part on links that share channels: alone and together, and losses."""

from typing import Final

from markupsafe import Markup

from isfc.answers.losses import losses_of, losses_report
from isfc.answers.plan_link import planned_by_rule
from isfc.answers.plan_links import all_together, at_a_glance, planned_together
from isfc.answers.plan_links_report import cluster_report, planned_links_report
from isfc.cli.drawing.cluster import drawing_svg
from isfc.layout.collection import Collection
from isfc.layout.plan import make_plan
from isfc.layout.sharing import shares_anything
from isfc.reports.html import part, render, section
from scenarios.figures.cluster_plan import ClusterPlan, cluster_plan
from scenarios.search.report_runs import ClusterRuns
from scenarios.search.workers import each_by

CLUSTER: Final = "cluster"
"""The id of the part."""


def cluster_article(runs: ClusterRuns) -> Markup:
    """All about the links together; of many what they come to, and not each."""
    plan, collection = runs.plan, runs.collection
    if isinstance(plan, ClusterPlan):
        reports = [cluster_report(planned_together(plan)), losses_report(losses_of(runs.lefts))]
    else:
        each = (make_plan(link, collection.beside(link), collection) for link in collection.links)
        links = [*map(planned_by_rule, each)]
        seen = at_a_glance(all_together(plan), links, collection, plan)
        reports = [planned_links_report(seen)]
    return render(
        "cli/html/cluster.html",
        collection=collection,
        overview=not isinstance(plan, ClusterPlan),
        reports=[(each.title, section(each)) for each in reports],
        drawing=drawing_svg(cluster=collection, mark="-cluster"),
    )


def together_panel(links: Collection) -> Markup:
    """``isfc plan`` of links that share channels: which keeps least, then what each carries.

    Or that they share nothing.
    """
    if not shares_anything(links):
        return part(
            "panel", [("No two links share a channel.", "Each carries what it carries alone.")]
        )
    return section(cluster_report(planned_together(cluster_plan(links, each_by(1)))))
