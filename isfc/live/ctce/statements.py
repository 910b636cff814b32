"""The CTCE devices of a Hercules' configuration file, with its symbols and what it includes.

The form is published: SDL-Hercules-390 4.9, html/hercconf.html. A line that may be of a CTCE device
is read, refused, or passed over with a remark.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from ipaddress import IPv4Address
from typing import Final, NamedTuple

from ctc.address import Rdev, format_rdev
from isfc.errors import ConfigurationError

PORT_DEFAULT: Final = 3088
"""Of either side, where a statement of Hercules 4 names none (SDL-Hercules-390, README)."""
PORT_MAX: Final = 65_534
"""The older form listens one above its port."""
INCLUDES_MAX: Final = 8
"""Files within one another (hercconf.html, INCLUDE)."""

_DIFFERENCES: Final = 0x100
"""``RDEV=`` below this is the difference to a device's own number."""
_CHANNEL: Final = 0xFF
"""Of a device number, what the devices of one statement may differ in."""

_FORM: Final = "'0E40 CTCE PORT HOST PORT' or '0E40 CTCE RDEV=HOST', and no 'sml'"
_DEVICE: Final = re.compile(
    r"(?i)\S+\s+(?:3088\s+)?CTCE(?:\s+(\d+))?\s+(?:([0-9A-F]{0,4})=)?"
    r"([A-Z0-9_.-]*[A-Z.][A-Z0-9_.-]*)(?(2)|(?=\s+\d))(?:\s+(\d+))?"
    r"((?:\s+\d+)?)((?:\s+ATTNDELAY\s+\d+)?(?:\s+FICON)?)"
)
_GROUP: Final = re.compile(r"(?i)([0-9A-F]{1,4})(?:-([0-9A-F]{1,4})|\.(\d{1,3}))?")
_REST: Final = re.compile(r"(?i)(\d+\s*)?(\d{5}\s*)?(ATTNDELAY(\s+\d+)?\s*)?(FICON)?")
"""What a mail program may have put on a line of its own."""
_COMMENT: Final = re.compile(r"\s+#")
_COMMENTED: Final = re.compile(r"(?i)[#*\s]*(?=\S*\d)\S{3,}\s+(3088\s+)?CTCE\s+\S*[\d=]")
_SYMBOL: Final = re.compile(r"(?<!\$)\$\(([^()]*)\)")
_UNKNOWN: Final = re.compile(r"\$[({][^)}]*[)}]?")
_DEFSYM: Final = re.compile(r"\S+\s+(\S+)(?:\s+(\"[^\"]*\"|'[^']*'|[^\s\"']\S*))?")
_SLIP: Final = re.compile(r".TCE|C.CE|CT.E|CTC[^AINT]?|[TC]CE|CTE|C.?T.?C.?E|CTEC|TCCE|CCTE")
"""CTCE with one letter lost, changed, too many or in its neighbour's place; CTCT is another."""
_NO_TYPE: Final = re.compile(
    r"(?:\S*\d\S*|[0-9A-F]{1,4}) "
    r"(?:\d{5}\b|(?!CTCT ).*\b\d{4,5} \S*[.=]\S* \d{4,5}\b|C?T?$"
    r"|.*(?<!\S)(?=\S*\d\S*=|=)[0-9A-F]{0,4}=\S)"
    r"|(?=.*\d)[0-9A-F.,:-]+$|.*(?<!\S)[0-9A-F]{0,4}=(?:\d+\.){3}\d"
)
"""What only a CTCE device has behind its number, without its type; or a number that is alone."""
_TITLES: Final = frozenset({"HAO", "HERCLOGO", "LDMOD", "LOG", "LPARNAME", "PANOPT", "PANTITLE"})
"""Statements that may speak of CTCE."""


