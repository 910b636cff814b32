"""Figures and times as reports print them, and what is wrong with a file, by file and line.

Dates are those of z/VM, of Performance Toolkit and of the web. One whose order cannot be told, such
as 03/04/26, is refused unless its page says when it was made.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Final, TypeVar

from isfc.errors import ConfigurationError
from isfc.errors.arguments import spelt
from isfc.measured.measurement import FilePlace

_T = TypeVar("_T")

PROBLEMS_SHOWN: Final = 10
_DOTS: Final = re.compile(r"\.{2,}|-+")
_NUMBER: Final = re.compile(r"[+-]?(\d+(?:\.\d*)?|\.\d+)%?", re.ASCII)
_COMMA: Final = re.compile(r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d*),\d+%?", re.ASCII)
_COMMA_GROUPS: Final = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?%?", re.ASCII)
_POINT_GROUPS: Final = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+%?", re.ASCII)


class BadFigure(ConfigurationError):
    """One figure, row or page that cannot be right; the message says what was expected."""


@dataclass(slots=True)
class Reading:
    """How files are read, and what was wrong with them.

    With ``usable`` a bad row is left out and kept in ``problems``; else it is refused. With
    ``decimal_comma`` figures may be written as 61,8, those of one file all alike. ``notes`` are
    what was passed over for a reason that is no fault of the file.
    """

    usable: bool = False
    decimal_comma: bool = False
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _marks: dict[str, str] = field(default_factory=dict)
    """Of the file that is being read: a figure with a decimal comma, and one with a point."""

    def begin(self) -> None:
        """A file begins."""
        self._marks.clear()

    def attempt(self, place: FilePlace, read: Callable[[], _T]) -> _T | None:
        """What ``read`` makes of one row; None if something is wrong with it, which is noted."""
        try:
            return read()
        except BadFigure as error:
            self.problems.append(f"{place}: {error}")
            return None

    def end(self) -> None:
        """Raise `ConfigurationError` with what was wrong, unless only the usable was asked for."""
        if self.problems and not self.usable:
            shown = self.problems[:PROBLEMS_SHOWN]
            more = len(self.problems) - len(shown)
            also = [f"and {more} more"] * (more > 0)
            remedy = f"{spelt('usable')} leaves such rows out and reads the others"
            raise ConfigurationError("\n  ".join([*shown, *also, remedy]))

    def number(self, text: str) -> float | None:
        """A figure; None for dots, which stand where there is none."""
        if _DOTS.fullmatch(text):
            return None
        text = self._with_point(text)
        if not _NUMBER.fullmatch(text):
            raise BadFigure(f"{text[:20]!r} is no figure; expected a number such as 61.8")
        return float(text.removesuffix("%"))

    def _with_point(self, text: str) -> str:
        """A figure with a point where its decimals begin, and no mark of thousands."""
        if not self.decimal_comma:
            if _COMMA_GROUPS.fullmatch(text):
                whole = text.replace(",", "")
                one = text.replace(",", ".") if text.count(",") == 1 and "." not in text else None
                either = f"may be {whole} or {one}" if one else f"is {whole} with marks"
                also = f", or {spelt('decimal_comma')} if it is {one}" if one else ""
                raise BadFigure(f"{text!r} {either}; expected no mark of thousands{also}")
            if _COMMA.fullmatch(text):
                point = text.replace(".", "").replace(",", ".")
                other = spelt("decimal_comma")
                raise BadFigure(f"{text!r} has a comma; expected {point}, or {other}")
            return text
        if _COMMA.fullmatch(text) or _POINT_GROUPS.fullmatch(text):
            self._marks.setdefault("comma", text)
            found = text.replace(".", "").replace(",", ".")
        else:
            if "." in text and _NUMBER.fullmatch(text):
                self._marks.setdefault("point", text)
            found = text
        if len(self._marks) > 1:
            option = spelt("decimal_comma")
            raise BadFigure(
                f"{text!r}: with {option} {self._marks['point']!r} has a decimal point and "
                f"{self._marks['comma']!r} a decimal comma; expected one of them in a file"
            )
        return found

    def is_figure(self, text: str) -> bool:
        """Whether it looks like a figure, right or wrong."""
        forms = (_DOTS, _NUMBER, _COMMA, _COMMA_GROUPS)
        return any(form.fullmatch(text) for form in forms)


_STAMP: Final = re.compile(
    r"(?:(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?:[ T]+|$))?"
    r"(?:(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?(?:\s*([AP])\.?M\b\.?)?(?![\d:]))?",
    re.ASCII | re.IGNORECASE,
)
_CENTURY: Final = 2000
_EXPECTED: Final = "expected one such as 2026-11-25 22:01:00 or 11/25/2026 10:01:00 PM"


def leading_stamp(text: str, made: date | None = None) -> tuple[str, str]:
    """The time that a text begins with, as ISO 8601 writes it, and the text behind it.

    ``made`` is when the page was made: of two dates that are meant, that of this day or of the day
    before is taken. Raises `BadFigure` where there is no time, or nobody can tell which.
    """
    found = _STAMP.match(text)
    assert found is not None, "it matches nothing as well"
    first, _, second, third, hours, minutes, seconds, half = found.groups()
    rest = text[found.end() :]
    if not found[0] or (rest[:1].strip() and not found[0][-1].isspace()):
        raise BadFigure(f"{text[:30].strip()!r} is no time; {_EXPECTED}")
    day = "" if first is None else _day(found[0], (first, second, third), made)
    clock = "" if hours is None else _clock(found[0], hours, minutes, seconds, half)
    return "T".join(part for part in (day, clock) if part), rest


def read_stamp(text: str) -> str:
    """A time as ISO 8601 writes it; raises `BadFigure` if the text is none."""
    stamp, rest = leading_stamp(text.strip())
    if rest:
        raise BadFigure(f"{text[:30].strip()!r} is no time; {_EXPECTED}")
    return stamp


def _clock(text: str, hours: str, minutes: str, seconds: str | None, half: str | None) -> str:
    hour = int(hours)
    if half and 1 <= hour <= 12:
        hour = hour % 12 + 12 * (half.upper() == "P")
    elif half:
        hour = 99
    if hour > 23 or int(minutes) > 59 or int(seconds or 0) > 59:
        raise BadFigure(f"{text.strip()!r} is no time of day; {_EXPECTED}")
    return f"{hour:02}:{minutes}:{seconds or '00'}"


def _day(text: str, parts: tuple[str, str, str], made: date | None) -> str:
    meant = {*_days(parts)}
    if made is not None and len(meant) > 1:
        meant = {day for day in meant if made - day in (timedelta(0), timedelta(1))} or meant
    if not meant:
        raise BadFigure(f"{text.strip()!r} is no date; {_EXPECTED}")
    if len(meant) > 1:
        either = " or ".join(day.isoformat() for day in sorted(meant))
        raise BadFigure(f"the date of {text.strip()!r} may be {either}; expected the one meant")
    return meant.pop().isoformat()


def _days(parts: tuple[str, str, str]) -> Iterator[date]:
    """Every day that three numbers may mean."""
    first, second, third = map(int, parts)
    if len(parts[0]) == 4:
        orders = [(first, second, third)]
    elif len(parts[2]) == 4:
        orders = [(third, first, second), (third, second, first)]
    else:
        late, early = _CENTURY + third, _CENTURY + first
        orders = [(late, first, second), (late, second, first), (early, second, third)]
    for year, month, day in orders:
        try:
            yield date(year, month, day)
        except ValueError:
            continue
