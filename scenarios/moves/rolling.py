"""Rolling maintenance: one system after the other is left by all its guests, and gets them back.

Each turn is two evacuations (`scenarios.moves.evacuation`): of the system, and then of its guests
from where they went. How long the maintenance itself takes is not in it. A guest that could not be
moved stays where it is, and is said; a system that some did not leave is not empty.

Hardware that is lost meanwhile stays lost. Guests that wait for a link that dies go elsewhere, but
nowhere but home on their way back. A system that is left later is left by the links that there are;
if not all its guests have a place then, none leaves.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from msgspec import Struct, structs

from isfc.errors import ConfigurationError
from isfc.errors.in_words import listed
from isfc.layout.checked_toml import within
from isfc.layout.collection import Collection
from isfc.layout.loss import collection_without, known_pieces, places_of, spelt
from isfc.link.name import NodeName
from scenarios.moves.evacuation import (
    GUESTS_MAX,
    Evacuation,
    EvacuationOutcome,
    GuestsLeaving,
    move,
)
from scenarios.moves.leaving import Placed, Tenant, place_guests, rooms
from scenarios.moves.orders import LOSE, NOT_GIVEN, RelocationOrder, Response, lost_in_words
from scenarios.moves.relocation import Evacuated
from scenarios.runs.experiment import NS_PER_S

_AWAY: Final = "away"
_BACK: Final = "back"
_GONE: Final = "Nothing of it was left."


@dataclass(frozen=True, slots=True)
class Rolling(GuestsLeaving):
    """Systems that are left in turn, and all guests of the cluster, each with its ``source``."""

    order: tuple[NodeName, ...]
    tenants: tuple[Tenant, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.tenants) <= GUESTS_MAX:
            raise ConfigurationError(
                f"guests {len(self.tenants)}: expected 1 to {GUESTS_MAX} of them"
            )
        names = [tenant.plan.name for tenant in self.tenants]
        for tenant in self.tenants:
            if names.count(tenant.plan.name) > 1:
                raise ConfigurationError(f"{tenant.plan.name}: there twice; expected each once")
            if tenant.source is None:
                raise ConfigurationError(f"{tenant.plan.name}: from: not said; expected a system")
        if not {tenant.source for tenant in self.tenants} & {*self.order}:
            raise ConfigurationError(
                f"no guest is at {listed(self.order, 'or')}; expected one at least"
            )
        for order in self.orders:
            if order.verb != LOSE:
                raise ConfigurationError("at: commands of one system; expected LOSE PIECE")
            places_of(order.command, self.collection)
        for system in self.order:
            self.placed(self.collection, self.leaving(system, {}), rooms(self.collection))

    def leaving(self, system: NodeName, moved: Mapping[str, NodeName]) -> list[Tenant]:
        """The guests of a system; ``moved`` says which are no longer at home."""
        return [
            replace(tenant, source=system)
            for tenant in self.tenants
            if moved.get(tenant.plan.name, tenant.source) == system
        ]

    def placed(
        self, collection: Collection, leaving: Sequence[Tenant], room: Mapping[NodeName, int]
    ) -> tuple[Placed, ...]:
        """Where the guests of a system go, over the links that there are."""
        if not leaving:
            return ()
        system = leaving[0].source
        assert system is not None
        with within(f"when {system} is left"):
            return place_guests(collection, (system,), leaving, room)


class Turn(Struct, frozen=True):
    """One system's guests away, or back again: ``way`` is ``away`` or ``back``.

    ``outcome`` is None if there was nobody to move. ``evacuation`` is what was run. ``without_way``
    names guests that did not begin, as a link or a place was missing.
    """

    system: NodeName
    way: str
    evacuation: Evacuation | None
    outcome: EvacuationOutcome | None
    without_way: tuple[str, ...] = ()

    @property
    def guests(self) -> tuple[Evacuated, ...]:
        """Those that began."""
        return () if self.outcome is None else self.outcome.guests

    @property
    def seconds(self) -> float:
        """From the first command until the last guest has arrived."""
        return 0.0 if self.outcome is None else self.outcome.seconds

    @property
    def longest_stop_s(self) -> float:
        """How long the guest that was stopped longest was stopped."""
        return 0.0 if self.outcome is None else self.outcome.longest_stop_s


class RollingOutcome(Struct, frozen=True):
    """All turns, in order: each system away, and back again; and what hardware was lost when."""

    turns: tuple[Turn, ...]
    responses: tuple[Response, ...] = ()

    @property
    def seconds(self) -> float:
        """Of all moves, without the maintenance itself."""
        return sum(turn.seconds for turn in self.turns)

    @property
    def longest_stop_s(self) -> float:
        """How long the guest that was stopped longest was stopped."""
        return max(turn.longest_stop_s for turn in self.turns)


def roll(rolling: Rolling, progress: Callable[[int], None] | None = None) -> RollingOutcome:
    """Make all turns; ``progress`` is told how many bytes have been moved."""
    return _Maintenance(rolling, progress).run()


class _Maintenance:
    """A rolling maintenance, and how far it is."""

    def __init__(self, rolling: Rolling, progress: Callable[[int], None] | None) -> None:
        self._rolling = rolling
        self._progress = progress
        self._collection = rolling.collection
        """What is left of it."""
        self._orders = sorted(rolling.orders, key=lambda order: order.at_ns)
        self._responses: list[Response] = []
        self._room = rooms(rolling.collection)
        self._moved: dict[str, NodeName] = {}
        self._now_ns = 0
        self._over = 0

    def run(self) -> RollingOutcome:
        """All turns."""
        turns: list[Turn] = []
        for system in self._rolling.order:
            away = self._leave(system)
            turns += [away, self._return(system, away)]
        self._responses += (Response(o.at_ns / NS_PER_S, o.text, NOT_GIVEN) for o in self._orders)
        return RollingOutcome(tuple(turns), tuple(self._responses))

    def _leave(self, system: NodeName) -> Turn:
        self._lose_due()
        leaving = self._rolling.leaving(system, self._moved)
        try:
            placed = self._rolling.placed(self._collection, leaving, self._room)
        except ConfigurationError:  # a link that has died takes its place
            return Turn(system, _AWAY, None, None, tuple(each.plan.name for each in leaving))
        return self._turn(system, _AWAY, placed)

    def _return(self, system: NodeName, away: Turn) -> Turn:
        self._lose_due()
        gone = [each for each in away.guests if each.moved]
        links = [{*link.nodes} for link in self._collection.links]
        home = [Placed(each.plan, each.to, system) for each in gone if {each.to, system} in links]
        cut = [each.plan.name for each in gone if {each.to, system} not in links]
        return structs.replace(self._turn(system, _BACK, home), without_way=tuple(cut))

    def _lose_due(self) -> None:
        """Lose between two turns what is to be lost by now."""
        while self._orders and self._orders[0].at_ns <= self._now_ns:
            order = self._orders.pop(0)
            told = lost_in_words(self._rolling.collection, order.command)
            self._responses.append(Response(order.at_ns / NS_PER_S, order.text, told=told))
            self._forget(order)

    def _forget(self, order: RelocationOrder) -> None:
        """Go on without a piece, and without the loss of what has gone with it."""
        self._collection = collection_without(self._collection, [order.command])
        known = known_pieces(self._collection.links, self._collection.cecs)
        gone = [each for each in self._orders if spelt(each.command, known) not in known]
        for each in gone:
            self._orders.remove(each)
            self._responses.append(Response(each.at_ns / NS_PER_S, each.text, told=_GONE))

    def _turn(self, system: NodeName, way: str, placed: Sequence[Placed]) -> Turn:
        if not placed:
            return Turn(system, way, None, None)
        links = [{*link.nodes} for link in self._collection.links]
        evacuation = Evacuation(
            self._collection,
            tuple(dict.fromkeys(each.source for each in placed)),
            tuple(placed),
            together=self._rolling.together,
            loads=tuple(
                each for each in self._rolling.loads if {each.client, each.server} in links
            ),
            orders=tuple(
                structs.replace(each, at_ns=each.at_ns - self._now_ns) for each in self._orders
            ),
            seed=self._rolling.seed,
            room=self._room,
            bound=way == _BACK,
        )
        tell, over = self._progress, self._over
        watched = None if tell is None else lambda length: tell(over + length)
        outcome = move(evacuation, watched)
        self._over += sum(guest.length for guest in outcome.guests)
        self._note_lost(outcome.responses)
        self._now_ns += round(outcome.seconds * NS_PER_S)
        for each in outcome.guests:
            if each.moved:
                self._moved[each.plan.name] = each.to
                if self._room:
                    self._room[each.source] += each.plan.memory.size
                    self._room[each.to] -= each.plan.memory.size
        return Turn(system, way, evacuation, outcome)

    def _note_lost(self, responses: Sequence[Response]) -> None:
        """Note what was lost in a turn; what was to be later is to be in another."""
        given = [response for response in responses if response.told != NOT_GIVEN]
        orders = [self._orders.pop(0) for _ in given]
        for order, response in zip(orders, given, strict=True):
            self._responses.append(structs.replace(response, at_s=order.at_ns / NS_PER_S))
            self._forget(order)
