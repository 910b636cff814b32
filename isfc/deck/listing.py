"""IOCP's own reports, read as the deck that they were made of, as far as it is of FICON CTCs.

PARTITION names the partitions, CHPID SUMMARY the channels of each CSS, CHANNEL PATH what is on
each, I/O DEVICE the devices with their paths. The last two say the same of CTCs: one is enough, and
of two each is held against the other. Headings and columns are published (Input/Output
Configuration Program User's Guide for ICP IOCP, configuration reports); rows of the I/O DEVICE
report are taken to have the columns of its heading.
"""

import re
from itertools import pairwise
from typing import Any, ClassVar, Final

from msgspec import Struct

from ctc.address import ChpidId, Rdev, format_chpid, parse_chpid
from isfc.deck.card import CardNote
from isfc.deck.deck import Deck, machine_type
from isfc.deck.iocp import parse_deck
from isfc.deck.place import Place, shown
from isfc.deck.report_rows import Said, deck_of
from isfc.deck.written import to_far_port, to_rdev
from isfc.errors.arguments import checked
from isfc.layout.layers import Plain, plain
from isfc.layout.machines import on_type
from isfc.layout.pasted import Kind, is_nearly, is_rule

_REPORTS: Final = (
    *("IOCDS TOTALS", "PARTITION", "FID SUMMARY", "PCHID SUMMARY", "CHPID SUMMARY"),
    *("I/O DEVICE", "CHANNEL PATH"),
)
_TITLES: Final = tuple(f"{name} REPORT" for name in _REPORTS)
_TITLE: Final = re.compile(
    rf"^(?!.*FCTC)[^|]*?\b(?:CSS +([0-5]): *)?({'|'.join(_REPORTS)}) REPORT +PAGE\b"
)
_OF_LISTING: Final = re.compile(r"^.? *(ID[12]=|SYSTEM=|DYNAMIC INFO:)(.*)")
"""Lines of a heading that all pages of one listing have alike."""

_CSS: Final = re.compile(r" *CSS +([0-5]):")
_PARTITION: Final = re.compile(
    r"([1-9A-F]) +(\*|(?!(?:YES|NO)$)[A-Z@#$][A-Z0-9@#$]{0,7})(?: +(?:YES|NO))?"
)
_OF_NAMES: Final = re.compile(r"\W*MIF +PARTITION\b")
"""The heading of the PARTITION report's rows."""
_PCHID: Final = r"(?P<pchid>[0-9A-F]{2,4}(?:-[0-9A-F]{1,2})?(?:\([MV]\))?)"
_CHPID: Final = r"(?P<chpid>[0-9A-F]{2})"
_KIND: Final = r"(?P<type>[A-Z][A-Z0-9]{1,2}) +(?P<switch>N/A|NONE|[0-9A-F]{1,2})"
_ACCESS: Final = r"(?P<access>DED|REC|SHARED)"
_IN_SUMMARY: Final = re.compile(rf" *{_CHPID} +{_PCHID} +{_KIND} +\S+ +{_ACCESS} +(?=\|)")
_ON_PATH: Final = re.compile(rf" *{_PCHID} +{_CHPID} +{_KIND} +{_ACCESS} *")
_MASK: Final = re.compile(r"\|(?:[ ACU]?\|){15}")
_DEVICES: Final = r"(?P<first>[0-9A-F]{3,5})(?:-(?P<last>[0-9A-F]{3,5}))?(?:\([0-3]\))?"
_ADDRESSES: Final = r"(?P<ua>[0-9A-F]{2})(?:-(?P<ua_last>[0-9A-F]{2}))?"
_LINK: Final = r"(?P<link>\*{2}|\*{4}|[0-9A-F]{2}|[0-9A-F]{4})"
_UNIT_ON_PATH: Final = re.compile(
    rf" *(?P<cu>[0-9A-F]{{3,4}}) +FCTC +(?:(?P<cuadd>[0-9A-F]{{1,2}}) +)?{_ADDRESSES} +"
    rf"(?P<css>[0-5]) +{_LINK} *"
)
_DEVICES_ON_PATH: Final = re.compile(rf" *{_DEVICES} +{_ADDRESSES} +FCTC *")
_COMPOSITE: Final = (
    rf"(?P<css>[0-5]) +(?P<cu>[0-9A-F]{{3,4}}) +{_CHPID}\.{_LINK}(?:\.(?P<cuadd>[0-9A-F]{{1,2}}))?"
    r" +(?P<switch>N/A|NONE|[0-9A-F]{1,2}) +(?=\|)"
)
_DEVICE_ROW: Final = re.compile(rf" *{_DEVICES} +{_ADDRESSES} +FCTC +{_COMPOSITE}")
_FURTHER_PATH: Final = re.compile(rf" *{_COMPOSITE}")
_RULE: Final = re.compile(r" *-{40,} *")
_OTHER_UNIT: Final = re.compile(r" *[0-9A-F]{3,4} +[A-Z0-9-]+ +.*\b[0-5] +(?:\*\*|[0-9A-F]{2,4}) *")
_OTHER_PATH: Final = re.compile(r" *[0-5] +[0-9A-F]{3,4} +[0-9A-F]{2}\b.*\|")
_OTHER_DEVICE: Final = re.compile(rf" *{_DEVICES} +{_ADDRESSES} +(?P<type>[A-Z0-9-]{{3,}})\b.*")
_ROWS: Final = (_ON_PATH, _IN_SUMMARY, _UNIT_ON_PATH, _DEVICE_ROW, _DEVICES_ON_PATH)
_NUMBERED: Final = re.compile(r"\|1\|2\|3\|4\|5\|6\|7\|8\|9\|A\|B\|C\|D\|E\|F\||\|__.__.__\|")
_NO_ROW: Final = {
    "PARTITION": ("is no partition", "a MIF id and a name"),
    "CHPID SUMMARY": ("is no channel path", "all columns of one"),
}
_OF_PARTITION: Final = re.compile(r"\W*\w\W*\s+\S+(?:\s+\S+)?\s*")


