"""Evacuation: every guest of a system is relocated to other members, before its maintenance.

Each guest is relocated as `scenarios.relocation` does it, over the link to its destination; so many
go on at the same time, on whichever links. All links of the file run, with other traffic if it is
wanted. A guest that has arrived, or was given up, is followed by the next within `SLICE_NS`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from isfc.engine.program import Offer, Program
from isfc.engine.virtual import VirtualEngine
from isfc.errors import ConfigurationError
from isfc.layout.channels import find_link
from isfc.layout.definition import define_system, make_fabric
from isfc.layout.layout import Collection, Layout
from isfc.link.events import Delivered, LinkEvent
from isfc.link.message import Message
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.system.system import System
from scenarios.cluster import ClusterExperiment, Idle, LinkLoad, run_cluster
from scenarios.guests import GuestCosts, make_guests
from scenarios.relocation import (
    ACKNOWLEDGEMENT_LENGTH,
    WARMUP_NS,
    WINDOW,
    End,
    Guest,
    Moved,
    Relocation,
)
from scenarios.run import MIB, NS_PER_S
from scenarios.together import Together

GUESTS_MAX: Final = 500
AT_ONCE_MAX: Final = 16
SLICE_NS: Final = 5_000_000
"""How long it takes at most until the next guest begins: far less than a guest takes (chosen)."""


@dataclass(frozen=True, slots=True)
class Tenant:
    """A guest that is to leave: its memory in bytes, what changes in bytes/s, and where it goes."""

    name: str
    memory: int
    change_rate: int
    to: NodeName


@dataclass(frozen=True, slots=True)
class Evacuation:
    """What is to be moved away from ``source``; ``at_once`` guests at the same time.

    ``loads`` are other traffic meanwhile, on any link.
    """

    collection: Collection
    source: NodeName
    tenants: tuple[Tenant, ...]
    at_once: int = 1
    loads: tuple[LinkLoad, ...] = ()
    window: int = WINDOW
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
            self.relocation(tenant)

    def relocation(self, tenant: Tenant) -> Relocation:
        """One guest's relocation, as if it were the only one."""
        return Relocation(
            find_link(self.collection, self.source, tenant.to),
            tenant.memory,
            tenant.change_rate,
            source=self.source,
            window=self.window,
            seed=self.seed,
            link=self.link,
        )


@dataclass(frozen=True, slots=True)
class Evacuated:
    """What became of one guest; times in seconds since the evacuation began."""

    tenant: Tenant
    begin_s: float
    moved: Moved

    @property
    def end_s(self) -> float:
        """When it ran at its destination, or was given up."""
        return self.begin_s + self.moved.seconds


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """What one link's other traffic got, in MB/s (2^20) both ways: without it, and meanwhile."""

    link: str
    alone_mb_per_s: float
    meanwhile_mb_per_s: float


@dataclass(frozen=True, slots=True)
class EvacuationOutcome:
    """The schedule, in the order in which the guests began."""

    guests: tuple[Evacuated, ...]
    traffic: tuple[Meanwhile, ...]

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


class _Departures:
    """The program of one link end that guests leave by: each has conversations of its own."""

    def __init__(self, window: int) -> None:
        self._window = window
        self.guests: list[Guest] = []

    def add(self, relocation: Relocation, now_ns: int) -> tuple[Guest, list[Message]]:
        """Let one more guest leave; return it and its first messages."""
        guest = Guest(0, relocation)
        base = len(self.guests) * self._window
        self.guests.append(guest)
        return guest, _raised(guest.begin(relocation.memory, now_ns), base)

    def start(self, now_ns: int) -> Iterable[Offer]:
        """Nobody leaves yet."""
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Acknowledgements let the guests' passes go on."""
        if not isinstance(event, Delivered):
            return ()
        messages: list[Message] = []
        for message in event.messages:
            number, own = divmod(message.conversation, self._window)
            guest = self.guests[number]
            if guest.end is None:
                following = guest.acknowledge(own, now_ns)
                messages += _raised(following, number * self._window)
        return [(now_ns, messages)] if messages else ()


class _Arrivals:
    """The program of the other end: it acknowledges every message."""

    def start(self, now_ns: int) -> Iterable[Offer]:
        """It waits."""
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """An acknowledgement for each message."""
        if not isinstance(event, Delivered):
            return ()
        return [(now_ns, [Message(m.conversation, ACKNOWLEDGEMENT_LENGTH) for m in event.messages])]


def _raised(messages: Sequence[Message], by: int) -> list[Message]:
    return [Message(each.conversation + by, each.length, each.traffic) for each in messages]


