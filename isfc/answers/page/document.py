"""The page about a layout: one HTML document with its styles, scripts, charts and tables inside.

It is of links together, of each link (`isfc.answers.page.link`), and of channels.
"""

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Final

from markupsafe import Markup

from isfc.answers.decision_page import NO_DECISION, Decision, files_table
from isfc.answers.drawing import cluster_of, drawing_svg
from isfc.answers.io_chart import curves, points_table
from isfc.answers.io_plan import io_estimates, io_plan_report
from isfc.answers.losses import losses_of, losses_report
from isfc.answers.page.link import link_article, timeline_chart
from isfc.answers.plan_link import planned_by_rule
from isfc.answers.plan_links import all_together, at_a_glance, planned_together
from isfc.answers.plan_links_report import cluster_report, planned_links_report
from isfc.errors.loading import named
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection
from isfc.layout.plan import make_plan
from isfc.layout.sharing import shares_anything
from isfc.reports.html import chart_of, part, render, resource, section, table_of
from isfc.reports.picture import STYLE, Spec, script_bundle
from isfc.reports.report import Report
from scenarios.figures.cluster_plan import ClusterPlan, cluster_plan
from scenarios.search.report_runs import ChannelEstimates, ClusterRuns, LinkRuns
from scenarios.search.workers import each_by

CHANNELS: Final = "channels"
CLUSTER: Final = "cluster"
"""The ids of these parts."""


def bundle() -> str:
    """The page's script with all that it uses: Vega, Vega-Lite and Vega-Embed."""
    return script_bundle(resource("answers/page/page.js"))


def document(
    links: Sequence[LinkRuns],
    script: str,
    channels: ChannelEstimates | None = None,
    cluster: ClusterRuns | None = None,
) -> str:
    """The whole page: a cluster that links make, each link below the other, then the channels.

    With `bundle` as script it needs nothing else.
    """
    titles = [f"{first} - {second}" for first, second in (each.layout.nodes for each in links)]
    title = f"ISFC link{'s' * (len(titles) > 1)} {', '.join(titles)}" if titles else "Channels"
    if cluster and not links:
        title = f"ISFC links of {', '.join(cluster.collection.systems)}"
    parts = {f"link{each.mark}": " - ".join(each.layout.nodes) for each in links}
    articles = [link_article(each, overview=cluster is None) for each in links]
    if cluster:
        parts = {CLUSTER: "All links together", **parts}
        articles.insert(0, cluster_article(cluster))
    if channels:
        parts[CHANNELS] = "Channels"
        articles.append(channels_article(channels))
    timelines = {f"timeline{each.mark}": timeline_chart(each.timeline) for each in links}
    return _page(title, articles, parts, timelines, script)


def decision_page(found: Decision) -> str:
    """The decision with what was given and a drawing, then each part."""
    names = [(f"part-{number}", each) for number, each in enumerate(found.parts, start=1)]
    collection = parse_collection(found.layout) if found.layout is not None else None
    title = f"Decision of {', '.join(collection.systems)}" if collection else NO_DECISION
    first = render(
        "answers/page/decision.html",
        title=title,
        found=found,
        parts={name: each.title for name, each in names},
        files=table_of(files_table(found.files)),
        drawing=collection and drawing_svg(*collection.links, cluster=cluster_of(collection)),
    )
    told = [
        render("answers/page/part.html", mark=name, part=each, section=section(each.report))
        for name, each in names
    ]
    return _told_apart(_page(title, [first, *told]))


def _told_apart(page: str) -> str:
    """The page, whose regions have names of their own: parts may have tables of one caption."""
    seen = Counter[str]()

    def numbered(found: re.Match[str]) -> str:
        seen[found[1]] += 1
        return found[0] if seen[found[1]] == 1 else f'{found[0][:-1]}, {seen[found[1]]}"'

    return re.sub(r'role="region" aria-label="([^"]*)"', numbered, page)


def page_of(report: Report) -> str:
    """A report as a page of its own."""
    told = render("answers/page/report.html", title=report.title, section=section(report))
    return _page(report.title, [told])


def _page(
    title: str,
    articles: Sequence[Markup],
    parts: Mapping[str, str] = MappingProxyType({}),
    timelines: Mapping[str, Spec] = MappingProxyType({}),
    script: str = "",
) -> str:
    return render(
        "answers/page/page.html",
        title=title,
        parts=parts,
        articles=articles,
        timelines=timelines,
        style=Markup(STYLE),
        script=_inside_script(script),
        version=named("isfc.__version__"),
        written_on=written_on(),
    )


def written_on() -> date:
    """Today, or the day that ``SOURCE_DATE_EPOCH`` names, for pages that are to be alike."""
    named = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.now(UTC)
    return (datetime.fromtimestamp(int(named), UTC) if named.isdigit() else now).date()


def _inside_script(text: str) -> Markup:
    """Text that does not end the element it stands in."""
    return Markup(re.sub("<(?=/script)", r"\\x3c", text, flags=re.IGNORECASE))


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
        "answers/page/cluster.html",
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


def channels_article(runs: ChannelEstimates) -> Markup:
    """All about the channels, each by itself: estimated as ``isfc io plan`` does."""
    return render(
        "answers/page/channels.html",
        runs=runs,
        configuration=runs.plan.configuration,
        report=section(io_plan_report(io_estimates(runs.name, runs.plan))),
        curves=[chart_of(curves(each), points_table(each)) for each in runs.curves.values()],
    )
