"""Moves, and what they are held against.

That is what other traffic gets without the guests, which is a rate, and known as
`scenarios.runs.steady` knows rates; and for guests that a limit ended, what would let them go.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from isfc.arguments import spelt
from isfc.errors import ConfigurationError
from isfc.layout.layout import Layout
from isfc.layout.whole import find_link
from isfc.link.name import NodeName
from scenarios.moves.by_rate import would_move
from scenarios.moves.evacuation import Evacuation, EvacuationOutcome, OtherTraffic
from scenarios.moves.guest import STATE_LENGTH, GuestPlan
from scenarios.moves.guest_memory import GuestMemory
from scenarios.moves.moving import move
from scenarios.runs.experiment import Experiment
from scenarios.runs.steady import Rate, SteadyRun, steady_ends, sum_of


def evacuate(
    evacuation: Evacuation, progress: Callable[[int], None] | None = None
) -> EvacuationOutcome:
    """Move everything, and run the other traffic alone as well.

    ``progress`` is told how many bytes have been moved. Raises `ConfigurationError` for a
    MAXQUIESCE that a guest's state alone exceeds.
    """
    check_stops(evacuation)
    outcome = move(evacuation, progress)
    return replace(outcome, alone=_alone(evacuation), would_move=would_move(outcome))


def check_stops(evacuation: Evacuation) -> None:
    """Raise `ConfigurationError` for a MAXQUIESCE that a guest's state alone exceeds.

    Over any link state takes far less than a second.
    """
    for tenant in evacuation.tenants:
        limit_s = tenant.plan.limits.max_quiesce
        link = find_link(evacuation.collection, tenant.source, tenant.to)
        if limit_s < 1 and limit_s <= (state_s := state_seconds(link, tenant.source)):
            raise ConfigurationError(
                f"{spelt('max_quiesce')} {limit_s:g} s of {tenant.plan.name}: state and I/O "
                f"devices, {STATE_LENGTH // 2**20} MiB, alone take {state_s:.3f} s over this link"
            )


@cache
def state_seconds(layout: Layout, source: NodeName) -> float:
    """How long a guest that writes nothing is stopped, over this link without other traffic."""
    idle = GuestPlan("IDLE", GuestMemory(size=2**20, touched=1))
    return move(Evacuation.over(layout, [idle], source=source)).longest_stop_s


def _alone(evacuation: Evacuation) -> tuple[OtherTraffic, ...]:
    """What each link's other traffic gets without guests, until that is steady."""
    if not evacuation.loads:
        return ()
    experiment = Experiment(
        evacuation.collection, evacuation.loads, seed=evacuation.seed, link=evacuation.link
    )
    ends = steady_ends(experiment).ends.items()
    return tuple(
        _both_ways(link.name, found)
        for link in evacuation.collection.links
        if (found := [steady for way, steady in ends if {*way} == {*link.nodes}])
    )


def _both_ways(link: str, ends: Sequence[SteadyRun]) -> OtherTraffic:
    """Of a link whose clients are on one of its systems, or on both.

    What the other system sends then are replies, in proportion to what the clients send.
    """
    if len(ends) > 1:  # each system gets the replies to its own, and the other's requests
        exchanges = sum(each.result.messages_per_s_in for each in ends) / 2
        return OtherTraffic(link, sum_of([each.rate for each in ends]), exchanges)
    (end,) = ends
    sent, result = end.rate, end.result
    share = result.mb_per_s / max(1e-9, result.mb_per_s_out)
    second = None if sent.second_mb_per_s is None else sent.second_mb_per_s * share
    rate = Rate(sent.mb_per_s * share, sent.spread_mb_per_s * share, second)
    return OtherTraffic(link, rate, result.messages_per_s_in)
