"""OSA-Express: a TCP stream's share of an Ethernet link, and the packets that the adapter makes.

MB are 2**20 bytes here, as in IBM's OSA reports.

What outbound streams cost the host was published as ratios only (`CPU_RATIOS`). So a workload says
with ``cpu_us_per_mb`` what it costs on the reference adapter at the same MTU.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct

from ctc.channel import BadFeature
from isfc.io.configuration import IoChannel, IoWorkload

MIB: Final = 2**20

TCP_HEADERS_LENGTH: Final = 20 + 32
"""Bytes of IPv4 and TCP headers, 12 of TCP options among them (published: OSA report)."""

ETHERNET_LENGTH: Final = 14 + 4 + 8 + 12
"""Bytes of Ethernet around a packet: header, checksum, preamble, gap (published: IEEE 802.3)."""

LINK_SHARE: Final = 0.94
"""Of the link's effective capacity, what streams get (calibrated: outbound at 8992 bytes)."""


class StreamDirection(StrEnum):
    """Which way the data of a stream go, as seen from the system."""

    OUT = "out"
    IN = "in"


class OsaProfile(Struct, frozen=True):
    """One adapter with one port; times are of its processor for each packet of a direction.

    Calibrated on 25 GbE at 1492 bytes: 113 % more than 10 GbE outbound, 44 % more inbound.
    """

    feature: str
    link_gbps: float
    packet_out_ns: int = 611
    packet_in_ns: int = 905


OSA_EXPRESS7S_25GBE: Final = OsaProfile("OSA-Express7S 25 GbE", 25)
OSA_EXPRESS6S_10GBE: Final = OsaProfile("OSA-Express6S 10 GbE", 10)

OSA_FEATURES: Final = {
    profile.feature: profile for profile in (OSA_EXPRESS6S_10GBE, OSA_EXPRESS7S_25GBE)
}
"""Every adapter by name."""


CPU_REFERENCE: Final = OSA_EXPRESS6S_10GBE.feature
"""The adapter beside which IBM's report gives what others cost the host (no figure is absolute)."""

CPU_RATIOS: Final = {
    (OSA_EXPRESS7S_25GBE.feature, 8992): 0.74,
    (OSA_EXPRESS7S_25GBE.feature, 1492): 0.79,
}
"""Host CPU for each MB sent with large send, beside the reference at the same MTU: by feature, MTU.

Published: the OSA-Express7S report has 26 % less at 8992 bytes and 21 % less at 1492. Of what comes
in, of other MTUs and of one MTU beside another it says nothing.
"""


class StreamRate(Struct, frozen=True):
    """What streams of one direction get: 2**20 bytes a second, packets, and the limit they hit."""

    mb_per_s: float
    packets_per_s: float
    limit: str


def packet_payload(mtu: int) -> int:
    """The TCP payload of a full packet, in bytes."""
    return mtu - TCP_HEADERS_LENGTH


def packet_wire_length(mtu: int) -> int:
    """The bytes that a full packet occupies on the link."""
    return mtu + ETHERNET_LENGTH


def effective_mb_per_s(link_gbps: float, mtu: int) -> float:
    """The TCP payload that full packets, back to back, bring over a link one way."""
    return link_gbps * 1e9 / 8 * packet_payload(mtu) / packet_wire_length(mtu) / MIB


def stream_rate(
    profile: OsaProfile,
    mtu: int,
    flow: StreamDirection,
    *,
    streams: int = 1,
    window: int | None = None,
    round_trip_us: float = 0.0,
    large_send: bool = True,
) -> StreamRate:
    """What ``streams`` in one direction get in all; the other direction takes nothing of it.

    Each stream has at most ``window`` bytes under way for a round trip. Without large send the
    system cuts the packets itself and hands over each alone, and receives each that comes.
    """
    payload = packet_payload(mtu)
    cut_by_adapter = flow is StreamDirection.OUT and large_send
    packet_ns = profile.packet_out_ns if cut_by_adapter else profile.packet_in_ns
    limits = {
        "link": LINK_SHARE * effective_mb_per_s(profile.link_gbps, mtu),
        "packets": 1e9 / packet_ns * payload / MIB,
    }
    if window is not None and round_trip_us > 0:
        limits["window"] = streams * window * 1e6 / round_trip_us / MIB
    limit = min(limits, key=limits.__getitem__)
    return StreamRate(limits[limit], limits[limit] * MIB / payload, limit)


