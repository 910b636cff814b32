"""A run of an I/O configuration: every FICON channel in virtual time, the rest by its formula.

zHyperLinks, OSAs and SAPs need no run: what they do follows from the rates. What a zHyperLink turns
away goes over the FICON channels that its workload names.

While more streams below a card, an interconnect or a fanout than it carries, everything below it
goes slower alike: channels that one may hold back run beside each other, moment by moment.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Final

from msgspec import Struct

from ctc.channel import Frames
from isfc.io.configuration import IoConfiguration, IoWorkload, Protocol
from isfc.io.demand import ChannelFlows, ChannelRoute, Demand, WorkloadFlow
from isfc.io.machine import Ceiling, DataRates, Trunk, total
from isfc.io.plan import asked
from isfc.io.simulation import ChannelSimulation, Observed

SECONDS: Final = 1.0
WARMUP: Final = 0.1
"""Virtual seconds measured of a run, and before that (chosen)."""

STEP_NS: Final = 10_000.0
STEPS_MIN: Final = 2.0
"""How often a run looks at what streams, at least, and how often while the shortest of its streams
goes on alone (chosen: far less than what fills a ceiling takes)."""


_NO_FRAMES: Final = Frames(0, 0)


class ChannelLoad(Struct, frozen=True):
    """One workload on one channel, as it was seen for ``seconds``."""

    demand: Demand
    observed: Observed
    seconds: float

    @property
    def io_per_s(self) -> float:
        """I/Os that ended, a second."""
        return self.observed.count / self.seconds

    @property
    def response_us(self) -> float:
        """The mean."""
        return _mean(self.observed.responses_ns) / 1e3

    @property
    def active(self) -> float:
        """Open exchanges."""
        return self.io_per_s * self.response_us / 1e6

    @property
    def deferred_per_s(self) -> float:
        """I/Os a second that could not start immediately."""
        return self.observed.deferred / self.seconds

    def flows(self) -> Iterator[tuple[float, WorkloadFlow]]:
        """I/Os a second of the reads, and of the writes."""
        for flow in self.demand.flows:
            reads = self.observed.reads
            count = reads if flow.is_read else self.observed.count - reads
            yield count / self.seconds, flow


class ChannelRun(ChannelFlows, Struct, frozen=True):
    """A FICON channel and all that rode it."""

    route: ChannelRoute
    loads: tuple[ChannelLoad, ...]

    def flows(self) -> Iterator[tuple[float, WorkloadFlow]]:
        """I/Os a second of each flow."""
        for each in self.loads:
            yield from each.flows()

    def frame_bytes(self, *, reads: bool) -> float:
        """The average frame towards the channel (``reads``), or towards the storage."""
        frames = _NO_FRAMES
        for rate, flow in self.flows():
            each = flow.work.to_channel if reads else flow.work.to_control_unit
            frames = frames.plus(each.times(rate))
        return frames.average_length

    def of(self, protocol: Protocol) -> tuple[float, float, float]:
        """I/Os a second, open exchanges and deferred I/Os a second of one protocol."""
        chosen = [each for each in self.loads if each.demand.workload.protocol is protocol]
        return (
            sum(each.io_per_s for each in chosen),
            sum(each.active for each in chosen),
            sum(each.deferred_per_s for each in chosen),
        )


class LoadActivity(Struct, frozen=True):
    """A workload that was run, on all of its channels."""

    name: str
    devices: int
    io_per_s: float
    mb_per_s: float
    """10^6 bytes, both ways"""
    response_us: float
    """the mean"""
    response_p50_us: float
    response_p99_us: float
    pend_us: float
    disc_us: float
    conn_us: float
    device_io_per_s: float
    """of one device, as the next two; all are alike"""
    connect_percent: float
    utilization_percent: float
    """more than 100 where a device has more than one I/O at a time"""


def run_channels(
    configuration: IoConfiguration,
    workloads: Sequence[IoWorkload],
    seconds: float,
    warmup: float,
    seed: int,
) -> Iterator[ChannelRun]:
    """Run every channel with the part of ``workloads`` on it; the same seed makes the same run.

    Raises `ctc.channel.BadFeature` where a feature cannot do what is asked of it.
    """
    wanted = [*asked(configuration, workloads)]
    demands = {route.channel.chpid: each for route, each in wanted}
    simulations = {
        chpid: ChannelSimulation(each, Random(1_000_003 * seed + place))
        for place, (chpid, each) in enumerate(demands.items())
    }
    _run_all(configuration, simulations, demands, warmup * 1e9, measuring=False)
    _run_all(configuration, simulations, demands, (warmup + seconds) * 1e9, measuring=True)
    for route, each in wanted:
        parts = zip(each, simulations[route.channel.chpid].observed, strict=True)
        yield ChannelRun(route, tuple(ChannelLoad(*part, seconds) for part in parts))


def _run_all(
    configuration: IoConfiguration,
    simulations: Mapping[str, ChannelSimulation],
    demands: Mapping[str, Sequence[Demand]],
    until_ns: float,
    *,
    measuring: bool,
) -> None:
    """Run each channel by itself, and those together that a card or fanout may hold back."""
    trunks = scarce(configuration.trunks, demands)
    below = {chpid for trunk in trunks for chpid in trunk.channels}
    for chpid, simulation in simulations.items():
        if chpid not in below:
            simulation.run(until_ns, measuring=measuring)
    if trunks:
        held = {chpid: one for chpid, one in simulations.items() if chpid in below}
        run_below(trunks, held, until_ns, measuring=measuring)


def reach(demands: Sequence[Demand]) -> DataRates:
    """More than a channel can ever carry for some demands: each way its line full of data."""
    flows = [flow for demand in demands for flow in demand.flows]
    reads = (1e3 * flow.work.data_length / flow.read_line_ns for flow in flows if flow.is_read)
    writes = (
        1e3 * flow.work.data_length / flow.write_line_ns for flow in flows if not flow.is_read
    )
    return DataRates(max(reads, default=0.0), max(writes, default=0.0))


def scarce(trunks: Sequence[Trunk], demands: Mapping[str, Sequence[Demand]]) -> tuple[Trunk, ...]:
    """The trunks that could ever be full, if each channel's line were full of its demands."""
    return tuple(
        trunk
        for trunk in trunks
        if trunk.ceiling.use(total([reach(demands.get(chpid, ())) for chpid in trunk.channels])) > 1
    )


