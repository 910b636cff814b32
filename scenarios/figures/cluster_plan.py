"""What each link of a file carries alone, and all of them together; and many links at a glance.

Each link has its traffic of the file, or else IBM's messages of a relocation's length, with
`scenarios.runs.experiment.STATED_PAIRS` pairs, each direction by itself. At a glance: what each
system carries, what is busiest, and which losses cut most.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from isfc.layout.capacity import to_count_on
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.loss import Loss, losses
from isfc.layout.sharing import channel_rates
from isfc.link.name import NodeName
from isfc.reports.figure import Figure
from scenarios.figures.ranges import links_rate
from scenarios.figures.rates import Carried, Ways, carry, carry_all, slower_way
from scenarios.runs.channels import ChannelResult, PathResult
from scenarios.runs.experiment import RunEach
from scenarios.runs.result import MIB
from scenarios.runs.steady import Rate, sum_of


class LinkPlan(Struct, frozen=True):
    """MB/s (2^20) that a link carries from its first node, and to it: alone, and with the others.

    ``traffic`` is what the file runs over it, empty if it has none; ``rate`` is of the slower
    direction with the others.
    """

    name: str
    traffic: tuple[str, ...]
    alone: Ways
    together: Ways
    rate: Figure

    @property
    def rates(self) -> tuple[Rate, ...]:
        """All four."""
        return tuple(way.rate for way in (*self.alone, *self.together))

    @property
    def alone_mb_per_s(self) -> float:
        """Of the slower direction."""
        return slower_way(self.alone).rate.mb_per_s

    @property
    def share(self) -> float:
        """What is left of its rate beside the others."""
        return self.rate.value / self.alone_mb_per_s if self.alone_mb_per_s else 1.0


class ClusterPlan(Struct, frozen=True):
    """All links that have traffic, and what they carry together."""

    links: tuple[LinkPlan, ...]
    together: Carried

    @property
    def spread(self) -> float:
        """How far rates are known at the worst, as a share."""
        rates = [rate for link in self.links for rate in link.rates if rate.mb_per_s]
        return max((rate.spread_percent / 100 for rate in rates), default=0.0)

    @property
    def faster_together(self) -> tuple[str, ...]:
        """The links that carry more beside the others than alone, beyond the spread of the runs."""
        return tuple(
            link.name
            for link in self.links
            if slower_way(link.together).rate.is_ahead(slower_way(link.alone).rate)
        )

    def named_rates(self) -> Iterator[tuple[str, Rate]]:
        """Every rate, with what it is of."""
        for link in self.links:
            ways = ("alone ->", "alone <-", "together ->", "together <-")
            yield from ((f"{link.name} {way}", r) for way, r in zip(ways, link.rates, strict=True))


def cluster_plan(
    collection: Collection, run_each: RunEach, together: Carried | None = None
) -> ClusterPlan:
    """Run each link alone, and all ``together`` if that is not known yet."""
    together = together or carry_all(collection, run_each)
    load = together.load
    alone = carry([Collection.of(link) for link in collection.links], load, run_each)
    return ClusterPlan(
        tuple(
            LinkPlan(
                link.name,
                tuple(str(t) for t in load.traffic if {t.client, t.server} == {*link.nodes}),
                own.ways[link.name],
                together.ways[link.name],
                together.rate_of(link, slower_way(together.ways[link.name])),
            )
            for link, own in zip(collection.links, alone, strict=True)
            if own.slower is not None and own.ways is not None and together.ways is not None
        ),
        together,
    )


WORST: Final = 4
"""Losses, and what is busiest, that are shown. Chosen: the page is to be one."""


class SystemOverview(Struct, frozen=True):
    """What one system has, and carries with all links together: MB/s (2^20) out and in.

    ``rate`` is what goes out, ``back`` what comes in; both are None where nothing was run. Of links
    that were run in two runs they are no more than the chpids let through of both.
    """

    name: NodeName
    links: int
    ctcs: int
    gbps: float
    channels: int
    rate: Figure | None = None
    back: float | None = None


class Busiest(Struct, frozen=True):
    """What several links share, the share of its time that it is busy, and how many use it."""

    name: str
    busy: float
    links: int


class Slowest(Struct, frozen=True):
    """A link that has traffic, and MB/s from its first node, and to it."""

    name: str
    out: float
    back: float


def busiest_of(carried: Carried) -> list[Busiest]:
    """What several links share, the busiest first."""
    shared: list[ChannelResult | PathResult] = [*carried.channels, *carried.paths]
    every = [Busiest(each.name, each.busy, len(each.shares)) for each in shared]
    return sorted(every, key=lambda each: -each.busy)[:WORST]


def slowest_of(carried: Carried) -> list[Slowest]:
    """The links that have traffic, the slowest first."""
    ways = (carried.ways or {}).items()
    every = [Slowest(name, out.rate.mb_per_s, back.rate.mb_per_s) for name, (out, back) in ways]
    some = [each for each in every if each.out or each.back]
    return sorted(some, key=lambda each: min(filter(None, (each.out, each.back))))[:WORST]


def most_cut(collection: Collection) -> list[Loss]:
    """The losses that cut most links, and then take most of their CTCs; those of systems last.

    By what hangs on each piece: `scenarios.figures.changed` runs them.
    The loss of a system or a CEC takes all that it has, in any layout.
    """

    def harm(loss: Loss) -> tuple[bool, int, float]:
        left = sum(1 - left / had for _, left, had in loss.fewer)
        return not loss.takes_systems, len(loss.cut), left

    return sorted(losses(collection), key=harm, reverse=True)[:WORST]


def system_overview(
    collection: Collection, name: NodeName, carried: Carried | None
) -> SystemOverview:
    """What one system comes to; without figures of the model if none was run."""
    links = collection.links_of(name)
    speeds = channel_rates(collection, name)
    ctcs = sum(len(link.ctcs) for link in links)
    has = len(links), ctcs, sum(speeds.values()), len(speeds)
    if carried is None or carried.ways is None:
        return SystemOverview(name, *has)
    out, back = (_at_once(links, carried.ways, name, way) for way in (0, 1))
    most = sum(_lines_mb_per_s(collection, name))
    rate = links_rate(min(most, out.modelled), links, carried.load).of_run(out, name)
    return SystemOverview(name, *has, rate, min(most, back.mb_per_s))


def _at_once(links: Sequence[Layout], ways: Mapping[str, Ways], name: NodeName, way: int) -> Rate:
    """What a system sends over all its links, or gets if ``way`` is 1, though in two runs."""
    sent = {}
    for link in links:
        to = way != link.nodes.index(name)
        rate = ways[link.name][to].rate
        sent[link.nodes[to], link.nodes[not to]] = Rate(rate.modelled, rate.spread_mb_per_s)
    return sum_of([*to_count_on(links, sent).values()])


def _lines_mb_per_s(collection: Collection, name: NodeName) -> Iterable[float]:
    """What the line of each channel of a system lets through one way."""
    return {
        collection.channel(name, fibre.chpids[end]): 1e9 / fibre.line_profile.line_ns_per_byte / MIB
        for link in collection.links_of(name)
        for end in [link.nodes.index(name)]
        for fibre in link.fibres
    }.values()
