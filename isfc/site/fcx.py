"""Performance Toolkit's pages of devices as text: screens, their print, or either pasted into mail.

Of FCX108 DEVICE the published order of columns is known, their widths are not. So a row is read by
the names of the heading above it, and where blanks or cells were lost in every way in which it can
be meant: word by word, by the name that stands over each word, and from its end. Ways whose figures
contradict each other are out. What is left has to say the same, or the row is refused.

FCX110, the details of a single device, is labels, each with its figure. Its layout is published
with a sample of a disk; a CTC's page has the same labels.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from ctc.address import Rdev
from isfc.layout.pasted import below, not_read
from isfc.site.figures import BadFigure, Reading, problems_of
from isfc.site.measurement import DeviceFigures, FilePlace, Measurement

CTC_TYPES: Final = ("CTCA", "FCTC", "CTC", "BCTC", "SCTC", "3088")
"""What CTCs are called: CTCA by Performance Toolkit (published), FCTC by CP, the others in IOCP
decks and by CP for CTCs that are no FICON."""

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
_NEEDED: Final = ("rdev", "io_per_s", "pend_ms", "disc_ms", "conn_ms", "serv_ms", "busy_percent")
_FILLED: Final = ("ths", "avoid", *_NEEDED)
"""Columns that are never empty: a figure or dots stand there. Those between Type and Pa-ths may
be: a CTC has no label and no minidisks."""
_KIND: Final = re.compile(r"<?(?=[\w-]*[A-Z]|\d{4})\w[\w-]*>?", re.IGNORECASE | re.ASCII)
_ADDRESS: Final = re.compile(r"[0-9A-F]{4}", re.IGNORECASE | re.ASCII)
_DECIMALS: Final = re.compile(r"[.,](\d+)", re.ASCII)
_WORD: Final = re.compile(r"\S+")


class ColumnPlace(Struct, frozen=True):
    """A name of a heading, and where it stands."""

    name: str
    """Of `DeviceFigures`, or that of the heading in small letters."""
    begin: int
    end: int


def heading_of(line: str) -> list[ColumnPlace] | None:
    """The columns of a line that is the heading of device rows, or None."""
    found = [
        ColumnPlace(_NAMES.get(word[0].upper(), word[0].lower()), *word.span())
        for word in _WORD.finditer(line)
    ]
    names = {column.name for column in found}
    return found if {"rdev", "pend_ms", "conn_ms"} <= names else None


def is_device_row(line: str) -> bool:
    """Whether a line looks like a row of a CTC, even where no heading is above it."""
    words = line.split()
    return len(words) > 1 and bool(_ADDRESS.fullmatch(words[0])) and words[1].upper() in CTC_TYPES


def whole(columns: list[ColumnPlace]) -> list[ColumnPlace]:
    """The columns of a heading; raises `BadFigure` if it lacks some that are needed."""
    names = [column.name for column in columns]
    if missing := [name for name in ("type", *_NEEDED) if names.count(name) != 1]:
        raise BadFigure(
            f"a heading of {len(names)} columns without {', '.join(missing)}, or with it twice; "
            "expected it once: were the lines cut, as at column 72 or 80?"
        )
    if names[:2] != ["rdev", "type"]:
        raise BadFigure("a heading that does not begin with Addr and Type; expected it as printed")
    return columns


def read_row(
    line: str, columns: list[ColumnPlace], place: FilePlace, reading: Reading
) -> DeviceFigures | tuple[Rdev, str] | None:
    """The figures of a row, or the device and its type if it is no CTC; None for any other line.

    Raises `BadFigure` for a row that lacks columns, has no figure where one should be, or may be
    meant in several ways.
    """
    words = [*_WORD.finditer(line)]
    if len(words) < 3 or not _ADDRESS.fullmatch(words[0][0]):
        return None
    kind = words[1][0].upper()
    if not _KIND.fullmatch(kind):
        raise BadFigure(f"{kind[:20]!r} is no device type; expected one such as CTCA")
    if kind not in CTC_TYPES:
        if any(word[0].upper() in CTC_TYPES for word in words[2:]):
            raise BadFigure(not_read(line))
        return Rdev(int(words[0][0], 16)), kind
    ways = [*_ways(words, columns)]
    if not ways:
        raise BadFigure(
            f"the row of {words[0][0]} ends too early or has lost columns "
            f"({len(words)} words, {len(columns)} headings); expected as many figures as headings"
        )
    rows, refused = [], []
    for cells in ways:
        try:
            rows.append(_device(cells, place, reading))
        except BadFigure as error:
            refused.append(error)
    if not rows:
        raise refused[0]
    # if none can be, the first way says what is wrong with it
    meant = [row for row in rows if not [*problems_of(row)]] or rows[:1]
    if not all(row == meant[0] for row in meant):
        raise BadFigure(
            f"the row of {words[0][0]} has {len(words)} words below {len(columns)} headings, and "
            "may be meant in several ways; expected its blanks as they were printed"
        )
    return meant[0]


def _device(cells: Mapping[str, str], place: FilePlace, reading: Reading) -> DeviceFigures:
    io, pend, disc, conn, serv, busy = (reading.number(cells[name]) for name in _NEEDED[1:])
    if busy is None and io:
        raise BadFigure(
            f"the row of {cells['rdev']} has {io:g} I/Os a second and no Busy; expected both: are "
            "columns shifted?"
        )
    found = (_DECIMALS.search(cells[name]) for name in _NEEDED[2:6])
    decimals = [len(each[1]) for each in found if each]
    rdev, busy = Rdev(int(cells["rdev"], 16)), busy if io or busy is not None else 0.0
    exact = min(decimals, default=0)
    return DeviceFigures(rdev, io or 0.0, pend, disc, conn, serv, busy, place, exact)


def _ways(words: list[re.Match[str]], columns: list[ColumnPlace]) -> Iterator[Mapping[str, str]]:
    """The cells of a row by the names of their columns, in each way that it can be meant."""
    placed = _placed(words, columns)
    below_names = {column.name: word[0] for column, word in placed or ()}
    # in a page as it is printed each figure ends where the name of its column does
    if placed is not None and all(
        abs(column.end - word.end()) <= 1 for column, word in placed if column.name in _NEEDED[1:]
    ):
        yield below_names
        return
    if len(words) == len(columns):
        yield {column.name: word[0] for column, word in zip(columns, words, strict=True)}
    if placed is not None:
        yield below_names
    missing = len(words) - len(columns)
    may_be_empty = [
        at for at, column in enumerate(columns) if column.name in ("label/id", "links", "mdisk")
    ]
    if -len(may_be_empty) <= missing < 0:
        # which of those columns is empty does not matter: none of them is a figure of a CTC
        first = may_be_empty[0]
        kept = columns[:first] + columns[first - missing :]
        yield {column.name: word[0] for column, word in zip(kept, words, strict=True)}


def _placed(
    words: list[re.Match[str]], columns: list[ColumnPlace]
) -> list[tuple[ColumnPlace, re.Match[str]]] | None:
    """Each word with the column that it stands below; None where the places do not tell."""
    places = below([word.span() for word in words], [(one.begin, one.end) for one in columns])
    found = [(columns[at], word) for at, word in zip(places or (), words, strict=False)]
    names = {column.name for column, _ in found}
    filled = {column.name for column in columns if column.name in _FILLED}
    return found if filled <= names else None


_HEADING: Final = re.compile(r"Detailed Analysis for Device\s+(\S+)", re.IGNORECASE)
_OF_DEVICE: Final = re.compile(r"Path\(s\) to device\s+([0-9A-F]{4})\b", re.IGNORECASE)
_TYPE: Final = re.compile(r"Device type\s*:\s*(\w+)", re.IGNORECASE)
_FIGURE: Final = {
    "io_per_s": re.compile(r"SSCH rate/s\s*:\s*(\S+)", re.IGNORECASE),
    "pend_ms": re.compile(r"Function pend\.\s*:\s*(\S+)", re.IGNORECASE),
    "disc_ms": re.compile(r"Disconnected\s*:\s*(\S+)", re.IGNORECASE),
    "conn_ms": re.compile(r"(?<!s)Connected\s*:\s*(\S+)", re.IGNORECASE),
    "serv_ms": re.compile(r"Service time\s*:\s*(\S+)", re.IGNORECASE),
    "busy_percent": re.compile(r"Device busy\s*:\s*(\S+)", re.IGNORECASE),
}

_FORMS: Final = {"rdev": _OF_DEVICE, "type": _TYPE, **_FIGURE}


def detailed_device(line: str) -> str | None:
    """The device number of a line that begins the details of a device, or None."""
    found = _HEADING.search(line)
    return found[1] if found else None


class Details(Struct):
    """The details of one device, as they are read; ``page`` is what stood above them.

    ``figures`` begin with the device's number, which the heading has.
    """

    page: Measurement
    figures: dict[str, str]

    def take(self, line: str) -> bool:
        """Take what a line says, if anything; raises `BadFigure` if another said something else."""
        found = {name: each[1] for name, form in _FORMS.items() if (each := form.search(line))}
        for name, text in found.items():
            before = self.figures.setdefault(name, text)
            if before.upper() != text.upper():
                raise BadFigure(
                    f"{name} of device {self.figures['rdev']} is {text}, and {before} above; "
                    "expected one of them: are these two devices without a heading between them?"
                )
        return bool(found)

    def device(self, reading: Reading) -> DeviceFigures | tuple[Rdev, str]:
        """The figures of the device, or the device and its type if it is no CTC.

        Raises `BadFigure` for a page that lacks some.
        """
        address, kind = self.figures["rdev"], self.figures.get("type", "").upper()
        if not _ADDRESS.fullmatch(address):
            raise BadFigure(f"{address!r} is no device number; expected one such as 6000")
        rdev = Rdev(int(address, 16))
        if kind and kind not in CTC_TYPES:
            return rdev, kind
        if missing := [name for name in _FIGURE if name not in self.figures]:
            raise BadFigure(
                f"the details of device {address} lack {', '.join(missing)}; expected them: "
                "has the page been cut?"
            )
        texts = (self.figures[name].removesuffix("ms") for name in _FIGURE)
        io, pend, disc, conn, serv, busy = map(reading.number, texts)
        return DeviceFigures(rdev, io or 0.0, pend, disc, conn, serv, busy, self.page.place)
