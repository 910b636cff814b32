"""What the model carries over a layout one way: at saturation, and at a load that people state.

The workload is HL, whose messages are as long as those of a guest relocation: what a link of
several chpids carries most of. Each figure is run until it is steady, and has its spread.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Protocol, TypeVar

from isfc.arguments import checked
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import AnyLayout
from isfc.layout.in_words import expected
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from scenarios.runs.at_site import GivenSite, link_at
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import Result
from scenarios.runs.steady import Rate, SteadyRun, steady_run
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


@dataclass(frozen=True, slots=True, repr=False)
class ModelledRate:
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

    def to_dict(self) -> dict[str, Any]:
        """One flat record, as a data frame takes it; MB/s (2^20), with 95 % confidence."""
        figures = {"sender": self.sender}
        return figures | {
            f"{load}_{key}": value
            for load, rate in (("saturated", self.saturated), ("stated", self.stated))
            for key, value in asdict(rate).items()
        }

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.sender}: {self.saturated_mb_per_s:,.1f} MB/s saturated, "
            f"{self.stated_mb_per_s:,.1f} at the stated load>"
        )


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


@checked
def carried(
    layout: AnyLayout,
    *senders: str,
    pairs: int = STATED_PAIRS,
    profile: GivenSite = None,
) -> tuple[ModelledRate, ...]:
    """What some nodes can send, saturated and with ``pairs``: the first and the second if none.

    ``layout`` is a record, the name of a shipped layout, a path, or a layout file's text;
    ``profile`` is a site's. Raises `ConfigurationError` for several links, and for a sender that is
    not of the link.
    """
    link = link_at(layout, profile)
    for sender in senders:
        if sender not in link.nodes:
            raise ConfigurationError(f"sender {sender[:40]!r}: {expected(sender, link.nodes)}")
    nodes = [NodeName(sender) for sender in senders] or link.nodes
    ways = [(link, node) for node in nodes]
    return rates_of(ways, [steady_run(each) for each in runs_of(ways, pairs)])


Way = tuple[Layout, NodeName]
"""A link, and the node that sends."""


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


def runs_of(ways: Sequence[Way], pairs: int = STATED_PAIRS) -> list[Experiment]:
    """The runs of what nodes can send: of each saturated, and with ``pairs``."""
    return [
        one_way(layout, sender, load)
        for layout, sender in ways
        for load in (SATURATING_PAIRS, pairs)
    ]


def rates_of(ways: Sequence[Way], runs: Sequence[SteadyRun]) -> tuple[ModelledRate, ...]:
    """What nodes can send, of the outcomes of `runs_of`."""
    return tuple(
        ModelledRate(sender, saturated.rate, stated.rate, stated.result)
        for (_, sender), saturated, stated in zip(ways, runs[::2], runs[1::2], strict=True)
    )


def alike(a: float, b: float) -> bool:
    """Whether two figures differ by less than `LIKE_SHARE` of the greater."""
    return abs(a - b) <= LIKE_SHARE * max(a, b)


def stated_load(layout: Layout, sender: NodeName | None = None) -> Experiment:
    """A run of the load that people state."""
    return one_way(layout, sender, STATED_PAIRS)


def one_way(layout: Layout, sender: NodeName | None, pairs: int) -> Experiment:
    """A run in which ``sender`` sends what others only answer; the first node if it is None."""
    return Experiment.of(layout, SUITES[SUITE], pairs, SECONDS, WARMUP, client=sender)
