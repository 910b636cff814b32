"""The numbers that make a node of software behave like CP's link driver.

One set for everything: nothing here depends on a workload, on the number of guests or on a
run. Each number says how it is known: published, derived (with its arithmetic) or calibrated
(by ``tools/calibration/calibrate.py``, on declared rows only) or assumed. ``docs/sources.md`` lists
them all.

And the rules that an end follows: where it writes, when, and how it fills a package. They are
ISFC's if nothing else is said. For experiments with another one, functions are passed in: each
makes one of the parts that a `isfc.link.logical_link.LogicalLink` is composed of. So a rule of
one's own needs no subclass, and works in the compiled library too.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, final

from mypy_extensions import i64

from ctc.address import Record
from isfc.link.counters import LinkCounters
from isfc.link.message import Serials
from isfc.link.package import CHAINED_LENGTH_MIN, Package, PackageLimit, Packager
from isfc.link.scan import LinkDevice, scan_order
from isfc.link.schedule import OpeningRule, WriteScheduler


@final
class Cache:
    """What has passed at one end of a link, and where each conversation was last heard of.

    The parameters are those of `isfc.link.parameters.LinkParameters`.
    """

    def __init__(self, recent_share: float, reuse_length: int) -> None:
        self._recent_share = recent_share
        self._rise_per_byte = (1.0 - recent_share) / max(1, reuse_length)
        self._reuse_length: i64 = reuse_length
        self._passed_length: i64 = 0
        self._last = Serials()
        """By conversation: the bytes that had passed when its last message came."""

    def send(self, package: Package) -> None:
        """A package is built."""
        self._passed_length += package.length

    def receive(self, package: Package) -> float:
        """A package is taken apart; the share that its mean byte costs, up to 1.

        It is told by its longer messages, if it has any.
        """
        passed: i64 = self._passed_length + package.length
        self._passed_length = passed
        last, recent, rise = self._last, self._recent_share, self._rise_per_byte
        cost = 0.0
        total: i64 = 0
        for message in package.messages:
            length = message.length
            if length < CHAINED_LENGTH_MIN:
                continue
            before = last.find(message.conversation)
            if before is None:
                before = last.begin(message.conversation)
                before.next = passed - self._reuse_length
            reuse_length: int = passed - before.next
            before.next = passed
            share = recent + rise * reuse_length
            size: int = length
            cost += size * (share if share < 1.0 else 1.0)
            total += length
        total_length: int = total
        return cost / total_length if total_length else recent


PACKAGE_LIMIT: Final = PackageLimit(length=870_000)
"""Derived: run H001709C has 7.01 HL messages a package, so eight fit only when at least five
of them are small: between 860,160 and 884,736 bytes. No limit on their number is seen."""


@dataclass(frozen=True, slots=True)
class LinkParameters(Record):
    """Times in nanoseconds (and ns per byte), lengths in bytes.

    All of them hold a link lock: building a package, answering an attention, receiving what was
    read and releasing what was written. `isfc.link.parameters` says what a piece of work costs.
    """

    build_package_ns: int = 31_100
    """Calibrated: what a package costs before its write starts, whatever is in it."""

    receive_ns_per_byte: float = 0.85
    """Assumed (0.85 to 0.9 do as well): what each byte takes to be received, headers too, but for
    APPC/VM's; less where the data are still in the cache (`isfc.link.parameters`)."""

    recent_share: float = 0.5
    reuse_length: int = 3_000_000
    """Assumed: a byte takes half of that if nothing has passed since the last message of its
    conversation, and all of it if so many bytes have. A z10 core has a private cache of 3 MB
    (published); the same two figures follow from MB/s and from %CPU/msg."""

    release_ns_per_byte: float = 0.116
    """Calibrated: what each byte that was written takes to be released, before its CTC is free."""

    single_ctc_release_ns_per_byte: float = 0.326
    """Calibrated: the same on a single-CTC link."""

    dispatch_ns: int = 2_930
    """Assumed: CP takes up one piece of work. An interrupt takes that until the SSCH that
    follows, of SENSE COMMAND BYTE after an attention and of READ after that, and the end of a WRITE
    until it is released; a segment or acknowledgement of APPC/VM while it is built, and while it
    is received."""

    recovery_ns: int = 262_000
    """Calibrated: from a collision until the lesser end may use the CTC again; with a single CTC,
    until it makes its write again, which the other does once that has been read."""

    greater_recovery: int = 3
    """Assumed: with several CTCs, the greater end waits so many times as long. Both would write at
    the same time again if they waited alike."""

    open_backlog_length: int = 177_500
    open_backlog_count: float = 28.4
    open_length_exponent: float = 0.467
    """Calibrated: when a further CTC is opened; see `isfc.link.schedule.OpeningRule`."""

    open_count_exponent: float = 1 / 7
    open_message_length: int = 20_480
    """Assumed: the same; any length from 17 to 23 kB does. The pages of that are five."""

    open_single_length: int = 0
    """Chosen: the same rule, for what live partners say together. 0: they do not."""

    package_limit: PackageLimit = PACKAGE_LIMIT
    """Of packages on several CTCs."""

    share_length: int = 314_000
    """Calibrated: what a package of ISFC Transport may hold at least, where the CTCs that are free
    would have less each of what waits; see `isfc.link.package.PackageLimit`."""

    single_ctc_length: int = 77_900
    single_ctc_appc_length: int = 194_000
    single_ctc_message_length: int = 18_190
    """Calibrated: bytes of a package on a single-CTC link, where both ends write on the same CTC by
    turns, if it begins with ISFC Transport, and if it begins with APPC/VM; and for how many bytes
    more each message counts. That there are such limits is assumed. The one-CTC rows have 1.0 HL
    messages a collision, 1.3 to 2.0 of HM or HY and 2.0 to 3.1 of HS, however many wait; and 100
    pairs get a quarter of APPC/VM's short exchanges that they get on four CTCs, with little use of
    the CTC."""

    appc_ns_per_byte_built: float = 1.09
    appc_ns_per_byte_taken: float = 3.68
    """Calibrated: what each byte of an APPC/VM segment or acknowledgement takes to be copied
    while it is built, and while it is received."""

    cpu_message_ns: int = 1_000
    cpu_read_package_ns: int = 3_400
    cpu_ns_per_byte: float = 0.737
    cpu_appc_message_ns: int = 13_100
    """Calibrated, on %CPU/msg: the processor time of a message either way, of a package that is
    read, of each byte either way that is not in the `Cache` (of others a share),
    and what APPC/VM's segments and acknowledgements take more. Holding a lock takes time, but no
    processor's: what it guards is mostly waited for."""

    mih_ns: int = 15_000_000_000
    """Missing-interrupt interval, 15 s (unverified: general knowledge of CTCs)."""

    @property
    def opening_rule(self) -> OpeningRule:
        """When a further CTC is opened."""
        return OpeningRule(
            self.open_backlog_length,
            self.open_backlog_count,
            self.open_message_length,
            self.open_single_length,
            self.open_length_exponent,
            self.open_count_exponent,
        )

    def limits(self, *, single_ctc: bool) -> tuple[PackageLimit, PackageLimit]:
        """The limits of packages that begin with ISFC Transport, and with APPC/VM."""
        if single_ctc:
            return (
                PackageLimit(self.single_ctc_length, self.single_ctc_message_length),
                PackageLimit(self.single_ctc_appc_length, self.single_ctc_message_length),
            )
        return replace(self.package_limit, share_length=self.share_length), self.package_limit


