"""Mean values of disk I/O on channels: rates, utilizations and response times, without a run.

Approximate mean-value analysis. A channel has a processor, which all I/Os share, and a transfer
stage, in which each I/O streams at its own pace until a direction of the line, or the bus, is short
of room. What an arriving I/O finds is what is there on average, less its own part if its
workload is closed (Schweitzer's approximation).
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import ceil
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ctc.channel import NOTHING, ChannelUse
from isfc.io.configuration import IoChannel, IoWorkload
from isfc.io.demand import (
    ChannelFlows,
    ChannelRoute,
    Demand,
    WorkloadFlow,
    make_demand,
    make_route,
    slowed,
)
from isfc.io.timescales import FlowKind, slowdown, slowdowns

_ROUNDS_MAX: Final = 20_000
_CLOSE: Final = 1e-7
_DAMPING: Final = 0.5

_SCALES: Final = 5.0
"""How many times longer some flows stream than others, for what each meets to differ (chosen)."""

_REFINEMENTS_MAX: Final = 30
_NEAR: Final = 1e-4

_FEW: Final = 64.0
"""I/Os at the same time up to which it matters what exactly an arriving one finds (chosen)."""

_BUS: Final = 2
"""The place of the bus among the resources; those before are the line's directions."""

_Weights = tuple[float, float, float]
"""Of the reading line, the writing line and the bus."""


class DemandEstimate(Struct, frozen=True):
    """One workload on one channel: carried I/Os a second, and what their time consists of."""

    demand: Demand
    rate_per_s: float
    pend_ns: float
    disc_ns: float
    conn_ns: float
    extra_ns: float
    """What of these is waiting for others."""

    @property
    def response_ns(self) -> float:
        """From the start of the I/O to its end."""
        return self.pend_ns + self.disc_ns + self.conn_ns

    @property
    def active(self) -> float:
        """Open exchanges: I/Os between the channel and the control unit."""
        return self.rate_per_s * self.response_ns / 1e9


class ChannelEstimate(ChannelFlows, Struct, frozen=True):
    """A channel with all that uses it."""

    route: ChannelRoute
    demands: tuple[DemandEstimate, ...]

    def flows(self) -> Iterator[tuple[float, WorkloadFlow]]:
        """I/Os a second of each flow."""
        for each in self.demands:
            for flow in each.demand.flows:
                yield each.rate_per_s * flow.share, flow


def estimate_channel(
    route: ChannelRoute,
    demands: Sequence[Demand],
    ctcs: ChannelUse = NOTHING,
    slowness: tuple[float, float] = (1.0, 1.0),
) -> ChannelEstimate:
    """Estimate a channel of which ``ctcs`` is taken, each share below 1.

    What is above the channel makes reads and writes stream slower by ``slowness``. The utilizations
    are those of the I/Os alone.
    """
    solver = _solved(tuple(slowed(demand, *slowness) for demand in demands), ctcs)
    found = []
    for index, demand in enumerate(demands):
        each = solver.result(index)
        # the time that it takes to be slowed is waiting
        longer_ns = each.demand.unhindered_ns - demand.unhindered_ns
        found.append(replace(each, demand=demand, extra_ns=each.extra_ns + longer_ns))
    return ChannelEstimate(route, tuple(found))


def estimate_alone(channel: IoChannel, *workloads: IoWorkload, sharing: int = 1) -> ChannelEstimate:
    """`estimate_channel` of a channel by itself, ``sharing`` a path with so many, itself counted.

    Raises `ctc.channel.BadFeature`.
    """
    route = make_route(channel, sharing)
    return estimate_channel(route, [make_demand(workload, route) for workload in workloads])


@lru_cache(maxsize=64)
def _solved(demands: tuple[Demand, ...], ctcs: ChannelUse) -> "_Solver":
    """The solution for some demands; channels that share their workloads have the same."""
    solver = _Solver(demands, ctcs)
    solver.solve()
    for index, demand in enumerate(demands):
        if demand.rate_per_s is None and demand.outstanding <= _FEW:
            fewer = replace(demand, outstanding=demand.outstanding - 1.0)
            met = _Solver([*demands[:index], fewer, *demands[index + 1 :]], ctcs)
            met.solve()
            solver.meet(index, met)
    solver.refine()
    return solver


