"""Which devices of which Hercules are the two ends of a CTC, and where each is met."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from ctc.address import Rdev, format_rdev
from isfc.ctce.statement import CtceStatement, check_port
from isfc.errors import ConfigurationError

PORTS_AN_END: Final = 2
"""The older form takes a pair of ports: it sends from the even one and listens at the odd."""


class Place(NamedTuple):
    """A host and a port there."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def check_place(option: str, text: str) -> Place:
    """``HOST:PORT`` as a place; raise `ConfigurationError` for anything else."""
    host, _, port = text.rpartition(":")
    if not host or not port.isascii() or not port.isdigit():
        raise ConfigurationError(f"{option} {text!r}: expected HOST:PORT")
    return Place(host, check_port(int(port), option))


class CtcEnd(NamedTuple):
    """One device of one Hercules."""

    system: str
    rdev: Rdev
    at: Place
    """Where this Hercules listens for the device."""
    ours: Place
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
    places: Mapping[str, Place],
    listen: Place,
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
    places: Mapping[str, Place],
    listen: Place,
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
        ports = [listen.port + PORTS_AN_END * (2 * len(joined) + end) for end in (0, 1)]
        hosts = (mate.host, each.host)
        ends = [
            CtcEnd(
                systems[end],
                own.rdev,
                Place(hosts[end], own.port),
                Place(listen.host, ports[end]),
                own.far_rdev,
            )
            for end, own in enumerate((each, mate))
        ]
        joined.append((ends[0], ends[1]))
    _check_counts(systems, statements)
    return check_joined(joined)


def _join_in_order(
    systems: tuple[str, str],
    statements: tuple[Sequence[CtceStatement], Sequence[CtceStatement]],
    places: Mapping[str, Place],
) -> list[JoinedCtc]:
    _check_counts(systems, statements)
    ends = [
        [
            CtcEnd(
                system,
                own.rdev,
                Place(places[system].host, own.port),
                Place(own.host, own.far_port),
                own.far_rdev,
            )
            for own in listed
        ]
        for system, listed in zip(systems, statements, strict=True)
    ]
    return check_joined(list(zip(*ends, strict=True)))


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
    taken: dict[Place, CtcEnd] = {}
    for end in (end for pair in joined for end in pair):
        for place in (end.ours, end.at):
            if place.port % PORTS_AN_END:
                raise ConfigurationError(f"{end}: port {place}: expected an even one")
            other = taken.setdefault(place, end)
            if other is not end:
                raise ConfigurationError(f"{end} and {other}: both have {place}")
    return joined


def _meets(listen: Place, statement: CtceStatement) -> bool:
    return statement.host == listen.host and statement.far_port >= listen.port


def _above(place: Place, more: int) -> Place:
    return Place(place.host, check_port(place.port + more, str(place)))
