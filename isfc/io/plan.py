"""What an I/O configuration can do, in closed form, and what to change in it.

`isfc.io.advice` has the advice. MB are 10**6 bytes.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from msgspec import Struct

from ctc.channel import NOTHING
from isfc.io.configuration import IoChannel, IoConfiguration, IoWorkload, Protocol
from isfc.io.demand import ChannelRoute, Demand, make_demand, make_routes
from isfc.io.estimate import ChannelEstimate, estimate_channel
from isfc.io.osa import channel_rates
from isfc.io.sap import SapLoad, sap_loads
from isfc.io.trunks import TrunkLoad, balance, trunk_loads
from isfc.io.zhyperlink import SynchronousLoad, synchronous_loads, turned_away


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


class ResourceUse(Struct, frozen=True):
    """A resource, and how much of it is used."""

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
    channels: tuple[ChannelEstimate, ...]
    synchronous: tuple[SynchronousLoad, ...]
    osas: tuple[PlannedOsa, ...]
    saps: tuple[SapLoad, ...]
    trunks: tuple[TrunkLoad, ...] = ()

    def used(self) -> Iterator[ResourceUse]:
        """Every resource that data or I/Os may fill, and how much of it is used."""
        for found in self.channels:
            title = f"channel {found.channel.chpid}"
            yield ResourceUse(f"{title}, processor", 100 * found.processor)
            yield ResourceUse(f"{title}, bus", 100 * found.bus)
            yield ResourceUse(f"{title}, line, reads", 100 * found.line_read)
            yield ResourceUse(f"{title}, line, writes", 100 * found.line_write)
        for load in self.trunks:
            yield ResourceUse(load.title, min(100.0, load.percent))
        for saps in self.saps:
            yield ResourceUse(f"SAPs of {saps.system}", saps.busy_percent)

    def first(self) -> ResourceUse | None:
        """What is full first as the load grows; None if nothing is used.

        A trunk that is full leaves the channels below it with less to do than they could.
        """
        return max(
            (each for each in self.used() if each.most > 0),
            key=lambda each: each.most,
            default=None,
        )


def make_io_plan(
    configuration: IoConfiguration, change: Callable[[Demand], Demand] = lambda demand: demand
) -> IoPlan:
    """Estimate every channel of ``configuration``. Raises `ctc.channel.BadFeature`.

    ``change`` is done to what each workload asks of a channel.
    """
    synchronous = tuple(synchronous_loads(configuration))
    estimates = {
        route.channel.chpid: partial(estimate_channel, route, tuple(map(change, demands)), NOTHING)
        for route, demands in asked(configuration, asynchronous(configuration, synchronous))
        if demands
    }
    slowness = balance(configuration.trunks, estimates)
    channels = tuple(estimate(slowness[chpid]) for chpid, estimate in estimates.items())
    return IoPlan(
        configuration,
        channels,
        synchronous,
        tuple(_osa(each) for each in configuration.channels.values() if each.is_osa),
        sap_loads(
            configuration,
            (
                (each.demand.workload, channel.channel, each.rate_per_s)
                for channel in channels
                for each in channel.demands
            ),
        ),
        trunk_loads(configuration.trunks, {each.channel.chpid: each.traffic for each in channels}),
    )


def _osa(channel: IoChannel) -> PlannedOsa:
    out, back = channel_rates(channel)
    of = channel.chpid, channel.feature, channel.mtu_bytes
    return PlannedOsa(*of, out.mb_per_s, back.mb_per_s, out.limit, back.limit)


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


def asked(
    configuration: IoConfiguration, workloads: Sequence[IoWorkload]
) -> Iterator[tuple[ChannelRoute, tuple[Demand, ...]]]:
    """Every FICON channel, and what workloads ask of it; those on a path share it."""
    for route in make_routes(configuration):
        chpid = route.channel.chpid
        users = (one for one in workloads if chpid in one.channels and one.rate_per_s != 0)
        yield route, tuple(make_demand(workload, route) for workload in users)
