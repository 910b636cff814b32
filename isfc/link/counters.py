"""Counters of a node, named after Monitor domain 9 and Performance Toolkit's FCX108."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from mypy_extensions import i64

from ctc.address import Rdev, Record
from ctc.subchannel import IoTimes
from isfc.link.package import Package
from isfc.link.state import DeviceState, LinkState

SERV_BOUNDS_NS: Final[tuple[int, ...]] = (
    10_000, 20_000, 50_000, 100_000, 200_000, 500_000,
    1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000,
    100_000_000, 200_000_000, 500_000_000, 1_000_000_000,
)  # fmt: skip
"""Upper bounds of the histogram of service times: 1, 2, 5 to a decade, 10 us to 1 s.

Published writes took between 0.2 and 16 ms; the machine's own take tens of microseconds.
"""

_BOUNDS_NS: Final = list(SERV_BOUNDS_NS)  # compiled code reaches the items of a list without a call


class LinkCounters:
    """What Monitor D9 R4 (MRISFNOD) counts for a logical link: the sums over its CTCs."""

    __slots__ = (
        "collision_count", "read_length", "read_message_count", "read_package_count",
        "write_length", "write_message_count", "write_package_count",
    )  # fmt: skip

    def __init__(self) -> None:
        self.write_package_count: i64 = 0
        self.write_message_count: i64 = 0
        self.write_length: i64 = 0
        self.read_package_count: i64 = 0
        self.read_message_count: i64 = 0
        self.read_length: i64 = 0
        self.collision_count: i64 = 0

    @classmethod
    def total(cls, devices: Iterable["LinkCounters"]) -> "LinkCounters":
        """What some CTCs have counted together."""
        counters = cls()
        for device in devices:
            counters.add(device)
        return counters

    def add(self, device: "LinkCounters") -> None:
        """Add what one CTC has counted."""
        self.write_package_count += device.write_package_count
        self.write_message_count += device.write_message_count
        self.write_length += device.write_length
        self.read_package_count += device.read_package_count
        self.read_message_count += device.read_message_count
        self.read_length += device.read_length
        self.collision_count += device.collision_count


class DeviceCounters(LinkCounters):
    """I/Os of one CTC at one end; times are sums over I/Os, in nanoseconds; lengths in bytes.

    ``write_serv_counts`` counts, for each of `SERV_BOUNDS_NS`, the writes that took at most so
    long and longer than the bound before; a last one counts those longer than all bounds.
    """

    __slots__ = (
        "conn_ns", "disc_ns", "io_count", "pend_ns", "write_serv_counts", "write_serv_ns",
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.io_count: i64 = 0
        self.pend_ns: i64 = 0
        self.disc_ns: i64 = 0
        self.conn_ns: i64 = 0
        self.write_serv_ns: i64 = 0
        self.write_serv_counts = [0] * (len(SERV_BOUNDS_NS) + 1)

    def count_io(self, times: IoTimes) -> None:
        """Add one I/O that has ended."""
        self.io_count += 1
        self.pend_ns += times.pend_ns
        self.disc_ns += times.disc_ns
        self.conn_ns += times.conn_ns

    def count_written(self, package: Package, times: IoTimes) -> None:
        """Add a package whose write has ended well, and how long that took."""
        serv_ns = times.pend_ns + times.disc_ns + times.conn_ns
        self.write_package_count += 1
        self.write_message_count += package.message_count
        self.write_length += package.length
        self.write_serv_ns += serv_ns
        low: i64 = 0
        high: i64 = len(_BOUNDS_NS)
        while low < high:  # `bisect_left`, which would make an object of the number
            middle = (low + high) // 2
            if _BOUNDS_NS[middle] < serv_ns:
                low = middle + 1
            else:
                high = middle
        self.write_serv_counts[low] += 1

    def count_read(self, package: Package) -> None:
        """Add a package that was read."""
        self.read_package_count += 1
        self.read_message_count += package.message_count
        self.read_length += package.length


@dataclass(frozen=True, slots=True)
class DeviceSnapshot(Record):
    """`DeviceCounters` at one moment, and what the device is doing.

    PEND, DISC and CONN include the time of the I/O that is in progress. ``moved_length`` are the
    bytes of a WRITE in progress that are on the fibre; ``write_length`` has them when it has ended.
    ``stale_count`` is of frames that answered nothing outstanding.
    """

    rdev: Rdev
    partner_rdev: Rdev
    state: DeviceState
    io_count: int
    pend_ns: int
    disc_ns: int
    conn_ns: int
    write_package_count: int
    write_length: int
    moved_length: int
    read_package_count: int
    read_length: int
    collision_count: int
    stale_count: int
    write_serv_ns: int
    write_serv_counts: tuple[int, ...]

    @property
    def sent_length(self) -> int:
        """The bytes of packages on the fibre so far, those of the one under way as far as it is."""
        return self.write_length + self.moved_length


@dataclass(frozen=True, slots=True)
class LinkEndSnapshot(Record):
    """Everything a node counts, at ``now_ns``. Lengths in bytes, CPU time in nanoseconds.

    ``tx_pend_count`` is TXPENDCT: messages waiting for transmission at that moment, of
    ``tx_pend_length`` bytes. ``write_order`` has the devices that may be written on now, in
    the order of the scan.
    """

    name: str
    partner: str
    state: LinkState
    now_ns: int
    write_package_count: int
    write_message_count: int
    write_length: int
    read_package_count: int
    read_message_count: int
    read_length: int
    collision_count: int
    tx_pend_count: int
    tx_pend_length: int
    cpu_ns: int
    write_order: tuple[Rdev, ...]
    devices: tuple[DeviceSnapshot, ...]

    @property
    def sent_length(self) -> int:
        """The bytes of packages on the fibres so far, those under way as far as they are."""
        return self.write_length + sum(device.moved_length for device in self.devices)
