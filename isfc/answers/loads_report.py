"""A link's loads as people see them: whether they are carried, then when there is how much."""

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, Final

from isfc.answers.loads import Loads, WayLoad
from isfc.errors.in_words import counted, first_listed
from isfc.layout.pasted import lines_read
from isfc.reports.figure import Unit
from isfc.reports.report import Column, Lines, Report, Table
from isfc.reports.units import bytes_words, range_note, shown
from isfc.site.intervals import Slot
from scenarios.runs.experiment import SATURATING_PAIRS, SUITE
from scenarios.search.sizing import LostPiece
from scenarios.search.windows import Leaving, Window

GONE = {
    LostPiece.NONE: "whole",
    LostPiece.CTC: "with a CTC gone",
    LostPiece.CHPID: "with a chpid gone",
    LostPiece.DIRECTOR: "with a director gone",
}
_ENDS: Final = ("first", "second")
"""What columns of each node end with."""

_NEVER: Final = "not in ten years"


def loads_report(found: Loads) -> Report:
    """Whether all is carried, by how much, for how long, and when guests leave soonest."""
    known = [each.rate for way in found.ways for each in (way.whole, way.left) if each]
    kept = "carries" if found.lost is LostPiece.NONE else "left"
    percentile = (
        f"{found.percentile:g} %: for so much of the time no more was sent. headroom: by how much "
        f"{kept} is more than that."
    )
    carries = (
        f"What the layout carries is of {SUITE}, {SATURATING_PAIRS} pairs, while the other end "
        f"only answers: of what both send at the same time, each has less. {range_note(known)}"
    )
    return Report(
        _title(found),
        [*_answer(found)],
        [each for each in _tables(found) if each.rows],
        remarks=[*_left_out(found)],
        notes=[
            percentile,
            carries,
            *_windows_notes(found),
            *(f"Left out: {each}" for each in found.left_out),
        ],
        known=found.notes,
        read=lines_read(found.accounts),
        charts=[_by_hour(found)],
    )


def _by_hour(found: Loads) -> Lines:
    """The load by time, both ways, and what each end can send."""
    most = f"{found.percentile:g} %"
    rows = [
        {"node": node, "of": of, "hours": slot.begin_s / 3600, "rate": rates[way]}
        for slot in found.slots
        for of, rates in ((most, slot.mb_per_s), ("mean", slot.mean_mb_per_s))
        for way, node in enumerate(found.nodes)
    ]
    week = found.period == "week"
    return Lines(
        caption="The load by time, and what the layout carries; bands: four of five cases",
        rows=rows,
        across=Column("hours since Monday 00:00" if week else "time of day, h", "hours"),
        up=[Column("MB/s (2^20) one way", "rate", Unit.MB_PER_S)],
        of=Column("", "node"),
        dash=Column("", "of"),
        steps=True,
        ticks=[*(range(0, 169, 24) if week else range(0, 25, 3))],
        levels=[
            (way.sender, f"{way.sender} can send, {GONE[found.lost]}", way.must.rate)
            for way in found.ways
        ],
    )


def loads_failure(found: Loads) -> str:
    """Whose percentile is not carried; nothing if all is."""
    return _verdict(found) if _short(found) else ""


def _title(found: Loads) -> str:
    when = f", {found.begin} to {found.end}" if found.dated else ""
    days = f"{shown(found.days, Unit.COUNT)} days in all"
    return f"{found.name}: {found.intervals} intervals, {days}{when}"


def _short(found: Loads) -> list[str]:
    return [way.sender for way in found.ways if (way.headroom[0] or 0) < 0]


def _verdict(found: Loads) -> str:
    gone = " or ".join(dict.fromkeys(way.left.gone for way in found.ways if way.left))
    lost = f", {GONE[found.lost]} ({gone})," if gone else ""
    short = _short(found)
    what = f"{'does not carry' if short else 'carries'} what {' and '.join(short) or 'both'}"
    sent = "sends" if len(short) == 1 else "send"
    return f"the layout{lost} {what} {sent} for {found.percentile:g} % of the time"


