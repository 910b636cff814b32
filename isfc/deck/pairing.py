"""Which CTC devices of two partitions are the two ends of one CTC.

A device on chpid X, with link address Y, CUADD naming the partner's image and unit address U
is joined with the partner's device on the chpid at port Y, whose link address is the port of
X, whose CUADD names our image, and whose unit address is U as well. Device numbers do not matter.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import combinations
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ctc.address import ChpidId, Rdev, format_rdev
from isfc.deck.cabling import Cabling, DeviceGroup, match, parse_ports
from isfc.deck.deck import FICON, Channel, ControlUnit, DeckSystem, Device, Partition
from isfc.errors.in_words import ranges
from isfc.link.name import NodeName, Nodes


class Reason(StrEnum):
    """Why a device has no mate; the values stay the same between releases."""

    EXCLUDED = "excluded"
    NO_ACCESS = "chpid-not-accessible"
    OTHER_IMAGE = "cuadd-names-another-image"
    NOT_RECOGNIZED = "unit-address-not-of-control-unit"
    SEVERAL_PATHS = "several-paths"
    SEVERAL_UNITS = "several-control-units"
    NO_FICON = "chpid-not-ficon"
    DUPLICATE_CU = "duplicate-chpid-link-cuadd"
    DUPLICATE_ADDRESS = "duplicate-unit-address"
    DUPLICATE_RDEV = "duplicate-device-number"
    UNIT_ADDRESSES = "unit-addresses-differ"
    NO_MATE = "no-mate"


class Unpaired(Struct, frozen=True):
    """A device of ``node`` that has no mate, and why, in a word and in a sentence."""

    node: NodeName
    device: Device
    reason: Reason
    text: str
    is_expected: bool = False
    """Whether that is no fault: the device leads to its own partition, which is shut out of it."""


class DirectorPort(Struct, frozen=True):
    """A port of a director."""

    director: str
    port: str

    def __str__(self) -> str:
        return f"{self.port} of director {self.director}"


class Joined(Struct, frozen=True):
    """One CTC: device, channel and link address at the first system and at the second."""

    devices: tuple[Device, Device]
    channels: tuple[Channel, Channel]
    links: tuple[str | None, str | None]

    @property
    def rdevs(self) -> tuple[Rdev, Rdev]:
        """The device number at each end."""
        return self.devices[0].rdev, self.devices[1].rdev

    @property
    def chpids(self) -> tuple[ChpidId, ChpidId]:
        """The chpid at each end."""
        return self.channels[0].chpid, self.channels[1].chpid


def _plug(named: str | None, link: str | None) -> DirectorPort | None:
    """Where a channel sits to which control units with ``link`` lead."""
    director = link[:2] if link and len(link) == 4 else named
    return DirectorPort(director, link[-2:]) if link and director else None


Numbered = tuple[int, str]
"""A deck, by identity, and its SWITCH for a director."""


class Pairing(Struct, frozen=True):
    """What was found between two systems; ``inferred`` are ports that nobody had given.

    ``names`` are those of directors.
    """

    systems: tuple[DeckSystem, DeckSystem]
    ctcs: tuple[Joined, ...]
    unpaired: tuple[Unpaired, ...]
    inferred: Mapping[str, str]
    names: Mapping[Numbered, str] = {}

    def plugs(self, ctc: Joined) -> tuple[DirectorPort | None, DirectorPort | None]:
        """Where its two channels sit, as far as it is known: control units lead to the far one."""
        first, second = (
            _plug(self.names.get((id(system.deck), channel.switch or "")), link)
            for system, channel, link in zip(
                self.systems, ctc.channels, ctc.links[::-1], strict=True
            )
        )
        return first, second

    @property
    def nodes(self) -> Nodes:
        """The names of the two systems."""
        return self.systems[0].node, self.systems[1].node

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader should know: the ports that were inferred."""
        inferred = ",".join(f"{key}={value}" for key, value in sorted(self.inferred.items()))
        return (f"inferred, since nothing else fits: --ports {inferred}",) if inferred else ()


