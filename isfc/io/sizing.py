"""How many channels, of which feature, for a mix: closed forms, resource by resource.

Each resource of a channel is held below a guideline. Which of them is nearest to its end says
what saturates first, and at which load. MB are 10**6 bytes.
"""

import math
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from ctc import channel as ficon
from ctc.channel import ChannelProfile, Frames, IoWork, credits_by_rule, line_ns, round_trip_ns
from ctc.features import CATALOGUE
from isfc.io.configuration import Protocol, work_of
from isfc.io.machine import Z15, SapProfile, finite, iop_threads, sap_busy, sap_io_per_s
from isfc.io.mix import Mix
from isfc.io.zhyperlink import ZHYPERLINK, SynchronousProfile, synchronous_outcome

FEATURES: Final = tuple(
    feature.disks for feature in CATALOGUE if feature.has_router and not feature.unknown
)
"""What can be had and is known, the oldest first; those before have no hardware data router."""

ASSUMED: Final = tuple(
    feature.disks for feature in CATALOGUE if feature.has_router and feature.unknown
)
"""What can be had and is known in part: the rest is assumed, so that none of it is called best."""

ENCRYPTING: Final = tuple(feature.name for feature in CATALOGUE if feature.encrypts)
"""Those that are known to encrypt."""

SAPS_MAX: Final = 30
"""As many as the largest z15 has, 22 standard and 8 more (published there, figure 35)."""


class Guidelines(Struct, frozen=True):
    """How far a resource may be used for good response times, in percent.

    The defaults are IBM's (published there). For the line nothing is published: it is held to
    the bus's.
    """

    processor_percent: float = 50.0
    bus_percent: float = 70.0
    sap_percent: float = 70.0


class ChannelShares(Struct, frozen=True):
    """The share of each resource of one channel that a mix needs; more than 1 needs several.

    ``bus`` is None where no limit of it is known.
    """

    processor: float
    bus: float | None
    line_read: float
    line_write: float

    def first(self) -> tuple[str, float]:
        """The resource that is the first to be full, and its share."""
        shares = {
            "processor": self.processor,
            "bus": self.bus or 0.0,
            "line, reads": self.line_read,
            "line, writes": self.line_write,
        }
        name = max(shares, key=shares.__getitem__)
        return name, shares[name]

    def channels(self, guidelines: Guidelines) -> int:
        """The fewest channels on which no resource is used more than the guidelines say."""
        data = max(self.bus or 0.0, self.line_read, self.line_write) / guidelines.bus_percent
        needed = 100 * max(self.processor / guidelines.processor_percent, data)
        return max(1, math.ceil(needed - 1e-9))


class ChannelChoice(Struct, frozen=True):
    """How many channels of one feature a mix needs, and when a resource of these is full first.

    That may be the cards, interconnects or fanouts that all of them share, evenly used.
    """

    feature: str
    protocol: Protocol
    encrypted: bool
    channels: int
    """now"""
    channels_grown: int
    """the following figures are of each of these, with the grown load"""
    processor_percent: float
    bus_percent: float | None
    """null where not known"""
    line_percent_read: float
    line_percent_write: float
    first: str
    """what is full first"""
    first_at_io_per_s: float
    """of all of them"""

    @property
    def name(self) -> str:
        """``16SA zHPF encr``: in a table."""
        short = self.feature.removeprefix("FICON Express")
        protocol = {Protocol.ZHPF: "zHPF", Protocol.FICON: "FICON"}[self.protocol]
        return f"{short} {protocol}{' encr' * self.encrypted}"

    @property
    def line_percent(self) -> float:
        """Of the fuller direction."""
        return max(self.line_percent_read, self.line_percent_write)

    @property
    def percent(self) -> float:
        """Of the resource that is the first of the channel's to be full."""
        return max(self.processor_percent, self.bus_percent or 0.0, self.line_percent)


class DistanceNeed(Struct, frozen=True):
    """What a mix needs over a distance."""

    km: float
    link_gbps: float
    """of the inter-switch links"""
    isls: int
    credits: int
    """that an ISL port needs for the grown mix, used no more than a bus or line may be"""
    credits_full_line: int
    """for as much as the line carries of it"""
    credits_by_rule: int
    """the old half a credit for each km and Gb/s"""
    added_us: float
    """what each I/O takes longer"""
    exchanges_added: float
    """how many more are open"""


