"""Many links at a glance: what each system carries, what is busiest, and which losses cut most."""

from dataclasses import dataclass
from typing import Final

from isfc.layout.collection import Collection
from isfc.layout.loss import Loss, losses
from isfc.layout.sharing import channel_rates
from isfc.link.name import NodeName
from scenarios.figures.figure import Figure
from scenarios.figures.ranges import links_rate
from scenarios.figures.rates import Carried

WORST: Final = 4
"""Losses, and what is busiest, that are shown. Chosen: the page is to be one."""


@dataclass(frozen=True, slots=True)
class SystemOverview:
    """What one system has, and carries with all links together: MB/s (2^20) out and in.

    ``rate`` is what goes out, ``back`` what comes in; both are None where nothing was run.
    """

    name: NodeName
    links: int
    ctcs: int
    gbps: float
    channels: int
    rate: Figure | None = None
    back: float | None = None


@dataclass(frozen=True, slots=True)
class Busiest:
    """What several links share, the share of its time that it is busy, and how many use it."""

    name: str
    busy: float
    links: int


@dataclass(frozen=True, slots=True)
class Slowest:
    """A link that has traffic, and MB/s from its first node, and to it."""

    name: str
    out: float
    back: float


@dataclass(frozen=True, slots=True)
class ClusterOverview:
    """All systems; what is busiest, the busiest first; the slowest links; ``together`` has all."""

    systems: tuple[SystemOverview, ...]
    busiest: tuple[Busiest, ...]
    losses: tuple[Loss, ...]
    """Those that cut most, by what hangs on each piece: `scenarios.figures.losses` runs them."""
    slowest: tuple[Slowest, ...]
    together: Carried | None = None


def cluster_overview(collection: Collection, carried: Carried | None) -> ClusterOverview:
    """What a collection comes to; without figures of the model if none was run."""
    shared = [] if carried is None else [*carried.channels, *carried.paths]
    busiest = sorted(
        (Busiest(e.name, e.busy, len(e.shares)) for e in shared), key=lambda each: -each.busy
    )
    ways = (carried and carried.ways) or {}
    rates = {name: [way.rate.mb_per_s for way in both] for name, both in ways.items()}
    slowest = sorted(
        (Slowest(name, *both) for name, both in rates.items() if any(both)),
        key=lambda each: min(filter(None, (each.out, each.back))),
    )
    return ClusterOverview(
        tuple(_system(collection, name, carried) for name in collection.systems),
        tuple(busiest[:WORST]),
        _most_cut(collection),
        tuple(slowest[:WORST]),
        carried,
    )


def _most_cut(collection: Collection) -> tuple[Loss, ...]:
    """The losses that cut most links, and then take most of their CTCs; those of systems last.

    The loss of a system or a CEC takes all that it has, in any layout.
    """

    def harm(loss: Loss) -> tuple[bool, int, float]:
        left = sum(1 - left / had for _, left, had in loss.fewer)
        return not loss.takes_systems, len(loss.cut), left

    return tuple(sorted(losses(collection), key=harm, reverse=True)[:WORST])


def _system(collection: Collection, name: NodeName, carried: Carried | None) -> SystemOverview:
    links = collection.links_of(name)
    speeds = channel_rates(collection, name)
    ctcs = sum(len(link.ctcs) for link in links)
    has = len(links), ctcs, sum(speeds.values()), len(speeds)
    if carried is None or carried.ways is None:
        return SystemOverview(name, *has)
    out = back = 0.0
    for link in links:
        ways, here = carried.ways[link.name], link.nodes.index(name)
        out += ways[here].rate.mb_per_s
        back += ways[1 - here].rate.mb_per_s
    return SystemOverview(name, *has, links_rate(out, links, carried.load), back)
