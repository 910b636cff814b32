"""Run all links of a collection together, each with its traffic, and measure each and all together.

Every link end has its own programs; a link without traffic comes up and stays idle. The guests of
each traffic have processors of their own. A link that shares nothing gives the figures that
`scenarios.runs.run` gives of it alone, to the last byte.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from isfc.errors import ConfigurationError
from isfc.layout.channels import find_link
from isfc.layout.layout import Collection, Layout
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.system.system import System
from scenarios.runs.channel_busy import BusySoFar, ChannelsBusy, busy_so_far
from scenarios.runs.cluster_shared import (
    ChannelResult,
    Look,
    PathResult,
    channel_results,
    path_results,
)
from scenarios.runs.experiment import NS_PER_S, Experiment
from scenarios.runs.guests import GuestCosts
from scenarios.runs.operation import OperatedRun, Operation
from scenarios.runs.result import see
from scenarios.runs.run import Recording, build, run_on, times_of_looks
from scenarios.runs.warmup import WARMUP
from scenarios.runs.workload import LinkLoad


@dataclass(frozen=True, slots=True)
class ClusterExperiment:
    """One run of all links: as `scenarios.runs.run.Experiment`, with any number of loads."""

    collection: Collection
    loads: tuple[LinkLoad, ...]
    seconds: float = 10.0
    warmup: float = WARMUP
    seed: int = 1
    link: LinkParameters = field(default_factory=LinkParameters)
    guests: GuestCosts = field(default_factory=GuestCosts)

    def __post_init__(self) -> None:
        if not self.loads:
            raise ConfigurationError("traffic: none; expected what runs over a link at least")
        for load in self.loads:
            self._experiment(load)

    @property
    def nodes(self) -> tuple[NodeName, ...]:
        """All nodes, the least name first."""
        return self.collection.systems

    @property
    def systems(self) -> tuple[NodeName, ...]:
        """The same: in the order in which they are built."""
        return self.collection.systems

    def link_at(self, _node: NodeName) -> LinkParameters:
        """The link driver of a node: all have the same."""
        return self.link

    @property
    def client_node(self) -> NodeName:
        """The node of the first load's clients."""
        return self.loads[0].client

    @property
    def experiments(self) -> tuple[Experiment, ...]:
        """That of each link with traffic as if it were alone, its first load only."""
        firsts: dict[tuple[NodeName, NodeName], LinkLoad] = {}
        for load in self.loads:
            firsts.setdefault(self._link(load).nodes, load)
        return tuple(
            self._experiment(firsts[link.nodes])
            for link in self.collection.links
            if link.nodes in firsts
        )

    @property
    def begin_ns(self) -> int:
        """When measuring begins, in ns of virtual time."""
        return round(self.warmup * NS_PER_S)

    @property
    def end_ns(self) -> int:
        """When it ends."""
        return round((self.warmup + self.seconds) * NS_PER_S)

    def settings(self) -> dict[str, Any]:
        """What was asked for, as every ``--json`` shows it."""
        return {
            "traffic": [str(load) for load in self.loads],
            "seconds": self.seconds,
            "warmup": self.warmup,
            "seed": self.seed,
        }

    def loads_of(self, link: Layout) -> tuple[LinkLoad, ...]:
        """What runs over a link."""
        ends = {*link.nodes}
        return tuple(load for load in self.loads if {load.client, load.server} == ends)

    def _link(self, load: LinkLoad) -> Layout:
        return find_link(self.collection, load.client, load.server)

    def _experiment(self, load: LinkLoad) -> Experiment:
        return Experiment(
            self._link(load),
            load.workload,
            load.pairs,
            seconds=self.seconds,
            warmup=self.warmup,
            seed=self.seed,
            client=load.client,
            link=self.link,
            guests=self.guests,
        )


@dataclass(frozen=True, slots=True)
class SystemResult:
    """What a system sent and received over all its links, in MB/s (2^20)."""

    node: str
    mb_per_s_out: float
    mb_per_s_in: float
    messages_per_s: float
    collisions_per_s: float


@dataclass(frozen=True, slots=True)
class ClusterResult:
    """What came of a run: of each link with traffic, each system, each shared channel and path."""

    experiment: ClusterExperiment
    links: tuple[Recording, ...]
    systems: tuple[SystemResult, ...]
    busy: ChannelsBusy
    channels: tuple[ChannelResult, ...]
    paths: tuple[PathResult, ...] = ()

    @property
    def mb_per_s(self) -> float:
        """What all links carried, both ways together."""
        return sum(link.client.whole.result.mb_per_s for link in self.links)

    def link(self, name: str) -> Recording:
        """That of one link, as in ``ALPHA-BETA``."""
        for recording in self.links:
            if recording.experiment.layout.name == name:
                return recording
        raise ConfigurationError(f"{name}: no link with traffic")


def run_cluster(
    experiment: ClusterExperiment,
    interval: float | None = None,
    *,
    progress: Callable[[float], None] | None = None,
    operation: Operation | None = None,
) -> ClusterResult:
    """Run an experiment to its end; ``interval`` and others are as for `scenarios.runs.run.record`.

    Raises `ConfigurationError` for what cannot be run.
    """
    engine, systems = build(experiment, operation=operation)
    operated = OperatedRun(engine, systems, operation)
    looks = ClusterLooks(experiment, systems)
    for at_ns in times_of_looks(experiment.begin_ns, experiment.end_ns, interval):
        run_on(operated, at_ns, progress)
        looks.look(engine.now_ns)
    return looks.result()


class ClusterLooks:
    """What is seen of the systems of a run, look by look; the first at the end of its warm-up."""

    def __init__(self, experiment: ClusterExperiment, systems: Sequence[System]) -> None:
        self._experiment = experiment
        self._systems = systems
        self._looks: list[Look] = []
        self._busy: list[BusySoFar] = []

    def look(self, now_ns: int) -> None:
        """Note all counters."""
        self._looks.append(
            {
                (end.name, end.partner): end.snapshot(now_ns)
                for system in self._systems
                for end in system.ends
            }
        )
        links = self._experiment.collection.links
        self._busy.append(busy_so_far(links, self._systems, now_ns))

    def result(self) -> ClusterResult:
        """What came of the run between the first look and the last."""
        experiment, looks = self._experiment, self._looks
        busy = ChannelsBusy(self._busy[0], self._busy[-1], experiment.seconds)
        return ClusterResult(
            experiment,
            tuple(_recording(each, looks) for each in experiment.experiments),
            tuple(_system_result(system.name, looks) for system in self._systems),
            busy,
            tuple(channel_results(experiment.collection, looks, busy)),
            tuple(path_results(experiment.collection, looks, busy)),
        )


def _recording(experiment: Experiment, looks: Sequence[Look]) -> Recording:
    client = experiment.client_node
    server = next(node for node in experiment.layout.nodes if node != client)
    return Recording(
        experiment,
        see([look[client, server] for look in looks]),
        see([look[server, client] for look in looks]),
    )


def _system_result(node: NodeName, looks: Sequence[Look]) -> SystemResult:
    ends = [
        see([look[name, partner] for look in looks]).whole.result
        for name, partner in looks[0]
        if name == node
    ]
    return SystemResult(
        node,
        sum(end.mb_per_s_out for end in ends),
        sum(end.mb_per_s_in for end in ends),
        sum(end.messages_per_s for end in ends),
        sum(end.collisions_per_s for end in ends),
    )
