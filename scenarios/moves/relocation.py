"""Live guest relocation over a simulated link: what is to be moved, and what became of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.note import Note
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from scenarios.moves.evacuation import WINDOW, Evacuation, Moving
from scenarios.moves.guest import GuestPlan, Moved, large_guests
from scenarios.moves.orders import Order, Response
from scenarios.moves.targets import Placed
from scenarios.runs.experiment import NS_PER_S, check_node
from scenarios.runs.notes import modelled
from scenarios.runs.published_range import beyond_measured, beyond_measured_run, beyond_rate_one_way
from scenarios.runs.result import MIB, DeviceResult, measure
from scenarios.runs.workload import LinkLoad, Workload

WINDOW_MAX: Final = 1_000
GUESTS_MAX: Final = 16


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

    @property
    def evacuation(self) -> Evacuation:
        """The same as an evacuation over one link."""
        source, to = self.way
        tenants = tuple(Placed(plan, source, to) for plan in self.guests)
        loads = () if self.background is None else (LinkLoad(source, to, *self.background),)
        return Evacuation(
            Collection.of(self.layout),
            (source,),
            tenants,
            self.together,
            loads,
            self.orders,
            self.window,
            self.seed,
            self.link,
        )


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


def relocation_notes(relocation: Relocation, outcome: RelocationOutcome) -> tuple[Note, ...]:
    """Of a relocation, and of the traffic beside it."""
    layout, beside = relocation.layout, relocation.background
    unknown = beyond_measured(layout) if beside is None else beyond_measured_run(layout, *beside)
    passes = [each for guest in outcome.guests for each in guest.passes if each.seconds]
    fastest = max((each.length / each.seconds / MIB for each in passes), default=0.0)
    large = large_guests(relocation.guests)
    return (*modelled(layout, [*unknown, *beyond_rate_one_way(fastest)]), *large)


def relocate(
    relocation: Relocation, progress: Callable[[float], None] | None = None
) -> RelocationOutcome:
    """Relocate the guests over the simulated link, to the last byte.

    ``progress`` is told now and then how many bytes have been moved.
    """
    moving = Moving(relocation.evacuation)
    (queue,) = moving.queues
    engine, begin_ns, (end,) = moving.engine, moving.begin_ns, moving.system(queue.source).ends
    before = end.snapshot(begin_ns)

    def tell() -> None:
        if progress is not None:
            progress(end.link.counters.write_length)

    responses = moving.run(tell)
    engine.run(max(engine.now_ns, begin_ns + 1))  # also where all ended as it began
    guests = tuple(guest.moved for guest in queue.begun)
    seconds = (max(guest.passes[-1].end_ns for guest in guests) - begin_ns) / NS_PER_S
    counts = [each.count for each in moving.clients]
    per_s = sum(counts) * NS_PER_S / (engine.now_ns - begin_ns) if counts else None
    devices = measure(end.name, before, end.snapshot(engine.now_ns)).devices
    return RelocationOutcome(guests, seconds, per_s, devices, responses)
