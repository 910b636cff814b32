"""The loads that figures are of, at saturation and as people state them, and who does the runs.

The workload is HL, whose messages are as long as those of a guest relocation: what a link of
several chpids carries most of.
"""

from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeVar

from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from scenarios.runs.experiment import Experiment
from scenarios.runs.warmup import WARMUP
from scenarios.runs.workload import SUITES

SUITE: Final = "HL"
SATURATING_PAIRS: Final = 500
"""More carry no more: of sixteen CTCs on four Express8S, 500 pairs carry a third more than 100."""
STATED_PAIRS: Final = 50
"""IBM's load in its longest look at a link (H001709C)."""

SECONDS: Final = 1.0
"""Virtual seconds, after the warm-up, of runs of which more is shown than a rate: of CTCs, disks,
several links."""

LIKE_SHARE: Final = 0.1
"""Figures that differ by less say the same: the model's own error is as large."""


_Given = TypeVar("_Given")
_Outcome = TypeVar("_Outcome")


class RunEach(Protocol):
    """Does every run, in this process or in others, and gives what came of them in their order."""

    def __call__(
        self, work: Callable[[_Given], _Outcome], experiments: Sequence[_Given], /
    ) -> Sequence[_Outcome]:
        """Do ``work`` on every experiment."""


def in_turn(
    work: Callable[[_Given], _Outcome], experiments: Sequence[_Given]
) -> Sequence[_Outcome]:
    """Do one run after the other, in this process."""
    return [work(each) for each in experiments]


def shape(layout: Layout, sender: NodeName) -> tuple[object, ...]:
    """What a node's rate depends on: which it is, and the kinds of fibres as it comes to them.

    Links with one chpid or another gone may be alike by it. The two ways of a link never are: with
    one CTC, for which the lesser name goes first, they differ by up to a fifth, and with several,
    over some distance, by up to 6 %.
    """
    fibres = [ctc.fibre for ctc in layout.device_list()]
    if sender == layout.nodes[0]:
        return (0, *((fibres.index(fibre), fibre.kind) for fibre in fibres))
    fibres.reverse()
    return (1, *((fibres.index(fibre), fibre.kind_back) for fibre in fibres))


def alike(a: float, b: float) -> bool:
    """Whether two figures differ by less than `LIKE_SHARE` of the greater."""
    return abs(a - b) <= LIKE_SHARE * max(a, b)


def stated_load(layout: Layout, sender: NodeName | None = None) -> Experiment:
    """A run of the load that people state."""
    return one_way(layout, sender, STATED_PAIRS)


def one_way(layout: Layout, sender: NodeName | None, pairs: int) -> Experiment:
    """A run in which ``sender`` sends what others only answer; the first node if it is None."""
    return Experiment.of(layout, SUITES[SUITE], pairs, SECONDS, WARMUP, client=sender)
