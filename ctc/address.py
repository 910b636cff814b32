"""Device numbers and chpids: how z/VM names the ends of a CTC."""

from typing import Final, NewType

from ctc.errors import BadChpid, BadRdev

Rdev = NewType("Rdev", int)
"""A real device number, 0000 to FFFF; printed as four upper-case hex digits."""

ChpidId = NewType("ChpidId", int)
"""A channel-path identifier, 00 to FF; printed as two upper-case hex digits."""

RDEV_MAX: Final = 0xFFFF
CHPID_MAX: Final = 0xFF
_HEX: Final = frozenset("0123456789abcdefABCDEF")


def parse_rdev(text: str) -> Rdev:
    """Read one device number such as ``"D00F"``; raise `BadRdev` otherwise."""
    if not 1 <= len(text) <= 4 or not _HEX.issuperset(text):
        raise BadRdev(f"{text[:40]!r} is not a device number: expected 1 to 4 hex digits")
    return Rdev(int(text, 16))


def parse_rdevs(text: str) -> tuple[Rdev, ...]:
    """Read ``"D000-D003,D010"``: device numbers and ranges, in the order given.

    Raises `BadRdev` for anything else, for a range that runs backwards and for a
    number given twice.
    """
    rdevs: dict[Rdev, None] = {}  # an ordered set: what is read must not grow beyond all RDEVs
    for part in text.split(","):
        low_text, dash, high_text = part.partition("-")
        low = parse_rdev(low_text.strip())
        high = parse_rdev(high_text.strip()) if dash else low
        if high < low:
            raise BadRdev(f"range {part.strip()} runs backwards: expected the lower number first")
        for number in range(low, high + 1):
            rdev = Rdev(number)
            if rdev in rdevs:
                raise BadRdev(f"{format_rdev(rdev)} is named twice: expected each device once")
            rdevs[rdev] = None
    return tuple(rdevs)


def parse_chpid(text: str) -> ChpidId:
    """Read one chpid such as ``"5A"``; raise `BadChpid` otherwise."""
    if not 1 <= len(text) <= 2 or not _HEX.issuperset(text):
        raise BadChpid(f"{text[:40]!r} is not a chpid: expected 1 or 2 hex digits")
    return ChpidId(int(text, 16))


def format_rdev(rdev: Rdev) -> str:
    """The device number as CP prints it: ``D00F``."""
    return f"{rdev:04X}"


def format_chpid(chpid: ChpidId) -> str:
    """The chpid as CP prints it: ``5A``."""
    return f"{chpid:02X}"