def pair(first: DeckSystem, second: DeckSystem, cabling: Cabling) -> Pairing:
    """Pair the CTC devices of two systems.

    Raises `ConfigurationError` if several cablings are possible, and names them.
    """
    sides = _Side(first, second), _Side(second, first)
    groups = sides[0].groups, sides[1].groups
    pairs, inferred = match((first.node, second.node), groups, cabling)
    ctcs: list[Joined] = []
    for here, there in pairs:
        for address in sorted(here.devices.keys() & there.devices.keys()):
            devices = here.devices[address], there.devices[address]
            channels, links = (here.channel, there.channel), (here.link, there.link)
            ctcs.append(Joined(devices, channels, links))
    unpaired = [*sides[0].unpaired, *sides[1].unpaired]
    mates = {id(here): there for here, there in pairs}
    mates |= {id(there): here for here, there in pairs}
    for side, other in (sides, sides[::-1]):
        for group in side.groups:
            unpaired += _left_over(side.system, group, mates.get(id(group)), other, cabling)
    return Pairing(
        (first, second),
        tuple(sorted(ctcs, key=lambda ctc: ctc.devices[0].rdev)),
        tuple(sorted(unpaired, key=lambda each: (each.node != first.node, each.device.rdev))),
        inferred,
    )


def pair_all(systems: Sequence[DeckSystem], ports: Sequence[str]) -> list[Pairing]:
    """Pair each two of the systems; what is inferred of ports for two holds for the others.

    Of three systems and more, two that no CTC joins are left out.
    """
    entries = list(ports)
    cabling = parse_ports(entries, systems)
    pairings: list[Pairing] = []
    for first, second in combinations(systems, 2):
        pairings.append(pair(first, second, cabling))
        if inferred := pairings[-1].inferred:
            entries += [f"{key}={value}" for key, value in inferred.items()]
            cabling = parse_ports(entries, systems)
    names = _director_names(pairings)
    pairings = [replace(pairing, names=names) for pairing in pairings]
    return [pairing for pairing in pairings if pairing.ctcs] or pairings


def _director_names(pairings: Sequence[Pairing]) -> dict[Numbered, str]:
    """One name for each director: the number of the first deck that has it.

    Decks of two CECs may number one director differently. A link address of two digits leads to a
    port of the same one, and a deck has a number for one director only.
    """
    same: dict[Numbered, list[Numbered]] = {}
    for pairing in pairings:
        for ctc in pairing.ctcs:
            ends = zip(pairing.systems, ctc.channels, strict=True)
            numbered = [(id(system.deck), each.switch) for system, each in ends if each.switch]
            known = [same.setdefault(each, [each]) for each in numbered]
            is_one = len(known) == 2 and all(link and len(link) == 2 for link in ctc.links)
            if is_one and known[0] is not known[1]:
                known[0] += known[1]
                same |= dict.fromkeys(known[1], known[0])
    names: dict[Numbered, str] = {}
    taken: dict[str, set[int]] = {}
    for alike in sorted({id(each): each for each in same.values()}.values(), key=len):
        decks, numbers = {deck for deck, _ in alike}, [each.rjust(2, "0") for _, each in alike]
        free = (*numbers, *(f"{number:02X}" for number in range(256)))
        name = next(each for each in free if not decks & taken.setdefault(each, set()))
        taken[name] |= decks
        names |= dict.fromkeys(alike, name)
    return names


def never_paired(pairings: Iterable[Pairing]) -> list[Unpaired]:
    """The devices that no partner has a mate of, each once, with the reason that says most."""
    told: dict[tuple[NodeName, int], Unpaired] = {}
    paired: set[tuple[NodeName, int]] = set()
    for pairing in pairings:
        for ctc in pairing.ctcs:
            ends = zip(pairing.systems, ctc.devices, strict=True)
            paired |= {(system.node, id(device)) for system, device in ends}
        for each in pairing.unpaired:
            known = told.setdefault((each.node, id(each.device)), each)
            if known.reason is Reason.OTHER_IMAGE:
                told[each.node, id(each.device)] = each
    left = [each for key, each in told.items() if key not in paired]
    return sorted(left, key=lambda each: (each.node.collation, each.device.rdev))


