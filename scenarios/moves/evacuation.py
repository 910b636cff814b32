"""Evacuation: every guest of a system is relocated to other members, before its maintenance.

Each guest is relocated as `scenarios.moves.relocation` does it, over the link to its destination;
so many go on at the same time, on whichever links. All links of the file run, with other traffic
if it is wanted.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final

from isfc.engine.program import Program
from isfc.engine.virtual import VirtualEngine
from isfc.errors import ConfigurationError
from isfc.layout.channels import find_link
from isfc.layout.definition import define_system, make_fabric
from isfc.layout.layout import Collection, Layout
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.system.system import System
from scenarios.moves.guest import GuestPlan, Moved
from scenarios.moves.orders import Operator, Order, Response
from scenarios.moves.queue import Arrivals, Departures, RelocationQueue
from scenarios.moves.relocated import pass_record
from scenarios.moves.relocation import WINDOW, move_all
from scenarios.runs.cluster import ClusterExperiment, LinkLoad, SilentProgram, run_cluster
from scenarios.runs.guests import GuestCosts, make_guests
from scenarios.runs.run import MIB, NS_PER_S
from scenarios.runs.saturation import SECONDS
from scenarios.runs.together import Together
from scenarios.runs.warmup import WARMUP, WARMUP_NS

GUESTS_MAX: Final = 500
AT_ONCE_MAX: Final = 16


@dataclass(frozen=True, slots=True)
class Tenant:
    """A guest that is to leave, and where it goes."""

    plan: GuestPlan
    to: NodeName


@dataclass(frozen=True, slots=True)
class Evacuation:
    """What is to be moved away from ``source``; ``at_once`` guests at the same time.

    ``loads`` are other traffic meanwhile, on any link, and ``orders`` commands.
    """

    collection: Collection
    source: NodeName
    tenants: tuple[Tenant, ...]
    at_once: int = 1
    loads: tuple[LinkLoad, ...] = ()
    orders: tuple[Order, ...] = ()
    seed: int = 1
    link: LinkParameters = field(default_factory=LinkParameters)

    def __post_init__(self) -> None:
        if not 1 <= len(self.tenants) <= GUESTS_MAX:
            raise ConfigurationError(
                f"guests {len(self.tenants)}: expected 1 to {GUESTS_MAX} of them"
            )
        if not 1 <= self.at_once <= AT_ONCE_MAX:
            raise ConfigurationError(f"together {self.at_once}: expected 1 to {AT_ONCE_MAX}")
        for tenant in self.tenants:
            find_link(self.collection, self.source, tenant.to)


@dataclass(frozen=True, slots=True)
class Evacuated:
    """What became of one guest; times in seconds since the evacuation began."""

    to: NodeName
    begin_s: float
    moved: Moved

    @property
    def end_s(self) -> float:
        """When it ran at its destination, or was given up."""
        return self.begin_s + self.moved.seconds


@dataclass(frozen=True, slots=True)
class OtherTraffic:
    """What one link's other traffic got, in MB/s (2^20) both ways: without it, and meanwhile."""

    link: str
    alone_mb_per_s: float
    meanwhile_mb_per_s: float


