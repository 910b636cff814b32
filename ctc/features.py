"""The FICON features, one record each: how fast they are, what is known of them, and from where.

What else goes by features takes it from `CATALOGUE`: channels under disk I/O, CTCs
(`ChpidProfile`), sizing, and the names in files.

Each number is *published* by a document, *derived* from such by arithmetic shown here, or
*calibrated*: fitted by ``tools/calibration/calibrate.py`` on the rows that are declared for it.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ctc.channel import (
    BLOCK_LENGTH,
    COMMAND_IO_NS,
    EXPRESS4_COMMAND_IO_NS,
    EXPRESS4_TRANSPORT_IO_NS,
    EXPRESS8_TRANSPORT_IO_NS,
    EXPRESS8S_TRANSPORT_IO_NS,
    EXPRESS16S_TRANSPORT_BLOCK_NS,
    FCP_IO_NS,
    INFORMATION_UNIT_LENGTH,
    INFORMATION_UNIT_NS,
    INFORMATION_UNITS_OF_READ,
    TRANSPORT_BLOCK_NS,
    TRANSPORT_IO_NS,
    BadFeature,
    ChannelProfile,
    line_bytes_per_s,
)


class Feature(Struct, frozen=True):
    """A FICON feature.

    ``disks`` is its channel under disk I/O, with the speed of its link and RMF's codes. ``ctcs``
    says how its rates for CTCs are known (`ChpidProfile`). ``machine`` is the first that it was
    sold for. ``has_router``: data pass the channel's processor by. ``encrypts``: it encrypts what
    goes over the fibre, and what that costs is known. ``unknown`` is what nobody has published of
    it, so that it is assumed or left out; ``source`` says where the rest is from.
    """

    disks: ChannelProfile
    ctcs: str
    machine: str
    source: str
    has_router: bool = False
    encrypts: bool = False
    unknown: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """As files and messages name it."""
        return self.disks.feature


class _Router(Struct, frozen=True):
    """What the channel's processor takes where a hardware data router moves the data."""

    transport_io_ns: int
    transport_block_ns: float
    fcp_io_ns: int | None


_ROUTER_OF_8S: Final = _Router(EXPRESS8S_TRANSPORT_IO_NS, EXPRESS16S_TRANSPORT_BLOCK_NS, None)
_ROUTER_OF_16SA: Final = _Router(TRANSPORT_IO_NS, TRANSPORT_BLOCK_NS, FCP_IO_NS)


def _with_router(
    feature: str,
    link_gbps: float,
    router: _Router,
    bus: float | None,
    codes: Mapping[float, int],
    fec: int | None = None,
) -> ChannelProfile:
    """A channel with the hardware data router."""
    return ChannelProfile(
        feature=feature,
        link_gbps=link_gbps,
        command_io_ns=COMMAND_IO_NS,
        information_unit_ns=INFORMATION_UNIT_NS,
        transport_io_ns=router.transport_io_ns,
        transport_block_ns=router.transport_block_ns,
        fcp_io_ns=router.fcp_io_ns,
        bus_mb_per_s=bus,
        generations=codes,
        fec_generation=fec,
    )


def _without_router(
    feature: str, link_gbps: float, command_io_ns: int, transport_io_ns: int | None
) -> ChannelProfile:
    """A channel whose processor moves every information unit itself."""
    unit_ns = round(INFORMATION_UNIT_NS * command_io_ns / COMMAND_IO_NS)
    return ChannelProfile(
        feature=feature,
        link_gbps=link_gbps,
        command_io_ns=command_io_ns,
        information_unit_ns=unit_ns,
        transport_io_ns=transport_io_ns,
        transport_block_ns=unit_ns * BLOCK_LENGTH / INFORMATION_UNIT_LENGTH,
        fcp_io_ns=None,
        bus_mb_per_s=None,
        generations={},
    )


def _codes(first: int, *speeds: int) -> Mapping[float, int]:
    return {speed: first + place for place, speed in enumerate(speeds)}


_NO_BUS: Final = "bus"
_NO_CODE: Final = "RMF's code"
_CTCS_DERIVED: Final = "derived: its own link, disk I/O's information units"
_16SA: Final = "IBM z15 FICON Express16SA Performance"