class CtceStatement(NamedTuple):
    """One device: ``0500 CTCE 31880 10.0.0.2 31890``."""

    rdev: Rdev
    port: int
    """Where this Hercules listens."""
    host: str
    """Its partner's."""
    far_port: int
    """Where its partner listens."""
    far_rdev: Rdev = Rdev(0)
    """The partner's device number, which is to be checked; 0 for none."""
    options: str = ""
    """``65536 ATTNDELAY 200 FICON``: what is this Hercules' own affair."""
    system: str = ""
    """The name of its Hercules."""
    place: str = ""
    """File and line."""

    def __str__(self) -> str:
        low = self.far_rdev < _DIFFERENCES  # it is said by the difference
        rdev = f"{self.far_rdev ^ (self.rdev if low else 0):04X}=" if self.far_rdev else ""
        ports = f"{self.port} {rdev}{self.host} {self.far_port}"
        return f"{format_rdev(self.rdev)} CTCE {ports} {self.options}".rstrip()

    @property
    def said(self) -> str:
        """The device as messages name it, with its file and line."""
        return f"{self.place}: {self.system}: '{self}'"

    @property
    def partner(self) -> str:
        """What is known of its partner, in words."""
        rdev = f"{format_rdev(self.far_rdev)} " if self.far_rdev else ""
        return f"{rdev}at {self.host} with port {self.far_port} to {self.port}"

    @property
    def current(self) -> bool:
        """Whether only Hercules 4 takes it: 3.13 knows no keyword, no ``RDEV=`` and no odd port."""
        odd = self.port % 2 or self.far_port % 2
        return bool(self.far_rdev or odd or self.options.strip("0123456789"))


Lines = Callable[[str], Sequence[str]]
"""The lines of a file, by the name that INCLUDE has for it; raises `ConfigurationError`."""


class HerculesConfiguration:
    """What is read of one configuration file."""

    def __init__(self, system: str, lines_of: Lines) -> None:
        self.remarks: list[str] = []
        """What is passed over, with file and line."""
        self.devices: dict[Rdev, CtceStatement] = {}
        """The CTCE devices, in its order."""
        self._system = system
        self._lines_of = lines_of
        self._symbols: dict[str, str] = {}
        self._lenient = False

    def read(self, lines: Sequence[str], source: str, depth: int = 1) -> None:
        """Take the lines of a file, and of those that it includes.

        Raises `ConfigurationError`, with the line, for a statement that cannot be served.
        """
        after_device = False
        for number, line in enumerate(lines, start=1):
            place, said = f"{source}:{number}", _resolved(line, self._symbols).strip()
            if said[:1] in ("", "#", "*"):
                if _COMMENTED.match(said):
                    self.remarks.append(f"{place}: {said[:60]!r} is a comment: passed over")
                continue
            said, *comment = _COMMENT.split(said, maxsplit=1)
            if comment and _COMMENTED.search(comment[0]):
                self.remarks.append(f"{place}: {comment[0][:60]!r} is a comment: passed over")
            words = said.upper().split()
            if after_device and _REST.fullmatch(said.lstrip("> |")):
                raise ConfigurationError(
                    f"{place}: {said!r}: expected it on the line before, whose rest it is"
                )
            after_device = False
            if words[0] == "DEFSYM":
                self._define(said, place)
            elif words[0] == "INCLUDE":
                self._include(said, place, depth)
            elif words[:2] == ["IGNORE", "INCLUDE_ERRORS"]:
                self._lenient = True
            elif _may_be_ctce(words):
                self._add(said, place)
                after_device = True

    def _define(self, said: str, place: str) -> None:
        match = _DEFSYM.fullmatch(said)
        if match is None:
            raise ConfigurationError(
                f"{place}: {said[:60]!r}: expected DEFSYM, a name and one value"
            )
        self._symbols[match[1]] = (match[2] or "").strip("\"'")

    def _include(self, said: str, place: str, depth: int) -> None:
        name = " ".join(said.split()[1:]).strip("\"'")
        try:
            if depth == INCLUDES_MAX:
                raise ConfigurationError(f"{name}: expected at most {depth} files in one another")
            lines = self._lines_of(name)
        except ConfigurationError as error:
            if not self._lenient:
                raise ConfigurationError(f"{place}: INCLUDE: {error}") from None
            self.remarks.append(f"{place}: INCLUDE: {error}: passed over")
        else:
            self.read(lines, name, depth + 1)

    def _add(self, said: str, place: str) -> None:
        devices = said.split()[0]
        numbers = [*_numbers(devices, place)]
        for rdev, index in numbers:
            cuu = f"{rdev:04X}"
            own = {"CUU": f"{rdev:03X}", "CCUU": cuu, "DEVN": cuu, "CSS": "0"}
            found = self._statement(rdev, index, _resolved(said, own), place)
            if len(numbers) > 1 and not found.far_rdev:
                raise ConfigurationError(
                    f"{place}: {devices}: expected RDEV=HOST or =HOST, as all have one port"
                )
            other = self.devices.setdefault(rdev, found)
            if other is not found:
                raise ConfigurationError(f"{place}: {cuu}: {other.place} has it too")

    def _statement(self, rdev: Rdev, index: int, said: str, place: str) -> CtceStatement:
        if (unknown := _UNKNOWN.search(said)) is not None:
            raise ConfigurationError(
                f"{place}: {unknown[0]}: no DEFSYM before it has that; expected one, or the value"
            )
        match = _DEVICE.fullmatch(said)
        if match is None:
            raise ConfigurationError(f"{place}: {said[:60]!r}: expected {_FORM}")
        port, far, host, far_port, mtu, keywords = match.groups()
        if not _is_host(host):
            raise ConfigurationError(f"{place}: {host[:60]}: expected an address, such as 10.0.0.2")
        number = int(far or "0", 16)
        mate = rdev ^ number if number < _DIFFERENCES else number + index
        return CtceStatement(
            rdev,
            check_port(int(port or PORT_DEFAULT), place),
            host,
            check_port(int(far_port or PORT_DEFAULT), place),
            Rdev(0 if far is None else mate),
            " ".join((mtu + keywords).split()),
            self._system,
            place,
        )


