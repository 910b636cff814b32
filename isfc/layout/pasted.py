"""Text that people paste, line by line: an account of what became of each.

Once `isfc.layout.layers` has made a text plain, its reader says in a `LineAccount` what each line
is. A line that it cannot place is passed over for a kind of reason that the account states, but
never one that `looks_like_row`: it may be a row with a mark on it, or with a letter for a digit,
and figures without it would be wrong.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from enum import Enum
from typing import Final

from isfc.errors.in_words import counted, first_listed, ranges

_RULE: Final = re.compile(r"[-_=.*+|~^\s]*")
_BETWEEN: Final = re.compile(r"[\s|;\"'`]+")
_NO_FIGURE: Final = re.compile(r"[^\d]*|.*[:/=].*|\d+\.\d+\.\d+\W*")
"""Words, dates and times."""

_MISSING: Final = re.compile(r"[-*.]{2,}")
_FIGURES_MIN: Final = 3
"""Figures from which on a line may be a row: prose has fewer, or more other words (chosen)."""

_ROW_MIN: Final = 6
"""Figures of a row beside a heading: one alone has fewer, of versions, samples, pages (chosen)."""

_ALIKE: Final = 0.85
"""From how alike on a title is one that lost a letter; RMF's others are up to 0.77 (chosen)."""

_NAMED_MAX: Final = 8
_SHOWN_MAX: Final = 30
_READ_MAX: Final = 3
"""Files of which a page says what became of their lines."""


class Kind(Enum):
    """What a line is; the value is how an account speaks of one."""

    ROW = "row"
    STATEMENT = "of statements"
    ANSWER = "of commands and answers"
    COMMENT = "comment"
    HEADING = "heading"
    SUM = "sum"
    RULE = "rule"
    OTHER = "of other reports"
    OTHER_DEVICE = "of other devices"
    OTHER_STATEMENT = "of other statements"
    TEXT = "of text"


def is_rule(line: str) -> bool:
    """Whether a line is empty, or drawn."""
    return _RULE.fullmatch(line) is not None


def looks_like_row(line: str, figures_min: int = _FIGURES_MIN) -> bool:
    """Whether a line has figures as a row of a report, be it one with marks or letters in it."""
    words = [word for word in _BETWEEN.split(line) if word]
    figures = sum(map(_is_figure, words))
    return figures >= figures_min and 2 * figures >= len(words)


def is_nearly(title: str, titles: Sequence[str]) -> bool:
    """Whether a title is one of some, or would be but for a letter."""
    return bool(get_close_matches(title, titles, cutoff=_ALIKE))


def holds_row(heading: str) -> bool:
    """Whether a row stands in the line of a heading: it lost the end of its line."""
    return sum(map(_is_figure, heading.split())) >= _ROW_MIN


def _is_figure(word: str) -> bool:
    plain = word.strip("*_~()[]<>!+-\\")
    if _MISSING.fullmatch(word) or _MISSING.fullmatch(plain):
        return True
    digits = sum(each.isdigit() or each in ".," for each in plain)
    return not _NO_FIGURE.fullmatch(plain) and 2 * digits >= len(plain)


def not_read(line: str) -> str:
    """What is wrong with a line that looks like a row, and is none that is known."""
    text = " ".join(line.split())
    shown = text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}..."
    return (
        f"{shown!r} has figures as a row, and is none that is known; expected a row as it was "
        "printed, without marks, or no such line"
    )


class LineAccount:
    """What became of each line of a text; lines count from 1."""

    def __init__(self, lines: int = 0) -> None:
        self.lines = lines
        self.kinds: dict[int, Kind] = {}
        """Of each line that is not empty."""
        self.refused: list[int] = []
        """Lines that are wrong, where what is usable is taken."""

    def note(self, line: int, kind: Kind) -> None:
        """Say what a line is; one of which a part is a row, is a row."""
        if self.kinds.get(line) is not Kind.ROW:
            self.kinds[line] = kind

    def __str__(self) -> str:
        counts = Counter(self.kinds.values())
        found = [_of_kind(counts[kind], kind) for kind in Kind if counts[kind]]
        if text := [line for line, kind in self.kinds.items() if kind is Kind.TEXT]:
            found[-1] += f" ({spans(text)})"
        if empty := self.lines - len(self.kinds):
            found.append(f"{empty} empty")
        refused = f"; not read: {spans(self.refused)}" if self.refused else ""
        return f"{counted(self.lines, 'line')}: {', '.join(found)}{refused}"


def _of_kind(count: int, kind: Kind) -> str:
    return f"{count} {kind.value}" if kind.value.startswith("of ") else counted(count, kind.value)


def spans(lines: Iterable[int]) -> str:
    """Numbers of lines, as a sentence has them: ``lines 1-3, 9``."""
    numbers = {*lines}
    found = [f"{n}" if count == 1 else f"{n}-{n + count - 1}" for n, count in ranges(numbers)]
    more = [f"{len(found) - _NAMED_MAX} more"] if len(found) > _NAMED_MAX else []
    return f"line{'s' * (len(numbers) > 1)} {', '.join([*found[:_NAMED_MAX], *more])}"


def lines_read(accounts: Sequence[str]) -> list[str]:
    """What a page says of the lines of texts: nothing, or one sentence."""
    return [f"Read: {first_listed(accounts, _READ_MAX, '; ')}."] if accounts else []
