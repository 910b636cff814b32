"""The page's part on an I/O configuration: what its channels can do, advice, comparisons."""

from typing import Final

from markupsafe import Markup

from isfc.answers.io_chart import curves, points_table
from isfc.answers.io_plan import io_estimates, io_plan_report
from isfc.reports.html import chart_of, render, section
from scenarios.search.report_runs import ChannelEstimates

CHANNELS: Final = "channels"
"""The id of the part."""


def channels_article(runs: ChannelEstimates) -> Markup:
    """All about the channels, each by itself: estimated as ``isfc io plan`` does."""
    return render(
        "cli/html/channels.html",
        runs=runs,
        configuration=runs.plan.configuration,
        report=section(io_plan_report(io_estimates(runs.name, runs.plan))),
        curves=[chart_of(curves(each), points_table(each)) for each in runs.curves.values()],
    )
