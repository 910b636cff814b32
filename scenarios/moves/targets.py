"""Where guests go: to systems that have a link and room for them, and elsewhere if a link dies.

What each system has room for is told by its file, ``[memory.SYSTEM]``, or not at all: then guests
without a destination go to the partners in turn, and all are taken to fit.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass

from isfc.errors import ConfigurationError
from isfc.errors.in_words import exact, first_listed, listed
from isfc.layout.collection import Collection
from isfc.link.name import NodeName
from scenarios.moves.guest import GuestPlan
from scenarios.moves.relocation import Guest

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


@dataclass(frozen=True, slots=True)
class Placed:
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
