"""Choosing partitions: each is a system of the collection, under its node name."""

from collections.abc import Sequence
from dataclasses import dataclass

from isfc.deck.iocp import Deck, Partition
from isfc.deck.place import shown
from isfc.errors import ConfigurationError
from isfc.link.name import NodeName

_FORM = "NAME,NAME, or NODE=NAME where a system has another name, or 2:NAME for the second deck"


@dataclass(frozen=True, slots=True)
class System:
    """One end: a node, and the partition of a deck that it runs in."""

    node: NodeName
    deck: Deck
    partition: Partition


def choose_systems(text: str, decks: Sequence[Deck]) -> tuple[System, ...]:
    """The systems that ``LPAR1,BOSTON=2:LPAR1`` names, the lesser node name first.

    A partition that is in several decks needs the number of its deck, counted from 1. Raises
    `ConfigurationError` for a name that is not there, and for fewer than two.
    """
    systems = [_system(entry.strip(), decks) for entry in text.split(",")]
    nodes = {system.node for system in systems}
    if len(systems) < 2 or len(nodes) < len(systems):
        raise ConfigurationError(
            f"--partitions {shown(text)}: expected two or more systems, each with its own name: "
            f"{_FORM}"
        )
    return tuple(sorted(systems, key=lambda system: system.node.collation))


def _system(entry: str, decks: Sequence[Deck]) -> System:
    node, equals, place = entry.rpartition("=")
    number, colon, name = place.strip().upper().rpartition(":")
    if colon and number not in map(str, range(1, len(decks) + 1)):
        raise ConfigurationError(
            f"--partitions {shown(entry)}: there is no such deck; expected 1 to {len(decks)} "
            "before the colon"
        )
    searched = [decks[int(number) - 1]] if colon else list(decks)
    found = [deck for deck in searched if name in deck.partitions]
    if not found:
        known = [name for deck in searched for name in deck.partitions]
        raise ConfigurationError(
            f"--partitions {shown(entry)}: no RESOURCE statement names it; expected one of "
            f"{', '.join(known[:20]) or 'none: there is no RESOURCE statement'}"
        )
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
    return System(NodeName(node.strip().upper() if equals else name), deck, partition)
