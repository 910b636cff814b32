"""How channels are cabled: which director port each sits on, or which two share a cable.

A deck gives for each control unit the port of the *far* channel, never a channel's own. So what a
user does not tell is inferred: of all cablings, those that pair the most devices count, and of
these the ones in which most of what decks say of cabling agrees (`agreements`). If there is one, it
is the answer; if there are several, the user is asked.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ctc.address import parse_chpid
from isfc.deck.deck import Channel, DeckSystem, Device
from isfc.deck.place import shown
from isfc.deck.written import parse_link
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import within
from isfc.link.name import Nodes


class DeviceGroup(Struct, frozen=True, eq=False):
    """Devices of one system with the same channel, link address and CUADD, by unit address.

    ``to_unshared`` says that CUADD names no partition: the far channel is not shared.
    """

    channel: Channel
    link: str | None
    to_unshared: bool
    devices: dict[int, Device]
    said: tuple[str, ...] = ("", "", "")
    """SERIAL and DESC of its control unit, and DESC of its channel, as HCD's decks have them."""


class Cabling(Struct, frozen=True):
    """Which channels are known to sit on which port, or to be joined by a cable.

    Channels are told apart by identity, since each deck has its own chpid 50. ``given`` are those
    whose ports a user gave, whatever the decks call their directors.
    """

    ports: Mapping[int, tuple[Channel, str]] = {}
    cables: Mapping[int, int] = {}
    given: frozenset[int] = frozenset()

    def put(self, channel: Channel, port: str) -> "Cabling | None":
        """This, with ``channel`` on ``port``; None if that contradicts what is known."""
        if (known := self.ports.get(id(channel))) is not None:
            return self if same_port(known[1], port) else None
        if self.on_port(channel, port) is not None:
            return None
        return replace(self, ports={**self.ports, id(channel): (channel, port)})

    def on_port(self, channel: Channel, port: str) -> Channel | None:
        """Another channel that is known to be on ``port`` of the director of ``channel``."""
        return next(
            (
                other
                for other, taken in self.ports.values()
                if other is not channel and same_port(port, taken) and _same_switch(channel, other)
            ),
            None,
        )

    def is_known(self, channel: Channel, link: str | None) -> bool:
        """Whether it is known which channel is where ``link`` leads from ``channel``."""
        if link is None:
            return id(channel) in self.cables
        own = self.ports.get(id(channel))
        return (own is not None and same_port(own[1], link)) or bool(self.on_port(channel, link))

    def join(self, one: Channel, other: Channel) -> "Cabling | None":
        """This, with a cable between two channels; None if that contradicts what is known."""
        ends = self.cables.get(id(one), id(other)), self.cables.get(id(other), id(one))
        if one is other or ends != (id(other), id(one)):
            return None
        return replace(self, cables={**self.cables, id(one): id(other), id(other): id(one)})

    def lead(self, here: "DeviceGroup", there: "DeviceGroup") -> "Cabling | None":
        """This, with two groups that lead to each other; None if they cannot."""
        pairs = (here, there), (there, here)
        if any(near.to_unshared and far.channel.shared for near, far in pairs):
            return None
        if here.link is None or there.link is None:
            return self.join(here.channel, there.channel) if here.link is there.link else None
        if self.parted_by_switch(here, there):
            return None
        half = self.put(here.channel, there.link)
        return None if half is None else half.put(there.channel, here.link)

    def parted_by_switch(self, here: "DeviceGroup", there: "DeviceGroup") -> bool:
        """Whether SWITCH says that two groups are on different directors, and no user knows better.

        Link addresses of four digits may lead over two directors. Decks of two CECs may number one
        director differently, so the ports of both channels count more.
        """
        crossing = any(len(group.link or "") == 4 for group in (here, there))
        known = self.given >= {id(here.channel), id(there.channel)}
        return not (crossing or known or _same_switch(here.channel, there.channel))


AGREEMENTS_MAX: Final = 8
"""The most that `agreements` finds: two for SWITCH, and two for each of SERIAL and DESC."""


def agreements(here: DeviceGroup, there: DeviceGroup) -> int:
    """How much of what decks say of cabling is alike at both ends.

    HCM takes control units of one serial number for connected (published: HCM User's Guide).
    """
    alike = sum(one == other != "" for one, other in zip(here.said, there.said, strict=True))
    return _switches(here, there) + 2 * alike


