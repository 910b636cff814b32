"""Which cards of decks change from one layout to another."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import unified_diff

from isfc.deck.amend import amended
from isfc.layout.collection import Collection, KeptDeck


@dataclass(frozen=True, slots=True)
class DeckChange:
    """The cards that go from a deck, and those that come."""

    name: str
    gone: tuple[str, ...]
    """cards that go"""
    new: tuple[str, ...]
    """cards that come"""


def deck_changes(before: Collection, after: Collection) -> tuple[DeckChange, ...] | None:
    """What changes in the decks of ``before``, or else of ``after``; None if none are kept.

    Decks that ``after`` keeps with other cards are taken as they are. Raises `ConfigurationError`
    for what no deck can say.
    """
    known = {node for deck in before.decks or after.decks for node in deck.partitions}
    if not set(after.systems) | set(before.systems) <= known:
        return None
    given = before.decks or after.decks
    if {deck.cards for deck in after.decks} - {deck.cards for deck in given}:
        wanted = after.decks
    else:
        wanted = _of(given, after)
    old = amended(replace(before, decks=_of(given, before)), {}).texts
    new = amended(replace(after, decks=wanted), {}).texts
    return tuple(_changes(dict(old), dict(new)))


def _of(decks: tuple[KeptDeck, ...], collection: Collection) -> tuple[KeptDeck, ...]:
    found = (deck.of(collection.systems) for deck in decks)
    return tuple(deck for deck in found if deck is not None)


def _changes(old: dict[str, str], new: dict[str, str]) -> Iterator[DeckChange]:
    for name in dict.fromkeys([*old, *new]):
        lines = old.get(name, "").splitlines(), new.get(name, "").splitlines()
        changes = [*unified_diff(*lines, n=0, lineterm="")][2:]  # behind the names of both
        gone, come = (tuple(line[1:] for line in changes if line.startswith(sign)) for sign in "-+")
        if gone or come:
            yield DeckChange(name, gone, come)
