"""Many links at a glance: what each system carries, what limits it, and the worst losses."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from isfc.layout.collection import Collection
from isfc.layout.loss import ClusterLoss, cluster_losses
from isfc.link.name import NodeName
from scenarios.figures.certainty import Range
from scenarios.figures.ranges import links_range
from scenarios.runs.cluster_shared import ChannelResult, PathResult
from scenarios.runs.steady import SteadyLinks

WORST: Final = 4
"""Losses, and what is busiest, that are shown. Chosen: the page is to be one."""


@dataclass(frozen=True, slots=True)
class SystemOverview:
    """What one system has, and carries with all links together: MB/s (2^20) out and in.

    ``busiest`` is what it shares and that is nearest to its end, with that share of its time. All
    are None where nothing was run, or nothing is shared.
    """

    name: NodeName
    links: int
    ctcs: int
    gbps: float
    channels: int
    out: float | None = None
    back: float | None = None
    range: Range | None = None
    busiest: tuple[str, float] | None = None


@dataclass(frozen=True, slots=True)
class ClusterOverview:
    """All systems; what is busiest, the busiest first; the worst losses; the slowest links."""

    systems: tuple[SystemOverview, ...]
    busiest: tuple[tuple[str, float, int], ...]
    """Name, share of the time, and how many links use it."""
    losses: tuple[ClusterLoss, ...]
    slowest: tuple[tuple[str, float, float], ...]
    """Links that have traffic, with MB/s from the first node, and to it."""

    @property
    def together_mb_per_s(self) -> float:
        """MB/s (2^20) of all links, both ways."""
        return sum((each.out or 0.0) + (each.back or 0.0) for each in self.systems) / 2


def cluster_overview(collection: Collection, run: SteadyLinks | None) -> ClusterOverview:
    """What a collection comes to; without figures of the model if none was run."""
    shared = () if run is None else _shared(run.channels, run.paths)
    rates = {} if run is None else run.rates
    slowest = sorted(
        ((name, out.mb_per_s, back.mb_per_s) for name, (out, back) in rates.items()),
        key=lambda each: each[1] + each[2],
    )
    return ClusterOverview(
        tuple(_system(collection, name, run) for name in collection.systems),
        tuple(sorted(shared, key=lambda each: -each[1]))[:WORST],
        worst_losses(collection),
        tuple(slowest[:WORST]),
    )


def worst_losses(collection: Collection) -> tuple[ClusterLoss, ...]:
    """Those that cut most links, and then take most of what links have; those of systems last.

    The loss of a system or a CEC takes all that it has, in any layout.
    """

    def harm(loss: ClusterLoss) -> tuple[bool, int, float]:
        left = sum(1 - left / had for _, left, had in loss.fewer)
        return not loss.takes_systems, len(loss.cut), left

    return tuple(sorted(cluster_losses(collection), key=harm, reverse=True)[:WORST])


def _shared(
    channels: Iterable[ChannelResult], paths: Iterable[PathResult]
) -> tuple[tuple[str, float, int], ...]:
    return (
        *((each.name, each.busy, len(each.shares)) for each in channels),
        *((each.name, each.busy, len(each.shares)) for each in paths),
    )


def _system(
    collection: Collection,
    name: NodeName,
    run: SteadyLinks | None,
) -> SystemOverview:
    links = collection.links_of(name)
    speeds = {
        collection.channel(name, fibre.chpids[link.nodes.index(name)]): fibre.profile.link_gbps
        for link in links
        for fibre in link.fibres
    }
    ctcs = sum(len(link.ctcs) for link in links)
    has = len(links), ctcs, sum(speeds.values()), len(speeds)
    if run is None:
        return SystemOverview(name, *has)
    out = back = 0.0
    for link in links:
        ways = run.rates.get(link.name)
        if ways is not None:
            here = link.nodes.index(name)
            out += ways[here].mb_per_s
            back += ways[1 - here].mb_per_s
    own = [(each.name, each.busy) for each in run.channels if each.channel in speeds]
    busiest = max(own, key=lambda each: each[1], default=None)
    return SystemOverview(name, *has, out, back, links_range(out + back, links), busiest)