def _is_row(line: str, report: str) -> bool:
    """Whether a line that is none that is known may be a row: no heading has digits or masks."""
    if report == "PARTITION" and _OF_PARTITION.fullmatch(line):
        return True
    return bool(re.search(r"[\d|]|FCTC", _NUMBERED.sub("", line)))


def _is_nearly_title(line: str) -> bool:
    """Whether a line would be the title of a report but for a letter."""
    words = line.split() if "PAGE" in line or "IOCP" in line else []
    parts = (" ".join(words[at : at + n]) for n in (1, 2, 3) for at in range(len(words)))
    return any(is_nearly(each, _TITLES) for each in parts)


def read_deck(text: str, file: str) -> Deck:
    """The deck in ``text``, or what IOCP's reports in it say of one, whose ``text`` is empty.

    Raises `ConfigurationError` as `parse_deck` does, and where two rows contradict each other.
    """
    pasted = plain(text)
    is_listing = any(map(_TITLE.search, map(str.upper, pasted.lines)))
    deck = _Listing(file).read(pasted) if is_listing else parse_deck(text, file)
    if found := machine_type(pasted.text):
        said, line = found
        deck.machine = on_type(said)
        note = CardNote(Place(file, line), f"SYSTEM={said} is no machine that is known")
        deck.notices += [] if deck.machine else [note]
    return deck


@checked
def deck_partitions(text: str, file: str = "deck") -> tuple[str, ...]:
    """The names of the partitions that have an image in a deck, or IOCP's reports, in its order.

    ``file`` is its name in messages. Raises `ConfigurationError` as `read_deck` does.
    """
    found = read_deck(text, file).partitions
    return tuple(name for name, partition in found.items() if partition.mif is not None)