def channel_rates(channel: IoChannel) -> tuple[StreamRate, StreamRate]:
    """What streams get of an OSA, out of the system and into it. Raises `BadFeature`."""
    profile, mtu = find_osa(channel.feature), channel.mtu_bytes
    out, back = (
        stream_rate(profile, mtu, flow, large_send=channel.large_send) for flow in StreamDirection
    )
    return out, back


def find_osa(feature: str) -> OsaProfile:
    """The profile of ``feature``. Raises `BadFeature` for a name `OSA_FEATURES` does not hold."""
    try:
        return OSA_FEATURES[feature]
    except KeyError:
        known = ", ".join(OSA_FEATURES)
        raise BadFeature(f"{feature[:40]!r} is no OSA feature: expected {known}") from None


def sending_cpu_us_per_mb(
    channel: IoChannel, users: Sequence[IoWorkload]
) -> tuple[float | None, str]:
    """Microseconds of CPU for 2**20 bytes sent over an OSA; None, and why, if that is not known.

    Workloads count by what they send; those that take as much as there is count alike.
    """
    sending = [one for one in users if one.read_share < 1.0]
    if not sending:
        return None, "nothing is sent, and nothing was published of what comes in"
    costs = [one.cpu_us_per_mb for one in sending if one.cpu_us_per_mb is not None]
    if len(costs) < len(sending):
        why = f"no absolute figure was published; cpu_us_per_mb of {CPU_REFERENCE} is not given"
        return None, why
    is_reference = channel.feature == CPU_REFERENCE
    if not (channel.large_send or is_reference):
        return None, f"{channel.feature} beside {CPU_REFERENCE} was published with large send only"
    ratio = 1.0 if is_reference else CPU_RATIOS.get((channel.feature, channel.mtu_bytes))
    if ratio is None:
        why = f"{channel.feature} beside {CPU_REFERENCE} was published at an MTU of 8992 and 1492"
        return None, why
    weights = [
        one.rate_per_s * one.io_bytes * (1.0 - one.read_share) / len(one.channels)
        for one in sending
        if one.rate_per_s is not None
    ]
    if len(weights) < len(sending):
        weights = [1.0] * len(sending)
    whole = sum(weight * cost for weight, cost in zip(weights, costs, strict=True))
    return ratio * whole / sum(weights), ""


class OsaRates(Struct, frozen=True):
    """An OSA and its streams."""

    chpid: str
    feature: str
    mtu_bytes: int
    mb_per_s_out: float
    """2^20 bytes"""
    mb_per_s_in: float


class PlannedOsa(OsaRates, frozen=True):
    """An OSA and what its streams get, each way by itself."""

    limit_out: str
    """what the streams are limited by"""
    limit_in: str


class OsaActivity(OsaRates, frozen=True):
    """An OSA, in a run."""

    packets_per_s: float
    cpu_us_per_mb: float | None
    """host CPU for 2^20 bytes sent, or null"""
    cpu_unknown: str
    """why that is null, or empty"""


def planned_osa(channel: IoChannel) -> PlannedOsa:
    """What the streams of an OSA get. Raises `BadFeature`."""
    out, back = channel_rates(channel)
    of = channel.chpid, channel.feature, channel.mtu_bytes
    return PlannedOsa(*of, out.mb_per_s, back.mb_per_s, out.limit, back.limit)


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
