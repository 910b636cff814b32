"""CTCs and disks on one channel: what each costs the other.

The link is run without the disks and with them; the disks' mean values are taken alone, and beside
what the CTCs used. `ctc.channel` says how the two share a chpid.
"""

from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct, structs

from ctc.channel import ChannelUse
from isfc.errors import ConfigurationError
from isfc.io.configuration import IoConfiguration
from isfc.io.estimate import ChannelEstimate
from isfc.io.shared import find_shared, with_disks, without_disks
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import Outcome, run

LOAD_SHARES: Final = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5)
"""Of the disks' load, where a curve goes over it (chosen)."""


class SharedChannel(Struct, frozen=True):
    """One chpid that CTCs and disks use: each alone, and beside the other."""

    node: str
    chpid: str
    ctcs_alone: ChannelUse
    ctcs_beside: ChannelUse
    disks_alone: ChannelEstimate
    disks_beside: ChannelEstimate


class SharedRun(Struct, frozen=True):
    """What CTCs did without the disks, and with them, and what became of both."""

    alone: Outcome
    beside: Outcome
    channels: tuple[SharedChannel, ...]

    def rates(self, side: NodeName | None = None) -> Iterator[tuple[Layout, float, float]]:
        """MB/s (2^20) of each link, without disks and with, at node ``side``; clients' if None."""
        for both in zip(self.alone.links, self.beside.links, strict=True):
            alone, beside = (each.at(side).whole.result.mb_per_s for each in both)
            yield both[1].experiment.layout, alone, beside


def run_shared(
    experiment: Experiment,
    configuration: IoConfiguration,
    interval: float | None = None,
    progress: Callable[[float], None] | None = None,
) -> SharedRun:
    """Run links without and with the disks of ``configuration`` on their chpids.

    ``interval`` is that of `run`; ``progress`` is told of the second run. Raises
    `ConfigurationError` if none of the channels is a chpid of the links.
    """
    links = experiment.collection.links
    shared = find_shared(configuration, *links)
    if not shared:
        raise ConfigurationError("[[io]] channels: none is a chpid of the layout that CTCs use")
    alone = run(experiment.over(*map(without_disks, links)), interval)
    with_all = experiment.over(*(with_disks(link, configuration) for link in links))
    beside = run(with_all, interval, progress=progress)
    channels = tuple(
        SharedChannel(
            node=each.node,
            chpid=each.name,
            ctcs_alone=alone.busy(each.ends).use,
            ctcs_beside=(use := beside.busy(each.ends).use),
            disks_alone=each.estimate(),
            disks_beside=each.estimate(use),
        )
        for each in shared
    )
    return SharedRun(alone, beside, channels)


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
        structs.replace(
            each,
            rate_per_s=None if each.rate_per_s is None else share * each.rate_per_s,
            outstanding=each.outstanding
            if each.outstanding is None or each.rate_per_s is not None
            else max(1, round(share * each.outstanding)),
        )
        for each in configuration.workloads
    )
    return structs.replace(configuration, workloads=workloads)
