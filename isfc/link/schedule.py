"""When a further CTC is written on, and which: the first free one of the scan."""

import math
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace

from mypy_extensions import i64

from ctc.address import ByRdev, Rdev, Record
from isfc.link.package import Package, Packager
from isfc.link.scan import FULL_COUNT, stop_short


@dataclass(frozen=True, slots=True)
class OpeningRule(Record):
    """When a further CTC is opened while writes of ours are in progress.

    To open a CTC for whatever waits would seem best: it starts immediately. But a package is
    whatever waited when its CTC was taken, so that a link that takes every CTC as soon as it can
    sends many small packages, each with the same cost of lock, SSCH, attention and interrupt at
    both ends; and with CTCs enough the lock is all that is left to wait for. A link that waits for
    the CTC that is writing sends few large ones, and leaves fibres idle. The rule between the two:
    what waits has to be worth a package of its own. Three things are worth it: so many bytes; so
    many messages, as small ones cost by their number; and, for the second CTC, one message of a
    block or more, which would wait for its like. IBM's tables show both ends of it: rates of small
    messages stay alike from 10 to 16 CTCs, and few pairs of HL leave CTCs idle.

    The first one is opened for whatever waits, the second one if the oldest message has
    ``message_length`` bytes, or if what is written on the first is one message of at most
    ``single_length`` bytes, whose partner may answer before it says that it has read it (live, at
    `isfc.live.pace.unpaced`). Otherwise ``count`` messages open a further one, or ``length`` bytes,
    however many are in use; and so do at most ``single_length`` bytes behind a long message: there
    may be somebody who waits for them.

    An end that has few CTCs to write on is slower to open one: the numbers are those of an end with
    `FULL_COUNT`, and with n of them bytes are `FULL_COUNT` / n to the power ``length_exponent`` as
    many, messages to the power ``count_exponent``.
    """

    length: int
    count: float
    message_length: int
    single_length: int = 0
    length_exponent: float = 0.0
    count_exponent: float = 0.0

    def of(self, ctcs: int) -> "OpeningRule":
        """The rule of an end that has so many CTCs to write on."""
        shortness = FULL_COUNT / max(1, ctcs)
        longer = shortness**self.length_exponent
        return replace(
            self,
            length=math.ceil(self.length * longer),
            count=math.ceil(self.count * shortness**self.count_exponent),
            message_length=math.ceil(self.message_length * longer),
            length_exponent=0.0,
            count_exponent=0.0,
        )


