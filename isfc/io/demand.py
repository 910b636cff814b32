"""What a workload asks of one channel: the work of an average I/O, and what its time consists of.

All channels of a workload share it evenly, and the inter-switch links of a path are shared evenly
by the channels that take it. The storage has a service time, from the command's arrival until the
last byte has been given to the line, or taken from it and been hardened.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ctc.channel import (
    ENCRYPTED_FCP_WRITE_NS_PER_BYTE,
    PORT_CREDITS,
    ChannelProfile,
    Frames,
    IoWork,
    credit_ns,
    data_frames,
    information_units,
    line_ns,
    round_trip_ns,
)
from ctc.features import find_channel
from isfc.io.configuration import IoChannel, IoConfiguration, IoWorkload, Protocol, work_of
from isfc.io.machine import DataRates
from isfc.layout.layout import FarPath

FIRST_BLOCK_LENGTH: Final = 4096
"""Bytes that `StorageProfile.hit_ns` includes."""


class StorageProfile(Struct, frozen=True):
    """Service times of a storage subsystem.

    ``hit_ns`` for 4K found in cache, with the way there and back inside a machine room, the line
    included; ``stream_ns_per_byte`` for what an I/O moves beyond that, by itself;
    ``write_ns_per_byte`` for each of those if it is written. ``miss_ns`` more for what is not in
    cache. ``spread`` is the standard deviation over the mean.
    """

    hit_ns: float
    stream_ns_per_byte: float
    write_ns_per_byte: float
    miss_ns: float
    spread: float

    def stream_ns(self, io_bytes: int, *, is_read: bool) -> float:
        """How long an I/O streams by itself, beyond its first 4K."""
        each = self.stream_ns_per_byte + (0.0 if is_read else self.write_ns_per_byte)
        return each * max(0, io_bytes - FIRST_BLOCK_LENGTH)


DS8950: Final = StorageProfile(
    hit_ns=72_774, stream_ns_per_byte=3.178, write_ns_per_byte=1.26, miss_ns=150_000, spread=0.25
)
"""For FICON, both modes. ``hit_ns``: calibrated (a zHPF 4K I/O takes 4 times zHyperLink's 19 us).
``stream_ns_per_byte`` and ``write_ns_per_byte``: calibrated (a 128K read is 25 % faster in zHPF
than in command mode, a write 20 %, and the channel's part of that is 160 us). ``miss_ns``: derived
(flash 250 us, cache 100 us: zHyperLink slides). ``spread``: assumed."""

DS8950_FCP: Final = StorageProfile(
    hit_ns=55_700, stream_ns_per_byte=2.59, write_ns_per_byte=0.0, miss_ns=150_000, spread=0.25
)
"""For FCP. ``hit_ns``: calibrated (58.3 us for a 4K read with the data router, 2.6 of them the
channel's). ``stream_ns_per_byte``: calibrated (one 64K write at a time: 300 MB/s)."""


SATURATING_OUTSTANDING: Final = 256
"""I/Os at the same time of a workload that takes as much as a channel carries, and at most of one
with a rate. Assumed: more than ever bound a published figure."""


_HIT_LINE_NS: Final = line_ns(data_frames(FIRST_BLOCK_LENGTH), 16)
"""The part of a cache hit's 4K that is the line's, at 16 Gb/s: the storage's time has it in it."""


class ChannelRoute(Struct, frozen=True):
    """A channel as its I/Os see it: its profile, its line's speed, and what lies behind.

    ``isl_share`` is this channel's part of all inter-switch links of the path, in links.
    """

    channel: IoChannel
    profile: ChannelProfile
    link_gbps: float
    isl_share: float

    @property
    def round_trip_ns(self) -> float:
        """There and back to storage that is far."""
        return round_trip_ns(self.channel.path.km) if self.channel.path else 0.0


def make_route(channel: IoChannel, sharing: int = 1) -> ChannelRoute:
    """The route of a FICON channel; ``sharing`` channels take its path, this one included."""
    profile = find_channel(channel.feature)
    isl = channel.path.isl if channel.path else None
    return ChannelRoute(
        channel=channel,
        profile=profile,
        link_gbps=channel.link_gbps or profile.link_gbps,
        isl_share=isl.count / sharing if isl else 1.0,
    )


def make_routes(configuration: IoConfiguration) -> Iterator[ChannelRoute]:
    """Those of all FICON channels; paths are shared by the channels that take them."""
    ficon = [channel for channel in configuration.channels.values() if channel.is_ficon]
    sharing = Counter(channel.path.name for channel in ficon if channel.path)
    for channel in ficon:
        yield make_route(channel, sharing[channel.path.name] if channel.path else 1)


class WorkloadFlow(Struct, frozen=True):
    """The reads, or the writes, of one workload on one channel.

    ``solo_ns`` is how long an I/O's data stream with nobody else there, ``stream_ns`` what of that
    is not in the time of a cache hit. ``share`` is their part of the workload's I/Os. The lines and
    the bus are what all of them contend for: nanoseconds that an I/O occupies each.
    """

    share: float
    is_read: bool
    work: IoWork
    stream_ns: float
    solo_ns: float
    read_line_ns: float
    write_line_ns: float
    bus_ns: float
    fixed_ns: float


class ChannelFlows:
    """What rides a channel, as estimated or as run. Utilizations are shares, from 0 to 1."""

    __slots__ = ()

    route: ChannelRoute

    @property
    def channel(self) -> IoChannel:
        """The channel."""
        return self.route.channel

    def flows(self) -> Iterator[tuple[float, WorkloadFlow]]:
        """I/Os a second of each flow."""
        raise NotImplementedError

    @property
    def io_per_s(self) -> float:
        """All I/Os."""
        return sum(rate for rate, _ in self.flows())

    @property
    def traffic(self) -> DataRates:
        """The data that it moves."""
        moved = [(rate * flow.work.data_length / 1e6, flow.is_read) for rate, flow in self.flows()]
        return DataRates(
            sum(mb for mb, is_read in moved if is_read),
            sum(mb for mb, is_read in moved if not is_read),
        )

    @property
    def processor(self) -> float:
        """Of the channel processor."""
        return sum(rate * flow.work.processor_ns for rate, flow in self.flows()) / 1e9

    @property
    def bus(self) -> float:
        """Of the bus; 0 where no limit of it is known."""
        return sum(rate * flow.bus_ns for rate, flow in self.flows()) / 1e9

    @property
    def line_read(self) -> float:
        """Of the line, or of what leads to far storage, towards the channel."""
        return sum(rate * flow.read_line_ns for rate, flow in self.flows()) / 1e9

    @property
    def line_write(self) -> float:
        """Towards the storage."""
        return sum(rate * flow.write_line_ns for rate, flow in self.flows()) / 1e9


class Demand(Struct, frozen=True):
    """One workload on one channel.

    ``rate_per_s`` is None if closed; ``outstanding`` is how many I/Os there are at most at the same
    time; ``start_share`` the part of the processor's work that lies before the device answers.
    """

    workload: IoWorkload
    flows: tuple[WorkloadFlow, ...]
    rate_per_s: float | None
    outstanding: float
    think_ns: float
    miss_share: float
    storage: StorageProfile
    start_share: float

    @property
    def miss_ns(self) -> float:
        """What cache misses add to the average I/O."""
        return self.miss_share * self.storage.miss_ns

    @property
    def processor_ns(self) -> float:
        """Of the average I/O."""
        return sum(flow.share * flow.work.processor_ns for flow in self.flows)

    @property
    def unhindered_ns(self) -> float:
        """Of the average I/O with nobody else there, but for the processor and cache misses."""
        return self.storage.hit_ns + sum(
            flow.share * (flow.stream_ns + flow.fixed_ns) for flow in self.flows
        )


def slowed(demand: Demand, reads: float, writes: float) -> Demand:
    """The demand, its data streaming so many times slower than the channel lets them."""
    flows = tuple(
        _slowed(flow, reads if flow.is_read else writes) if max(reads, writes) > 1.0 else flow
        for flow in demand.flows
    )
    return replace(demand, flows=flows)


def _slowed(flow: WorkloadFlow, factor: float) -> WorkloadFlow:
    return replace(
        flow,
        stream_ns=flow.stream_ns + (factor - 1.0) * flow.solo_ns,
        solo_ns=factor * flow.solo_ns,
        read_line_ns=factor * flow.read_line_ns,
        write_line_ns=factor * flow.write_line_ns,
        bus_ns=factor * flow.bus_ns,
    )


def make_demand(workload: IoWorkload, route: ChannelRoute) -> Demand:
    """What ``workload`` asks of the channel of ``route``. Raises `ctc.channel.BadFeature`."""
    storage = DS8950_FCP if workload.protocol is Protocol.FCP else DS8950
    parts = len(workload.channels)
    flows = (
        _flow(workload, route, storage, is_read)
        for is_read in (True, False)
        if (workload.read_percent > 0 if is_read else workload.read_percent < 100)
    )
    outstanding = workload.outstanding
    return Demand(
        workload=workload,
        flows=tuple(flows),
        rate_per_s=None if workload.rate_per_s is None else workload.rate_per_s / parts,
        outstanding=SATURATING_OUTSTANDING if outstanding is None else outstanding / parts,
        think_ns=workload.think_us * 1e3,
        miss_share=1 - workload.cache_hit_percent / 100,
        storage=storage,
        start_share=1 / sum(information_units(4096, transport=workload.protocol != "ficon")),
    )


def _flow(
    workload: IoWorkload, route: ChannelRoute, storage: StorageProfile, is_read: bool
) -> WorkloadFlow:
    channel = route.channel
    make = work_of(route.profile, workload.protocol)
    work = make(workload.io_bytes, is_read=is_read, encrypted=channel.encrypted)
    stream_ns = storage.stream_ns(workload.io_bytes, is_read=is_read)
    read_ns = line_ns(work.to_channel, route.link_gbps)
    write_ns = line_ns(work.to_control_unit, route.link_gbps)
    if channel.path:
        read_ns = max(read_ns, _path_ns(channel.path, work.to_channel, route))
        write_ns = max(write_ns, _path_ns(channel.path, work.to_control_unit, route))
    solo_ns = max(stream_ns, read_ns, write_ns)
    bus = route.profile.bus_mb_per_s
    encryption_ns = (
        ENCRYPTED_FCP_WRITE_NS_PER_BYTE * workload.io_bytes
        if channel.encrypted and workload.protocol is Protocol.FCP and not is_read
        else 0.0
    )
    return WorkloadFlow(
        share=workload.read_share if is_read else 1 - workload.read_share,
        is_read=is_read,
        work=work,
        stream_ns=max(stream_ns, solo_ns - _HIT_LINE_NS),
        solo_ns=solo_ns,
        read_line_ns=read_ns,
        write_line_ns=write_ns,
        bus_ns=work.data_length * 1e3 / bus if bus else 0.0,
        fixed_ns=route.round_trip_ns + encryption_ns,
    )


def _path_ns(path: FarPath, frames: Frames, route: ChannelRoute) -> float:
    """How long frames occupy this channel's share of what leads to far storage."""
    isl = path.isl
    credits_ = isl.credits if isl else PORT_CREDITS
    gbps = isl.gbps if isl else route.link_gbps
    return far_ns(frames, gbps, credits_, path.km) / route.isl_share


def far_ns(frames: Frames, gbps: float, credits_: float, km: float) -> float:
    """How long frames occupy a line over a distance: until they are sent, or credits are back."""
    whole_ns = line_ns(frames, gbps)
    return max(whole_ns, frames.count * credit_ns(credits_, km, whole_ns / frames.count))