RELEASES: Final[Mapping[str, LinkParameters]] = {
    "6.1": replace(LinkParameters(), dispatch_ns=32_000),
    "6.2": LinkParameters(),
}
"""What differs between releases of z/VM, by their numbers. Calibrated: 6.1 had a link driver of
its own, for one CTC and APPC/VM only, with longer paths."""


@final
class LinkCosts:
    """What the work of one end of a link costs, in ns, by a set of parameters.

    It has a cache, which each package that is built or received passes: ask once for each.
    """

    def __init__(self, parameters: LinkParameters) -> None:
        self._parameters = parameters
        self._cache = Cache(parameters.recent_share, parameters.reuse_length)
        self._byte_share = 1.0
        """What a byte cost that was received last, as a share of one that is not in the cache."""
        self._costly_length = 0.0
        """Bytes that were built and received, each by its share."""
        self.dispatch_ns = parameters.dispatch_ns
        """From an interrupt that brings no data to the SSCH that follows."""
        self._build_package_ns = parameters.build_package_ns
        self._appc_ns_per_byte_built = parameters.appc_ns_per_byte_built
        self._appc_ns_per_byte_taken = parameters.appc_ns_per_byte_taken
        self._receive_ns_per_byte = parameters.receive_ns_per_byte
        self._release_ns_per_byte = parameters.release_ns_per_byte
        self._single_ctc_release_ns_per_byte = parameters.single_ctc_release_ns_per_byte

    def build_ns(self, package: Package) -> int:
        """Time to build ``package`` and start its write."""
        if self._receive_ns_per_byte:
            self._cache.send(package)
        self._costly_length += self._byte_share * package.length
        return (
            self._build_package_ns
            + self.dispatch_ns * package.appc_count
            + int(self._appc_ns_per_byte_built * package.appc_length)
        )

    def receive_ns(self, package: Package) -> int:
        """Time to receive ``package`` and hand its messages over."""
        ns_per_byte = self._receive_ns_per_byte
        if ns_per_byte:
            self._byte_share = self._cache.receive(package)
            ns_per_byte *= self._byte_share
        self._costly_length += self._byte_share * package.length
        return self.dispatch_ns * package.appc_count + int(
            self._appc_ns_per_byte_taken * package.appc_length
            + ns_per_byte * (package.length - package.appc_length)
        )

    def release_ns(self, package: Package) -> int:
        """Time to take up the end of the write of ``package``, and release it."""
        return self.dispatch_ns + int(self._release_ns_per_byte * package.length)

    def single_ctc_release_ns(self, package: Package) -> int:
        """Time to release ``package`` once it is written on a link's only CTC."""
        return int(self._single_ctc_release_ns_per_byte * package.length)

    def cpu_ns(self, counters: LinkCounters, appc_count: int = 0) -> int:
        """Processor time of what was counted, and of the bytes that were built and received.

        ``appc_count`` pieces are APPC/VM's.
        """
        parameters = self._parameters
        message_count: int = counters.write_message_count + counters.read_message_count
        package_count: int = counters.read_package_count
        return int(
            parameters.cpu_message_ns * message_count
            + parameters.cpu_read_package_ns * package_count
            + parameters.cpu_ns_per_byte * self._costly_length
            + parameters.cpu_appc_message_ns * appc_count
        )


MakeScheduler = Callable[[Sequence[LinkDevice], bool, LinkParameters], WriteScheduler]
"""Makes the scheduler of an end: of its devices, of whether it is the lesser end, and of the
numbers it has."""
MakePackager = Callable[[LinkParameters], Packager]


def make_scheduler(
    devices: Sequence[LinkDevice], lesser: bool, parameters: LinkParameters
) -> WriteScheduler:
    """ISFC's: the ends scan from opposite sides, and stop short of the last CTCs."""
    return WriteScheduler(scan_order(devices, lesser=lesser), parameters.opening_rule)


def make_packager(parameters: LinkParameters) -> Packager:
    """ISFC's: whatever waits, oldest first, up to a limit."""
    return Packager(parameters.package_limit)


@final
class LinkRules:
    """What makes the scheduler and the packager of each link end that has these rules."""

    __slots__ = ("packager", "scheduler")

    def __init__(
        self,
        scheduler: MakeScheduler = make_scheduler,
        packager: MakePackager = make_packager,
    ) -> None:
        self.scheduler = scheduler
        self.packager = packager
