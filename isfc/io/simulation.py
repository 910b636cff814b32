"""A channel in virtual time: each I/O from its start to its end.

An I/O takes its turn at the channel processor, which all share; then the storage serves it, which
takes a time of its own with its spread; then its data stream, at their own pace unless its
direction of the line, or the bus, is short of room. `isfc.io.estimate` says without a run what
this comes to on average.
"""

from collections.abc import Sequence
from heapq import heappop, heappush
from random import Random
from typing import Final

from msgspec import Struct

from ctc.channel import NOTHING, ChannelUse
from ctc.sharing import DirectionLoad, Sharing
from isfc.io.demand import Demand, WorkloadFlow
from isfc.io.machine import DataRates

_NEVER_NS: Final = float("inf")


def bus_slowdown(reading: DirectionLoad, writing: DirectionLoad) -> float:
    """How many times slower the bus makes the data of both directions, alike; 1 if it suffices.

    So it is by RMF's tables. What CTCs share is divided fairly instead (`ctc.sharing.fair_pace`).
    """
    return max(1.0, reading.pace() * reading.common + writing.pace() * writing.common)


class Observed(Struct):
    """What was seen of one workload on one channel while it was measured.

    ``reads`` of the ``responses_ns`` read. ``active_ns`` is the time integral of open exchanges.
    """

    responses_ns: list[float] = []
    reads: int = 0
    deferred: int = 0
    pend_ns: float = 0.0
    disc_ns: float = 0.0

    @property
    def count(self) -> int:
        """I/Os that ended."""
        return len(self.responses_ns)


class _Io(Struct, eq=False):
    """One I/O under way."""

    demand: int
    flow: WorkloadFlow
    started_ns: float
    processor_done_ns: float = 0.0
    miss_ns: float = 0.0


