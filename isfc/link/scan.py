"""In which order the two ends of a link scan its CTCs, and which each leaves to the other."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from ctc.address import Rdev
from isfc.errors import ConfigurationError

CTCS_MAX: Final = 16
"""A logical link has at most sixteen CTCs (published: ACTIVATE ISLINK takes one to sixteen)."""


class LinkDevice(Struct, frozen=True):
    """One CTC of a logical link: its device number here and at the partner."""

    rdev: Rdev
    partner_rdev: Rdev


def stop_short(ctc_count: int) -> int:
    """How many devices at the end of the scan are left to the partner.

    Published (z/VM 6.2 performance report, "ISFC Improvements"): one for 2 to 8 CTCs, two
    for 9 to 16. A single CTC is written by both ends.
    """
    if ctc_count <= 1:
        return 0
    return 1 if ctc_count <= 8 else 2


def scan_order(devices: Sequence[LinkDevice], *, lesser: bool) -> tuple[Rdev, ...]:
    """All devices in the order in which one end scans them.

    Both ends order the CTCs by the *lesser* node's device numbers; the lesser node scans
    from the lowest upward, the greater from the highest downward (published: the same
    report, and IBM's "z/VM live guest relocation with Linux"). Raises `ConfigurationError` for
    more devices than a logical link may have.
    """
    if len(devices) > CTCS_MAX:
        raise ConfigurationError(f"{len(devices)} CTCs: expected at most {CTCS_MAX}")
    if lesser:
        return tuple(d.rdev for d in sorted(devices, key=lambda device: device.rdev))
    descending = sorted(devices, key=lambda device: device.partner_rdev, reverse=True)
    return tuple(device.rdev for device in descending)


def write_order(devices: Sequence[LinkDevice], *, lesser: bool) -> tuple[Rdev, ...]:
    """The devices one end may write on: those of `scan_order`, stopping short of its end."""
    scan = scan_order(devices, lesser=lesser)
    return scan[: len(scan) - stop_short(len(scan))]


FULL_COUNT: Final = CTCS_MAX - stop_short(CTCS_MAX)
"""What each end may write on of the most CTCs that a link can have."""
