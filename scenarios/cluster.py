"""Run all links of a collection together, each with its traffic, and measure each and all together.

Every link end has its own programs; a link without traffic comes up and stays idle. The guests of
each traffic have processors of their own. A link that shares nothing gives the figures that
`scenarios.run` gives of it alone, to the last byte.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from ctc.address import Rdev
from ctc.profiles import ChpidProfile
from ctc.sharing import NOTHING, ChannelUse
from isfc.engine.program import Offer, Program
from isfc.engine.virtual import Transit, VirtualEngine
from isfc.errors import ConfigurationError
from isfc.layout.channels import find_link
from isfc.layout.definition import define_system, make_fabric
from isfc.layout.layout import Channel, Collection, Fibre, Layout, LinkTraffic
from isfc.layout.path import FarPath
from isfc.layout.sharing import carried_by, channel_name
from isfc.link.counters import LinkEndSnapshot
from isfc.link.events import InterruptListener, LinkEvent, Sink
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.system.system import System
from scenarios.guests import GuestCosts, make_guests
from scenarios.operation import OperatedRun, Operation
from scenarios.run import (
    MIB,
    NS_PER_S,
    Experiment,
    Recording,
    run_on,
    see,
    times_of_looks,
)
from scenarios.shared_channel import count_moved, use_of
from scenarios.together import Together
from scenarios.workload import Workload, find_workload

_FibreEnd = tuple[Layout, Fibre, int]
"""A fibre with its link, and which of its ends is meant."""


@dataclass(frozen=True, slots=True)
class LinkLoad:
    """What runs over a link: the clients on ``client``, the servers on ``server``."""

    client: NodeName
    server: NodeName
    workload: Workload
    pairs: int

    def __str__(self) -> str:
        return f"{self.client}-{self.server}:{self.workload.name}:{self.pairs}"


def load_of(traffic: LinkTraffic) -> LinkLoad:
    """The load that a file or an option names. Raises `ConfigurationError`."""
    return LinkLoad(traffic.client, traffic.server, find_workload(traffic.workload), traffic.pairs)


@dataclass(frozen=True, slots=True)
class ClusterExperiment:
    """One run of all links: as `scenarios.run.Experiment`, with any number of loads."""

    collection: Collection
    loads: tuple[LinkLoad, ...]
    seconds: float = 10.0
    warmup: float = 1.0
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
        return tuple(load for load in self.loads if self._link(load) == link)

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
class ChannelShare:
    """What one link moved over a channel, in MB/s (2^20); both ways if the channel is both ends."""

    link: str
    mb_per_s_out: float
    mb_per_s_in: float


@dataclass(frozen=True, slots=True)
class ChannelResult:
    """A channel that something shares: who moved what over it, and how busy that made it."""

    channel: Channel
    profile: ChpidProfile
    shares: tuple[ChannelShare, ...]
    use: ChannelUse

    @property
    def name(self) -> str:
        """The channel in words."""
        return channel_name(self.channel)

    @property
    def mb_per_s_out(self) -> float:
        """What all links sent over it."""
        return sum(share.mb_per_s_out for share in self.shares)

    @property
    def mb_per_s_in(self) -> float:
        """What all links received over it."""
        return sum(share.mb_per_s_in for share in self.shares)

    @property
    def busy(self) -> float:
        """The share that was used of whichever is nearest to its end."""
        return max(self.use.processor, self.use.line_out, self.use.line_in)


@dataclass(frozen=True, slots=True)
class PathResult:
    """Inter-switch links of a path that several fibres take: who moved what over them.

    Out is from the first of ``ways``: two directors, or else the first node and the second of each
    link.
    """

    path: FarPath
    ways: tuple[str, str]
    shares: tuple[ChannelShare, ...]

    @property
    def name(self) -> str:
        """The path in words, with where out begins."""
        return f"path {self.path.name} out of {self.ways[0]}"

    @property
    def mb_per_s_out(self) -> float:
        """What all links moved one way."""
        return sum(share.mb_per_s_out for share in self.shares)

    @property
    def mb_per_s_in(self) -> float:
        """What they moved the other way."""
        return sum(share.mb_per_s_in for share in self.shares)

    @property
    def mb_per_s_max(self) -> float:
        """What the inter-switch links carry each way, by rate and buffer credits; MB are 2^20."""
        assert self.path.isl is not None, "others share nothing"
        return 1e9 / self.path.isl.ns_per_byte(self.path.km) / MIB

    @property
    def busy(self) -> float:
        """The share that was used of the direction with more."""
        return max(self.mb_per_s_out, self.mb_per_s_in) / self.mb_per_s_max


@dataclass(frozen=True, slots=True)
class ClusterResult:
    """What came of a run: of each link with traffic, each system, each shared channel and path."""

    experiment: ClusterExperiment
    links: tuple[Recording, ...]
    systems: tuple[SystemResult, ...]
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


class SilentProgram:
    """Sends nothing, and hears what nobody waits for."""

    def start(self, now_ns: int) -> Iterable[Offer]:
        """Nothing to send."""
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Nothing to answer."""
        return ()


