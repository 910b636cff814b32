"""What is asked of a site in words: a rate with a piece lost, and a window of the week."""

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from isfc.errors import ConfigurationError
from isfc.errors.arguments import spelt
from isfc.errors.in_words import exact
from isfc.site.intervals import WEEKDAYS
from scenarios.search.sizing import MB_PER_S_MAX, LostPiece

_DAY_S: Final = 86_400
_WEEK_S: Final = 7 * _DAY_S

_RATE: Final = re.compile(
    r"\s*(\d{1,3}(?:,\d{3})+|\d{1,9}(?:\.\d{1,3})?)\s*MB/s"
    r"(?:\s+with\s+(?:an?\s+|one\s+)?(\w{1,20})\s+(?:lost|gone|down))?\s*",
    re.IGNORECASE | re.ASCII,
)
_WINDOW: Final = re.compile(
    r"(?:([A-Z]{3})(?:-([A-Z]{3}))?)?\s*(?:(\d\d):(\d\d)-(\d\d):(\d\d))?",
    re.IGNORECASE | re.ASCII,
)
_NOTHING: Final = "nothing"


class RateWanted(Struct, frozen=True):
    """A rate that a link is to carry each way, and what may be lost meanwhile."""

    mb_per_s: float
    lost: LostPiece


def read_rate(text: str) -> RateWanted:
    """``1000 MB/s with a chpid lost``. Raises `ConfigurationError` for what is no such wish."""
    found = _RATE.fullmatch(text)
    piece = (found[2] or _NOTHING).lower() if found else ""
    pieces = {_NOTHING: LostPiece.NONE, **{each.value: each for each in LostPiece}}
    rate = float(found[1].replace(",", "")) if found else 0.0
    if piece not in pieces or not 1 <= rate <= MB_PER_S_MAX:
        raise ConfigurationError(
            f"{spelt('decide')} {text[:40]!r}: expected such as '1000 MB/s with a chpid lost', or "
            f"a ctc, a director or nothing, and from 1 to {exact(MB_PER_S_MAX)} MB/s"
        )
    return RateWanted(rate, pieces[piece])


class MoveWindow(Struct, frozen=True):
    """A window of the week as it was said, and its spans in seconds since Monday, 00:00.

    Days that follow each other are one span; one of a whole week has no end.
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    names_day: bool
    """whether it says which days"""

    @property
    def seconds(self) -> int:
        """How long it is."""
        return max(end - begin for begin, end in self.spans)

    def holds(self, begin_s: int, seconds: float, period_s: int) -> bool:
        """Whether what begins then, in a day or a week, and takes so long lies within."""
        begins = range(begin_s, begin_s + 2 * _WEEK_S, period_s)
        return any(
            begin <= each and each + seconds <= end + (end - begin == _WEEK_S) * _WEEK_S
            for each in begins
            for begin, end in self.spans
        )


def read_window(text: str) -> MoveWindow:
    """``SUN``, ``SAT-SUN``, ``02:00-06:00`` or ``SUN 02:00-06:00``; `ConfigurationError` else."""
    found = _WINDOW.fullmatch(text.strip())
    spans = [*_spans(found)] if found and text.strip() else []
    if not spans:
        raise ConfigurationError(
            f"{spelt('window')} {text[:40]!r}: expected such as SUN, SAT-SUN, 02:00-06:00 or "
            "'SUN 02:00-06:00'"
        )
    return MoveWindow(text.strip(), tuple(spans), bool(found and found[1]))


def _spans(found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The spans of what is right; none if a day or a time is not."""
    days = [day.upper() for day in WEEKDAYS]
    first, last = (found[1] or "").upper(), (found[2] or found[1] or "").upper()
    if first and not {first, last} <= {*days}:
        return
    begin_day = days.index(first) if first else 0
    count = (days.index(last) - begin_day) % 7 + 1 if first else 7
    hours, minutes = ([int(found[n] or 0) for n in each] for each in ((3, 5), (4, 6)))
    begin, end = (hour * 3600 + minute * 60 for hour, minute in zip(hours, minutes, strict=True))
    if max(begin, end) > _DAY_S or max(minutes) > 59:
        return
    length = (end - begin) % _DAY_S
    if not length:  # the next day begins where the one before ends
        length, count = count * _DAY_S, 1
    for day in range(begin_day, begin_day + count):
        yield day * _DAY_S + begin, day * _DAY_S + begin + length
