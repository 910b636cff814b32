"""The FICON features, one record each: how fast they are, what is known of them, and from where.

What else goes by features takes it from `CATALOGUE`: channels under disk I/O, CTCs
(`ctc.profiles`), sizing, and the names in files.
"""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

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
    TRANSPORT_BLOCK_NS,
    TRANSPORT_IO_NS,
    BadFeature,
    ChannelProfile,
)


class Feature(Struct, frozen=True):
    """A FICON feature.

    ``disks`` is its channel under disk I/O, with the speed of its link and RMF's codes. ``ctcs``
    says how its rates for CTCs are known, which `ctc.profiles` has. ``machine`` is the first that
    it was sold for. ``has_router``: data pass the channel's
    processor by. ``encrypts``: it encrypts what goes over the fibre, and what that costs is known.
    ``unknown`` is what nobody has published of it, so that it is assumed or left out; ``source``
    says where the rest is from.
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
