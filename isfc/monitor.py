"""Counters of a node, named after Monitor domain 9 and Performance Toolkit's FCX108."""

from dataclasses import dataclass

from ctc.address import Rdev
from ctc.subchannel import IoTimes
from isfc.package import Package


class DeviceCounters:
    """I/Os of one CTC at one end; times are sums over I/Os, in nanoseconds."""

    __slots__ = ("conn_ns", "disc_ns", "io_count", "pend_ns")

    def __init__(self) -> None:
        self.io_count = 0
        self.pend_ns = 0
        self.disc_ns = 0
        self.conn_ns = 0

    def count_io(self, times: IoTimes) -> None:
        """Add one I/O that has ended."""
        self.io_count += 1
        self.pend_ns += times.pend_ns
        self.disc_ns += times.disc_ns
        self.conn_ns += times.conn_ns


class LinkCounters:
    """What Monitor D9 R4 (MRISFNOD) counts for a logical link."""

    __slots__ = (
        "collision_count",
        "read_length",
        "read_message_count",
        "read_package_count",
        "write_length",
        "write_message_count",
        "write_package_count",
    )

    def __init__(self) -> None:
        self.write_package_count = 0
        self.write_message_count = 0
        self.write_length = 0
        self.read_package_count = 0
        self.read_message_count = 0
        self.read_length = 0
        self.collision_count = 0

    def count_written(self, package: Package) -> None:
        """Add a package whose write has ended well."""
        self.write_package_count += 1
        self.write_message_count += package.message_count
        self.write_length += package.length

    def count_read(self, package: Package) -> None:
        """Add a package that was read."""
        self.read_package_count += 1
        self.read_message_count += package.message_count
        self.read_length += package.length


@dataclass(frozen=True, slots=True)
class DeviceSnapshot:
    """`DeviceCounters` at one moment, with the time of the I/O that is in progress."""

    rdev: Rdev
    io_count: int
    pend_ns: int
    disc_ns: int
    conn_ns: int


@dataclass(frozen=True, slots=True)
class NodeSnapshot:
    """Everything a node counts, at ``now_ns``. Lengths in bytes, CPU time in nanoseconds.

    ``tx_pend_count`` is TXPENDCT: messages waiting for transmission at that moment.
    """

    now_ns: int
    write_package_count: int
    write_message_count: int
    write_length: int
    read_package_count: int
    read_message_count: int
    read_length: int
    collision_count: int
    tx_pend_count: int
    cpu_ns: int
    devices: tuple[DeviceSnapshot, ...]
