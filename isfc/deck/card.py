"""Card images in, IOCP statements out: name, operation, operands, each with its place.

The rules are those of the assembler: a name in column 1 or none, an operation, and operands
without blanks, up to column 71; a mark in column 72 says that the next card goes on in column
16; ``*`` in column 1 makes a comment; columns 73 to 80 are for sequence numbers (published: IOCP
User's Guide, "Rules for coding IOCP statements"). Decks have often been through editors and mail,
so a mark that has slipped off column 72 and text that does not resume in column 16 are taken too.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from isfc.deck.place import Place, lines_of, shown

CONTINUED_COLUMN: Final = 72
"""Where a card says that it is continued."""

_MARKS: Final = frozenset("*+X-\\")
"""What a mark that has slipped off its column may be; in column 72 anything will do."""

STATEMENT_CARDS_MAX: Final = 2000
"""Cards in one statement; a RESOURCE statement of 85 partitions takes about 40."""

_OPERAND: Final = re.compile(r"[A-Z]{2,}=", re.ASCII)
"""How a card begins that is meant as more operands."""

_READ: Final = frozenset({"RESOURCE", "CHPID", "CNTLUNIT", "IODEVICE"})
"""The statements that say something of CTCs."""

_IGNORED: Final = frozenset("ID FUNCTION TITLE SPACE EJECT PRINT END IOCONFIG".split())
"""Statements that may stand in a deck and say nothing of CTCs."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement. ``operands`` is its operand field, of all its cards in one.

    ``starts`` has for each card the offset of its first character in ``operands``, and
    ``places`` where that stands in the file.
    """

    operation: str
    place: Place
    operands: str
    starts: tuple[int, ...]
    places: tuple[Place, ...]

    def at(self, offset: int) -> Place:
        """Where in the file the character at ``offset`` of the operands stands."""
        if not self.starts:
            return self.place
        card = max(bisect_right(self.starts, offset) - 1, 0)
        place = self.places[card]
        return Place(place.file, place.line, place.column + offset - self.starts[card])


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment card, without its asterisk."""

    place: Place
    text: str


def read_cards(text: str, file: str) -> Iterator[Statement | Remark]:
    """The statements that say something of CTCs, and all comments, in order.

    Raises `ConfigurationError`, with line and column, for a card that is neither.
    """
    cards = _Cards(lines_of(text), file)
    while (line := cards.take()) is not None:
        if line.startswith(("*", ".*")):
            yield Remark(cards.place(1), line.lstrip(".").removeprefix("*"))
        elif line.strip() and not line.startswith(("//", "/*")):
            statement = _statement(line, cards)
            if statement.operation in _READ:
                yield statement


class _Cards:
    """The cards of a file, taken one by one."""

    def __init__(self, lines: list[str], file: str) -> None:
        self._lines = lines
        self._file = file
        self._next = 0

    def take(self) -> str | None:
        """The next card; tabs in it are blanks."""
        if self._next == len(self._lines):
            return None
        self._next += 1
        return self._lines[self._next - 1].replace("\t", " ")

    def place(self, column: int) -> Place:
        """Where ``column`` of the card taken last is."""
        return Place(self._file, self._next, column)


def _statement(line: str, cards: _Cards) -> Statement:
    """The statement that begins on ``line``, and the cards that continue it."""
    body = line[: CONTINUED_COLUMN - 1]
    start = 0 if body[:1] == " " else _blank(body, 0)  # behind the name, if there is one
    start = _nonblank(body, start)
    end = _blank(body, start)
    operation, place = body[start:end].upper(), cards.place(start + 1)
    named = body[: _blank(body, 0)].upper()
    if body[:1] != " " and (named in _READ or named in _IGNORED):  # a deck that lost its column 1
        start, end, operation, place = 0, len(named), named, cards.place(1)
    if operation not in _READ and operation not in _IGNORED:
        raise place.error(
            f"{shown(operation)} is no IOCP statement" if operation else "there is no statement",
            "RESOURCE, CHPID, CNTLUNIT or IODEVICE, and an asterisk in column 1 of a comment",
        )
    field = _OperandField(operation)
    field.add(line, _nonblank(body, end), cards)
    count = 1
    while field.goes_on:
        line = _continuation(operation, cards)
        field.add(line, _nonblank(line[: CONTINUED_COLUMN - 1], 0), cards)
        count += 1
        if count > STATEMENT_CARDS_MAX:
            raise place.error(
                f"{operation} goes on for {count} cards", "a blank in column 72 of its last card"
            )
    return Statement(
        operation, place, "".join(field.parts), tuple(field.starts), tuple(field.places)
    )


