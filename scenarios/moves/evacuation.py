"""Moves: guests are relocated from some systems to others, as before maintenance.

Each guest is relocated over the link to its destination; of each system that is left so many go on
at the same time, on whichever links. All links of the file run, with other traffic if it is wanted,
which runs for a warm-up before the first guest leaves. A relocation is the same over one link. It
lasts as long as its guests take. Between two machines a link is on the slower one.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Final, Self, final

from msgspec import Struct
from msgspec.structs import replace

from ctc.address import format_rdev
from ctc.queues import NEVER_NS
from isfc.engine.virtual import VirtualEngine
from isfc.errors import ConfigurationError
from isfc.errors.in_words import check_between, listed
from isfc.layout.collection import Collection
from isfc.layout.definition import on_slower_machines
from isfc.layout.layout import Layout
from isfc.layout.loss import places_of
from isfc.layout.sharing import only
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.reports.figure import Note
from scenarios.moves import leaving
from scenarios.moves.clock import GuestClock
from scenarios.moves.guest import GuestPlan, moves_notes
from scenarios.moves.orders import LOSE, Hardware, Operator, RelocationOrder, Response
from scenarios.moves.relocation import Evacuated, Guest, WouldMove
from scenarios.moves.repeated import CountedProgram, CountOf, Repeated
from scenarios.runs.experiment import NS_PER_S, WARMUP_NS, check_node
from scenarios.runs.guests import GuestCosts, guests_on
from scenarios.runs.result import MIB
from scenarios.runs.run import Programs, make_systems, place, programs_of
from scenarios.runs.steady import Rate
from scenarios.runs.workload import LinkLoad, Workload


class DeviceSeen(Struct, frozen=True):
    """A CTC as the system saw it that guests leave."""

    system: str
    partner: str
    rdev: str
    io_per_s: float
    busy_percent: float


GUESTS_MAX: Final = 500
TOGETHER_MAX: Final = 16
WINDOW_MAX: Final = 1_000

WINDOW: Final = 100
"""Memory messages of a guest outstanding. Assumed: what 50 pairs of HL keep outstanding, with which
IBM measured. CP has two buffers more, which are filled (published: CP control block GSBBK)."""


@dataclass(frozen=True, slots=True)
class GuestsLeaving:
    """Guests leave systems, ``together`` of each at the same time.

    ``loads`` are other traffic meanwhile, on any link, and ``orders`` hardware that is lost, at
    times since the first guest began.
    """

    collection: Collection
    _: KW_ONLY
    together: int = 1
    loads: tuple[LinkLoad, ...] = ()
    orders: tuple[RelocationOrder, ...] = ()
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Evacuation(GuestsLeaving):
    """What is to be moved away from ``sources``.

    ``orders`` are commands at the one source, too. ``window`` messages of a guest are outstanding.
    ``room`` is what each system has room for, empty if that is not known. If guests are ``bound``,
    they go nowhere else when the link to their destination dies.
    """

    sources: tuple[NodeName, ...]
    tenants: tuple[leaving.Placed, ...]
    _: KW_ONLY
    window: int = WINDOW
    link: LinkParameters = field(default_factory=LinkParameters)
    room: Mapping[NodeName, int] = field(default_factory=dict, hash=False)
    bound: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "collection", on_slower_machines(self.collection))
        check_between("guests", len(self.tenants), 1, GUESTS_MAX)
        check_between("together", self.together, 1, TOGETHER_MAX)
        check_between("window", self.window, 1, WINDOW_MAX)
        for order in self.orders:
            if order.verb == LOSE:
                places_of(order.command, self.collection)
            elif len(self.sources) > 1:
                raise ConfigurationError("at: commands of one system; expected one system to leave")
        for tenant in self.tenants:
            self.collection.between(tenant.source, tenant.to)

    @classmethod
    def over(
        cls,
        layout: Layout,
        guests: Sequence[GuestPlan],
        *,
        source: NodeName | None = None,
        background: tuple[Workload, int] | None = None,
        file: Collection | None = None,
        together: int = 1,
        orders: tuple[RelocationOrder, ...] = (),
        window: int = WINDOW,
        seed: int = 1,
    ) -> Self:
        """A relocation over one link, from its first node if ``source`` is None.

        ``background`` is a workload and how many pairs run it meanwhile, clients on the source.
        ``file`` is what the link is of: its machines and memory count.
        """
        check_node(layout, "source", source)
        begin, end = layout.nodes if source != layout.nodes[1] else layout.nodes[::-1]
        collection = Collection.of(layout) if file is None else only(file, layout)
        room = leaving.rooms(collection)
        tenants = leaving.place_guests(
            collection, (begin,), [leaving.Tenant(plan, to=end) for plan in guests], room
        )
        loads = () if background is None else (LinkLoad(begin, end, *background),)
        return cls(
            *(collection, (begin,), tenants),
            together=together,
            loads=loads,
            orders=orders,
            window=window,
            seed=seed,
            room=room,
        )

    @property
    def name(self) -> str:
        """The systems that are left."""
        return listed(self.sources)

    @property
    def destination(self) -> str:
        """The systems that guests go to."""
        return listed([*dict.fromkeys(tenant.to for tenant in self.tenants)])

    @property
    def plans(self) -> tuple[GuestPlan, ...]:
        """The guests, in their order."""
        return tuple(tenant.plan for tenant in self.tenants)

    def loads_of(self, link: str) -> tuple[LinkLoad, ...]:
        """The other traffic of a link, by its name."""
        nodes = {*self.collection.link(link).nodes}
        return tuple(load for load in self.loads if {load.client, load.server} == nodes)


class OtherTraffic(Struct, frozen=True):
    """Of one link's other traffic: MB/s (2^20) both ways, and exchanges/s that clients ended."""

    link: str
    rate: Rate
    exchanges_per_s: float


