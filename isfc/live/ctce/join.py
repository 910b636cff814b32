"""Hercules' statements for CTCE devices, and which of them are the two ends of a CTC, met where."""

import re
from collections.abc import Iterable, Mapping, Sequence
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


PORTS_AN_END: Final = 2
"""The older form takes a pair of ports: it sends from the even one and listens at the odd."""


class HostPort(NamedTuple):
    """A host and a port there."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def check_place(option: str, text: str) -> HostPort:
    """``HOST:PORT`` as a place; raise `ConfigurationError` for anything else."""
    host, _, port = text.rpartition(":")
    if not host or not port.isascii() or not port.isdigit():
        raise ConfigurationError(f"{option} {text!r}: expected HOST:PORT")
    return HostPort(host, check_port(int(port), option))


class CtcEnd(NamedTuple):
    """One device of one Hercules."""

    system: str
    rdev: Rdev
    at: HostPort
    """Where this Hercules listens for the device."""
    ours: HostPort
    """Where it finds its partner: here."""
    named: Rdev = Rdev(0)
    """The device number that its statement wants its partner to have; 0 for any."""
    wire: str = ""
    """The only form that it speaks, by name; empty if that is to be found."""

    @property
    def statement(self) -> CtceStatement:
        """The line for its configuration file."""
        return CtceStatement(self.rdev, self.at.port, self.ours.host, self.ours.port, self.named)

    def __str__(self) -> str:
        return f"{self.system} {format_rdev(self.rdev)}"


JoinedCtc = tuple[CtcEnd, CtcEnd]
"""The two ends of a CTC."""


def join_layout(
    systems: tuple[str, str],
    rdevs: Iterable[tuple[Rdev, Rdev]],
    places: Mapping[str, HostPort],
    listen: HostPort,
) -> list[JoinedCtc]:
    """The CTCs of a layout, ``rdevs`` of each; every system listens from its place upwards."""
    joined: list[JoinedCtc] = []
    for index, pair in enumerate(rdevs):
        first, second = (
            CtcEnd(
                system,
                rdev,
                _above(places[system], PORTS_AN_END * index),
                _above(listen, PORTS_AN_END * (2 * index + end)),
            )
            for end, (system, rdev) in enumerate(zip(systems, pair, strict=True))
        )
        joined.append((first, second))
    return check_joined(joined)


def join_statements(
    systems: tuple[str, str],
    statements: tuple[Sequence[CtceStatement], Sequence[CtceStatement]],
    places: Mapping[str, HostPort],
    listen: HostPort,
) -> list[JoinedCtc]:
    """The CTCs of two Hercules' statements.

    They are each other's partners so far, by their ports; or this one is the partner of all
    already, then the first device of one is joined to the first of the other, and so on.
    Raises `ConfigurationError` for a device that has no mate.
    """
    first, second = statements
    mates = {(mate.far_port, mate.port): mate for mate in second}
    direct = any((each.port, each.far_port) in mates for each in first)
    if not direct and all(_meets(listen, each) for each in (*first, *second)):
        return _join_in_order(systems, statements, places)
    joined: list[JoinedCtc] = []
    for each in first:
        mate = mates.get((each.port, each.far_port))
        if mate is None:
            wanted = f"port {each.far_port} and partner's port {each.port}"
            raise ConfigurationError(
                f"{systems[0]}: '{each}': {systems[1]} has no CTCE device with {wanted}"
            )
        for (own, system), far in (((each, systems[0]), mate), ((mate, systems[1]), each)):
            if own.far_rdev not in (0, far.rdev):
                raise ConfigurationError(
                    f"{system}: '{own}': its partner is '{far}': expected device "
                    f"{format_rdev(own.far_rdev)} there"
                )
        here, there = (_above(listen, PORTS_AN_END * (2 * len(joined) + end)) for end in (0, 1))
        first_end = _end(systems[0], each, mate.host, here)
        joined.append((first_end, _end(systems[1], mate, each.host, there)))
    _check_counts(systems, statements)
    return check_joined(joined)


def _join_in_order(
    systems: tuple[str, str],
    statements: tuple[Sequence[CtceStatement], Sequence[CtceStatement]],
    places: Mapping[str, HostPort],
) -> list[JoinedCtc]:
    _check_counts(systems, statements)
    ends = [
        [_end(system, own, places[system].host, HostPort(own.host, own.far_port)) for own in listed]
        for system, listed in zip(systems, statements, strict=True)
    ]
    return check_joined(list(zip(*ends, strict=True)))


def _end(system: str, own: CtceStatement, host: str, ours: HostPort) -> CtcEnd:
    """The device of a statement, which this host has, to be met at a place of ours."""
    return CtcEnd(system, own.rdev, HostPort(host, own.port), ours, own.far_rdev)


def _check_counts(
    systems: tuple[str, str], statements: tuple[Sequence[CtceStatement], Sequence[CtceStatement]]
) -> None:
    first, second = map(len, statements)
    if first != second:
        raise ConfigurationError(
            f"{systems[1]} has {second} CTCE devices, {systems[0]} {first}: expected as many of "
            "both"
        )


def check_joined(joined: list[JoinedCtc]) -> list[JoinedCtc]:
    """The same; raise `ConfigurationError` where two ends want one port."""
    if not joined:
        raise ConfigurationError("there is no CTCE device: expected one at least for each system")
    taken: dict[HostPort, CtcEnd] = {}
    for end in (end for pair in joined for end in pair):
        for place in (end.ours, end.at):
            if place.port % PORTS_AN_END:
                raise ConfigurationError(f"{end}: port {place}: expected an even one")
            other = taken.setdefault(place, end)
            if other is not end:
                raise ConfigurationError(f"{end} and {other}: both have {place}")
    return joined


def _meets(listen: HostPort, statement: CtceStatement) -> bool:
    return statement.host == listen.host and statement.far_port >= listen.port


def _above(place: HostPort, more: int) -> HostPort:
    return HostPort(place.host, check_port(place.port + more, str(place)))
