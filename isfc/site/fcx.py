"""Performance Toolkit's pages of devices as text: screens, their print, or either pasted into mail.

Of FCX108 DEVICE the published order of columns is known, their widths are not. So a row is read by
the names of the heading above it (`isfc.layout.columns`); what may be meant in several ways that do
not say the same is refused.

FCX110, the details of a single device, is labels, each with its figure. Its layout is published
with a sample of a disk; a CTC's page has the same labels.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from ctc.address import Rdev
from isfc.layout.columns import Names, Word, ways, words_of
from isfc.layout.pasted import not_read
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
"""Columns that are never empty: a figure or dots stand there."""
_EMPTY: Final = ("label/id", "links", "mdisk")
"""Columns that may be: a CTC has no label and no minidisks. Which is does not matter."""
_KIND: Final = re.compile(r"<?(?=[\w-]*[A-Z]|\d{4})\w[\w-]*>?", re.IGNORECASE | re.ASCII)
_ADDRESS: Final = re.compile(r"[0-9A-F]{4}", re.IGNORECASE | re.ASCII)
_DECIMALS: Final = re.compile(r"(?<![.,])[.,](\d*)%?$", re.ASCII)


def heading_of(line: str) -> list[Word] | None:
    """The words of a line that is the heading of device rows, or None."""
    found = words_of(line, 0)
    return found if {"rdev", "pend_ms", "conn_ms"} <= {*_names(found)} else None


def _names(heading: list[Word]) -> Names:
    return tuple(_NAMES.get(word.text.upper(), word.text.lower()) for word in heading)


def is_device_row(line: str) -> bool:
    """Whether a line looks like a row of a CTC, even where no heading is above it."""
    words = line.upper().split()
    is_parted = len(words) > 6 and (
        bool({*words[2:4]} & {*CTC_TYPES[:2]}) or words[0][4:] in CTC_TYPES[:2]
    )
    is_row = len(words) > 1 and bool(_ADDRESS.fullmatch(words[0])) and words[1] in CTC_TYPES
    return is_row or is_parted


def whole(heading: list[Word]) -> list[Word]:
    """A heading; raises `BadFigure` if it lacks columns that are needed."""
    names = _names(heading)
    if missing := [name for name in ("type", *_NEEDED) if names.count(name) != 1]:
        raise BadFigure(
            f"a heading of {len(names)} columns without {', '.join(missing)}, or with it twice; "
            "expected it once: were the lines cut, as at column 72 or 80?"
        )
    if names[:2] != ("rdev", "type") or [*filter(_NEEDED.__contains__, names)] != [*_NEEDED]:
        raise BadFigure(
            "a heading that does not begin with Addr and Type, or has others in another order; "
            "expected it as printed"
        )
    return heading


def read_row(
    line: str, heading: list[Word], place: FilePlace, reading: Reading
) -> DeviceFigures | tuple[Rdev, str] | None:
    """The figures of a row, or the device and its type if it is no CTC; None for any other line.

    Raises `BadFigure` for a row that lacks columns, has no figure where one should be, or may be
    meant in several ways.
    """
    words = words_of(line, place.line)
    if len(words) in (1, 2) and _ADDRESS.fullmatch(words[0].text) and re.search(r"\d", line):
        raise BadFigure(f"the row of {words[0].text} ends too early; expected figures behind it")
    if len(words) < 3 or not _ADDRESS.fullmatch(words[0].text):
        return None
    address, kind = words[0].text, words[1].text.upper()
    if not _KIND.fullmatch(kind):
        raise BadFigure(f"{kind[:20]!r} is no device type; expected one such as CTCA")
    if kind not in CTC_TYPES:
        joined = kind.startswith(CTC_TYPES[:-1])  # with what stood behind it
        if joined or any(word.text.upper() in CTC_TYPES for word in words[2:]):
            raise BadFigure(not_read(line))
        return Rdev(int(address, 16)), kind
    names = _names(heading)
    empty = [name for name in names if name in _EMPTY]
    counted = (
        tuple(name for name in names if name not in empty[:lacking])
        for lacking in range(len(empty) + 1)
    )
    is_whole = {*_FILLED}.intersection(names).issubset
    found = [*ways(words, heading, names, counted, is_whole, _NEEDED[1:])]
    if not found:
        raise BadFigure(
            f"the row of {address} ends too early or has lost columns "
            f"({len(words)} words, {len(heading)} headings); expected as many figures as headings"
        )
    rows, refused = [], []
    for way in found:
        cells = {name: word.text for name, word in zip(way, words, strict=True)}
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
            f"the row of {address} has {len(words)} words below {len(heading)} headings, and "
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
    exact = _check_decimals(cells["rdev"], [cells[name] for name in _NEEDED[1:6]])
    rdev, busy = Rdev(int(cells["rdev"], 16)), busy if io or busy is not None else 0.0
    return DeviceFigures(rdev, io or 0.0, pend, disc, conn, serv, busy, place, exact)


def _check_decimals(rdev: str, texts: Sequence[str]) -> int:
    """How many decimals figures have that have some; raises `BadFigure` if not all as many."""
    decimals = {len(each[1]) for text in texts if (each := _DECIMALS.search(text))}
    if len(decimals) > 1:
        raise BadFigure(
            f"the figures of {rdev} have {' and '.join(map(str, sorted(decimals)))} decimals; "
            "expected as many in all"
        )
    return max(decimals, default=0)


_HEADING: Final = re.compile(r"Detailed Analysis for Device\s+(\S+)", re.IGNORECASE)
_OF_DEVICE: Final = re.compile(r"Path\(s\) to device\s+([0-9A-F]{4})\b", re.IGNORECASE)
_TYPE: Final = re.compile(r"Device type\s*:\s*(\w+)", re.IGNORECASE)
_FIGURE: Final = {
    name: re.compile(rf"{label}\s*:\s*(\S+)(?!\S)(?!\s+[\d.])", re.IGNORECASE)
    for name, label in {
        "io_per_s": "SSCH rate/s",
        "pend_ms": r"Function pend\.",
        "disc_ms": "Disconnected",
        "conn_ms": "(?<!s)Connected",
        "serv_ms": "Service time",
        "busy_percent": "Device busy",
    }.items()
}
"""A figure with another behind it was parted."""

_FORMS: Final = {"rdev": _OF_DEVICE, "type": _TYPE, **_FIGURE}


def detailed_device(line: str) -> str | None:
    """The device number of a line that begins the details of a device, or None."""
    found = _HEADING.search(line)
    return found[1] if found else None


def is_detail(line: str) -> bool:
    """Whether a line is of such details, even where none of them begin above it."""
    return any(_FIGURE[name].search(line) for name in ("io_per_s", "pend_ms"))


class Details(Struct):
    """The details of one device, as they are read; ``page`` is what stood above them.

    ``figures`` begin with the device's number, which the heading has.
    """

    page: Measurement
    figures: dict[str, str]

    def take(self, line: str) -> bool:
        """Take what a line says, if anything; raises `BadFigure` if another said something else."""
        if re.match(r"\W*\d[\d.]*(?:\s|$)", line):
            raise BadFigure(f"{not_read(line)}: each figure has its label before it")
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
        if kind.endswith("FUNCTION"):  # the next label
            raise BadFigure(f"the type of device {address} is lost; expected one such as CTCA")
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
        texts = [self.figures[name].removesuffix("ms") for name in _FIGURE]
        _check_decimals(address, texts)
        if re.fullmatch(r"\d\d?", texts[0]) and "." in "".join(texts[1:]):
            raise BadFigure(f"SSCH rate {texts[0]} of device {address} has no decimal: was it cut?")
        io, pend, disc, conn, serv, busy = map(reading.number, texts)
        return DeviceFigures(rdev, io or 0.0, pend, disc, conn, serv, busy, self.page.place)
