"""A run of an I/O configuration: every FICON channel in virtual time, the rest by its formula.

zHyperLinks, OSAs and SAPs need no run: what they do follows from the rates. What a zHyperLink turns
away goes over the FICON channels that its workload names.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from msgspec import Struct

from ctc.fibre_channel import Frames
from isfc.io.configuration import IoChannel, IoConfiguration, IoWorkload, Protocol
from isfc.io.demand import ChannelFlows, ChannelRoute, Demand, WorkloadFlow
from isfc.io.osa import StreamDirection, channel_rates, sending_cpu_us_per_mb
from isfc.io.plan import asked
from isfc.io.simulation import ChannelSimulation, Observed
from isfc.io.trunks import run_below, scarce
from isfc.io.zhyperlink import SynchronousOutcome

SECONDS: Final = 1.0
WARMUP: Final = 0.1
"""Virtual seconds measured of a run, and before that (chosen)."""

_NO_FRAMES: Final = Frames(0, 0)


@dataclass(frozen=True, slots=True)
class ChannelLoad:
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


@dataclass(frozen=True, slots=True)
class ChannelRun(ChannelFlows):
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


class ReadsActivity(Struct, frozen=True):
    """Synchronous reads that were asked for."""

    name: str
    devices: int
    io_per_s: float
    """those that succeeded"""
    mb_per_s: float
    response_us: float
    success_percent: float
    link_busy_percent: float
    cache_miss_percent: float
    rejected_percent: float


class OsaActivity(Struct, frozen=True):
    """An OSA, in a run."""

    chpid: str
    feature: str
    mtu_bytes: int
    mb_per_s_out: float
    """2^20 bytes"""
    mb_per_s_in: float
    packets_per_s: float
    cpu_us_per_mb: float | None
    """host CPU for 2^20 bytes sent, or null"""
    cpu_unknown: str
    """why that is null, or empty"""


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


def reads_activity(load: IoWorkload, found: SynchronousOutcome) -> ReadsActivity:
    """What became of synchronous reads."""
    done = (load.rate_per_s or 0.0) * found.success
    shares = found.success, found.link_busy, found.cache_miss, found.rejected
    rates = done, done * load.io_bytes / 1e6, found.latency_ns / 1e3
    return ReadsActivity(load.name, load.devices, *rates, *(100 * each for each in shares))


def osa_activity(channel: IoChannel, users: Sequence[IoWorkload]) -> OsaActivity:
    """What the streams of an OSA came to."""
    of = channel.chpid, channel.feature, channel.mtu_bytes
    carried = {}
    packets_per_s = 0.0
    for flow, most in zip(StreamDirection, channel_rates(channel), strict=True):
        wanted = sum(_wanted_mb_per_s(one, flow, most.mb_per_s) for one in users)
        carried[flow] = min(most.mb_per_s, wanted)
        packets_per_s += most.packets_per_s * carried[flow] / most.mb_per_s
    rates = carried[StreamDirection.OUT], carried[StreamDirection.IN], packets_per_s
    return OsaActivity(*of, *rates, *sending_cpu_us_per_mb(channel, users))


def _wanted_mb_per_s(workload: IoWorkload, flow: StreamDirection, most: float) -> float:
    """What a workload's streams want of one direction of one of its OSAs, in 2**20 bytes."""
    share = workload.read_share if flow is StreamDirection.IN else 1.0 - workload.read_share
    if workload.rate_per_s is None:
        return most if share > 0 else 0.0
    return workload.rate_per_s / len(workload.channels) * share * workload.io_bytes / 2**20


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _percentile(ordered: Sequence[float], percent: int) -> float:
    """The least of the values that ``percent`` % of them do not exceed; 0 if there is none."""
    return ordered[-(-len(ordered) * percent // 100) - 1] if ordered else 0.0