def evacuate(
    evacuation: Evacuation, progress: Callable[[int], None] | None = None
) -> EvacuationOutcome:
    """Move everything, message by message; ``progress`` is told how many guests are over."""
    engine, systems, departures = _build(evacuation)
    begin_ns = WARMUP_NS if evacuation.loads else 0
    engine.run(begin_ns)
    lengths = _lengths(systems)
    waiting = list(evacuation.tenants)
    going: list[tuple[Tenant, Guest]] = []
    done: list[tuple[Tenant, Guest]] = []
    while waiting or going:
        while waiting and len(going) < evacuation.at_once:
            tenant = waiting.pop(0)
            leaving = departures[tenant.to]
            guest, messages = leaving.add(evacuation.relocation(tenant), engine.now_ns)
            going.append((tenant, guest))
            engine.offer(evacuation.source, tenant.to, messages)
        engine.run(engine.now_ns + SLICE_NS)
        done += [pair for pair in going if pair[1].end is not None]
        going = [pair for pair in going if pair[1].end is None]
        if progress is not None:
            progress(len(done))
    seconds = (engine.now_ns - begin_ns) / NS_PER_S
    guests = [
        Evacuated(
            tenant,
            (guest.passes[0].begin_ns - begin_ns) / NS_PER_S,
            Moved(tuple(guest.passes), guest.end or End.MOVED),
        )
        for tenant, guest in done
    ]
    places = {tenant.name: place for place, tenant in enumerate(evacuation.tenants)}
    guests.sort(key=lambda each: (each.begin_s, places[each.tenant.name]))
    traffic = _meanwhile(evacuation, done, lengths, _lengths(systems), seconds)
    return EvacuationOutcome(tuple(guests), traffic)


def _build(
    evacuation: Evacuation,
) -> tuple[VirtualEngine, list[System], dict[NodeName, _Departures]]:
    collection, source = evacuation.collection, evacuation.source
    fabric = make_fabric(collection.links)
    systems = [
        System(define_system(collection, name, evacuation.link), fabric=fabric)
        for name in collection.systems
    ]
    departures: dict[NodeName, _Departures] = {}
    programs: dict[tuple[NodeName, NodeName], Program] = {}
    for link in collection.links:
        ends = _programs(evacuation, link)
        if source in link.nodes and any(tenant.to in link.nodes for tenant in evacuation.tenants):
            here = link.nodes.index(source)
            leaving = _Departures(evacuation.window)
            departures[link.nodes[1 - here]] = leaving
            count = GUESTS_MAX * evacuation.window
            ends[here].insert(0, (leaving, count))
            ends[1 - here].insert(0, (_Arrivals(), count))
        for node, partner, each in zip(link.nodes, link.nodes[::-1], ends, strict=True):
            programs[node, partner] = (
                Together(each) if len(each) > 1 else each[0][0] if each else Idle()
            )
    placed = [programs[end.name, end.partner] for system in systems for end in system.ends]
    return VirtualEngine(systems, placed), systems, departures


def _programs(
    evacuation: Evacuation, link: Layout
) -> tuple[list[tuple[Program, int]], list[tuple[Program, int]]]:
    """The other traffic of a link, at its first node and at its second."""
    ends: tuple[list[tuple[Program, int]], list[tuple[Program, int]]] = ([], [])
    for number, load in enumerate(_loads_of(evacuation, link)):
        random = Random(f"background {evacuation.seed} {number}")
        make = load.workload.programs or make_guests
        made = make(load.workload, load.pairs, GuestCosts(), random)
        client = link.nodes.index(load.client)
        for program, end in zip(made, (client, 1 - client), strict=True):
            ends[end].append((program, 2 * load.workload.window * load.pairs))
    return ends


def _loads_of(evacuation: Evacuation, link: Layout) -> list[LinkLoad]:
    return [load for load in evacuation.loads if {load.client, load.server} == {*link.nodes}]


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
    done: Sequence[tuple[Tenant, Guest]],
    before: dict[str, int],
    after: dict[str, int],
    seconds: float,
) -> tuple[Meanwhile, ...]:
    """What the other traffic got; what the guests moved over a link is taken off."""
    if not evacuation.loads:
        return ()
    moved: dict[str, int] = defaultdict(int)
    for tenant, guest in done:
        name = "-".join(sorted((evacuation.source, tenant.to)))
        moved[name] += sum(each.length for each in guest.passes)
    alone = run_cluster(
        replace(
            ClusterExperiment(evacuation.collection, evacuation.loads),
            seconds=0.5,
            warmup=0.2,
            seed=evacuation.seed,
        )
    )
    found = []
    for recording in alone.links:
        nodes = recording.experiment.layout.nodes
        name = "-".join(sorted(nodes))
        rate = (after[name] - before[name] - moved[name]) / seconds / MIB
        whole = recording.client.whole.result.mb_per_s
        found.append(Meanwhile("-".join(nodes), whole, max(0.0, rate)))
    return tuple(found)
