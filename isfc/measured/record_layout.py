"""Layouts of monitor records: at which offsets their fields are.

D1R24 and D9R3 are known from IBM's pages. The offsets of D6R3 and D9R4 differ between releases and
are in no page that this was made from: the user supplies them, as IBM publishes them.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import read_bytes
from isfc.measured.figures import BadFigure
from isfc.measured.monwrite import HEADER_LENGTH, MonitorRecord

SUPPLIED: Final = {"D6R3": "MRIODDEV", "D9R4": "MRISFNOD"}
"""The records that a user's layout file describes, and IBM's names of them."""


def position_of(record: str) -> str:
    """Where IBM publishes the layout of a record that the user supplies."""
    page = f"https://www.vm.ibm.com/pubs/mon730/{SUPPLIED[record]}.HTML"
    return f"{page}, with your release in place of 730"


@dataclass(frozen=True, slots=True)
class Field:
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


@dataclass(frozen=True, slots=True)
class RecordLayout:
    """Of one record: the fields of each quantity of `QUANTITIES`."""

    record: str
    fields: Mapping[str, tuple[Field, ...]]


def read_layouts(path: Path) -> list[RecordLayout]:
    """The layouts in a CSV file with field, offset, length, type and unit.

    Which record a row is of, column ``record`` says, or else the file's name. Column ``quantity``
    says what a field is, where its name does not. Raises `ConfigurationError` by file and line.
    """
    try:
        text = read_bytes(path, "a layout of monitor records").decode("utf-8-sig")
    except (ConfigurationError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: {error}") from None
    table = csv.DictReader(text.splitlines())
    if missing := {"field", "offset", "length"} - {*(table.fieldnames or ())}:
        raise ConfigurationError(
            f"{path}:1: no column {', '.join(sorted(missing))}; "
            "expected field, offset, length, type and unit"
        )
    named = _NAMED.search(path.stem.replace("_", " "))
    found: dict[str, list[tuple[str, Field]]] = {}
    for row in table:
        place = f"{path}:{table.line_num}"
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
