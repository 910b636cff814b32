"""What limits the I/Os of a configuration: what carries more of them when it is faster.

This is found by evidence. The estimate of `isfc.io.plan`, to which runs are held, is made again
with one thing 5 % faster after the other; it draws nothing, so that nothing else differs. How much
of these 5 % the I/Os a second gain is its share in the limit: 1 if nothing else counts. Where the
load itself limits, what makes I/Os take long is found in the same way, from their mean response
time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from isfc.io.bandwidth import Ceiling
from isfc.io.configuration import IoConfiguration
from isfc.io.demand import Demand, WorkloadFlow
from isfc.io.plan import IoPlan, make_io_plan

FACTOR: Final = 1.05
"""So much faster is each thing once."""
SHARE_MIN: Final = 0.1
"""A lesser share does not count."""
TIE: Final = 0.1
"""Shares that are no farther apart are alike."""
UNLIMITED: Final = 1e3
"""So much faster is a thing that is taken away."""
MORE_LOAD: Final = 2.0
"""So many times the load stands for a load that is no limit."""


class IoResource(StrEnum):
    """What may limit I/Os."""

    PROCESSOR = "processor"
    LINE = "line"
    BUS = "bus"
    STORAGE = "storage"
    DISTANCE = "distance"
    TRUNK = "trunk"
    OUTSTANDING = "outstanding"
    RATE = "rate"


LOADS: Final = (IoResource.OUTSTANDING, IoResource.RATE)
"""What is no hardware: more of it is asked for."""


@dataclass(frozen=True, slots=True)
class IoShare:
    """The share of something in the limit, and where it is fullest: ``channel 40, processor``."""

    resource: IoResource
    share: float
    busiest: tuple[str, float] | None = None


@dataclass(frozen=True, slots=True)
class IoLimit:
    """What limits ``io_per_s`` I/Os a second: ``first`` has most, and what is alike.

    ``without`` is how many there would be if ``first`` took no time, or with twice the load.
    ``response`` is what the mean response time, ``response_us``, consists of, the most first.
    """

    io_per_s: float
    response_us: float
    first: tuple[IoShare, ...]
    shares: tuple[IoShare, ...]
    without: float
    response: tuple[IoShare, ...]


def find_io_limit(configuration: IoConfiguration) -> IoLimit | None:
    """Find what limits a configuration's I/Os; None where none goes over a channel."""
    plan = make_io_plan(configuration)
    io_per_s, response_ns = _figures(plan)
    if not io_per_s:
        return None
    rates, responses = [], []
    for resource in IoResource:
        rate, response = _figures(_plan_with(configuration, [(resource, FACTOR)]))
        busiest = _busiest(plan, resource)
        rates.append(IoShare(resource, (rate / io_per_s - 1) / (FACTOR - 1), busiest))
        if resource not in LOADS:
            gone = (1 - response / response_ns) / (1 - 1 / FACTOR)
            responses.append(IoShare(resource, gone, busiest))
    shares = _counting(rates)
    first = tuple(each for each in shares if each.share >= shares[0].share - TIE)
    freed = [(each.resource, MORE_LOAD if each.resource in LOADS else UNLIMITED) for each in first]
    without, _ = _figures(_plan_with(configuration, freed))
    return IoLimit(io_per_s, response_ns / 1e3, first, shares, without, _counting(responses))


def _counting(shares: Sequence[IoShare]) -> tuple[IoShare, ...]:
    """Those that count, the greatest first; the greatest at least."""
    ordered = sorted(shares, key=lambda each: -each.share)
    return tuple(each for each in ordered if each is ordered[0] or each.share >= SHARE_MIN)


def _figures(plan: IoPlan) -> tuple[float, float]:
    """I/Os a second, and their mean response time in ns."""
    found = [each for channel in plan.channels for each in channel.estimate.demands]
    rate = sum(each.rate_per_s for each in found)
    return rate, sum(each.rate_per_s * each.response_ns for each in found) / max(1e-9, rate)


