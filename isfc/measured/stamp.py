"""Times as reports print them, with the dates of z/VM, of Performance Toolkit and of the web.

A date whose order cannot be told, such as 03/04/26, is refused unless its page says when it was
made.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from isfc.measured.figures import BadFigure

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
