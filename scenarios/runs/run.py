"""Run an experiment in virtual time, and look at both ends now and then."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, Protocol

from isfc.engine.program import Program
from isfc.engine.virtual import Transit, VirtualEngine
from isfc.errors import ConfigurationError
from isfc.layout.definition import define_system, make_fabric
from isfc.layout.layout import Collection, Layout
from isfc.link.counters import LinkEndSnapshot
from isfc.link.events import InterruptListener, Sink
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.system.system import System
from scenarios.runs.experiment import NS_PER_S, SECONDS_MAX, Experiment, check_node
from scenarios.runs.guests import GuestCosts, make_guests
from scenarios.runs.operation import OperatedRun, Operation
from scenarios.runs.result import Result, Seen, see
from scenarios.runs.together import joined
from scenarios.runs.workload import LinkLoad

INTERVAL_MIN: Final = 0.001
"""Seconds between two samples: a package takes as long."""
PARTS: Final = 3
"""Samples of one run: IBM shows three minutes of H001709C."""
_ROUNDING_NS: Final = 1_000
SLICE_NS: Final = 20_000_000
"""Virtual time between two reports of progress: some milliseconds of ours."""


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
