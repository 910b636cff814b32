"""MONWRITE files: the monitor records in them, each with its header, undecoded.

A file is sets of frames of 4096 bytes. The first of a set is a control record: 40 bytes, then
entries of 12 bytes that say which records follow, and from which address of the monitor segment to
which (HCPMWTBK, z/VM 6.2 and 6.4). A record that ends a frame (domain 1, record 13) says that
another frame follows; one that ends an interval (record 11) is the last of a sample. That the
frames of an entry are whole pages, the first record as far in as its address, is derived. No real
file was tried.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from struct import Struct
from typing import Final

from isfc.measured.figures import BadFigure
from isfc.measured.measurement import FilePlace

FRAME_LENGTH: Final = 4096
_ENTRIES_AT: Final = 40
_ENTRY: Final = Struct(">BxxxII")
_SAMPLE: Final = 0xE2
_EVENT: Final = 0xC5
_HEADER: Final = Struct(">HHBxHQ4x")
HEADER_LENGTH: Final = _HEADER.size
_RDW: Final = Struct(">HH")
_END_OF_FRAME: Final = "D1R13"
INTERVAL_END: Final = "D1R11"

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TOD_EPOCH: Final = 0x7D91048BCA000000
"""The TOD clock at the epoch of Unix, by pak-center/zpmd. Leap seconds are not counted."""


@dataclass(frozen=True, slots=True)
class MonitorRecord:
    """A monitor record: its name as D6R3, when it was built, and all of its bytes.

    ``group`` is the number of its control record; all of a sample are in one.
    """

    name: str
    tod: int
    data: bytes
    sample: bool
    group: int
    place: FilePlace


def is_monwrite(data: bytes) -> bool:
    """Whether a file is one of MONWRITE: a control record is in it, as a record of 4096 bytes."""
    data = without_descriptors(data)
    return b"\0" in data and _first_control(data) is not None


def without_descriptors(data: bytes) -> bytes:
    """A file without the record descriptor words (RDW) that a transfer has kept, if it has."""
    length = FRAME_LENGTH + _RDW.size
    word = _RDW.pack(length, 0)
    starts = range(0, len(data), length)  # the last record may have been cut
    if len(data) < length or any(not word.startswith(data[at : at + _RDW.size]) for at in starts):
        return data
    return b"".join(data[at + _RDW.size : at + length] for at in starts)


def _first_control(data: bytes) -> int | None:
    """Where the first control record of a file is; None if it has none."""
    starts = range(0, len(data) - FRAME_LENGTH + 1, FRAME_LENGTH)
    return next((at for at in starts if _is_control(data, at)), None)


def _is_control(data: bytes, at: int) -> bool:
    """Whether a frame says which records follow: entries, and nothing behind the last."""
    entries = 0
    for entry_at in range(at + _ENTRIES_AT, at + FRAME_LENGTH - _ENTRY.size + 1, _ENTRY.size):
        kind, start, last = _ENTRY.unpack_from(data, entry_at)
        if kind not in (_SAMPLE, _EVENT) or last < start:
            # any first entry makes one: what is wrong with the others is said where it is read
            return entries > 0 and (at == 0 or not kind)
        entries += 1
    return entries > 0


def time_of(tod: int) -> datetime:
    """The time of a TOD clock, in UTC."""
    return _EPOCH + timedelta(microseconds=(tod - _TOD_EPOCH) >> 12)


def read_records(data: bytes, file: str, notes: list[str]) -> Iterator[MonitorRecord]:
    """Every record of a file, in its order; raises `BadFigure` where it is cut or no such file.

    A file that begins in the middle of a set is read from the next one on, which is noted.
    """
    data = without_descriptors(data)
    at, group = _first_control(data) or 0, 0
    if at:
        notes.append(f"{file}: begins in the middle: left out: {at} bytes before the first set")
    while at < len(data):
        control = _frames(data, at, 1, file)
        at, group = at + FRAME_LENGTH, group + 1
        for entry_at in range(_ENTRIES_AT, FRAME_LENGTH - _ENTRY.size + 1, _ENTRY.size):
            kind, start, last = _ENTRY.unpack_from(control, entry_at)
            if not kind:
                break
            if kind not in (_SAMPLE, _EVENT) or last < start:
                raise BadFigure(
                    f"{file}, byte {at - FRAME_LENGTH + entry_at}: no entry of a control record "
                    f"(kind X'{kind:02X}', from X'{start:X}' to X'{last:X}'); expected kind X'E2' "
                    "or X'C5': was the file sent as binary, in records of 4096 bytes?"
                )
            frames = last // FRAME_LENGTH - start // FRAME_LENGTH + 1
            content = _frames(data, at, frames, file)
            begin = start % FRAME_LENGTH
            end = begin + last - start
            yield from _records(
                content, begin, end, kind == _SAMPLE, group, FilePlace(file, at, "byte")
            )
            at += frames * FRAME_LENGTH


def _frames(data: bytes, at: int, count: int, file: str) -> bytes:
    content = data[at : at + count * FRAME_LENGTH]
    if len(content) < count * FRAME_LENGTH:
        raise BadFigure(
            f"{file}, byte {at}: {len(content)} bytes of {count} frames of {FRAME_LENGTH}; "
            "expected all of them: has the file been cut?"
        )
    return content


def _records(
    content: bytes, at: int, last: int, sample: bool, group: int, begin: FilePlace
) -> Iterator[MonitorRecord]:
    """The records from offset ``at`` of some frames to ``last``, the offset of the last byte."""
    while at + _HEADER.size <= last + 1:
        length, zeros, domain, number, tod = _HEADER.unpack_from(content, at)
        place = FilePlace(begin.file, begin.line + at, "byte")
        next_frame = (at // FRAME_LENGTH + 1) * FRAME_LENGTH
        if length < _HEADER.size or zeros or at + length > next_frame:
            raise BadFigure(
                f"{place}: no monitor record (length {length}); expected a header of one"
            )
        record = MonitorRecord(
            f"D{domain}R{number}", tod, content[at : at + length], sample, group, place
        )
        yield record
        if sample and record.name == INTERVAL_END:
            return
        at = next_frame if record.name == _END_OF_FRAME else at + length
