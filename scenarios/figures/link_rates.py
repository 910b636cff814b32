"""What each node of a link can send, by the model: at saturation, and at a load that people state.

The workload is HL, whose messages are as long as those of a guest relocation: what a link of
several chpids carries most of. Each figure is run until it is steady, and has its spread, its range
and the load that it is of.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import islice
from operator import call
from typing import Any

from isfc.arguments import checked
from isfc.layout.catalogue import AnyLayout
from isfc.layout.in_words import check_known
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from scenarios.figures.figure import Figure
from scenarios.figures.limit import Limit, find_limit
from scenarios.figures.ranges import link_rate
from scenarios.runs.at_site import GivenSite, link_at
from scenarios.runs.experiment import Experiment
from scenarios.runs.load import Load
from scenarios.runs.result import Result
from scenarios.runs.saturation import (
    SATURATING_PAIRS,
    STATED_PAIRS,
    RunEach,
    in_turn,
    one_way,
    shape,
)
from scenarios.runs.steady import Rate, SteadyRun, first_look, steady_run

Way = tuple[Layout, NodeName]
"""A link, and the node that sends."""

Rates = tuple[Rate, Rate]
"""What one direction carries, saturated and with the stated load."""


@dataclass(frozen=True, slots=True, repr=False)
class ModelledRate:
    """What one node of ``layout`` can send, by the model: saturated, and with ``pairs``.

    ``runs`` are the rates of both. ``seen`` is all that its end of the link saw of the run with the
    pairs while that was steady: collisions, utilisation. ``limit`` is of the saturated rate, None
    where it was not looked for.
    """

    layout: Layout = field(compare=False)
    sender: NodeName
    runs: Rates
    pairs: int = STATED_PAIRS
    seen: Result | None = None
    limit: Limit | None = None

    @property
    def saturated(self) -> Figure:
        """MB/s with so many pairs that more would carry no more."""
        return self._figure(0, SATURATING_PAIRS)

    @property
    def stated(self) -> Figure:
        """MB/s with ``pairs``."""
        return self._figure(1, self.pairs)

    @property
    def figures(self) -> tuple[Figure, Figure]:
        """Both, saturated first."""
        return self.saturated, self.stated

    def _figure(self, run: int, pairs: int) -> Figure:
        rate, load = self.runs[run], Load(pairs=pairs)
        collisions = 0.0 if self.seen is None else self.seen.collisions_per_s
        return link_rate(rate.mb_per_s, self.layout, load, collisions).of_run(rate, self.sender)

    def to_dict(self) -> dict[str, Any]:
        """One flat record, as a data frame takes it; MB/s (2^20), with 95 % confidence."""
        figures = {"sender": self.sender}
        return figures | {
            f"{load}_{key}": value
            for load, rate in zip(("saturated", "stated"), self.runs, strict=True)
            for key, value in asdict(rate).items()
        }

    def __repr__(self) -> str:
        return (
            f"<ModelledRate {self.sender}: {self.saturated.value:,.1f} MB/s saturated, "
            f"{self.stated.value:,.1f} with {self.pairs} pairs>"
        )


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
        check_known("sender", sender, link.nodes)
    ways = [(link, NodeName(sender)) for sender in senders or link.nodes]
    return _rates(ways, [steady_run(each) for each in _runs(ways, pairs)], pairs)


def link_rates(
    layout: Layout, changed: Sequence[Layout] = (), run_each: RunEach = in_turn
) -> tuple[tuple[ModelledRate, ...], dict[Layout, Rates]]:
    """What both nodes of a layout can send, each with what limits it.

    Beside it: what a first look at ``changed`` layouts shows, those that are alike once. Each way
    has runs of its own, and all are done at one time.
    """
    ways = [(layout, node) for node in layout.nodes]
    looks = {shape(each, node): (each, node) for each in changed for node in each.nodes}
    groups: tuple[list[Callable[[], Any]], ...] = (
        [partial(steady_run, each) for each in _runs(ways)],
        [partial(first_look, each) for each in _runs([*looks.values()])],
    )
    done = iter(run_each(call, [run for group in groups for run in group]))
    runs, seen = ([*islice(done, len(group))] for group in groups)
    both = dict(zip(looks, zip(seen[::2], seen[1::2], strict=True), strict=True))
    slower = {each: _slower([both[shape(each, node)] for node in each.nodes]) for each in changed}
    rates = _rates(ways, runs)
    each_way = [(layout, rate.sender, rate.runs[0].mb_per_s) for rate in rates]
    limits = run_each(find_saturated, each_way)
    return tuple(replace(r, limit=each) for r, each in zip(rates, limits, strict=True)), slower


def find_saturated(way: tuple[Layout, NodeName, float]) -> Limit:
    """What limits what a node can send with many pairs, which comes to so many MB/s."""
    layout, node, rate = way
    return find_limit(one_way(layout, node, SATURATING_PAIRS), steady_mb_per_s=rate)


def slower_rates(figures: Sequence[ModelledRate]) -> Rates:
    """Of what nodes can send."""
    return _slower([each.runs for each in figures])


def _slower(ways: Sequence[Rates]) -> Rates:
    saturated, stated = (
        min(rates, key=lambda rate: rate.mb_per_s) for rates in zip(*ways, strict=True)
    )
    return saturated, stated


def _runs(ways: Sequence[Way], pairs: int = STATED_PAIRS) -> list[Experiment]:
    """The runs of what nodes can send: of each saturated, and with ``pairs``."""
    return [
        one_way(layout, sender, load)
        for layout, sender in ways
        for load in (SATURATING_PAIRS, pairs)
    ]


def _rates(
    ways: Sequence[Way], runs: Sequence[SteadyRun], pairs: int = STATED_PAIRS
) -> tuple[ModelledRate, ...]:
    """What nodes can send, of the outcomes of those runs."""
    return tuple(
        ModelledRate(layout, sender, (saturated.rate, stated.rate), pairs, stated.result)
        for (layout, sender), saturated, stated in zip(ways, runs[::2], runs[1::2], strict=True)
    )
