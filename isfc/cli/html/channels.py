"""The page's part on an I/O configuration: what its channels can do, advice, comparisons."""

from collections.abc import Iterator
from html import escape
from typing import Final

from isfc.cli.html.parts import curves, navigation, section, table
from isfc.cli.judgement.io_plan import (
    CHANNEL_HEADS,
    WORKLOAD_HEADS,
    channel_rows,
    other_lines,
    workload_rows,
)
from isfc.io.plan import IoPlan
from scenarios.figures.report_runs import ChannelEstimates
from scenarios.runs.notes import CHANNELS_UNRANGED

CHANNELS: Final = "channels"
"""The id of the part."""

_TITLE: Final = "Channels and their I/O"
_HEADINGS: Final = {
    "channels-plan": "What they can do",
    "channels-advice": "IoAdvice",
    "channels-curves": "Comparisons",
}


def channels_article(runs: ChannelEstimates) -> str:
    """All about the channels, each by itself: estimated as ``isfc io plan`` does."""
    contents = dict(zip(_HEADINGS, (_plan(runs), _advice(runs), curves(runs.charts)), strict=True))
    sections = "\n".join(
        section(name, _HEADINGS[name], content) for name, content in contents.items()
    )
    workloads = len(runs.plan.configuration.workloads)
    channels = len(runs.plan.configuration.channels)
    return (
        f'<article id="{CHANNELS}"><header><h1>{_TITLE}</h1>\n'
        f"<p>{escape(runs.name)}: {channels} channel{'s' * (channels != 1)}, "
        f"{workloads} workload{'s' * (workloads != 1)}.</p>\n"
        f'<p class="note">{escape(CHANNELS_UNRANGED.text)}</p>\n'
        f"{navigation(f'Sections of {_TITLE}', _HEADINGS)}</header>\n{sections}</article>"
    )


def _plan(runs: ChannelEstimates) -> str:
    return "".join(_tables(runs.plan)) + "".join(
        f"<p>{escape(line)}</p>" for line in other_lines(runs.plan)
    )


def _tables(plan: IoPlan) -> Iterator[str]:
    if plan.channels:
        caption = "Channels and what they carry, by mean values, disks alone"
        yield table(caption, CHANNEL_HEADS, channel_rows(plan.channels))
        yield table("Workloads on each channel", WORKLOAD_HEADS, workload_rows(plan.channels))


def _advice(runs: ChannelEstimates) -> str:
    if not runs.advice:
        return "<p>Nothing to change.</p>"
    items = "".join(
        f'<li class="{one.severity}"><strong>{escape(one.severity)}</strong> '
        f"<code>{escape(one.id)}</code><br>{escape(one.text)}</li>"
        for one in runs.advice
    )
    return f'<ul class="findings">{items}</ul>'
