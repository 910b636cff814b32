"""Evacuation: every guest of some systems is relocated to other members, before maintenance.

Each guest is relocated over the link to its destination; of each system that is left so many go on
at the same time, on whichever links. All links of the file run, with other traffic if it is wanted.
A relocation (`scenarios.moves.relocation`) is the same over one link.

It lasts as long as its guests take. So it is not run until something is steady: the time is the
figure. The other traffic runs for `scenarios.runs.warmup` before the first guest leaves; what it
carries without them is a rate, and known as `scenarios.runs.steady` knows rates, but from runs
that are no longer than the moves: what it got meanwhile is known no better.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, final

from msgspec import to_builtins
from msgspec.structs import asdict

from isfc.engine.virtual import VirtualEngine
from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.layout.in_words import listed
from isfc.layout.layout import Layout
from isfc.layout.lost import places_of
from isfc.layout.machines import find_link
from isfc.layout.shown import html_table
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.system.system import System
from scenarios.moves.guest import Moved
from scenarios.moves.orders import LOSE, Hardware, Operator, Order, Response
from scenarios.moves.queue import Arrivals, CountedProgram, Departures, RelocationQueue
from scenarios.moves.record import evacuated_json, pass_json, traffic_json
from scenarios.moves.targets import Placed, Targets, partners_of
from scenarios.runs.experiment import NS_PER_S, Experiment
from scenarios.runs.guests import GuestCosts
from scenarios.runs.result import MIB
from scenarios.runs.run import Programs, make_systems, place, programs_of
from scenarios.runs.steady import (
    BATCH_NS,
    BATCHES_MAX,
    BATCHES_MIN,
    Rate,
    steady_links,
    sum_of,
)
from scenarios.runs.warmup import WARMUP_NS
from scenarios.runs.workload import LinkLoad

GUESTS_MAX: Final = 500
AT_ONCE_MAX: Final = 16

WINDOW: Final = 100
"""Memory messages of a guest outstanding. Assumed: what 50 pairs of HL keep outstanding, with which
IBM measured what links carry. CP has two buffers more than that (published: CP control block
GSBBK), which are being filled; how many messages are outstanding is not published."""

SLICE_NS: Final = 5_000_000
"""How long it takes at most until a guest of another link begins: far less than a guest takes
(chosen)."""


@dataclass(frozen=True, slots=True)
class Evacuation:
    """What is to be moved away from ``sources``; ``at_once`` guests of each at the same time.

    ``loads`` are other traffic meanwhile, on any link, and ``orders`` commands at the one source,
    or hardware that is lost. ``room`` is what each system has room for, empty if that is not known.
    If guests are ``bound``, they go nowhere else when the link to their destination dies.
    """

    collection: Collection
    sources: tuple[NodeName, ...]
    tenants: tuple[Placed, ...]
    at_once: int = 1
    loads: tuple[LinkLoad, ...] = ()
    orders: tuple[Order, ...] = ()
    window: int = WINDOW
    seed: int = 1
    link: LinkParameters = field(default_factory=LinkParameters)
    room: Mapping[NodeName, int] = field(default_factory=dict, hash=False)
    bound: bool = False

    def __post_init__(self) -> None:
        if not 1 <= len(self.tenants) <= GUESTS_MAX:
            raise ConfigurationError(
                f"guests {len(self.tenants)}: expected 1 to {GUESTS_MAX} of them"
            )
        if not 1 <= self.at_once <= AT_ONCE_MAX:
            raise ConfigurationError(f"together {self.at_once}: expected 1 to {AT_ONCE_MAX}")
        for order in self.orders:
            if order.verb == LOSE:
                places_of(order.command, self.collection)
            elif len(self.sources) > 1:
                raise ConfigurationError("at: commands of one system; expected one system to leave")
        for tenant in self.tenants:
            find_link(self.collection, tenant.source, tenant.to)

    @property
    def name(self) -> str:
        """The systems that are left."""
        return listed(self.sources)


@dataclass(frozen=True, slots=True)
class Evacuated:
    """What became of one guest; times in seconds since the evacuation began.

    ``to`` is where it went, which is not ``meant`` if the link there died while it waited.
    """

    source: NodeName
    meant: NodeName
    to: NodeName
    begin_s: float
    moved: Moved

    @property
    def elsewhere(self) -> bool:
        """Whether it went to another system than it was to."""
        return self.to != self.meant

    @property
    def end_s(self) -> float:
        """When it ran at its destination, or was given up."""
        return self.begin_s + self.moved.seconds


@dataclass(frozen=True, slots=True)
class OtherTraffic:
    """MB/s (2^20), both ways, of one link's other traffic: without guests, and meanwhile."""

    link: str
    alone: Rate
    meanwhile_mb_per_s: float


