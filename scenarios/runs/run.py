"""Run one workload over one layout in virtual time, and measure it as IBM did."""

import copyreg
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from random import Random
from typing import Any, Final, Protocol

from ctc.address import format_rdev
from ctc.profiles import ChpidProfile
from ctc.sharing import ChannelUse
from isfc.engine.program import Program
from isfc.engine.virtual import Transit, VirtualEngine
from isfc.errors import ConfigurationError
from isfc.layout.definition import define_system, make_fabric
from isfc.layout.layout import Collection, Layout, no_node
from isfc.link.counters import DeviceSnapshot, LinkEndSnapshot
from isfc.link.events import InterruptListener, Sink
from isfc.link.name import NodeName
from isfc.link.package import PackageLimit
from isfc.link.parameters import LinkParameters
from isfc.system.system import System
from scenarios.runs.guests import GuestCosts, make_guests
from scenarios.runs.operation import OperatedRun, Operation
from scenarios.runs.together import joined
from scenarios.runs.warmup import WARMUP
from scenarios.runs.workload import LinkLoad, Workload

NS_PER_S: Final = 1_000_000_000
MIB: Final = 2**20
"""Published MB are 2^20 bytes (derived: 834.2 packages/s of 829,631 B are the 660.0 MB/s)."""
PAIRS_MAX: Final = 10_000
OUTSTANDING_MAX: Final = 100_000
"""Messages of all pairs at a time: each takes some hundred bytes, and its turn at the start."""
SECONDS_MAX: Final = 86_400
INTERVAL_MIN: Final = 0.001
"""Seconds between two samples: a package takes as long."""
PARTS: Final = 3
"""Samples of one run: IBM shows three minutes of H001709C."""
_ROUNDING_NS: Final = 1_000
SLICE_NS: Final = 20_000_000
"""Virtual time between two reports of progress: some milliseconds of ours."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """One run: what is set up and for how long. Times in seconds of virtual time.

    ``client`` names the node of the clients, the layout's first node if it is None.
    """

    layout: Layout
    workload: Workload
    pairs: int
    seconds: float = 10.0
    warmup: float = WARMUP
    seed: int = 1
    client: NodeName | None = None
    link: LinkParameters = field(default_factory=LinkParameters)
    guests: GuestCosts = field(default_factory=GuestCosts)
    own_links: Mapping[NodeName, LinkParameters] = field(default_factory=dict, hash=False)
    """The link driver of a node that has another than ``link``."""

    def __post_init__(self) -> None:
        if not 1 <= self.pairs <= PAIRS_MAX:
            raise ConfigurationError(f"pairs {self.pairs}: expected 1 to {PAIRS_MAX}")
        outstanding = self.pairs * self.workload.window
        if outstanding > OUTSTANDING_MAX:
            raise ConfigurationError(
                f"pairs {self.pairs}: with a window of {self.workload.window} that is "
                f"{outstanding:,} messages at a time; expected at most {OUTSTANDING_MAX:,}"
            )
        if not 0 <= self.warmup <= SECONDS_MAX:
            raise ConfigurationError(f"warmup {self.warmup}: expected 0 <= s <= {SECONDS_MAX}")
        if not 1 / NS_PER_S <= self.seconds <= SECONDS_MAX or self.end_ns == self.begin_ns:
            raise ConfigurationError(
                f"seconds {self.seconds}: expected a nanosecond to {SECONDS_MAX} s"
            )
        check_node(self.layout, "client", self.client)

    @property
    def nodes(self) -> tuple[NodeName, ...]:
        """Both nodes, the lesser name first."""
        return self.layout.nodes

    @property
    def client_node(self) -> NodeName:
        """The node of the clients."""
        return self.client or self.layout.nodes[0]

    def link_at(self, node: NodeName) -> LinkParameters:
        """The link driver of a node."""
        return self.own_links.get(node, self.link)

    @property
    def collection(self) -> Collection:
        """The link as a cluster of one."""
        return Collection((self.layout,))

    @property
    def systems(self) -> tuple[NodeName, NodeName]:
        """Both nodes in the order in which they are built, that of the clients first."""
        first, second = self.nodes
        return (second, first) if self.client == second else (first, second)

    @property
    def experiments(self) -> tuple["Experiment", ...]:
        """That of each link with traffic."""
        return (self,)

    def loads_of(self, link: Layout) -> tuple[LinkLoad, ...]:
        """What runs over the link."""
        return (LinkLoad(*self.systems, self.workload, self.pairs),)

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
            "client": self.client_node,
            "workload": self.workload.name,
            "pairs": self.pairs,
            "seconds": self.seconds,
            "warmup": self.warmup,
            "seed": self.seed,
        }


def check_node(layout: Layout, what: str, name: str | None) -> None:
    """Raise `ConfigurationError` unless ``name``, if it is given, is a node of the layout."""
    if name is not None and name not in layout.nodes:
        raise no_node(what, name, layout.nodes)


def _reduce(record: Any) -> tuple[type[Any], tuple[Any, ...]]:
    return type(record), tuple(getattr(record, part.name) for part in fields(record))


# An experiment travels to another process. Compiled, these cannot be restored field by field.
for _record in (ChpidProfile, ChannelUse, PackageLimit, LinkParameters, GuestCosts):
    copyreg.pickle(_record, _reduce)


@dataclass(frozen=True, slots=True)
class DeviceResult:
    """One CTC as Performance Toolkit's FCX108 DEVICE shows it; times per I/O."""

    rdev: str
    io_per_s: float
    pend_ms: float
    disc_ms: float
    conn_ms: float
    serv_ms: float
    busy_percent: float