class _Solver:
    """The fixed point: numbers of I/Os make times, times make rates, these make numbers."""

    def __init__(self, demands: Sequence[Demand], ctcs: ChannelUse) -> None:
        self._demands = demands
        self._processor_stretch = 1.0 / (1.0 - ctcs.processor)
        self._read_stretch = 1.0 / (1.0 - ctcs.line_in)
        self._write_stretch = 1.0 / (1.0 - ctcs.line_out)
        self._weights = [[self._weigh(flow) for flow in demand.flows] for demand in demands]
        self.at_processor = [0.0 for _ in demands]
        self._transferring = [[0.0 for _ in demand.flows] for demand in demands]
        self.rates = [0.0 for _ in demands]
        self._limited = [demand.rate_per_s is None for demand in demands]
        self._processor_ns = [0.0 for _ in demands]
        self._extra_ns = [0.0 for _ in demands]

    def _weigh(self, flow: WorkloadFlow) -> _Weights:
        """What a flow takes of each resource at its own pace."""
        return (
            flow.read_line_ns * self._read_stretch / flow.solo_ns,
            flow.write_line_ns * self._write_stretch / flow.solo_ns,
            flow.bus_ns / flow.solo_ns,
        )

    def solve(self) -> None:
        """Go round until nothing changes any more."""
        for _ in range(_ROUNDS_MAX):
            if self._round() < _CLOSE:
                return

    def result(self, index: int) -> DemandEstimate:
        """What has come out for one workload."""
        demand = self._demands[index]
        processor_ns, extra_ns = self._processor_ns[index], self._extra_ns[index]
        pend_ns = demand.start_share * processor_ns
        return DemandEstimate(
            demand=demand,
            rate_per_s=self.rates[index],
            pend_ns=pend_ns,
            disc_ns=demand.miss_ns,
            conn_ns=demand.unhindered_ns + processor_ns - pend_ns + extra_ns,
            extra_ns=processor_ns - demand.processor_ns + extra_ns,
        )

    def meet(self, index: int, others: "_Solver") -> None:
        """Take what an I/O of one closed workload finds from a solution with one I/O less of it.

        That is the arrival theorem; `_round` has an approximation of it, which is worse the fewer
        I/Os there are.
        """
        demand = self._demands[index]
        shared = others.wanted()
        self._processor_ns[index] = (
            demand.processor_ns * self._processor_stretch * (1.0 + sum(others.at_processor))
        )
        self._extra_ns[index] = sum(
            flow.share * flow.solo_ns * (self._slowest(flow, weights, shared, 0.0) - 1.0)
            for flow, weights in zip(demand.flows, self._weights[index], strict=True)
        )
        response_ns = self.result(index).response_ns
        self.rates[index] = demand.outstanding * 1e9 / (response_ns + demand.think_ns)

    def refine(self) -> None:
        """Take how long each kind of flow lasts, where some last much longer than others.

        `_round` lets all flows find the same; beside many short ones that is too much for long
        ones: the load of the line changes while one streams. Which resource holds a flow back is
        settled as there.
        """
        if not any(self._limited):
            self._last()
        elif self._has_scales():
            for _ in range(_REFINEMENTS_MAX):
                if self._last() < _NEAR:
                    return

    def _has_scales(self) -> bool:
        """Whether closed workloads are held up by others only, with flows of different lengths."""
        lengths = [flow.solo_ns for demand in self._demands for flow in demand.flows]
        closed = all(
            demand.rate_per_s is None and demand.outstanding > 0.0
            for demand, limited in zip(self._demands, self._limited, strict=True)
            if limited
        )
        return closed and max(lengths) > _SCALES * min(lengths)

    def _last(self) -> float:
        """Take how long flows last; return the greatest change of a rate, relative to it."""
        by_read, by_write, by_bus = (self._by_duration(place) for place in (0, 1, 2))
        change = 0.0
        for index, demand in enumerate(self._demands):
            found_ns = sum(
                flow.share
                * flow.solo_ns
                * (max((by_read if flow.is_read else by_write)[flow], by_bus[flow]) - 1.0)
                for flow in demand.flows
            )
            if not self._limited[index]:
                self._extra_ns[index] = found_ns
                continue
            self._extra_ns[index] += _DAMPING * (found_ns - self._extra_ns[index])
            before = self.rates[index]
            cycle_ns = self.result(index).response_ns + demand.think_ns
            self.rates[index] = demand.outstanding * 1e9 / cycle_ns
            change = max(change, abs(self.rates[index] / before - 1.0))
        return change

    def _flows(self) -> Iterator[tuple[int, WorkloadFlow, _Weights, float]]:
        """Each flow with the place of its demand, what it takes, and how many of it there are."""
        for index, demand in enumerate(self._demands):
            numbers = self._transferring[index]
            for each in zip(demand.flows, self._weights[index], numbers, strict=True):
                yield index, *each

    def _by_duration(self, place: int) -> dict[WorkloadFlow, float]:
        """How many times longer than alone each flow takes that this resource holds back."""
        held: list[WorkloadFlow] = []
        kinds: list[FlowKind] = []
        beside = 0.0
        for index, flow, weights, number in self._flows():
            if place == _BUS or flow.is_read is (place == 0):
                offered = self.rates[index] * flow.share * flow.solo_ns / 1e9
                most = ceil(self._demands[index].outstanding)
                gap_ns = self._gap_ns(index, flow)
                held.append(flow)
                kinds.append(FlowKind(flow.solo_ns, weights[place], offered, most, gap_ns))
            else:
                beside += number * weights[place]
        return dict(zip(held, slowdowns(kinds, beside), strict=True))

    def _gap_ns(self, index: int, flow: WorkloadFlow) -> float:
        """From the end of a closed I/O's flow to its next one's beginning; 0 of open ones."""
        if not self._limited[index]:
            return 0.0
        demand = self._demands[index]
        cycle_ns = self.result(index).response_ns + demand.think_ns
        streaming = sum(each.share * each.solo_ns for each in demand.flows)
        lasting_ns = flow.solo_ns * (1.0 + self._extra_ns[index] / streaming)
        gap_ns = max(1.0, cycle_ns / flow.share - lasting_ns)
        return gap_ns * ceil(demand.outstanding) / demand.outstanding

    def _round(self) -> float:
        """One round; return the greatest change of a time or a number, relative to it."""
        shared = self.wanted()
        at_processor = sum(self.at_processor)
        change = 0.0
        for index, demand in enumerate(self._demands):
            if demand.outstanding <= 0.0:
                continue
            own = 1.0 / max(1.0, demand.outstanding) if self._limited[index] else 0.0
            seen = at_processor - own * self.at_processor[index]
            processor_ns = demand.processor_ns * self._processor_stretch * (1.0 + seen)
            extras = [
                flow.solo_ns * (self._slowest(flow, weights, shared, own * number) - 1.0)
                for flow, weights, number in zip(
                    demand.flows, self._weights[index], self._transferring[index], strict=True
                )
            ]
            before_ns = self.result(index).response_ns
            self._processor_ns[index] = processor_ns
            self._extra_ns[index] = sum(
                flow.share * extra for flow, extra in zip(demand.flows, extras, strict=True)
            )
            response_ns = self.result(index).response_ns
            carried = demand.outstanding * 1e9 / (response_ns + demand.think_ns)
            if demand.rate_per_s is None or carried < demand.rate_per_s:
                self._limited[index] = True  # and stays so, or it might go to and fro
            rate = carried if demand.rate_per_s is None else min(carried, demand.rate_per_s)
            change = max(change, abs(response_ns - before_ns) / response_ns)
            self.rates[index] = rate
            change = max(change, self._settle(index, rate, processor_ns, extras))
        return change

    def _settle(self, index: int, rate: float, processor_ns: float, extras: list[float]) -> float:
        """Take over half of what the numbers change by; return the change at the processor."""
        number = rate * processor_ns / 1e9
        change = abs(number - self.at_processor[index]) / number
        self.at_processor[index] += _DAMPING * (number - self.at_processor[index])
        transferring = self._transferring[index]
        for place, flow in enumerate(self._demands[index].flows):
            number = rate * flow.share * (flow.solo_ns + extras[place]) / 1e9
            transferring[place] += _DAMPING * (number - transferring[place])
        return change

    def wanted(self) -> "_Shared":
        """What all that transfers wants of the directions of the line, and then of the bus.

        The bus sees flows at the pace that their direction of the line lets them have.
        """
        reading, writing = (self._resource(place, (1.0, 1.0)) for place in (0, 1))
        paces = 1.0 / max(1.0, reading.wanted), 1.0 / max(1.0, writing.wanted)
        return reading, writing, self._resource(_BUS, paces)

    def _resource(self, place: int, paces: tuple[float, float]) -> "_Resource":
        """One resource, reads and writes going at these paces."""
        wanted = square = 0.0
        for _, flow, weights, number in self._flows():
            part = number * weights[place] * paces[0 if flow.is_read else 1]
            wanted += part
            square += part * weights[place]
        return _Resource(wanted, wanted / square if square else 1.0)

    @staticmethod
    def _slowest(flow: WorkloadFlow, weights: _Weights, shared: "_Shared", own: float) -> float:
        """How many times longer than by itself a flow takes that meets all others but ``own``.

        Its own direction of the line holds it back, or the bus; its one frame the other way does
        not. Flows from a direction that is full come to the bus evenly, not by chance.
        """
        reading, writing, bus = shared
        place = 0 if flow.is_read else 1
        by_line = shared[place].slowdown(own * weights[place], weights[place])
        if max(reading.wanted, writing.wanted) > 1.0:
            return max(by_line, max(1.0, shared[place].wanted) * max(1.0, bus.wanted))
        return max(by_line, bus.slowdown(own * weights[2], weights[2]))


class _Resource(Struct, frozen=True):
    """How much is wanted of a resource, 1 being all of it, and how many average flows fill it."""

    wanted: float
    width: float

    def slowdown(self, own: float, weight: float) -> float:
        """Of a flow that wants ``weight``, and whose workload has put ``own`` of it there."""
        seen = max(0.0, self.wanted - own) * self.width
        return slowdown(self.width, seen, weight * self.width)


_Shared = tuple[_Resource, _Resource, _Resource]