class _Side(Struct):
    """One system's devices that may have a mate at ``partner``, by channel and link address."""

    system: DeckSystem
    partner: DeckSystem
    groups: list[DeviceGroup] = []
    unpaired: list[Unpaired] = []

    def __post_init__(self) -> None:
        partition = self.system.partition
        images = partner_images(self.partner)
        groups: dict[tuple[int, str | None, int], DeviceGroup] = {}
        owners: dict[tuple[int, str | None, int], ControlUnit] = {}
        rdevs: dict[int, Device] = {}
        for device in self.system.deck.devices:
            control_unit = device.control_unit
            units = (control_unit, *device.others)
            if not any(partition.css in each.paths for each in units):
                continue  # of another CSS alone: no device of this partition
            paths = control_unit.paths.get(partition.css, ())
            reason = self._unfit(device, images)
            if reason is None:
                path = paths[0]
                key = id(path.channel), path.link, control_unit.cuadd
                owner = owners.setdefault(key, control_unit)
                to_unshared = control_unit.cuadd != self.partner.partition.image
                group = groups.setdefault(
                    key,
                    DeviceGroup(
                        *(path.channel, path.link, to_unshared, {}),
                        (control_unit.serial, control_unit.desc, path.channel.desc),
                    ),
                )
                twin = rdevs.setdefault(device.rdev, device)
                reason = _duplicate(device, owner, group, twin)
                if reason is None:
                    group.devices[device.unit_address] = device
            if reason is not None:
                own = reason[0] is Reason.EXCLUDED and control_unit.cuadd == partition.image
                self.unpaired.append(Unpaired(self.system.node, device, *reason, own))
        self.groups = [group for group in groups.values() if group.devices]

    def _unfit(self, device: Device, images: Container[int]) -> tuple[Reason, str] | None:
        """Why a device cannot lead to the partner, whatever is there."""
        partition, control_unit = self.system.partition, device.control_unit
        if device.others:
            units = " and ".join(f"{each.number:04X}" for each in (control_unit, *device.others))
            return Reason.SEVERAL_UNITS, (
                f"is on control units {units}: IOCP rejects it, as a CTC device is on one (ICP312I)"
            )
        paths = control_unit.paths[partition.css]
        channel = paths[0].channel
        if not self.system.admits(device.access):
            line = f" (line {device.access.place.line})" if device.access.place else ""
            text = f"NOTPART or PARTITION{line} shuts {partition.name} out"
            if control_unit.cuadd == partition.image:
                text += ", as it should: CUADD names it"
            return Reason.EXCLUDED, text
        if not self.system.admits(channel.access):
            return Reason.NO_ACCESS, (
                f"CHPID {channel} (line {channel.place.line}) is not for {partition.name}"
            )
        if channel.kind not in ("", FICON):
            return Reason.NO_FICON, (
                f"CHPID {channel} (line {channel.place.line}) is TYPE={channel.kind}: IOCP rejects "
                "FICON CTC control units of another than TYPE=FC (ICP254I)"
            )
        if control_unit.cuadd not in images:
            return Reason.OTHER_IMAGE, self._other_image(control_unit.cuadd)
        if len(paths) > 1:
            chpids = ", ".join(str(path.channel) for path in paths)
            return Reason.SEVERAL_PATHS, f"has paths {chpids}; a CTC has one (ICP239I)"
        if not control_unit.recognizes(device.unit_address):
            return Reason.NOT_RECOGNIZED, (
                f"unit address {device.unit_address:02X} is not in the UNITADD of its control unit"
            )
        return None

    def _other_image(self, cuadd: int) -> str:
        deck = self.partner.deck
        known = [*deck.partitions.values(), self.partner.partition]
        known += [self.system.partition] if self.system.deck is deck else []
        named = [partition.name for partition in known if partition.image == cuadd]
        who = f"names {named[0]}" if named else "names no partition"
        if cuadd == UNSHARED_IMAGE:
            who = "(or none) names no partition"
        where = "" if self.partner.deck is self.system.deck else f" of {self.partner.deck.file}"
        image = self.partner.partition.image
        wanted = f"; {self.partner.node} is {image:X}" if image is not None else ""
        return f"CUADD {cuadd:X} {who}{where}{wanted}"


