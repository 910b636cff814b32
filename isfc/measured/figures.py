"""Figures as reports print them, and what is wrong with a file, by file and line."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from isfc.errors import ConfigurationError
from isfc.measured.measurement import FilePlace

PROBLEMS_SHOWN: Final = 10
_DOTS: Final = re.compile(r"\.{2,}|-+")
_NUMBER: Final = re.compile(r"[+-]?(\d+(?:\.\d*)?|\.\d+)%?", re.ASCII)
_COMMA: Final = re.compile(r"[+-]?\d*,\d+%?", re.ASCII)


class BadFigure(ConfigurationError):
    """One figure, row or page that cannot be right; the message says what was expected."""


@dataclass(slots=True)
class Reading:
    """How files are read, and what was wrong with them.

    With ``usable`` a bad row is left out and kept in ``problems``; else it is refused. With
    ``decimal_comma`` figures are written as 61,8.
    """

    usable: bool = False
    decimal_comma: bool = False
    problems: list[str] = field(default_factory=list)

    def attempt(self, place: FilePlace, read: Callable[[], None]) -> None:
        """Do what reads one row; note what is wrong with it."""
        try:
            read()
        except BadFigure as error:
            self.problems.append(f"{place}: {error}")

    def end(self) -> None:
        """Raise `ConfigurationError` with what was wrong, unless only the usable was asked for."""
        if self.problems and not self.usable:
            shown = self.problems[:PROBLEMS_SHOWN]
            more = len(self.problems) - len(shown)
            also = [f"and {more} more"] * (more > 0)
            remedy = "--usable leaves such rows out and reads the others"
            raise ConfigurationError("\n  ".join([*shown, *also, remedy]))

    def number(self, text: str) -> float | None:
        """A figure; None for dots, which stand where there is none."""
        if _DOTS.fullmatch(text):
            return None
        if self.decimal_comma:
            text = text.replace(".", "").replace(",", ".")
        elif _COMMA.fullmatch(text):
            point = text.replace(",", ".")
            raise BadFigure(f"{text!r} has a comma; expected {point}, or --decimal-comma")
        if not _NUMBER.fullmatch(text):
            raise BadFigure(f"{text[:20]!r} is no figure; expected a number such as 61.8")
        return float(text.removesuffix("%"))

    def is_figure(self, text: str) -> bool:
        """Whether it looks like a figure, right or wrong."""
        found = _DOTS.fullmatch(text) or _NUMBER.fullmatch(text) or _COMMA.fullmatch(text)
        return found is not None
