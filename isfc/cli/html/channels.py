"""The page's part on an I/O configuration: what its channels can do, advice, comparisons."""

from typing import Final

from markupsafe import Markup

from isfc.answers.io_chart import curves, points_table
from isfc.answers.io_plan import io_estimates, io_plan_report
from isfc.reports.html import chart_of, table_of
from isfc.reports.template import render
from isfc.search.report_runs import ChannelEstimates
from scenarios.runs.notes import CHANNELS_UNRANGED

CHANNELS: Final = "channels"
"""The id of the part."""


def channels_article(runs: ChannelEstimates) -> Markup:
    """All about the channels, each by itself: estimated as ``isfc io plan`` does."""
    plan = runs.plan
    report = io_plan_report(io_estimates(runs.name, plan))
    return render(
        "cli/html/channels.html",
        runs=runs,
        configuration=plan.configuration,
        unranged=CHANNELS_UNRANGED.text,
        tables=[table_of(each) for each in report.tables if not each.detail],
        remarks=report.remarks,
        curves=[chart_of(curves(each), points_table(each)) for each in runs.curves.values()],
    )