UNSHARED_IMAGE: Final = 0


def cuadds_to(partition: Partition, *channels: Channel) -> tuple[int, ...]:
    """What CUADD of a control unit may be that leads to a partition, on some of its channels.

    With a shared channel each partition has a control unit at the far end, of its own CUADD; with
    one that is not, there is a single control unit (published: IBM, "Defining CTC control units").
    That its CUADD may be 0 is general knowledge.
    """
    assert partition.image is not None, "a system has an image"
    is_shared = all(channel.shared for channel in channels)
    return (partition.image,) if is_shared else (partition.image, UNSHARED_IMAGE)


def partner_images(system: DeckSystem) -> tuple[int, ...]:
    """What CUADD may be at the partner of ``system``."""
    return cuadds_to(system.partition, *(path.channel for path in system.paths))


def _duplicate(
    device: Device, owner: ControlUnit, group: DeviceGroup, twin: Device
) -> tuple[Reason, str] | None:
    """Whether something in the deck says the same as an earlier statement."""
    control_unit = device.control_unit
    if owner is not control_unit:
        link = f".{group.link}" if group.link else ""
        return Reason.DUPLICATE_CU, (
            f"control unit {owner.number:04X} (line {owner.place.line}) has the "
            f"same chpid{'.link' if link else ''}.CUADD {group.channel}{link}.{owner.cuadd:X}"
        )
    if twin is not device:
        return Reason.DUPLICATE_RDEV, f"the same device number is in line {twin.place.line}"
    if known := group.devices.get(device.unit_address):
        return Reason.DUPLICATE_ADDRESS, (
            f"{format_rdev(known.rdev)} has the same unit address {device.unit_address:02X}"
        )
    return None


def _left_over(
    system: DeckSystem, group: DeviceGroup, mate: DeviceGroup | None, other: _Side, cabling: Cabling
) -> Iterator[Unpaired]:
    """The devices of ``group`` that found no mate."""
    if mate is None:
        reason, text = Reason.NO_MATE, _why_no_mate(system, group, other, cabling)
    else:
        there = ", ".join(
            f"{first:02X}-{first + count - 1:02X}" if count > 1 else f"{first:02X}"
            for first, count in ranges(mate.devices)
        )
        reason = Reason.UNIT_ADDRESSES
        text = f"not at {other.system.node}, where chpid {mate.channel} has unit addresses {there}"
    for address, device in group.devices.items():
        if mate is None:
            yield Unpaired(system.node, device, reason, text)
        elif address not in mate.devices:
            yield Unpaired(system.node, device, reason, f"unit address {address:02X} is {text}")


def _why_no_mate(system: DeckSystem, group: DeviceGroup, other: _Side, cabling: Cabling) -> str:
    parted = [
        each
        for each in other.groups
        if each.devices.keys() & group.devices.keys()
        and group.link
        and each.link
        and cabling.parted_by_switch(group, each)
    ]
    where = f"chpid {group.channel}, link {group.link}" if group.link else f"chpid {group.channel}"
    if not other.groups:
        return f"{where}: no device of {other.system.node} leads back"
    if parted:
        near, far = group.channel, parted[0].channel
        there = f"{other.system.node}:{far}={group.link}"
        return (
            f"{where} is on SWITCH {near.switch}, chpid {far} of {other.system.node} on "
            f"{far.switch}; if that is one director, --ports {system.node}:{near}="
            f"{parted[0].link},{there} says so"
        )
    chpids = dict.fromkeys(str(each.channel) for each in other.groups)
    links = sorted({each.link or "none" for each in other.groups})
    return (
        f"{where}: no mate at {other.system.node}, whose devices are on chpids "
        f"{', '.join(chpids)} with links {', '.join(links)}"
    )
