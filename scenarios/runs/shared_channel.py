"""CTCs and disks on one channel: what each costs the other.

The link is run without the disks and with them; the disks' mean values are taken alone, and beside
what the CTCs used. `ctc.sharing` says how the two share a chpid.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

from ctc.sharing import ChannelUse
from isfc.errors import ConfigurationError
from isfc.io.configuration import IoConfiguration
from isfc.io.estimate import ChannelEstimate
from isfc.io.shared import Shared, find_shared, with_disks, without_disks
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from scenarios.runs.channel_busy import ChannelsBusy, busy_so_far
from scenarios.runs.cluster import ClusterExperiment, ClusterResult, run_cluster
from scenarios.runs.experiment import Experiment
from scenarios.runs.operation import OperatedRun
from scenarios.runs.result import Result, measure
from scenarios.runs.run import build, run_on

_Outcome = TypeVar("_Outcome")

LOAD_SHARES: Final = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5)
"""Of the disks' load, where a curve goes over it (chosen)."""


@dataclass(frozen=True, slots=True)
class SharedChannel:
    """One chpid that CTCs and disks use: each alone, and beside the other."""

    node: str
    chpid: str
    ctcs_alone: ChannelUse
    ctcs_beside: ChannelUse
    disks_alone: ChannelEstimate
    disks_beside: ChannelEstimate


@dataclass(frozen=True, slots=True)
class SharedRun(Generic[_Outcome]):
    """What CTCs did without the disks, and with them, and what became of both.

    ``rates`` are MB/s (2^20) of each link, without and with.
    """

    alone: _Outcome
    beside: _Outcome
    rates: tuple[tuple[str, float, float], ...]
    channels: tuple[SharedChannel, ...]


def run_shared(
    experiment: Experiment,
    configuration: IoConfiguration,
    side: NodeName | None = None,
    progress: Callable[[float], None] | None = None,
) -> SharedRun[Result]:
    """Run a link without and with the disks of ``configuration`` on its chpids.

    ``side`` is the node to measure at, that of the clients if None; ``progress`` is told of the
    second run. Raises `ConfigurationError` if
    none of the channels is a chpid of the layout.
    """
    layout = experiment.layout
    shared = _found(configuration, layout)
    (alone, busy), (beside, busy_beside) = (
        run_counted(replace(experiment, layout=without_disks(layout)), side),
        run_counted(replace(experiment, layout=with_disks(layout, configuration)), side, progress),
    )
    rates = (("link", alone.mb_per_s, beside.mb_per_s),)
    return SharedRun(alone, beside, rates, _channels(shared, busy, busy_beside))


def run_shared_links(
    experiment: ClusterExperiment,
    configuration: IoConfiguration,
    interval: float | None = None,
    progress: Callable[[float], None] | None = None,
) -> SharedRun[ClusterResult]:
    """As `run_shared`, for all links of a file together."""
    links = experiment.collection.links
    shared = _found(configuration, *links)
    alone, beside = (
        run_cluster(
            replace(experiment, collection=replace(experiment.collection, links=changed)),
            interval,
            progress=told,
        )
        for changed, told in (
            (tuple(map(without_disks, links)), None),
            (tuple(with_disks(link, configuration) for link in links), progress),
        )
    )
    rates = tuple(
        (name, first.client.whole.result.mb_per_s, last.client.whole.result.mb_per_s)
        for first, last in zip(alone.links, beside.links, strict=True)
        for name in (first.experiment.layout.name,)
    )
    return SharedRun(alone, beside, rates, _channels(shared, alone.busy, beside.busy))


def _found(configuration: IoConfiguration, *links: Layout) -> tuple[Shared, ...]:
    shared = find_shared(configuration, *links)
    if not shared:
        raise ConfigurationError("[[io]] channels: none is a chpid of the layout that CTCs use")
    return shared


def _channels(
    shared: Iterable[Shared], busy: ChannelsBusy, busy_beside: ChannelsBusy
) -> tuple[SharedChannel, ...]:
    return tuple(
        SharedChannel(
            node=each.node,
            chpid=each.name,
            ctcs_alone=busy(each.ends).use,
            ctcs_beside=busy_beside(each.ends).use,
            disks_alone=each.estimate(),
            disks_beside=each.estimate(busy_beside(each.ends).use),
        )
        for each in shared
    )


def run_counted(
    experiment: Experiment,
    side: NodeName | None = None,
    progress: Callable[[float], None] | None = None,
) -> tuple[Result, ChannelsBusy]:
    """A run, and how busy its CTCs made each channel."""
    engine, systems = build(experiment)
    (end,) = (
        system.ends[0] for system in systems if system.name == (side or experiment.client_node)
    )
    operated = OperatedRun(engine, systems, None)
    run_on(operated, experiment.begin_ns, progress)
    links = (experiment.layout,)
    before, busy = end.snapshot(engine.now_ns), busy_so_far(links, systems, engine.now_ns)
    run_on(operated, experiment.end_ns, progress)
    later = busy_so_far(links, systems, engine.now_ns)
    result = measure(end.name, before, end.snapshot(engine.now_ns))
    return result, ChannelsBusy(busy, later, experiment.seconds)


def run_over_load(
    experiment: Experiment, configuration: IoConfiguration
) -> tuple[tuple[float, SharedRun[Result]], ...]:
    """As `run_shared`, with the disks asked for more and less: the share, and what came of it."""
    return tuple(
        (share, run_shared(experiment, _scaled(configuration, share))) for share in LOAD_SHARES
    )


def _scaled(configuration: IoConfiguration, share: float) -> IoConfiguration:
    """So much of the rates, or of the I/Os at the same time; all that is carried stays so."""
    workloads = tuple(
        replace(
            each,
            rate_per_s=None if each.rate_per_s is None else share * each.rate_per_s,
            outstanding=each.outstanding
            if each.outstanding is None or each.rate_per_s is not None
            else max(1, round(share * each.outstanding)),
        )
        for each in configuration.workloads
    )
    return replace(configuration, workloads=workloads)
