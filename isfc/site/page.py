"""Text as a whole: which pages it has, and what stands above them of system and interval.

A page is device rows or the details of one device (`isfc.site.fcx`), or link activity
(`isfc.site.link_activity`). Details of several devices in one interval are one page.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from itertools import chain, takewhile
from typing import Any, Final

from msgspec import Struct, field

from ctc.address import Rdev
from isfc.errors import ConfigurationError
from isfc.errors.arguments import spelt
from isfc.layout.columns import Word
from isfc.layout.layers import Plain, plain
from isfc.layout.pasted import Kind, holds_row, is_rule, looks_like_row, not_read
from isfc.site import fcx
from isfc.site.dates import leading_stamp
from isfc.site.figures import BadFigure, Reading
from isfc.site.link_activity import MARK, is_link_row, is_named, link_heading, link_row
from isfc.site.measurement import DeviceFigures, FilePlace, Measurement, Ran

_FROM_TO: Final = re.compile(r"^1?\s*(From|To)\s+(?=\d)", re.IGNORECASE)
_SCREEN: Final = re.compile(r"\bInterval\s+(?=\d)", re.IGNORECASE)
_TO: Final = re.compile(r"\s*-\s*")
_HEAD: Final = re.compile(r"(?:\b|^1)FCX\d{3}\s+(?:Run\s+(.*)|CPU\b)", re.IGNORECASE)
_NO_NAMES: Final = ("MONITOR", "PERF. MONITOR")
"""How a screen's heading goes on where another has the system's name; it may be cut."""

_SUM: Final = re.compile(r"\s*>>[A-Za-z ]+<<")
"""Of all disks, as FCX108 has it: ``>> All DASD <<``."""

_NAME: Final = re.compile(r"[\w$#@]{1,8}", re.ASCII)
_SYSTEM: Final = re.compile(r"\bSYSTEM\s?ID:?\s+(\w{1,8})", re.IGNORECASE)
_OWN_HEAD: Final = re.compile(
    r"Logical link \S+ - \S+, seen from (\w+); clients on (\w+)", re.IGNORECASE
)
_OWN_RUN: Final = re.compile(
    r"\brun \S+ at the (client|server): ([\w:/.]+), (\d+) pairs?\b", re.IGNORECASE
)

_OWN_BEGIN: Final = re.compile(r"\W*FCX\d{3} DEVICE[,;.] \w", re.IGNORECASE)


class _Above(Struct):
    """What the lines above rows have said so far."""

    said: Measurement = Measurement(None, None, None, FilePlace("", 0))
    made: date | None = None
    heard: dict[str, tuple[object, int]] = {}
    """What was said since the last rows, and in which line."""
    lines: Sequence[str] = ()
    head: int = 1
    """The first line of this page, of those."""
    notes: list[str] = []
    is_headed: bool = False
    """Whether the page has its first line, and so its interval as well."""

    def hear(self, line: str, place: FilePlace) -> bool:
        """Take what a line says; whether it said anything."""
        said = False
        if found := _HEAD.search(line):
            # what the page before it said is not of this one
            self.heard.clear()
            self.made, self.head, self.is_headed = None, place.line, True
            self.forget_times()
            if found[1]:
                self.made = _date(found[1])
                self.said = replace(self.said, system=None)
            said = True
        if found := _FROM_TO.search(line):
            stamp, rest = leading_stamp(line[found.end() :], self.made)
            if "T" not in stamp or re.match(r"\d{4}/(?:\d/|\d\d/\d\b)", line[found.end() :]):
                raise BadFigure(f"{found[1]} {stamp} lacks its date, time or a digit; expected all")
            if found[1].upper() == "FROM":
                self._say(place, begin=stamp, system=self._name(rest, line, place))
            else:
                self._say(place, end=stamp)
        elif found := _SCREEN.search(line):
            begin, rest = leading_stamp(line[found.end() :])
            end, rest = leading_stamp(_TO.sub("", rest, count=1))
            self._say(place, begin=begin, end=end, system=self._name(rest, line, place))
        elif found := _OWN_HEAD.search(line):
            node, client = found[1].upper(), found[2].upper()
            self._say(place, system=node, clients=node == client, emulated=True)
        elif found := _OWN_RUN.search(line):
            ran, client = Ran(found[2].upper(), int(found[3])), found[1].lower() == "client"
            self._say(place, clients=client, emulated=True, ran=ran)
        elif _OWN_BEGIN.match(line):
            raise BadFigure(f"{line.strip()[:40]!r} has changed; expected it as isfc printed it")
        elif found := _SYSTEM.search(line):
            self._say(place, system=found[1].upper())
        else:
            return said
        return True

    def _say(self, place: FilePlace, **values: Any) -> None:
        for name, value in values.items():
            if value is None:
                continue
            before, line = self.heard.setdefault(name, (value, place.line))
            if before != value:
                raise BadFigure(
                    f"{name} {value}, and {before} in line {line}; expected one of them"
                )
            self.said = replace(self.said, **{name: value})

    def _name(self, rest: str, line: str, place: FilePlace) -> str | None:
        """The name of a system behind a time, if nothing else is there and it is whole."""
        found = _NAME.fullmatch(rest.strip(" |\\").upper())
        if not found and re.search(r"\d{5,8}$", rest.rstrip(" |\\")):
            raise BadFigure(f"{rest.strip()[-30:]!r} ends a line; expected no numbers of lines")
        if not found and _FROM_TO.search(line):
            if behind := rest.strip(" |\\"):
                raise BadFigure(f"{behind[:30]!r} ends a line; expected a system's name alone")
            self.said = replace(self.said, system=None)
            self.notes.append(f"{place}: no system's name ends the line; {spelt('system')} says it")
        if not found or any(each.startswith(found[0]) for each in _NO_NAMES):
            return None
        below = takewhile(lambda each: not _HEAD.search(each), self.lines[place.line :])
        page = chain(self.lines[self.head - 1 : place.line], below)
        if any(len(each.rstrip()) > len(line) for each in page):
            return found[0]
        self.said = replace(self.said, system=None)
        self.notes.append(
            f"{place}: the system's name {found[0]}, which may be cut: no line of the page goes "
            f"beyond it; {spelt('system')} says it"
        )
        return None

    def forget_times(self) -> None:
        """What was said of the interval is of no more rows."""
        self.said = replace(self.said, begin=None, end=None)

    def measurement(self, place: FilePlace) -> Measurement:
        """A measurement that begins here; raises `BadFigure` if half of its interval is lost."""
        told = [time for time in (self.said.begin, self.said.end) if time]
        if len(told) == 1:
            raise BadFigure(
                f"an interval with {told[0]} alone above it; expected From and To: is one lost?"
            )
        if self.is_headed and not told:
            self.notes.append(f"{place}: no interval above it, and none is known: is a line lost?")
        return replace(self.said, place=place)


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(leading_stamp(text)[0][:10])
    except (BadFigure, ValueError):
        return None


class _Pages(Struct):
    """The pages of one text, as they are read."""

    file: str
    reading: Reading
    above: _Above = field(default_factory=_Above)
    found: list[Measurement] = []
    devices: list[Word] | None = None
    """The heading of the device rows that are being read."""
    links: tuple[str, ...] | None = None
    told: tuple[bool, bool] | None = None
    """Whether rows of link activity below this heading have a name, and whether a time."""
    details: fcx.Details | None = None
    heading: FilePlace | None = None
    """Of a heading below which there is no row yet."""

    passed: Counter[str] = field(default_factory=Counter)
    """Types of devices that are no CTCs, and how many rows or pages each had."""

    def begin(self, place: FilePlace) -> None:
        """A heading: a new page."""
        self.close()
        self.above.heard.clear()
        self.heading, self.devices, self.links, self.details = place, None, None, None
        self.told = None

    def close(self) -> None:
        """A page ends. One without a row was cut."""
        if self.details is not None:
            details, self.details = self.details, None
            self.heading = None
            self.reading.attempt(details.page.place, partial(self._detailed, details))
        if self.heading is not None:
            place, self.heading = self.heading, None
            self.reading.problems.append(
                f"{place}: a heading without rows; expected rows: has the page been cut?"
            )

    def take(self, line: str, place: FilePlace) -> Kind:
        """Read one line, and say what it is; raises `BadFigure` for one that may be a row."""
        if (columns := fcx.heading_of(line)) is not None:
            self.begin(place)
            self.devices = []
            self.found.append(self.above.measurement(place))
            self.devices = fcx.whole(columns)
        elif (names := link_heading(line)) is not None:
            self.begin(place)
            self.links = names
        elif (address := fcx.detailed_device(line)) is not None:
            self.begin(place)
            self.details = fcx.Details(self.above.measurement(place), {"rdev": address})
        elif not self._heard(line, place):
            return self._below(line, place)
        if holds_row(line):
            raise BadFigure(not_read(line))
        return Kind.HEADING

    def _below(self, line: str, place: FilePlace) -> Kind:
        """Read a line that is no heading."""
        if is_rule(line):
            return Kind.RULE
        if self.details is not None:
            return Kind.ROW if self.details.take(line) else Kind.TEXT
        if self.devices == []:  # a heading that was refused is named, and enough
            self.heading = None
            return Kind.ROW
        if self.devices and self._device(line, self.devices, place):
            return Kind.ROW
        if self.links and self._link(line, self.links, place):
            return Kind.ROW
        if self.devices is None and self.links is None:
            if fcx.is_device_row(line) or fcx.is_detail(line):
                raise BadFigure(
                    "a row of a device without a heading above it; expected Addr, Type ..., or "
                    "Detailed Analysis for Device"
                )
            if is_link_row(line):
                raise BadFigure(f"link activity without a heading above it; expected {MARK} there")
            is_heading = self.above.heard or ("<-" in line and "->" in line)
            return Kind.HEADING if is_heading else Kind.TEXT
        if _SUM.match(line):
            return Kind.SUM
        words = line.split()
        is_rest = len(words) > 1 and all(map(self.reading.is_figure, words))
        if is_rest or looks_like_row(line):
            raise BadFigure(not_read(line))
        return Kind.TEXT

    def _heard(self, line: str, place: FilePlace) -> bool:
        """Whether a line says something of the page below it; then the page above has ended."""
        said = True
        try:
            said = self.above.hear(line, place)
        except BadFigure:
            self.above.forget_times()
            raise
        finally:
            if said:
                self.close()
                self.devices = self.links = None
        return said

    def _device(self, line: str, columns: list[Word], place: FilePlace) -> bool:
        """Whether a line is the row of a device, which is then read."""
        row = fcx.read_row(line, columns, place, self.reading)
        if row is not None:
            self.heading = None
            self._add(row)
        return row is not None

    def _detailed(self, details: fcx.Details) -> None:
        row, page = details.device(self.reading), details.page
        # details of another device of the same interval are the same measurement
        last = self.found[-1] if self.found else None
        if last is None or replace(last, devices=(), passed=()) != page:
            self.found.append(page)
        self._add(row)

    def _add(self, row: DeviceFigures | tuple[Rdev, str]) -> None:
        """A row of the page: a CTC, or another device and its type."""
        page = self.found[-1]
        if not isinstance(row, DeviceFigures):
            self.passed[row[1]] += 1
            self.found[-1] = replace(page, passed=(*page.passed, row))
            return
        twice = next((each for each in page.devices if each.rdev == row.rdev), None)
        if twice is None:
            self.found[-1] = replace(page, devices=(*page.devices, row))
        elif twice != row:
            raise BadFigure(
                f"RDEV {row.rdev:04X} is in line {twice.place.line} of this page as well; "
                "expected it once: are these two intervals without a heading between them?"
            )

    def _link(self, line: str, columns: tuple[str, ...], place: FilePlace) -> bool:
        """Whether a line is a row of link activity, which is then read."""
        row = link_row(line, columns, place, self.reading)
        if row is None:
            partner = self.found[-1].links[-1].partner if self.told else None
            begins = len(line.split()) < 3 and (partner or "").startswith(line.split()[0].upper())
            if begins or (self.heading and is_named(columns)):
                raise BadFigure(not_read(line))
            return False
        self.heading = None
        time, link = row
        told = link.partner is not None, time is not None
        if told != (self.told or told):
            raise BadFigure(
                "the rows above have a link's name or a time, and this one has not, or the other "
                "way round; expected them in all rows of a page or in none"
            )
        self.told = told
        whole = self.above.measurement(place)
        before = self.found[-1] if self.found and self.found[-1].links else None
        if time and before and before.end and ("T" in time) != ("T" in before.end):
            raise BadFigure(
                f"{time}, and {before.end} in line {before.place.line}; expected a date in both or "
                "in none"
            )
        times = (None, time) if time else (whole.begin, whole.end)
        # the partner is named: what it saw of the link would name this system
        self.found.append(replace(whole, begin=times[0], end=times[1], links=(link,)))
        return True


def read_lines(
    pasted: Plain, file: str, reading: Reading, take: Callable[[str, FilePlace], Kind]
) -> None:
    """Take each line, and account for it; what ``take`` refuses goes to ``reading``."""

    def attempt(line: str, number: int) -> Kind | None:
        place = FilePlace(file, number)
        return reading.attempt(place, partial(take, line, place))

    account = pasted.read(attempt)
    if account.kinds:
        reading.accounts.append(f"{file}: {account}")


def read_text(text: str, file: str, reading: Reading) -> list[Measurement]:
    """Every page of a text. What is wrong goes to ``reading``; nothing found is an empty list."""
    pasted = plain(text)
    pages = _Pages(file, reading, _Above(lines=pasted.lines, notes=reading.notes))
    read_lines(pasted, file, reading, pages.take)
    pages.close()
    found = [page for page in pages.found if page.devices or page.links]
    passed = pages.passed
    if passed and not found and not reading.problems:
        raise ConfigurationError(
            f"{file}: FCX108 or FCX110 of devices of type {', '.join(sorted(passed))} alone, which "
            f"are no CTCs; expected some of type {', '.join(fcx.CTC_TYPES)}"
        )
    # a disk or a tape is no CTC; of anything else a reader is told
    for kind in sorted(kind for kind in passed if not re.match(r"\d{4}", kind)):
        count = passed[kind]
        reading.notes.append(f"{file}: left out: rows of type {kind}, which is no CTC: {count}")
    return found