def _continuation(operation: str, cards: _Cards) -> str:
    """The card that goes on with a statement; comments between the two are passed over."""
    before = cards.place(CONTINUED_COLUMN)
    while (line := cards.take()) is not None and line.startswith("*"):
        pass
    if line is None:
        raise before.error(f"{operation} is continued, and the deck ends", "one more card")
    words = line[: CONTINUED_COLUMN - 1].split()
    if words and words[0].upper() in _READ and not line.startswith(" " * 15):
        raise cards.place(_nonblank(line, 0) + 1).error(
            f"{words[0].upper()} stands where {operation} in line {before.line} goes on",
            f"a blank in column {CONTINUED_COLUMN} of line {before.line}, "
            "and no comma behind its last operand",
        )
    return line


class _OperandField:
    """The operands of a statement in the making: what its cards add to them."""

    def __init__(self, operation: str) -> None:
        self.operation = operation
        self.parts: list[str] = []
        self.starts: list[int] = []
        self.places: list[Place] = []
        self.goes_on = False
        self._length = 0
        self._quoted = False
        self._complete = False

    def add(self, line: str, start: int, cards: _Cards) -> None:
        """Take the operands of a card, which begin at index ``start``."""
        body, mark = line[: CONTINUED_COLUMN - 1], line[CONTINUED_COLUMN - 1 : CONTINUED_COLUMN]
        marked = bool(mark.strip())
        if self._complete:  # a blank ended the operands: only remarks are continued
            if self.operation in _READ and _OPERAND.match(body, start):
                raise cards.place(start + 1).error(
                    f"{self.operation} goes on behind operands that do not end with a comma",
                    "a comma behind the last operand of the card before, or a remark",
                )
            self.goes_on = marked
            return
        end = self._end(body, start)
        if self._quoted and not marked and self.operation in _READ:
            raise cards.place(start + 1).error(
                f"{self.operation} has a quote without its mate", "two apostrophes in one card"
            )
        part = body[start:end]
        if part:
            self.starts.append(self._length)
            self.places.append(cards.place(start + 1))
            self.parts.append(part)
            self._length += len(part)
        rest = body[end:].strip()
        open_ended = part.endswith(",") or (not part and bool(self.parts))
        filled = end >= CONTINUED_COLUMN - 1
        self.goes_on = marked
        slipped = len(rest) == 1 and rest in _MARKS
        if open_ended and not marked and self.operation in _READ:
            if rest and not slipped:
                raise cards.place(end + 1).error(
                    f"{self.operation} has a blank behind a comma, which ends the operands",
                    f"operands without blanks, or a mark in column {CONTINUED_COLUMN} "
                    "if the next card goes on",
                )
            self.goes_on = True
        elif open_ended and slipped:
            self.goes_on = True
        self._complete = bool(part) and not (open_ended or (filled and marked))

    def _end(self, body: str, start: int) -> int:
        """The index of the blank that ends the operands in ``body``, or its length."""
        if not self._quoted and "'" not in body:
            return _blank(body, start)
        for index in range(start, len(body)):
            if body[index] == "'":
                self._quoted = not self._quoted
            elif body[index] == " " and not self._quoted:
                return index
        return len(body)


def _nonblank(text: str, start: int) -> int:
    """The index of the first character from ``start`` on that is no blank."""
    return len(text) - len(text[start:].lstrip(" ")) if start < len(text) else len(text)


def _blank(text: str, start: int) -> int:
    """The index of the first blank from ``start`` on, or the length."""
    found = text.find(" ", start)
    return len(text) if found < 0 else found
