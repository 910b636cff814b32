"""What answers have of moves as it is found."""

from msgspec import Struct


class WouldMove(Struct, frozen=True, rename={"bytes_per_s": "at_bytes_per_s"}):
    """What would let a guest be moved, each alone; None for what would not."""

    bytes_per_s: float
    """the rate of its passes, by which the rest is"""
    change_bytes_per_s: int | None
    """at most, and so much of `write_bytes_per_s`"""
    write_bytes_per_s: int | None
    max_quiesce_s: int | None
    """needed both if `max_total_s` is there too"""
    max_total_s: int | None
    channels: int | None
    """of the link, of which more are like the fullest"""


class DeviceSeen(Struct, frozen=True):
    """A CTC as the system saw it that guests leave."""

    system: str
    partner: str
    rdev: str
    io_per_s: float
    busy_percent: float
