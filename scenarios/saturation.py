"""What the model carries over a layout one way: at saturation, and at a load that people state.

The workload is HL, whose messages are as long as those of a guest relocation: what a link of
several chpids carries most of. Each figure is run until it is steady, and has its spread.
"""

from dataclasses import dataclass
from typing import Final

from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from scenarios.run import Experiment, Result
from scenarios.steady import Rate, steady_rate, steady_run
from scenarios.workload import SUITES

SUITE: Final = "HL"
SATURATING_PAIRS: Final = 500
"""More carry no more: of sixteen CTCs on four Express8S, 500 pairs carry a third more than 100."""
STATED_PAIRS: Final = 50
"""IBM's load in its longest look at a link (H001709C)."""

SECONDS: Final = 1.0
WARMUP: Final = 0.3
"""Virtual seconds of the runs of which more is shown than a rate: of CTCs, disks, several links."""

LIKE_SHARE: Final = 0.1
"""Figures that differ by less say the same: the model's own error is as large."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What one node can send, by the model.

    ``seen`` is all that its end of the link saw of the run with the stated load while that was
    steady: collisions, utilisation. None where the rates have not been run here.
    """

    sender: NodeName
    saturated: Rate
    stated: Rate
    seen: Result | None = None

    @property
    def saturated_mb_per_s(self) -> float:
        """With so many pairs that more would carry no more."""
        return self.saturated.mb_per_s

    @property
    def stated_mb_per_s(self) -> float:
        """With `STATED_PAIRS`."""
        return self.stated.mb_per_s


def carried(layout: Layout, *senders: NodeName, pairs: int = STATED_PAIRS) -> tuple[Carried, ...]:
    """What some nodes can send, saturated and with ``pairs``: the first and the second if none."""
    return tuple(_carried(layout, node, pairs) for node in senders or layout.nodes)


def _carried(layout: Layout, sender: NodeName, pairs: int) -> Carried:
    saturated = steady_rate(_experiment(layout, sender, SATURATING_PAIRS))
    stated = steady_run(_experiment(layout, sender, pairs))
    return Carried(sender, saturated, stated.rate, stated.result)


def alike(a: float, b: float) -> bool:
    """Whether two figures differ by less than `LIKE_SHARE` of the greater."""
    return abs(a - b) <= LIKE_SHARE * max(a, b)


def stated_load(layout: Layout, sender: NodeName | None = None) -> Experiment:
    """A run of the load that people state."""
    return _experiment(layout, sender, STATED_PAIRS)


def _experiment(layout: Layout, sender: NodeName | None, pairs: int) -> Experiment:
    return Experiment(layout, SUITES[SUITE], pairs, SECONDS, WARMUP, client=sender)
