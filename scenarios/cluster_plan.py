"""What each link of a file carries alone, and all of them together.

Each link has its traffic of the file, or else IBM's messages of a relocation's length, with
`scenarios.saturation.STATED_PAIRS` pairs each way.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from isfc.layout.layout import Collection, LinkTraffic
from scenarios.cluster import ClusterExperiment, ClusterResult, load_of
from scenarios.cluster_shared import ChannelResult, PathResult
from scenarios.run import MIB
from scenarios.saturation import SECONDS, STATED_PAIRS, SUITE
from scenarios.warmup import WARMUP


@dataclass(frozen=True, slots=True)
class LinkPlan:
    """MB/s (2^20) that a link carries from its first node, and to it: alone, and with the others.

    ``traffic`` is what runs over it.
    """

    name: str
    traffic: tuple[str, ...]
    alone: tuple[float, float]
    together: tuple[float, float]

    @property
    def share(self) -> float:
        """What is left of its rate beside the others."""
        return sum(self.together) / max(1e-9, sum(self.alone))


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


def plan_experiments(collection: Collection) -> list[ClusterExperiment]:
    """All links together, and then each alone."""
    traffic = collection.traffic or tuple(
        LinkTraffic(client, server, SUITE, STATED_PAIRS)
        for link in collection.links
        for client, server in (link.nodes, link.nodes[::-1])
    )
    loads = tuple(map(load_of, traffic))
    together = ClusterExperiment(collection, loads, seconds=SECONDS, warmup=WARMUP)
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


def cluster_plan(results: Sequence[ClusterResult]) -> ClusterPlan:
    """What came of the experiments."""
    together, *alone = results
    links = tuple(
        LinkPlan(
            by_itself.links[0].experiment.layout.name,
            tuple(map(str, by_itself.experiment.loads)),
            _ways(by_itself, number=0),
            _ways(together, number=number),
        )
        for number, by_itself in enumerate(alone)
    )
    return ClusterPlan(links, tuple(map(_channel, together.channels)), together.paths)


def _ways(result: ClusterResult, number: int) -> tuple[float, float]:
    """What a link carries from its first node, and to it."""
    recording = result.links[number]
    end = recording.at(recording.experiment.layout.nodes[0]).whole.result
    return end.mb_per_s_out, end.mb_per_s_in


def _channel(carried: ChannelResult) -> SharedChannelPlan:
    return SharedChannelPlan(
        carried,
        1e9 / carried.profile.line_ns_per_byte / MIB,
        1e9 / carried.profile.processor_ns_per_byte / MIB,
    )