def _answer(found: Loads) -> Iterator[tuple[str, str]]:
    yield "Carried", _verdict(found)
    yield "Headroom", ", ".join(f"{way.sender} {_headroom(way)}" for way in found.ways)
    if found.growth_percent:
        told = ", ".join(f"{way.sender}'s {_outgrown(way)}" for way in found.ways)
        yield "Too much", f"with {found.growth_percent:g} % more each month {told}"
    yield "Busiest", "; ".join(f"{way.sender} from {way.busiest} on" for way in found.ways)
    if found.leaving is not None:
        yield "Best begun", _soonest(found, found.leaving)


def _headroom(way: WayLoad) -> str:
    """``+33 % (+14 to +54)``."""
    above, likely = way.headroom[0], way.headroom_likely[0]
    if above is None or likely is None:
        return "sent nothing"
    return f"{_more(above)} % ({_more(likely[0])} to {_more(likely[1])})"


def _more(share: float) -> str:
    return shown(100 * share, Unit.CHANGE)


def _outgrown(way: WayLoad) -> str:
    likely = way.months_left_likely
    if likely is None:
        return _NEVER
    if not way.months_left:
        return "already now"
    low, high = likely
    ends = f"{low} to {high}" if way.months_left < high < 120 else f"{low} or more"
    return f"after {way.months_left} months ({ends})"


def _soonest(found: Loads, leaving: Leaving) -> str:
    touched = bytes_words(sum(guest.memory.touched for guest in leaving.guests))
    who = f"{len(leaving.guests)} guests" if len(leaving.guests) > 1 else "one guest"
    what = f"emptying {leaving.source} of {who}, {touched},"
    if not found.windows:
        return f"{what} is over at no time that is known: the figures have gaps"
    best, worst = found.windows[0], found.windows[-1]
    likely = " to ".join(map(_takes, best.likely_s))
    return (
        f"at {best.label}: {what} takes {_takes(best.seconds)} ({likely}); at worst, begun at "
        f"{worst.label}, {_takes(worst.seconds)}"
    )