class _Listing(Struct):
    """Reads pages from top to bottom, notes what rows say, and makes a deck of it."""

    file: str
    said: Said = {}
    report: str = ""
    css: int | None = None
    channel: re.Match[str] | None = None
    """In the CHANNEL PATH report: whose control units follow."""
    channel_place: Place = Place("", 0)
    unit: re.Match[str] | None = None
    """Whose devices follow, if it is an FCTC."""
    device: tuple[Rdev, int] | None = None
    """In the I/O DEVICE report: the first of the FCTC devices whose further paths may follow, and
    how many there are."""
    is_other: bool = False
    """Whether those are of another device."""
    listed: dict[str, set[Rdev]] = {}
    """The CTCs of each report that has devices."""
    has_rows: bool = False
    """Whether the page has a row: what is above is its heading."""

    def read(self, pasted: Plain) -> Deck:
        """The deck that a listing was made of."""
        account = pasted.read(self._take)
        if not self.listed:
            raise Place(self.file, 1).error(
                "these reports of IOCP have no FCTC device",
                "the CHANNEL PATH or the I/O DEVICE report of a machine that has some",
            )
        deck = deck_of(self.file, self.said, self._whole())
        deck.account = account
        return deck

    def _take(self, text: str, number: int) -> Kind:
        """Read one line, and say what it is."""
        line, place = text.upper(), Place(self.file, number)
        if title := _TITLE.search(line):
            if title[2] != self.report:
                self.channel = self.unit = self.device = None
            self.report, self.has_rows = title[2], False
            self.css = None if title[1] is None else int(title[1])
            if self.report == "CHPID SUMMARY" and self.css is None:
                raise place.error("a CHPID SUMMARY without its CSS", "CSS 0: CHPID SUMMARY")
        elif heading := _OF_LISTING.match(line):
            self._say((heading[1],), heading[2].strip(), place, heading[1])
        elif is_rule(line):
            if _RULE.fullmatch(line):
                self.channel = self.unit = None
            return Kind.RULE
        elif self.report not in self._TAKERS:
            if any(form.match(line) for form in (*_ROWS, _OF_NAMES)) or _is_nearly_title(line):
                raise place.error(
                    f"{shown(line.strip())} is below no title, or none", "a title as printed"
                )
            return Kind.OTHER if self.report else Kind.TEXT
        elif kind := self._TAKERS[self.report](self, line, place):
            self.has_rows = True
            return kind
        elif _is_row(line, self.report):
            problem, expected = _NO_ROW.get(self.report, ("cannot be read", "all columns of a row"))
            raise place.error(f"{shown(line.strip())} {problem}", expected)
        elif self.has_rows:
            return Kind.TEXT
        return Kind.HEADING

    def _say(self, key: tuple[Any, ...], value: object, place: Place, what: str) -> None:
        """Note what a row says; raise `ConfigurationError` if another row said something else."""
        known, before = self.said.setdefault(key, (value, place))
        if known != value:
            raise place.error(
                f"{what} is {_words(value)} here, and {_words(known)} in line {before.line}",
                "the same: are these two listings, or was a line lost?",
            )

    def _partition(self, line: str, place: Place) -> Kind | None:
        if found := _CSS.fullmatch(line):
            self.css = int(found[1])
        elif row := _PARTITION.fullmatch(line.strip()):
            if self.css is None:
                raise place.error("a partition without a CSS above it", "CSS 0: or another")
            mif = int(row[1], 16)
            what = f"partition {self.css}.{mif:X}"
            self._say(("partition", self.css, mif), row[2], place, what)
        else:
            return None
        return Kind.ROW

    def _summary(self, line: str, place: Place) -> Kind | None:
        row = _IN_SUMMARY.match(line)
        if row is None:
            return None
        assert self.css is not None, "a title has it"
        chpid = self._channel(row, self.css, place)
        mask = _mask(line, place)
        self._say(("access", self.css, chpid), mask, place, f"access to chpid {row['chpid']}")
        return Kind.ROW

    def _channel(self, row: re.Match[str], css: int | None, place: Place) -> ChpidId:
        """Note a channel by its PCHID: the same chpid in another CSS may be another channel."""
        chpid, pchid = parse_chpid(row["chpid"]), row["pchid"].removesuffix("(M)")
        what = f"chpid {row['chpid']} on PCHID {pchid}"
        self._say(("channel", chpid, pchid), row.group("type", "access"), place, what)
        if css is not None:
            self._switch(css, row, place)
            self._say(("pchid", css, chpid), pchid, place, f"chpid {row['chpid']} in CSS {css}")
        return chpid

    def _switch(self, css: int, row: re.Match[str], place: Place) -> None:
        """Note the SWITCH of a row's channel; None where it has none."""
        switch = None if row["switch"] in ("N/A", "NONE") else row["switch"].lstrip("0") or "0"
        what = f"SWITCH of chpid {row['chpid']} in CSS {css}"
        self._say(("switch", css, parse_chpid(row["chpid"])), switch, place, what)

    def _path(self, line: str, place: Place) -> Kind | None:
        if row := _ON_PATH.fullmatch(line):
            self._channel(row, None, place)
            self.channel, self.channel_place, self.unit = row, place, None
        elif unit := _UNIT_ON_PATH.fullmatch(line):
            if self.channel is None:
                raise place.error(f"control unit {unit['cu']} is below no channel path", "its row")
            self._channel(self.channel, int(unit["css"]), self.channel_place)
            self._unit(unit, self.channel["chpid"], place)
            for address in _addresses(unit, place):
                self._say(("recognizes", int(unit["cu"], 16), address), True, place, "")
            self.unit = unit
        elif devices := _DEVICES_ON_PATH.fullmatch(line):
            if self.unit is None:
                raise place.error("FCTC devices are below no FCTC control unit", "its row")
            self._devices(devices, int(self.unit["cu"], 16), place)
        elif re.search(r" FCTC|\b(?:DED|REC|SHARED)\b", line):
            return None
        elif _OTHER_UNIT.fullmatch(line):
            self.unit = None
            return Kind.OTHER_DEVICE
        elif _OTHER_DEVICE.fullmatch(line):
            if self.unit is not None:
                raise place.error(
                    f"{shown(line.strip())} follows FCTC control unit {self.unit['cu']}",
                    "its devices, or another control unit",
                )
            return Kind.OTHER_DEVICE
        else:
            return None
        return Kind.ROW

    def _device(self, line: str, place: Place) -> Kind | None:
        row = _DEVICE_ROW.match(line)
        further = None if row or self.device is None else _FURTHER_PATH.match(line)
        found = row or further
        if found is None:
            other = _OTHER_DEVICE.fullmatch(line)
            if "FCTC" in line or not (other or (self.is_other and _OTHER_PATH.match(line))):
                return None
            if other and _may_be_fctc(other["type"]):
                return None
            self.device, self.is_other = None, True
            return Kind.OTHER_DEVICE
        self.is_other = False
        if row:
            self.device = self._devices(row, int(row["cu"], 16), place)
        assert self.device is not None, "a row has devices, and a further path follows one"
        first, count = self.device
        (_, cu), above = self.said["device", first]
        if int(found["cu"], 16) != cu:
            raise place.error(
                f"{first:04X} is on control unit {found['cu']} here, and on {cu:04X} in line "
                f"{above.line}",
                "one: a CTC has no other (ICP312I)",
            )
        self._unit(found, found["chpid"], place)
        css, mask = int(found["css"]), _mask(line, place)
        self._switch(css, found, place)
        for rdev in range(first, first + count):
            self._say(("images", css, rdev), mask, place, f"access to {rdev:04X}")
        return Kind.ROW

    def _unit(self, row: re.Match[str], chpid: str, place: Place) -> None:
        cuadd = int(row["cuadd"] or "0", 16)
        link = to_far_port(row["link"])
        value = parse_chpid(chpid), link, cuadd
        key = "path", int(row["css"]), int(row["cu"], 16)
        self._say(key, value, place, f"control unit {row['cu']} in CSS {row['css']}")

    def _devices(self, row: re.Match[str], cu: int, place: Place) -> tuple[Rdev, int]:
        first = place.read(row["first"], to_rdev, "device number", "up to FFFF")
        last = place.read(row["last"] or row["first"], to_rdev, "device number", "up to FFFF")
        addresses = _addresses(row, place)
        if last - first + 1 != len(addresses):
            raise place.error(
                f"{max(last - first + 1, 0)} device numbers have {len(addresses)} unit addresses",
                "one for each",
            )
        for rdev, address in zip(range(first, last + 1), addresses, strict=True):
            self._say(("device", rdev), (address, cu), place, f"{rdev:04X}")
            self.listed.setdefault(self.report, set()).add(Rdev(rdev))
        return first, len(addresses)

    def _whole(self) -> list[Rdev]:
        """The CTCs; raises `ConfigurationError` if one report has some that the other lacks."""
        reports = [*self.listed.items()]
        for (name, some), (other, others) in pairwise(reports):
            for rdev in sorted(some ^ others):
                _, place = self.said["device", rdev]
                has, lacks = (name, other) if rdev in some else (other, name)
                raise place.error(
                    f"{rdev:04X} is in the {has} report, and not in the {lacks} report",
                    "it in both: was a line lost?",
                )
        return sorted(set().union(*self.listed.values()))

    _TAKERS: ClassVar = {
        "PARTITION": _partition,
        "CHPID SUMMARY": _summary,
        "CHANNEL PATH": _path,
        "I/O DEVICE": _device,
    }


