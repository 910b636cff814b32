"""zHyperLink: synchronous I/O, for which the processor waits.

A read that finds all slots of the link taken, that the control unit rejects, or that misses the
storage's cache, fails immediately and is started again over a channel. So a link is a loss system:
nobody queues for it. A read in it spends a fixed time and its turn of the one thing all share.

Workloads that name the same zHyperLink find it as busy as all of them make it. Requests that are
longer than a link takes are not tried there: all of them are turned away. Over a channel, a request
that found the link busy or was rejected is in the cache as often as any; one that missed it is not.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from isfc.io.configuration import IoChannel, IoConfiguration, IoWorkload, Protocol


class SynchronousProfile(Struct, frozen=True):
    """One link: ``slots`` reads at a time, ``fixed_ns`` each, and ``turn_ns`` one after the other.

    ``asynchronous_ns`` is what a read takes instead that goes over a channel, and
    ``asynchronous_cpu_ns`` what of the processor.
    """

    slots: int
    fixed_ns: int
    turn_ns: int
    asynchronous_ns: int
    asynchronous_cpu_ns: int
    length_max: int

    @property
    def unloaded_ns(self) -> int:
        """The latency of a read that is alone."""
        return self.fixed_ns + self.turn_ns


ZHYPERLINK: Final = SynchronousProfile(
    slots=5,
    fixed_ns=13_000,
    turn_ns=6_000,
    asynchronous_ns=95_000,
    asynchronous_cpu_ns=4_540,
    length_max=4096,
)
"""``fixed_ns`` and ``turn_ns`` add up to the published 19 us of z15 and DS8900F. Calibrated:
``slots`` and ``turn_ns``, on LCU 0071 of the RMF report in Storage Performance with zHyperLink
(GSE UK 2018): 20.3 % of some 150,000 reads a second find the link busy, the others take 26 us.
Published in that report: 95 us of a read that went asynchronous, and the length of 4096 bytes.
Calibrated: its 4.54 us of CPU, on 37.01 s of 2 million VSAM reads of 4.1 I/Os each."""


class ZHyperLinkLoad(Struct, frozen=True):
    """The share of reads that find a link busy, and the latency of the others, in ns."""

    busy: float
    latency_ns: float


class SynchronousOutcome(Struct, frozen=True):
    """What becomes of synchronous requests: shares that add up to 1, times in ns.

    ``spin_ns`` is what a request costs the processor that waits, whether it succeeds or not;
    ``response_ns`` the mean of all requests, with those that went over a channel.
    """

    success: float = 0.0
    link_busy: float = 0.0
    rejected: float = 0.0
    cache_miss: float = 0.0
    latency_ns: float = 0.0
    response_ns: float = 0.0
    spin_ns: float = 0.0


def link_load(profile: SynchronousProfile, reads_per_s: float) -> ZHyperLinkLoad:
    """One link that is asked for ``reads_per_s``, at random times.

    The chances of 0 to ``slots`` reads at the same time have a product form: a delay for each
    alone, and a turn shared by all, of whatever distribution.
    """
    delay = reads_per_s * profile.fixed_ns / 1e9
    turn = reads_per_s * profile.turn_ns / 1e9
    delayed = weight = total = 1.0
    inside = 0.0
    for count in range(1, profile.slots + 1):
        delayed *= delay / count
        weight = delayed + turn * weight
        total += weight
        inside += count * weight
    busy = weight / total
    carried_per_s = reads_per_s * (1.0 - busy)
    latency_ns = inside / total * 1e9 / carried_per_s if carried_per_s else profile.unloaded_ns
    return ZHyperLinkLoad(busy, latency_ns)


def link_limit_per_s(profile: SynchronousProfile) -> float:
    """Reads a second of a link whose slots are all taken all the time."""
    endless = 1e12
    return endless * (1.0 - link_load(profile, endless).busy)


def synchronous_outcome(
    profile: SynchronousProfile,
    requests_per_s: float,
    links: int = 1,
    *,
    cache_hit: float = 1.0,
    rejected: float = 0.0,
) -> SynchronousOutcome:
    """``requests_per_s`` dealt to ``links``; what fails goes over a channel.

    ``cache_hit`` is the share that the storage has in its cache, ``rejected`` the share that the
    control unit turns away. Both are noticed in the link, which takes as long as a read.
    """
    load = link_load(profile, requests_per_s / links)
    inside = 1.0 - load.busy
    turned_away = inside * rejected
    missed = (inside - turned_away) * (1.0 - cache_hit)
    success = inside - turned_away - missed
    spin_ns = inside * load.latency_ns
    response_ns = spin_ns + (1.0 - success) * profile.asynchronous_ns
    shares = success, load.busy, turned_away, missed
    return SynchronousOutcome(*shares, load.latency_ns, response_ns, spin_ns)


_TOO_LONG: Final = SynchronousOutcome(rejected=1.0, response_ns=ZHYPERLINK.asynchronous_ns)
"""Of I/Os that no zHyperLink takes."""


class SynchronousLoad(Struct, frozen=True):
    """A synchronous workload with its zHyperLinks.

    ``outcome`` is None if it has no rate: it then takes what the processors ask.
    """

    workload: IoWorkload
    links: tuple[IoChannel, ...]
    outcome: SynchronousOutcome | None


def synchronous_loads(configuration: IoConfiguration) -> Iterator[SynchronousLoad]:
    """Every synchronous workload of a configuration."""
    for workload in configuration.workloads:
        if workload.protocol is Protocol.SYNCHRONOUS:
            used = (configuration.channels[chpid] for chpid in workload.channels)
            links = tuple(channel for channel in used if channel.is_zhyperlink)
            rate, hit = workload.rate_per_s, workload.cache_hit_percent / 100
            outcome = None if rate is None else _TOO_LONG
            if rate is not None and _fits(workload):
                asked = sum(_asked_per_s(link, configuration) for link in links)
                outcome = synchronous_outcome(
                    ZHYPERLINK, asked, len(links), cache_hit=hit, rejected=workload.rejected
                )
            yield SynchronousLoad(workload, links, outcome)


def _fits(workload: IoWorkload) -> bool:
    """Whether a zHyperLink takes I/Os as long as these."""
    return workload.io_bytes <= ZHYPERLINK.length_max


def _asked_per_s(link: IoChannel, configuration: IoConfiguration) -> float:
    """What all workloads ask of one link; each deals its requests evenly to its links."""
    return sum(
        workload.rate_per_s / sum(configuration.channels[one].is_zhyperlink for one in names)
        for workload in configuration.users_of(link.chpid)
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


class ReadsActivity(Struct, frozen=True):
    """Synchronous reads of a workload on its zHyperLinks; null without a rate."""

    name: str
    devices: int
    links: int
    io_per_s: float | None = None
    """those that succeed"""
    mb_per_s: float | None = None
    """10^6 bytes that they read"""
    latency_us: float | None = None
    """of those that succeed"""
    response_us: float | None = None
    """of all"""
    success_percent: float | None = None
    link_busy_percent: float | None = None
    cache_miss_percent: float | None = None
    rejected_percent: float | None = None


def reads_activity(load: SynchronousLoad) -> ReadsActivity:
    """What becomes of synchronous reads."""
    asked, found = load.workload, load.outcome
    of = asked.name, asked.devices, len(load.links)
    if found is None:
        return ReadsActivity(*of)
    done = (asked.rate_per_s or 0.0) * found.success
    times = found.latency_ns / 1e3, found.response_ns / 1e3
    shares = found.success, found.link_busy, found.cache_miss, found.rejected
    return ReadsActivity(
        *of, done, done * asked.io_bytes / 1e6, *times, *(100 * each for each in shares)
    )
