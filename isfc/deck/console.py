"""Links from consoles: QUERY ISLINK as it was pasted, with what QUERY CHPID and QUERY PATHS say.

Labels are looked for wherever they stand, so that prefixes of a console, one value a line or
several, and lines run together make no difference. Labels and their order are published (z/VM 6.2
Performance Report, "ISFC Improvements"; z/VM 7.2, QUERY PATHS); the wording of QUERY CHPID is
general knowledge.

One console may hold the answers of several systems (`isfc.deck.whose`). What one system's console
says of a link is held against the other's.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from ctc.address import ChpidId, CtcError, Rdev, format_rdev, parse_chpid, parse_rdev, parse_rdevs
from isfc.deck.place import Place, lines_of, shown
from isfc.deck.written import to_node
from isfc.errors import ConfigurationError
from isfc.layout.pasted import spans
from isfc.layout.source_kind import refuse_foreign
from isfc.link.name import NodeName

FCTC: Final = "FCTC"

_LABEL: Final = re.compile(
    r"\b((?:remote\s*)?link\s*device|type|node|bytes\s*(?:sent|received)|state|status):",
    re.IGNORECASE,
)
"""Mail leaves tabs or nothing between the words of a label."""
_PARTNER: Final = re.compile(
    r"\W*(?:[\d:.]+ +)?(?:\S+ +\* *)?node\W+([\w$#@]{1,8})\W*", re.IGNORECASE | re.ASCII
)
"""The line above the devices to one node."""
_CHPID: Final = re.compile(
    r"\bPath +(?P<chpid>\w+) +\w+ +to +devices? +(?P<rdevs>[\w ,-]+)", re.IGNORECASE | re.ASCII
)
_PATHS: Final = re.compile(
    r"\bCHPIDs +to +Device +(?P<rdev>\w+) +\(PIM\) *: *(?P<chpids>[\w ]+)", re.IGNORECASE | re.ASCII
)
_SIGNS: Final = "*~`\"'"
"""What people put around a word."""

_ONE_WORD: Final = re.compile(r"device|node", re.IGNORECASE)
_DEVICES: Final = re.compile(r"\bdevice\W*:", re.IGNORECASE)
_LISTS: Final = re.compile(r"\(PIM\)|\bto\W+devices?\b.*\b[0-9A-F]{4}\b", re.IGNORECASE)
_MAY_BE_MORE: Final = re.compile(
    r"\W*(?=.*[0-9])[0-9A-Z]{3,5}(?:\W+[0-9A-Z]{3,5})*\W*", re.IGNORECASE
)
"""What may be a label or a list of devices with a mark or another letter in it."""

_RDEV_DIGITS: Final = 4
_CHPID_DIGITS: Final = 2
"""CP shows numbers of devices and chpids so."""

_LATER: Final = ("status", "state", "type")
"""Labels that other answers behind a device may have as well."""

_BROKEN: Final = re.compile(r"\b(?:remote(?: +link)?|link|bytes|device:) *$", re.IGNORECASE)
_LABEL_REST: Final = re.compile(
    r"\s*(?:(?:link +)?device|sent|received):|\s*link *$", re.IGNORECASE
)
_VALUE_ALONE: Final = re.compile(r"\s*[0-9A-F]{4}\s*", re.ASCII | re.IGNORECASE)
_MORE: Final = re.compile(
    r" *(?:\d\d:\d\d:\d\d )?(?:\S+ +\* )? *(?P<rdevs>[0-9A-F]{4}(?:[ ,]+[0-9A-F]{4})*) *",
    re.IGNORECASE,
)


class LinkedDevice(Struct, frozen=True):
    """One CTC as one system sees it; ``partner_rdev`` is None while that is not known there."""

    rdev: Rdev
    partner: NodeName
    partner_rdev: Rdev | None
    kind: str
    place: Place
    is_down: bool = False

    @property
    def far(self) -> str:
        """What it leads to, in words."""
        rdev = "a device not known" if self.partner_rdev is None else format_rdev(self.partner_rdev)
        return f"{self.partner} {rdev}"

    def agrees(self, other: "LinkedDevice") -> bool:
        """Whether another answer says the same, as far as both say it."""
        same = (self.partner, self.kind) == (other.partner, other.kind)
        known = None not in (self.partner_rdev, other.partner_rdev)
        return same and (not known or self.partner_rdev == other.partner_rdev)


def down_remark(devices: Iterable[LinkedDevice]) -> str:
    """What to say of those that are down, which a layout has all the same; nothing of none."""
    down = [f"{format_rdev(each.rdev)} to {each.partner}" for each in devices if each.is_down]
    return f"State: Down, and counted as if Up: {', '.join(down)}" if down else ""


class ConsoleLog(Struct):
    """What one system's console says of its links: devices, and the chpids they are on."""

    file: str
    devices: dict[Rdev, LinkedDevice] = {}
    chpids: dict[Rdev, dict[ChpidId, Place]] = {}
    """Of each device those that answers name, and where: a CTC has one."""

    @property
    def partners(self) -> frozenset[NodeName]:
        """The nodes at the other ends."""
        return frozenset(device.partner for device in self.devices.values())


