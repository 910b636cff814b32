"""What each link of a file carries alone, and all of them together.

Each link has its traffic of the file, or else IBM's messages of a relocation's length, with
`scenarios.runs.saturation.STATED_PAIRS` pairs, each direction by itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from isfc.layout.collection import Collection
from scenarios.figures.figure import Figure
from scenarios.figures.rates import Carried, Ways, carry, carry_all, slower_way
from scenarios.runs.saturation import RunEach
from scenarios.runs.steady import Rate


@dataclass(frozen=True, slots=True)
class LinkPlan:
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


@dataclass(frozen=True, slots=True)
class ClusterPlan:
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