@dataclass(frozen=True, slots=True)
class Result:
    """What one side saw between warm-up and end. MB are 2^20 bytes; "out" is written by it.

    ``messages_per_s`` counts both directions; ``cpu_percent_per_msg`` is percent of one
    processor spent in the link driver per message a second, both directions counted as one
    exchange; ``rdev_util_percent`` is summed over devices, as the report does.
    """

    node: str
    mb_per_s: float
    mb_per_s_out: float
    mb_per_s_in: float
    messages_per_s: float
    messages_per_s_out: float
    messages_per_s_in: float
    packages_per_s_out: float
    packages_per_s_in: float
    messages_per_package_out: float
    messages_per_package_in: float
    bytes_per_package_out: float
    bytes_per_package_in: float
    rdev_util_percent: float
    collisions_per_s: float
    cpu_percent_per_msg: float
    tx_pend_count: float
    devices: tuple[DeviceResult, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """What one side saw in an interval that ended ``until`` seconds after the run began."""

    until: float
    result: Result


class LoadedLinks(Protocol):
    """Links, and what runs over each: an `Experiment` has one, others have many."""

    @property
    def collection(self) -> Collection:
        """The links."""

    @property
    def systems(self) -> Sequence[NodeName]:
        """All systems, in the order in which they are built."""

    @property
    def guests(self) -> GuestCosts:
        """What guests cost."""

    @property
    def seed(self) -> int:
        """Of what is drawn."""

    def link_at(self, node: NodeName, /) -> LinkParameters:
        """The link driver of a node."""

    def loads_of(self, link: Layout, /) -> Sequence[LinkLoad]:
        """What runs over a link."""


def build(
    experiment: LoadedLinks,
    trace: Sink | None = None,
    operation: Operation | None = None,
    watch: InterruptListener | None = None,
    transit: Transit | None = None,
    around: Callable[[Program, NodeName], Program] | None = None,
) -> tuple[VirtualEngine, list[System]]:
    """The engine of an experiment, at time 0, and its systems; of one link the client's first.

    ``transit`` is asked about every frame, ``around`` makes of each program what is to run.
    """
    collection = experiment.collection
    fabric = make_fabric(collection.links)
    systems = [
        System(
            define_system(collection, name, experiment.link_at(name)),
            trace,
            watch=watch,
            fabric=fabric,
        )
        for name in experiment.systems
    ]
    programs: dict[tuple[NodeName, NodeName], list[tuple[Program, int]]] = defaultdict(list)
    for link in collection.links:
        loads, stream = experiment.loads_of(link), f"clients {experiment.seed}"
        for load, clients, servers, count in programs_of(loads, experiment.guests, stream):
            programs[load.client, load.server].append((clients, count))
            programs[load.server, load.client].append((servers, count))
    placed = [joined(programs[end.name, end.partner]) for each in systems for end in each.ends]
    if around is not None:
        names = [system.name for system in systems for _ in system.ends]
        placed = [around(program, name) for program, name in zip(placed, names, strict=True)]
    listeners = () if operation is None else (operation.hear,)
    return VirtualEngine(systems, placed, transit=transit, listeners=listeners), systems


def programs_of(
    loads: Iterable[LinkLoad], costs: GuestCosts, stream: str
) -> Iterator[tuple[LinkLoad, Program, Program, int]]:
    """The clients and the servers of each load of a link, and their conversations at most.

    ``stream`` names what is drawn.
    """
    for number, load in enumerate(loads):
        random = Random(f"{stream} {number}" if number else stream)
        make = load.workload.programs or make_guests
        clients, servers = make(load.workload, load.pairs, costs, random)
        # messages, and acknowledgements of replies
        yield load, clients, servers, 2 * load.workload.window * load.pairs


@dataclass(frozen=True, slots=True)
class Seen:
    """What one end saw of a run: the whole, and one sample after the other."""

    whole: Sample
    parts: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """What both ends saw of one run of an experiment."""

    experiment: Experiment
    client: Seen
    server: Seen

    def at(self, node: NodeName | None) -> Seen:
        """What the end at ``node`` saw; that of the clients if it is None."""
        return self.server if node == self.server.whole.result.node else self.client


def run(
    experiment: Experiment,
    side: NodeName | None = None,
    trace: Sink | None = None,
    progress: Callable[[float], None] | None = None,
    operation: Operation | None = None,
) -> Result:
    """The whole of what `record` records, as seen at ``side``; at the client's node if None."""
    check_node(experiment.layout, "side", side)
    recording = record(experiment, trace=trace, progress=progress, operation=operation)
    return recording.at(side).whole.result


def record(
    experiment: Experiment,
    interval: float | None = None,
    *,
    trace: Sink | None = None,
    progress: Callable[[float], None] | None = None,
    operation: Operation | None = None,
) -> Recording:
    """Run an experiment to its end, and look at both ends after the warm-up and then now and then.

    The parts are ``interval`` seconds long, as Monitor's are, the last maybe shorter; thirds if it
    is None. To look changes nothing in the run. ``progress`` is told now and then how many seconds
    of virtual time have passed. Raises `ConfigurationError` for an interval out of bounds.
    """
    if interval is not None:
        check_interval(interval)
    engine, systems = build(experiment, trace, operation)
    operated = OperatedRun(engine, systems, operation)
    looks: list[tuple[LinkEndSnapshot, ...]] = []
    for at_ns in times_of_looks(experiment.begin_ns, experiment.end_ns, interval):
        run_on(operated, at_ns, progress)
        looks.append(tuple(system.ends[0].snapshot(engine.now_ns) for system in systems))
    client, server = map(see, zip(*looks, strict=True))
    return Recording(experiment, client, server)


def times_of_looks(begin_ns: int, end_ns: int, interval: float | None) -> tuple[int, ...]:
    """When to look at a run: at its begin, after each ``interval`` (thirds if None), at its end."""
    step_ns = -(-(end_ns - begin_ns) // PARTS) if interval is None else round(interval * NS_PER_S)
    # where seconds were rounded to nanoseconds, a few may be over: no interval of their own
    between = range(begin_ns + step_ns, end_ns - _ROUNDING_NS, step_ns)
    return (begin_ns, *between, end_ns)


def check_interval(interval: float) -> None:
    """Raise `ConfigurationError` unless samples can be so many seconds long."""
    if not INTERVAL_MIN <= interval <= SECONDS_MAX:
        raise ConfigurationError(
            f"interval {interval:g}: expected {INTERVAL_MIN:g} to {SECONDS_MAX} s"
        )


def run_on(operated: OperatedRun, until_ns: int, progress: Callable[[float], None] | None) -> None:
    """Let the engine run, in slices if somebody watches: they change nothing in the run."""
    engine = operated.engine
    while progress and engine.now_ns + SLICE_NS < until_ns:
        operated.run(engine.now_ns + SLICE_NS)
        progress(engine.now_ns / NS_PER_S)
    operated.run(until_ns)


def see(snapshots: Sequence[LinkEndSnapshot]) -> Seen:
    """What one end saw, from its looks."""
    parts = tuple(_sample(before, after) for before, after in pairwise(snapshots))
    return Seen(_sample(snapshots[0], snapshots[-1]), parts)


def _sample(before: LinkEndSnapshot, after: LinkEndSnapshot) -> Sample:
    """What one end saw between two looks."""
    return Sample(after.now_ns / NS_PER_S, measure(before.name, before, after))


def measure(name: str, before: LinkEndSnapshot, after: LinkEndSnapshot) -> Result:
    """What a node did between two snapshots."""
    seconds = (after.now_ns - before.now_ns) / NS_PER_S
    out_length = after.write_length - before.write_length
    in_length = after.read_length - before.read_length
    out_messages = after.write_message_count - before.write_message_count
    in_messages = after.read_message_count - before.read_message_count
    out_packages = after.write_package_count - before.write_package_count
    in_packages = after.read_package_count - before.read_package_count
    devices = tuple(
        _measure_device(first, last, seconds)
        for first, last in zip(before.devices, after.devices, strict=True)
    )
    return Result(
        node=name,
        mb_per_s=(out_length + in_length) / seconds / MIB,
        mb_per_s_out=out_length / seconds / MIB,
        mb_per_s_in=in_length / seconds / MIB,
        messages_per_s=(out_messages + in_messages) / seconds,
        messages_per_s_out=out_messages / seconds,
        messages_per_s_in=in_messages / seconds,
        packages_per_s_out=out_packages / seconds,
        packages_per_s_in=in_packages / seconds,
        messages_per_package_out=out_messages / max(1, out_packages),
        messages_per_package_in=in_messages / max(1, in_packages),
        bytes_per_package_out=out_length / max(1, out_packages),
        bytes_per_package_in=in_length / max(1, in_packages),
        rdev_util_percent=sum(device.busy_percent for device in devices),
        collisions_per_s=(after.collision_count - before.collision_count) / seconds,
        cpu_percent_per_msg=(after.cpu_ns - before.cpu_ns)
        / NS_PER_S
        * 100
        / max(1, min(out_messages, in_messages) or max(out_messages, in_messages)),
        tx_pend_count=after.tx_pend_count,
        devices=devices,
    )


def _measure_device(before: DeviceSnapshot, after: DeviceSnapshot, seconds: float) -> DeviceResult:
    io_count = after.io_count - before.io_count
    pend_ns = after.pend_ns - before.pend_ns
    disc_ns = after.disc_ns - before.disc_ns
    conn_ns = after.conn_ns - before.conn_ns
    serv_ns = pend_ns + disc_ns + conn_ns
    per_io_ms = 1e-6 / max(1, io_count)
    return DeviceResult(
        rdev=format_rdev(after.rdev),
        io_per_s=io_count / seconds,
        pend_ms=pend_ns * per_io_ms,
        disc_ms=disc_ns * per_io_ms,
        conn_ms=conn_ns * per_io_ms,
        serv_ms=serv_ns * per_io_ms,
        busy_percent=serv_ns / seconds / NS_PER_S * 100,
    )
