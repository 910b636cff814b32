"""The decks that a layout keeps: their text as it was, and which partitions are its systems."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from ctc.address import ChpidId, Rdev, format_chpid, parse_chpid
from isfc.deck.cabling import Cabling
from isfc.deck.cec import deck_names
from isfc.deck.deck import Deck, DeckSystem, Device, Ports, find_system
from isfc.deck.hint import hinted_ports
from isfc.deck.iocp import parse_deck
from isfc.deck.pairing import Pairing, pair_all
from isfc.deck.place import shown
from isfc.deck.written import parse_link
from isfc.errors import ConfigurationError
from isfc.errors.in_words import grouped
from isfc.layout import checked_toml
from isfc.layout.checked_toml import show_key, within
from isfc.layout.collection import Collection
from isfc.layout.parts import ChannelEnd, KeptDeck
from isfc.link.name import NodeName

CARDS_LENGTH_MAX: Final = checked_toml.FILE_LENGTH_MAX - checked_toml.LONG_FILE
"""Bytes of decks that a layout keeps whole; of longer ones it keeps what is of CTCs."""

_PART_OF_A_DECK: Final = (
    "* isfc: part of a deck: control units and devices that are no CTCs are left out"
)


def too_long(decks: Iterable[KeptDeck]) -> str | None:
    """Why a layout cannot keep some decks, in words; None if it can."""
    found, most = [*decks], checked_toml.LONG_FILE_LINE_MAX
    if sum(len(deck.cards.encode()) for deck in found) > CARDS_LENGTH_MAX:
        return f"what they say of CTCs is longer than {CARDS_LENGTH_MAX} bytes"
    if any(len(line) > most for deck in found for line in deck.cards.split("\n")):
        return f"a line is longer than {most} characters"
    return None


def keep_decks(
    collection: Collection, systems: Sequence[DeckSystem], cabling: Cabling
) -> tuple[KeptDeck, ...]:
    """The decks of the systems of a layout; ``cabling`` has all ports that are known."""
    used, members = {*collection.chpid_ends}, grouped((id(each.deck), each) for each in systems)
    texts = {key: of[0].deck.text for key, of in members.items()}
    if sum(len(text.encode()) for text in texts.values()) > CARDS_LENGTH_MAX:
        texts = {key: _of_ctcs(of[0].deck) for key, of in members.items()}

    def kept(key: int, name: str) -> KeptDeck:
        ports = (
            f"{system.node}:{channel}={cabling.ports[id(channel)][1]}"
            for system in members[key]
            for (css, chpid), channel in system.deck.channels.items()
            if css == system.css and id(channel) in cabling.ports
            if ChannelEnd(system.node, chpid) in used
        )
        partitions = {system.node: _partition_text(system) for system in members[key]}
        return KeptDeck(name, partitions, tuple(ports), texts[key])

    return tuple(kept(*each) for each in deck_names(systems).items())


def read_kept(kept: KeptDeck) -> tuple[Deck, dict[NodeName, DeckSystem]]:
    """A deck that a layout keeps, and its systems. Raises `ConfigurationError`."""
    deck = parse_deck(kept.cards, _cards_of(kept))
    return deck, _systems(kept, deck)


_parsed: Final = lru_cache(maxsize=8)(parse_deck)
"""Decks that nobody changes: many questions are asked of one, and a page edits it often."""


def _cards_of(kept: KeptDeck) -> str:
    return f"[deck.{show_key(kept.name)}] cards"


def _systems(kept: KeptDeck, deck: Deck) -> dict[NodeName, DeckSystem]:
    with within(f"[deck.{show_key(kept.name)}] systems"):
        systems = kept.partitions.items()
        return {node: find_system(f"{node}={name}", [deck]) for node, name in systems}


def kept_systems(collection: Collection) -> dict[NodeName, DeckSystem]:
    """The systems of the decks that a layout keeps."""
    found = (_systems(kept, _parsed(kept.cards, _cards_of(kept))) for kept in collection.decks)
    return {node: system for systems in found for node, system in systems.items()}


def pairings_of(collection: Collection, said: Ports) -> list[Pairing]:
    """What the kept decks join, by all ports that are known, ``said`` ones first.

    Raises `ConfigurationError` if they allow several cablings.
    """
    systems = kept_systems(collection)
    known = sorted(systems.values(), key=lambda each: each.node.collation)
    ports = [
        f"{node}:{format_chpid(chpid)}={port}"
        for (node, chpid), port in known_ports(collection, said).items()
        if node in systems and (systems[node].css, chpid) in systems[node].deck.channels
    ]
    return pair_all(known, [*ports, *hinted_ports(known, ports)])


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
    lines = enumerate(deck.text.split("\n"), start=1)
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


def own_ports(collection: Collection) -> Ports:
    """The ports that the layout itself has: link addresses of four digits if directors are joined.

    None if a director has a name that is no number of IOCP.
    """
    fibres = [(link, fibre) for link in collection.links for fibre in link.fibres if fibre.ports]
    if any(switch_of(director) is None for _, fibre in fibres for director in fibre.directors):
        return {}
    joined = any(len(set(fibre.directors)) > 1 for _, fibre in fibres)
    return {
        (node, fibre.chpids[end]): (
            f"{switch_of(fibre.directors[end])}{fibre.ports[end]}" if joined else fibre.ports[end]
        )
        for link, fibre in fibres
        for end, node in enumerate(link.nodes)
    }


def known_ports(collection: Collection, said: Ports) -> Ports:
    """Those that are ``said``, that the layout has, and that its decks are known to lead to."""
    return {**kept_ports(collection.decks), **own_ports(collection), **said}


def switch_of(director: str) -> str | None:
    """A director's name as SWITCH has it, in two hex digits; None if it is no such number."""
    number = director.upper().rjust(2, "0")
    return number if len(number) == 2 and set(number) <= set("0123456789ABCDEF") else None


Devices = Mapping[NodeName, Mapping[Rdev, Device]]
"""The CTC devices of systems by their numbers."""


def kept_devices(collection: Collection) -> Devices:
    """Those of the decks that a layout keeps."""
    systems = kept_systems(collection).items()
    return {node: {each.rdev: each for each in system.ctcs} for node, system in systems}
