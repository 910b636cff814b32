"""Which CTC to write on: the rule that keeps two writers apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from ctc.address import Rdev

CTCS_MAX: Final = 16
"""A logical link has at most sixteen CTCs (published: ACTIVATE ISLINK takes one to sixteen)."""


@dataclass(frozen=True, slots=True)
class LinkDevice:
    """One CTC of a logical link: its device number here and at the partner."""

    rdev: Rdev
    partner_rdev: Rdev


def stop_short(ctc_count: int) -> int:
    """How many devices at the end of the scan are left to the partner.

    Published (z/VM 6.2 performance report, "ISFC Improvements"): one for 2 to 8 CTCs, two
    for 9 to 16. A single CTC is written by both ends.
    """
    if ctc_count == 1:
        return 0
    return 1 if ctc_count <= 8 else 2


def write_order(devices: Sequence[LinkDevice], *, lesser: bool) -> tuple[Rdev, ...]:
    """The devices one end may write on, in the order in which it scans them.

    Both ends order the CTCs by the *lesser* node's device numbers; the lesser node scans
    from the lowest upward, the greater from the highest downward, and each stops short of
    the end (published: the same report, and IBM's "z/VM live guest relocation with Linux").
    """
    if lesser:
        ascending = sorted(devices, key=lambda device: device.rdev)
    else:
        ascending = sorted(devices, key=lambda device: device.partner_rdev)
    scan = ascending if lesser else ascending[::-1]
    return tuple(device.rdev for device in scan[: len(scan) - stop_short(len(scan))])


class Backlog(Protocol):
    """What the scheduler asks about the messages that wait."""

    def __bool__(self) -> bool:
        """Whether anything waits."""

    @property
    def redrives(self) -> bool:
        """Whether a package waits to be sent again."""

    @property
    def head_length(self) -> int:
        """Bytes of the oldest message."""

    @property
    def backlog_length(self) -> int:
        """Bytes of all messages that wait."""


class WriteScheduler:
    """Gives out the CTCs this end may write on, in its write order.

    A device is free or in use, nothing else: CP's test-and-set of LDVINUSE, without spinning.
    """

    def __init__(
        self, order: Sequence[Rdev], open_message_length: int, open_backlog_length: int
    ) -> None:
        self._order = tuple(order)
        self._open_message_length = open_message_length
        self._open_backlog_length = open_backlog_length
        self._bits = {rdev: 1 << index for index, rdev in enumerate(self._order)}
        self._free = 0
        self._writing = 0

    @property
    def order(self) -> tuple[Rdev, ...]:
        """The devices in scan order."""
        return self._order

    def opens(self, backlog: Backlog) -> bool:
        """Whether a CTC is to be given to what waits.

        The first one always; a further one, while a write of ours is in progress, only for a
        large message or for much that waits. Published rates of small messages stay alike from
        10 to 16 CTCs, which no other rule explains.
        """
        if not self._free or not backlog:
            return False
        return (
            not self._writing
            or backlog.redrives
            or backlog.head_length >= self._open_message_length
            or backlog.backlog_length >= self._open_backlog_length
        )

    def acquire(self) -> Rdev:
        """The first free device of the scan, now in use. There must be one: see `opens`."""
        free = self._free
        assert free, "no free device to acquire"
        bit = free & -free
        self._free = free ^ bit
        self._writing |= bit
        return self._order[bit.bit_length() - 1]

    def release(self, rdev: Rdev) -> None:
        """The device can be written on again."""
        bit = self._bits.get(rdev, 0)
        self._free |= bit
        self._writing &= ~bit

    def occupy(self, rdev: Rdev) -> None:
        """The device is in other use: the partner writes on it, or it is not ready."""
        bit = self._bits.get(rdev, 0)
        self._free &= ~bit
        self._writing &= ~bit