def build_cluster(
    experiment: ClusterExperiment,
    operation: Operation | None = None,
    *,
    trace: Sink | None = None,
    watch: InterruptListener | None = None,
    transit: Transit | None = None,
    around: Callable[[Program, NodeName], Program] | None = None,
) -> tuple[VirtualEngine, list[System]]:
    """The engine of an experiment, at time 0, and its systems, the least name first.

    The others are as for `scenarios.run.build`.
    """
    collection = experiment.collection
    fabric = make_fabric(collection.links)
    systems = [
        System(define_system(collection, name, experiment.link), trace, watch=watch, fabric=fabric)
        for name in collection.systems
    ]
    programs = {link.nodes: _programs(experiment, link) for link in collection.links}
    placed: list[Program] = [
        programs[link.nodes][link.nodes.index(name)]
        for name in collection.systems
        for link in collection.links_of(name)
    ]
    if around is not None:
        names = [system.name for system in systems for _ in system.ends]
        placed = [around(program, name) for program, name in zip(placed, names, strict=True)]
    listeners = () if operation is None else (operation.hear,)
    return VirtualEngine(systems, placed, transit=transit, listeners=listeners), systems


def _programs(experiment: ClusterExperiment, link: Layout) -> tuple[Program, Program]:
    """The programs at the first node of a link, and at the second."""
    ends: tuple[list[tuple[Program, int]], list[tuple[Program, int]]] = ([], [])
    for number, load in enumerate(experiment.loads_of(link)):
        seed = f"clients {experiment.seed}" + (f" {number}" if number else "")
        make = load.workload.programs or make_guests
        made = make(load.workload, load.pairs, experiment.guests, Random(seed))
        count = 2 * load.workload.window * load.pairs  # messages, and acknowledgements of replies
        client = link.nodes.index(load.client)
        for program, end in zip(made, (client, 1 - client), strict=True):
            ends[end].append((program, count))
    first, second = map(_joined, ends)
    return first, second


def _joined(programs: Sequence[tuple[Program, int]]) -> Program:
    if not programs:
        return SilentProgram()
    return programs[0][0] if len(programs) == 1 else Together(programs)


def run_cluster(
    experiment: ClusterExperiment,
    interval: float | None = None,
    *,
    progress: Callable[[float], None] | None = None,
    operation: Operation | None = None,
) -> ClusterResult:
    """Run an experiment to its end; ``interval`` and the others are as for `scenarios.run.record`.

    Raises `ConfigurationError` for what cannot be run.
    """
    engine, systems = build_cluster(experiment, operation)
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
        self._looks: list[dict[tuple[NodeName, NodeName], LinkEndSnapshot]] = []
        self._moved: list[dict[Channel, tuple[int, ...]]] = []

    def look(self, now_ns: int) -> None:
        """Note all counters."""
        self._looks.append(
            {
                (end.name, end.partner): end.snapshot(now_ns)
                for system in self._systems
                for end in system.ends
            }
        )
        self._moved.append(_moved(self._experiment.collection, self._systems))

    def result(self) -> ClusterResult:
        """What came of the run between the first look and the last."""
        experiment, looks = self._experiment, self._looks
        return ClusterResult(
            experiment,
            tuple(_recording(each, looks) for each in experiment.experiments),
            tuple(_system_result(system.name, looks) for system in self._systems),
            tuple(_channel_results(experiment, looks, self._moved)),
            tuple(_path_results(experiment, looks)),
        )


