"""Charts that users ask for: one figure over another, from closed forms, a point at a time.

Unless a curve says otherwise: one FICON Express16SA channel at 16 Gb/s, storage near by, everything
in its cache. MB are 10**6 bytes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final, Literal

from msgspec import Struct, structs

from isfc.io.configuration import (
    MTU_DEFAULT,
    OSA_FEATURES,
    IoChannel,
    IoConfiguration,
    IoWorkload,
    Protocol,
)
from isfc.io.demand import make_route
from isfc.io.estimate import estimate_alone
from isfc.io.osa import MIB, StreamDirection, find_osa, stream_rate
from isfc.io.zhyperlink import ZHYPERLINK, synchronous_outcome
from isfc.layout.capacity import FULL_CTC_COUNT, rule_of_thumb_mb_per_s
from isfc.layout.layout import FarPath, Isl
from isfc.reports.figure import Note, Reported

FEATURE: Final = "FICON Express16SA"
BLOCK_LENGTH: Final = 4096
LARGE_LENGTH: Final = 131_072
"""Bytes of a small and of a large I/O in IBM's measurements."""

OUTSTANDING: Final = 256
"""I/Os at the same time, where a channel is driven to its maximum."""

CREDITS: Final = (90, 240, 480, 960, 1920)
"""Buffer credits of the curves over distance: a channel's own port has the first."""

STREAM_WINDOW_LENGTH: Final = 131_071
STREAM_ROUND_TRIP_US: Final = 250.0
"""Of each TCP stream: the receive buffer of the OSA report's clients, and an assumed round trip."""

MOVED_GIB: Final = tuple(float(size) for size in (4, 8, 16, 32, 64, 128))
"""Memory of a guest that moves."""

_NEAR: Final = IoChannel("42", FEATURE)
_LOAD: Final = IoWorkload("curve", (_NEAR.chpid,), block_bytes=BLOCK_LENGTH)
_FAR: Final = structs.replace(_NEAR, path=FarPath("far", 100, Isl(1, 16, 960)))


ChartName = Literal[
    "response", "block", "distance", "devices", "zhyperlink", "mtu", "streams", "relocation"
]
"""What a user calls a chart."""


class Curve(Struct, frozen=True):
    """A name, and a value for each x of its chart; None where there is none."""

    name: str
    values: tuple[float | None, ...]


class Chart(Reported, Struct, frozen=True):
    """Curves over the same x."""

    reported_by = "isfc.answers.io_chart.io_chart_report"

    title: str
    x_name: str
    """what is below the curves, with its unit"""
    y_name: str
    """what each is of, with its unit"""
    xs: tuple[float, ...]
    """where there are points"""
    curves: tuple[Curve, ...]
    """by `values`, one for each point, null where there is none"""
    notes: tuple[Note, ...] = ()
    """as of `isfc plan --json`"""

    def rows(self) -> list[dict[str, float | None]]:
        """A row for each x, as a data frame takes them: it, and the value of each curve by name."""
        return [
            {self.x_name: x, **{curve.name: curve.values[place] for curve in self.curves}}
            for place, x in enumerate(self.xs)
        ]

    def __repr__(self) -> str:
        return f"<Chart {self.title}: {', '.join(curve.name for curve in self.curves)}>"


def _chart(
    title: str,
    x_name: str,
    y_name: str,
    xs: Sequence[float],
    curves: Mapping[str, Callable[[float], float | None]],
) -> Chart:
    """The chart of curves by name, each of which gives a value for an x."""
    drawn = (Curve(name, tuple(map(value, xs))) for name, value in curves.items())
    return Chart(title, x_name, y_name, tuple(xs), tuple(drawn))


def response_over_rate(channel: IoChannel = _NEAR) -> Chart:
    """The response time of 4K reads, until a channel carries no more of them."""
    thousands = 1, 2, 5, 10, 15, 18, 20, 22, 24, 50, 100, 150, 200, 250, 280, 300
    return _chart(
        f"Response time of 4K reads on {channel.feature}",
        "I/Os a second",
        "response us",
        [1e3 * rate for rate in thousands],
        {name: partial(_response_us, channel, protocol) for name, protocol in _protocols(channel)},
    )


