"""Hercules' statements for CTCE devices, read from its configuration files and written."""

import re
from typing import Final, NamedTuple

from ctc.address import Rdev, format_rdev, parse_rdev
from isfc.errors import ConfigurationError

PORT_DEFAULT: Final = 3088
"""Of either side, where a statement of Hercules 4 names none (SDL-Hercules-390, README)."""
PORT_MAX: Final = 65_534
"""The older form listens one above its port."""

_DIFFERENCES: Final = 0x100

_LINE: Final = re.compile(
    r"\s*([0-9A-Fa-f]{1,4})(\S*)\s+CTCE(?:\s+(.*?))?\s*(?:#.*)?", re.IGNORECASE
)
_WORDS: Final = re.compile(
    r"(?:(\d+)\s+)?(?:([0-9A-Fa-f]{1,4})=)?([A-Za-z0-9_.-]*[A-Za-z.][A-Za-z0-9_.-]*)"
    r"(?:\s+(\d+))?(?:\s+(\d+))?(?:\s+(\d+))?(?:\s+ATTNDELAY\s+\d+)?(\s+FICON)?",
    re.IGNORECASE,
)


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

    def __str__(self) -> str:
        said = _named(self.rdev, self.far_rdev)
        rdev = f"{said:04X}=" if self.far_rdev else ""
        return f"{format_rdev(self.rdev)} CTCE {self.port} {rdev}{self.host} {self.far_port}"


def _named(rdev: Rdev, said: Rdev) -> Rdev:
    """The device that ``RDEV=`` names: less than X'100' is the difference to a device's own."""
    return Rdev(rdev ^ said) if 0 < said < _DIFFERENCES else said


def read_statements(text: str, source: str) -> list[CtceStatement]:
    """The CTCE devices of one of Hercules' configuration files, in its order.

    Raises `ConfigurationError`, with the line, for a statement that cannot be served.
    """
    found: list[CtceStatement] = []
    for number, line in enumerate(text.splitlines(), start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            continue
        place = f"{source}:{number}"
        if match[2]:
            raise ConfigurationError(
                f"{place}: {match[1]}{match[2]}: expected a line for each device"
            )
        found.append(_statement(match[1], match[3] or "", place))
    return found


def _statement(rdev: str, words: str, place: str) -> CtceStatement:
    match = _WORDS.fullmatch(words)
    if match is None:
        raise ConfigurationError(
            f"{place}: CTCE {words[:60]!r}: expected a port, a host (perhaps RDEV=HOST) and a port"
        )
    port, far_rdev, host, far_port, _mtu, small, _ficon = match.groups()
    if small is not None:
        raise ConfigurationError(f"{place}: 'sml' {small}: expected none, for records of any host")
    own = parse_rdev(rdev.zfill(4))
    return CtceStatement(
        own,
        check_port(int(port or PORT_DEFAULT), place),
        host,
        check_port(int(far_port or PORT_DEFAULT), place),
        _named(own, Rdev(int(far_rdev or "0", 16))),
    )


def check_port(port: int, place: str) -> int:
    """The port; raise `ConfigurationError` for one that cannot be used."""
    if not 1024 <= port <= PORT_MAX:
        raise ConfigurationError(f"{place}: port {port}: expected 1024 to {PORT_MAX}")
    return port