class EvacuationOutcome(Struct, frozen=True):
    """What became of every guest, in the order in which they began, and of what was beside them.

    ``devices`` are the CTCs as the systems that were left saw them, from the first command on.
    ``meanwhile`` is what each link's other traffic got. What it gets without guests, ``alone``, and
    of each guest that a limit ended what would let it be moved, are there of moves that were made
    by `scenarios.moves.compared`.
    """

    evacuation: Evacuation
    guests: tuple[Evacuated, ...]
    devices: tuple[DeviceSeen, ...] = ()
    responses: tuple[Response, ...] = ()
    meanwhile: tuple[OtherTraffic, ...] = ()
    alone: tuple[OtherTraffic, ...] = ()
    would_move: tuple[WouldMove | None, ...] = ()

    @property
    def seconds(self) -> float:
        """From the first command until the last guest has arrived, or was given up."""
        return max(guest.end_ns for guest in self.guests) / NS_PER_S

    @property
    def longest_stop_s(self) -> float:
        """How long the guest that was stopped longest was stopped."""
        return max(guest.quiesced_seconds for guest in self.guests)

    @property
    def stayed(self) -> tuple[Evacuated, ...]:
        """The guests that do not run at their destinations."""
        return tuple(guest for guest in self.guests if not guest.moved)

    @property
    def all_moved(self) -> bool:
        """Whether every guest runs at its destination."""
        return not self.stayed

    @property
    def mb_per_s(self) -> float:
        """What all guests together were moved with, in MB/s (2^20)."""
        return sum(guest.length for guest in self.guests) / max(1e-9, self.seconds) / MIB

    @property
    def notes(self) -> tuple[Note, ...]:
        """What belongs to these figures, such as that the model is extrapolated."""
        asked = self.evacuation
        passes = [each for guest in self.guests for each in guest.passes if each.seconds]
        fastest = max((each.length / each.seconds / MIB for each in passes), default=0.0)
        return moves_notes(asked.collection, asked.plans, asked.loads, fastest)

    @property
    def advice(self) -> tuple[WouldMove | None, ...]:
        """What would let each guest be moved, None of each where nothing is known of that."""
        return self.would_move or (None,) * len(self.guests)


SLICE_NS: Final = 5_000_000
"""How long another link's guest waits at most to begin: far less than it takes (chosen)."""


def move(
    evacuation: Evacuation, progress: Callable[[int], None] | None = None
) -> EvacuationOutcome:
    """Move everything; ``progress`` is told how many bytes have been moved."""
    return _Moving(evacuation).run(progress)


