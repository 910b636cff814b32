"""The page's part on an I/O configuration: what its channels can do, advice, comparisons."""

from typing import Final

from markupsafe import Markup

from isfc.cli.judgement import io_plan
from isfc.reports.template import render
from isfc.search.report_runs import ChannelEstimates
from scenarios.runs.notes import CHANNELS_UNRANGED

CHANNELS: Final = "channels"
"""The id of the part."""


def channels_article(runs: ChannelEstimates) -> Markup:
    """All about the channels, each by itself: estimated as ``isfc io plan`` does."""
    plan = runs.plan
    return render(
        "cli/html/channels.html",
        runs=runs,
        configuration=plan.configuration,
        unranged=CHANNELS_UNRANGED.text,
        channel_heads=io_plan.CHANNEL_HEADS,
        channels=io_plan.channel_rows(plan.channels),
        workload_heads=io_plan.WORKLOAD_HEADS,
        workloads=io_plan.workload_rows(plan.channels),
        lines=io_plan.other_lines(plan),
    )