CATALOGUE: Final = (
    Feature(
        _without_router("FICON Express", 1.0, EXPRESS4_COMMAND_IO_NS, None),
        ctcs="assumed: Express2's times at half its rates",
        machine="z900",
        source="link: published; I/Os: assumed to be Express4's",
        unknown=(_NO_BUS, _NO_CODE, "I/Os a second"),
    ),
    Feature(
        _without_router("FICON Express2", 2.0, EXPRESS4_COMMAND_IO_NS, EXPRESS4_TRANSPORT_IO_NS),
        ctcs="calibrated on IBM's runs over it",
        machine="z990",
        source=_16SA,
        unknown=(_NO_BUS, _NO_CODE),
    ),
    Feature(
        _without_router("FICON Express4", 4.0, EXPRESS4_COMMAND_IO_NS, EXPRESS4_TRANSPORT_IO_NS),
        ctcs="Express2's, with its own link",
        machine="z9",
        source=_16SA,
        unknown=(_NO_BUS, _NO_CODE),
    ),
    Feature(
        _without_router("FICON Express8", 8.0, COMMAND_IO_NS, EXPRESS8_TRANSPORT_IO_NS),
        ctcs=_CTCS_DERIVED,
        machine="z10",
        source=_16SA,
        unknown=(_NO_BUS, _NO_CODE),
    ),
    Feature(
        _with_router("FICON Express8S", 8.0, _ROUTER_OF_8S, 1600, _codes(0x11, 2, 4, 8)),
        ctcs=_CTCS_DERIVED,
        machine="z196",
        has_router=True,
        source=f"{_16SA}; bus: calibrated on SAS, More Data, Less Chatter",
    ),
    Feature(
        _with_router("FICON Express16S", 16.0, _ROUTER_OF_8S, 2500, _codes(0x15, 4, 8, 16), 0x18),
        ctcs=_CTCS_DERIVED,
        machine="z13",
        has_router=True,
        source=f"{_16SA}; bus: calibrated on RMF's bus percentages there",
    ),
    Feature(
        _with_router(
            "FICON Express16S+", 16.0, _ROUTER_OF_16SA, 3200, _codes(0x1F, 4, 8, 16), 0x22
        ),
        ctcs=_CTCS_DERIVED,
        machine="z14",
        has_router=True,
        source=f"{_16SA}; bus: calibrated on RMF's bus percentages there",
    ),
    Feature(
        _with_router("FICON Express16SA", 16.0, _ROUTER_OF_16SA, 3200, _codes(0x26, 8, 16), 0x28),
        ctcs=_CTCS_DERIVED,
        machine="z15",
        has_router=True,
        encrypts=True,
        source=f"{_16SA}; bus: as Express16S+",
    ),
    Feature(
        _with_router("FICON Express32S", 32.0, _ROUTER_OF_16SA, None, {}),
        ctcs=_CTCS_DERIVED,
        machine="z16",
        has_router=True,
        source="link: published; channel processor: assumed to be Express16SA's",
        unknown=(_NO_BUS, _NO_CODE, "channel processor"),
    ),
    Feature(
        _with_router("FICON Express32-4P", 32.0, _ROUTER_OF_16SA, None, {}),
        ctcs=_CTCS_DERIVED,
        machine="z17",
        has_router=True,
        source="link: general knowledge; channel processor: assumed to be Express16SA's",
        unknown=(_NO_BUS, _NO_CODE, "channel processor"),
    ),
)
"""Every feature, the oldest first. Machines: general knowledge."""

CHANNELS: Final = {feature.name: feature.disks for feature in CATALOGUE}
"""The channels under disk I/O, by name.

Buses: calibrated on RMF's bus percentages (16S+, 16S) and on SAS's (8S); 16SA's is the same as
16S+'s. Express32S and 32-4P: assumed to have 16SA's processor. Generations: published."""


def find_feature(name: str) -> Feature:
    """The feature called ``name``. Raises `BadFeature` for a name that is none."""
    for feature in CATALOGUE:
        if feature.name == name:
            return feature
    known = ", ".join(CHANNELS)
    raise BadFeature(f"{name[:40]!r} is not a FICON feature: expected one of {known}")


