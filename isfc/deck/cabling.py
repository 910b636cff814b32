"""What is known of cabling: the director port of each channel, or the cable that joins two."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ctc.address import parse_chpid
from ctc.errors import CtcError
from isfc.deck.iocp import Channel, Device, parse_link
from isfc.deck.partition import System
from isfc.deck.place import shown
from isfc.errors import ConfigurationError


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Devices of one system with the same channel, link address and CUADD, by unit address.

    ``to_unshared`` says that CUADD names no partition: the far channel is not shared.
    """

    channel: Channel
    link: str | None
    to_unshared: bool
    devices: dict[int, Device]


@dataclass(frozen=True, slots=True)
class Cabling:
    """Which channels are known to sit on which port, or to be joined by a cable.

    Channels are told apart by identity, since each deck has its own chpid 50.
    """

    ports: Mapping[int, tuple[Channel, str]] = field(default_factory=dict)
    cables: Mapping[int, int] = field(default_factory=dict)

    def put(self, channel: Channel, port: str) -> "Cabling | None":
        """This, with ``channel`` on ``port``; None if that contradicts what is known."""
        if (known := self.ports.get(id(channel))) is not None:
            return self if _same_port(known[1], port) else None
        if any(
            _same_port(port, taken) and _same_switch(channel, other)
            for other, taken in self.ports.values()
        ):
            return None
        return Cabling({**self.ports, id(channel): (channel, port)}, self.cables)

    def join(self, one: Channel, other: Channel) -> "Cabling | None":
        """This, with a cable between two channels; None if that contradicts what is known."""
        ends = self.cables.get(id(one), id(other)), self.cables.get(id(other), id(one))
        if one is other or ends != (id(other), id(one)):
            return None
        return Cabling(self.ports, {**self.cables, id(one): id(other), id(other): id(one)})

    def lead(self, here: "Group", there: "Group") -> "Cabling | None":
        """This, with two groups that lead to each other; None if they cannot."""
        pairs = (here, there), (there, here)
        if any(near.to_unshared and far.channel.shared for near, far in pairs):
            return None
        if here.link is None or there.link is None:
            return self.join(here.channel, there.channel) if here.link is there.link else None
        crossing = len(here.link) == 4 or len(there.link) == 4  # maybe over two directors
        if not crossing and not _same_switch(here.channel, there.channel):
            return None
        half = self.put(here.channel, there.link)
        return None if half is None else half.put(there.channel, here.link)


def _same_port(one: str, other: str) -> bool:
    """Whether two link addresses name one port; two digits leave the director out."""
    shorter = min(len(one), len(other))
    return one[-shorter:] == other[-shorter:]


def _same_switch(one: Channel, other: Channel) -> bool:
    """Whether two channels may be on one director: each names the same, or one names none."""
    return one.switch is None or other.switch is None or one.switch == other.switch


def parse_ports(texts: Iterable[str], systems: Sequence[System]) -> Cabling:
    """The cabling that ``NODE:50=C1`` and ``NODE:50=NODE2:60``, separated by commas, describe.

    Raises `ConfigurationError` for anything else, and for what contradicts itself.
    """
    cabling = Cabling()
    for entry in (part.strip() for text in texts for part in text.split(",")):
        place, equals, port = entry.partition("=")
        if not equals:
            raise ConfigurationError(
                f"--ports {shown(entry)}: expected NODE:CHPID=PORT, such as LPAR1:50=C1"
            )
        channel = _channel(entry, place, systems)
        more = (
            cabling.join(channel, _channel(entry, port, systems))
            if ":" in port
            else cabling.put(channel, _port(entry, port))
        )
        if more is None:
            raise ConfigurationError(
                f"--ports {shown(entry)}: contradicts another port; "
                "expected one port for each channel, and one channel on each port"
            )
        cabling = more
    return cabling


def _channel(entry: str, text: str, systems: Sequence[System]) -> Channel:
    """The channel that ``NODE:50`` names."""
    name, _, chpid_text = text.strip().partition(":")
    for system in systems:
        if name.upper() in (system.node, system.partition.name):
            try:
                chpid = parse_chpid(chpid_text)
            except CtcError as error:
                raise ConfigurationError(f"--ports {shown(entry)}: {error}") from None
            channel = system.deck.channels.get((system.partition.css, chpid))
            if channel is None:
                raise ConfigurationError(
                    f"--ports {shown(entry)}: {system.deck.file} has no CHPID {chpid:02X} in CSS "
                    f"{system.partition.css}; expected a chpid of {system.partition.name}"
                )
            return channel
    raise ConfigurationError(
        f"--ports {shown(entry)}: expected one of {', '.join(s.node for s in systems)}, "
        "then a colon and a chpid"
    )


def _port(entry: str, text: str) -> str:
    try:
        return parse_link(text.strip())
    except ConfigurationError:
        raise ConfigurationError(
            f"--ports {shown(entry)}: expected a port of 2 or 4 hex digits, such as C1"
        ) from None
