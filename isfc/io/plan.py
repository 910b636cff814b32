"""What an I/O configuration can do, in closed form, and what to change in it.

`isfc.io.advice` has the advice. MB are 10**6 bytes.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from msgspec import Struct

from ctc.sharing import NOTHING
from isfc.io.configuration import IoChannel, IoConfiguration, IoWorkload, Protocol
from isfc.io.demand import ChannelRoute, Demand, make_demand, make_routes
from isfc.io.estimate import ChannelEstimate, estimate_channel
from isfc.io.osa import channel_rates
from isfc.io.sap import SapLoad, sap_loads
from isfc.io.trunks import TrunkLoad, balance, trunk_loads
from isfc.io.zhyperlink import SynchronousLoad, synchronous_loads, turned_away


@dataclass(frozen=True, slots=True)
class ChannelPlan:
    """A FICON channel with the workloads that use it; ``estimate`` has them in this order."""

    channel: IoChannel
    workloads: tuple[IoWorkload, ...]
    estimate: ChannelEstimate


class PlannedOsa(Struct, frozen=True):
    """An OSA and what its streams get, each way by itself."""

    chpid: str
    feature: str
    mtu_bytes: int
    mb_per_s_out: float
    """2^20 bytes"""
    mb_per_s_in: float
    limit_out: str
    """what the streams are limited by"""
    limit_in: str


class FullFirst(Struct, frozen=True):
    """What is full first."""

    what: str
    """such as `channel 42, processor` or `fanout F`"""
    percent: float | None
    """how much of it is used; null: more than all"""

    @property
    def most(self) -> float:
        """The same as a number."""
        return math.inf if self.percent is None else self.percent


@dataclass(frozen=True, slots=True)
class IoPlan:
    """What a configuration can do."""

    configuration: IoConfiguration
    channels: tuple[ChannelPlan, ...]
    synchronous: tuple[SynchronousLoad, ...]
    osas: tuple[PlannedOsa, ...]
    saps: tuple[SapLoad, ...]
    trunks: tuple[TrunkLoad, ...] = ()

    def used(self) -> Iterator[FullFirst]:
        """Every resource that data or I/Os may fill, and how much of it is used."""
        for plan in self.channels:
            title, found = f"channel {plan.channel.chpid}", plan.estimate
            yield FullFirst(f"{title}, processor", 100 * found.processor)
            yield FullFirst(f"{title}, bus", 100 * found.bus)
            yield FullFirst(f"{title}, line, reads", 100 * found.line_read)
            yield FullFirst(f"{title}, line, writes", 100 * found.line_write)
        for load in self.trunks:
            yield FullFirst(load.title, min(100.0, load.percent))
        for saps in self.saps:
            yield FullFirst(f"SAPs of {saps.system}", saps.busy_percent)

    def first(self) -> FullFirst | None:
        """What is full first as the load grows; None if nothing is used.

        A trunk that is full leaves the channels below it with less to do than they could.
        """
        return max(
            (each for each in self.used() if each.most > 0),
            key=lambda each: each.most,
            default=None,
        )


def make_io_plan(
    configuration: IoConfiguration, change: Callable[[Demand], Demand] | None = None
) -> IoPlan:
    """Estimate every channel of ``configuration``. Raises `ctc.errors.BadFeature`.

    ``change`` is done to what each workload asks of a channel.
    """
    synchronous = tuple(synchronous_loads(configuration))
    used = [
        each for each in asked(configuration, asynchronous(configuration, synchronous)) if each[1]
    ]
    if change is not None:
        used = [(route, users, tuple(map(change, of))) for route, users, of in used]
    channels = tuple(_channel_plans(configuration, used))
    return IoPlan(
        configuration,
        channels,
        synchronous,
        tuple(_osa(each) for each in configuration.channels.values() if each.is_osa),
        sap_loads(
            configuration,
            (
                (workload, plan.channel, each.rate_per_s)
                for plan in channels
                for workload, each in zip(plan.workloads, plan.estimate.demands, strict=True)
            ),
        ),
        trunk_loads(
            configuration.trunks,
            {plan.channel.chpid: plan.estimate.traffic for plan in channels},
        ),
    )


def _osa(channel: IoChannel) -> PlannedOsa:
    out, back = channel_rates(channel)
    of = channel.chpid, channel.feature, channel.mtu_bytes
    return PlannedOsa(*of, out.mb_per_s, back.mb_per_s, out.limit, back.limit)


Asked = tuple[ChannelRoute, tuple[IoWorkload, ...], tuple[Demand, ...]]
"""A channel, the workloads on it, and what they ask of it."""


def asynchronous(
    configuration: IoConfiguration, synchronous: Iterable[SynchronousLoad]
) -> list[IoWorkload]:
    """What goes over FICON channels: what is to, and what zHyperLinks turn away."""
    failed = (turned_away(load, configuration) for load in synchronous)
    others = (Protocol.SYNCHRONOUS, Protocol.TCP)
    return [
        *(one for one in configuration.workloads if one.protocol not in others),
        *(one for one in failed if one),
    ]


def asked(configuration: IoConfiguration, workloads: Sequence[IoWorkload]) -> Iterator[Asked]:
    """Every FICON channel; paths are shared by those that take them."""
    for route in make_routes(configuration):
        chpid = route.channel.chpid
        users = tuple(one for one in workloads if chpid in one.channels and one.rate_per_s != 0)
        yield route, users, tuple(make_demand(workload, route) for workload in users)


def _channel_plans(configuration: IoConfiguration, used: Sequence[Asked]) -> Iterator[ChannelPlan]:
    """Each as slow as the trunks above it make it."""
    estimates = {
        route.channel.chpid: partial(estimate_channel, route, demands, NOTHING)
        for route, _, demands in used
    }
    slowness = balance(configuration.trunks, estimates)
    for route, users, _ in used:
        chpid = route.channel.chpid
        yield ChannelPlan(route.channel, users, estimates[chpid](slowness[chpid]))