def parse_log(text: str, file: str, *, needs_devices: bool = True) -> ConsoleLog:
    """Read what ``text`` says; of what was queried several times the last state counts.

    Raises `ConfigurationError`, with line and column, for a value that cannot be one, for a device
    that leads to two others, and if there is no link device where the log ``needs_devices``.
    """
    log = ConsoleLog(file)
    lines = _whole_labels(lines_of(text))
    for device in _devices(lines, file):
        before = log.devices.get(device.rdev)
        if before is not None and not before.agrees(device):
            raise device.place.error(
                f"Link device {format_rdev(device.rdev)} leads to {device.far} here, and to "
                f"{before.far} in line {before.place.line}",
                "answers of one system at one time, or QUERY USERID in front of each system's",
            )
        log.devices[device.rdev] = device
    for rdev, chpid, place in _chpids(lines, file):
        log.chpids.setdefault(rdev, {}).setdefault(chpid, place)
    if needs_devices and not log.devices:
        refuse_foreign(text, file, "import islink")
        raise Place(file, 1).error(
            "there is no link device", "what QUERY ISLINK shows, such as Link device: CC30"
        )
    return log


def _whole_labels(lines: list[str]) -> list[str]:
    """The lines, those together that mail broke within a label or before its value."""
    found = list(lines)
    for index in range(len(found) - 1):
        if _BROKEN.search(found[index]) and (
            _LABEL_REST.match(found[index + 1]) or _VALUE_ALONE.fullmatch(found[index + 1])
        ):
            found[index + 1] = f"{found[index].rstrip()} {found[index + 1].lstrip()}"
            found[index] = ""
    return found


class _Field(Struct, frozen=True):
    """A label, in lower case, the first word behind it, and where that stands."""

    label: str
    value: str
    place: Place


def _fields(lines: list[str], file: str) -> Iterator[_Field]:
    """All labels with their values, in the order of reading."""
    partner = ""
    for number, line in enumerate(lines, start=1):
        labels = list(_LABEL.finditer(line))
        if not labels and line.strip():
            above = _PARTNER.fullmatch(line)
            partner = above[1].upper() if above else ""
        is_list = _LISTS.search(line) and not (_PATHS.search(line) or _CHPID.search(line))
        if is_list or len(_DEVICES.findall(line)) > sum(
            "device:" in each[0].lower() for each in labels
        ):
            raise _unread(line, Place(file, number))
        for index, label in enumerate(labels, start=1):
            end = labels[index].start() if index < len(labels) else len(line)
            behind = line[label.end() : end]
            column = label.end() + len(behind) - len(behind.lstrip()) + 1
            value, *more = [word.strip(_SIGNS) for word in behind.split()] or [""]
            is_more = index < len(labels) or any(word.endswith(":") for word in more)
            if more and is_more and _ONE_WORD.search(label[1]):
                raise _unread(line, Place(file, number))
            words = re.findall("remote|link|device|bytes|[a-z]+", label[1].lower())
            if words == ["node"] and value.upper() != (partner or value.upper()):
                raise Place(file, number, column).error(
                    f"Node: {shown(value)} is below Node {partner}", "the same: was a line lost?"
                )
            yield _Field(" ".join(words), value, Place(file, number, column))


