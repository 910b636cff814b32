"""Devices of a deck that are no CTCs: disks, consoles and whatever else takes numbers.

They matter where numbers of CTCs are looked at, and nowhere else. So a statement that cannot be
read, which a reader of CTCs passes over, is passed over here too.
"""

from contextlib import suppress

from ctc.address import Rdev, parse_chpid, parse_rdev
from isfc.deck.access import read_access
from isfc.deck.card import Statement, read_cards
from isfc.deck.connections import kept_systems
from isfc.deck.iocp import FCTC, read_address
from isfc.deck.kept import is_whole
from isfc.deck.number import to_css
from isfc.deck.operand import StatementOperands, by_css, parse_operands, words_of
from isfc.deck.partition import DeckSystem
from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.link.name import NodeName


def devices_that_are_no_ctcs(collection: Collection) -> dict[NodeName, dict[Rdev, str]]:
    """Their numbers with their UNIT, of the systems of which a layout keeps the whole deck."""
    return {
        node: _of_system(system)
        for node, system in kept_systems(collection).items()
        if is_whole(system.deck.text)
    }


def _of_system(system: DeckSystem) -> dict[Rdev, str]:
    reached: set[int] = set()
    found: dict[Rdev, str] = {}
    for each in _statements(system):
        with suppress(ConfigurationError):
            if each.statement.operation == "CNTLUNIT":
                reached |= _reached(each, system)
            elif read_access(each).admits(system.partition.name, system.partition.css):
                units = {word.read(parse_rdev, "", "") for word in each.words("CUNUMBR")}
                first, count = read_address(each.need("ADDRESS", ""))
                kind = ",".join(word.text.upper() for word in each.words("UNIT"))
                if units & reached:
                    found |= {Rdev(first + number): kind for number in range(count)}
    return found


def _statements(system: DeckSystem) -> list[StatementOperands]:
    """The control units of a deck and then its devices, of those that are no CTCs."""
    found: list[StatementOperands] = []
    for card in read_cards(system.deck.text, system.deck.file):
        if isinstance(card, Statement) and card.operation in ("CNTLUNIT", "IODEVICE"):
            operands = parse_operands(card)
            if FCTC not in {word.text.upper() for word in operands.words("UNIT")}:
                found.append(operands)
    return sorted(found, key=lambda each: each.statement.operation)


def _reached(unit: StatementOperands, system: DeckSystem) -> set[int]:
    """The number of a control unit, if a channel path that the system may use leads to it."""
    name, css = system.partition.name, system.partition.css
    number = unit.need("CUNUMBR", "")
    for csss, items in by_css(unit.need("PATH", "")):
        if css in ({word.read(to_css, "", "") for word in csss} or {0}):
            for word in (word for item in items for word in words_of(item)):
                channel = system.deck.channels.get((css, word.read(parse_chpid, "", "")))
                if channel and channel.access.admits(name, css):
                    return {word.read(parse_rdev, "", "") for word in words_of(number)}
    return set()
