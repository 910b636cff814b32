"""Choosing partitions: each is a system of the collection, under its node name."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ctc.address import ChpidId
from isfc.deck.deck import Channel, Deck, Partition
from isfc.deck.place import Place, shown
from isfc.errors import ConfigurationError
from isfc.errors.in_words import first_listed
from isfc.link.name import NodeName

_FORM = (
    "NAME,NAME, or NODE=NAME where a system has another name, or 2:NAME for the second deck, or "
    "NODE=0.1 for the CSS and MIF image id that no RESOURCE statement names"
)
_IMAGE = re.compile(r"[0-5]\.[1-9A-F]")
_IMAGES = "CSS and MIF image ids, as in BOSTON=0.1,ATLANTA=0.2"
_SHOWN_MAX = 20


@dataclass(frozen=True, slots=True)
class DeckSystem:
    """One end: a node, and the partition of a deck that it runs in."""

    node: NodeName
    deck: Deck
    partition: Partition

    def channel(self, chpid: ChpidId) -> Channel:
        """The channel that one of its chpids is."""
        return self.deck.channels[self.partition.css, chpid]


def choose_systems(text: str | None, decks: Sequence[Deck]) -> tuple[DeckSystem, ...]:
    """The systems that ``LPAR1,BOSTON=2:LPAR1`` names, the lesser node name first.

    A partition that is in several decks needs the number of its deck, counted from 1.
    ``BOSTON=0.1`` gives the CSS and MIF image id where the deck is a part without RESOURCE. Raises
    `ConfigurationError` for a name that is not there, and for fewer than two. None are all, if
    these are two with names of their own; if not, the message has those that there are.
    """
    if text is None:
        names = [name for _, name in _images(decks)]
        if len(names) != 2 or len({*names}) != 2:
            raise ConfigurationError(f"--partitions: missing; {_to_choose_from(decks)}")
        text = ",".join(names)
    systems = [find_system(entry.strip(), decks) for entry in text.split(",")]
    nodes = {system.node for system in systems}
    if len(systems) < 2 or len(nodes) < len(systems):
        raise ConfigurationError(
            f"--partitions {shown(text)}: expected two or more systems, each with its own name: "
            f"{_FORM}"
        )
    return tuple(sorted(systems, key=lambda system: system.node.collation))


def _images(decks: Sequence[Deck]) -> list[tuple[int, str]]:
    """The partitions that have an image, each with the number of its deck."""
    return [
        (number, name)
        for number, deck in enumerate(decks, start=1)
        for name, partition in deck.partitions.items()
        if partition.mif is not None
    ]


def _to_choose_from(decks: Sequence[Deck]) -> str:
    """What may be named: partitions, with the number of their deck where a name is in several."""
    named = _images(decks)
    if not named:
        return f"there is no RESOURCE statement; expected {_IMAGES}"
    names = [name for _, name in named]
    known = [f"{number}:{name}" if names.count(name) > 1 else name for number, name in named]
    return f"expected two or more, separated by commas, of {first_listed(known, _SHOWN_MAX)}"


def find_system(entry: str, decks: Sequence[Deck]) -> DeckSystem:
    """The system that one entry of ``--partitions``, such as ``BOSTON=2:LPAR1``, names.

    Raises `ConfigurationError` if none or several do.
    """
    node, equals, place = entry.rpartition("=")
    number, colon, name = place.strip().upper().rpartition(":")
    if colon and number not in map(str, range(1, len(decks) + 1)):
        raise ConfigurationError(
            f"--partitions {shown(entry)}: there is no such deck; expected 1 to {len(decks)} "
            "before the colon"
        )
    searched = [decks[int(number) - 1]] if colon else list(decks)
    if _IMAGE.fullmatch(name):
        return _of_image(entry, node.strip().upper(), name, searched)
    found = [deck for deck in searched if name in deck.partitions]
    if not found:
        raise ConfigurationError(f"--partitions {shown(entry)}: {_not_found(searched)}")
    if len(found) > 1:
        raise ConfigurationError(
            f"--partitions {shown(entry)}: it is in {' and in '.join(d.file for d in found)}; "
            f"expected the number of its deck, such as {decks.index(found[0]) + 1}:{name}"
        )
    (deck,) = found
    partition = deck.partitions[name]
    if partition.mif is None:
        raise partition.place.error(
            f"RESOURCE gives {name} no MIF image id", f"({name},1) or another number"
        )
    return DeckSystem(NodeName(node.strip().upper() if equals else name), deck, partition)


def _not_found(decks: Sequence[Deck]) -> str:
    known = [name for deck in decks for name in deck.partitions]
    example = "its CSS and MIF image id, as in BOSTON=0.1"
    if not known:
        return f"there is no RESOURCE statement; expected {example}"
    some = ", ".join(known[:_SHOWN_MAX])
    return f"no RESOURCE statement names it; expected one of {some}, or {example}"


def _of_image(entry: str, node: str, image: str, decks: Sequence[Deck]) -> DeckSystem:
    """The partition with an image, as in ``BOSTON=0.1``; in access lists it has the node's name."""
    if not node:
        raise ConfigurationError(f"--partitions {shown(entry)}: expected a name, as in BOSTON=0.1")
    if len(decks) > 1:
        raise ConfigurationError(
            f"--partitions {shown(entry)}: there are {len(decks)} decks; expected the number of "
            f"its deck, such as {node}=1:{image}"
        )
    (deck,) = decks
    css, mif = int(image[0]), int(image[2], 16)
    named = [each for each in deck.partitions.values() if (each.css, each.mif) == (css, mif)]
    unnamed = Partition(node, css, mif, Place(deck.file, 1))
    return DeckSystem(NodeName(node), deck, named[0] if named else unnamed)
