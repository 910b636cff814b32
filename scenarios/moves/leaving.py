"""Guests that leave their systems: where each goes, who is next, and the programs of their links.

What each system has room for is told by its file, ``[memory.SYSTEM]``, or not at all: then guests
without a destination go to the partners in turn, and all are taken to fit. If a link dies, those
that wait for it go elsewhere, to a system that has a link and room.

So many are on their way at the same time, in their order, on whichever links. A link's two ends
run `Departures` and `Arrivals`; each guest has conversations of its own there.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import final

from msgspec import Struct

from isfc.errors import ConfigurationError
from isfc.errors.in_words import exact, first_listed, listed
from isfc.layout.collection import Collection
from isfc.link.events import Delivered, LinkDown, LinkEvent, LinkUp, Offer, Sent
from isfc.link.message import Message
from isfc.link.name import NodeName
from scenarios.moves.clock import GuestClock
from scenarios.moves.guest import GuestPlan
from scenarios.moves.relocation import COUNTS_LENGTH, Guest, RelocationEnd

_GIB = 2**30
_NAMED = 8
"""Guests that a message names."""


@dataclass(frozen=True, slots=True)
class Tenant:
    """A guest that is to leave, and where it goes, which is chosen if ``to`` is None.

    ``source`` is where it is, which is to be said where several systems are left.
    """

    plan: GuestPlan
    _: KW_ONLY
    to: NodeName | None = None
    source: NodeName | None = None


class Placed(Struct, frozen=True):
    """A guest that is to leave ``source``, and goes ``to``."""

    plan: GuestPlan
    source: NodeName
    to: NodeName


def rooms(collection: Collection) -> dict[NodeName, int]:
    """Bytes of guests that each system has room for; empty if the file does not say."""
    return {each.system: each.room for each in collection.memory}


def partners_of(
    collection: Collection, source: NodeName, sources: Iterable[NodeName]
) -> list[NodeName]:
    """The systems that a system has a link to, in the order of the file, and that are not left."""
    return [
        node
        for link in collection.links_of(source)
        for node in link.nodes
        if node not in (source, *sources)
    ]


def place_guests(
    collection: Collection,
    sources: Sequence[NodeName],
    tenants: Sequence[Tenant],
    room: Mapping[NodeName, int],
) -> tuple[Placed, ...]:
    """A destination for each guest, in their order.

    Without ``room`` the partners take turns. With it the largest guests are placed first, each
    where most room is left, or if some do not fit so, where it leaves least. Raises
    `ConfigurationError` that names the guests for which there is no room.
    """
    at = [_source_of(tenant, sources) for tenant in tenants]
    reach = {source: partners_of(collection, source, sources) for source in sources}
    for tenant, source in zip(tenants, at, strict=True):
        _check_reach(tenant, source, sources, reach[source])
    if not room:
        to = (
            tenant.to or reach[source][place % len(reach[source])]
            for place, (tenant, source) in enumerate(zip(tenants, at, strict=True))
        )
        return tuple(map(Placed, (tenant.plan for tenant in tenants), at, to))
    found, homeless, left = _placed(tenants, at, reach, room, most_left=True)
    if homeless:
        found, homeless, left = _placed(tenants, at, reach, room, most_left=False)
    if not homeless:
        to = (found[place] for place in range(len(tenants)))
        return tuple(map(Placed, (tenant.plan for tenant in tenants), at, to))
    names = first_listed(
        [f"{each.name} ({each.memory.size / _GIB:g} GiB)" for each in homeless], _NAMED
    )
    rest = ", ".join(f"{node} {exact(round(size / _GIB, 5))}" for node, size in left.items())
    raise ConfigurationError(
        f"no room for {names}; GiB that guests may still have beside the others there: {rest}; "
        "expected more in [memory.SYSTEM], or other guests"
    )


def _source_of(tenant: Tenant, sources: Sequence[NodeName]) -> NodeName:
    """Where a guest is, one of the systems that are left."""
    if tenant.source is None and len(sources) > 1:
        raise ConfigurationError(
            f"{tenant.plan.name}: from: not said; expected {listed(sources, 'or')}"
        )
    source = tenant.source or sources[0]
    if source not in sources:
        raise ConfigurationError(
            f"{tenant.plan.name}: from {source}: expected {listed(sources, 'or')}"
        )
    return source


def _check_reach(
    tenant: Tenant, source: NodeName, sources: Sequence[NodeName], reach: Sequence[NodeName]
) -> None:
    if not reach:
        raise ConfigurationError(
            f"{tenant.plan.name}: {source} has no link to a system that stays; expected fewer "
            f"systems than {listed(sources)}"
        )
    if tenant.to is not None and tenant.to not in reach:
        raise ConfigurationError(
            f"{tenant.plan.name}: to {tenant.to}: no link from {source} to it, or it is left too; "
            f"expected {listed(reach, 'or')}"
        )


def _placed(
    tenants: Sequence[Tenant],
    at: Sequence[NodeName],
    reach: Mapping[NodeName, Sequence[NodeName]],
    room: Mapping[NodeName, int],
    *,
    most_left: bool,
) -> tuple[dict[int, NodeName], list[GuestPlan], dict[NodeName, int]]:
    """Where guests go by their places, those that go nowhere, and what room is left."""
    left = {node: room[node] for nodes in reach.values() for node in nodes}
    found: dict[int, NodeName] = {}
    homeless: list[GuestPlan] = []
    # those with a destination first: nobody else is to take their room
    order = sorted(
        range(len(tenants)),
        key=lambda place: (tenants[place].to is None, -tenants[place].plan.memory.size),
    )
    for place in order:
        tenant = tenants[place]
        size = tenant.plan.memory.size
        to = reach[at[place]] if tenant.to is None else [tenant.to]
        fit = [node for node in to if left[node] >= size]
        if not fit:
            homeless.append(tenant.plan)
            continue
        chosen = (max if most_left else min)(fit, key=lambda node: left[node])
        found[place] = chosen
        left[chosen] -= size
    return found, homeless, left


class Targets:
    """Where the guests that wait go instead when the link to their destination dies.

    All systems that are left have one of it in common: they share the room.
    """

    def __init__(
        self, reach: Mapping[NodeName, Sequence[NodeName]], room: Mapping[NodeName, int]
    ) -> None:
        self._reach = reach
        self._room = room
        self._down: set[tuple[NodeName, NodeName]] = set()
        self._bound: dict[NodeName, set[Guest]] = defaultdict(set)
        """Of each destination the guests that go there or are there."""

    def bind(self, guest: Guest, to: NodeName) -> None:
        """Keep room for a guest that goes there."""
        self._bound[to].add(guest)

    def free(self, guest: Guest, to: NodeName) -> None:
        """A guest does not go there after all."""
        self._bound[to].discard(guest)

    def hear_link(self, source: NodeName, to: NodeName, *, down: bool) -> None:
        """A link is down, or up again."""
        (self._down.add if down else self._down.discard)((source, to))

    def instead(self, guest: Guest, source: NodeName) -> NodeName | None:
        """Another destination, that with most room or else fewest guests; None if there is none."""
        fit = [
            node
            for node in self._reach[source]
            if (source, node) not in self._down
            and (not self._room or self._left(node) >= guest.plan.memory.size)
        ]
        if self._room:
            return max(fit, key=self._left, default=None)
        return min(fit, key=lambda node: len(self._bound[node]), default=None)

    def _left(self, node: NodeName) -> int:
        return self._room[node] - sum(guest.plan.memory.size for guest in self._bound[node])


@final
class RelocationQueue:
    """Which guests wait, are on their way, and are over. At most ``together`` are on their way."""

    def __init__(
        self,
        source: NodeName,
        plans: Sequence[tuple[GuestPlan, NodeName]],
        together: int,
        window: int,
        targets: Targets,
        clock: GuestClock | None = None,
    ) -> None:
        self.source = source
        self._waiting = deque((Guest(plan, window), to) for plan, to in plans)
        self._together = together
        self._targets = targets
        self.begun: list[Guest] = []
        """In the order in which they began."""
        self._destinations: dict[Guest, NodeName] = {}
        self.clock = clock or GuestClock()
        self.meant = dict(self._waiting)
        """Where each was to go at first."""
        for guest, to in self._waiting:
            targets.bind(guest, to)

    @property
    def going(self) -> list[Guest]:
        """Those on their way."""
        return [guest for guest in self.begun if not guest.end]

    @property
    def over(self) -> bool:
        """Whether none waits, and none is on its way."""
        return not self._waiting and not self.going

    @property
    def next_to(self) -> NodeName | None:
        """Where the guest goes that may begin now; None if none may."""
        if not self._waiting or len(self.going) >= self._together:
            return None
        return self._waiting[0][1]

    def take(self) -> Guest:
        """That guest, which begins."""
        guest, to = self._waiting.popleft()
        self.begun.append(guest)
        self._destinations[guest] = to
        return guest

    def hear_link(self, to: NodeName, *, down: bool) -> None:
        """The link to a system is down, then those that wait go elsewhere; or it is up again."""
        self._targets.hear_link(self.source, to, down=down)
        if not down:
            return
        for guest, meant in self._destinations.items():
            if meant == to and guest.end is RelocationEnd.LINK:
                self._targets.free(guest, to)
        for _ in range(len(self._waiting)):
            guest, meant = self._waiting.popleft()
            other = self._targets.instead(guest, self.source) if meant == to else None
            if other is not None:
                self._targets.free(guest, meant)
                self._targets.bind(guest, other)
            self._waiting.append((guest, other or meant))

    def destination(self, guest: Guest) -> NodeName:
        """Where a guest goes that has begun."""
        return self._destinations[guest]


class Departures:
    """The program of one link end that guests leave by, to the system ``to``.

    While the link is down, who begins is over immediately, as who is on its way when it goes down.
    """

    def __init__(self, queue: RelocationQueue, to: NodeName) -> None:
        self._queue = queue
        self._to = to
        self.guests: list[Guest] = []
        """All that have begun by this link."""
        self._down = False
        self.was_up = False
        """Whether the link has come up since it began."""

    def start(self, now_ns: int) -> Iterable[Offer]:
        """Nobody leaves yet."""
        return ()

    def begin_waiting(self, now_ns: int) -> list[Message]:
        """Let those begin that may, and return what they send first."""
        messages: list[Message] = []
        while self._queue.next_to == self._to:
            guest = self._queue.take()
            self.guests.append(guest)
            first = guest.begin(now_ns)
            if self._down:
                guest.lose_link(now_ns)
            else:
                messages += self._of(len(self.guests) - 1, first)
        return messages

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """What the partner has read makes room for more; its counts end a pass."""
        time_ns = self._queue.clock.time_ns(now_ns)
        if isinstance(event, LinkDown | LinkUp):
            return self._hear_link(isinstance(event, LinkDown), time_ns)
        if not isinstance(event, Delivered | Sent):
            return ()
        read = isinstance(event, Sent)
        messages: list[Message] = []
        ended = False
        for message in event.messages:
            number, own = self._find(message)
            guest = self.guests[number]
            if guest.end:
                continue  # what was under way when it was given up
            following = guest.sent(own, time_ns) if read else guest.counted(time_ns)
            messages += self._of(number, following)
            ended = ended or guest.end is not None
        if ended:
            messages += self.begin_waiting(time_ns)
        return [(now_ns, messages)] if messages else ()

    def _hear_link(self, down: bool, now_ns: int) -> Iterable[Offer]:
        """The link is up again, or it is down: then all are over, on their way or not."""
        self._down = down
        if not down:
            self.was_up = True
            self._queue.hear_link(self._to, down=False)
            return ()
        for guest in self.guests:
            guest.lose_link(now_ns)
        self._queue.hear_link(self._to, down=True)
        messages = self.begin_waiting(now_ns)
        assert not messages, "nobody leaves by a link that is down"
        return ()

    def _find(self, message: Message) -> tuple[int, Message]:
        """Of which guest a message is, and which of its own conversations it has."""
        number, conversation = divmod(message.conversation, self.guests[0].conversations)
        return number, Message(conversation, message.length)

    def _of(self, number: int, messages: Sequence[Message]) -> list[Message]:
        """Messages in the conversations that this guest has here."""
        first = number * self.guests[0].conversations
        return [Message(first + each.conversation, each.length) for each in messages]


class Arrivals:
    """The program of the end that guests arrive at: it answers counts, and nothing else.

    Transport's messages overtake each other, but counts are sent once all that they count was read.
    """

    def __init__(self, window: int) -> None:
        self._conversations = window + 1

    def start(self, now_ns: int) -> Iterable[Offer]:
        """It waits."""
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """An answer for the counts of each pass."""
        if not isinstance(event, Delivered):
            return ()
        answers = [
            Message(each.conversation, COUNTS_LENGTH)
            for each in event.messages
            if each.conversation % self._conversations == self._conversations - 1
        ]
        return [(now_ns, answers)] if answers else ()