class RoomNeed(Struct, frozen=True):
    """Cards, interconnects or fanouts for a mix that has grown: how full those there are get."""

    level: str
    """card, interconnect or fanout"""
    count: int
    """that the file has"""
    needed: int
    """how many like them carry the grown load"""
    percent: float
    """of what those that the file has carry"""


class SapsNeeded(Struct, frozen=True):
    """The SAPs of a z15 for a mix that has grown."""

    saps: int | None
    """those that there are, or as few as are enough; null: no machine has enough"""
    busy_percent: float | None
    """null: they cannot do it"""
    given: bool
    """whether the mix says how many there are"""


class SynchronousNeed(Struct, frozen=True):
    """Whether reads had better go over zHyperLink: what may go there, and what it costs."""

    io_per_s: float
    links: int
    success_percent: float
    response_us: float
    saved_us: float
    """what such a read gets faster on average"""
    processors: float
    """how many CPUs the waiting takes more than asynchronous I/O does (less than 0: it pays in
    CPU)"""


class Sizing(Struct, frozen=True):
    """All that is known of a mix: ``choices`` from the oldest feature to the newest."""

    mix: Mix
    grown: Mix
    guidelines: Guidelines
    choices: tuple[ChannelChoice, ...]
    distances: tuple[DistanceNeed, ...]
    saps: SapsNeeded
    synchronous: SynchronousNeed | None
    rooms: tuple[RoomNeed, ...] = ()

    @property
    def best(self) -> ChannelChoice:
        """The plain choice with the fewest channels; of those, the least used, then the newest.

        It is of a feature that is known in all that counts.
        """
        known = {profile.feature for profile in FEATURES}
        plain = [
            choice for choice in self.choices if not choice.encrypted and choice.feature in known
        ]
        return min(reversed(plain), key=lambda choice: (choice.channels_grown, choice.percent))


def size(
    mix: Mix, growth_percent: float, guidelines: Guidelines, kms: tuple[float, ...] = (0.0, 100.0)
) -> Sizing:
    """Judge every kind of channel for ``mix``, now and ``growth_percent`` later."""
    grown = mix.grown(growth_percent)
    choices = tuple(
        _choose(profile, protocol, encrypted, mix, grown, guidelines)
        for profile in (*FEATURES, *ASSUMED)
        for protocol in (Protocol.ZHPF, Protocol.FICON)
        for encrypted in (False, True)
        if not encrypted or profile.feature in ENCRYPTING
    )
    return Sizing(
        mix=mix,
        grown=grown,
        guidelines=guidelines,
        choices=choices,
        distances=tuple(_distance(grown, km, guidelines) for km in kms),
        saps=_saps(grown, guidelines),
        synchronous=_synchronous(grown),
        rooms=tuple(_rooms(grown)),
    )


def _rooms(mix: Mix) -> Iterator[RoomNeed]:
    for room in mix.rooms:
        use = room.ceiling.use(mix.traffic)
        needed = max(1, math.ceil(use * room.count - 1e-9))
        yield RoomNeed(room.ceiling.level, room.count, needed, 100 * use)


def use_of_channel(
    profile: ChannelProfile, protocol: Protocol, encrypted: bool, mix: Mix
) -> ChannelShares:
    """What ``mix`` needs of one channel, all of it in one protocol."""
    works = works_of(profile, protocol, mix, encrypted=encrypted)
    link_gbps = profile.link_gbps
    bus = profile.bus_mb_per_s
    return ChannelShares(
        processor=sum(rate * work.processor_ns for rate, work in works) / 1e9,
        bus=sum(rate * work.data_length for rate, work in works) / 1e6 / bus if bus else None,
        line_read=sum(rate * line_ns(work.to_channel, link_gbps) for rate, work in works) / 1e9,
        line_write=sum(rate * line_ns(work.to_control_unit, link_gbps) for rate, work in works)
        / 1e9,
    )


def works_of(
    profile: ChannelProfile, protocol: Protocol, mix: Mix, *, encrypted: bool = False
) -> list[tuple[float, IoWork]]:
    """How many a second there are of each kind of I/O, and what one of them takes."""
    make = work_of(profile, protocol)
    return [
        (rate, make(load.io_bytes, is_read=is_read, encrypted=encrypted))
        for load in mix.loads
        for is_read, rate in (
            (True, load.io_per_s * load.read_share),
            (False, load.io_per_s * (1 - load.read_share)),
        )
    ]


