"""What ``isfc loads`` shows: tables for people, and a picture."""

from collections.abc import Iterator
from math import inf
from typing import Final

from rich.console import Group, RenderableType

from isfc.cli.output.curves import axis, marks, nominal
from isfc.cli.output.notes import note_lines
from isfc.cli.output.picture import INK, Spec, picture
from isfc.layout.in_words import first_listed
from isfc.layout.note import Note
from isfc.measured.by_time import Slot
from isfc.reports.ranges import range_note
from isfc.reports.table import apart, plain_table
from isfc.reports.units import range_of
from isfc.search.loads import MONTHS_MAX, Loads
from isfc.search.sized import LostPiece
from isfc.search.windows import Leaving
from scenarios.moves.notes import large_guests
from scenarios.runs.saturation import SATURATING_PAIRS, SUITE

_GONE: Final = {
    LostPiece.NONE: "whole",
    LostPiece.CTC: "with a CTC gone",
    LostPiece.CHPID: "with a chpid gone",
    LostPiece.DIRECTOR: "with a director gone",
}
_NEVER: Final = f"not in {MONTHS_MAX} months"


def loads_page(found: Loads) -> RenderableType:
    """All that there is to say of a link's loads, first whether they are carried."""
    known = [each.rate for way in found.ways for each in (way.whole, way.left) if each]
    parts: list[RenderableType] = [
        _heading(found),
        _verdict(found) + (f" {_outgrown(found)}" if found.growth else ""),
        Group("MB/s (2^20) one way", _ways_table(found)),
        _busiest(found),
    ]
    if found.leaving is not None:
        parts += _windows(found, found.leaving)
    parts.append(_by_time(found))
    if found.growth:
        parts.append(_months_table(found))
    parts.append(
        f"What the layout carries is of {SUITE}, {SATURATING_PAIRS} pairs, while the other end "
        f"only answers: of what both send at the same time, each has less. {range_note(known)}"
    )
    return apart([*parts, *filter(None, note_lines(loads_notes(found)))])


def loads_notes(found: Loads) -> tuple[Note, ...]:
    """What belongs to these figures."""
    guests = () if found.leaving is None else found.leaving.guests
    return (*found.layout.notes, *large_guests(guests))


def _heading(found: Loads) -> str:
    first, last = found.intervals[0], found.intervals[-1]
    days = sum(each.seconds for each in found.intervals) / 86_400
    when = f", {first.begin} to {last.end}" if first.dated else ""
    return f"{found.layout.name}: {len(found.intervals)} intervals, {days:.1f} days in all{when}"


def _ways_table(found: Loads) -> RenderableType:
    left = [] if found.lost is LostPiece.NONE else [">left", "range"]
    table = plain_table(
        *("sender", ">mean", f">{found.percentile:g} %", ">most", ">carries", "range"),
        *(*left, ">headroom"),
        no_wrap=True,
    )
    for way in found.ways:
        cells = [
            *(way.sender, f"{way.mean_mb_per_s:.0f}", f"{way.mb_per_s:.0f}"),
            f"{way.busiest_mb_per_s:.0f}",
            *(f"{way.whole.rate.value:.0f}", range_of(way.whole.rate)),
        ]
        if way.left is not None:
            cells += [f"{way.left.rate.value:.0f}", range_of(way.left.rate)]
        table.add_row(*cells, _share(way.headroom()))
    return table


def _busiest(found: Loads) -> str:
    times = "; ".join(f"{way.sender} sent most from {way.busiest} on" for way in found.ways)
    kept = "carries" if found.lost is LostPiece.NONE else "left"
    percentile = f"{found.percentile:g} %"
    return (
        f"{percentile}: for so much of the time no more was sent. headroom: by how much '{kept}' "
        f"is more than that. {times}."
    )


def _share(headroom: float) -> str:
    return "..." if headroom == inf else f"{100 * headroom:+.0f} %"


def _verdict(found: Loads) -> str:
    gone = " or ".join(dict.fromkeys(way.left.gone for way in found.ways if way.left))
    lost = f", {_GONE[found.lost]} ({gone})," if gone else ""
    short = [way.sender for way in found.ways if way.headroom() < 0]
    what = f"{'does not carry' if short else 'carries'} what {' and '.join(short) or 'both'}"
    sent = "sends" if len(short) == 1 else "send"
    return f"The layout{lost} {what} {sent} for {found.percentile:g} % of the time."


