"""MONWRITE files as tests write them: by the published structure. No real file was seen.

The offsets of D6R3 and D9R4 are of no release: they are what `LAYOUT_CSV` says.
"""

from datetime import UTC, datetime
from struct import pack
from typing import Final

FRAME: Final = 4096
TOD_EPOCH: Final = 0x7D91048BCA000000
BEGIN: Final = datetime(2026, 11, 25, 10, 0, tzinfo=UTC)
SEGMENT: Final = 0x0A000000

LAYOUT_CSV: Final = """\
record,field,offset,length,type,unit,quantity
D6R3,IODDEV_RDEVDEV,20,2,unsigned,,
D6R3,IODDEV_SCGSSCH,24,4,unsigned,,
D6R3,IODDEV_SCMFPTIM,28,4,unsigned,128 us,
D6R3,IODDEV_SCMDDTIM,32,4,unsigned,128 us,
D6R3,IODDEV_SCMCNTIM,36,4,unsigned,128 us,
D9R4,ISFNOD_NODEID,20,8,character,,partner
D9R4,ISFNOD_LNKLSNMS,28,8,unsigned,,
D9R4,ISFNOD_LNKLSNBT,36,8,unsigned,,
D9R4,ISFNOD_LNKLRCMS,44,8,unsigned,,
D9R4,ISFNOD_LNKLRCBT,52,8,unsigned,,
D9R4,SENT,60,8,unsigned,,written_packages
D9R4,GOT,68,8,unsigned,,read_packages
D9R4,COLLIDED,76,8,unsigned,,write_collisions
D9R4,WAIT,84,8,unsigned,,tx_pend_count
"""


def tod(second: float) -> int:
    """The TOD clock so many seconds after the begin."""
    return TOD_EPOCH + (round((BEGIN.timestamp() + second) * 1_000_000) << 12)


def ebcdic(text: str, length: int) -> bytes:
    """A text as CP keeps it, with blanks at its end."""
    return text.ljust(length).encode("cp037")


def record(name: str, second: float, body: bytes = b"") -> bytes:
    """A record with its header; ``name`` is as D6R3."""
    domain, number = map(int, name.removeprefix("D").split("R"))
    return pack(">HHBxHQ4x", 20 + len(body), 0, domain, number, tod(second)) + body


def configured(second: float, partner: str, rdevs: list[str]) -> bytes:
    """D1R24."""
    body = ebcdic(partner, 8) + pack(">Hxx", len(rdevs)) + ebcdic("".join(rdevs), 64)
    return record("D1R24", second, body)


def changed(second: float, activity: int, rdev: str, partner: str) -> bytes:
    """D9R3, 140 bytes."""
    body = pack(">BxH", activity, 7) + ebcdic(rdev, 4) + ebcdic(partner, 8)
    return record("D9R3", second, body.ljust(120, b"\0"))


def device(second: float, rdev: int, ssch: int, pend: int, disc: int, conn: int) -> bytes:
    """D6R3 by `LAYOUT_CSV`; times in units of 128 us. Counters wrap."""
    counters = (each % 2**32 for each in (ssch, pend, disc, conn))
    return record("D6R3", second, pack(">H2xIIII", rdev, *counters))


def activity(second: float, partner: str, *counters: int) -> bytes:
    """D9R4 by `LAYOUT_CSV`, its counters in that order."""
    return record("D9R4", second, ebcdic(partner, 8) + pack(">8Q", *counters))


def sample(second: float, *records: bytes) -> bytes:
    """A set of sample data: a control record, and frames that an end of interval ends."""
    return frames(0xE2, second, [*records, record("D1R11", second)])


def events(second: float, *records: bytes) -> bytes:
    """A set of event data, whose last frame has nothing behind its last record."""
    return frames(0xC5, second, [*records])


def frames(kind: int, second: float, records: list[bytes]) -> bytes:
    """A set: a control record, and what it says of."""
    found = [b""]
    more = record("D1R13", second)
    for each in records:
        if len(found[-1]) + len(each) + len(more) > FRAME:
            found[-1] += more
            found.append(b"")
        found[-1] += each
    last = SEGMENT + FRAME * (len(found) - 1) + len(found[-1]) - 1
    entry = pack(">B3xII", kind, SEGMENT, last)
    control = (bytes(40) + entry).ljust(FRAME, b"\0")
    return control + b"".join(frame.ljust(FRAME, b"\0") for frame in found)