def _switches(here: DeviceGroup, there: DeviceGroup) -> int:
    """How many of two channels have the SWITCH of the director that link addresses lead to.

    The far group's link is the near channel's address. Of four digits, the first two are those of
    its director, and by custom its SWITCH; of two digits, both channels are on one director.
    """
    if here.link and there.link and len(here.link) == len(there.link) == 2:
        named = here.channel.switch is not None
        return 2 if named and here.channel.switch == there.channel.switch else 0
    pairs = ((here.channel, there.link), (there.channel, here.link))
    return sum(
        link is not None and len(link) == 4 and channel.switch == (link[:2].lstrip("0") or "0")
        for channel, link in pairs
    )


def same_port(one: str, other: str) -> bool:
    """Whether two link addresses name one port; two digits leave the director out."""
    shorter = min(len(one), len(other))
    return one[-shorter:] == other[-shorter:]


def _same_switch(one: Channel, other: Channel) -> bool:
    """Whether two channels may be on one director: each names the same, or one names none."""
    return one.switch is None or other.switch is None or one.switch == other.switch


def parse_ports(texts: Iterable[str], systems: Sequence[DeckSystem]) -> Cabling:
    """The cabling that ``NODE:50=C1`` and ``NODE:50=NODE2:60``, separated by commas, describe.

    Raises `ConfigurationError` for anything else, and for what contradicts itself.
    """
    cabling = Cabling()
    for entry in (part.strip() for text in texts for part in text.split(",")):
        with within(f"--ports {shown(entry)}"):
            cabling = _with_port(cabling, entry, systems)
    return replace(cabling, given=frozenset(cabling.ports))


def _with_port(cabling: Cabling, entry: str, systems: Sequence[DeckSystem]) -> Cabling:
    """The cabling with what one entry says of a channel."""
    place, equals, there = entry.partition("=")
    if not equals:
        raise ConfigurationError("expected NODE:CHPID=PORT, such as LPAR1:50=C1")
    channel = _channel(place, systems)
    if ":" in there:
        more = cabling.join(channel, _channel(there, systems))
    else:
        try:
            port = parse_link(there.strip())
        except ConfigurationError:
            raise ConfigurationError("expected a port of 2 or 4 hex digits, such as C1") from None
        if (taken := cabling.on_port(channel, port)) is not None:
            owner = next(
                each for each in systems if any(one is taken for one in each.deck.channels.values())
            )
            one = str(taken) == str(channel)
            same = "; if they are one channel of a CEC, one deck for its partitions" if one else ""
            raise ConfigurationError(
                f"{owner.node}:{taken} is on that port; expected one channel on each port{same}"
            )
        more = cabling.put(channel, port)
    if more is None:
        raise ConfigurationError(
            "contradicts another port; expected one port for each channel, and one channel on each "
            "port"
        )
    return more


def _channel(text: str, systems: Sequence[DeckSystem]) -> Channel:
    """The channel that ``NODE:50`` names."""
    name, _, chpid_text = text.strip().partition(":")
    for system in systems:
        if name.upper() in (system.node, system.partition.name):
            chpid = parse_chpid(chpid_text)
            channel = system.deck.channels.get((system.css, chpid))
            if channel is None:
                raise ConfigurationError(
                    f"{system.deck.file} has no CHPID {chpid:02X} in CSS {system.css}; "
                    f"expected a chpid of {system.partition.name}"
                )
            return channel
    nodes = ", ".join(system.node for system in systems)
    raise ConfigurationError(f"expected one of {nodes}, then a colon and a chpid")


STEPS_MAX: Final = 50_000
"""Pairs of groups that the search for cablings looks at: less than a second."""

GROUPS_MAX: Final = 64
"""Pairs of chpid and link address at one end. A logical link has at most sixteen CTCs."""

NAMED_MAX: Final = 6
"""Possibilities that a message lists."""

COUNTED_MAX: Final = 100
"""Possibilities that it counts."""


Pairs = tuple[tuple[DeviceGroup, DeviceGroup], ...]