def find_channel(feature: str) -> ChannelProfile:
    """The channel of ``feature``. Raises `BadFeature` for a name that is none."""
    return find_feature(feature).disks


def generation_code(feature: str, link_gbps: float, *, fec: bool = False) -> int | None:
    """RMF's column G, None where no code was published."""
    profile = find_channel(feature)
    return profile.fec_generation if fec else profile.generations.get(link_gbps)


def feature_of_code(code: int) -> Feature | None:
    """The feature that a code of RMF's column G stands for; None if none is known to."""
    for feature in CATALOGUE:
        disks = feature.disks
        if code == disks.fec_generation or code in disks.generations.values():
            return feature
    return None


FRAME_PAYLOAD_LENGTH: Final = 2112
"""Bytes of payload in the largest Fibre Channel frame (published: FC-FS)."""

FRAME_WIRE_LENGTH: Final = 2148 + 24
"""Bytes the same frame occupies: 36 of SOF, header, CRC and EOF, and six 4-byte
primitive signals between frames (published: FC-FS)."""


class ChpidProfile(Struct, frozen=True):
    """What one FICON feature can do: nanoseconds, and nanoseconds per byte or per CCW.

    ``line_ns_per_byte`` is the payload rate of one direction; ``processor_*`` is what the
    channel's data processor needs, for both directions together, for each CCW as long as so
    many bits take at the nominal rate of the link: fitted apart, Express2 and Express4 were
    within 8 % of that, and within 5 % of one time for a byte. ``latency_ns_per_ccw`` delays a
    transfer without using anything. ``io_ns`` is taken from the chpid's processor for each I/O
    started. ``interrupt_ns`` passes from the end of a transfer until the interrupt says so; by then
    the device is no longer busy. After a WRITE whose end is to be told promptly it is
    ``write_interrupt_ns``: the channel of a READ has still to store the data, that of a WRITE has
    nothing left to do.

    A channel serves its transfers in turn. So a start waits a turn of each transfer in progress,
    either way; an attention, and the end of SENSE COMMAND BYTE, one of each that is going out; and
    the end of a READ or WRITE one of each that is coming in. A turn takes ``turn_ns``, or all of a
    transfer that is shorter: what waits never waits longer than for what is under way.

    Each further transfer that goes out at the same time lets all that go out need ``roll_off`` more
    of the data processor: IBM's report found that more than four to five CTCs on a chpid carry no
    more data, and that with high numbers of them performance rolled off.
    """

    feature: str
    link_gbps: float
    line_ns_per_byte: float
    processor_ns_per_byte: float
    processor_bits_per_ccw: float
    latency_ns_per_ccw: float
    io_ns: int
    interrupt_ns: int
    write_interrupt_ns: int
    turn_ns: int
    roll_off: float

    @property
    def processor_ns_per_ccw(self) -> float:
        """What the data processor needs for each CCW."""
        return self.processor_bits_per_ccw / self.link_gbps

    def beside(self, processor: float) -> "ChpidProfile":
        """What is left of the processor where disks take such a share of it, from 0 to below 1."""
        return replace(
            self,
            processor_ns_per_byte=self.processor_ns_per_byte / (1.0 - processor),
            processor_bits_per_ccw=self.processor_bits_per_ccw / (1.0 - processor),
            io_ns=round(self.io_ns / (1.0 - processor)),
        )


def line_payload_bytes_per_s(link_gbps: float) -> int:
    """Payload that one direction of a fibre carries, of every 2172 bytes 2112 (derived)."""
    return int(line_bytes_per_s(link_gbps) * FRAME_PAYLOAD_LENGTH / FRAME_WIRE_LENGTH)