@dataclass(frozen=True, slots=True, repr=False)
class EvacuationOutcome:
    """The schedule, in the order in which the guests began."""

    guests: tuple[Evacuated, ...]
    traffic: tuple[OtherTraffic, ...]
    responses: tuple[Response, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each pass of each guest, as a data frame takes them."""
        return [
            {
                "guest": guest.moved.plan.name,
                "from": guest.source,
                "to": guest.to,
                "pass": number,
                **asdict(pass_json(each)),
            }
            for guest in self.guests
            for number, each in enumerate(guest.moved.passes, start=1)
        ]

    def to_dict(self) -> dict[str, Any]:
        """What ``isfc evacuate --json`` prints of it; names and meanings of the keys stay."""
        record = {
            "seconds": self.seconds,
            "longest_stop_s": self.longest_quiesce_s,
            "longest_quiesce_s": self.longest_quiesce_s,
            "all_moved": self.all_moved,
            "guests": [*map(evacuated_json, self.guests)],
            "traffic": [*map(traffic_json, self.traffic)],
            "responses": self.responses,
        }
        found: dict[str, Any] = to_builtins(record, enc_hook=str)
        return found

    def __repr__(self) -> str:
        moved = sum(guest.moved.moved for guest in self.guests)
        return (
            f"<EvacuationOutcome {moved} of {len(self.guests)} guests: {self.seconds:.2f} s, "
            f"longest stop {self.longest_quiesce_s:.2f} s>"
        )

    def _repr_html_(self) -> str:
        """A row for each guest, for a notebook."""
        heads = ("guest", "to", "begins s", "s", "stop s", "end")
        rows = [
            (
                *(each.moved.plan.name, each.to, f"{each.begin_s:.2f}"),
                *(f"{each.moved.seconds:.2f}", f"{each.moved.quiesced_seconds:.2f}"),
                each.moved.end,
            )
            for each in self.guests
        ]
        return html_table("Evacuation", heads, rows)

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


def evacuate(
    evacuation: Evacuation,
    progress: Callable[[int], None] | None = None,
    *,
    compared: bool = True,
) -> EvacuationOutcome:
    """Move everything, message by message; ``progress`` is told how many guests are over.

    If it is ``compared``, the other traffic is run without the guests as well.
    """
    moving = Moving(evacuation)
    before = _lengths(moving.systems)
    queues, begin_ns = moving.queues, moving.begin_ns

    def tell() -> None:
        if progress is not None:
            progress(sum(len(queue.begun) - len(queue.going) for queue in queues))

    responses = moving.run(tell)
    seconds = max(1, moving.engine.now_ns - begin_ns) / NS_PER_S
    guests = tuple(
        Evacuated(
            queue.source,
            queue.meant[guest],
            queue.destination(guest),
            (guest.begin_ns - begin_ns) / NS_PER_S,
            guest.moved,
        )
        for guest, queue in sorted(
            ((guest, queue) for queue in queues for guest in queue.begun),
            key=lambda each: each[0].begin_ns,
        )
    )
    if not compared:
        return EvacuationOutcome(guests, (), responses)
    traffic = _meanwhile(evacuation, guests, before, _lengths(moving.systems), seconds)
    return EvacuationOutcome(guests, traffic, responses)


@final
class Moving:
    """The systems of an evacuation, and what runs on them, at the moment of the first command."""

    def __init__(self, evacuation: Evacuation) -> None:
        collection = evacuation.collection
        self._evacuation = evacuation
        self.systems = make_systems(collection, collection.systems, lambda _: evacuation.link)
        reach = {
            source: () if evacuation.bound else partners_of(collection, source, evacuation.sources)
            for source in evacuation.sources
        }
        targets = Targets(reach, evacuation.room)
        self.queues = [
            RelocationQueue(
                source,
                [
                    (tenant.plan, tenant.to)
                    for tenant in evacuation.tenants
                    if tenant.source == source
                ],
                evacuation.at_once,
                evacuation.window,
                targets,
            )
            for source in evacuation.sources
        ]
        self.begin_ns = WARMUP_NS if evacuation.loads else 0
        self.clients: list[CountedProgram] = []
        """Of the other traffic, link by link."""
        self._departures: dict[tuple[NodeName, NodeName], Departures] = {}
        programs: Programs = defaultdict(list)
        for link in collection.links:
            self._add_programs(programs, link)
        self.engine = VirtualEngine(self.systems, place(programs, self.systems))
        self.engine.run(self.begin_ns)

    def system(self, name: NodeName) -> System:
        """One of the systems."""
        return next(each for each in self.systems if each.name == name)

    def _add_programs(self, programs: Programs, link: Layout) -> None:
        """What runs at both ends of a link."""
        evacuation, nodes = self._evacuation, link.nodes
        for queue in self.queues:
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
            self.clients.append(CountedProgram(clients, self.begin_ns))
            programs[load.client, load.server].append((self.clients[-1], count))
            programs[load.server, load.client].append((servers, count))

    def run(self, tell: Callable[[], None]) -> tuple[Response, ...]:
        """Let all guests leave, each by the link to its destination; what orders came to.

        ``tell`` is called now and then. Limits and orders are kept to the nanosecond.
        """
        engine, queues, departures = self.engine, self.queues, self._departures
        orders, (first, *_) = self._evacuation.orders, queues
        source, hardware = self.system(first.source), Hardware(self._evacuation.collection, engine)
        operator = Operator(orders, first, source, departures.values(), self.begin_ns, hardware)
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
            tell()
        operator.end()
        return tuple(operator.responses)


def _batches(seconds: float) -> int:
    """How many batches the runs of the other traffic may have, beside moves that take so long."""
    return max(BATCHES_MIN, min(BATCHES_MAX, round(seconds * NS_PER_S / BATCH_NS)))


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
        name = "-".join(sorted((guest.source, guest.to)))
        moved[name] += guest.moved.length
    experiment = Experiment(evacuation.collection, evacuation.loads, seed=evacuation.seed)
    alone = steady_links(experiment, _batches(seconds))
    found = []
    for link in (each.layout for each in alone.experiment.each_alone):
        name = "-".join(sorted(link.nodes))
        rate = (after[name] - before[name] - moved[name]) / seconds / MIB
        found.append(OtherTraffic(link.name, sum_of(alone.rates[link.name]), max(0.0, rate)))
    return tuple(found)
