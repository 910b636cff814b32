"""Times as reports print them, and which day is meant by a date.

Dates are those of z/VM, of Performance Toolkit and of the web. One whose order cannot be told, such
as 03/04/26, is refused unless its page says when it was made, or other dates of its file tell.
"""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

from isfc.site.figures import BadFigure

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
    is_iso = len(first or "") == 4 and found[2] == "-"
    if {len(first or ""), len(third or "")} & {3} or (is_iso and len(second + third) != 4):
        raise BadFigure(f"{text[:30].strip()!r} is no time; {_EXPECTED}")
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
    meant = {*_days(parts).values()}
    if made is not None and len(meant) > 1:
        meant = {day for day in meant if made - day in (timedelta(0), timedelta(1))} or meant
    if not meant:
        raise BadFigure(f"{text.strip()!r} is no date; {_EXPECTED}")
    if len(meant) > 1:
        either = " or ".join(day.isoformat() for day in sorted(meant))
        raise BadFigure(f"the date of {text.strip()!r} may be {either}; expected the one meant")
    return meant.pop().isoformat()


def _days(parts: Sequence[str]) -> dict[str, date]:
    """Every day that three numbers may mean, by the order of year, month and day in them."""
    orders = ["ymd"] if len(parts[0]) == 4 else ["mdy", "dmy"]
    if len(parts[0]) != 4 and len(parts[2]) != 4:
        orders.append("ymd")
    found = {}
    for order in orders:
        at = dict(zip(order, parts, strict=True))
        century = _CENTURY * (len(at["y"]) < 4)
        try:
            found[order] = date(int(at["y"]) + century, int(at["m"]), int(at["d"]))
        except ValueError:
            continue
    return found


_DATE: Final = re.compile(
    r"(?<![\w./-])(\d{1,2})([-/.])(\d{1,2})\2(\d{4}(?!\d|[./-]\d)|\d\d(?=[ T]+\d{1,2}:\d\d))",
    re.ASCII,
)
"""One that does not begin with a year of four digits; with two, only where a time follows."""


def with_told_dates(text: str) -> str:
    """A text with each date whose order the others in it tell as ISO 8601 writes it.

    Only dates alike tell it, those with the same marks and digits of the year: of 02.11.2026 does
    25.11.2026, and 11/25/2026 does not.
    """
    orders: dict[tuple[str, int], set[str]] = {}
    for found in _DATE.finditer(text):
        if possible := {*_days(found.group(1, 3, 4))}:
            alike = found[2], len(found[4])
            orders[alike] = orders.get(alike, possible) & possible

    def told(found: re.Match[str]) -> str:
        days, left = _days(found.group(1, 3, 4)), orders.get((found[2], len(found[4])), ())
        return days[next(iter(left))].isoformat() if len(left) == 1 < len(days) else found[0]

    return _DATE.sub(told, text)
