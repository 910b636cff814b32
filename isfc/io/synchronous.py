"""Synchronous workloads: what becomes of their requests, and what goes over channels instead.

Workloads that name the same zHyperLink find it as busy as all of them make it. Requests that are
longer than a link takes are not tried there: all of them are turned away. Over a channel, a request
that found the link busy or was rejected is in the cache as often as any; one that missed it is not.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from isfc.io.configuration import Channel, IoConfiguration, IoWorkload, Protocol
from isfc.io.zhyperlink import ZHYPERLINK, SynchronousOutcome, synchronous_outcome

_TOO_LONG: Final = SynchronousOutcome(
    success=0.0,
    link_busy=0.0,
    rejected=1.0,
    cache_miss=0.0,
    latency_ns=0.0,
    response_ns=ZHYPERLINK.asynchronous_ns,
    spin_ns=0.0,
)
"""Of I/Os that no zHyperLink takes."""


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
            outcome = None
            if rate is not None and _fits(workload):
                asked = sum(_asked_per_s(link, configuration) for link in links)
                outcome = synchronous_outcome(
                    ZHYPERLINK,
                    asked,
                    len(links),
                    cache_hit=hit,
                    rejected=workload.rejected_percent / 100,
                )
            elif rate is not None:
                outcome = _TOO_LONG
            yield SynchronousLoad(workload, links, outcome)


def _fits(workload: IoWorkload) -> bool:
    """Whether a zHyperLink takes I/Os as long as these."""
    return workload.io_bytes <= ZHYPERLINK.length_max


def _asked_per_s(link: Channel, configuration: IoConfiguration) -> float:
    """What all workloads ask of one link; each deals its requests evenly to its links."""
    return sum(
        workload.rate_per_s / sum(configuration.channels[one].is_zhyperlink for one in names)
        for workload in configuration.riding(link.chpid)
        if workload.protocol is Protocol.SYNCHRONOUS and workload.rate_per_s and _fits(workload)
        for names in (workload.channels,)
    )


def turned_away(load: SynchronousLoad, configuration: IoConfiguration) -> IoWorkload | None:
    """What goes over the FICON channels that the workload names; None if there are none."""
    workload, outcome = load.workload, load.outcome
    channels = tuple(chpid for chpid in workload.channels if configuration.channels[chpid].is_ficon)
    if outcome is None or not channels:
        return None
    failed = 1.0 - outcome.success
    untried = outcome.link_busy + outcome.rejected
    hit_percent = workload.cache_hit_percent * untried / failed if failed else 100.0
    return replace(
        workload,
        name=f"{workload.name} (async)",
        protocol=Protocol.ZHPF,
        channels=channels,
        rate_per_s=(workload.rate_per_s or 0.0) * failed,
        cache_hit_percent=hit_percent,
    )
