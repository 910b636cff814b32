"""What all links of a file carry together with one piece gone after the other, by the model.

Short runs: each case is measured over `LENGTH_NS` after a warm-up, all links together.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from isfc.layout.collection import Collection
from isfc.layout.layout import Fibre
from isfc.layout.loss import ClusterLoss, cluster_pieces, left_of
from isfc.layout.lost import collection_without
from isfc.layout.sharing import in_use
from isfc.link.name import NodeName
from scenarios.figures.certainty import Range
from scenarios.figures.cluster_plan import plan_experiments
from scenarios.figures.limit import Limit, first_limit
from scenarios.figures.ranges import links_gain_range, links_range
from scenarios.runs.cluster_shared import ChannelResult, PathResult
from scenarios.runs.experiment import NS_PER_S, Experiment
from scenarios.runs.result import MIB, sent_between
from scenarios.runs.run import Looks, build
from scenarios.runs.saturation import RunEach
from scenarios.runs.warmup import WARMUP_NS

LENGTH_NS: Final = 500_000_000
"""Chosen: rates of such a run are within a few per cent of a steady one's."""


@dataclass(frozen=True, slots=True)
class LinksGlance:
    """MB/s (2^20) of each link from its first node and to it, and what limits them together."""

    rates: dict[str, tuple[float, float]]
    range: Range | None
    limit: Limit | None

    @property
    def mb_per_s(self) -> float:
        """All links, both ways."""
        return sum(sum(ways) for ways in self.rates.values())


_NOTHING: Final = LinksGlance({}, None, None)
"""Where no link is left."""


@dataclass(frozen=True, slots=True)
class ClusterLeft:
    """What is left after a loss; of the whole if ``loss`` is None. ``seen`` is None if not run."""

    loss: ClusterLoss | None
    seen: LinksGlance | None
    share: Range | None = None
    """What is left of the whole, of 1, and between what that would lie."""

    def to_dict(self) -> dict[str, Any]:
        """One flat record, as a data frame takes it; MB/s (2^20) of all links, both ways.

        ``low`` and ``high`` are between what IBM's would lie in four of five cases.
        """
        within = None if self.seen is None else self.seen.range
        return {
            "gone": "" if self.loss is None else self.loss.name,
            "mb_per_s": None if self.seen is None else self.seen.mb_per_s,
            "low_mb_per_s": None if within is None else within.likely.low,
            "high_mb_per_s": None if within is None else within.likely.high,
        }


def after_cluster_losses(
    collection: Collection, pieces: Sequence[str], run_each: RunEach | None
) -> list[ClusterLeft]:
    """The whole first, then what is left without each piece; or without some ``pieces`` together.

    Pieces are named as in `isfc.layout.lost`. Nothing is run without ``run_each``.
    """
    losses: list[ClusterLoss]
    if pieces:
        rests = [collection_without(collection, pieces)[0]]
        losses = [left_of(collection, "together", " + ".join(pieces), rests[0])]
    else:
        each = [*cluster_pieces(collection)]
        rests = [without(collection, fibres) for _, fibres in each]
        losses = [loss for loss, _ in each]
    if run_each is None:
        return [ClusterLeft(loss, None) for loss in (None, *losses)]
    rests = [collection, *rests]
    cases = [plan_experiments(rest)[0] for rest in rests if rest.links]
    found = iter(run_each(links_glance, cases))
    whole, *seen = [next(found) if rest.links else _NOTHING for rest in rests]
    return [
        ClusterLeft(None, whole),
        *(
            ClusterLeft(loss, each, _share(each.mb_per_s / whole.mb_per_s, collection, rest))
            for loss, each, rest in zip(losses, seen, rests[1:], strict=True)
        ),
    ]


def _share(value: float, collection: Collection, rest: Collection) -> Range | None:
    """The range of what is left; None if no link is."""
    return links_gain_range(value, collection.links, rest.links) if rest.links else None


def without(collection: Collection, gone: frozenset[Fibre]) -> Collection:
    """The collection without some fibres, and without links that have none left."""
    links = []
    for link in collection.links:
        ctcs = tuple(ctc for ctc in link.ctcs if ctc.fibre not in gone)
        if ctcs:
            links.append(link.with_ctcs(ctcs))
    return in_use(replace(collection, links=tuple(links)))


def links_glance(experiment: Experiment) -> LinksGlance:
    """Make a short run of all links together, and find what limits them."""
    run = short_run(experiment)
    total = sum(sum(ways) for ways in run.rates.values())
    within = links_range(total, experiment.collection.links)
    return LinksGlance(run.rates, within, first_limit(experiment))


@dataclass(frozen=True, slots=True)
class ShortRun:
    """MB/s (2^20) of each link from its first node and to it, and all that several fibres share."""

    rates: dict[str, tuple[float, float]]
    channels: tuple[ChannelResult, ...]
    paths: tuple[PathResult, ...]


def short_run(experiment: Experiment) -> ShortRun:
    """Run all links together over `LENGTH_NS` after a warm-up."""
    links = experiment.collection.links
    engine, systems = build(experiment)
    looks = Looks(experiment, systems)
    for at_ns in (WARMUP_NS, WARMUP_NS + LENGTH_NS):
        engine.run(at_ns)
        looks.look(at_ns)
    rates = {
        link.name: (_sent(looks, link.nodes), _sent(looks, link.nodes[::-1])) for link in links
    }
    _, channels, paths = looks.shared()
    return ShortRun(rates, channels, paths)


def _sent(looks: Looks, end: tuple[NodeName, NodeName]) -> float:
    before, after = looks.counters
    return sent_between(before[end], after[end]) * NS_PER_S / LENGTH_NS / MIB