def _choose(
    profile: ChannelProfile,
    protocol: Protocol,
    encrypted: bool,
    mix: Mix,
    grown: Mix,
    guidelines: Guidelines,
) -> ChannelChoice:
    now, later = (use_of_channel(profile, protocol, encrypted, one) for one in (mix, grown))
    count = later.channels(guidelines)
    first, share = later.first()
    share /= count
    for room in grown.rooms:
        if (use := room.ceiling.use(grown.traffic)) > share:
            first, share = room.ceiling.level, use
    return ChannelChoice(
        *(profile.feature, protocol, encrypted, now.channels(guidelines), count),
        100 * (later.processor / count),
        None if later.bus is None else 100 * (later.bus / count),
        *(100 * (later.line_read / count), 100 * (later.line_write / count)),
        *(first, grown.io_per_s / share if share else math.inf),
    )


def _distance(mix: Mix, km: float, guidelines: Guidelines) -> DistanceNeed:
    """Inter-switch links as fast as the newest feature's, all I/O in transport mode."""
    profile = FEATURES[-1]
    link_gbps = profile.link_gbps
    read, write = Frames(0, 0), Frames(0, 0)
    for rate, work in works_of(profile, Protocol.ZHPF, mix):
        read = read.plus(work.to_channel.times(rate))
        write = write.plus(work.to_control_unit.times(rate))
    ways = [(read, mix.read_mb_per_s), (write, mix.write_mb_per_s)]
    frames, mb_per_s = max(ways, key=lambda way: line_ns(way[0], link_gbps))
    line_per_s = ficon.line_bytes_per_s(link_gbps) * ficon.LINE_USE
    full_mb_per_s = line_per_s * mb_per_s / frames.line_length if mb_per_s else 0.0
    limit = guidelines.bus_percent / 100
    isls = max(1, math.ceil(line_ns(frames, link_gbps) / 1e9 / limit))
    frame_data = mb_per_s * 1e6 / frames.count if mb_per_s else 1.0
    frame_ns = line_ns(frames, link_gbps) / frames.count
    return DistanceNeed(
        km=km,
        link_gbps=link_gbps,
        isls=isls,
        credits=ficon.credits_needed(mb_per_s / isls / limit, km, frame_data, frame_ns),
        credits_full_line=ficon.credits_needed(full_mb_per_s, km, frame_data, frame_ns),
        credits_by_rule=credits_by_rule(link_gbps, km),
        added_us=round_trip_ns(km) / 1e3,
        exchanges_added=mix.io_per_s * round_trip_ns(km) / 1e9,
    )


def _saps(mix: Mix, guidelines: Guidelines, profile: SapProfile = Z15) -> SapsNeeded:
    limit = guidelines.sap_percent / 100
    saps = mix.saps
    if saps is None:
        enough = (
            count
            for count in range(1, SAPS_MAX + 1)
            if sap_io_per_s(profile, iop_threads(count), limit) >= mix.io_per_s
        )
        saps = next(enough, None)
    if saps is None:
        return SapsNeeded(None, None, given=False)
    busy = sap_busy(profile, iop_threads(saps), mix.io_per_s, mix.io_per_s)
    return SapsNeeded(saps, finite(100 * busy), mix.saps is not None)


LINK_BUSY_MAX: Final = 0.1
"""Share of synchronous reads that may find their link busy (assumed; IBM's report shows 0.2)."""


def _synchronous(mix: Mix, profile: SynchronousProfile = ZHYPERLINK) -> SynchronousNeed | None:
    """Reads that are short enough and in the cache most of the time; None if there are none."""
    fitting = [one for one in mix.loads if one.io_bytes <= profile.length_max and one.read_share]
    rate = sum(one.io_per_s * one.read_share for one in fitting)
    if not rate:
        return None
    hits = sum(one.io_per_s * one.read_share * one.cache_hit for one in fitting) / rate
    rejected = sum(one.io_per_s * one.read_share * one.rejected for one in fitting) / rate
    links = 1
    while (
        found := synchronous_outcome(profile, rate, links, cache_hit=hits, rejected=rejected)
    ).link_busy > LINK_BUSY_MAX:
        links += 1
    fallback_ns = (1 - found.success) * profile.asynchronous_cpu_ns
    more_ns = found.spin_ns + fallback_ns - profile.asynchronous_cpu_ns
    return SynchronousNeed(
        io_per_s=rate,
        links=links,
        success_percent=100 * found.success,
        response_us=found.response_ns / 1e3,
        saved_us=(profile.asynchronous_ns - found.response_ns) / 1e3,
        processors=rate * more_ns / 1e9,
    )