@dataclass(frozen=True, slots=True)
class EvacuationOutcome:
    """The schedule, in the order in which the guests began."""

    guests: tuple[Evacuated, ...]
    traffic: tuple[OtherTraffic, ...]
    responses: tuple[Response, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each pass of each guest, as a data frame takes them."""
        return [
            {"guest": guest.moved.plan.name, "to": guest.to, "pass": number, **pass_record(each)}
            for guest in self.guests
            for number, each in enumerate(guest.moved.passes, start=1)
        ]

    @property
    def seconds(self) -> float:
        """From the first command until the last guest has arrived."""
        return max(guest.end_s for guest in self.guests)

    @property
    def longest_quiesce_s(self) -> float:
        """How long the guest that was stopped longest was stopped."""
        return max(guest.moved.quiesced_seconds for guest in self.guests)

    @property
    def all_moved(self) -> bool:
        """Whether the system is empty."""
        return all(guest.moved.moved for guest in self.guests)


def counts_together(evacuation: Evacuation) -> tuple[int, ...]:
    """How many guests together a sweep tries: 1, 2, 4 ... up to all of them, or `AT_ONCE_MAX`."""
    most = min(len(evacuation.tenants), AT_ONCE_MAX)
    return tuple(sorted({*(1 << power for power in range(most.bit_length())), most}))


def evacuate(
    evacuation: Evacuation, progress: Callable[[int], None] | None = None
) -> EvacuationOutcome:
    """Move everything, message by message; ``progress`` is told how many guests are over."""
    engine, systems, departures, queue = _build(evacuation)
    begin_ns = WARMUP_NS if evacuation.loads else 0
    engine.run(begin_ns)
    lengths = _lengths(systems)

    def tell() -> None:
        if progress is not None:
            progress(len(queue.begun) - len(queue.going))

    source = next(system for system in systems if system.name == evacuation.source)
    operator = Operator(evacuation.orders, queue, source, departures.values(), begin_ns)
    move_all(engine, evacuation.source, departures, queue, operator, tell)
    operator.end()
    seconds = max(1, engine.now_ns - begin_ns) / NS_PER_S
    guests = tuple(
        Evacuated(tenant.to, (guest.begin_ns - begin_ns) / NS_PER_S, guest.moved)
        for tenant, guest in zip(evacuation.tenants, queue.begun, strict=True)
    )
    traffic = _meanwhile(evacuation, guests, lengths, _lengths(systems), seconds)
    return EvacuationOutcome(guests, traffic, tuple(operator.responses))


def _build(
    evacuation: Evacuation,
) -> tuple[VirtualEngine, list[System], dict[NodeName, Departures], RelocationQueue]:
    collection, source = evacuation.collection, evacuation.source
    fabric = make_fabric(collection.links)
    systems = [
        System(define_system(collection, name, evacuation.link), fabric=fabric)
        for name in collection.systems
    ]
    queue = RelocationQueue(
        [(tenant.plan, tenant.to) for tenant in evacuation.tenants], evacuation.at_once, WINDOW
    )
    departures: dict[NodeName, Departures] = {}
    programs: dict[tuple[NodeName, NodeName], Program] = {}
    for link in collection.links:
        ends = _programs(evacuation, link)
        if source in link.nodes and any(tenant.to in link.nodes for tenant in evacuation.tenants):
            here = link.nodes.index(source)
            to = link.nodes[1 - here]
            departures[to] = Departures(queue, to)
            count = GUESTS_MAX * (WINDOW + 1)
            ends[here].insert(0, (departures[to], count))
            ends[1 - here].insert(0, (Arrivals(WINDOW), count))
        for node, partner, each in zip(link.nodes, link.nodes[::-1], ends, strict=True):
            programs[node, partner] = (
                Together(each) if len(each) > 1 else each[0][0] if each else SilentProgram()
            )
    placed = [programs[end.name, end.partner] for system in systems for end in system.ends]
    return VirtualEngine(systems, placed), systems, departures, queue


def _programs(
    evacuation: Evacuation, link: Layout
) -> tuple[list[tuple[Program, int]], list[tuple[Program, int]]]:
    """The other traffic of a link, at its first node and at its second."""
    ends: tuple[list[tuple[Program, int]], list[tuple[Program, int]]] = ([], [])
    loads = [each for each in evacuation.loads if {each.client, each.server} == {*link.nodes}]
    for number, load in enumerate(loads):
        random = Random(f"background {evacuation.seed} {number}")
        make = load.workload.programs or make_guests
        made = make(load.workload, load.pairs, GuestCosts(), random)
        client = link.nodes.index(load.client)
        for program, end in zip(made, (client, 1 - client), strict=True):
            ends[end].append((program, 2 * load.workload.window * load.pairs))
    return ends


def _lengths(systems: Sequence[System]) -> dict[str, int]:
    """Bytes that each link has carried so far, both ways."""
    found: dict[str, int] = defaultdict(int)
    for system in systems:
        for end in system.ends:
            name = "-".join(sorted((end.name, end.partner)))
            found[name] += end.link.counters.write_length
    return found


def _meanwhile(
    evacuation: Evacuation,
    guests: Sequence[Evacuated],
    before: dict[str, int],
    after: dict[str, int],
    seconds: float,
) -> tuple[OtherTraffic, ...]:
    """What the other traffic got; what the guests moved over a link is taken off."""
    if not evacuation.loads:
        return ()
    moved: dict[str, int] = defaultdict(int)
    for guest in guests:
        name = "-".join(sorted((evacuation.source, guest.to)))
        moved[name] += guest.moved.length
    alone = run_cluster(
        replace(
            ClusterExperiment(evacuation.collection, evacuation.loads),
            seconds=SECONDS,
            warmup=WARMUP,
            seed=evacuation.seed,
        )
    )
    found = []
    for recording in alone.links:
        nodes = recording.experiment.layout.nodes
        name = "-".join(sorted(nodes))
        rate = (after[name] - before[name] - moved[name]) / seconds / MIB
        whole = recording.client.whole.result.mb_per_s
        found.append(OtherTraffic("-".join(nodes), whole, max(0.0, rate)))
    return tuple(found)
