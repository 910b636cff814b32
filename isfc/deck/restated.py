"""Statements of a deck, stated again with some operands changed, and new ones."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from isfc.deck.card import CONTINUED_COLUMN, CONTINUED_START, Statement
from isfc.layout.write import runs

_PIECE: Final = re.compile(r"(?:'[^']*'|[^',])*,?")
"""What may stand on a card of its own: text up to a comma outside quotes."""


def restated(statement: Statement, changes: Mapping[str, str | None]) -> list[str]:
    """The cards of a statement, with the values of some keywords; None leaves a keyword out.

    A keyword that it does not have is put last.
    """
    values = dict(_keywords(statement.operands))
    left = {keyword: text for keyword, text in values.items() if keyword not in changes}
    made = {keyword: f"{keyword}={value}" for keyword, value in changes.items() if value}
    order = [*values, *(keyword for keyword in changes if keyword not in values)]
    texts = {**left, **made}
    return cards(
        statement.operation, ",".join(texts[keyword] for keyword in order if keyword in texts)
    )


def cards(operation: str, operands: str) -> list[str]:
    """A statement on as many cards as it takes, with a mark in column 72 where it goes on."""
    made: list[str] = []
    card = f" {operation} "
    for piece in _PIECE.findall(operands):
        if len(card) + len(piece) >= CONTINUED_COLUMN and card.strip() != operation:
            made.append(f"{card.ljust(CONTINUED_COLUMN - 1)}*")
            card = " " * CONTINUED_START
        card += piece
    return [*made, card]


def remark(text: str) -> list[str]:
    """A comment on cards of its own; none of them reaches column 72."""
    lines = [""]
    for word in text.split(" "):
        if len(lines[-1]) + len(word) > CONTINUED_COLUMN - 6:
            lines.append("")
        lines[-1] += f" {word}"
    return [f"* isfc:{line}" if n == 0 else f"*  {line}" for n, line in enumerate(lines)]


def of_css(groups: Mapping[int, Sequence[str]], *, named: bool) -> str:
    """Values by CSS, as in ``((CSS(0),A,B),(CSS(1),C))``; ``(A,B)`` where a deck ``named`` none."""
    if not named:
        return f"({','.join(value for values in groups.values() for value in values)})"
    parts = (f"(CSS({css}),{','.join(values)})" for css, values in sorted(groups.items()))
    return f"({','.join(parts)})"


def ranges(addresses: Iterable[int]) -> Iterator[tuple[int, int]]:
    """First and count of each range that the addresses make."""
    for run in runs(sorted(addresses), lambda last, each: each == last + 1):
        yield run[0], len(run)


def _keywords(operands: str) -> Iterator[tuple[str, str]]:
    """Each keyword of an operand field with its text, which begins with the keyword itself."""
    depth, quoted, begun = 0, False, 0
    for index, char in enumerate(f"{operands},"):
        quoted ^= char == "'"
        if not quoted:
            depth += (char == "(") - (char == ")")
        if char == "," and not quoted and depth == 0:
            text = operands[begun:index]
            if text:
                yield text.partition("=")[0].upper(), text
            begun = index + 1
