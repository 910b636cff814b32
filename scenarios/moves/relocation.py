"""Live guest relocation over a simulated link: what is to be moved, and what became of it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Final

from isfc.engine.program import Offer, Program
from isfc.engine.virtual import VirtualEngine
from isfc.errors import ConfigurationError
from isfc.layout.definition import define_link_end, make_fabric
from isfc.layout.layout import Layout
from isfc.layout.note import Note
from isfc.link.events import Delivered, LinkEvent
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.system.system import System
from scenarios.moves.guest import GuestPlan, Moved
from scenarios.moves.orders import Operator, Order, Response
from scenarios.moves.queue import Arrivals, Departures, RelocationQueue
from scenarios.runs.guests import Clients, GuestCosts, Servers
from scenarios.runs.notes import modelled
from scenarios.runs.published_range import beyond_measured, beyond_measured_run, beyond_rate_one_way
from scenarios.runs.run import MIB, NS_PER_S, DeviceResult, check_node, measure
from scenarios.runs.together import Together
from scenarios.runs.warmup import WARMUP_NS
from scenarios.runs.workload import Workload

WINDOW: Final = 100
"""Memory messages of a guest outstanding. Assumed: what 50 pairs of HL keep outstanding, with which
IBM measured what links carry. CP has two buffers more than that (published: CP control block
GSBBK), which are being filled; how many messages are outstanding is not published."""

WINDOW_MAX: Final = 1_000
GUESTS_MAX: Final = 16

SLICE_NS: Final = 5_000_000
"""How long it takes at most until a guest of another link begins: far less than a guest takes
(chosen)."""


@dataclass(frozen=True, slots=True)
class Relocation:
    """What is to be relocated over a link: ``guests`` in their order, ``together`` at a time.

    ``source`` is the node that the guests leave, the layout's first node if it is None.
    ``background`` is a workload and how many pairs run it meanwhile, clients on the source.
    ``orders`` are commands that are given meanwhile.
    The background runs as long as `scenarios.runs.warmup` says before the first relocation begins.
    """

    layout: Layout
    guests: tuple[GuestPlan, ...]
    together: int = 1
    source: NodeName | None = None
    background: tuple[Workload, int] | None = None
    orders: tuple[Order, ...] = ()
    window: int = WINDOW
    seed: int = 1
    link: LinkParameters = field(default_factory=LinkParameters)

    def __post_init__(self) -> None:
        check_node(self.layout, "source", self.source)
        for name, value, most in (
            ("guests", len(self.guests), GUESTS_MAX),
            ("together", self.together, GUESTS_MAX),
            ("window", self.window, WINDOW_MAX),
        ):
            if not 1 <= value <= most:
                raise ConfigurationError(f"{name} {value}: expected 1 to {most}")

    @property
    def way(self) -> tuple[NodeName, NodeName]:
        """From which node to which."""
        first, second = self.layout.nodes
        return (second, first) if self.source == second else (first, second)


@dataclass(frozen=True, slots=True)
class RelocationOutcome:
    """What became of every guest that began, of the background traffic, and of orders.

    ``background_per_s`` are its exchanges meanwhile. ``devices`` are the CTCs as the source saw
    them from the first command on.
    """

    guests: tuple[Moved, ...]
    seconds: float
    background_per_s: float | None
    devices: tuple[DeviceResult, ...]
    responses: tuple[Response, ...] = ()

    @property
    def all_moved(self) -> bool:
        """Whether every guest runs at its destination."""
        return all(guest.moved for guest in self.guests)

    @property
    def longest_stop_s(self) -> float:
        """How long the guest that was stopped longest was stopped."""
        return max(guest.quiesced_seconds for guest in self.guests)


class _Counted:
    """A program, and how many messages have been delivered to it since `begin_ns`."""

    def __init__(self, program: Program, begin_ns: int) -> None:
        self._program = program
        self._begin_ns = begin_ns
        self.count = 0

    def start(self, now_ns: int) -> Iterable[Offer]:
        """What the program offers."""
        return self._program.start(now_ns)

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Count, and pass on."""
        if isinstance(event, Delivered) and now_ns >= self._begin_ns:
            self.count += len(event.messages)
        return self._program.receive(event, now_ns)


