"""Monitor records: where they are in a MONWRITE file, and at which offsets their fields are.

A file is sets of frames of 4096 bytes. The first of a set is a control record: 40 bytes, then
entries of 12 bytes that say which records follow, and from which address of the monitor segment to
which (HCPMWTBK, z/VM 6.2 and 6.4). A record that ends a frame (domain 1, record 13) says that
another frame follows; one that ends an interval (record 11) is the last of a sample. That the
frames of an entry are whole pages, the first record as far in as its address, is derived. No real
file was tried.

The layouts of D1R24 and D9R3 are known from IBM's pages. The offsets of D6R3 and D9R4 differ
between releases and are in no page that this was made from: the user supplies them, as IBM
publishes them.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from struct import Struct
from typing import Final

import msgspec

from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import read_bytes, text_of, within
from isfc.layout.csv_table import CsvTable
from isfc.site.figures import BadFigure
from isfc.site.measurement import FilePlace

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


class MonitorRecord(msgspec.Struct, frozen=True):
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


SUPPLIED: Final = {"D6R3": "MRIODDEV", "D9R4": "MRISFNOD"}
"""The records that a user's layout file describes, and IBM's names of them."""


def position_of(record: str) -> str:
    """Where IBM publishes the layout of a record that the user supplies."""
    page = f"https://www.vm.ibm.com/pubs/mon730/{SUPPLIED[record]}.HTML"
    return f"{page}, with your release in place of 730"


class Field(msgspec.Struct, frozen=True):
    """One field of a record. ``unit_ns`` is that of a time, None if it is none or nobody says."""

    name: str
    offset: int
    length: int
    character: bool = False
    unit_ns: int | None = None

    def text(self, record: MonitorRecord) -> str:
        """The characters of the field, from EBCDIC, without blanks at their end."""
        return self._bytes(record).decode("cp037").rstrip(" \0")

    def number(self, record: MonitorRecord) -> int:
        """The field as an unsigned number."""
        return int.from_bytes(self._bytes(record), "big")

    def _bytes(self, record: MonitorRecord) -> bytes:
        found = record.data[self.offset : self.offset + self.length]
        if len(found) < self.length:
            raise BadFigure(
                f"{record.name} of {len(record.data)} bytes ends before {self.name} at "
                f"{self.offset}; expected the layout of the release that wrote it"
            )
        return found


LINK: Final = {
    "partner": Field("MTRILC_NODEID", 20, 8, character=True),
    "count": Field("MTRILC_LNKDEVCT", 28, 2),
    "rdevs": Field("MTRILC_LDVDEVID", 32, 64, character=True),
}
"""D1R24 MRMTRILC, link configuration. Published: www.vm.ibm.com/pubs/mon640/MRMTRILC.HTML."""

CHANGE: Final = {
    "activity": Field("ISFILC_ACTIVITY", 20, 1),
    "rdev": Field("ISFILC_LDVDEVID", 24, 4, character=True),
    "partner": Field("ISFILC_LDVRMNOD", 28, 8, character=True),
}
"""D9R3 MRISFILC, link changes. Published: www.vm.ibm.com/pubs/mon730/MRISFILC.HTML."""

ACTIVITIES: Final = {1: "activate first", 2: "activate", 3: "deactivate", 4: "deactivate last"}
"""What D9R3 calls changes. Published, same page."""

LINK_ENDS: Final = (1, 4)
"""Of them, those with which a link comes up and goes down."""

QUANTITIES: Final[Mapping[str, Mapping[str, tuple[tuple[str, ...], ...]]]] = {
    "D6R3": {
        "rdev": (("RDEVDEV",),),
        "ssch_count": (("SCGSSCH",), ("SCMSSCH",)),
        "pend_time": (("SCMFPTIM",),),
        "disc_time": (("SCMDDTIM",),),
        "conn_time": (("SCMCNTIM",),),
    },
    "D9R4": {
        "partner": (("LDVRMNOD",),),
        "tx_pend_count": (),
        "write_collisions": (),
        **{
            f"{side}_{what}": tuple((f"LNKL{code}{ibm}", f"LNKF{code}{ibm}") for ibm in names)
            for side, code in (("written", "SN"), ("read", "RC"))
            for what, names in (("bytes", ("BT",)), ("messages", ("MS",)), ("packages", ()))
        },
    },
}
"""What is needed of a record, and IBM's names of fields for it without their prefix.

