"""Evacuations from Python: a cluster and guests in, the schedule out, as of ``isfc evacuate``."""

from collections.abc import Callable, Sequence
from pathlib import Path

from isfc.arguments import checked
from isfc.layout.layout import Collection, Layout, find_node
from scenarios.moves.evacuation import Evacuation, EvacuationOutcome, Tenant
from scenarios.moves.evacuation import evacuate as move_away
from scenarios.moves.guest import GuestPlan
from scenarios.moves.orders import read_order
from scenarios.runs.at_site import GivenSite, links_at
from scenarios.runs.workload import load_of


@checked
def evacuate(
    layout: Layout | Collection | str | Path,
    system: str,
    guests: Sequence[GuestPlan | Tenant],
    *,
    together: int = 1,
    quiet: bool = False,
    orders: Sequence[str] = (),
    seed: int = 1,
    progress: Callable[[int], None] | None = None,
    profile: GivenSite = None,
) -> EvacuationOutcome:
    """Relocate every guest off a system in virtual time; what became of each, in order.

    A `Tenant` says where its guest goes; a `GuestPlan` alone goes to the partners in turn.
    ``together`` are on their way at a time, beside the ``traffic`` of the collection unless
    ``quiet``. ``progress`` is told how many are over; ``profile`` is a site's. Raises
    `ConfigurationError` for what cannot be run.
    """
    collection = links_at(layout, profile)
    source = find_node("system", system, collection.systems)
    partners = [
        node for link in collection.links_of(source) for node in link.nodes if node != source
    ]
    tenants = tuple(
        each if isinstance(each, Tenant) else Tenant(each, partners[place % len(partners)])
        for place, each in enumerate(guests)
    )
    names = [tenant.plan.name for tenant in tenants]
    return move_away(
        Evacuation(
            collection,
            source,
            tenants,
            together,
            () if quiet else tuple(map(load_of, collection.traffic)),
            tuple(read_order(order, names) for order in orders),
            seed=seed,
        ),
        progress,
    )
