"""The operands of a statement: keywords with values, lists in parentheses, CSS forms."""

import re
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from msgspec import Struct

from isfc.deck.card import Statement
from isfc.deck.place import Place, shown
from isfc.errors import ConfigurationError

NESTING_MAX: Final = 8
"""Parentheses within parentheses; ``NOTPART=((CSS(0),(LP1),(=)))`` has three."""

_CSS: Final = "CSS"
_PLAIN: Final = re.compile(r"[^(),=']*")
_T = TypeVar("_T")


class OperandWord(Struct, frozen=True):
    """A value without parts, and where it stands; empty where a list leaves one out."""

    text: str
    place: Place

    def read(self, convert: Callable[[str], _T], what: str, expected: str) -> _T:
        """The word as ``convert`` takes it, or an error that names ``what``."""
        return self.place.read(self.text, convert, what, expected)


class OperandList(Struct, frozen=True):
    """A list in parentheses; ``head`` is the word before it, as in ``CSS(0,1)``."""

    head: str
    items: tuple["Value", ...]
    place: Place


Value = OperandWord | OperandList


class StatementOperands(Struct, frozen=True):
    """A statement's operands by keyword."""

    statement: Statement
    values: dict[str, Value]

    @classmethod
    def of(cls, statement: Statement) -> "StatementOperands":
        """Those of ``statement``; raise `ConfigurationError` where they are malformed."""
        return cls(statement, {word: value for word, value, _ in _Reader(statement).operands()})

    def get(self, *keywords: str) -> Value | None:
        """The value of the first of ``keywords``, which mean the same, that is there."""
        return next((self.values[key] for key in keywords if key in self.values), None)

    def need(self, keyword: str, expected: str) -> Value:
        """The value of ``keyword``, which must be there."""
        value = self.get(keyword)
        if value is None:
            raise self.statement.place.error(
                f"{self.statement.operation} has no {keyword}", f"{keyword}={expected}"
            )
        return value

    def word(self, keyword: str, expected: str) -> OperandWord | None:
        """The one word that ``keyword`` has, in parentheses or not; None without it."""
        words = self.words(keyword)
        if len(words) > 1:
            raise self.values[keyword].place.error(
                f"{self.statement.operation} {keyword} has {len(words)} values", expected
            )
        return words[0] if words else None

    def text(self, keyword: str, expected: str = "one value") -> str:
        """The one word that ``keyword`` has; empty without it."""
        return self.read(keyword, str, expected, expected) or ""

    def read(
        self, keyword: str, convert: Callable[[str], _T], expected: str, one: str = "one value"
    ) -> _T | None:
        """The one word that ``keyword`` has, as ``convert`` takes it; None without it."""
        word = self.word(keyword, one)
        what = f"{self.statement.operation} {keyword}"
        return None if word is None else word.read(convert, what, expected)

    def words(self, keyword: str) -> list[OperandWord]:
        """All words of a value, in whatever parentheses; none if there is no such keyword."""
        value = self.get(keyword)
        return [] if value is None else [*words_of(value)]


def operand_texts(statement: Statement) -> dict[str, str]:
    """Each keyword with its operand as it stands there, which begins with the keyword itself."""
    return {keyword: text for keyword, _, text in _Reader(statement).operands()}


def words_of(value: Value) -> Iterator[OperandWord]:
    """All words in ``value``, from left to right, however deep; not the heads of groups."""
    if isinstance(value, OperandWord):
        yield value
    else:
        for item in value.items:
            yield from words_of(item)


def by_css(value: Value) -> Iterator[tuple[tuple[OperandWord, ...], tuple[Value, ...]]]:
    """The parts of ``value`` by channel subsystem: the CSS ids, and what is said of them.

    ``((CSS(0),50),(CSS(1),51))`` has two parts and ``(CSS(0,1),50)`` one, for two CSSs. What
    has no CSS form is one part without CSS ids.
    """
    items = (value,) if isinstance(value, OperandWord) or value.head else value.items
    if items and _is_css(items[0]):
        yield tuple(words_of(items[0])), items[1:]
    elif items and all(
        isinstance(item, OperandList) and item.items and _is_css(item.items[0]) for item in items
    ):
        for item in items:
            assert isinstance(item, OperandList)
            yield tuple(words_of(item.items[0])), item.items[1:]
    else:
        yield (), items


def _is_css(value: Value) -> bool:
    return isinstance(value, OperandList) and value.head.upper() == _CSS


class _Reader:
    """Reads an operand field from left to right."""

    def __init__(self, statement: Statement) -> None:
        self._statement = statement
        self._text = statement.operands
        self._next = 0

    def operands(self) -> Iterator[tuple[str, Value, str]]:
        """Each keyword, in capitals, with its value, and the text of both."""
        keywords: set[str] = set()
        while self._next < len(self._text):
            start = self._next
            keyword = self._plain().upper()
            named = keyword.isascii() and keyword.isalnum()
            if not named or self._peek() not in ("=", ",", ""):
                raise self._error(start, shown(keyword or self._peek()), "KEYWORD=value")
            if keyword in keywords:
                raise self._error(start, f"{keyword} is there twice", "each keyword once")
            keywords.add(keyword)
            value: Value = OperandWord("", self._statement.at(start))  # of SHARED, which has none
            if self._peek() == "=":
                self._next += 1
                value = self._value(0)
            yield keyword, value, self._text[start : self._next]
            if self._peek() == ",":
                self._next += 1
            elif self._next < len(self._text):
                raise self._error(self._next, f"{shown(self._peek())} behind {keyword}", "a comma")

    def _value(self, depth: int) -> Value:
        """A word, or a list with or without a head."""
        start = self._next
        place = self._statement.at(start)
        text = self._quoted() if self._peek() == "'" else self._plain()
        if self._peek() != "(":
            return OperandWord(text, place)
        if text and text.upper() != _CSS:
            raise self._error(start, f"{shown(text)} before a list", "a list, or CSS(0)")
        if depth == NESTING_MAX:
            raise self._error(
                self._next, "parentheses are nested too deeply", f"at most {NESTING_MAX} levels"
            )
        opened = self._next
        self._next += 1
        items = [self._value(depth + 1)]
        while self._peek() == ",":
            self._next += 1
            items.append(self._value(depth + 1))
        if self._peek() != ")":
            found = shown(self._peek()) if self._peek() else "the end of the operands"
            raise self._error(
                self._next,
                f"{found} in the list that begins in column {self._statement.at(opened).column}",
                "a comma or a closing parenthesis",
            )
        self._next += 1
        return OperandList(text, tuple(items), place)

    def _plain(self) -> str:
        start = self._next
        plain = _PLAIN.match(self._text, start)
        self._next = plain.end() if plain else start
        if self._peek() == "=" and self._next == start and self._text[start - 1 : start] == "(":
            self._next += 1  # (=): as the list before
        return self._text[start : self._next]

    def _quoted(self) -> str:
        start = self._next
        end = self._text.find("'", start + 1)
        while end >= 0 and self._text[end + 1 : end + 2] == "'":  # two stand for one
            end = self._text.find("'", end + 2)
        if end < 0:
            raise self._error(start, "a quote has no mate", "a closing apostrophe")
        self._next = end + 1
        return self._text[start + 1 : end].replace("''", "'")

    def _peek(self) -> str:
        return self._text[self._next : self._next + 1]

    def _error(self, offset: int, problem: str, expected: str) -> ConfigurationError:
        return self._statement.at(offset).error(f"{self._statement.operation}: {problem}", expected)
