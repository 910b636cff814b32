"""How many guests are best on their way at the same time: tried, and then closer to the best."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from scenarios.moves.compared import evacuate
from scenarios.moves.evacuation import TOGETHER_MAX, Evacuation, EvacuationOutcome

ALIKE_SHARE: Final = 0.01
"""Of the shortest time: who takes so little longer with fewer guests together is as good. Chosen:
what is on its way when a link dies stays where it was."""

RunEach = Callable[
    [Callable[[Evacuation], EvacuationOutcome], Sequence[Evacuation]], Sequence[EvacuationOutcome]
]
"""Makes evacuations, maybe on several processors, and returns what they came to in their order."""


def counts_together(evacuation: Evacuation) -> tuple[int, ...]:
    """How many guests together a sweep tries: 1, 2, 4 ... up to all of them, or `TOGETHER_MAX`."""
    most = _most(evacuation)
    return tuple(sorted({*(1 << power for power in range(most.bit_length())), most}))


def _most(evacuation: Evacuation) -> int:
    """As many as one system has to move, or as may be on their way."""
    leaving = Counter(tenant.source for tenant in evacuation.tenants)
    return min(max(leaving.values()), TOGETHER_MAX)


@dataclass(frozen=True, slots=True)
class BestTogether:
    """What was tried, by how many guests together, and the best of it.

    It moves the most guests, in the shortest time but `ALIKE_SHARE`, with the fewest together.
    """

    tried: dict[int, EvacuationOutcome]

    @property
    def count(self) -> int:
        """How many together."""
        moved = {count: outcome.moved_count for count, outcome in self.tried.items()}
        most = max(moved.values())
        seconds = {
            count: outcome.seconds for count, outcome in self.tried.items() if moved[count] == most
        }
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
