"""Names for what JES2, JES3 and RSCS write on a CTC: the blocks of network job entry (NJE).

Their form is published: IBM, Network Job Entry Formats and Protocols (SA32-0988). Over a CTC they
are framed as over BSC. XCF's and ISFC's are not published, and are not named.
"""

from typing import Final

_SEQUENCES: Final = {
    b"\x01\x2d": "SOH ENQ: asks for a session",
    b"\x10\x70": "ACK0: nothing to send",
    b"\x3d": "NAK: send it again",
}
"""All of a block without data."""

_BLOCK: Final = b"\x10\x02"
"""DLE STX, then a block control byte (BCB), two of function control (FCS), and the first record."""

_RECORD_AT: Final = 5

_RECORDS: Final = {
    0x00: "end of block",
    0x90: "asks to begin a stream",
    0xA0: "permits a stream",
    0xB0: "refuses or ends a stream",
    0xC0: "a stream is complete",
    0xD0: "ready for a stream",
    0xE0: "BCB out of sequence",
    0xF0: "control record",
    0x9A: "message or command",
}
"""By the first record's control byte (RCB)."""

_STREAMS: Final = {0x8: "SYSIN", 0x9: "SYSOUT"}
"""By the second half of the RCB of a stream of data, the first half being 8 and its number."""


def nje_name(data: bytes) -> str | None:
    """The name of a block of NJE, by what it begins with; None of anything else."""
    sequence = _SEQUENCES.get(data[:3])
    if sequence is not None:
        return f"NJE {sequence}"
    if not data.startswith(_BLOCK) or len(data) <= _RECORD_AT:
        return None
    control = data[_RECORD_AT]
    stream = _STREAMS.get(control & 0xF) if control & 0xF0 >= 0x90 else None
    record = _RECORDS.get(control)
    if record is None and stream is not None:
        record = f"{stream}, stream {(control >> 4) - 8}"
    return None if record is None else f"NJE block: {record}"