Of the alternatives the first is taken that the layout has; fields of one alternative are added, as
are those of which the layout says the same quantity. The names of D9R4 are those of D9R3."""

TIMES: Final = ("pend_time", "disc_time", "conn_time")
_ALIGNMENT: Final = 4
"""Bytes on which longer numbers are aligned. Derived: so they are in all published records."""

_NOT_ADDED: Final = ("rdev", "partner", "tx_pend_count")
_UNIT: Final = re.compile(r"(\d+(?:\.\d+)?)?\s*(ns|us|ms|s)", re.ASCII)
_NS: Final = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
_NAMED: Final = re.compile(r"(?<![0-9a-z])(d\d+r\d+)(?![0-9])", re.IGNORECASE)


class RecordLayout(msgspec.Struct, frozen=True):
    """Of one record: the fields of each quantity of `QUANTITIES`."""

    record: str
    fields: Mapping[str, tuple[Field, ...]]


def read_layouts(path: Path) -> list[RecordLayout]:
    """The layouts in a CSV file with field, offset, length, type and unit.

    Which record a row is of, column ``record`` says, or else the file's name. Column ``quantity``
    says what a field is, where its name does not. Raises `ConfigurationError` by file and line.
    """
    with within(str(path)):
        text = text_of(read_bytes(path, "a layout of monitor records"), "CSV")
    table = CsvTable(text, f"{path}:")
    if missing := {"field", "offset", "length"} - {*table.names}:
        raise ConfigurationError(
            f"{path}:1: no column {', '.join(sorted(missing))}; "
            "expected field, offset, length, type and unit"
        )
    named = _NAMED.search(path.stem.replace("_", " "))
    found: dict[str, list[tuple[str, Field]]] = {}
    for number, row, _ in table:
        place = f"{path}:{number}"
        record = (row.get("record") or (named[1] if named else "")).upper()
        if record not in QUANTITIES:
            raise ConfigurationError(
                f"{place}: record {record or 'not named'}; expected {' or '.join(QUANTITIES)}, "
                "in a column 'record' or in the file's name"
            )
        found.setdefault(record, []).extend(_field(row, record, place))
    return [RecordLayout(record, _quantities(path, record, each)) for record, each in found.items()]


def _field(row: Mapping[str, str], record: str, place: str) -> Iterator[tuple[str, Field]]:
    """The field of a row and its quantity or else name; none of a row that no one needs."""
    name = (row["field"] or "").strip().upper()
    quantity = (row.get("quantity") or "").strip().lower()
    if quantity and quantity not in QUANTITIES[record]:
        raise ConfigurationError(
            f"{place}: quantity {quantity[:20]!r}; expected one of {', '.join(QUANTITIES[record])}"
        )
    key = quantity or name.rpartition("_")[2]
    known = (names for alternatives in QUANTITIES[record].values() for names in alternatives)
    if not quantity and not any(key in names for names in known):
        return
    numbers = [row[column] or "" for column in ("offset", "length")]
    if not all(each.isascii() and each.isdigit() for each in numbers) or not int(numbers[1]):
        raise ConfigurationError(
            f"{place}: {name} at {numbers[0]!r}, length {numbers[1]!r}; expected numbers of bytes"
        )
    unit = _UNIT.fullmatch((row.get("unit") or "").strip())
    unit_ns = round(float(unit[1] or 1) * _NS[unit[2]]) if unit else None
    character = (row.get("type") or "").strip().lower().startswith("char")
    yield key, Field(name, int(numbers[0]), int(numbers[1]), character, unit_ns)


def _quantities(
    path: Path, record: str, found: list[tuple[str, Field]]
) -> dict[str, tuple[Field, ...]]:
    fields: dict[str, tuple[Field, ...]] = {}
    for quantity, alternatives in QUANTITIES[record].items():
        chosen = [field for key, field in found if key == quantity]
        for names in alternatives:
            chosen = chosen or [field for key, field in found if key in names]
        if not chosen:
            raise ConfigurationError(
                f"{path}: {record} has no field for {quantity}; expected one, named in a column "
                f"'quantity': see {position_of(record)}"
            )
        if quantity in _NOT_ADDED and len(chosen) > 1:
            raise ConfigurationError(
                f"{path}: {record} has {len(chosen)} fields for {quantity}; expected one"
            )
        if quantity in TIMES and any(field.unit_ns is None for field in chosen):
            raise ConfigurationError(
                f"{path}: {record} {chosen[0].name} has no unit; expected one such as '128 us'"
            )
        fields[quantity] = tuple(chosen)
    every = [each for chosen in fields.values() for each in chosen]
    _check_offsets(f"{path}: {record}", every)
    return fields


def _check_offsets(place: str, fields: list[Field]) -> None:
    """Raise `ConfigurationError` for two fields that share a byte, or a number not aligned.

    Then one of the offsets is wrong.
    """
    ordered = sorted(fields, key=lambda each: each.offset)
    for one, other in pairwise(ordered):
        if one.offset + one.length > other.offset:
            raise ConfigurationError(
                f"{place} {one.name} at {one.offset}, length {one.length}, and {other.name} at "
                f"{other.offset}; expected fields that do not overlap"
            )
    if ordered[0].offset < HEADER_LENGTH:
        raise ConfigurationError(
            f"{place} {ordered[0].name} at {ordered[0].offset}; expected {HEADER_LENGTH} or more, "
            "as the record's header takes so many bytes"
        )
    for each in fields:
        boundary = min(each.length, _ALIGNMENT)
        if not each.character and each.length in (2, 4, 8) and each.offset % boundary:
            raise ConfigurationError(
                f"{place} {each.name} at {each.offset}, length {each.length}; expected a multiple "
                f"of {boundary}, as numbers are aligned in monitor records"
            )
