"""Synchronous workloads: what becomes of their requests, and what goes over channels instead."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ctc.zhyperlink import ZHYPERLINK, SynchronousOutcome, synchronous_outcome
from isfc.io.configuration import Channel, IoConfiguration, IoWorkload, Protocol


@dataclass(frozen=True, slots=True)
class SynchronousLoad:
    """A synchronous workload with its zHyperLinks.

    ``outcome`` is None if it has no rate: it then takes what the processors ask.
    """

    workload: IoWorkload
    links: tuple[Channel, ...]
    outcome: SynchronousOutcome | None


def synchronous_loads(configuration: IoConfiguration) -> Iterator[SynchronousLoad]:
    """Every synchronous workload of a configuration."""
    for workload in configuration.workloads:
        if workload.protocol is Protocol.SYNCHRONOUS:
            used = (configuration.channels[chpid] for chpid in workload.channels)
            links = tuple(channel for channel in used if channel.is_zhyperlink)
            rate, hit = workload.rate_per_s, workload.cache_hit_percent / 100
            outcome = (
                None
                if rate is None
                else synchronous_outcome(ZHYPERLINK, rate, len(links), cache_hit=hit)
            )
            yield SynchronousLoad(workload, links, outcome)


def turned_away(load: SynchronousLoad, configuration: IoConfiguration) -> IoWorkload | None:
    """What goes over the FICON channels that the workload names; None if there are none."""
    workload, outcome = load.workload, load.outcome
    channels = tuple(chpid for chpid in workload.channels if configuration.channels[chpid].is_ficon)
    if outcome is None or not channels:
        return None
    failed = 1.0 - outcome.success
    missed = outcome.cache_miss / max(1e-9, failed)
    return replace(
        workload,
        name=f"{workload.name} (async)",
        protocol=Protocol.ZHPF,
        channels=channels,
        rate_per_s=(workload.rate_per_s or 0.0) * failed,
        cache_hit_percent=100 * (1.0 - missed),
    )
