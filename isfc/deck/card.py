"""Card images in, IOCP statements out: name, operation, operands, each with its place.

The rules are those of the assembler: a name in column 1 or none, an operation, and operands
without blanks, up to column 71; a mark in column 72 says that the next card goes on in column
16; ``*`` in column 1 makes a comment, which a mark in column 72 continues as well; columns 73 to
80 are for sequence numbers (published: IOCP User's Guide, "Rules for coding IOCP statements", and
HLASM, "Comment statements"). Decks have often been through editors and mail, so a mark that has
slipped off column 72 and text that does not resume in column 16 count too; where IOCP would ignore
the card, a notice says so.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise
from operator import itemgetter
from typing import Final

from msgspec import Struct

from isfc.deck.card_image import CardImages, plain_cards
from isfc.deck.place import Place, shown
from isfc.errors import ConfigurationError
from isfc.layout.layers import Plain
from isfc.layout.pasted import Kind
from isfc.layout.source_kind import THE_DECK, iocp_report

CONTINUED_COLUMN: Final = 72
"""Where a card says that it is continued."""

CONTINUED_START: Final = 15
"""Index of column 16, where the next card goes on."""

_MARKS: Final = frozenset("*+X-\\")
"""What a mark that has slipped off its column may be; in column 72 anything will do."""

STATEMENT_CARDS_MAX: Final = 2000
"""Cards in one statement; a RESOURCE statement of 85 partitions takes about 40."""

_OPERAND: Final = re.compile(r"[A-Z]{2,}=", re.ASCII)
"""How a card begins that is meant as more operands."""

_ABUTTING: Final = re.compile(r",[*+X\\-]$|(?<=[A-Za-z0-9)'])[*+]$")
"""A mark directly behind operands; none of IOCP's ends so, but for ``LINK=**``."""

CONTINUED_COMMENT_MAX: Final = 2
"""Cards that go on with a comment (published: IOCP message ICP107I)."""

_READ: Final = frozenset({"RESOURCE", "CHPID", "CNTLUNIT", "IODEVICE"})
"""The statements that say something of CTCs."""

_FREE: Final = frozenset("ID FUNCTION TITLE SPACE EJECT PRINT END IOCONFIG".split())
"""Statements that may stand in a deck and say nothing of CTCs; what follows them is of any form."""

_KNOWN: Final = _READ | _FREE | {"UUID"}

_OPERATION: Final = re.compile(r"[A-Z$#@][A-Z0-9$#@]{1,7}", re.ASCII)
"""The name of a statement that a later IOCP may have."""

_OF_CTCS: Final = re.compile(
    r"(?:^|,)(?:CUNUMBR|PATH|ADDRESS|UNIT|UNITADD|CUADD|LINK|NOTPART)=", re.ASCII
)
"""Operands of statements that say something of CTCs."""


class Statement(Struct, frozen=True):
    """One statement. ``operands`` is its operand field, of all its cards in one.

    ``cards`` has for each the offset of its first character in ``operands``, and where that stands
    in the file. ``last_line`` is that of its last card.
    """

    operation: str
    place: Place
    operands: str
    cards: tuple[tuple[int, Place], ...]
    last_line: int = 0

    def at(self, offset: int) -> Place:
        """Where in the file the character at ``offset`` of the operands stands."""
        if not self.cards:
            return self.place
        card = max(bisect_right(self.cards, offset, key=itemgetter(0)) - 1, 0)
        start, place = self.cards[card]
        return Place(place.file, place.line, place.column + offset - start)


class CommentCard(Struct, frozen=True):
    """A comment card, without its asterisk."""

    place: Place
    text: str


class CardNote(Struct, frozen=True):
    """What a reader should know of a card: what IOCP makes of it, or that it is passed over."""

    place: Place
    text: str