def _busiest(plan: IoPlan, resource: IoResource) -> tuple[str, float] | None:
    """The fullest of its kind, as `IoPlan.shares` names them."""
    trunks = {load.trunk.title for load in plan.trunks}
    used = [
        (name, share)
        for name, share in plan.shares()
        if (name in trunks if resource is IoResource.TRUNK else f", {resource}" in name)
    ]
    return max(used, key=lambda each: each[1], default=None)


def _plan_with(
    configuration: IoConfiguration, changes: Sequence[tuple[IoResource, float]]
) -> IoPlan:
    """The plan where some things are so many times as fast, or so many times as much is asked."""
    for resource, factor in changes:
        if resource is IoResource.TRUNK:
            trunks = tuple(
                replace(each, ceiling=_higher(each.ceiling, factor))
                for each in configuration.trunks
            )
            configuration = replace(configuration, trunks=trunks)

    def change(demand: Demand) -> Demand:
        for resource, factor in changes:
            demand = _CHANGES[resource](demand, factor)
        return demand

    return make_io_plan(configuration, change)


def _higher(ceiling: Ceiling, factor: float) -> Ceiling:
    one_way, both = ceiling.one_way_mb_per_s, ceiling.mb_per_s
    return replace(ceiling, one_way_mb_per_s=factor * one_way, mb_per_s=factor * both)


_FlowChange = Callable[[WorkloadFlow, float], WorkloadFlow]


def _of_flows(change: _FlowChange) -> Callable[[Demand, float], Demand]:
    def changed(demand: Demand, factor: float) -> Demand:
        return replace(demand, flows=tuple(change(flow, factor) for flow in demand.flows))

    return changed


def _processor(flow: WorkloadFlow, factor: float) -> WorkloadFlow:
    work = flow.work
    return replace(flow, work=work._replace(processor_ns=work.processor_ns / factor))


def _line(flow: WorkloadFlow, factor: float) -> WorkloadFlow:
    """Where the lines are what data stream with, they stream faster."""
    read_ns, write_ns = flow.read_line_ns / factor, flow.write_line_ns / factor
    own_ns = max(flow.read_line_ns, flow.write_line_ns)
    solo_ns = max(read_ns, write_ns, flow.solo_ns if own_ns < flow.solo_ns else 0.0)
    stream_ns = max(0.0, flow.stream_ns - (flow.solo_ns - solo_ns))
    return replace(
        flow, read_line_ns=read_ns, write_line_ns=write_ns, solo_ns=solo_ns, stream_ns=stream_ns
    )


def _storage(demand: Demand, factor: float) -> Demand:
    """Cache hits and misses take less, and so do data that storage streams slower than lines."""

    def streamed(flow: WorkloadFlow, factor: float) -> WorkloadFlow:
        line_ns = max(flow.read_line_ns, flow.write_line_ns)
        solo_ns = max(line_ns, flow.solo_ns / factor)
        return replace(
            flow, solo_ns=solo_ns, stream_ns=max(0.0, flow.stream_ns - (flow.solo_ns - solo_ns))
        )

    hit_ns, miss_ns = demand.hit_ns / factor, demand.one_miss_ns / factor
    return replace(_of_flows(streamed)(demand, factor), hit_ns=hit_ns, one_miss_ns=miss_ns)


def _rate(demand: Demand, factor: float) -> Demand:
    """More is asked: of an open load, or sooner after the I/O before."""
    if demand.rate_per_s is not None:
        return replace(demand, rate_per_s=factor * demand.rate_per_s)
    return replace(demand, think_ns=demand.think_ns / factor)


_CHANGES: Final[dict[IoResource, Callable[[Demand, float], Demand]]] = {
    IoResource.PROCESSOR: _of_flows(_processor),
    IoResource.LINE: _of_flows(_line),
    IoResource.BUS: _of_flows(lambda flow, factor: replace(flow, bus_ns=flow.bus_ns / factor)),
    IoResource.STORAGE: _storage,
    IoResource.DISTANCE: _of_flows(
        lambda flow, factor: replace(flow, fixed_ns=flow.fixed_ns / factor)
    ),
    IoResource.TRUNK: lambda demand, _: demand,
    IoResource.OUTSTANDING: lambda demand, factor: replace(
        demand, outstanding=factor * demand.outstanding
    ),
    IoResource.RATE: _rate,
}
