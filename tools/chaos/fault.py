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
    """What can go wrong."""

    KILLED = "node killed"
    """With ``kill -9``, and started again."""
    BOTH_KILLED = "both nodes killed"
    """Of more than two, one and the next."""
    ENDED = "node ended and restarted"
    """In good order, with SIGTERM."""
    STOPPED = "node stopped"
    """With SIGSTOP, and continued."""
    CUT = "connections cut"
    PARTITION = "partition"
    """All connections cut, and none made for a while."""
    DELAY = "delay"
    """Everything takes longer."""
    STALL = "stall"
    """Nothing is carried, and nothing cut."""


_DRAWN: Final = {
    ChaosKind.KILLED: (5, 1.5),
    ChaosKind.BOTH_KILLED: (1, 1.5),
    ChaosKind.ENDED: (1, 1.0),
    ChaosKind.STOPPED: (3, 3.0),
    ChaosKind.CUT: (5, 0.0),
    ChaosKind.PARTITION: (2, 5.0),
    ChaosKind.DELAY: (2, 3.0),
    ChaosKind.STALL: (2, 2.0),
}
"""How often each is drawn, relative to the others, and how long it lasts at most, in seconds. A
partition may outlast the reconnect time."""

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
    kinds = [kind for kind in _DRAWN if len(nodes) == _PAIR or kind in OF_PROCESSES]
    weights = [_DRAWN[kind][0] for kind in kinds]
    while True:
        (kind,) = random.choices(kinds, weights)
        longest_s = max(_SHORTEST_S, _DRAWN[kind][1])
        yield ChaosFault(
            kind,
            random.expovariate(1 / gap_s),
            random.choice(nodes),
            _SHORTEST_S * (longest_s / _SHORTEST_S) ** random.random(),
            random.uniform(0, _DELAY_S_MAX),
            random.choice([1, 1, 2, 3]),
        )
