"""What disk I/O puts on a Fibre Channel line: frames to the byte, and how fast a line is.

MB are 10**6 bytes.

A port sends a frame when it holds a buffer credit, which comes back a round trip later. So a
long line carries at most credits x data of a frame / round trip in each direction.
"""

from typing import Final

from msgspec import Struct

NS_PER_KM: Final = 5_000
"""Light in glass, one way (derived: 3e5 km/s over a refractive index of 1.5)."""

PORT_CREDITS: Final = 90
"""Buffer credits of a FICON channel's port (published: FICON Express16SA Performance).

Of the ports of other features assumed."""

RULE_CREDITS_PER_KM_GBPS: Final = 0.5
"""The old rule: half a credit for each km and Gb/s, with full frames (published there too)."""


def round_trip_ns(km: float) -> float:
    """There and back."""
    return 2 * NS_PER_KM * km


def credit_ns(credits_: float, km: float, frame_ns: float) -> float:
    """From one frame to the next when so many credits are the limit.

    ``frame_ns`` is how long a frame is on the line: it is received, and its credit's way back
    begins, that much after it was sent, and the next frame takes as long.
    """
    return (round_trip_ns(km) + 2 * frame_ns) / credits_


def credit_bytes_per_s(
    credits_: float, km: float, frame_data_length: float, frame_ns: float
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


FRAME_DATA_LENGTH: Final = 2048
"""Data bytes in a full frame. Published elsewhere (Brocade): 2112 less 64 of optional header."""

FRAME_AROUND_LENGTH: Final = 36
"""SOF 4, header 24, CRC 4, EOF 4 (published: FC-FS)."""

FRAME_GAP_LENGTH: Final = 24
"""Six 4-byte primitive signals between frames (published: FC-FS)."""

STATUS_FRAMES: Final = 2
STATUS_LENGTH: Final = 92
"""An I/O's frames beside full ones in the direction of its data, and the bytes in them.

Calibrated on the 1083-byte average frame of 4K transfers; the 2023 of 128K follow from it."""

COMMAND_LENGTH: Final = 62
"""Bytes in the one frame that an I/O sends against its data. Calibrated on the 886-byte average
frame of a 4K mix; the 1995 of a 128K mix follow."""

LINE_USE: Final = 0.9787
"""How much of the time a full line sends frames. Calibrated on the FICON Express16S channel of
the RMF report whose 8 Gb/s link was full: 819.77 + 792.70 MB/s."""


class Frames(Struct, frozen=True):
    """Some frames: how many, and their bytes from SOF to EOF. Averages may be fractions."""

    count: float
    length: float

    @property
    def average_length(self) -> float:
        """Bytes of the average frame, 0 if there is none."""
        return self.length / self.count if self.count else 0.0

    @property
    def line_length(self) -> float:
        """Bytes that they occupy on the line, gaps included."""
        return self.length + FRAME_GAP_LENGTH * self.count

    def plus(self, other: "Frames") -> "Frames":
        """Both together."""
        return Frames(self.count + other.count, self.length + other.length)

    def times(self, factor: float) -> "Frames":
        """So many times as many."""
        return Frames(self.count * factor, self.length * factor)


def data_frames(io_bytes: int) -> Frames:
    """The frames of one transport-mode I/O in the direction of its data.

    Encryption does not lengthen them: 379,000 encrypted 4K reads a second would not fit a line
    with the usual 32 bytes more in each frame (published rate, derived conclusion).
    """
    count = -(-io_bytes // FRAME_DATA_LENGTH) + STATUS_FRAMES
    return Frames(count, io_bytes + STATUS_LENGTH + count * FRAME_AROUND_LENGTH)


def command_frames() -> Frames:
    """The frame of one transport-mode I/O against the direction of its data."""
    return Frames(1, COMMAND_LENGTH + FRAME_AROUND_LENGTH)


def line_bytes_per_s(link_gbps: float) -> float:
    """Bytes that one direction of a line carries, frames and gaps (derived).

    Nominal N Gb/s Fibre Channel runs at N x 1.0625 GBd with 8b/10b; from 16 Gb/s on the code is
    64b/66b, at 14.025 GBd for each nominal 16.
    """
    if link_gbps >= 16:
        return link_gbps / 16 * 14.025e9 * 64 / 66 / 8
    return link_gbps * 1.0625e9 * 8 / 10 / 8


def line_ns(frames: Frames, link_gbps: float) -> float:
    """How long frames occupy one direction of a line that has no more to give."""
    return frames.line_length * 1e9 / (line_bytes_per_s(link_gbps) * LINE_USE)


def full_frame_ns(link_gbps: float) -> float:
    """How long a full frame is on the line, in ns."""
    return line_ns(Frames(1, FRAME_DATA_LENGTH + FRAME_AROUND_LENGTH), link_gbps)


def full_frames_mb_per_s(link_gbps: float) -> float:
    """Data of full frames that one direction of a line carries, in 10**6 bytes a second."""
    return FRAME_DATA_LENGTH * 1e3 / full_frame_ns(link_gbps)


def credits_for_full_frames(link_gbps: float, km: float) -> int:
    """Credits with which full frames fill one direction of a line of so many km."""
    full = full_frames_mb_per_s(link_gbps)
    return credits_needed(full, km, FRAME_DATA_LENGTH, full_frame_ns(link_gbps))


def full_frames_by_credits(credits_: float, km: float, link_gbps: float) -> float:
    """Data of full frames that credits let through one way over so many km, in bytes a second."""
    return credit_bytes_per_s(credits_, km, FRAME_DATA_LENGTH, full_frame_ns(link_gbps))
