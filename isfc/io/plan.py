"""What an I/O configuration can do, in closed form, and what to change in it.

`isfc.io.advice` has the advice. MB are 10**6 bytes.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ctc.osa import Flow, StreamRate, find_osa, stream_rate
from ctc.sap import Z15, iop_threads, sap_busy
from ctc.zhyperlink import ZHYPERLINK, SynchronousOutcome, synchronous_outcome
from isfc.io.configuration import Channel, IoConfiguration, IoWorkload, Protocol
from isfc.io.demand import make_demand, make_route
from isfc.io.estimate import ChannelEstimate, estimate_channel


@dataclass(frozen=True, slots=True)
class ChannelPlan:
    """A FICON channel with the workloads that ride it; ``estimate`` has them in this order."""

    channel: Channel
    workloads: tuple[IoWorkload, ...]
    estimate: ChannelEstimate

    @property
    def io_per_s(self) -> float:
        """All I/Os a second."""
        return sum(each.rate_per_s for each in self.estimate.demands)

    @property
    def mb_per_s(self) -> tuple[float, float]:
        """Read, and written."""
        rates = [each.rate_per_s for each in self.estimate.demands]
        moved = [rate * one.io_bytes / 1e6 for rate, one in self._with(rates)]
        read = sum(mb * one.read_share for mb, one in self._with(moved))
        return read, sum(moved) - read

    def _with(self, figures: list[float]) -> Iterator[tuple[float, IoWorkload]]:
        return zip(figures, self.workloads, strict=True)


@dataclass(frozen=True, slots=True)
class SynchronousPlan:
    """A synchronous workload, its zHyperLinks, and what becomes of its requests."""

    workload: IoWorkload
    links: tuple[Channel, ...]
    outcome: SynchronousOutcome | None
    """None if the workload has no rate: it then takes what the processors ask."""


@dataclass(frozen=True, slots=True)
class OsaPlan:
    """An OSA and what streams get each way, by themselves."""

    channel: Channel
    outbound: StreamRate
    inbound: StreamRate


@dataclass(frozen=True, slots=True)
class SapPlan:
    """A system's SAPs, and how busy they get, as a share; infinite if they cannot do it."""

    system: str
    saps: int
    busy: float


@dataclass(frozen=True, slots=True)
class IoPlan:
    """What a configuration can do."""

    configuration: IoConfiguration
    channels: tuple[ChannelPlan, ...]
    synchronous: tuple[SynchronousPlan, ...]
    osas: tuple[OsaPlan, ...]
    saps: tuple[SapPlan, ...]


def make_io_plan(configuration: IoConfiguration) -> IoPlan:
    """Estimate every channel of ``configuration``. Raises `ctc.errors.BadFeature`."""
    channels = tuple(_channel_plans(configuration))
    return IoPlan(
        configuration,
        channels,
        tuple(_synchronous_plans(configuration)),
        tuple(_osa_plan(channel) for channel in configuration.channels.values() if channel.is_osa),
        tuple(_sap_plans(configuration, channels)),
    )


def _channel_plans(configuration: IoConfiguration) -> Iterator[ChannelPlan]:
    """FICON channels that carry asynchronous I/O; paths are shared by those that take them."""
    sharing = Counter(
        channel.path.name
        for channel in configuration.channels.values()
        if channel.is_ficon and channel.path
    )
    for channel in configuration.channels.values():
        riding = tuple(
            workload
            for workload in configuration.riding(channel.chpid)
            if workload.protocol is not Protocol.SYNCHRONOUS
        )
        if channel.is_ficon and riding:
            route = make_route(channel, sharing[channel.path.name] if channel.path else 1)
            demands = [make_demand(workload, route) for workload in riding]
            yield ChannelPlan(channel, riding, estimate_channel(route, demands))


def _synchronous_plans(configuration: IoConfiguration) -> Iterator[SynchronousPlan]:
    for workload in configuration.workloads:
        if workload.protocol is Protocol.SYNCHRONOUS:
            links = tuple(
                configuration.channels[chpid]
                for chpid in workload.channels
                if configuration.channels[chpid].is_zhyperlink
            )
            rate = workload.rate_per_s
            outcome = rate and synchronous_outcome(
                ZHYPERLINK, rate, len(links), cache_hit=workload.cache_hit_percent / 100
            )
            yield SynchronousPlan(workload, links, outcome or None)


def _osa_plan(channel: Channel) -> OsaPlan:
    outbound, inbound = (
        stream_rate(
            find_osa(channel.feature), channel.mtu_bytes, flow, large_send=channel.large_send
        )
        for flow in (Flow.OUT, Flow.IN)
    )
    return OsaPlan(channel, outbound, inbound)


def _sap_plans(
    configuration: IoConfiguration, channels: tuple[ChannelPlan, ...]
) -> Iterator[SapPlan]:
    """Starts and interrupts of each system that has SAPs named; without a name, of the only one."""
    systems = configuration.systems
    only = next(iter(systems)) if len(systems) == 1 else ""
    for name, system in systems.items():
        if system.saps is None:
            continue
        rate = sum(
            estimate.rate_per_s
            for plan in channels
            for workload, estimate in zip(plan.workloads, plan.estimate.demands, strict=True)
            if (workload.system or plan.channel.system or only) == name
        )
        yield SapPlan(name, system.saps, sap_busy(Z15, iop_threads(system.saps), rate, rate))
