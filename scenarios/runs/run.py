"""Run an experiment in virtual time, and look at both ends now and then."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

from msgspec import Struct

from isfc.engine.pump import Listener
from isfc.engine.virtual import Transit, VirtualEngine
from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.layout.definition import define_system, make_fabric
from isfc.link.events import InterruptListener, LinkEvent, Program, Sink
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters, LinkRules
from isfc.system.system import System
from scenarios.runs.channels import (
    BusySoFar,
    ChannelResult,
    ChannelsBusy,
    Look,
    PathResult,
    busy_so_far,
    channel_results,
    path_results,
)
from scenarios.runs.experiment import NS_PER_S, SECONDS_MAX, Experiment, check_node
from scenarios.runs.guests import GuestCosts
from scenarios.runs.programs import joined, make_programs
from scenarios.runs.result import EndSamples, Result, end_samples
from scenarios.runs.workload import LinkLoad

INTERVAL_MIN: Final = 0.001
"""Seconds between two samples: a package takes as long."""
PARTS: Final = 3
"""Samples of one run: IBM shows three minutes of H001709C."""
_ROUNDING_NS: Final = 1_000
SLICE_NS: Final = 20_000_000
"""Virtual time between two reports of progress: some milliseconds of ours."""


class Intervention(Struct, frozen=True):
    """Something done to one system, ``at_ns`` after the run began: behind all else of that time.

    Acts of the same time are done in their order.
    """

    at_ns: int
    node: NodeName
    do: Callable[[System, int], None]


class Operation(Struct, frozen=True):
    """All that is done in one run, and who hears what comes of it."""

    acts: Sequence[Intervention]
    hear: Listener[LinkEvent]


class OperatedRun:
    """An engine that runs on, and is interrupted where something is to be done."""

    def __init__(
        self, engine: VirtualEngine, systems: Sequence[System], operation: Operation | None
    ) -> None:
        self.engine = engine
        self._systems = {system.name: system for system in systems}
        acts = operation.acts if operation else ()
        self._acts = deque(sorted(acts, key=lambda act: act.at_ns))

    def run(self, until_ns: int) -> None:
        """Let everything happen, and everything be done, up to and including ``until_ns``."""
        while self._acts and self._acts[0].at_ns <= until_ns:
            act = self._acts.popleft()
            self.engine.run(act.at_ns)
            act.do(self._systems[act.node], act.at_ns)
            self.engine.drain()
        self.engine.run(until_ns)


def build(
    experiment: Experiment,
    trace: Sink | None = None,
    operation: Operation | None = None,
    watch: InterruptListener | None = None,
    transit: Transit | None = None,
    around: Callable[[Program, NodeName], Program] | None = None,
    rules: LinkRules | None = None,
) -> tuple[VirtualEngine, list[System]]:
    """The engine of an experiment, at time 0, and its systems; of one link the clients' first.

    ``transit`` is asked about every frame, ``around`` makes of each program what is to run; link
    ends have the ``rules``.
    """
    collection = experiment.collection
    looked = trace, watch, rules
    systems = make_systems(collection, experiment.systems, experiment.link_at, *looked)
    programs: Programs = defaultdict(list)
    for link in collection.links:
        loads, stream = experiment.loads_of(link), f"clients {experiment.seed}"
        for load, clients, servers, count in programs_of(loads, experiment.guests_of, stream):
            programs[load.client, load.server].append((clients, count))
            programs[load.server, load.client].append((servers, count))
    placed = place(programs, systems)
    if around is not None:
        names = [system.name for system in systems for _ in system.ends]
        placed = [around(program, name) for program, name in zip(placed, names, strict=True)]
    listeners = () if operation is None else (operation.hear,)
    return VirtualEngine(systems, placed, transit=transit, listeners=listeners), systems


def make_systems(
    collection: Collection,
    names: Iterable[NodeName],
    link_at: Callable[[NodeName], LinkParameters],
    trace: Sink | None = None,
    watch: InterruptListener | None = None,
    rules: LinkRules | None = None,
) -> list[System]:
    """Systems of a collection, with all their links, on one fabric."""
    more: Any = {"watch": watch, "fabric": make_fabric(collection.links), "rules": rules}
    return [System(define_system(collection, name, link_at(name)), trace, **more) for name in names]


Programs = defaultdict[tuple[NodeName, NodeName], list[tuple[Program, int]]]
"""What runs at a link end, by node and partner, each with its conversations at most."""


def place(programs: Programs, systems: Iterable[System]) -> list[Program]:
    """One program for each link end, in the order of an engine."""
    return [joined(programs[end.name, end.partner]) for each in systems for end in each.ends]


def programs_of(
    loads: Iterable[LinkLoad], costs: Callable[[LinkLoad], GuestCosts], stream: str
) -> Iterator[tuple[LinkLoad, Program, Program, int]]:
    """The clients and the servers of each load of a link, and their conversations at most.

    ``stream`` names what is drawn.
    """
    for number, load in enumerate(loads):
        random = Random(f"{stream} {number}" if number else stream)
        clients, servers = make_programs(load.workload, load.pairs, costs(load), random)
        # messages, and acknowledgements of replies
        yield load, clients, servers, 2 * load.workload.window * load.pairs


class Recording(Struct, frozen=True):
    """What both ends of a link saw of a run. ``experiment`` is that of this link alone."""

    experiment: Experiment
    client: EndSamples
    server: EndSamples

    @property
    def result(self) -> Result:
        """The whole, as seen at the clients' node."""
        return self.client.whole.result

    def at(self, node: NodeName | None) -> EndSamples:
        """What the end at ``node`` saw; that of the clients if it is None."""
        check_node(self.experiment.layout, "side", node)
        return self.server if node == self.server.whole.result.node else self.client


