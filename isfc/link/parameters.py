"""The numbers that make a node of software behave like CP's link driver.

One set for everything: nothing here depends on a workload, on the number of guests or on a
run. Each number says how it is known: published, derived (with its arithmetic) or calibrated
(by ``tools/calibration/calibrate.py``, on declared rows only). ``docs/sources.md`` lists them all.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, final

from isfc.link.counters import LinkCounters
from isfc.link.package import BLOCK_LENGTH, Package, PackageLimit
from isfc.link.schedule import OpeningRule

PACKAGE_LIMIT: Final = PackageLimit(length=870_000)
"""Derived: run H001709C has 7.01 HL messages a package, so eight fit only when at least five
of them are small: between 860,160 and 884,736 bytes. No limit on their number is seen."""


@dataclass(frozen=True, slots=True)
class LinkParameters:
    """Times in nanoseconds (and ns per byte), lengths in bytes.

    All of them hold a link lock: building a package, answering an attention, receiving what was
    read and releasing what was written. `isfc.link.parameters` says what a piece of work costs.
    """

    build_package_ns: int = 37_260
    """Calibrated: what a package costs before its write starts, whatever is in it."""

    receive_ns_per_byte: float = 0.9295
    """Calibrated: what each byte takes to be received, headers too, but for APPC/VM's."""

    single_ctc_release_ns_per_byte: float = 0.4135
    """Calibrated: on a single-CTC link, what each byte that was written takes to be released before
    the CTC is free."""

    dispatch_ns: int = 3_832
    """Calibrated: CP takes up one piece of work. An interrupt takes that until the SSCH that
    follows, of SENSE COMMAND BYTE after an attention and of READ after that; a segment or
    acknowledgement of APPC/VM while it is built, and while it is received."""

    recovery_ns: int = 258_900
    """Calibrated: from a collision to the first of the two writes that are made again. The second
    is made once that has been read."""

    open_backlog_length: int = 185_200
    open_backlog_count: int = 27
    """Calibrated: when a further CTC is opened; see `isfc.link.schedule.OpeningRule`."""

    open_single_length: int = 0
    """Chosen: the same rule, for what live partners say together. 0: they do not."""

    package_limit: PackageLimit = PACKAGE_LIMIT
    """Of packages on several CTCs."""

    single_ctc_length: int = 78_150
    single_ctc_appc_length: int = 190_700
    single_ctc_message_length: int = 18_100
    """Calibrated: bytes of a package on a single-CTC link, where both ends write on the same CTC by
    turns, if it begins with ISFC Transport, and if it begins with APPC/VM; and for how many bytes
    more each message counts. That there are such limits is assumed. The one-CTC rows have 1.0 HL
    messages a collision, 1.3 to 2.0 of HM or HY and 2.0 to 3.1 of HS, however many wait; and 100
    pairs get a quarter of APPC/VM's short exchanges that they get on four CTCs, with little use of
    the CTC."""

    appc_ns_per_byte_built: float = 0.7339
    appc_ns_per_byte_taken: float = 3.43
    """Calibrated: what each byte of an APPC/VM segment or acknowledgement takes to be copied
    while it is built, and while it is received."""

    cpu_package_ns: int = 1_249
    cpu_ns_per_byte_written: float = 0.5624
    cpu_ns_per_byte_read: float = 0.9528
    cpu_appc_message_ns: int = 13_120
    """Calibrated, on %CPU/msg: the processor time of a package either way, of each byte, and what
    APPC/VM's segments and acknowledgements take more. Holding a lock takes time, but no
    processor's: what it guards is mostly waited for."""

    mih_ns: int = 15_000_000_000
    """Missing-interrupt interval, 15 s (unverified: general knowledge of CTCs)."""

    @property
    def opening_rule(self) -> OpeningRule:
        """When a further CTC is opened."""
        return OpeningRule(
            self.open_backlog_length, self.open_backlog_count, BLOCK_LENGTH, self.open_single_length
        )

    def limits(self, *, single_ctc: bool) -> tuple[PackageLimit, PackageLimit]:
        """The limits of packages that begin with ISFC Transport, and with APPC/VM."""
        if single_ctc:
            return (
                PackageLimit(self.single_ctc_length, self.single_ctc_message_length),
                PackageLimit(self.single_ctc_appc_length, self.single_ctc_message_length),
            )
        return self.package_limit, self.package_limit


RELEASES: Final[Mapping[str, LinkParameters]] = {
    "6.1": replace(LinkParameters(), dispatch_ns=32_000),
    "6.2": LinkParameters(),
}
"""What differs between releases of z/VM, by their numbers. Calibrated: 6.1 had a link driver of
its own, for one CTC and APPC/VM only, with longer paths."""


@final
class LinkCosts:
    """The costs that a set of parameters leads to, in ns."""

    def __init__(self, parameters: LinkParameters) -> None:
        self._parameters = parameters
        self.dispatch_ns = parameters.dispatch_ns
        """From an interrupt that brings no data to the SSCH that follows."""
        self._build_package_ns = parameters.build_package_ns
        self._appc_ns_per_byte_built = parameters.appc_ns_per_byte_built
        self._appc_ns_per_byte_taken = parameters.appc_ns_per_byte_taken
        self._receive_ns_per_byte = parameters.receive_ns_per_byte
        self._single_ctc_release_ns_per_byte = parameters.single_ctc_release_ns_per_byte

    def build_ns(self, package: Package) -> int:
        """Time to build ``package`` and start its write."""
        return (
            self._build_package_ns
            + self.dispatch_ns * package.appc_count
            + int(self._appc_ns_per_byte_built * package.appc_length)
        )

    def receive_ns(self, package: Package) -> int:
        """Time to receive ``package`` and hand its messages over."""
        return self.dispatch_ns * package.appc_count + int(
            self._appc_ns_per_byte_taken * package.appc_length
            + self._receive_ns_per_byte * (package.length - package.appc_length)
        )

    def single_ctc_release_ns(self, package: Package) -> int:
        """Time to release ``package`` once it is written on a link's only CTC."""
        return int(self._single_ctc_release_ns_per_byte * package.length)

    def cpu_ns(self, counters: LinkCounters, appc_count: int = 0) -> int:
        """Processor time of so many packages and bytes; ``appc_count`` pieces are APPC/VM's."""
        parameters = self._parameters
        package_count = counters.write_package_count + counters.read_package_count
        return int(
            parameters.cpu_package_ns * package_count
            + parameters.cpu_ns_per_byte_written * counters.write_length
            + parameters.cpu_ns_per_byte_read * counters.read_length
            + parameters.cpu_appc_message_ns * appc_count
        )