def run_below(
    trunks: Sequence[Trunk],
    simulations: Mapping[str, ChannelSimulation],
    until_ns: float,
    *,
    measuring: bool,
) -> None:
    """Run channels beside each other until then, no trunk above them carrying more than it can."""
    names = tuple(simulations)
    channels = tuple(simulations.values())
    above = [
        (trunk.ceiling, [names.index(chpid) for chpid in trunk.channels if chpid in names])
        for trunk in trunks
    ]
    now_ns = channels[0].now_ns
    step_ns = min([STEP_NS, *(channel.shortest_ns / STEPS_MIN for channel in channels)])
    while now_ns < until_ns:
        now_ns = min(until_ns, now_ns + step_ns)
        for channel in channels:
            channel.run(now_ns, measuring=measuring)
        for channel, (reads, writes) in zip(channels, _slownesses(above, channels), strict=True):
            channel.hold(reads, writes)


def _slownesses(
    above: Sequence[tuple[Ceiling, Sequence[int]]], channels: Sequence[ChannelSimulation]
) -> list[tuple[float, float]]:
    """How many times slower each channel reads and writes; what is held back once is spared."""
    wanted = [channel.wanted() for channel in channels]
    slowness = [(1.0, 1.0)] * len(channels)
    for ceiling, below in above:
        by_read, by_write = ceiling.slowness(total([wanted[at] for at in below]))
        if by_read > 1.0 or by_write > 1.0:
            for at in below:
                flow = wanted[at]
                wanted[at] = DataRates(flow.read_mb_per_s / by_read, flow.write_mb_per_s / by_write)
                slowness[at] = slowness[at][0] * by_read, slowness[at][1] * by_write
    return slowness


def load_activity(workload: IoWorkload, channels: Iterable[ChannelRun]) -> LoadActivity:
    """What a workload came to on all of its channels."""
    every = (each for channel in channels for each in channel.loads)
    loads = [each for each in every if each.demand.workload is workload]
    responses = sorted(time for each in loads for time in each.observed.responses_ns)
    count = max(1, len(responses))
    mean_us = _mean(responses) / 1e3
    pend_us = sum(each.observed.pend_ns for each in loads) / count / 1e3
    disc_us = sum(each.observed.disc_ns for each in loads) / count / 1e3
    conn_us = max(0.0, mean_us - pend_us - disc_us)
    io_per_s = sum(each.io_per_s for each in loads)
    each_s = io_per_s / workload.devices
    return LoadActivity(
        *(workload.name, workload.devices, io_per_s, io_per_s * workload.io_bytes / 1e6),
        *(mean_us, _percentile(responses, 50) / 1e3, _percentile(responses, 99) / 1e3),
        *(pend_us, disc_us, conn_us, each_s),
        *(each_s * conn_us / 1e4, each_s * (conn_us + disc_us) / 1e4),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _percentile(ordered: Sequence[float], percent: int) -> float:
    """The least of the values that ``percent`` % of them do not exceed; 0 if there is none."""
    return ordered[-(-len(ordered) * percent // 100) - 1] if ordered else 0.0