def _protocols(channel: IoChannel) -> Iterable[tuple[str, Protocol]]:
    """The modes that a channel has."""
    yield "FICON", Protocol.FICON
    if make_route(channel).profile.transport_io_ns is not None:
        yield "zHPF", Protocol.ZHPF


def _response_us(channel: IoChannel, protocol: Protocol, rate: float) -> float | None:
    (found,) = estimate_alone(
        channel, structs.replace(_LOAD, protocol=protocol, rate_per_s=rate)
    ).demands
    return found.response_ns / 1e3 if found.rate_per_s > 0.99 * rate else None


def throughput_over_block(channel: IoChannel = _NEAR) -> Chart:
    """Reads and writes, half each, of blocks from 4K to 512K."""
    return _chart(
        f"Reads and writes, half each, on {channel.feature}",
        "bytes of an I/O",
        "MB/s, read and written together",
        [float(4096 << power) for power in range(8)],
        {
            name: partial(_mb_per_s, channel, protocol, 50.0)
            for name, protocol in _protocols(channel)
        },
    )


def throughput_over_distance(channel: IoChannel = _FAR) -> Chart:
    """128K reads over one inter-switch link like those of the channel's path, if it has any.

    For several buffer credits, and for those that the path has.
    """
    isl = channel.path.isl if channel.path else None
    credits_ = {*CREDITS, *([isl.credits] if isl else [])}
    gbps = isl.gbps if isl else make_route(channel).link_gbps
    *_, (name, protocol) = _protocols(channel)

    def at(credits_: int, km: float) -> float:
        far = structs.replace(channel, path=FarPath("far", km, Isl(1, gbps, credits_)))
        return _mb_per_s(far, protocol, 100.0, LARGE_LENGTH)

    return _chart(
        f"128K reads with {name} on {channel.feature}, over one {gbps:g} Gb/s inter-switch link",
        "km",
        "MB/s read",
        (0.0, 5.0, 10.0, 20.0, 30.0, 50.0, 75.0, 100.0, 150.0, 200.0, 300.0),
        {f"{each} credits": partial(at, each) for each in sorted(credits_)},
    )


def rate_over_devices(channel: IoChannel = _NEAR) -> Chart:
    """4K reads as fast as they go, so many percent of the devices with zHPF."""
    return _chart(
        f"4K reads of devices with and without zHPF on {channel.feature}",
        "zHPF devices %",
        "I/Os a second",
        [float(percent) for percent in range(0, 101, 10)],
        {"both": partial(_mixed_rate, channel)},
    )


def _mixed_rate(channel: IoChannel, percent: float) -> float:
    workloads = [
        structs.replace(
            _LOAD, protocol=protocol, outstanding=max(1, round(OUTSTANDING * share / 100))
        )
        for protocol, share in ((Protocol.ZHPF, percent), (Protocol.FICON, 100 - percent))
        if share
    ]
    return sum(each.rate_per_s for each in estimate_alone(channel, *workloads).demands)


def zhyperlink_over_load() -> Chart:
    """What one zHyperLink does with the reads it is asked for, all in cache."""
    found = partial(synchronous_outcome, ZHYPERLINK)
    return _chart(
        "Synchronous reads over one zHyperLink",
        "reads a second",
        "% and us",
        [1e4 * step for step in range(1, 21)],
        {
            "synchronous %": lambda rate: 100 * found(rate).success,
            "latency us": lambda rate: found(rate).latency_ns / 1e3,
            "mean response us": lambda rate: found(rate).response_ns / 1e3,
        },
    )


def osa_over_mtu(features: Sequence[str] = OSA_FEATURES) -> Chart:
    """TCP streams over an OSA, by the size of packets."""

    def got(feature: str, flow: StreamDirection, mtu: float) -> float:
        return stream_rate(find_osa(feature), int(mtu), flow).mb_per_s

    return _chart(
        "TCP streams over OSA-Express",
        "MTU bytes",
        "MiB/s one way, out of z/VM or in",
        [*map(float, (576, 1492, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 8992))],
        {
            f"{_speed(feature)} {flow}": partial(got, feature, flow)
            for feature in features
            for flow in StreamDirection
        },
    )


def _speed(feature: str) -> str:
    """``25 GbE`` of an OSA-Express."""
    return feature.partition(" ")[2]