def _recording(
    experiment: Experiment, looks: Sequence[dict[tuple[NodeName, NodeName], LinkEndSnapshot]]
) -> Recording:
    client = experiment.client_node
    server = next(node for node in experiment.layout.nodes if node != client)
    return Recording(
        experiment,
        see([look[client, server] for look in looks]),
        see([look[server, client] for look in looks]),
    )


def _system_result(
    node: NodeName, looks: Sequence[dict[tuple[NodeName, NodeName], LinkEndSnapshot]]
) -> SystemResult:
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


def _moved(collection: Collection, systems: Sequence[System]) -> dict[Channel, tuple[int, ...]]:
    """What each channel has moved so far."""
    found: dict[Channel, tuple[int, ...]] = {}
    for channel in carried_by(collection):
        ends: list[Any] = []
        for end in channel:
            for system in systems:  # a system of which no link runs is not there
                if system.name == end.node:
                    ends += system.channels.chpids.get(end.chpid, [])
        found[channel] = count_moved(ends)
    return found


def _channel_results(
    experiment: ClusterExperiment,
    looks: Sequence[dict[tuple[NodeName, NodeName], LinkEndSnapshot]],
    moved: Sequence[dict[Channel, tuple[int, ...]]],
) -> Iterable[ChannelResult]:
    """Each channel that several fibres share or a fibre has both ends on."""
    collection = experiment.collection
    for channel in carried_by(collection):
        fibres = collection.fibre_ends(channel)
        if len(fibres) < 2:
            continue
        (_, first, _), *_ = fibres
        grown = [
            after - before
            for before, after in zip(moved[0][channel], moved[-1][channel], strict=True)
        ]
        use = use_of(first.profile, grown, experiment.seconds) if any(grown) else NOTHING
        each = _shares(experiment.seconds, fibres, looks)
        yield ChannelResult(channel, first.profile, each, use)


def _path_results(
    experiment: ClusterExperiment,
    looks: Sequence[dict[tuple[NodeName, NodeName], LinkEndSnapshot]],
) -> Iterable[PathResult]:
    """The inter-switch links of each path that several fibres take."""
    found: dict[tuple[FarPath, frozenset[str]], list[_FibreEnd]] = {}
    for link in experiment.collection.links:
        for fibre in link.fibres:
            if fibre.path is not None and fibre.path.isl is not None:
                ends = found.setdefault((fibre.path, frozenset(fibre.ways)), [])
                out = 0 if not ends else fibre.ways.index(ends[0][1].ways[0])
                ends.append((link, fibre, out))
    for (path, _), ends in found.items():
        if len(ends) > 1:
            yield PathResult(path, ends[0][1].ways, _shares(experiment.seconds, ends, looks))


def _shares(
    seconds: float,
    ends: Iterable[_FibreEnd],
    looks: Sequence[dict[tuple[NodeName, NodeName], LinkEndSnapshot]],
) -> tuple[ChannelShare, ...]:
    """What each link moved over its fibres here, out as their ends have written it."""
    shares: dict[str, list[float]] = {}
    for link, fibre, end in ends:
        node, partner = link.nodes[end], link.nodes[1 - end]
        rdevs = {ctc.rdevs[end] for ctc in link.ctcs if ctc.fibre == fibre}
        flow = _flow(rdevs, looks[0][node, partner], looks[-1][node, partner])
        share = shares.setdefault(link.name, [0.0, 0.0])
        for way in (0, 1):
            share[way] += flow[way] / seconds / MIB
    return tuple(ChannelShare(name, *flow) for name, flow in shares.items())


def _flow(rdevs: set[Rdev], before: LinkEndSnapshot, after: LinkEndSnapshot) -> tuple[int, int]:
    """Bytes that some CTCs have written and read between two looks."""
    out = back = 0
    for first, last in zip(before.devices, after.devices, strict=True):
        if last.rdev in rdevs:
            out += last.write_length - first.write_length
            back += last.read_length - first.read_length
    return out, back
