"""Moves, what they are held against, and how many guests are best on their way at the same time.

They are held against what other traffic gets without the guests, which is a rate, and known as
`scenarios.runs.steady` knows rates; and for guests that a limit ended, what would let them go. How
many go together is tried, and then closer to the best.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from msgspec import Struct, structs

from isfc.errors import ConfigurationError
from isfc.errors.arguments import spelt
from isfc.errors.in_words import number
from isfc.layout.capacity import to_count_on
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from scenarios.moves.by_rate import would_move
from scenarios.moves.evacuation import (
    TOGETHER_MAX,
    Evacuation,
    EvacuationOutcome,
    OtherTraffic,
    move,
)
from scenarios.moves.guest import GuestMemory, GuestPlan
from scenarios.moves.relocation import STATE_LENGTH
from scenarios.runs.experiment import Experiment, RunEach
from scenarios.runs.result import Result
from scenarios.runs.steady import Rate, steady_ends, sum_of


def evacuate(
    evacuation: Evacuation, progress: Callable[[int], None] | None = None
) -> EvacuationOutcome:
    """Move everything, and run the other traffic alone as well.

    ``progress`` is told how many bytes have been moved. Raises `ConfigurationError` for a
    MAXQUIESCE that a guest's state alone exceeds.
    """
    check_stops(evacuation)
    outcome = move(evacuation, progress)
    return structs.replace(outcome, alone=_alone(evacuation), would_move=would_move(outcome))


def check_stops(evacuation: Evacuation) -> None:
    """Raise `ConfigurationError` for a MAXQUIESCE that a guest's state alone exceeds.

    Over any link state takes far less than a second.
    """
    for tenant in evacuation.tenants:
        limit_s = tenant.plan.limits.max_quiesce
        link = evacuation.collection.between(tenant.source, tenant.to)
        if limit_s < 1 and limit_s <= (state_s := state_seconds(link, tenant.source)):
            raise ConfigurationError(
                f"{spelt('max_quiesce')} {limit_s:g} s of {tenant.plan.name}: state and I/O "
                f"devices, {STATE_LENGTH // 2**20} MiB, alone take {number(state_s, 3)} s over "
                "this link"
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
    ends = steady_ends(experiment).ends
    links = evacuation.collection.links
    counted = to_count_on(links, {way: steady.rate for way, steady in ends.items()})
    return tuple(
        _both_ways(link.name, found)
        for link in links
        if (
            found := [
                (counted[way], steady.result)
                for way, steady in ends.items()
                if {*way} == {*link.nodes}
            ]
        )
    )


def _both_ways(link: str, ends: Sequence[tuple[Rate, Result]]) -> OtherTraffic:
    """Of a link whose clients are on one of its systems, or on both.

    What the other system sends then are replies, in proportion to what the clients send.
    """
    rate = sum_of([each for each, _ in ends])
    share = rate.mb_per_s / rate.modelled if rate.modelled else 1.0
    if len(ends) > 1:  # each system gets the replies to its own, and the other's requests
        exchanges = sum(result.messages_per_s_in for _, result in ends) / 2
        return OtherTraffic(link, rate, exchanges * share)
    ((sent, result),) = ends
    both = result.mb_per_s / max(1e-9, result.mb_per_s_out)
    second = None if sent.second_mb_per_s is None else sent.second_mb_per_s * both
    by_model = None if sent.by_model_mb_per_s is None else sent.by_model_mb_per_s * both
    rate = Rate(sent.mb_per_s * both, sent.spread_mb_per_s * both, second, by_model)
    return OtherTraffic(link, rate, result.messages_per_s_in * share)


ALIKE_SHARE: Final = 0.01
"""Of the shortest time: who takes so little longer with fewer guests together is as good. Chosen:
what is on its way when a link dies stays where it was."""


def counts_together(evacuation: Evacuation) -> tuple[int, ...]:
    """How many guests together a sweep tries: 1, 2, 4 ... up to all of one system's.

    Or up to `TOGETHER_MAX`.
    """
    leaving = Counter(tenant.source for tenant in evacuation.tenants)
    most = min(max(leaving.values()), TOGETHER_MAX)
    return tuple(sorted({*(1 << power for power in range(most.bit_length())), most}))


class BestTogether(Struct, frozen=True):
    """What was tried, by how many guests together, and the best of it.

    It moves the most guests, in the shortest time but `ALIKE_SHARE`, with the fewest together.
    """

    tried: dict[int, EvacuationOutcome]

    @property
    def count(self) -> int:
        """How many together."""
        tried = self.tried.items()
        stayed = {count: len(each.stayed) for count, each in tried}
        fewest = min(stayed.values())
        seconds = {count: each.seconds for count, each in tried if stayed[count] == fewest}
        shortest = min(seconds.values())
        return min(count for count in seconds if seconds[count] <= shortest * (1 + ALIKE_SHARE))

    @property
    def outcome(self) -> EvacuationOutcome:
        """What came of that."""
        return self.tried[self.count]


def best_together(evacuation: Evacuation, run_each: RunEach) -> BestTogether:
    """Try 1, 2, 4 ... guests together, and then what is halfway to both neighbours of the best."""
    tried: dict[int, EvacuationOutcome] = {}
    counts = counts_together(evacuation)
    while counts:
        again = [replace(evacuation, together=count) for count in counts]
        tried |= zip(counts, run_each(evacuate, again), strict=True)
        best = BestTogether(tried).count
        below = max((count for count in tried if count < best), default=best)
        above = min((count for count in tried if count > best), default=best)
        halves = {(below + best) // 2, (best + above) // 2}
        counts = tuple(sorted(halves - tried.keys()))
    return BestTogether(dict(sorted(tried.items())))