def _by_time(found: Loads) -> RenderableType:
    """A line for each hour of the day, or each day of the week."""
    step_s = 3600 if found.period == "day" else 86_400
    nodes = found.layout.nodes
    table = plain_table(
        "from",
        *(f">{node}\n{what}" for node in nodes for what in ("mean", f"{found.percentile:g} %")),
        "busiest",
    )
    groups: dict[int, list[Slot]] = {}
    for slot in found.slots:
        groups.setdefault(slot.begin_s // step_s, []).append(slot)
    for slots in groups.values():
        cells = []
        for way in (0, 1):
            cells.append(f"{sum(s.mean_mb_per_s[way] for s in slots) / len(slots):.0f}")
            cells.append(f"{max(s.mb_per_s[way] for s in slots):.0f}")
        busiest = max(slots, key=lambda slot: max(slot.mb_per_s))
        table.add_row(slots[0].label, *cells, busiest.label)
    return Group("By time, MB/s one way", table)


def _months_table(found: Loads) -> RenderableType:
    columns = ((">", f"{found.percentile:g} %"), (">", "headroom"), ("", "range"))
    table = plain_table(
        "month",
        *(f"{head}{way.sender}\n{what}" for way in found.ways for head, what in columns),
        no_wrap=True,
    )
    for month in range(found.months + 1):
        cells = []
        for way in found.ways:
            cells.append(f"{way.mb_per_s * (1 + found.growth) ** month:.0f}")
            cells.append(_share(way.headroom(month, found.growth)))
            ends = way.headroom_likely(month, found.growth) if way.mb_per_s else None
            cells.append(" to ".join(f"{100 * end:+.0f}" for end in ends or ()))
        table.add_row(str(month), *cells)
    return Group(f"With {100 * found.growth:g} % more each month, MB/s one way", table)


def _outgrown(found: Loads) -> str:
    said = []
    for way in found.ways:
        months = way.months_left(found.growth)
        if months is None:
            said.append(f"{way.sender}'s {_NEVER}")
        elif not max(months):
            said.append(f"{way.sender}'s already now")
        else:
            low, middle, high = (_NEVER if each >= MONTHS_MAX else str(each) for each in months)
            said.append(f"{way.sender}'s after {middle} months ({low} to {high})")
    return f"With {100 * found.growth:g} % more each month it is too much: {', '.join(said)}."


def _windows(found: Loads, leaving: Leaving) -> Iterator[RenderableType]:
    names = [guest.name for guest in leaving.guests]
    gib = sum(guest.memory.touched for guest in leaving.guests) / 2**30
    who = f"{len(names)} guests, in all" if len(names) > 1 else "one guest of"
    together = f", {leaving.at_once} at a time" if leaving.at_once > 1 else ""
    yield (
        f"Emptying {leaving.source}, {who} {gib:,.4g} GiB{together}, beside the "
        f"{found.percentile:g} % of each quarter of an hour, as 'isfc evacuate' does it:"
    )
    if not found.windows:
        yield "No time is known at which it would be over: the figures have gaps."
        return
    stays = any(window.stays for window in found.windows)
    table = plain_table(
        *("", "begun", ">takes", "range", ">less for others,\nMB/s one way"),
        *(["stays"] if stays else []),
    )
    for name, window in zip(("best", "worst"), (found.windows[0], found.windows[-1]), strict=True):
        low, high = map(_seconds, window.likely_s)
        table.add_row(
            *(name, window.label, _seconds(window.seconds), f"{low} to {high}"),
            f"{window.less_mb_per_s:.0f}",
            *([first_listed(window.stays, 4) if window.stays else ""] if stays else []),
        )
    yield table
    if stays:
        yield "Who stays is kept by a limit: 'isfc relocate' says what would let it go."


def _seconds(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min {rest} s"


def loads_picture(found: Loads) -> Spec:
    """The load by time, both ways, and what each end can send."""
    nodes, most = found.layout.nodes, f"{found.percentile:g} %"
    values = [
        {"node": node, "of": of, "hours": slot.begin_s / 3600, "rate": rates[way]}
        for slot in found.slots
        for of, rates in ((most, slot.mb_per_s), ("mean", slot.mean_mb_per_s))
        for way, node in enumerate(nodes)
    ]
    week = found.period == "week"
    x = axis("hours", "hours since Monday 00:00" if week else "time of day, h", nice=False)
    x["axis"] = {"values": [*(range(0, 169, 24) if week else range(0, 25, 3))]}
    x["scale"]["domain"] = [0, 168 if week else 24]
    y = axis("rate", "MB/s (2^20) one way; bands: four of five cases")
    line: Spec = {"symbolType": "stroke", "symbolStrokeWidth": 2}
    colour = nominal("node", nodes, **line)
    dash = nominal("of", (most, "mean"), ([1, 0], [2, 2]), **line)
    where = {"x": x, "y": y, "color": colour, "strokeDash": dash}
    steps = marks("line", values, where, interpolate="step-after")
    ceilings = [layer for way in (0, 1) for layer in _ceiling(found, way, y, colour)]
    return picture("The load by time, and what the layout carries", layer=[steps, *ceilings])


def _ceiling(found: Loads, way: int, y: Spec, colour: Spec) -> Iterator[Spec]:
    """What one end can send: a line, named at its side, in the band of its range."""
    node, rate = found.layout.nodes[way], found.ways[way].must.rate
    said = {"node": node, "rate": rate.value, "said": f"{node} can send, {_GONE[found.lost]}"}
    whole: Spec = {"x": {"value": 0}, "x2": {"value": "width"}, "color": colour}
    if rate.range is not None:
        ends = rate.ends
        band = {**whole, "y": {**y, "field": "low"}, "y2": {"field": "high"}}
        yield marks("rect", [{"node": node, "low": ends.low, "high": ends.high}], band, opacity=0.1)
    yield marks("rule", [said], {**whole, "y": y}, strokeDash=[6, 3])
    side, at = (("left", 4), ("right", "width"))[way]
    text = {"x": {"value": at}, "y": y, "text": {"field": "said"}}
    yield marks("text", [said], text, align=side, dy=-6, color=INK)