def _resolved(text: str, symbols: Mapping[str, str]) -> str:
    """The text with the values of symbols; one that is not known stays."""
    return _SYMBOL.sub(lambda match: symbols.get(match[1], match[0]), text)


def _may_be_ctce(words: Sequence[str]) -> bool:
    """Whether a statement, in capitals, is of a CTCE device, or of one with marks or a slip."""
    if words[0] in _TITLES:
        return False
    words = [word for at, word in enumerate(words) if at != 1 or not word.startswith("308")]
    front = " ".join(words[:2])
    if _NO_TYPE.match(" ".join(words)):
        return True
    if (
        "CTCE" in front
        or any(word.partition("=")[0] == "CTCE" for word in words)
        or ("$" in front and not words[0].replace("_", "").isalpha())
    ):
        return True
    parts = words[1:2], words[2:3], words[1:3]
    return any(_SLIP.fullmatch("".join(part)) for part in parts)


def _is_host(host: str) -> bool:
    """Whether a partner can be there: what has numbers for parts is an address."""
    parts = host.split(".")
    numbers = sum(part.isdigit() for part in parts)
    try:
        is_name = not parts[-1].isdigit() and 2 * numbers < len(parts)
        return is_name or bool(IPv4Address(host))
    except ValueError:
        return False


def _numbers(said: str, place: str) -> Iterator[tuple[Rdev, int]]:
    """Each device of ``0:0E40``, ``0E40.4`` or ``0E40-0E43,0E50``, and its place in its group."""
    subsystem, _, groups = said.rpartition(":")
    for group in groups.split(","):
        match = _GROUP.fullmatch(group)
        first = int(match[1], 16) if match else 0
        last = int(match[2], 16) if match and match[2] else first
        last += int(match[3]) - 1 if match and match[3] else 0
        if match is None or subsystem.strip("0") or not first <= last <= first | _CHANNEL:
            raise ConfigurationError(
                f"{place}: {said}: expected devices of one channel and of channel subsystem 0, "
                "such as 0E40, 0:0E40, 0E40.4 or 0E40-0E43"
            )
        yield from ((Rdev(each), each - first) for each in range(first, last + 1))


def check_port(port: int, place: str) -> int:
    """The port; raise `ConfigurationError` for one that cannot be used."""
    if not 1024 <= port <= PORT_MAX:
        raise ConfigurationError(f"{place}: port {port}: expected 1024 to {PORT_MAX}")
    return port
