"""Whether guests have gone within a window, and when they begin best."""

from collections.abc import Iterator

from msgspec import Struct

from isfc.answers.asked_for import MoveWindow
from isfc.answers.loads import Loads
from isfc.reports.figure import Figure, Reported
from isfc.reports.report import Report
from isfc.reports.units import with_unit
from isfc.site.intervals import PERIODS


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
    fits: bool
    """whether they do, at the upper end of the range"""


def window_found(window: MoveWindow, seconds: Figure, busy: Loads | None) -> WindowFound:
    """The best time to begin, of those from which all is over before the window is."""
    whole = seconds.ends.high <= window.seconds
    if busy is None:
        return WindowFound(window.text, window.seconds, seconds, None, None, whole)
    begins = {slot.label: slot.begin_s for slot in busy.slots}
    period_s = PERIODS[busy.period]
    inside = [
        each
        for each in busy.windows
        if window.holds(begins[each.label], each.likely_s[1], period_s) and not each.stays
    ]
    best = next(iter(inside), None)
    return WindowFound(
        *(window.text, window.seconds, seconds),
        best.label if best else None,
        best.likely_s if best else None,
        whole and best is not None,
    )


def window_report(found: WindowFound) -> Report:
    """Whether it is long enough, and when to begin."""
    return Report(f"Within {found.window}", [*_answer(found)])


def _answer(found: WindowFound) -> Iterator[tuple[str, str]]:
    hours = f"{found.window_s / 3600:g} h"
    if found.begin is not None and found.busy_s is not None:
        low, high = (round(each / 60) for each in found.busy_s)
        yield "Begin", f"{found.begin}, within {found.window}: {low} to {high} min"
    elif found.fits:
        yield "Window", f"{found.window}, {hours}: long enough for {with_unit(found.seconds)}"
    else:
        yield "Window", f"{found.window}, {hours}: {with_unit(found.seconds)} do not fit"
