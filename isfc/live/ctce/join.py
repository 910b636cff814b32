"""Which CTCE devices of Hercules are the two ends of a CTC, and where each is met."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from ctc.address import Rdev, format_rdev
from isfc.errors import ConfigurationError
from isfc.errors.in_words import grouped, listed
from isfc.live.ctce.statements import PORT_DEFAULT, CtceStatement, check_port
from isfc.live.ctce.wire import CURRENT

PORTS_AN_END: Final = 2
"""The older form takes a pair of ports: it sends from the even one and listens at the odd."""


class HostPort(NamedTuple):
    """A host and a port there."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


_HERE: Final = HostPort("127.0.0.1", PORT_DEFAULT)
"""Where a Hercules is, if nothing says so."""


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
    options: str = ""
    """Of its statement, after the ports."""

    @property
    def statement(self) -> CtceStatement:
        """The line for its configuration file."""
        at, ours = self.at.port, self.ours
        return CtceStatement(self.rdev, at, ours.host, ours.port, self.named, self.options)

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
    return joined


_Pairs = list[tuple[CtceStatement, CtceStatement]]


def join_statements(
    devices: Sequence[CtceStatement], places: Mapping[str, HostPort], listen: HostPort
) -> tuple[list[JoinedCtc], list[str]]:
    """The CTCs of several Hercules' statements, and what is passed over, in words.

    Two devices are each other's partners so far, by their ports and device numbers; or this one is
    the partner already, at the ports that it says. ``places`` are where Hercules are said to be.
    Raises `ConfigurationError` for a device that may have several partners, and if there is no CTC.
    """
    pairs = _partners(devices, places)
    direct = bool(pairs)
    if not direct:
        pairs = _met_here(devices, listen)
    current = {
        system
        for system, said in grouped((each.system, each) for each in devices).items()
        if any(each.current for each in said) or len({each.port for each in said}) < len(said)
    }

    def end(own: CtceStatement, mate: CtceStatement, slot: int) -> CtcEnd:
        place = places.get(own.system, _HERE)
        return CtcEnd(
            own.system,
            own.rdev,
            HostPort(mate.host if direct else place.host, own.port),
            _above(listen, PORTS_AN_END * slot) if direct else HostPort(own.host, own.far_port),
            own.far_rdev,
            CURRENT.name if own.system in current else "",
            own.options,
        )

    joined = [
        (end(one, other, 2 * index), end(other, one, 2 * index + 1))
        for index, (one, other) in enumerate(pairs)
    ]
    paired = {each for pair in pairs for each in pair}
    alone = [
        f"{each.said}: no other file has its partner, {each.partner}"
        for each in devices
        if each not in paired
    ]
    if alone and not joined:
        raise ConfigurationError(
            f"{alone[0]}; expected files that have each other's devices, or --listen and --at as "
            "for their lines"
        )
    return joined, [f"{each}: passed over" for each in alone]


def _partners(devices: Sequence[CtceStatement], places: Mapping[str, HostPort]) -> _Pairs:
    """Which devices have each other as partners, by the files alone."""
    at = grouped(((each.port, each.far_port), each) for each in devices)
    hosts: dict[tuple[str, str], CtceStatement] = {}
    pairs: _Pairs = []
    taken: set[CtceStatement] = set()

    def takes(own: CtceStatement, other: CtceStatement) -> bool:
        host = places[other.system].host if other.system in places else own.host
        return own.host == host and own.far_rdev in (0, other.rdev) and own.system != other.system

    for each in devices:
        facing = at.get((each.far_port, each.port), ())
        found = [other for other in facing if takes(each, other) and takes(other, each)]
        if len(found) > 1:
            named = listed((other.said for other in found), "or")
            raise ConfigurationError(
                f"{each.said}: its partner may be {named}: expected RDEV=HOST in each, or "
                "--at NAME=HOST:PORT, where a Hercules is"
            )
        for other in found:
            first = hosts.setdefault((each.system, other.system), each)
            if first.host != each.host:  # one of them may be that of a third Hercules
                raise ConfigurationError(
                    f"{first.said} and {each.said}: both fit {other.system}: expected --at "
                    f"{other.system}=HOST:PORT, with the host that it has"
                )
            if other not in taken:
                taken.add(each)
                pairs.append((each, other))
    return pairs


def _met_here(devices: Sequence[CtceStatement], listen: HostPort) -> _Pairs:
    """Which devices have this one as their partner already, at the ports of one CTC."""
    slots: dict[int, CtceStatement] = {}
    for each in devices:
        slot, odd = divmod(each.far_port - listen.port, PORTS_AN_END)
        if each.host == listen.host and slot >= 0 and not odd:
            other = slots.setdefault(slot, each)
            if other is not each:
                raise ConfigurationError(f"{other.said} and {each.said}: expected a port for each")
    mates = ((one, slots.get(slot + 1)) for slot, one in sorted(slots.items()) if slot % 2 == 0)
    return [(one, other) for one, other in mates if other and one.system != other.system]


def check_joined(joined: list[JoinedCtc]) -> list[JoinedCtc]:
    """The same; raise `ConfigurationError` where two ends want one port.

    Devices of one Hercules 4 may share theirs, and it takes odd ones.
    """
    if not joined:
        raise ConfigurationError("there is no CTCE device: expected one at least for each system")
    taken: dict[HostPort, CtcEnd] = {}
    for end in (end for pair in joined for end in pair):
        current = end.wire == CURRENT.name
        for place in (end.ours, end.at):
            if place.port % PORTS_AN_END and not current:
                raise ConfigurationError(
                    f"{end}: port {place}: expected an even one, as Hercules 3.13 listens one above"
                )
            other = taken.setdefault(place, end)
            shared = current and other.system == end.system and place == other.at == end.at
            if other is not end and not shared:
                raise ConfigurationError(f"{end} and {other}: both have {place}")
    return joined


def _above(place: HostPort, more: int) -> HostPort:
    return HostPort(place.host, check_port(place.port + more, str(place)))
