"""One device number is one device of a partition: what kept decks have beside a layout's CTCs.

Published: IBM, IOCP messages, ICP361I. A number is of a subchannel set; CTCs are in the first.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress

from msgspec import Struct

from ctc.address import ChpidId, Rdev, format_chpid, format_rdev, parse_chpid, parse_rdev
from isfc.deck.cabling import same_port
from isfc.deck.deck import Access, DeckSystem, Ports
from isfc.deck.iocp import by_single_css, read_address
from isfc.deck.kept import is_whole, kept_systems, known_ports, pairings_of
from isfc.deck.operand import StatementOperands, by_css, words_of
from isfc.deck.pairing import partner_images
from isfc.deck.place import Place
from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.link.name import NodeName


class OtherDevice(Struct, frozen=True):
    """A device of a deck that is no CTC of the layout: its UNIT, and where it is defined."""

    unit: str
    place: Place


Others = Mapping[NodeName, Mapping[Rdev, OtherDevice]]
"""Such devices of systems, by their numbers."""


def no_ctcs(collection: Collection) -> Others:
    """Devices that are no CTCs, of the systems of which a layout keeps the whole deck."""
    return {
        node: dict(_no_ctcs(system))
        for node, system in kept_systems(collection).items()
        if is_whole(system.deck.text)
    }


def _no_ctcs(system: DeckSystem) -> Iterator[tuple[Rdev, OtherDevice]]:
    """The devices on control units to which a channel path leads that the system may use."""
    css, reached = system.css, set[int]()
    for each in system.deck.passed_over:
        if _is_in_another_set(each, css):
            continue
        with suppress(ConfigurationError):
            units = {word.read(parse_rdev, "", "") for word in each.words("CUNUMBR")}
            if each.statement.operation == "CNTLUNIT":
                channels = (
                    system.deck.channels.get((css, chpid)) for chpid in chpids_of(each, css)
                )
                if any(channel and system.admits(channel.access) for channel in channels):
                    reached |= units
            elif units & reached and system.admits(Access.of(each)):
                first, count = read_address(each.need("ADDRESS", ""))
                unit = ",".join(word.text.upper() for word in each.words("UNIT"))
                found = OtherDevice(unit, each.statement.place)
                yield from ((Rdev(first + number), found) for number in range(count))


def chpids_of(unit: StatementOperands, css: int) -> list[ChpidId]:
    """Chpids of a control unit that is no FCTC. Raises `ConfigurationError` for what is none."""
    words = dict(by_single_css(unit.need("PATH", ""))).get(css, ())
    return [word.read(parse_chpid, "", "") for word in words]


def _is_in_another_set(operands: StatementOperands, css: int) -> bool:
    """Whether SCHSET puts devices into another subchannel set, as it does with aliases of disks."""
    value = operands.get("SCHSET")
    return value is not None and any(
        word.text != "0"
        for csss, items in by_css(value)
        if not csss or str(css) in {each.text for each in csss}
        for item in items
        for word in words_of(item)
    )


Units = set[tuple[NodeName, int]]
"""Control units of systems, by number."""


def joined_units(collection: Collection, said: Ports) -> Units:
    """The CTC control units of kept decks that lead to a system of the layout, by a fibre or not.

    Of decks that allow several cablings, those without a fibre whose CUADD names such a system.
    """
    systems, ports = kept_systems(collection), known_ports(collection, said)
    images = {node: partner_images(system) for node, system in systems.items()}
    units = {node: system.deck.control_units.values() for node, system in systems.items()}
    found: Units = set()
    for link, fibre, _ in collection.fibres():
        for end, node in enumerate(link.nodes):
            far = link.nodes[1 - end], fibre.chpids[1 - end]
            for unit in units.get(node, ()):
                for path in unit.paths.get(systems[node].css, ()):
                    there = path.link is None or same_port(path.link, ports.get(far, path.link))
                    is_named = unit.cuadd in images.get(far[0], {unit.cuadd})
                    if path.channel.chpid == fibre.chpids[end] and there and is_named:
                        found.add((node, unit.number))
    try:
        for pairing in pairings_of(collection, said):
            for ctc in pairing.ctcs:
                numbers = (device.control_unit.number for device in ctc.devices)
                found |= {*zip(pairing.nodes, numbers, strict=True)}
    except ConfigurationError:
        for node, others in ((node, {*systems} - {node}) for node in systems):
            named = frozenset().union(*map(images.__getitem__, others))
            found |= {(node, unit.number) for unit in units[node] if unit.cuadd in named}
    return found


def other_devices(collection: Collection, joined: Units) -> Others:
    """All devices of kept decks but for CTCs on control units that are ``joined``."""
    found = {node: {**devices} for node, devices in no_ctcs(collection).items()}
    for node, system in kept_systems(collection).items():
        for device in system.ctcs:
            if (node, device.control_unit.number) not in joined:
                found.setdefault(node, {})[device.rdev] = OtherDevice("FCTC", device.place)
    return found


def numbers_of(collection: Collection) -> dict[NodeName, set[Rdev]]:
    """The numbers of all devices that a system has, by the layout and by its kept deck."""
    others = other_devices(collection, set())
    return {
        node: collection.rdevs_of(node) | {*others.get(node, ())} for node in collection.systems
    }


def check_numbers(
    collection: Collection, said: Ports | None = None, known: Collection | None = None
) -> Units:
    """The control units that are joined, if no deck gives a number of a CTC to another device too.

    Else raise `ConfigurationError` with both lines; what is so in a layout that is ``known`` is
    passed over. ``said`` are ports from elsewhere.
    """
    joined = joined_units(collection, said or {})
    systems, others = kept_systems(collection), other_devices(collection, joined)
    for link in collection.links:
        for ctc in link.device_list():
            for node, rdev, chpid in zip(link.nodes, ctc.rdevs, ctc.fibre.chpids, strict=True):
                other = others.get(node, {}).get(rdev)
                if other is None or (known and rdev in known.rdevs_of(node)):
                    continue
                system = systems[node]
                channel = system.deck.channels.get((system.css, chpid))
                own = (each.place for each in system.ctcs if each.rdev == rdev)
                places = [*(each for each in own if each != other.place), channel and channel.place]
                where = f" ({places[0]})" if places[0] else ""
                raise ConfigurationError(
                    f"{node} {format_rdev(rdev)}: is a CTC to {link.partner(node)} on chpid "
                    f"{format_chpid(chpid)}{where}, and UNIT={other.unit} ({other.place}); "
                    "expected one device of a number in a partition (ICP361I)"
                )
    return joined
