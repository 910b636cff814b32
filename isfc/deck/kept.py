"""The decks that a layout keeps: their text as it was, and which partitions are its systems."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final

from ctc.address import ChpidId, Rdev, parse_chpid, parse_rdev
from isfc.deck.cabling import Cabling
from isfc.deck.cec import deck_names
from isfc.deck.deck import Deck, Device, Ports, read_access
from isfc.deck.iocp import by_single_css, parse_deck, read_address
from isfc.deck.number import parse_link
from isfc.deck.partition import DeckSystem, find_system
from isfc.deck.place import lines_of, shown
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import (
    FILE_LENGTH_MAX,
    LONG_FILE,
    LONG_FILE_LINE_MAX,
    show_key,
    within,
)
from isfc.layout.collection import Collection
from isfc.layout.parts import ChannelEnd, KeptDeck
from isfc.link.name import NodeName

CARDS_LENGTH_MAX: Final = FILE_LENGTH_MAX - LONG_FILE
"""Bytes of decks that a layout keeps whole; of longer ones it keeps what is of CTCs."""

_PART_OF_A_DECK: Final = (
    "* isfc: part of a deck: control units and devices that are no CTCs are left out"
)


def too_long(decks: Iterable[KeptDeck]) -> str | None:
    """Why a layout cannot keep some decks, in words; None if it can."""
    found = [*decks]
    if sum(len(deck.cards.encode()) for deck in found) > CARDS_LENGTH_MAX:
        return f"what they say of CTCs is longer than {CARDS_LENGTH_MAX} bytes"
    if any(len(line) > LONG_FILE_LINE_MAX for deck in found for line in deck.cards.split("\n")):
        return f"a line is longer than {LONG_FILE_LINE_MAX} characters"
    return None


def keep_decks(
    collection: Collection, systems: Sequence[DeckSystem], cabling: Cabling
) -> tuple[KeptDeck, ...]:
    """The decks of the systems of a layout; ``cabling`` has all ports that are known."""
    used = {*collection.chpid_ends}
    decks = {id(system.deck): system.deck for system in systems}
    members = {key: [system for system in systems if id(system.deck) == key] for key in decks}
    texts = {key: "\n".join(lines_of(deck.text)) for key, deck in decks.items()}
    if sum(len(text.encode()) for text in texts.values()) > CARDS_LENGTH_MAX:
        texts = {key: _of_ctcs(deck) for key, deck in decks.items()}
    known = {
        system.node: [
            f"{system.node}:{channel}={cabling.ports[id(channel)][1]}"
            for (css, chpid), channel in system.deck.channels.items()
            if css == system.partition.css
            and id(channel) in cabling.ports
            and ChannelEnd(system.node, chpid) in used
        ]
        for system in systems
    }
    return tuple(
        KeptDeck(
            name,
            {system.node: _partition_text(system) for system in members[key]},
            tuple(port for system in members[key] for port in known[system.node]),
            texts[key],
        )
        for key, name in deck_names(systems).items()
    )


def read_kept(kept: KeptDeck) -> tuple[Deck, dict[NodeName, DeckSystem]]:
    """A deck that a layout keeps, and its systems. Raises `ConfigurationError`."""
    place = f"[deck.{show_key(kept.name)}]"
    deck = parse_deck(kept.cards, f"{place} cards")
    with within(f"{place} systems"):
        systems = kept.partitions.items()
        return deck, {node: find_system(f"{node}={name}", [deck]) for node, name in systems}


def kept_systems(collection: Collection) -> dict[NodeName, DeckSystem]:
    """The systems of the decks that a layout keeps."""
    found: dict[NodeName, DeckSystem] = {}
    for kept in collection.decks:
        found |= read_kept(kept)[1]
    return found


def devices_of(system: DeckSystem) -> dict[Rdev, Device]:
    """The CTC devices of a system by their numbers."""
    partition = system.partition
    return {
        device.rdev: device
        for device in system.deck.devices
        if partition.css in device.control_unit.paths
        and device.access.admits(partition.name, partition.css)
    }


def is_whole(cards: str) -> bool:
    """Whether the cards of a deck are all of it."""
    return not cards.startswith(_PART_OF_A_DECK)


def _of_ctcs(deck: Deck) -> str:
    """A deck without the control units and devices that are no CTCs, which it says."""
    others = {
        line
        for each in deck.passed_over
        for line in range(each.statement.place.line, each.statement.last_line + 1)
    }
    lines = enumerate(lines_of(deck.text), start=1)
    return "\n".join([_PART_OF_A_DECK, *(line for n, line in lines if n not in others)])


def _partition_text(system: DeckSystem) -> str:
    """A partition as `find_system` finds it: its name, or its CSS and MIF image id."""
    partition = system.partition
    named = system.deck.partitions.get(partition.name) is partition
    return partition.name if named else f"{partition.css}.{partition.mif:X}"


def kept_ports(decks: Iterable[KeptDeck]) -> Ports:
    """The ports that decks are known to lead to, by node and chpid."""
    found: dict[tuple[NodeName, ChpidId], str] = {}
    for deck in decks:
        for entry in deck.ports:
            place, _, port = entry.partition("=")
            node, _, chpid = place.partition(":")
            with within(f"[deck.{show_key(deck.name)}] ports {shown(entry)}"):
                try:
                    found[NodeName(node), parse_chpid(chpid)] = parse_link(port)
                except ConfigurationError:
                    raise ConfigurationError("expected NODE:50=C1") from None
    return found


def devices_that_are_no_ctcs(collection: Collection) -> dict[NodeName, dict[Rdev, str]]:
    """Their numbers with their UNIT, of the systems of which a layout keeps the whole deck."""
    return {
        node: _of_system(system)
        for node, system in kept_systems(collection).items()
        if is_whole(system.deck.text)
    }


def _of_system(system: DeckSystem) -> dict[Rdev, str]:
    """The devices on control units to which a channel path leads that the system may use."""
    name, css = system.partition.name, system.partition.css
    reached: set[int] = set()
    found: dict[Rdev, str] = {}
    for each in system.deck.passed_over:
        with suppress(ConfigurationError):
            units = {word.read(parse_rdev, "", "") for word in each.words("CUNUMBR")}
            if each.statement.operation == "CNTLUNIT":
                words = dict(by_single_css(each.need("PATH", ""))).get(css, ())
                chpids = (word.read(parse_chpid, "", "") for word in words)
                channels = (system.deck.channels.get((css, chpid)) for chpid in chpids)
                if any(channel and channel.access.admits(name, css) for channel in channels):
                    reached |= units
            elif units & reached and read_access(each).admits(name, css):
                first, count = read_address(each.need("ADDRESS", ""))
                kind = ",".join(word.text.upper() for word in each.words("UNIT"))
                found |= {Rdev(first + number): kind for number in range(count)}
    return found