class WriteScheduler:
    """Gives out the CTCs this end may write on, in its scan order.

    A device is free or in use, nothing else: CP's test-and-set of LDVINUSE, without spinning.
    For experiments it can be another rule's: ``keep`` says how many devices at the end of the scan
    are left to the partner, ``choose`` takes one of the free devices, which are bits of a number,
    and ``opens_further`` says whether what waits is to have a further device, while so many are
    written on. `isfc.link.parameters` tells where to pass such a scheduler in.
    """

    def __init__(
        self,
        scan: Sequence[Rdev],
        rule: OpeningRule,
        *,
        keep: Callable[[int], int] = stop_short,
        choose: Callable[[int], int] | None = None,
        opens_further: Callable[[Packager, int], bool] | None = None,
    ) -> None:
        self._scan = tuple(scan)
        self._keep = keep
        self._choose = choose
        self._opens_further = opens_further
        self._rule = rule
        self._open_length: i64 = 0
        self._open_count: i64 = 0
        self._open_message_length: i64 = 0
        self._single_length: i64 = rule.single_length
        self._single = False
        """Whether the last package was one message of at most so many bytes."""
        self._long = False
        """Whether its last message was long, where little is not to wait for it."""
        self._beside: i64 = 0
        """The device to be written on before all others, if it is free: a bit, or 0."""
        self._bits = ByRdev({rdev: 1 << index for index, rdev in enumerate(self._scan)})
        self._ours: i64 = 0
        self._free: i64 = 0
        self._writing: i64 = 0
        self._write_on(self._scan)

    @property
    def order(self) -> tuple[Rdev, ...]:
        """The devices that may be written on, in scan order."""
        return tuple(rdev for rdev in self._scan if self._bits[rdev] & self._ours)

    @property
    def has_free(self) -> bool:
        """Whether any device that may be written on is free."""
        return self._free & self._ours != 0

    @property
    def free_count(self) -> i64:
        """How many of them are free."""
        return _count(self._free & self._ours)

    def arrange(self, usable: Container[Rdev]) -> None:
        """Write only on the usable devices of the scan from now on, stopping short of its end.

        Both ends see the same devices come and go. So each keeps one to write on for as long
        as there is any, and the two still come from different ends of the list.
        """
        scan = [rdev for rdev in self._scan if rdev in usable]
        self._write_on(scan[: len(scan) - self._keep(len(scan))])

    def _write_on(self, rdevs: Sequence[Rdev]) -> None:
        self._ours = sum(self._bits[rdev] for rdev in rdevs)
        rule = self._rule.of(len(rdevs))
        self._open_length, self._open_count = rule.length, int(rule.count)
        self._open_message_length = rule.message_length

    def opens(self, backlog: Packager) -> bool:
        """Whether a CTC is to be given to what waits.

        The first one always; a further one, while writes of ours are in progress, by the
        `OpeningRule`.
        """
        if not self._free & self._ours or not backlog.waits:
            return False
        count = _count(self._writing)
        if self._opens_further is not None and count and not backlog.redrives:
            return self._opens_further(backlog, int(count))
        return (
            not count
            or backlog.ccw_count >= self._open_count
            or backlog.backlog_length >= self._open_length
            or (count == 1 and (self._single or backlog.head_length >= self._open_message_length))
            or (self._long and backlog.backlog_length <= self._single_length)
            or backlog.redrives
        )

    def acquire(self) -> Rdev:
        """The first free device of the scan, now in use. There must be one: see `opens`."""
        free = self._free & self._ours
        assert free, "no free device to acquire"
        bit = free & -free
        if self._beside & self._free:
            bit = self._beside
        elif self._choose is not None:
            bit = self._choose(free)
        self._free ^= bit
        self._writing |= bit
        return self._scan[_count(bit - 1)]  # as many as there are bits below

    def prefer(self, rdev: Rdev | None) -> None:
        """Until another is named, or none, write on this device whenever it is free.

        It may be one that is left to the partner. That is for when the partner cannot write on it
        before what is written here has come: there is then no collision.
        """
        self._beside = 0 if rdev is None else self._bits.get(rdev, 0)

    def note_package(self, package: Package) -> None:
        """This goes on the device that was acquired last."""
        messages = package.messages
        self._single = len(messages) == 1 and 0 < messages[0].length <= self._single_length
        last_length = messages[-1].length
        self._long = self._single_length > 0 and last_length >= self._open_message_length

    def release(self, rdev: Rdev) -> None:
        """The device can be written on again."""
        bit: i64 = self._bits.get(rdev, 0)
        self._free |= bit
        self._writing &= ~bit

    def occupy(self, rdev: Rdev) -> None:
        """The device is in other use: the partner writes on it, or it is not ready."""
        bit: i64 = self._bits.get(rdev, 0)
        self._free &= ~bit
        self._writing &= ~bit


def _count(bits: i64) -> i64:
    """How many of at most sixteen bits are set. Compiled, `int.bit_count` is a call by name.

    Counted side by side: in each two bits, then in each four, in each eight and in all.
    """
    bits -= bits >> 1 & 0x5555
    bits = (bits & 0x3333) + (bits >> 2 & 0x3333)
    bits = bits + (bits >> 4) & 0x0F0F
    return bits + (bits >> 8) & 0x1F