class ChannelSimulation:
    """One channel and the workloads on it.

    ``rng`` decides when I/Os come, whether they read, and how long storage takes. ``ctcs`` is what
    is taken by CTCs that use the channel too, each share below 1.
    """

    def __init__(self, demands: Sequence[Demand], rng: Random, ctcs: ChannelUse = NOTHING) -> None:
        self._demands = demands
        self._rng = rng
        self._processor_left = 1.0 - ctcs.processor
        self._read = DirectionLoad(1.0 - ctcs.line_in)
        self._write = DirectionLoad(1.0 - ctcs.line_out)
        self._agenda: list[tuple[float, int, int, _Io | None]] = []
        self._order = 0
        self._processor: Sharing[_Io] = Sharing()
        self._reading: Sharing[_Io] = Sharing()
        self._writing: Sharing[_Io] = Sharing()
        self._processor_due_ns = self._reading_due_ns = self._writing_due_ns = _NEVER_NS
        self._read_data = self._write_data = 0.0
        self._read_pace = self._write_pace = 1.0
        self._read_slowness = self._write_slowness = 1.0
        self._under_way = [0 for _ in demands]
        self._waiting = [0 for _ in demands]
        self._measuring = False
        self.now_ns = 0.0
        self.observed = [Observed() for _ in demands]
        for index, demand in enumerate(demands):
            if demand.rate_per_s is not None:
                self._plan(self._gap_ns(demand), index, None)
            else:
                for _ in range(max(1, round(demand.outstanding))):
                    self._plan(rng.random() * 1e5, index, None)

    @property
    def shortest_ns(self) -> float:
        """How long the shortest stream takes alone; no end of it if there is none."""
        flows = (flow.solo_ns for demand in self._demands for flow in demand.flows)
        return min(flows, default=_NEVER_NS)

    def wanted(self) -> DataRates:
        """What streams at this moment, in MB/s, if nothing above the channel held it back."""
        return DataRates(
            1e3 * self._read_data * self._read_pace, 1e3 * self._write_data * self._write_pace
        )

    def hold(self, reads: float, writes: float) -> None:
        """From now on reads and writes stream so many times slower: what is above is full."""
        if reads == self._read_slowness and writes == self._write_slowness:
            return
        self._read_slowness, self._write_slowness = reads, writes
        self._reading.advance(self.now_ns)
        self._writing.advance(self.now_ns)
        self._share_line(self.now_ns)

    def run(self, until_ns: float, *, measuring: bool) -> None:
        """Go on until ``until_ns``; I/Os that end meanwhile are measured or not."""
        self._measuring = measuring
        agenda = self._agenda
        while True:
            now_ns = min(self._processor_due_ns, self._reading_due_ns, self._writing_due_ns)
            if agenda and agenda[0][0] <= now_ns:
                now_ns = agenda[0][0]
                if now_ns > until_ns:
                    break
                _, _, index, io = heappop(agenda)
                if io is None:
                    self._start(now_ns, index)
                else:
                    self._transfer(now_ns, io)
            elif now_ns > until_ns:
                break
            elif now_ns == self._processor_due_ns:
                self._serve(now_ns)
            else:
                is_read = now_ns == self._reading_due_ns
                self._end(now_ns, self._reading if is_read else self._writing)
        self.now_ns = until_ns

    def _plan(self, at_ns: float, index: int, io: _Io | None) -> None:
        self._order += 1
        heappush(self._agenda, (at_ns, self._order, index, io))

    def _gap_ns(self, demand: Demand) -> float:
        assert demand.rate_per_s is not None, "an open workload has a rate"
        return self._rng.expovariate(demand.rate_per_s / 1e9)

    def _start(self, now_ns: float, index: int) -> None:
        """An I/O is wanted: start it, unless there are too many."""
        demand = self._demands[index]
        if demand.rate_per_s is not None:
            self._plan(now_ns + self._gap_ns(demand), index, None)
            if self._under_way[index] >= demand.outstanding:
                self.observed[index].deferred += self._measuring
                self._waiting[index] += 1
                return
        self._begin(now_ns, index)

    def _begin(self, now_ns: float, index: int) -> None:
        """An I/O starts: it queues for the processor."""
        demand = self._demands[index]
        self._under_way[index] += 1
        flow = demand.flows[0]
        if len(demand.flows) > 1 and self._rng.random() >= flow.share:
            flow = demand.flows[1]
        self._processor.advance(now_ns)
        self._processor.add(_Io(index, flow, now_ns), flow.work.processor_ns)
        self._share_processor(now_ns)

    def _share_processor(self, now_ns: float) -> None:
        processor = self._processor
        processor.go(self._processor_left / max(1, len(processor)))
        self._processor_due_ns = _due_ns(processor, now_ns)

    def _serve(self, now_ns: float) -> None:
        """The processor has done an I/O: the storage serves it."""
        processor = self._processor
        processor.advance(now_ns)
        io = processor.pop()
        self._share_processor(now_ns)
        demand = self._demands[io.demand]
        storage = demand.storage
        io.processor_done_ns = now_ns
        shape = 1.0 / (storage.spread * storage.spread)
        served_ns = self._rng.gammavariate(shape, storage.hit_ns / shape)
        if demand.miss_share and self._rng.random() < demand.miss_share:
            io.miss_ns = storage.miss_ns
        served_ns = max(0.0, served_ns - (io.flow.solo_ns - io.flow.stream_ns))
        self._plan(now_ns + served_ns + io.miss_ns + io.flow.fixed_ns, io.demand, io)

    def _transfer(self, now_ns: float, io: _Io) -> None:
        """The storage is ready: the data stream."""
        flow = io.flow
        self._reading.advance(now_ns)
        self._writing.advance(now_ns)
        (self._reading if flow.is_read else self._writing).add(io, flow.solo_ns)
        self._demand(flow, 1)
        self._share_line(now_ns)

    def _demand(self, flow: WorkloadFlow, sign: int) -> None:
        solo_ns, bus = flow.solo_ns, flow.bus_ns / flow.solo_ns
        self._read.change(sign, flow.read_line_ns / solo_ns, bus if flow.is_read else 0.0)
        self._write.change(sign, flow.write_line_ns / solo_ns, 0.0 if flow.is_read else bus)
        data = flow.work.data_length / solo_ns
        if flow.is_read:
            self._read_data = self._read_data + sign * data if self._reading else 0.0
        else:
            self._write_data = self._write_data + sign * data if self._writing else 0.0

    def _share_line(self, now_ns: float) -> None:
        """Set the paces of both directions: by the line, by the bus, by what is above."""
        hindered = bus_slowdown(self._read, self._write)
        self._read_pace = self._read.pace() / hindered
        self._write_pace = self._write.pace() / hindered
        self._reading.go(self._read_pace / self._read_slowness)
        self._writing.go(self._write_pace / self._write_slowness)
        self._reading_due_ns = _due_ns(self._reading, now_ns)
        self._writing_due_ns = _due_ns(self._writing, now_ns)

    def _end(self, now_ns: float, direction: Sharing[_Io]) -> None:
        """An I/O has ended."""
        self._reading.advance(now_ns)
        self._writing.advance(now_ns)
        io = direction.pop()
        self._demand(io.flow, -1)
        self._share_line(now_ns)
        demand = self._demands[io.demand]
        self._under_way[io.demand] -= 1
        if self._waiting[io.demand]:
            self._waiting[io.demand] -= 1
            self._begin(now_ns, io.demand)
        elif demand.rate_per_s is None:
            self._plan(now_ns + demand.think_ns, io.demand, None)
        if self._measuring:
            observed = self.observed[io.demand]
            observed.responses_ns.append(now_ns - io.started_ns)
            observed.reads += io.flow.is_read
            observed.pend_ns += demand.start_share * (io.processor_done_ns - io.started_ns)
            observed.disc_ns += io.miss_ns


def _due_ns(sharing: Sharing[_Io], now_ns: float) -> float:
    """When the next of them is over."""
    return now_ns + sharing.left_ns if sharing else _NEVER_NS
