"""Moves: guests are relocated from some systems to others, as before maintenance.

Each guest is relocated over the link to its destination; of each system that is left so many go on
at the same time, on whichever links. All links of the file run, with other traffic if it is wanted.
A relocation is the same over one link: `Evacuation.over`.

It lasts as long as its guests take. So it is not run until something is steady: the time is the
figure. `scenarios.moves.moving` runs it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING, Final, Self

from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.layout.in_words import check_between, listed
from isfc.layout.layout import Layout
from isfc.layout.loss import places_of
from isfc.layout.note import Note
from isfc.layout.sharing import only
from isfc.layout.whole import find_link
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from scenarios.moves.guest import GuestPlan, Moved
from scenarios.moves.notes import moves_notes
from scenarios.moves.orders import LOSE, Order, Response
from scenarios.moves.record import DeviceSeen, WouldMove
from scenarios.moves.targets import Placed, Tenant, place_guests, rooms
from scenarios.runs.experiment import NS_PER_S, check_node
from scenarios.runs.result import MIB
from scenarios.runs.steady import Rate
from scenarios.runs.workload import LinkLoad, Workload

if TYPE_CHECKING:
    from scenarios.moves.figures import MovesFigures

GUESTS_MAX: Final = 500
TOGETHER_MAX: Final = 16
WINDOW_MAX: Final = 1_000

WINDOW: Final = 100
"""Memory messages of a guest outstanding. Assumed: what 50 pairs of HL keep outstanding, with which
IBM measured what links carry. CP has two buffers more than that (published: CP control block
GSBBK), which are being filled; how many messages are outstanding is not published."""


@dataclass(frozen=True, slots=True)
class Evacuation:
    """What is to be moved away from ``sources``; ``together`` guests of each at the same time.

    ``loads`` are other traffic meanwhile, on any link, and ``orders`` commands at the one source,
    or hardware that is lost. ``window`` messages of a guest are outstanding. ``room`` is what each
    system has room for, empty if that is not known. If guests are ``bound``, they go nowhere else
    when the link to their destination dies.
    """

    collection: Collection
    sources: tuple[NodeName, ...]
    tenants: tuple[Placed, ...]
    _: KW_ONLY
    together: int = 1
    loads: tuple[LinkLoad, ...] = ()
    orders: tuple[Order, ...] = ()
    window: int = WINDOW
    seed: int = 1
    link: LinkParameters = field(default_factory=LinkParameters)
    room: Mapping[NodeName, int] = field(default_factory=dict, hash=False)
    bound: bool = False

    def __post_init__(self) -> None:
        check_between("guests", len(self.tenants), 1, GUESTS_MAX)
        check_between("together", self.together, 1, TOGETHER_MAX)
        check_between("window", self.window, 1, WINDOW_MAX)
        for order in self.orders:
            if order.verb == LOSE:
                places_of(order.command, self.collection)
            elif len(self.sources) > 1:
                raise ConfigurationError("at: commands of one system; expected one system to leave")
        for tenant in self.tenants:
            find_link(self.collection, tenant.source, tenant.to)

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
        orders: tuple[Order, ...] = (),
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
        room = rooms(collection)
        tenants = place_guests(
            collection, (begin,), [Tenant(plan, to=end) for plan in guests], room
        )
        loads = () if background is None else (LinkLoad(begin, end, *background),)
        return cls(
            collection,
            (begin,),
            tenants,
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

    def with_plans(self, plans: Sequence[GuestPlan]) -> "Evacuation":
        """The same with other guests in the places of its own."""
        placed = (
            replace(tenant, plan=plan) for tenant, plan in zip(self.tenants, plans, strict=True)
        )
        return replace(self, tenants=tuple(placed))


@dataclass(frozen=True, slots=True)
class Evacuated(Moved):
    """What became of one guest; times count from the first command.

    ``to`` is where it went, which is not ``meant`` if the link there died while it waited.
    """

    _: KW_ONLY
    source: NodeName
    meant: NodeName
    to: NodeName

    @property
    def elsewhere(self) -> bool:
        """Whether it went to another system than it was to."""
        return self.to != self.meant

    @property
    def begin_s(self) -> float:
        """When its first pass began."""
        return self.begin_ns / NS_PER_S

    @property
    def end_s(self) -> float:
        """When it ran at its destination, or was given up."""
        return self.end_ns / NS_PER_S


@dataclass(frozen=True, slots=True)
class OtherTraffic:
    """Of one link's other traffic: MB/s (2^20) both ways, and exchanges/s that clients ended."""

    link: str
    rate: Rate
    exchanges_per_s: float


@dataclass(frozen=True, slots=True)
class EvacuationOutcome:
    """What became of every guest, in the order in which they began, and of what was beside them.

    ``devices`` are the CTCs as the systems that were left saw them, from the first command on.
    ``meanwhile`` is what each link's other traffic got. What it gets without guests, ``alone``, and
    of each guest that a limit ended what would let it be moved, are there of moves that were made
    by `scenarios.moves.evacuated`.
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
    def moved_count(self) -> int:
        """How many guests run at their destination."""
        return sum(guest.moved for guest in self.guests)

    @property
    def all_moved(self) -> bool:
        """Whether every guest runs at its destination."""
        return self.moved_count == len(self.guests)

    @property
    def mb_per_s(self) -> float:
        """What all guests together were moved with, in MB/s (2^20)."""
        return sum(guest.length for guest in self.guests) / max(1e-9, self.seconds) / MIB

    @property
    def figures(self) -> "MovesFigures":
        """Seconds of all and of each guest, with their ranges."""
        from scenarios.moves.figures import moves_figures  # which moves guests again

        return moves_figures(self)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What belongs to these figures, such as that the model is extrapolated."""
        evacuation = self.evacuation
        passes = [each for guest in self.guests for each in guest.passes if each.seconds]
        fastest = max((each.length / each.seconds / MIB for each in passes), default=0.0)
        return moves_notes(evacuation.collection, evacuation.plans, evacuation.loads, fastest)

    @property
    def advice(self) -> tuple[WouldMove | None, ...]:
        """What would let each guest be moved, None of each where nothing is known of that."""
        return self.would_move or (None,) * len(self.guests)
