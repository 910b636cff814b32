"""An evacuation as it runs: systems, the programs on their links, and what becomes of guests.

The other traffic runs for `scenarios.runs.warmup` before the first guest leaves.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import Final, final

from isfc.engine.virtual import VirtualEngine
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from isfc.system.link_end import LinkEnd
from scenarios.moves.evacuation import (
    GUESTS_MAX,
    Evacuated,
    Evacuation,
    EvacuationOutcome,
    OtherTraffic,
)
from scenarios.moves.guest import Guest
from scenarios.moves.orders import Hardware, Operator, Response
from scenarios.moves.queue import Arrivals, CountedProgram, Departures, RelocationQueue
from scenarios.moves.record import DeviceSeen
from scenarios.moves.targets import Targets, partners_of
from scenarios.runs.experiment import NS_PER_S
from scenarios.runs.guests import GuestCosts
from scenarios.runs.result import MIB, measure
from scenarios.runs.run import Programs, make_systems, place, programs_of
from scenarios.runs.steady import Rate
from scenarios.runs.warmup import WARMUP_NS

SLICE_NS: Final = 5_000_000
"""How long it takes at most until a guest of another link begins: far less than a guest takes
(chosen)."""


def move(
    evacuation: Evacuation, progress: Callable[[int], None] | None = None
) -> EvacuationOutcome:
    """Move everything, message by message; ``progress`` is told how many bytes have been moved."""
    return _Moving(evacuation).run(progress)


@final
class _Moving:
    """The systems of an evacuation, and what runs on them, at the moment of the first command."""

    def __init__(self, evacuation: Evacuation) -> None:
        collection = evacuation.collection
        self._evacuation = evacuation
        self._systems = make_systems(collection, collection.systems, lambda _: evacuation.link)
        reach = {
            source: () if evacuation.bound else partners_of(collection, source, evacuation.sources)
            for source in evacuation.sources
        }
        targets = Targets(reach, evacuation.room)
        self._queues = [
            RelocationQueue(
                source,
                [
                    (tenant.plan, tenant.to)
                    for tenant in evacuation.tenants
                    if tenant.source == source
                ],
                evacuation.together,
                evacuation.window,
                targets,
            )
            for source in evacuation.sources
        ]
        self._begin_ns = WARMUP_NS if evacuation.loads else 0
        self._clients: dict[str, list[CountedProgram]] = {}
        """Of each link with other traffic."""
        self._departures: dict[tuple[NodeName, NodeName], Departures] = {}
        programs: Programs = defaultdict(list)
        for link in collection.links:
            self._add_programs(programs, link)
        self._engine = VirtualEngine(self._systems, place(programs, self._systems))
        self._engine.run(self._begin_ns)

    def _add_programs(self, programs: Programs, link: Layout) -> None:
        """What runs at both ends of a link."""
        evacuation, nodes = self._evacuation, link.nodes
        for queue in self._queues:
            source = queue.source
            to = nodes[source == nodes[0]]
            if source not in nodes or to in evacuation.sources:
                continue
            departures = self._departures[source, to] = Departures(queue, to)
            count = GUESTS_MAX * (evacuation.window + 1)
            programs[source, to].append((departures, count))
            programs[to, source].append((Arrivals(evacuation.window), count))
        loads = [each for each in evacuation.loads if {each.client, each.server} == {*nodes}]
        made = programs_of(loads, GuestCosts(), f"background {evacuation.seed}")
        for load, clients, servers, count in made:
            counted = CountedProgram(clients, self._begin_ns)
            self._clients.setdefault(link.name, []).append(counted)
            programs[load.client, load.server].append((counted, count))
            programs[load.server, load.client].append((servers, count))

    def run(self, progress: Callable[[int], None] | None) -> EvacuationOutcome:
        """Let all guests leave; what came of them, and of what was beside them."""
        begin_ns, engine = self._begin_ns, self._engine
        lengths = self._lengths()
        ends = [self._end(*way) for way in self._departures]
        seen = [(end, end.snapshot(begin_ns)) for end in ends]
        responses = self._leave(progress)
        engine.run(max(engine.now_ns, begin_ns + 1))  # also where all ended as it began
        devices = tuple(
            DeviceSeen(end.name, end.partner, each.rdev, each.io_per_s, each.busy_percent)
            for end, before in seen
            for each in measure(end.name, before, end.snapshot(engine.now_ns)).devices
        )
        begun = [(guest, queue) for queue in self._queues for guest in queue.begun]
        guests = tuple(
            self._evacuated(guest, queue) for guest, queue in sorted(begun, key=_begin_ns)
        )
        meanwhile = tuple(self._meanwhile(link, before, guests) for link, before in lengths.items())
        return EvacuationOutcome(self._evacuation, guests, devices, responses, meanwhile)

    def _leave(self, progress: Callable[[int], None] | None) -> tuple[Response, ...]:
        """Let all guests leave, each by the link to its destination; what orders came to.

        Limits and orders are kept to the nanosecond.
        """
        engine, queues, departures = self._engine, self._queues, self._departures
        first, *_ = queues
        source = next(each for each in self._systems if each.name == first.source)
        hardware = Hardware(self._evacuation.collection, engine)
        operator = Operator(
            self._evacuation.orders, first, source, departures.values(), self._begin_ns, hardware
        )
        while True:
            for queue in queues:
                while (to := queue.next_to) is not None:
                    if messages := departures[queue.source, to].begin_waiting(engine.now_ns):
                        engine.offer(queue.source, to, messages)
            if all(queue.over for queue in queues):
                break
            going = [guest for queue in queues for guest in queue.going]
            due = [guest.deadline_ns for guest in going]
            if operator.due_ns is not None:
                due.append(operator.due_ns)
            engine.run(min(engine.now_ns + SLICE_NS, *due))
            for guest in (guest for queue in queues for guest in queue.going):
                guest.expire(engine.now_ns)
            operator.act(engine.now_ns)
            engine.drain()
            if progress is not None:
                progress(sum(guest.moved_length for queue in queues for guest in queue.begun))
        operator.end()
        return tuple(operator.responses)

    def _evacuated(self, guest: Guest, queue: RelocationQueue) -> Evacuated:
        """What became of a guest, in times since the first command."""
        moved, begin_ns = guest.moved, self._begin_ns
        passes = tuple(
            replace(each, begin_ns=each.begin_ns - begin_ns, end_ns=each.end_ns - begin_ns)
            for each in moved.passes
        )
        return Evacuated(
            *(moved.plan, passes, moved.end),
            source=queue.source,
            meant=queue.meant[guest],
            to=queue.destination(guest),
        )

    def _end(self, node: NodeName, partner: NodeName) -> LinkEnd:
        return next(
            end
            for system in self._systems
            for end in system.ends
            if (end.name, end.partner) == (node, partner)
        )

    def _lengths(self) -> dict[str, int]:
        """Bytes that each link with other traffic has carried so far, both ways."""
        nodes = {name: self._evacuation.collection.link(name).nodes for name in self._clients}
        return {
            name: sum(
                self._end(*way).link.counters.write_length for way in ((one, other), (other, one))
            )
            for name, (one, other) in nodes.items()
        }

    def _meanwhile(self, name: str, before: int, guests: tuple[Evacuated, ...]) -> OtherTraffic:
        """What the other traffic got; what the guests moved over a link is taken off."""
        nodes = {*self._evacuation.collection.link(name).nodes}
        moved = sum(guest.length for guest in guests if {guest.source, guest.to} == nodes)
        seconds = (self._engine.now_ns - self._begin_ns) / NS_PER_S
        rate = (self._lengths()[name] - before - moved) / seconds / MIB
        count = sum(each.count for each in self._clients[name])
        return OtherTraffic(name, Rate(max(0.0, rate)), count / seconds)


def _begin_ns(begun: tuple[Guest, RelocationQueue]) -> int:
    return begun[0].begin_ns
