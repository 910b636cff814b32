"""The numbers that make a node of software behave like CP's link driver.

One set for everything: nothing here depends on a workload, on the number of guests or on a
run. Each number says how it is known: published, derived (with its arithmetic) or calibrated
(by ``tools/calibrate.py``, on declared rows only). ``docs/sources.md`` lists them all.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from isfc.monitor import LinkCounters
from isfc.package import Package, PackageLimit

PACKAGE_LIMIT: Final = PackageLimit(length=870_000, count=100_000)
"""Derived: run H001709C has 7.01 HL messages a package, so eight fit only when at least five
of them are small: between 860,160 and 884,736 bytes. No limit on messages is seen."""

LONE_CTC_LIMIT: Final = PackageLimit(length=65_535, count=3)
"""The limit on a link of one CTC, which both ends write on by turns: what the 16-bit count of one
CCW can move, and three messages. Derived: collisions per exchange in the one-CTC rows give 1.0
HL messages a package, 1.3 to 1.8 HM or HY ones and 2.3 HS ones, however many wait."""


@dataclass(frozen=True, slots=True)
class LinkParameters:
    """Times in nanoseconds (and ns per byte), lengths in bytes.

    Building a package holds the link lock, and so does answering an attention, until the READ
    has been started. A package of ISFC Transport that was read is taken in at once.
    """

    build_package_ns: int = 79_820
    """Calibrated: what a package costs before its write starts, whatever is in it."""

    attention_ns: int = 45_240
    """Calibrated: from the partner's attention to our SENSE COMMAND BYTE."""

    recovery_ns: int = 54_750
    """Calibrated: from a collision to the first of the two writes that are made again."""

    redrive_ns: int = 266_400
    """Calibrated: from reading the partner's write after a collision to ours made again."""

    open_message_length: int = 109_300
    open_backlog_length: int = 244_400
    open_backlog_count: int = 32
    """Calibrated: while a write is in progress a further CTC is opened for a message of so
    many bytes at the head of the backlog, or for a backlog of so many bytes or messages."""

    package_limit: PackageLimit = PACKAGE_LIMIT
    lone_ctc_limit: PackageLimit = LONE_CTC_LIMIT
    """Of packages on several CTCs, and on a lone one if they begin with ISFC Transport."""

    lone_appc_length: int = 98_190
    lone_appc_count: int = 10
    """Calibrated: bytes and messages of a package on a lone CTC that begins with APPC/VM, which CP
    copies into buffers of its own. That there is such a limit is assumed: on one CTC 100 pairs get
    a quarter of the short exchanges that they get on four, and little use of the CTC."""

    appc_message_ns: int = 3_388
    appc_ns_per_byte_built: float = 0.126
    appc_ns_per_byte_taken: float = 3.476
    """Calibrated: what an APPC/VM segment or acknowledgement takes more while it is built or
    taken in, and what each of its bytes takes to be copied then."""

    cpu_message_ns: int = 208
    cpu_ns_per_byte_written: float = 0.5508
    cpu_ns_per_byte_read: float = 0.9105
    cpu_package_ns: int = 827
    cpu_appc_message_ns: int = 11_910
    cpu_appc_package_ns: int = 5_446
    """Calibrated, on %CPU/msg: the processor time of a message either way, of each byte, of a
    package either way, and what APPC/VM's segments and acknowledgements and its packages take
    more. Holding the lock takes time, but no processor's: what it guards is mostly waited for."""

    mih_ns: int = 15_000_000_000
    """Missing-interrupt interval, 15 s (unverified: general knowledge of CTCs)."""

    @property
    def lone_appc_limit(self) -> PackageLimit:
        """The limit of a package on a lone CTC that begins with APPC/VM."""
        return PackageLimit(self.lone_appc_length, self.lone_appc_count)

    def build_ns(self, package: Package) -> int:
        """Time to build ``package`` and start its write."""
        return (
            self.build_package_ns
            + self.appc_message_ns * package.appc_count
            + int(self.appc_ns_per_byte_built * package.appc_length)
        )

    def receive_ns(self, package: Package) -> int:
        """Time to take in ``package`` and hand its messages over."""
        return self.appc_message_ns * package.appc_count + int(
            self.appc_ns_per_byte_taken * package.appc_length
        )

    def cpu_ns(
        self,
        counters: LinkCounters,
        appc_count: int = 0,
        appc_package_count: int = 0,
    ) -> int:
        """Processor time of so many messages, bytes and packages.

        ``appc_count`` segments and acknowledgements, in ``appc_package_count`` packages, are
        APPC/VM's.
        """
        message_count = counters.write_message_count + counters.read_message_count
        package_count = counters.write_package_count + counters.read_package_count
        return int(
            self.cpu_message_ns * message_count
            + self.cpu_ns_per_byte_written * counters.write_length
            + self.cpu_ns_per_byte_read * counters.read_length
            + self.cpu_package_ns * package_count
            + self.cpu_appc_message_ns * appc_count
            + self.cpu_appc_package_ns * appc_package_count
        )


RELEASES: Final[Mapping[str, LinkParameters]] = {
    "6.1": replace(
        LinkParameters(),
        attention_ns=123_400,
        appc_message_ns=9_428,
        lone_appc_length=50_380,
    ),
    "6.2": LinkParameters(),
}
"""What differs between releases of z/VM, by their numbers. Calibrated: 6.1 had a link driver of
its own, for one CTC and APPC/VM only, with a longer path for each message and little room in a
write."""
