"""Whether guests have gone within a window, and when they begin best."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from isfc.answers.asked_for import MoveWindow
from isfc.answers.loads import Loads
from isfc.reports.figure import Figure, Reported
from isfc.reports.report import Report
from isfc.reports.units import with_unit
from isfc.site.intervals import PERIODS

_ENDS: Final = ("upper end", "middle", "lower end")
"""Of the range of what moves take."""


class WindowFound(Reported, Struct, frozen=True):
    """A window, and whether the moves fit into it."""

    reported_by = "isfc.answers.move_window.window_report"

    window: str
    """as it was said"""
    window_s: int
    """how long it is at a time"""
    seconds: Figure
    """what the moves take with nothing else on the links"""
    begin: str | None
    """when they begin best beside the load by time; null without one, and where they fit at none"""
    busy_s: tuple[float, float] | None
    """between what they take then, in four of five cases"""
    fits_at: str
    """the first of `upper end`, `middle` and `lower end` of the range at which they fit; empty if
    at none"""

    @property
    def fits(self) -> bool:
        """Whether they do, at the upper end."""
        return self.fits_at == _ENDS[0]

    @property
    def problem(self) -> str:
        """That they do not fit, or that it is not known, and by which end; nothing if they do."""
        if not self.fits_at:
            return f"The moves do not fit into {self.window}, not even at the {_ENDS[-1]}."
        if self.fits:
            return ""
        return (
            f"Whether the moves fit into {self.window} is not known: they do at the {self.fits_at} "
            f"of the range, and not at the {_ENDS[0]}."
        )


def window_found(window: MoveWindow, seconds: Figure, busy: Loads | None) -> WindowFound:
    """The best time to begin, of those from which all is over before the window is.

    At the upper end of the range if it can be, else in the middle, else at the lower end.
    """
    asked = window.text, window.seconds, seconds
    begins = {slot.label: slot.begin_s for slot in busy.slots} if busy else {}
    cases = zip(_ENDS, (seconds.ends.high, seconds.value, seconds.ends.low), strict=True)
    for end in (name for name, whole_s in cases if whole_s <= window.seconds):
        if busy is None:
            return WindowFound(*asked, None, None, end)
        for each in busy.windows:
            took_s = (each.likely_s[1], each.seconds, each.likely_s[0])[_ENDS.index(end)]
            inside = window.holds(begins[each.label], took_s, PERIODS[busy.period])
            if inside and not each.stays:
                return WindowFound(*asked, each.label, each.likely_s, end)
    return WindowFound(*asked, None, None, "")


def window_report(found: WindowFound) -> Report:
    """Whether it is long enough, and when to begin."""
    return Report(f"Within {found.window}", [*_answer(found)])


def _answer(found: WindowFound) -> Iterator[tuple[str, str]]:
    hours = f"{found.window_s / 3600:g} h"
    if found.begin is not None and found.busy_s is not None:
        low, high = (round(each / 60) for each in found.busy_s)
        yield "Begin", f"{found.begin}, within {found.window}: {low} to {high} min"
    else:
        even = "even " * found.fits
        fits = f"fits {even}at the {found.fits_at}" if found.fits_at else "does not fit"
        yield "Window", f"{found.window}, {hours}: {with_unit(found.seconds)} {fits}"
