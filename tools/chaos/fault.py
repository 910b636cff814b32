"""What goes wrong in a live pair or cluster, drawn from a seed: the same seed, the same faults.

When they meet the traffic is up to the machine: live, nothing is the same twice.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from random import Random
from typing import Final

from isfc.link.name import NodeName


class ChaosKind(Enum):
    """What can go wrong: in words; how often it is drawn, relative to others; how long it lasts.

    The latter is in seconds, at most. A partition may outlast the reconnect time.
    """

    KILLED = "node killed", 5, 1.5
    """With ``kill -9``, and started again."""
    BOTH_KILLED = "both nodes killed", 1, 1.5
    """Of more than two, one and the next."""
    ENDED = "node ended and restarted", 1, 1.0
    """In good order, with SIGTERM."""
    STOPPED = "node stopped", 3, 3.0
    """With SIGSTOP, and continued."""
    CUT = "connections cut", 5, 0.0
    PARTITION = "partition", 2, 5.0
    """All connections cut, and none made for a while."""
    DELAY = "delay", 2, 3.0
    """Everything takes longer."""
    STALL = "stall", 2, 2.0
    """Nothing is carried, and nothing cut."""

    def __init__(self, words: str, weight: int, longest_s: float) -> None:
        self.words, self.weight, self.longest_s = words, weight, longest_s


OF_PROCESSES: Final = frozenset(
    {ChaosKind.KILLED, ChaosKind.BOTH_KILLED, ChaosKind.ENDED, ChaosKind.STOPPED}
)
"""Those that need no fibre that can be cut."""

_PAIR: Final = 2
_SHORTEST_S: Final = 0.02
_DELAY_S_MAX: Final = 0.05


@dataclass(frozen=True, slots=True)
class ChaosFault:
    """One fault, ``after_s`` after the one before."""

    kind: ChaosKind
    after_s: float
    node: NodeName
    """Whom it concerns, if one."""
    for_s: float
    delay_s: float
    count: int
    """Connections that are cut."""


def draw_faults(random: Random, nodes: tuple[NodeName, ...], gap_s: float) -> Iterator[ChaosFault]:
    """Faults without end, ``gap_s`` apart on the average; those of fibres are a pair's only."""
    kinds = [kind for kind in ChaosKind if len(nodes) == _PAIR or kind in OF_PROCESSES]
    weights = [kind.weight for kind in kinds]
    while True:
        (kind,) = random.choices(kinds, weights)
        longest_s = max(_SHORTEST_S, kind.longest_s)
        yield ChaosFault(
            kind,
            random.expovariate(1 / gap_s),
            random.choice(nodes),
            _SHORTEST_S * (longest_s / _SHORTEST_S) ** random.random(),
            random.uniform(0, _DELAY_S_MAX),
            random.choice([1, 1, 2, 3]),
        )
