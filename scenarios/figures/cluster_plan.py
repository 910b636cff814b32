"""What each link of a file carries alone, and all of them together.

Each link has its traffic of the file, or else IBM's messages of a relocation's length, with
`scenarios.runs.saturation.STATED_PAIRS` pairs each way. Each run goes on until it is steady.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from isfc.layout.collection import Collection, LinkTraffic
from scenarios.figures.certainty import Range
from scenarios.figures.ranges import links_range
from scenarios.runs.cluster_shared import ChannelResult, PathResult
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import MIB
from scenarios.runs.saturation import SECONDS, STATED_PAIRS, SUITE
from scenarios.runs.steady import Rate, SteadyLinks
from scenarios.runs.workload import load_of


@dataclass(frozen=True, slots=True)
class LinkPlan:
    """MB/s (2^20) that a link carries from its first node, and to it: alone, and with the others.

    ``traffic`` is what runs over it, ``range`` between what it would carry with the others on real
    hardware, both ways together.
    """

    name: str
    traffic: tuple[str, ...]
    alone: tuple[Rate, Rate]
    together: tuple[Rate, Rate]
    range: Range

    @property
    def rates(self) -> tuple[Rate, ...]:
        """All four."""
        return (*self.alone, *self.together)

    @property
    def alone_mb_per_s(self) -> float:
        """Both ways."""
        return sum(rate.mb_per_s for rate in self.alone)

    @property
    def together_mb_per_s(self) -> float:
        """Both ways."""
        return sum(rate.mb_per_s for rate in self.together)

    @property
    def share(self) -> float:
        """What is left of its rate beside the others."""
        return self.together_mb_per_s / max(1e-9, self.alone_mb_per_s)


@dataclass(frozen=True, slots=True)
class SharedChannelPlan:
    """A channel that several fibres share: what it can carry, and who gets how much of it.

    ``line_mb_per_s`` is its line's, one way; ``processor_mb_per_s`` what its data processor can
    handle, both ways together, of long messages. MB are 2^20 bytes.
    """

    carried: ChannelResult
    line_mb_per_s: float
    processor_mb_per_s: float


@dataclass(frozen=True, slots=True)
class ClusterPlan:
    """All links, and all channels and inter-switch links that several fibres share."""

    links: tuple[LinkPlan, ...]
    channels: tuple[SharedChannelPlan, ...]
    paths: tuple[PathResult, ...] = ()

    @property
    def together_mb_per_s(self) -> float:
        """All links, both ways."""
        return sum(link.together_mb_per_s for link in self.links)

    @property
    def spread(self) -> float:
        """How far the rates are known, as a share of the greater one of a link's both ways."""
        shares = (
            rate.spread_mb_per_s / max(1e-9, *(each.mb_per_s for each in ways))
            for link in self.links
            for ways in (link.alone, link.together)
            for rate in ways
        )
        return max(shares, default=0.0)

    @property
    def faster_together(self) -> tuple[str, ...]:
        """The links that carry more beside the others than alone, beyond the spread of the runs."""
        return tuple(
            link.name
            for link in self.links
            if link.together_mb_per_s - link.alone_mb_per_s
            > sum(rate.spread_mb_per_s for rate in link.rates)
        )

    def named_rates(self) -> Iterator[tuple[str, Rate]]:
        """Every rate, with what it is of."""
        for link in self.links:
            ways = ("alone ->", "alone <-", "together ->", "together <-")
            yield from ((f"{link.name} {way}", r) for way, r in zip(ways, link.rates, strict=True))


def plan_experiments(collection: Collection) -> list[Experiment]:
    """All links together, and then each alone."""
    traffic = collection.traffic or tuple(
        LinkTraffic(client, server, SUITE, STATED_PAIRS)
        for link in collection.links
        for client, server in (link.nodes, link.nodes[::-1])
    )
    loads = tuple(map(load_of, traffic))
    together = Experiment(collection, loads, seconds=SECONDS)
    alone = [
        replace(
            together,
            collection=replace(collection, links=(link,)),
            loads=together.loads_of(link),
        )
        for link in collection.links
        if together.loads_of(link)
    ]
    return [together, *alone]


def cluster_plan(runs: Sequence[SteadyLinks]) -> ClusterPlan:
    """What came of the experiments."""
    together, *alone = runs
    links: list[LinkPlan] = []
    for run in alone:
        ((name, ways),) = run.rates.items()
        traffic = tuple(map(str, run.experiment.loads))
        both = together.rates[name]
        within = links_range(sum(rate.mb_per_s for rate in both), run.experiment.collection.links)
        links.append(LinkPlan(name, traffic, ways, both, within))
    return ClusterPlan(tuple(links), tuple(map(_channel, together.channels)), together.paths)


def _channel(carried: ChannelResult) -> SharedChannelPlan:
    return SharedChannelPlan(
        carried,
        1e9 / carried.profile.line_ns_per_byte / MIB,
        1e9 / carried.profile.processor_ns_per_byte / MIB,
    )