EXPRESS2: Final = ChpidProfile(
    feature="FICON Express2",
    link_gbps=2.0,
    line_ns_per_byte=1e9 / line_payload_bytes_per_s(2),
    processor_ns_per_byte=1e9 / line_payload_bytes_per_s(4),
    processor_bits_per_ccw=57_800.0,
    latency_ns_per_ccw=2_500.0,
    io_ns=39_300,
    interrupt_ns=94_200,
    write_interrupt_ns=25_000,
    turn_ns=133_600,
    roll_off=0.016,
)
"""The line is derived, 206.6 MB/s. So is what the processor takes for a byte, 2.42 ns: it keeps up
with the line of Express4. ``latency_ns_per_ccw`` and ``write_interrupt_ns`` are assumed; 20 to 40
us of the latter do as well. All else is calibrated."""

EXPRESS4: Final = replace(
    EXPRESS2,
    feature="FICON Express4",
    link_gbps=4.0,
    line_ns_per_byte=1e9 / line_payload_bytes_per_s(4),
)
"""The line is derived, 413.2 MB/s. All else is Express2's."""

LATER_NS_PER_BYTE: Final = INFORMATION_UNIT_NS / INFORMATION_UNIT_LENGTH
"""What later features' processors take for each byte in command mode, whatever their link: 8.35 us
for an information unit of 8192 bytes (calibrated on FICON Express16SA, see `ctc.channel`)."""

LATER_NS_PER_CCW: Final = COMMAND_IO_NS // INFORMATION_UNITS_OF_READ
"""And for each CCW, which is an information unit: 6.45 us. Derived: 38.7 us of a 4K read for its
six units (published count)."""

LATER_IO_NS: Final = EXPRESS4.io_ns * COMMAND_IO_NS // EXPRESS4_COMMAND_IO_NS
"""And for each I/O: derived from Express4's, as the time of a 4K read in command mode fell from 71
us (published: 31,000 / 2.2 a second) to 38.7."""


def _later(feature: str, link_gbps: float) -> ChpidProfile:
    """A feature that nobody has measured CTCs on: its own link, disk I/O's information units.

    What delays an I/O without using anything is assumed to be as on Express4.
    """
    return replace(
        EXPRESS4,
        feature=feature,
        link_gbps=link_gbps,
        line_ns_per_byte=1e9 / line_payload_bytes_per_s(link_gbps),
        processor_ns_per_byte=LATER_NS_PER_BYTE,
        processor_bits_per_ccw=LATER_NS_PER_CCW * link_gbps,
        io_ns=LATER_IO_NS,
    )


EXPRESS: Final = replace(
    EXPRESS2,
    feature="FICON Express",
    link_gbps=1.0,
    line_ns_per_byte=1e9 / line_payload_bytes_per_s(1),
    processor_ns_per_byte=2 * EXPRESS2.processor_ns_per_byte,
)
"""Assumed: Express2's times, at half its rates."""

_MEASURED: Final = {profile.feature: profile for profile in (EXPRESS, EXPRESS2, EXPRESS4)}

FEATURES: Final = {
    feature.name: _MEASURED.get(feature.name) or _later(feature.name, feature.disks.link_gbps)
    for feature in CATALOGUE
}
"""Every feature of `CATALOGUE` by name: its CTCs."""


def find_profile(feature: str, link_gbps: float | None = None) -> ChpidProfile:
    """The profile of ``feature``, with its link running at ``link_gbps`` if that is given.

    ``feature`` may be in any case, and without its first word: ``Express8S``. Raises `BadFeature`
    for a name that `FEATURES` does not hold.
    """
    for profile in FEATURES.values():
        if _word(profile.feature) == _word(feature):
            break
    else:
        known = ", ".join(FEATURES)
        raise BadFeature(f"{feature[:40]!r} is not a FICON feature: expected one of {known}")
    if link_gbps is None:
        return profile
    slower = profile.link_gbps / link_gbps
    bits_per_ccw = profile.processor_bits_per_ccw
    return replace(
        profile,
        link_gbps=link_gbps,
        line_ns_per_byte=profile.line_ns_per_byte * slower,
        # a later feature's processor does not wait for its line: RMF shows as much at half speed
        processor_bits_per_ccw=bits_per_ccw / (slower if profile.io_ns == LATER_IO_NS else 1.0),
    )


def _word(feature: str) -> str:
    """What tells a feature from others: in capitals, without its first word."""
    return feature.upper().removeprefix("FICON").strip()
