"""Moves from Python: a layout and guests in, what became of them out.

What ``isfc relocate`` and ``isfc evacuate`` do for people; the figures are the same.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from isfc.arguments import checked
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import AnyLayout, given_collection
from isfc.layout.collection import Collection
from isfc.layout.in_words import find_node, listed
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from scenarios.moves.compared import evacuate as move_away
from scenarios.moves.evacuation import WINDOW, Evacuation, EvacuationOutcome
from scenarios.moves.guest import GuestPlan
from scenarios.moves.guest_memory import GuestMemory
from scenarios.moves.orders import UNNAMED, read_orders
from scenarios.moves.rolling import Rolling, RollingOutcome, roll
from scenarios.moves.targets import Tenant, place_guests, rooms
from scenarios.moves.together import best_together
from scenarios.moves.vmrelocate import QUIESCE_GOAL_S, make_limits
from scenarios.runs.at_site import GivenSite, link_at, links_at
from scenarios.runs.saturation import in_turn
from scenarios.runs.workload import Workload, find_workload, load_of

_CEC = "CEC:"


@checked
def relocate(
    layout: AnyLayout,
    guests: GuestPlan | GuestMemory | Sequence[GuestPlan],
    *,
    together: int = 1,
    source: str | None = None,
    background: tuple[Workload | str, int] | None = None,
    orders: Sequence[str] = (),
    max_total: float | None = None,
    max_quiesce: float | None = None,
    immediate: bool = False,
    quiesce: float = QUIESCE_GOAL_S,
    window: int = WINDOW,
    seed: int = 1,
    profile: GivenSite = None,
) -> EvacuationOutcome:
    """Relocate guests over a link in virtual time, and return what became of them.

    ``layout`` is a `Layout`, the name of a shipped one or the path of a file. ``guests`` are
    `GuestPlan`, each with its own limits; of a single `GuestMemory` the limits are the arguments
    (seconds; None is VMRELOCATE's default). ``together`` are on their way at a time, ``source`` is
    the system that they leave, ``background`` a workload and its pairs, ``orders`` commands such as
    ``"5 CANCEL LINUX1"``, ``profile`` is a site's. The same arguments give the same figures, on
    every machine. Raises `ConfigurationError` for what cannot be run.
    """
    if isinstance(guests, GuestMemory):
        limits = make_limits(
            max_total=max_total, max_quiesce=max_quiesce, immediate=immediate, quiesce=quiesce
        )
        guests = GuestPlan(UNNAMED, guests, limits)
    plans = [guests] if isinstance(guests, GuestPlan) else [*guests]
    workload = None
    if background is not None:
        name, pairs = background
        workload = find_workload(name), pairs
    evacuation = Evacuation.over(
        link_at(layout, profile),
        plans,
        source=None if source is None else NodeName(source.upper()),
        background=workload,
        file=given_collection(layout),
        together=together,
        orders=read_orders(orders, plans),
        window=window,
        seed=seed,
    )
    return move_away(evacuation)


@checked
def evacuate(
    layout: Layout | Collection | str | Path,
    system: str | Sequence[str],
    guests: Sequence[GuestPlan | Tenant],
    *,
    together: int | None = 1,
    quiet: bool = False,
    orders: Sequence[str] = (),
    seed: int = 1,
    progress: Callable[[int], None] | None = None,
    profile: GivenSite = None,
) -> EvacuationOutcome:
    """Relocate every guest off a system in virtual time; what became of each, in order.

    Or off several systems, or ``"cec:NAME"``, all those of a machine: then a `Tenant` says where
    each guest is. A guest without a destination goes where there is room for it, as the file's
    ``[memory.SYSTEM]`` says, or else to the partners in turn. ``together`` leave a system at a
    time, beside the ``traffic`` of the collection unless ``quiet``; None tries which number is
    best. ``progress`` is told how many bytes have been moved; ``profile`` is a site's. Raises
    `ConfigurationError` for what cannot be run, such as guests that do not fit.
    """
    collection = links_at(layout, profile)
    sources = systems_named(collection, [system] if isinstance(system, str) else system)
    tenants = [each if isinstance(each, Tenant) else Tenant(each) for each in guests]
    room = rooms(collection)
    evacuation = Evacuation(
        collection,
        sources,
        place_guests(collection, sources, tenants, room),
        together=1 if together is None else together,
        loads=() if quiet else tuple(map(load_of, collection.traffic)),
        orders=read_orders(orders, [tenant.plan for tenant in tenants]),
        seed=seed,
        room=room,
    )
    if together is None:
        return best_together(evacuation, in_turn).outcome
    return move_away(evacuation, progress)


@checked
def rolling_maintenance(
    layout: Layout | Collection | str | Path,
    guests: Sequence[Tenant],
    *,
    systems: Sequence[str] = (),
    together: int = 1,
    quiet: bool = False,
    orders: Sequence[str] = (),
    seed: int = 1,
    progress: Callable[[int], None] | None = None,
    profile: GivenSite = None,
) -> RollingOutcome:
    """Evacuate one system after the other, and bring its guests back before the next.

    ``systems`` in their order, or all that guests are at, by name. A `Tenant` says in ``source``
    where it is; ``orders`` are such as ``5 LOSE director:1``, all else is as of `evacuate`.
    Raises `ConfigurationError` before anything is run if guests of some system do not fit
    elsewhere.
    """
    collection = links_at(layout, profile)
    rolling = Rolling(
        collection,
        systems_in_turn(collection, systems, guests),
        tuple(guests),
        together=together,
        loads=() if quiet else tuple(map(load_of, collection.traffic)),
        seed=seed,
        orders=read_orders(orders, [guest.plan for guest in guests]),
    )
    return roll(rolling, progress)


def systems_in_turn(
    collection: Collection, names: Sequence[str], tenants: Sequence[Tenant]
) -> tuple[NodeName, ...]:
    """The systems that ``names`` are, or else all that have guests."""
    if names:
        return systems_named(collection, names)
    at = {tenant.source for tenant in tenants}
    return tuple(system for system in collection.systems if system in at)


def systems_named(collection: Collection, names: Sequence[str]) -> tuple[NodeName, ...]:
    """The systems of some names and of ``cec:NAME``, each once. Raises `ConfigurationError`."""
    found: dict[NodeName, None] = {}
    for name in names:
        if not name.upper().startswith(_CEC):
            found[find_node("system", name, collection.systems)] = None
            continue
        cecs = {f"{_CEC}{cec.name}".upper(): cec for cec in collection.cecs}
        if name.upper() not in cecs:
            known = [f"cec:{cec.name}" for cec in collection.cecs] or ["[cec.NAME] in the file"]
            raise ConfigurationError(
                f"system {name[:40]}: no such CEC; expected {listed(known, 'or')}"
            )
        found |= dict.fromkeys(cecs[name.upper()].systems)
    if not found:
        raise ConfigurationError("system: none; expected one at least")
    return tuple(found)
