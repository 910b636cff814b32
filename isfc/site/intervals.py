"""What a link carried each way, interval by interval, and by the time of the day or the week.

It is from link activity, or from a plain table: CSV with ``begin``, maybe ``end``, and a column for
each of the two nodes, what that node sent in MB/s (2^20). Its times have a date, a day of the week
(``Mon 09:00``), or neither. A percentile is of time: for so many percent of it there was no more.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Final

from msgspec import Struct

from isfc.errors import ConfigurationError
from isfc.errors.in_words import listed
from isfc.layout.checked_toml import in_utf8, text_of, within
from isfc.layout.csv_table import CsvTable, names_in
from isfc.layout.layout import Layout
from isfc.site.dates import read_stamp, with_told_dates
from isfc.site.figures import BadFigure, Reading
from isfc.site.measurement import FilePlace
from isfc.site.seen import APART_S, SeenInterval, zone_seconds

_WEEKDAY: Final = re.compile("(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?")
WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_NO_DATE: Final = "1970-01-05"
"""A Monday, for times without a date."""

_LONGEST: Final = timedelta(days=1)


class CarriedInterval(Struct, frozen=True):
    """An interval in which the first node of a link sent so much, and the second: MB/s (2^20).

    ``dated`` says whether its times have a day.
    """

    begin: datetime
    end: datetime
    mb_per_s: tuple[float, float]
    dated: bool = True

    @property
    def seconds(self) -> float:
        """Its length."""
        return (self.end - self.begin).total_seconds()


def said(time: datetime, *, dated: bool) -> str:
    """A time as its source prints it: with a date, with a day of the week, or with neither."""
    if time.year > int(_NO_DATE[:4]):
        return str(time)
    day = f"{WEEKDAYS[time.weekday()]} " * dated
    return f"{day}{time:%H:%M}" + f":{time:%S}" * (time.second > 0)


class _Row(Struct, frozen=True):
    """An interval whose begin or end may not be known."""

    place: FilePlace
    begin: datetime | None
    end: datetime | None
    mb_per_s: tuple[float, float]
    dated: bool

    @property
    def at(self) -> datetime:
        """The time of it that is known."""
        known = self.begin or self.end
        assert known is not None
        return known


def is_interval_table(content: bytes, layout: Layout) -> bool:
    """Whether the content of a file is a table with a column for each node of a link."""
    line = in_utf8(content[:10_000]).decode("utf-8-sig", "replace").partition("\n")[0]
    return {"begin", *map(str.lower, layout.nodes)} <= {*names_in(line)}


def carried_intervals(
    layout: Layout, tables: Mapping[Path, bytes], seen: Sequence[SeenInterval], reading: Reading
) -> list[CarriedInterval]:
    """The intervals of tables, each a file's content, and those seen with link activity, by time.

    Raises `ConfigurationError` for what is wrong, where intervals overlap, and if there are none.
    """
    rows = [row for table in tables.items() for row in _table_rows(*table, layout, reading)]
    rows += _seen_rows(layout, seen)
    if not rows:
        raise ConfigurationError(
            "no link activity with a time in these files; expected some, or a table of begin, "
            f"{', '.join(layout.nodes)} (MB/s that each sent)"
        )
    return _whole(rows)


def _table_rows(path: Path, content: bytes, layout: Layout, reading: Reading) -> list[_Row]:
    with within(str(path)):
        text = text_of(content, "CSV")
    table = CsvTable(with_told_dates(text), f"{path}:")
    reading.begin()
    rows = []
    for number, cells, problem in table:
        place = FilePlace(str(path), number)
        rows.append(reading.attempt(place, partial(_row, place, cells, problem, layout, reading)))
    reading.end()
    found = [row for row in rows if row is not None]
    if odd := next((row for row in found if row.dated != found[0].dated), None):
        raise ConfigurationError(
            f"{odd.place}: of it and {found[0].place} one has a day; expected all or none"
        )
    return found


def _row(
    place: FilePlace, cells: Mapping[str, str], problem: str, layout: Layout, reading: Reading
) -> _Row:
    if problem:
        raise BadFigure(problem)
    begin, dated = _time(cells["begin"])
    end, is_end_dated = _time(cells["end"]) if cells.get("end") else (None, dated)
    if dated != is_end_dated:
        raise BadFigure("one of begin and end has a day; expected it in both or in none")
    if end is not None and end <= begin and not dated:
        end += timedelta(days=1)
    texts = [cells[node.lower()] for node in layout.nodes]
    first, second = (reading.number(text or "...") for text in texts)
    if any(re.search(r"\d\.$", text) for text in texts):
        raise BadFigure(f"{' or '.join(texts)[:40]!r} ends with a point; expected its decimals")
    if first is None or second is None or min(first, second) < 0:
        raise BadFigure(f"MB/s of {listed(layout.nodes)}: expected two numbers from 0")
    return _Row(place, begin, end, (first, second), dated)


def _time(text: str) -> tuple[datetime, bool]:
    """A time, and whether it has a day."""
    word, _, rest = text.strip().partition(" ")
    if _WEEKDAY.fullmatch(word.title()):
        clock = datetime.fromisoformat(f"{_NO_DATE}T{read_stamp(rest)}")
        return clock + timedelta(days=WEEKDAYS.index(word.title()[:3])), True
    return _moment(read_stamp(text))


def _moment(stamp: str) -> tuple[datetime, bool]:
    if "T" in stamp or "-" not in stamp:
        dated = "-" in stamp
        return datetime.fromisoformat(stamp if dated else f"{_NO_DATE}T{stamp}"), dated
    raise BadFigure(f"{stamp!r} is a day; expected a time too")


def _seen_rows(layout: Layout, seen: Sequence[SeenInterval]) -> Iterator[_Row]:
    """What link activity says; of two ends, the first says it, and its zone is that of all."""
    zone: str | None = None
    for one in seen:
        end = next((each for each in one.ends if each.measurement.links), one.ends[0])
        measured = end.measurement
        if not measured.links or measured.end is None:
            continue
        zone = zone or measured.zone
        shift = timedelta(seconds=zone_seconds(zone) - zone_seconds(measured.zone or zone))
        ended, dated = _moment(measured.end)
        begun = None if measured.begin is None else _moment(measured.begin)[0] + shift
        link = measured.links[0]
        sent, got = link.written.mb_per_s, link.read.mb_per_s
        ways = (sent, got) if end.node == layout.nodes[0] else (got, sent)
        yield _Row(measured.place, begun, ended + shift, ways, dated)


def _whole(rows: Sequence[_Row]) -> list[CarriedInterval]:
    """Intervals in the order of time, each with its begin and end; raises where they overlap.

    A length that is not said is the time to the neighbour, or the usual one where that is longer.
    """
    ordered = sorted(rows, key=lambda row: row.at)
    gaps = [after.at - row.at for row, after in pairwise(ordered) if after.at > row.at]
    usual = sorted(gaps)[len(gaps) // 2] if gaps else None
    found = [_lengthened(ordered, number, usual) for number in range(len(ordered))]
    for (row, one), (other, after) in pairwise(zip(ordered, found, strict=True)):
        if after.begin < one.end - timedelta(seconds=APART_S):
            raise ConfigurationError(
                f"{other.place}: from {said(after.begin, dated=other.dated)}, before the interval "
                f"of {row.place} is over ({said(one.end, dated=row.dated)}); expected each time "
                "once"
            )
    return found


def _lengthened(rows: Sequence[_Row], number: int, usual: timedelta | None) -> CarriedInterval:
    """A row with its length."""
    row = rows[number]
    begin, end = row.begin, row.end
    if usual is None and (begin is None or end is None):
        raise ConfigurationError(
            f"{row.place}: an interval whose length nobody says; expected begin and end"
        )
    if end is None and begin is not None and usual is not None:
        after = rows[number + 1].begin if number + 1 < len(rows) else None
        end = begin + (usual if after is None else min(usual, after - begin))
    elif begin is None and end is not None and usual is not None:
        before = rows[number - 1].end if number else None
        begin = end - (usual if before is None else min(usual, end - before))
    assert begin is not None
    assert end is not None
    if not timedelta(0) < end - begin <= _LONGEST:
        raise ConfigurationError(
            f"{row.place}: from {said(begin, dated=row.dated)} to {said(end, dated=row.dated)}; "
            "expected an end after the begin, and a day at most"
        )
    return CarriedInterval(begin, end, row.mb_per_s, row.dated)


def gaps_of(intervals: Sequence[CarriedInterval]) -> Iterator[str]:
    """Each time between two intervals of which nothing is known, as ``09:30 to 11:00``."""
    for one, after in pairwise(intervals):
        if (after.begin - one.end).total_seconds() > APART_S:
            ends = said(one.end, dated=one.dated), said(after.begin, dated=after.dated)
            yield " to ".join(ends)


SLOT_S: Final = 900
"""Seconds of a slot, the steps in which a day or a week is looked at. Chosen: the usual interval of
reports."""

PERIODS: Final = {"day": 86_400, "week": 7 * 86_400}
"""Seconds after which times count as the same again."""


class Slot(Struct, frozen=True):
    """A quarter of an hour of the day or the week: what each node sent then, by the percentile."""

    begin_s: int
    label: str
    mean_mb_per_s: tuple[float, float]
    mb_per_s: tuple[float, float]


Weighed = Sequence[tuple[float, float]]
"""Figures, each with how much it counts."""


def mean(weighed: Weighed) -> float:
    """The mean of figures."""
    return sum(value * weight for value, weight in weighed) / sum(weight for _, weight in weighed)


def percentile_of(weighed: Weighed, percentile: float) -> float:
    """The least figure up to which there is so much of the weight."""
    wanted = percentile / 100 * sum(weight for _, weight in weighed) * (1 - 1e-12)
    ordered = sorted(weighed)
    reached = accumulate(weight for _, weight in ordered)
    return next(
        (value for (value, _), sum_ in zip(ordered, reached, strict=True) if sum_ >= wanted),
        ordered[-1][0],
    )


def slots_of(
    intervals: Sequence[CarriedInterval], percentile: float, period: str
) -> Iterator[Slot]:
    """The slots that some interval is in, an interval in each that it touches."""
    found: dict[int, list[tuple[CarriedInterval, float]]] = {}
    for each in intervals:
        at = each.begin
        while at < each.end:
            slot = since(at, period) // SLOT_S * SLOT_S
            over = at + timedelta(seconds=SLOT_S - since(at, period) % SLOT_S)
            until = min(over, each.end)
            found.setdefault(slot, []).append((each, (until - at).total_seconds()))
            at = until
    for begin_s, parts in sorted(found.items()):
        out, back = ([(each.mb_per_s[way], weight) for each, weight in parts] for way in (0, 1))
        most = percentile_of(out, percentile), percentile_of(back, percentile)
        yield Slot(begin_s, label_of(begin_s, period), (mean(out), mean(back)), most)


def since(time: datetime, period: str) -> int:
    """Seconds since the day began, or the week on Monday."""
    day = time.weekday() * 86_400 if period == "week" else 0
    return day + time.hour * 3600 + time.minute * 60 + time.second


def label_of(begin_s: int, period: str) -> str:
    """``09:15``, or ``Mon 09:15``."""
    days, rest = divmod(begin_s, 86_400)
    day = f"{WEEKDAYS[days]} " if period == "week" else ""
    return f"{day}{rest // 3600:02}:{rest // 60 % 60:02}"
