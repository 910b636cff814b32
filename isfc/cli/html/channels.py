"""The page's part on an I/O configuration: what its channels can do, advice, comparisons."""

from typing import Final

from markupsafe import Markup

from isfc.cli.html.template import render
from isfc.cli.judgement.io_plan import (
    CHANNEL_HEADS,
    WORKLOAD_HEADS,
    channel_rows,
    other_lines,
    workload_rows,
)
from scenarios.figures.report_runs import ChannelEstimates
from scenarios.runs.notes import CHANNELS_UNRANGED

CHANNELS: Final = "channels"
"""The id of the part."""


def channels_article(runs: ChannelEstimates) -> Markup:
    """All about the channels, each by itself: estimated as ``isfc io plan`` does."""
    plan = runs.plan
    return render(
        "html/channels.html",
        runs=runs,
        configuration=plan.configuration,
        unranged=CHANNELS_UNRANGED.text,
        channel_heads=CHANNEL_HEADS,
        channels=channel_rows(plan.channels),
        workload_heads=WORKLOAD_HEADS,
        workloads=workload_rows(plan.channels),
        lines=other_lines(plan),
    )