def _takes(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min {rest} s"


def _left_out(found: Loads) -> Iterator[str]:
    if found.gaps:
        more = f", nor at {counted(len(found.gaps) - 1, 'more time')}" if found.gaps[1:] else ""
        yield (
            f"no figures from {found.gaps[0]}{more}: all that is said is of the other times; in a "
            "table, 'end' says how long a row lasts"
        )
    if found.left_out:
        yield (
            f"left out, as they cannot be right: {counted(len(found.left_out), 'row')}, the first "
            f"{found.left_out[0]}"
        )


def _windows_notes(found: Loads) -> Iterator[str]:
    if found.leaving is not None:
        together = f", {found.leaving.at_once} at a time" if found.leaving.at_once > 1 else ""
        yield (
            f"Guests leave{together} beside the {found.percentile:g} % of each quarter of an hour, "
            "as 'isfc evacuate' does it."
        )
    if any(window.stays for window in found.windows):
        yield "Who stays is kept by a limit: 'isfc relocate' says what would let it go."


def _tables(found: Loads) -> Iterator[Table]:
    most = f"{found.percentile:g} %"
    left = Column("left", "left", value=lambda way: way.left and way.left.rate)
    ways = (
        Column("sender", "sender"),
        Column("mean", "mean_mb_per_s", Unit.MB_PER_S),
        Column(most, "percentile_mb_per_s", Unit.MB_PER_S),
        Column("most", "busiest_mb_per_s", Unit.MB_PER_S),
        Column("carries", "carries", value=lambda way: way.whole.rate),
        *([] if found.lost is LostPiece.NONE else [left]),
        Column("headroom\n%", "headroom_percent", Unit.CHANGE, value=_headroom_percent),
    )
    yield Table("MB/s (2^20) one way", ways, found.ways, "ways")
    if found.windows:
        ends = [found.windows[0], found.windows[-1]]
        yield Table("When guests leave soonest, and at worst", _WINDOWS, ends, "ends")
        every = "Every time at which they may begin"
        yield Table(every, _WINDOWS, found.windows, "windows", detail=True)
    times = (
        Column("from", "begin"),
        *(
            Column(f"{node}\n{head}", f"{name}_{end}", Unit.MB_PER_S)
            for end, node in zip(_ENDS, found.nodes, strict=True)
            for head, name in (("mean", "mean"), (most, "percentile"))
        ),
        Column("busiest", "busiest"),
    )
    yield Table("By time, MB/s one way", times, [*_by_time(found)], "times")
    each = [_time_row([slot]) for slot in found.slots]
    yield Table("Every quarter of an hour", times[:-1], each, "slots", detail=True)
    if found.growth_percent:
        months = [Column("month", "month")]
        for end, node in zip(_ENDS, found.nodes, strict=True):
            months += [
                Column(f"{node}\n{most}", f"load_{end}", Unit.MB_PER_S),
                Column("headroom\n%", f"headroom_{end}", Unit.CHANGE),
                Column("range", f"likely_{end}"),
            ]
        caption = f"With {found.growth_percent:g} % more each month, MB/s one way"
        yield Table(caption, months, [*_by_month(found)], "months", detail=True)


def _minutes(heading: str, field: str, seconds: Callable[[Window], float]) -> Column:
    return Column(heading, field, Unit.COUNT, value=lambda window: seconds(window) / 60)


_WINDOWS: Final = (
    Column("begun", "begin", value=lambda window: window.label),
    _minutes("takes\nmin", "minutes", lambda window: window.seconds),
    _minutes("from", "likely_low_minutes", lambda window: window.likely_s[0]),
    _minutes("to", "likely_high_minutes", lambda window: window.likely_s[1]),
    Column("less for others,\nMB/s one way", "less_mb_per_s", Unit.MB_PER_S),
    Column("stays", "stays", folds=True, value=lambda window: first_listed(window.stays, 4)),
)


def _headroom_percent(way: WayLoad, month: int = 0) -> float | None:
    above = way.headroom[month]
    return None if above is None else 100 * above


def _by_time(found: Loads) -> Iterator[dict[str, Any]]:
    """A line for each two hours of the day, or each day of the week."""
    step_s = 7200 if found.period == "day" else 86_400
    for _, slots in groupby(found.slots, lambda slot: slot.begin_s // step_s):
        yield _time_row([*slots])


def _time_row(slots: list[Slot]) -> dict[str, Any]:
    """What both sent in a part of the day or the week."""
    busiest = max(slots, key=lambda slot: max(slot.mb_per_s))
    row: dict[str, Any] = {"begin": slots[0].label, "busiest": busiest.label}
    for way in (0, 1):
        row[f"mean_{_ENDS[way]}"] = sum(slot.mean_mb_per_s[way] for slot in slots) / len(slots)
        row[f"percentile_{_ENDS[way]}"] = max(slot.mb_per_s[way] for slot in slots)
    return row


def _by_month(found: Loads) -> Iterator[dict[str, Any]]:
    """A load that grows, and the headroom that is left of it."""
    for month in range(found.months + 1):
        row: dict[str, Any] = {"month": month}
        for end, way in zip(_ENDS, found.ways, strict=True):
            likely = way.headroom_likely[month]
            row[f"load_{end}"] = way.percentile_mb_per_s * (1 + found.growth_percent / 100) ** month
            row[f"headroom_{end}"] = _headroom_percent(way, month)
            row[f"likely_{end}"] = " to ".join(map(_more, likely)) if likely else ""
        yield row
