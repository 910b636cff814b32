"""What the model carries over a layout one way: at saturation, and at a load that people state.

The workload is HL, whose messages are as long as those of a guest relocation: what a link of
several chpids carries most of. Short runs are enough, because they are steady from the start.
"""

from dataclasses import dataclass
from typing import Final

from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from scenarios.run import Experiment, run
from scenarios.workload import SUITES

SUITE: Final = "HL"
SATURATING_PAIRS: Final = 500
"""More carry no more: of sixteen CTCs on four Express8S, 500 pairs carry a third more than 100."""
STATED_PAIRS: Final = 50
"""IBM's load in its longest look at a link (H001709C)."""

SECONDS: Final = 0.2
WARMUP: Final = 0.1
"""Virtual seconds. A quarter of a second of ours at most, and within 4 % of runs of 5 s: of the
layouts that IBM measured, and of four Express8S or Express4."""

LIKE_SHARE: Final = 0.1
"""Figures that differ by less say the same: the model's own error is as large."""


@dataclass(frozen=True, slots=True)
class Carried:
    """MB/s (2^20 bytes) that one node can send, by the model."""

    sender: NodeName
    saturated_mb_per_s: float
    stated_mb_per_s: float


def carried(layout: Layout) -> tuple[Carried, ...]:
    """What the first node can send, and the second."""
    return tuple(
        Carried(node, _rate(layout, node, SATURATING_PAIRS), _rate(layout, node, STATED_PAIRS))
        for node in layout.nodes
    )


def alike(a: float, b: float) -> bool:
    """Whether two figures differ by less than `LIKE_SHARE` of the greater."""
    return abs(a - b) <= LIKE_SHARE * max(a, b)


def stated_load(layout: Layout, sender: NodeName | None = None) -> Experiment:
    """A short run of the load that people state."""
    return _experiment(layout, sender, STATED_PAIRS)


def _rate(layout: Layout, sender: NodeName, pairs: int) -> float:
    return run(_experiment(layout, sender, pairs)).mb_per_s_out


def _experiment(layout: Layout, sender: NodeName | None, pairs: int) -> Experiment:
    return Experiment(layout, SUITES[SUITE], pairs, SECONDS, WARMUP, client=sender)
