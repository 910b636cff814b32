"""Performance Toolkit's FCX108 DEVICE as text: a screen, its print, or either pasted into mail.

The published order of columns is known, their widths are not. So a row is read by the names of
the heading above it: word by word where there are as many words as names, else by the name that
stands over it. A page begins with a heading, and what stands above it says system and interval.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from ctc.address import Rdev
from isfc.measured.figures import BadFigure, Reading
from isfc.measured.measurement import DeviceFigures, FilePlace

CTC_TYPES: Final = ("CTCA", "FCTC")
"""What CTCs are called: CTCA by Performance Toolkit (published), FCTC by CP."""

_NAMES: Final = {
    "ADDR": "rdev",
    "TYPE": "type",
    "I/O": "io_per_s",
    "PEND": "pend_ms",
    "DISC": "disc_ms",
    "CONN": "conn_ms",
    "SERV": "serv_ms",
    "RESP": "resp_ms",
    "BUSY": "busy_percent",
}
_NEEDED: Final = ("rdev", "io_per_s", "pend_ms", "disc_ms", "conn_ms", "serv_ms")
_ADDRESS: Final = re.compile(r"[0-9A-F]{4}", re.IGNORECASE | re.ASCII)
_WORD: Final = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Column:
    """A name of a heading, and where it stands."""

    name: str
    """Of `DeviceFigures`, or that of the heading in small letters."""
    begin: int
    end: int


def heading_of(line: str) -> list[Column] | None:
    """The columns of a line that is the heading of device rows, or None."""
    words = [*_WORD.finditer(line)]
    found = [
        Column(_NAMES.get(word[0].upper(), word[0].lower()), word.start(), word.end())
        for word in words
    ]
    names = [column.name for column in found]
    return found if {"rdev", "pend_ms", "conn_ms"} <= set(names) else None


def is_device_row(line: str) -> bool:
    """Whether a line looks like a row of a CTC, even where no heading is above it."""
    words = line.split()
    return len(words) > 1 and bool(_ADDRESS.fullmatch(words[0])) and words[1].upper() in CTC_TYPES


def read_row(
    line: str, columns: list[Column], place: FilePlace, reading: Reading
) -> tuple[str, DeviceFigures] | None:
    """The device type and figures of a row; None for a line that is none.

    Raises `BadFigure` for a row that lacks columns, or has no figure where one should be.
    """
    words = [*_WORD.finditer(line)]
    if len(words) < 3 or not _ADDRESS.fullmatch(words[0][0]):
        return None
    cells = dict(_assigned(words, columns))
    if missing := [name for name in _NEEDED if name not in cells]:
        raise BadFigure(
            f"the row of {words[0][0]} ends too early or has lost columns "
            f"(no {', '.join(missing)}); expected as many figures as headings"
        )
    figures = {
        name: reading.number(cells[name]) if name in cells else None
        for name in (*_NEEDED[1:], "busy_percent")
    }
    return cells.get("type", "").upper(), _device(words[0][0], figures, cells, place)


def _device(
    address: str, figures: Mapping[str, float | None], cells: Mapping[str, str], place: FilePlace
) -> DeviceFigures:
    texts = [cells[name].replace(",", ".") for name in _NEEDED[2:]]
    decimals = [len(text) - text.index(".") - 1 for text in texts if "." in text.strip(".")]
    return DeviceFigures(
        Rdev(int(address, 16)),
        figures["io_per_s"] or 0.0,
        figures["pend_ms"],
        figures["disc_ms"],
        figures["conn_ms"],
        figures["serv_ms"],
        figures["busy_percent"],
        place,
        min(decimals, default=0),
    )


def _assigned(words: list[re.Match[str]], columns: list[Column]) -> Iterator[tuple[str, str]]:
    """The name of each word's column."""
    if len(words) == len(columns):
        yield from ((column.name, word[0]) for word, column in zip(words, columns, strict=True))
        return
    for word in words:
        over = [c for c in columns if c.begin < word.end() + 1 and word.start() < c.end + 1]
        # figures end where their heading does, and may begin before it
        if over:
            nearest = min(over, key=lambda column: abs(column.end - word.end()))
            yield nearest.name, word[0]