class SeveralCablings(ConfigurationError):
    """The decks allow several cablings: ``choices`` are ports that say which."""

    def __init__(self, message: str, choices: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.choices = choices

    def __reduce__(self) -> tuple[type["SeveralCablings"], tuple[str, tuple[str, ...]]]:
        """Let it go to another process."""
        return SeveralCablings, (str(self), self.choices)


def match(
    nodes: Nodes, sides: tuple[Sequence[DeviceGroup], Sequence[DeviceGroup]], cabling: Cabling
) -> tuple[Pairs, Mapping[str, str]]:
    """The one way in which the groups of two systems can lead to each other.

    With it come the ports that were inferred: ``NODE:50`` to ``C1``.

    Raises `ConfigurationError`, with the possibilities, if there are several.
    """
    for node, groups in zip(nodes, sides, strict=True):
        if len(groups) > GROUPS_MAX:
            raise ConfigurationError(
                f"{node}: its devices to the other system are on {len(groups)} pairs of chpid and "
                f"link address; expected at most {GROUPS_MAX}"
            )
    search = _CablingSearch(nodes, sides, cabling)
    best = search.found
    if len(best) > 1 or search.exhausted:
        choices = (*search.possibilities(),)
        lines = [f"  --ports {options}" for options in choices]
        few = len(best) <= COUNTED_MAX and not search.exhausted
        count = f"{len(best)}" if few else f"more than {min(len(best), COUNTED_MAX)}"
        some = f", of which {len(lines)} are shown," if not few or len(best) > len(lines) else ""
        raise SeveralCablings(
            f"{nodes[0]} and {nodes[1]}: the decks do not say which director port each channel "
            f"sits on (or which channels share a cable), and {count} cablings{some} pair as many "
            "devices; expected the right one of\n" + "\n".join(lines),
            choices,
        )
    pairs = best[0] if best else ()
    return pairs, search.told(pairs)


class _CablingSearch:
    """Depth first through the groups of the first system, with bounds on steps and results.

    All cablings are ``found`` that are worth the most, or enough to name some.
    """

    def __init__(
        self,
        nodes: Nodes,
        sides: tuple[Sequence[DeviceGroup], Sequence[DeviceGroup]],
        cabling: Cabling,
    ) -> None:
        self._nodes = nodes
        self._given = cabling
        self._here = sorted(sides[0], key=lambda group: -len(group.devices))
        self._there = list(sides[1])
        self._steps = 0
        self._best = 0
        self.found: list[Pairs] = []
        self.exhausted = False
        at_most = [
            max((_worth(here, there) for there in self._there), default=0) for here in self._here
        ]
        self._rest = [sum(at_most[index:]) for index in range(len(at_most) + 1)]
        self._go(0, 0, (), self._given)

    def told(self, pairs: Pairs) -> dict[str, str]:
        """What ``pairs`` imply that the user has not said, as ``--ports`` takes it."""
        told: dict[str, str] = {}
        known = {*self._given.ports, *self._given.cables}
        for here, there in pairs:
            cable = f"{self._nodes[1]}:{there.channel}"
            ends = (
                (self._nodes[0], here.channel, there.link or cable),
                (self._nodes[1], there.channel, here.link),
            )
            for node, channel, port in ends:
                if port and id(channel) not in known:
                    known.add(id(channel))
                    told[f"{node}:{channel}"] = port
        return told

    def possibilities(self) -> list[str]:
        """Some of what was found, as ``--ports`` takes it: one end's ports if they tell enough."""
        # a pair that has one channel at both ends is possible, and seldom meant
        likely = sorted(self.found, key=lambda pairs: sum(a.channel is b.channel for a, b in pairs))
        told = [self.told(pairs) for pairs in likely[:NAMED_MAX]]
        near = [
            _options(
                {key: port for key, port in each.items() if key.startswith(f"{self._nodes[0]}:")}
            )
            for each in told
        ]
        return near if len(set(near)) == len(told) else list(map(_options, told))

    def _go(self, index: int, score: int, pairs: Pairs, cabling: Cabling) -> None:
        self._steps += len(self._there)
        self.exhausted = self.exhausted or self._steps > STEPS_MAX
        bound = score + self._rest[index]
        enough = len(self.found) > COUNTED_MAX and bound <= self._best
        if self.exhausted or bound < self._best or bound == 0 or enough:
            return
        if index == len(self._here):
            if score > self._best:
                self._best, self.found = score, []
            self.found.append(pairs)
            return
        here = self._here[index]
        taken = {id(there) for _, there in pairs}
        for there in sorted(self._there, key=lambda other: other.channel is here.channel):
            worth = _worth(here, there)
            if worth and id(there) not in taken and (more := cabling.lead(here, there)):
                self._go(index + 1, score + worth, (*pairs, (here, there)), more)
        self._go(index + 1, score, pairs, cabling)


def _worth(here: DeviceGroup, there: DeviceGroup) -> int:
    """How good it is to pair two groups: by devices, then by SWITCH; 0 without a common device."""
    common = len(here.devices.keys() & there.devices.keys())
    return common * _DEVICE_WORTH + agreements(here, there) if common else 0


_DEVICE_WORTH: Final = AGREEMENTS_MAX * GROUPS_MAX + 1
"""One device more counts for more than all agreements together."""


def _options(told: Mapping[str, str]) -> str:
    return ",".join(f"{key}={value}" for key, value in sorted(told.items()))
