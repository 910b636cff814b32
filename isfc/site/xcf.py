"""What XCF of z/OS shows of the CTCs that it signals over: DISPLAY XCF,PATHIN and PATHOUT,DEV=ALL.

The answer, IXC356I, has two tables of the same devices; with all their columns they are published
(z/OS MVS System Messages). Of their figures MXFER TIME is read: the mean time of up to the last 64
signals of the last minute, in us (published: IBM Redbooks, Achieving the Highest Levels of Parallel
Sysplex Availability). Tables of structures are passed over: they are no CTCs.
"""

import re
from dataclasses import replace
from typing import Final

from msgspec import Struct

from ctc.address import Rdev
from isfc.layout.layers import plain
from isfc.layout.pasted import Kind, is_rule, looks_like_row, not_read
from isfc.site.figures import BadFigure, Reading
from isfc.site.measurement import FilePlace, ForeignFigures, Measurement
from isfc.site.page import read_lines

_MARK: Final = "IXC356I"
_ASKED: Final = re.compile(rf"{_MARK}\s+([01]\d|2[0-3])\.([0-5]\d)\.([0-5]\d)\s+DISPLAY\s+XCF\b")
_MESSAGE: Final = re.compile(r"\s*(?:[A-Z]{3,4}\d{3,4}[A-Z]|D(?:ISPLAY)? XCF)\b")
_RDEV: Final = "(?P<rdev>[0-9A-F]{4})"
_FAR: Final = r"(?P<far>[0-9A-F]{4}|\?{4})"
_SYSTEM: Final = r"(?P<system>[A-Z0-9$#@]{1,8}|\?{8}) (?P<status>\S+)"
_TIME: Final = r"(?P<time>\d+|-+)"
_TABLES: Final = {
    "PATHIN SYSTEM STATUS PATHOUT RETRY MAXMSG RECVD TIME": (
        rf"{_RDEV} {_SYSTEM} {_FAR} \d+ \d+ (?:\d+|-+) {_TIME}"
    ),
    "PATHIN PATHOUT SYSTEM STATUS PENDING LENGTH IN USE NUMBR NOBUF": (
        rf"{_RDEV} {_FAR} {_SYSTEM} \d+ \d+ \d+ \d+ \d+"
    ),
    "PATHOUT SYSTEM STATUS PATHIN RETRY MAXMSG CLASS": rf"{_RDEV} {_SYSTEM} {_FAR} \d+ \d+ \S+",
    "PATHOUT PATHIN SYSTEM STATUS PENDING LENGTH IN USE NUMBR TIME": (
        rf"{_RDEV} {_FAR} {_SYSTEM} \d+ \d+ \d+ \d+ {_TIME}"
    ),
}
"""The form of a row of each table of devices, by the second line of its heading."""

_OF_STRUCTURES: Final = re.compile(r"PATH(?:IN|OUT) (?:LIST SYSTEM|SYSTEM STATUS PATHS)\b")
_WAYS: Final = {"PATHIN": "read", "PATHOUT": "written"}


class _Display(Struct):
    """The answers of a text, as they are read: of the last one the ends of each table's devices."""

    reading: Reading
    found: list[Measurement] = []
    tables: dict[str, dict[str, tuple[str, ...]]] = {}
    heading: str | None = None
    """Of the table that is being read; empty of structures."""
    is_bare: bool = False
    """Whether the answer has no table yet."""

    def take(self, text: str, place: FilePlace) -> Kind:
        """Read one line, and say what it is; raises `BadFigure` for one that may be a row."""
        line, words = text.upper(), text.upper().split()
        if _MARK in line:
            self.close()
            asked = _ASKED.search(line)
            end = ":".join(asked.groups()) if asked else None
            self.found.append(Measurement(None, None, end, place))
            self.is_bare = True
            if asked is None:
                raise BadFigure(f"{text.strip()[:30]!r}; expected {_MARK} hh.mm.ss DISPLAY XCF")
            return Kind.HEADING
        if {"SYSTEM", "STATUS"} <= {*words}:
            self._begin(" ".join(words))
            return Kind.HEADING
        if is_rule(line):
            return Kind.RULE
        if _MESSAGE.match(line):
            self.heading = None
        if self.heading and any(each.isdigit() for each in line):
            self._row(self.heading, words, place)
            return Kind.ROW
        if words[0] in ("LOCAL", "STRNAME"):
            return Kind.HEADING
        if self.heading != "" and looks_like_row(line):
            raise BadFigure(not_read(line))
        return Kind.OTHER if self.heading == "" else Kind.TEXT

    def _begin(self, heading: str) -> None:
        self.is_bare = False
        self.heading = "" if _OF_STRUCTURES.match(heading) else None
        if self.heading is None:
            of_other = any(each.split()[0] != heading.split()[0] for each in self.tables)
            if not self.found or of_other or heading in self.tables or heading not in _TABLES:
                raise BadFigure(
                    f"a heading that no table of this answer has: expected {_MARK}, whole"
                )
            self.heading, self.tables[heading] = heading, {}

    def _row(self, heading: str, words: list[str], place: FilePlace) -> None:
        row, rows = re.fullmatch(_TABLES[heading], " ".join(words), re.ASCII), self.tables[heading]
        if row is None or row["rdev"] in rows:
            raise BadFigure(
                f"{' '.join(words)[:30]!r} is no row of this table, or of a device that is above; "
                f"expected one as {heading}, a device number first and each once"
            )
        rows[row["rdev"]] = row.group("far", "system", "status")
        if "time" in row.groupdict():
            rdev, way, page = Rdev(int(row["rdev"], 16)), _WAYS[heading.split()[0]], self.found[-1]
            time = None if row["time"][0] == "-" else float(row["time"])
            ctc = ForeignFigures("XCF", rdev, way, row["system"], None, None, time, place)
            self.found[-1] = replace(page, foreign=(*page.foreign, ctc))

    def close(self) -> None:
        """An answer ends: it has both its tables, of the same devices."""
        tables, self.tables, self.heading = [*self.tables.values()], {}, None
        if self.is_bare:
            self.reading.problems.append(
                f"{self.found.pop().place}: no table of this answer; expected it below the heading"
            )
        if tables and (len(tables) < 2 or tables[0] != tables[1]):
            one, other = tables if len(tables) == 2 else (tables[0], {})
            odd = sorted(rdev for rdev in one | other if one.get(rdev) != other.get(rdev))
            self.reading.problems.append(
                f"{self.found.pop().place}: {', '.join(odd)}: not alike in two tables; expected "
                "both of the answer, whole: has a line been lost?"
            )


def read_xcf(text: str, file: str, reading: Reading) -> list[Measurement]:
    """The CTCs of each answer in a text; what is wrong goes to ``reading``."""
    display = _Display(reading)
    read_lines(plain(text), file, reading, display.take)
    display.close()
    return display.found
