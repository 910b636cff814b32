"""CTCs and disks on one channel: what each costs the other.

The link is run without the disks and with them; the disks' mean values are taken alone, and beside
what the CTCs used. `ctc.sharing` says how the two share a chpid.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from ctc.address import ChpidId
from ctc.sharing import NOTHING, ChannelUse
from isfc.errors import ConfigurationError
from isfc.io.configuration import IoConfiguration
from isfc.io.estimate import ChannelEstimate
from isfc.io.shared import find_shared, with_disks, without_disks
from isfc.link.name import NodeName
from scenarios.channel_busy import busy_between, busy_so_far
from scenarios.operation import OperatedRun
from scenarios.run import Experiment, Result, build, measure, run_on

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
class SharedRun:
    """What the link did without the disks, and with them, and what became of both."""

    alone: Result
    beside: Result
    channels: tuple[SharedChannel, ...]


def run_shared(
    experiment: Experiment,
    configuration: IoConfiguration,
    side: NodeName | None = None,
    progress: Callable[[float], None] | None = None,
) -> SharedRun:
    """Run a link without and with the disks of ``configuration`` on its chpids.

    ``side`` is the node to measure at, that of the clients if None; ``progress`` is told of the
    second run. Raises `ConfigurationError` if
    none of the channels is a chpid of the layout.
    """
    layout = experiment.layout
    shared = find_shared(layout, configuration)
    if not shared:
        raise ConfigurationError("[[io]] channels: none is a chpid of the layout that CTCs use")
    alone, uses = run_counted(replace(experiment, layout=without_disks(layout)), side)
    beside, uses_beside = run_counted(
        replace(experiment, layout=with_disks(layout, configuration)), side, progress
    )
    return SharedRun(
        alone,
        beside,
        tuple(
            SharedChannel(
                node=each.node,
                chpid=each.name,
                ctcs_alone=uses.get((each.node, each.chpid), NOTHING),
                ctcs_beside=uses_beside.get((each.node, each.chpid), NOTHING),
                disks_alone=each.estimate(),
                disks_beside=each.estimate(uses_beside.get((each.node, each.chpid), NOTHING)),
            )
            for each in shared
        ),
    )


def run_counted(
    experiment: Experiment,
    side: NodeName | None = None,
    progress: Callable[[float], None] | None = None,
) -> tuple[Result, Mapping[tuple[str, ChpidId], ChannelUse]]:
    """A run, and what its CTCs used of each chpid."""
    engine, systems = build(experiment)
    (end,) = (
        system.ends[0] for system in systems if system.name == (side or experiment.client_node)
    )
    operated = OperatedRun(engine, systems, None)
    run_on(operated, experiment.begin_ns, progress)
    before = end.snapshot(engine.now_ns)
    links = (experiment.layout,)
    busy = busy_so_far(links, systems, engine.now_ns)
    run_on(operated, experiment.end_ns, progress)
    later = busy_so_far(links, systems, engine.now_ns)
    uses: dict[tuple[str, ChpidId], ChannelUse] = {
        (end.node, end.chpid): busy_between(busy, later, (end,), experiment.seconds).use
        for end in later.chpids
    }
    return measure(end.name, before, end.snapshot(engine.now_ns)), uses


def run_over_load(
    experiment: Experiment, configuration: IoConfiguration
) -> tuple[tuple[float, SharedRun], ...]:
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