def read_cards(text: str | Plain, file: str) -> Iterator[Statement | CommentCard | CardNote]:
    """The statements that say something of CTCs, all comments, and notices, in order.

    Raises `ConfigurationError`, with line and column, for a card that is neither.
    """
    pasted = plain_cards(text, file) if isinstance(text, str) else text
    text = pasted.text
    if report := iocp_report(text):
        called, at = report
        raise Place(file, text.count("\n", 0, at) + 1).error(f"this is {called}", THE_DECK)
    cards = _Cards(pasted, file)
    while (line := cards.take()) is not None:
        begun = cards.place(1).line
        if line.startswith(_COMMENT):
            yield CommentCard(cards.place(1), line.lstrip(".").removeprefix("*"))
            yield from _rest_of_comment(line, cards)
            kind = Kind.COMMENT
        elif line.strip() and not line.startswith(("//", "/*")):
            statement = _statement(line, cards)
            yield from cards.notices
            cards.notices.clear()
            kind = Kind.OTHER_STATEMENT
            if statement.operation in _READ:
                yield statement
                kind = Kind.STATEMENT
        else:
            kind = Kind.TEXT
        cards.note(begun, kind)


_COMMENT: Final = ("*", ".*")


class _Cards(CardImages):
    """The cards of a deck, and what is to be said of them."""

    def __init__(self, pasted: Plain, file: str) -> None:
        super().__init__(pasted, file)
        self.notices: list[CardNote] = []


def _is_marked(line: str) -> bool:
    return bool(line[CONTINUED_COLUMN - 1 : CONTINUED_COLUMN].strip())


def _rest_of_comment(line: str, cards: _Cards) -> Iterator[CardNote]:
    """Pass over the cards that go on with a comment; one of them may be meant as a statement.

    A statement behind a comment whose text runs on beyond column 72, as it does when people edit a
    deck, counts.
    """
    comment = cards.place(1).line
    for _ in range(CONTINUED_COMMENT_MAX):
        following = cards.next()
        if not _is_marked(line) or following is None or following.startswith(_COMMENT):
            return
        meant = _meant(following)
        runs_on = " " not in line[CONTINUED_COLUMN - 1 : CONTINUED_COLUMN + 1].ljust(2)
        place = cards.place(_nonblank(following, 0) + 1, ahead=1)
        if meant and runs_on:
            if meant in _READ:
                yield CardNote(place, f"{meant} counts here; to IOCP {_PART_OF.format(comment)}")
            return
        if meant in _READ:
            yield CardNote(place, f"{meant} does not count: {_PART_OF.format(comment)}")
        line = cards.take() or ""


_PART_OF: Final = (
    "it is part of the comment in line {}, whose column 72 is not blank (HLASM, ICP107I)"
)


def apart(lines: Iterable[str]) -> Iterator[str]:
    """Cards that are written, with an empty comment behind one that column 72 would continue."""
    for line in lines:
        yield line
        if line.startswith("*") and _is_marked(line):
            yield "*"


def _meant(line: str) -> str:
    """The statement that a card looks like; empty for text."""
    words = line[: CONTINUED_COLUMN - 1].upper().split()[:3]
    found = (word for word, more in pairwise(words) if word in _KNOWN and "=" in more)
    return next(found, "")


def _statement(line: str, cards: _Cards) -> Statement:
    """The statement that begins on ``line``, and the cards that continue it."""
    operation, place, start = _operation(line, cards)
    field = _OperandField(operation)
    field.add(line, start, cards)
    count = 1
    while field.goes_on:
        line = _continuation(operation, cards)
        start = _nonblank(line[: CONTINUED_COLUMN - 1], 0)
        if field.takes_operands and CONTINUED_START < start < CONTINUED_COLUMN - 1:
            cards.notices.append(
                CardNote(
                    cards.place(start + 1),
                    "operands that continue a statement begin behind column 16: IOCP takes the "
                    "card for a comment (ICP116I), here they count",
                )
            )
        field.add(line, start, cards)
        count += 1
        if count > STATEMENT_CARDS_MAX:
            raise place.error(
                f"{operation} goes on for {count} cards", "a blank in column 72 of its last card"
            )
    operands = "".join(field.parts)
    if operation not in _KNOWN:
        if _OF_CTCS.search(operands.upper()):
            raise _no_statement(operation, place)
        cards.notices.append(CardNote(place, f"{operation} is not known and is passed over"))
    return Statement(operation, place, operands, tuple(field.cards), cards.place(1).line)


