"""What limits the I/Os of a configuration: what carries more of them when it is faster.

This is found by evidence. The estimate of `isfc.io.plan`, to which runs are held, is made again
with one thing 5 % faster after the other; it draws nothing, so that nothing else differs. How much
of these 5 % the I/Os a second gain is its share in the limit: 1 if nothing else counts. Where the
load itself limits, what makes I/Os take long is found in the same way, from their mean response
time.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from operator import itemgetter
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

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


class IoLimiting(Struct, frozen=True):
    """The share of something in a limit."""

    resource: IoResource
    """`processor`, `line`, `bus`, `storage`, `distance`, `trunk`, `outstanding` or `rate`"""
    share: float
    """how much of 5 % more speed is gained: 1 if nothing else counts"""
    where: str | None
    """the fullest of its kind"""
    busy_percent: float | None


class IoLimit(Struct, frozen=True):
    """What limits the I/Os, by the estimate of `isfc io plan`."""

    by: tuple[IoLimiting, ...]
    """those with the greatest share, several if they are alike"""
    shares: tuple[IoLimiting, ...]
    """all that count"""
    without_io_per_s: float
    """I/Os a second if `by` took no time, or with twice the load"""
    response: tuple[IoLimiting, ...]
    """what makes the mean response time"""
    text: str = ""
    """the same in words"""


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
        rates.append(IoLimiting(resource, (rate / io_per_s - 1) / (FACTOR - 1), *busiest))
        if resource not in LOADS:
            gone = (1 - response / response_ns) / (1 - 1 / FACTOR)
            responses.append(IoLimiting(resource, gone, *busiest))
    shares = _counting(rates)
    by = tuple(each for each in shares if each.share >= shares[0].share - TIE)
    freed = [(each.resource, MORE_LOAD if each.resource in LOADS else UNLIMITED) for each in by]
    without, _ = _figures(_plan_with(configuration, freed))
    return IoLimit(by, shares, without, _counting(responses))


def _counting(shares: Sequence[IoLimiting]) -> tuple[IoLimiting, ...]:
    """Those that count, the greatest first; the greatest at least."""
    ordered = sorted(shares, key=lambda each: -each.share)
    return tuple(each for each in ordered if each is ordered[0] or each.share >= SHARE_MIN)


def _figures(plan: IoPlan) -> tuple[float, float]:
    """I/Os a second, and their mean response time in ns."""
    found = [each for channel in plan.channels for each in channel.demands]
    rate = sum(each.rate_per_s for each in found)
    return rate, sum(each.rate_per_s * each.response_ns for each in found) / max(1e-9, rate)


def _busiest(plan: IoPlan, resource: IoResource) -> tuple[str | None, float | None]:
    """The fullest of its kind, as `IoPlan.used` names them, and how busy it is in percent."""
    trunks = {load.title for load in plan.trunks}
    used = [
        (each.what, each.most)
        for each in plan.used()
        if (each.what in trunks if resource is IoResource.TRUNK else f", {resource}" in each.what)
    ]
    return max(used, key=itemgetter(1), default=(None, None))


def _plan_with(
    configuration: IoConfiguration, changes: Sequence[tuple[IoResource, float]]
) -> IoPlan:
    """The plan where some things are so many times as fast, or so many times as much is asked."""
    for resource, factor in changes:
        if resource is IoResource.TRUNK:
            trunks = tuple(
                replace(each, ceiling=each.ceiling.raised(factor)) for each in configuration.trunks
            )
            configuration = replace(configuration, trunks=trunks)

    def change(demand: Demand) -> Demand:
        for resource, factor in changes:
            demand = _CHANGES[resource](demand, factor)
        return demand

    return make_io_plan(configuration, change)


_FlowChange = Callable[[WorkloadFlow, float], WorkloadFlow]


def _of_flows(change: _FlowChange) -> Callable[[Demand, float], Demand]:
    def changed(demand: Demand, factor: float) -> Demand:
        return replace(demand, flows=tuple(change(flow, factor) for flow in demand.flows))

    return changed


def _processor(flow: WorkloadFlow, factor: float) -> WorkloadFlow:
    work = flow.work
    return replace(flow, work=replace(work, processor_ns=work.processor_ns / factor))


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

    had = demand.storage
    faster = replace(had, hit_ns=had.hit_ns / factor, miss_ns=had.miss_ns / factor)
    return replace(_of_flows(streamed)(demand, factor), storage=faster)


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
