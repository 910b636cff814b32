"""The cards of a deck as they were pasted: without what is around them, taken one by one.

Their places stay those of the file.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from isfc.deck.place import Place
from isfc.layout.layers import Plain, plain
from isfc.layout.pasted import Kind

_OF_CTCS: Final = r"(?:RESOURCE|CHPID|CNTLUNIT|IODEVICE)"
_MEANT: Final = re.compile(rf"\b({_OF_CTCS})\s+\w+=", re.IGNORECASE)
_BOLD: Final = re.compile(rf"\s*(\*\*|__)({_OF_CTCS}\b)(?=.*\1)", re.IGNORECASE)
"""A statement between marks that make a word or a line bold, or behind the first of them."""


def plain_cards(text: str, file: str) -> Plain:
    """The cards of a pasted deck, without what is around them; lines outside of a fence are blank.

    Raises `ConfigurationError` for a statement outside, and for one that bold marks make a comment.
    """
    found = plain(text, cards=True)
    for number, line in enumerate(found.lines, start=1):
        place = Place(file, number)
        if bold := _BOLD.match(line):
            raise place.error(
                f"{bold[2].upper()} is a comment, as it stands behind the bold mark {bold[1]}",
                "the card without it",
            )
        if number in found.outside and line.strip():
            if meant := _MEANT.search(line):
                raise place.error(
                    f"{meant[1].upper()} is outside of the code fence", "all cards in it"
                )
            found.lines[number - 1] = ""
            found.account.note(number, Kind.TEXT)
    return found


class CardImages:
    """The cards of a file, taken one by one, with the places where they stand in it."""

    def __init__(self, pasted: Plain, file: str) -> None:
        self._pasted = pasted
        self._lines = pasted.lines
        self._file = file
        self._next = 0

    def take(self) -> str | None:
        """The next card; tabs in it are blanks."""
        line = self.next()
        self._next += line is not None
        return line

    def next(self) -> str | None:
        """The card that `take` would take."""
        if self._next == len(self._lines):
            return None
        return self._lines[self._next].replace("\t", " ")

    def place(self, column: int, ahead: int = 0) -> Place:
        """Where ``column`` of the card taken last is, or of one ``ahead`` of it."""
        line = self._next + ahead
        at = self._pasted.column(line, column) if self._pasted.layers else column
        return Place(self._file, line, at)

    def note(self, begun: int, kind: Kind) -> None:
        """Say what the cards from a line on have been."""
        for number, line in enumerate(self._lines[begun - 1 : self._next], start=begun):
            if line.strip():
                self._pasted.account.note(number, kind)

    def places(self, column: int, length: int) -> Iterator[tuple[int, Place]]:
        """Where ``length`` characters from a column on begin, and go on behind an entity."""
        yield 0, self.place(column)
        if self._pasted.layers:
            found = [self.place(column + each) for each in range(length)]
            for at, (one, two) in enumerate(pairwise(found), start=1):
                if two.column != one.column + 1:
                    yield at, two
