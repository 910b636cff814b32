"""Distance: the time light takes, and how many frames may be under way.

A port sends a frame when it holds a buffer credit, which comes back a round trip later. So a
long line carries at most credits x data of a frame / round trip in each direction.
"""

from typing import Final

NS_PER_KM: Final = 5_000
"""Light in glass, one way (derived: 3e5 km/s over a refractive index of 1.5)."""

PORT_CREDITS: Final = 90
"""Buffer credits of a FICON channel's port (published: FICON Express16SA Performance)."""

RULE_CREDITS_PER_KM_GBPS: Final = 0.5
"""The old rule: half a credit for each km and Gb/s, with full frames (published there too)."""


def round_trip_ns(km: float) -> float:
    """There and back."""
    return 2 * NS_PER_KM * km


def credit_ns(credits_: int, km: float, frame_ns: float) -> float:
    """From one frame to the next when so many credits are the limit.

    ``frame_ns`` is how long a frame is on the line: it is received, and its credit's way back
    begins, that much after it was sent, and the next frame takes as long.
    """
    return (round_trip_ns(km) + 2 * frame_ns) / credits_


def credit_bytes_per_s(
    credits_: int, km: float, frame_data_length: float, frame_ns: float
) -> float:
    """Data that so many credits let through in one direction, in bytes a second.

    A frame's data is ``frame_data_length`` on average.
    """
    return frame_data_length * 1e9 / credit_ns(credits_, km, frame_ns)


def credits_needed(mb_per_s: float, km: float, frame_data_length: float, frame_ns: float) -> int:
    """Credits without which ``mb_per_s`` of data in one direction do not go so far."""
    each = credit_bytes_per_s(1, km, frame_data_length, frame_ns)
    return -int(-mb_per_s * 1e6 // each)


def credits_by_rule(link_gbps: float, km: float) -> int:
    """Credits by the old rule."""
    return round(RULE_CREDITS_PER_KM_GBPS * link_gbps * km)