def _words(value: object) -> str:
    """What a row says, as a message has it."""
    match value:
        case frozenset():
            return "for " + (" ".join(f"{mif:X}" for mif in sorted(value)) or "nobody")
        case (int() as chpid, link, int() as cuadd):
            return f"on {format_chpid(ChpidId(chpid))}.{link or '**'}.{cuadd:X}"
        case (int() as address, int() as cu):
            return f"unit address {address:02X} of control unit {cu:04X}"
        case tuple():
            return " ".join(map(str, value))
        case _:
            return str(value) or "nothing"


def _may_be_fctc(kind: str) -> bool:
    """Whether a type would be FCTC but for a letter, or for the order of two."""
    slips = is_nearly(kind, ("FCTC",)) or sorted(kind) == sorted("FCTC")
    return slips and kind not in ("CTC", "BCTC", "SCTC")


def _mask(line: str, place: Place) -> frozenset[int]:
    """The MIF image ids of a row: those that have access, and those that may have."""
    if (found := _MASK.search(line)) is None:
        raise place.error("there are not fifteen MIF image ids", "a column for each of 1 to F")
    cells = found[0][1:-1].split("|")
    if {"", " "} <= {*cells} or line[found.end() :].strip():
        raise place.error(
            f"{shown(line[found.start() :].strip())} is no mask",
            "fifteen cells, and nothing behind",
        )
    return frozenset(mif for mif, cell in enumerate(cells, start=1) if cell.strip())


def _addresses(row: re.Match[str], place: Place) -> range:
    first = int(row["ua"], 16)
    last = int(row["ua_last"] or row["ua"], 16)
    if last < first:
        raise place.error(f"unit addresses from {first:02X} to {last:02X}", "an end after them")
    return range(first, last + 1)