def _devices(lines: list[str], file: str) -> Iterator[LinkedDevice]:
    """The link devices: each begins with its own label, and has all that follow."""
    records: list[dict[str, _Field]] = []
    for each in _fields(lines, file):
        if each.label == "link device":
            records.append({})
        if each.label in ("remote link device", "node") and not records:
            raise each.place.error(
                f"{each.label.capitalize()}: without a Link device: above it",
                "all of the answer to QUERY ISLINK: was its begin cut off?",
            )
        if records:
            first = records[-1].setdefault(each.label, each)
            if first is not each and each.label not in _LATER:
                raise each.place.error(
                    f"{each.label.capitalize()}: again, as in line {first.place.line}, without a "
                    "Link device: between the two",
                    "each label once for a device",
                )
    both = [each for each in records if "node" in each and "remote link device" in each]
    turned = [[*each].index("remote link device") < [*each].index("node") for each in both]
    for record, is_turned in zip(both, turned, strict=True):
        if is_turned != turned[0]:
            raise record["node"].place.error(
                "Node: and Remote link device: stand the other way round than in "
                f"line {both[0]['node'].place.line}: was a line moved or lost?",
                "the answer as CP printed it",
            )
    for record in records:
        device = record["link device"]
        node = record.get("node")
        if node is None:
            within = spans(range(device.place.line, max(f.place.line for f in record.values()) + 1))
            raise device.place.error(
                f"Link device {shown(device.value)} has no Node in {within}",
                "Node: and a name behind it",
            )
        remote = record.get("remote link device")
        kind = record.get("type")
        if kind is not None and not kind.value.isalnum():
            raise kind.place.error(f"Type: {shown(kind.value)}", "a type such as FCTC")
        yield LinkedDevice(
            rdev=_rdev(device, "Link device"),
            partner=node.place.read(
                node.value, to_node, "Node:", "a name of 1 to 8 of A-Z 0-9 $ # @ _"
            ),
            partner_rdev=_rdev(remote, "Remote link device") if remote and remote.value else None,
            kind=FCTC if kind is None else kind.value.strip("_").upper(),
            place=device.place,
            is_down="state" in record and record["state"].value.lower() == "down",
        )


def _rdev(found: _Field, what: str) -> Rdev:
    if len(found.value) != _RDEV_DIGITS:
        raise found.place.error(
            f"{what}: {shown(found.value)}", "a device number of 4 hex digits: was the line cut?"
        )
    return found.place.read(found.value, parse_rdev, f"{what}:", "a device number of 4 hex digits")


def _chpids(lines: list[str], file: str) -> Iterator[tuple[Rdev, ChpidId, Place]]:
    """The chpids of devices, from QUERY CHPID (with lines that go on) and QUERY PATHS."""
    chpid: ChpidId | None = None
    for number, line in enumerate(lines, start=1):
        paths, path = _PATHS.search(line), _CHPID.search(line)
        found = paths or path
        if found and re.search(r"\w", line[found.end() :]):
            raise _unread(line, Place(file, number))
        if paths:
            chpids = paths["chpids"].split()
            place = Place(file, number, paths.start("chpids") + 1)
            if len(chpids) != 1:
                raise place.error(f"CHPIDs to Device: {len(chpids)} of them", "one for a CTC")
            yield _rdevs(paths["rdev"], place)[0], _chpid(chpids[0], place), place
            chpid = None
        elif path:
            chpid = _chpid(path["chpid"], Place(file, number, path.start("chpid") + 1))
            place = Place(file, number, path.start("rdevs") + 1)
            yield from ((rdev, chpid, place) for rdev in _rdevs(path["rdevs"], place))
        elif chpid is not None and (more := _MORE.fullmatch(line)):
            place = Place(file, number, more.start("rdevs") + 1)
            yield from ((rdev, chpid, place) for rdev in _rdevs(more["rdevs"], place))
        elif chpid is not None and line.strip() and _MAY_BE_MORE.fullmatch(line):
            raise _unread(line, Place(file, number))
        else:
            chpid = None


def _unread(line: str, place: Place) -> ConfigurationError:
    """A line that may be of an answer, and says nothing that is known."""
    return place.error(f"{shown(line.strip())} cannot be read", "the answer as CP shows it")


def _chpid(text: str, place: Place) -> ChpidId:
    if len(text) != _CHPID_DIGITS:
        raise place.error(f"chpid {shown(text)}", "2 hex digits: was the line cut?")
    return place.read(text, parse_chpid, "chpid", "2 hex digits")


def _rdevs(text: str, place: Place) -> tuple[Rdev, ...]:
    if "-" in text:
        raise place.error("a range of devices", "device numbers one by one, as QUERY CHPID shows")
    try:
        return parse_rdevs(",".join(text.replace(",", " ").split()))
    except CtcError as error:
        raise place.error(str(error).partition(":")[0], "device numbers, such as 6000") from None
