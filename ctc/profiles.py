"""FICON features as the emulator knows them: how fast, and how we know.

The *status* of each number is one of three. **Published**: a document says it.
**Derived**: arithmetic from published numbers, shown here. **Calibrated**: fitted by
``tools/calibrate.py`` on the rows that are declared for it.
"""

from dataclasses import dataclass, replace
from typing import Final

from ctc.errors import BadFeature

FRAME_PAYLOAD_LENGTH: Final = 2112
"""Bytes of payload in the largest Fibre Channel frame (published: FC-FS)."""

FRAME_WIRE_LENGTH: Final = 2148 + 24
"""Bytes the same frame occupies: 36 of SOF, header, CRC and EOF, and six 4-byte
primitive signals between frames (published: FC-FS)."""


@dataclass(frozen=True, slots=True)
class ChpidProfile:
    """What one FICON feature can do: nanoseconds, and nanoseconds per byte or per CCW.

    ``line_ns_per_byte`` is the payload rate of one direction; ``processor_*`` is what the
    channel's data processor needs, for both directions together; ``latency_ns_per_ccw`` delays
    a transfer without using anything. ``io_ns`` is taken from the chpid's processor for each
    I/O started; ``io_latency_ns`` and, for each transfer that is going out,
    ``io_contention_ns`` delay its start.
    """

    feature: str
    link_gbps: float
    line_ns_per_byte: float
    processor_ns_per_byte: float
    processor_ns_per_ccw: float
    latency_ns_per_ccw: float
    io_ns: int
    io_latency_ns: int
    io_contention_ns: int


def line_payload_bytes_per_s(link_gbps: float) -> int:
    """Payload one direction of a fibre can carry, in bytes per second (derived).

    Nominal N Gb/s Fibre Channel runs at N x 1.0625 GBd; 8b/10b leaves N x 106.25 MB/s,
    of which 2112 bytes in every 2172 are payload. From 16 Gb/s on the code is 64b/66b at
    14.025 GBd per nominal 16.
    """
    if link_gbps >= 16:
        line = link_gbps / 16 * 14.025e9 * 64 / 66 / 8
    else:
        line = link_gbps * 1.0625e9 * 8 / 10 / 8
    return int(line * FRAME_PAYLOAD_LENGTH / FRAME_WIRE_LENGTH)


def _feature(
    name: str,
    link_gbps: float,
    ns_per_byte: float,
    ns_per_ccw: float,
    latency_ns: float,
    io_ns: int,
) -> ChpidProfile:
    return ChpidProfile(
        feature=name,
        link_gbps=link_gbps,
        line_ns_per_byte=1e9 / line_payload_bytes_per_s(link_gbps),
        processor_ns_per_byte=ns_per_byte,
        processor_ns_per_ccw=ns_per_ccw,
        latency_ns_per_ccw=latency_ns,
        io_ns=io_ns,
        io_latency_ns=21_900,
        io_contention_ns=154_900,
    )


FEATURES: Final = {
    profile.feature: profile
    for profile in (
        _feature("FICON Express", 1, 7.28, 20_540, 20_660, 58_180),
        _feature("FICON Express2", 2, 3.64, 10_270, 10_330, 29_090),
        _feature("FICON Express4", 4, 1.544, 4_413, 745, 8_459),
        _feature("FICON Express8", 8, 1.5, 2_000, 300, 4_000),
        _feature("FICON Express8S", 8, 1.5, 2_000, 300, 4_000),
        _feature("FICON Express16S", 16, 1.5, 2_000, 300, 4_000),
        _feature("FICON Express16S+", 16, 1.5, 2_000, 300, 4_000),
        _feature("FICON Express16SA", 16, 1.5, 2_000, 300, 4_000),
    )
}
"""Every feature by name."""


def find_profile(feature: str, link_gbps: float | None = None) -> ChpidProfile:
    """The profile of ``feature``, with its link running at ``link_gbps`` if that is given.

    Raises `BadFeature` for a name that `FEATURES` does not hold.
    """
    try:
        profile = FEATURES[feature]
    except KeyError:
        known = ", ".join(FEATURES)
        raise BadFeature(
            f"{feature[:40]!r} is not a FICON feature: expected one of {known}"
        ) from None
    if link_gbps is None:
        return profile
    line_ns_per_byte = 1e9 / line_payload_bytes_per_s(link_gbps)
    return replace(profile, link_gbps=link_gbps, line_ns_per_byte=line_ns_per_byte)
