"""The range of a figure of a run: from what is known of runs like it, and of what it rests on."""

from collections.abc import Sequence

from isfc.layout.layout import Layout
from isfc.link.message import Traffic
from scenarios.figures.assumptions import assumed, widened
from scenarios.figures.certainty import SEVERAL_CTCS, Family, FigureKind, Range, family_of, range_of
from scenarios.runs.workload import Workload


def rate_range(
    mb_per_s: float, layout: Layout, workload: Workload, pairs: int, collisions_per_s: float = 0.0
) -> Range:
    """Of a rate in MB/s."""
    return figure_range(FigureKind.RATE, mb_per_s, layout, workload, pairs, collisions_per_s)


def figure_range(
    kind: FigureKind,
    value: float,
    layout: Layout,
    workload: Workload,
    pairs: int,
    collisions_per_s: float = 0.0,
) -> Range:
    """Of any figure of a run, in its unit."""
    family = family_of(
        len(layout.ctcs),
        workload.mean_length,
        pairs,
        collisions_per_s,
        appc=workload.traffic is not Traffic.TRANSPORT,
    )
    found = range_of(kind, value, family)
    return widened(found, assumed(layout)) if kind is FigureKind.RATE else found


def links_range(mb_per_s: float, links: Sequence[Layout]) -> Range:
    """Of what several links with several CTCs each carry together, in MB/s."""
    found = range_of(FigureKind.RATE, mb_per_s, Family(SEVERAL_CTCS))
    widest = {each.name: each for link in links for each in assumed(link)}
    return widened(found, [*widest.values()])
