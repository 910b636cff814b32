"""Text as a whole: which pages it has, and what stands above them of system and interval.

A page is device rows (`isfc.measured.fcx108`), the details of one device (`isfc.measured.fcx110`)
or link activity (`isfc.measured.listing`). Details of several devices in one interval are one page.
"""

import re
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from isfc.measured import fcx108, fcx110, listing
from isfc.measured.figures import BadFigure, Reading
from isfc.measured.measurement import DeviceFigures, FilePlace, Measurement, Ran

_QUOTED: Final = re.compile(r"^(?:[>|] ?)+")
_SPACES: Final = str.maketrans({"\xa0": " ", "\u2007": " ", "\u2212": "-", "\t": " "})
_STAMP: Final = r"(\d{4}[-/]\d\d[-/]\d\d[ T]+\d\d:\d\d(?::\d\d)?)"
_FROM: Final = re.compile(rf"^1?\s*From\s+{_STAMP}(?:\s+(\w{{1,8}}))?\s*$", re.IGNORECASE)
_TO: Final = re.compile(rf"^1?\s*To\s+{_STAMP}", re.IGNORECASE)
_SCREEN: Final = re.compile(r"Interval\s+(\d\d:\d\d:\d\d)\s*-\s*(\d\d:\d\d:\d\d)", re.IGNORECASE)
_SYSTEM: Final = re.compile(r"\bSYSTEM\s?ID:?\s+(\w{1,8})", re.IGNORECASE)
_OWN_HEAD: Final = re.compile(r"Logical link \S+ - \S+, seen from (\w+); clients on (\w+)")
_OWN_RUN: Final = re.compile(r"\brun \S+ at the (client|server): ([\w:/.]+), (\d+) pairs?\b")


@dataclass(slots=True)
class _Above:
    """What the lines above rows have said so far."""

    system: str | None = None
    begin: str | None = None
    end: str | None = None
    ran: Ran | None = None
    clients: bool | None = None
    emulated: bool = False

    def hear(self, line: str) -> bool:
        """Take what a line says; whether it said anything."""
        if found := _FROM.search(line):
            self.begin, self.system = _iso(found[1]), found[2] or self.system
        elif found := _TO.search(line):
            self.end = _iso(found[1])
        elif found := _SCREEN.search(line):
            self.begin, self.end = found[1], found[2]
        elif found := _OWN_HEAD.search(line):
            self.system, self.clients, self.emulated = found[1], found[1] == found[2], True
        elif found := _OWN_RUN.search(line):
            self.clients, self.emulated = found[1] == "client", True
            self.ran = Ran(found[2], int(found[3]))
        elif found := _SYSTEM.search(line):
            self.system = found[1]
        else:
            return False
        return True

    def measurement(self, place: FilePlace) -> Measurement:
        """A measurement that begins here."""
        return Measurement(
            self.system,
            self.begin,
            self.end,
            place,
            ran=self.ran,
            clients=self.clients,
            emulated=self.emulated,
        )


def _iso(stamp: str) -> str:
    return re.sub(r"[ T]+", "T", stamp.replace("/", "-"))


@dataclass(slots=True)
class _Pages:
    """The pages of one text, as they are read."""

    file: str
    reading: Reading
    above: _Above = field(default_factory=_Above)
    found: list[Measurement] = field(default_factory=list)
    devices: list[fcx108.Column] | None = None
    """The heading of the device rows that are being read."""
    links: tuple[str, ...] | None = None
    details: fcx110.Details | None = None
    heading: FilePlace | None = None
    """Of a heading below which there is no row yet."""

    def begin(self, place: FilePlace) -> None:
        """A heading: a new page."""
        self.close()
        self.heading, self.devices, self.links, self.details = place, None, None, None

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

    def take(self, line: str, place: FilePlace) -> None:
        """Read one line."""
        if (columns := fcx108.heading_of(line)) is not None:
            self.begin(place)
            self.devices = columns
            self.found.append(self.above.measurement(place))
        elif (names := listing.heading_of(line)) is not None:
            self.begin(place)
            self.links = names
        elif (address := fcx110.heading_of(line)) is not None:
            self.begin(place)
            self.details = fcx110.Details(address, self.above.measurement(place))
        elif self.above.hear(line):
            self.close()
            self.devices = self.links = None
        elif self.details is not None:
            self.details.take(line)
        elif self.devices is not None:
            self._device(line, self.devices, place)
        elif self.links is not None:
            self._link(line, self.links, place)
        elif fcx108.is_device_row(line):
            raise BadFigure("a row of a device without a heading above it; expected Addr, Type ...")

    def _device(self, line: str, columns: list[fcx108.Column], place: FilePlace) -> None:
        row = fcx108.read_row(line, columns, place, self.reading)
        if row is None:
            return
        self.heading = None
        kind, device = row
        if not kind or kind in fcx108.CTC_TYPES:
            self._add(device)

    def _detailed(self, details: fcx110.Details) -> None:
        device = details.device(self.reading)
        if device is None:
            return
        page = details.page
        # details of another device of the same interval are the same measurement
        if not self.found or replace(self.found[-1], place=page.place, devices=()) != page:
            self.found.append(page)
        self._add(device)

    def _add(self, device: DeviceFigures) -> None:
        page = self.found[-1]
        twice = next((each for each in page.devices if each.rdev == device.rdev), None)
        if twice is not None:
            raise BadFigure(
                f"RDEV {device.rdev:04X} is in line {twice.place.line} of this page as well; "
                "expected it once: are these two intervals without a heading between them?"
            )
        self.found[-1] = replace(page, devices=(*page.devices, device))

    def _link(self, line: str, columns: tuple[str, ...], place: FilePlace) -> None:
        row = listing.read_row(line, columns, place, self.reading)
        if row is None:
            return
        self.heading = None
        time, link = row
        whole = self.above.measurement(place)
        end = _iso(time) if time else whole.end
        # the partner is named: what it saw of the link would name this system
        self.found.append(
            replace(whole, begin=None if time else whole.begin, end=end, links=(link,))
        )


def read_text(text: str, file: str, reading: Reading) -> list[Measurement]:
    """Every page of a text. What is wrong goes to ``reading``; nothing found is an empty list."""
    pages = _Pages(file, reading)
    for number, raw in enumerate(text.splitlines(), start=1):
        line = _QUOTED.sub("", raw.translate(_SPACES)).rstrip()
        place = FilePlace(file, number)
        reading.attempt(place, partial(pages.take, line, place))
    pages.close()
    return [page for page in pages.found if page.devices or page.links]