@final
class _Moving:
    """The systems of an evacuation, and what runs on them, at the moment of the first command."""

    def __init__(self, evacuation: Evacuation) -> None:
        collection = evacuation.collection
        self._evacuation = evacuation
        self._systems = make_systems(collection, collection.systems, lambda _: evacuation.link)
        ends = (end for system in self._systems for end in system.ends)
        self._ends = {(end.name, end.partner): end for end in ends}
        reach = {
            source: ()
            if evacuation.bound
            else leaving.partners_of(collection, source, evacuation.sources)
            for source in evacuation.sources
        }
        targets = leaving.Targets(reach, evacuation.room)
        self._begin_ns = WARMUP_NS if evacuation.loads else 0
        self._clock = GuestClock(self._begin_ns)
        self._queues: list[leaving.RelocationQueue] = []
        for source in evacuation.sources:
            own = [(each.plan, each.to) for each in evacuation.tenants if each.source == source]
            many = evacuation.together, evacuation.window
            queue = leaving.RelocationQueue(source, own, *many, targets, self._clock)
            self._queues.append(queue)
        self._clients: dict[Layout, list[CountedProgram]] = {}
        """Of each link with other traffic."""
        self._departures: dict[tuple[NodeName, NodeName], leaving.Departures] = {}
        programs: Programs = defaultdict(list)
        for link in collection.links:
            self._add_programs(programs, link)
        self._engine = VirtualEngine(self._systems, place(programs, self._systems))
        self._engine.run(self._begin_ns)
        self._repeated = Repeated(
            collection.links, self._ends, self._departures, self._clients, self._clock
        )

    def _add_programs(self, programs: Programs, link: Layout) -> None:
        """What runs at both ends of a link."""
        evacuation, nodes = self._evacuation, link.nodes
        for queue in self._queues:
            source = queue.source
            to = nodes[source == nodes[0]]
            if source not in nodes or to in evacuation.sources:
                continue
            departures = self._departures[source, to] = leaving.Departures(queue, to)
            count = GUESTS_MAX * (evacuation.window + 1)
            programs[source, to].append((departures, count))
            programs[to, source].append((leaving.Arrivals(evacuation.window), count))
        loads = [each for each in evacuation.loads if {each.client, each.server} == {*nodes}]

        def costs(load: LinkLoad) -> GuestCosts:
            return guests_on(GuestCosts(), link.machine(load.client), link.machine(load.server))

        made = programs_of(loads, costs, f"background {evacuation.seed}")
        for load, clients, servers, count in made:
            counted = CountedProgram(clients, self._begin_ns)
            self._clients.setdefault(link, []).append(counted)
            programs[load.client, load.server].append((counted, count))
            programs[load.server, load.client].append((servers, count))

    def run(self, progress: Callable[[int], None] | None) -> EvacuationOutcome:
        """Let all guests leave; what came of them, and of what was beside them."""
        begin_ns, engine = self._begin_ns, self._engine
        before = self._repeated.counts(begin_ns)
        responses = self._leave(progress)
        engine.run(max(engine.now_ns, begin_ns + 1))  # also where all ended as it began
        seconds = (self._now_ns - begin_ns) / NS_PER_S
        after = self._repeated.counts(engine.now_ns)
        per_s = {what: (after[what] - before[what]) / seconds for what in after}
        devices = tuple(
            DeviceSeen(
                *(*way, format_rdev(rdev), per_s[CountOf.IO, way, rdev]),
                per_s[CountOf.SERVED_NS, way, rdev] / NS_PER_S * 100,
            )
            for way in self._departures
            for rdev in self._ends[way].ctcs
        )
        begun = [(guest, queue) for queue in self._queues for guest in queue.begun]
        begun.sort(key=lambda each: each[0].begin_ns)
        guests = tuple(self._evacuated(*each) for each in begun)
        meanwhile = tuple(self._meanwhile(link, per_s, guests) for link in self._clients)
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
                    if messages := departures[queue.source, to].begin_waiting(self._now_ns):
                        engine.offer(queue.source, to, messages)
            if all(queue.over for queue in queues):
                break
            going = [guest for queue in queues for guest in queue.going]
            due = [guest.deadline_ns for guest in going]
            if operator.due_ns is not None:
                due.append(operator.due_ns)
            due_ns = min(due, default=NEVER_NS)
            engine.run(min(engine.now_ns + SLICE_NS, self._clock.engine_ns(due_ns)))
            self._repeated.look(engine.now_ns)
            for guest in (guest for queue in queues for guest in queue.going):
                guest.expire(self._now_ns)
            operator.act(self._now_ns)
            engine.drain()
            self._repeated.go_on(engine.now_ns, due_ns, len(operator.responses))
            if progress is not None:
                progress(sum(guest.moved_length for queue in queues for guest in queue.begun))
        operator.end()
        return tuple(operator.responses)

    def _evacuated(self, guest: Guest, queue: leaving.RelocationQueue) -> Evacuated:
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
            share=1
            - min(1.0, self._repeated.lost_ns[guest] / max(1, moved.end_ns - moved.begin_ns)),
        )

    @property
    def _now_ns(self) -> int:
        """The time of guests."""
        return self._clock.time_ns(self._engine.now_ns)

    def _meanwhile(
        self, link: Layout, per_s: Mapping[Hashable, float], guests: tuple[Evacuated, ...]
    ) -> OtherTraffic:
        """What the other traffic got; what the guests moved over a link is taken off."""
        moved = sum(guest.length for guest in guests if {guest.source, guest.to} == {*link.nodes})
        moved_per_s = moved / (self._now_ns - self._begin_ns) * NS_PER_S
        rate = (per_s[CountOf.CARRIED, link.nodes] - moved_per_s) / MIB
        return OtherTraffic(link.name, Rate(max(0.0, rate)), per_s[CountOf.EXCHANGES, link.nodes])
