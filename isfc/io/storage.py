"""The storage side of an I/O: a service time, with its spread.

From the command's arrival until the last byte has been given to the line, or taken from it and
been hardened. What the channel and the line take comes on top, where they are busy.
"""

from dataclasses import dataclass
from typing import Final

FIRST_BLOCK_LENGTH: Final = 4096
"""Bytes that `StorageProfile.hit_ns` includes."""


@dataclass(frozen=True, slots=True)
class StorageProfile:
    """Service times of a storage subsystem.

    ``hit_ns`` for 4K found in cache, with the way there and back inside a machine room, the line
    included; ``stream_ns_per_byte`` for what an I/O moves beyond that, by itself;
    ``write_ns_per_byte`` for each of those if it is written. ``miss_ns`` more for what is not in
    cache. ``spread`` is the standard deviation over the mean.
    """

    hit_ns: int
    stream_ns_per_byte: float
    write_ns_per_byte: float
    miss_ns: int
    spread: float

    def stream_ns(self, io_bytes: int, *, is_read: bool) -> float:
        """How long an I/O streams by itself, beyond its first 4K."""
        each = self.stream_ns_per_byte + (0.0 if is_read else self.write_ns_per_byte)
        return each * max(0, io_bytes - FIRST_BLOCK_LENGTH)


DS8950: Final = StorageProfile(
    hit_ns=72_774,
    stream_ns_per_byte=3.178,
    write_ns_per_byte=1.26,
    miss_ns=150_000,
    spread=0.25,
)
"""For FICON, both modes. ``hit_ns``: calibrated (a zHPF 4K I/O takes 4 times zHyperLink's 19 us).
``stream_ns_per_byte`` and ``write_ns_per_byte``: calibrated (a 128K read is 25 % faster in zHPF
than in command mode, a write 20 %, and the channel's part of that is 160 us). ``miss_ns``: derived
(flash 250 us, cache 100 us: zHyperLink slides). ``spread``: assumed."""

DS8950_FCP: Final = StorageProfile(
    hit_ns=55_700,
    stream_ns_per_byte=2.59,
    write_ns_per_byte=0.0,
    miss_ns=150_000,
    spread=0.25,
)
"""For FCP. ``hit_ns``: calibrated (58.3 us for a 4K read with the data router, 2.6 of them the
channel's). ``stream_ns_per_byte``: calibrated (one 64K write at a time: 300 MB/s)."""
