"""The page itself: one HTML document with its styles, scripts, charts and tables inside."""

import os
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from types import MappingProxyType

from markupsafe import Markup

from isfc import __version__
from isfc.cli.html.channels import CHANNELS, channels_article
from isfc.cli.html.cluster import CLUSTER, cluster_article
from isfc.cli.html.link import link_article
from isfc.cli.html.timeline import timeline_chart
from isfc.reports.html import render, resource, section
from isfc.reports.picture import STYLE, Spec, script_bundle
from isfc.reports.report import Report
from scenarios.search.report_runs import ChannelEstimates, ClusterRuns, LinkRuns


def bundle() -> str:
    """The page's script with all that it uses: Vega, Vega-Lite and Vega-Embed."""
    return script_bundle(resource("cli/html/page.js"))


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


def page_of(report: Report) -> str:
    """A report as a page of its own."""
    told = render("cli/html/report.html", title=report.title, section=section(report))
    return _page(report.title, [told])


def _page(
    title: str,
    articles: Sequence[Markup],
    parts: Mapping[str, str] = MappingProxyType({}),
    timelines: Mapping[str, Spec] = MappingProxyType({}),
    script: str = "",
) -> str:
    return render(
        "cli/html/page.html",
        title=title,
        parts=parts,
        articles=articles,
        timelines=timelines,
        style=Markup(STYLE),
        script=_inside_script(script),
        version=__version__,
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