class Outcome(Struct, frozen=True):
    """What came of a run: of each link with traffic, each shared channel and path.

    ``systems`` has what each system saw at all its links.
    """

    experiment: Experiment
    links: tuple[Recording, ...]
    systems: Mapping[NodeName, tuple[Result, ...]]
    busy: ChannelsBusy
    channels: tuple[ChannelResult, ...]
    paths: tuple[PathResult, ...] = ()

    @property
    def mb_per_s(self) -> float:
        """What all links carried, both ways together."""
        return sum(link.result.mb_per_s for link in self.links)

    @property
    def result(self) -> Result:
        """What the clients' node of the first link saw."""
        return self.link().result

    def link(self, name: str | None = None) -> Recording:
        """That of one link, as in ``ALPHA-BETA``; of the first if None."""
        for recording in self.links:
            if name in (None, recording.experiment.layout.name):
                return recording
        raise ConfigurationError(f"{name}: no link with traffic")


def run(
    experiment: Experiment,
    interval: float | None = None,
    *,
    trace: Sink | None = None,
    progress: Callable[[float], None] | None = None,
    operation: Operation | None = None,
    rules: LinkRules | None = None,
) -> Outcome:
    """Run an experiment to its end, and look at all ends after the warm-up and then now and then.

    The parts are ``interval`` seconds long, as Monitor's are, the last maybe shorter; thirds if it
    is None. To look changes nothing in the run. ``progress`` is told now and then how many seconds
    of virtual time have passed; link ends have the ``rules``. Raises `ConfigurationError` for an
    interval out of bounds.
    """
    if interval is not None:
        check_interval(interval)
    engine, systems = build(experiment, trace, operation, rules=rules)
    operated = OperatedRun(engine, systems, operation)
    looks = Looks(experiment, systems)
    for at_ns in times_of_looks(experiment.begin_ns, experiment.end_ns, interval):
        run_on(operated, at_ns, progress)
        looks.look(engine.now_ns)
    return looks.outcome()


class Looks:
    """What is seen of the systems of a run, look by look; the first at the end of its warm-up."""

    def __init__(self, experiment: Experiment, systems: Sequence[System]) -> None:
        self._experiment = experiment
        self._systems = systems
        self.counters: list[Look] = []
        self._busy: list[BusySoFar] = []

    def look(self, now_ns: int) -> None:
        """Note all counters."""
        ends = (end for system in self._systems for end in system.ends)
        self.counters.append({(end.name, end.partner): end.snapshot(now_ns) for end in ends})
        links = self._experiment.collection.links
        self._busy.append(busy_so_far(links, self._systems, now_ns))

    def shared(
        self, first: int = 0
    ) -> tuple[ChannelsBusy, tuple[ChannelResult, ...], tuple[PathResult, ...]]:
        """How busy channels were from a look on, and what several fibres share."""
        collection, looks = self._experiment.collection, self.counters[first:]
        begin, end = (next(iter(look.values())).now_ns for look in (looks[0], looks[-1]))
        busy = ChannelsBusy(self._busy[first], self._busy[-1], (end - begin) / NS_PER_S)
        channels = channel_results(collection, looks, busy)
        return busy, tuple(channels), tuple(path_results(collection, looks, busy))

    def outcome(self) -> Outcome:
        """What came of the run between the first look and the last."""
        links = []
        for alone in self._experiment.each_alone:
            client, server = alone.sending[0]
            both = self._seen(client, server), self._seen(server, client)
            links.append(Recording(alone, *both))
        systems = {node: self._all_seen(node) for node in self._experiment.nodes}
        return Outcome(self._experiment, tuple(links), systems, *self.shared())

    def _seen(self, node: NodeName, partner: NodeName) -> EndSamples:
        both = (node, partner), (partner, node)
        return end_samples(*([look[end] for look in self.counters] for end in both))

    def _all_seen(self, node: NodeName) -> tuple[Result, ...]:
        ends = [each for each in self.counters[0] if each[0] == node]
        return tuple(self._seen(*each).whole.result for each in ends)


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