def relocation_notes(relocation: Relocation, outcome: RelocationOutcome) -> tuple[Note, ...]:
    """Of a relocation, and of the traffic beside it."""
    layout, beside = relocation.layout, relocation.background
    unknown = beyond_measured(layout) if beside is None else beyond_measured_run(layout, *beside)
    passes = [each for guest in outcome.guests for each in guest.passes if each.seconds]
    fastest = max((each.length / each.seconds / MIB for each in passes), default=0.0)
    return modelled(layout, [*unknown, *beyond_rate_one_way(fastest)])


def relocate(
    relocation: Relocation, progress: Callable[[float], None] | None = None
) -> RelocationOutcome:
    """Relocate the guests over the simulated link, to the last byte.

    ``progress`` is told now and then how many bytes have been moved.
    """
    source, to = relocation.way
    fabric = make_fabric([relocation.layout])
    systems = [
        System([define_link_end(relocation.layout, name, relocation.link)], fabric=fabric)
        for name in (source, to)
    ]
    window = relocation.window
    queue = RelocationQueue([(plan, to) for plan in relocation.guests], relocation.together, window)
    departures = Departures(queue, to)
    programs: list[Program] = [departures, Arrivals(window)]
    begin_ns, clients = 0, None
    if relocation.background:
        begin_ns = WARMUP_NS
        workload, pairs = relocation.background
        random = Random(f"background {relocation.seed}")
        clients = _Counted(Clients(workload, pairs, GuestCosts(), random), begin_ns)
        servers = Servers(workload, pairs, GuestCosts())
        count = 2 * workload.window * pairs  # messages, and acknowledgements of replies
        own = len(relocation.guests) * (window + 1)
        programs = [
            Together([(programs[0], own), (clients, count)]),
            Together([(programs[1], own), (servers, count)]),
        ]
    engine = VirtualEngine(systems, programs)
    engine.run(begin_ns)
    before = systems[0].ends[0].snapshot(begin_ns)
    operator = Operator(relocation.orders, queue, systems[0], [departures], begin_ns)

    def tell() -> None:
        if progress is not None:
            progress(systems[0].ends[0].link.counters.write_length)

    move_all(engine, source, {to: departures}, queue, operator, tell)
    operator.end()
    engine.run(max(engine.now_ns, begin_ns + 1))  # also where all ended as it began
    guests = tuple(guest.moved for guest in queue.begun)
    seconds = (max(guest.passes[-1].end_ns for guest in guests) - begin_ns) / NS_PER_S
    per_s = None if clients is None else clients.count * NS_PER_S / (engine.now_ns - begin_ns)
    devices = measure(source, before, systems[0].ends[0].snapshot(engine.now_ns)).devices
    return RelocationOutcome(guests, seconds, per_s, devices, tuple(operator.responses))


def move_all(
    engine: VirtualEngine,
    source: NodeName,
    departures: Mapping[NodeName, Departures],
    queue: RelocationQueue,
    operator: Operator | None = None,
    tell: Callable[[], None] | None = None,
) -> None:
    """Let all guests leave ``source``, each by the link to its destination.

    ``tell`` is called now and then. Limits and orders are kept to the nanosecond.
    """
    while True:
        while (to := queue.next_to) is not None:
            if messages := departures[to].begin_waiting(engine.now_ns):
                engine.offer(source, to, messages)
        if queue.over:
            return
        due = [guest.deadline_ns for guest in queue.going]
        if operator is not None and operator.due_ns is not None:
            due.append(operator.due_ns)
        engine.run(min(engine.now_ns + SLICE_NS, *due))
        for guest in queue.going:
            guest.expire(engine.now_ns)
        if operator is not None:
            operator.act(engine.now_ns)
            engine.drain()
        if tell is not None:
            tell()