def osa_over_streams(features: Sequence[str] = OSA_FEATURES) -> Chart:
    """Outbound streams of 8992-byte packets, each held back by its window."""

    def got(feature: str, count: float) -> float:
        return stream_rate(
            find_osa(feature),
            MTU_DEFAULT,
            StreamDirection.OUT,
            streams=int(count),
            window=STREAM_WINDOW_LENGTH,
            round_trip_us=STREAM_ROUND_TRIP_US,
        ).mb_per_s

    return _chart(
        "TCP streams over OSA-Express, a round trip of 250 us each",
        "streams",
        "MiB/s out",
        [*map(float, (1, 2, 3, 4, 6, 8, 12, 16))],
        {_speed(feature): partial(got, feature) for feature in features},
    )


def memory_over_paths(links: Mapping[str, float] | None = None) -> Chart:
    """How long a guest's memory takes, once, over an ISFC link and over a stream on an OSA.

    ``links`` are MB/s (2**20 bytes) by name; if None, links of chpids of 8 Gb/s with four CTCs
    each, by IBM's rule of thumb. The stream is as fast as the adapter. What a relocation does
    beside moving memory is in ``isfc relocate``.
    """
    one_chpid = rule_of_thumb_mb_per_s(8, FULL_CTC_COUNT)
    if links is None:
        links = {f"{count} chpid{'s' * (count > 1)}": count * one_chpid for count in (1, 2, 4)}
    streams = {
        f"OSA {_speed(feature)}": stream_rate(
            find_osa(feature), MTU_DEFAULT, StreamDirection.OUT
        ).mb_per_s
        for feature in sorted(OSA_FEATURES)
    }
    return _chart(
        "Moving a guest's memory once",
        "GiB",
        "seconds",
        MOVED_GIB,
        {name: partial(_seconds, mb_per_s) for name, mb_per_s in {**links, **streams}.items()},
    )


def _seconds(mb_per_s: float, gib: float) -> float:
    return gib * 2**30 / MIB / mb_per_s


CHARTS: Final[Mapping[ChartName, Callable[[], Chart]]] = {
    "response": response_over_rate,
    "block": throughput_over_block,
    "distance": throughput_over_distance,
    "devices": rate_over_devices,
    "zhyperlink": zhyperlink_over_load,
    "mtu": osa_over_mtu,
    "streams": osa_over_streams,
    "relocation": memory_over_paths,
}
"""Every chart by the name that a user gives."""


def charts_of(configuration: IoConfiguration) -> dict[str, Chart]:
    """The charts that concern what is configured, by name.

    Of the fastest FICON channel, and of the fastest with far storage.
    """
    channels = configuration.channels.values()
    charts: dict[str, Chart] = {}
    if near := _fastest(structs.replace(each, path=None) for each in channels if each.is_ficon):
        charts["response"] = response_over_rate(near)
        charts["block"] = throughput_over_block(near)
        if make_route(near).profile.transport_io_ns is not None:
            charts["devices"] = rate_over_devices(near)
    if far := _fastest(each for each in channels if each.is_ficon and each.path):
        charts["distance"] = throughput_over_distance(far)
    if any(channel.is_zhyperlink for channel in channels):
        charts["zhyperlink"] = zhyperlink_over_load()
    if osas := list(dict.fromkeys(each.feature for each in channels if each.is_osa)):
        charts["mtu"] = osa_over_mtu(osas)
        charts["streams"] = osa_over_streams(osas)
    return charts


def _fastest(channels: Iterable[IoChannel]) -> IoChannel | None:
    return max(channels, key=lambda channel: make_route(channel).link_gbps, default=None)


def _mb_per_s(channel: IoChannel, protocol: Protocol, read_percent: float, size: float) -> float:
    """As much as a channel carries, reads and writes apart: each has its own direction."""
    parts = [
        structs.replace(
            _LOAD,
            protocol=protocol,
            block_bytes=int(size),
            read_percent=100.0 * is_read,
            outstanding=max(1, round(OUTSTANDING * share)),
        )
        for is_read, share in ((1, read_percent / 100), (0, 1 - read_percent / 100))
        if share
    ]
    return sum(each.rate_per_s for each in estimate_alone(channel, *parts).demands) * size / 1e6