def _operation(line: str, cards: _Cards) -> tuple[str, Place, int]:
    """What a statement is called, where that stands, and the index of its operands."""
    body = line[: CONTINUED_COLUMN - 1]
    start = 0 if body[:1] == " " else _blank(body, 0)  # behind the name, if there is one
    start = _nonblank(body, start)
    end = _blank(body, start)
    operation, place = body[start:end].upper(), cards.place(start + 1)
    if body[:1].isdigit():
        raise cards.place(1).error(f"{shown(body.split()[0])} is no name", "no numbers of lines")
    named = body[: _blank(body, 0)].upper()
    if body[:1] != " " and (named in _KNOWN):  # a deck that lost its column 1
        end, operation, place = len(named), named, cards.place(1)
    operands = _nonblank(body, end)
    may_be_one = _OPERATION.fullmatch(operation) and _OPERAND.match(body, operands)
    if operation not in _KNOWN and not may_be_one:
        raise _no_statement(operation, place)
    return operation, place, operands


def _no_statement(operation: str, place: Place) -> ConfigurationError:
    return place.error(
        f"{shown(operation)} is no IOCP statement" if operation else "there is no statement",
        "RESOURCE, CHPID, CNTLUNIT or IODEVICE, and an asterisk in column 1 of a comment",
    )


def _continuation(operation: str, cards: _Cards) -> str:
    """The card that goes on with a statement; comments between the two are passed over."""
    before = cards.place(CONTINUED_COLUMN)
    while (line := cards.take()) is not None and line.startswith("*"):
        pass
    if line is None:
        raise before.error(f"{operation} is continued, and the deck ends", "one more card")
    words = line[: CONTINUED_COLUMN - 1].split()
    if words and words[0].upper() in _READ and not line.startswith(" " * CONTINUED_START):
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
        self.cards: list[tuple[int, Place]] = []
        self.goes_on = False
        self._length = 0
        self._quoted = False
        self._complete = False

    @property
    def takes_operands(self) -> bool:
        """Whether what follows is meant as operands that say something of CTCs."""
        return self.operation in _READ and not self._complete and not self._quoted

    def add(self, line: str, start: int, cards: _Cards) -> None:
        """Take the operands of a card, which begin at index ``start``."""
        body, marked = line[: CONTINUED_COLUMN - 1], _is_marked(line)
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
        free = self.operation in _FREE and not _more_operands(part, cards)
        abuts = not marked and not free and _ABUTTING.search(part)
        part = part[:-1] if abuts else part
        if part:
            self.cards += [(self._length + at, p) for at, p in cards.places(start + 1, len(part))]
            self.parts.append(part)
            self._length += len(part)
        rest = body[end:].strip()
        open_ended = part.endswith(",") or (not part and bool(self.parts))
        filled = end >= CONTINUED_COLUMN - 1
        self.goes_on = marked = marked or bool(abuts)
        slipped = len(rest) == 1 and rest in _MARKS
        if open_ended and not marked and not free:
            if rest and not slipped:
                raise cards.place(end + 1).error(
                    f"{self.operation} has a blank behind a comma, which ends the operands",
                    f"operands without blanks, or a mark in column {CONTINUED_COLUMN} "
                    "if the next card goes on",
                )
            self.goes_on = True
        elif open_ended and slipped:
            self.goes_on = True
        self._complete = bool(part) and not (open_ended or abuts or (filled and marked))

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


def _more_operands(part: str, cards: _Cards) -> bool:
    """Whether operands end with a comma, maybe with a mark behind it, and more stand below."""
    following = cards.next()
    if following is None or not part.rstrip("*+X\\-").endswith(","):
        return False
    return bool(_OPERAND.match(following.upper(), _nonblank(following, 0)))


def _nonblank(text: str, start: int) -> int:
    """The index of the first character from ``start`` on that is no blank."""
    return len(text) - len(text[start:].lstrip(" ")) if start < len(text) else len(text)


def _blank(text: str, start: int) -> int:
    """The index of the first blank from ``start`` on, or the length."""
    found = text.find(" ", start)
    return len(text) if found < 0 else found
