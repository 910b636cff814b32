"""Figures as reports print them, and what is wrong with a file, by file and line.

That is what is no figure, and what figures of one row cannot be: negative, busier than a device can
be, at odds.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from msgspec import Struct

from isfc.errors import ConfigurationError
from isfc.errors.arguments import spelt
from isfc.errors.in_words import number
from isfc.site.measurement import DeviceFigures, FilePlace, LinkFigures, Measurement, WayFigures

_T = TypeVar("_T")

PROBLEMS_SHOWN: Final = 10
_DOTS: Final = re.compile(r"\.{2,}|-+")
_NUMBER: Final = re.compile(r"[+-]?(\d+(?:\.\d*)?|\.\d+)%?", re.ASCII)
_COMMA: Final = re.compile(r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d*),\d+%?", re.ASCII)
_COMMA_GROUPS: Final = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?%?", re.ASCII)
_POINT_GROUPS: Final = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+%?", re.ASCII)


class BadFigure(ConfigurationError):
    """One figure, row or page that cannot be right; the message says what was expected."""


class Reading(Struct):
    """How files are read, and what was wrong with them.

    With ``usable`` a bad row is left out and kept in ``problems``; else it is refused. With
    ``decimal_comma`` figures may be written as 61,8, those of one file all alike. ``notes`` are
    what was passed over for a reason that is no fault of the file. ``accounts`` say of each text
    what became of its lines.
    """

    usable: bool = False
    decimal_comma: bool = False
    problems: list[str] = []
    notes: list[str] = []
    accounts: list[str] = []
    _marks: dict[str, str] = {}
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


BUSY_MAX: Final = 100.5
"""Percent of one device: reports round to whole ones."""

_AT_ODDS: Final = 0.15
"""Share by which I/O/s times Serv and Busy may differ beside rounding. They are the same in every
published row; chosen, as in pages whose figures have 2 % of noise they are up to 10 % apart."""

_SERV_MS_MIN: Final = 0.005
"""Serv of an I/O: a FICON channel takes longer for its exchange alone. Chosen."""

_SERV_MS_MAX: Final = 30_000.0
"""Serv of an I/O: the missing-interrupt handler would have ended it. Chosen."""


def checked(measurements: Iterable[Measurement], reading: Reading) -> list[Measurement]:
    """The measurements without the rows that cannot be; what is wrong goes to ``reading``."""
    found = []
    for one in measurements:
        if one.begin and one.end and _ordered(one) and one.begin >= one.end:
            reading.problems.append(
                f"{one.place}: from {one.begin} to {one.end}; expected an end after the begin"
            )
            continue
        devices = tuple(each for each in one.devices if not _told(each, reading))
        links = tuple(each for each in one.links if not _told(each, reading))
        if devices or links or one.configured or one.changes or one.foreign:
            found.append(replace(one, devices=devices, links=links))
    return found


def without_repeats(measurements: Sequence[Measurement], reading: Reading) -> list[Measurement]:
    """The measurements without those of an interval that is there before; told to ``reading``.

    One over several intervals that are there as well is left out, with a note.
    """
    found: list[Measurement] = []
    for one in measurements:
        alike = [each for each in measurements if each is not one and _same_rows(each, one)]
        if inner := [each for each in alike if _holds(one, each)]:
            reading.notes.append(
                f"{one.place}: left out: {one.interval}, as the intervals in it are given too "
                f"({', '.join(str(each.place) for each in inner[:3])})"
            )
            continue
        before = next((each for each in alike if each in found and _meets(each, one)), None)
        if before is None:
            found.append(one)
        else:
            reading.problems.append(
                f"{one.place}: the same system and interval as {before.place} ({one.interval}); "
                f"expected each once: are these two systems, and {spelt('system')} says of neither "
                "which?"
            )
    return found


def _same_rows(one: Measurement, other: Measurement) -> bool:
    if (one.system, one.zone) != (other.system, other.zone):
        return False
    rdevs = {each.rdev for each in one.devices} & {each.rdev for each in other.devices}
    partners = {each.partner for each in one.links} & {each.partner for each in other.links}
    foreign = {(each.rdev, each.way) for each in one.foreign}
    return bool(rdevs or partners or foreign & {(each.rdev, each.way) for each in other.foreign})


def _holds(one: Measurement, other: Measurement) -> bool:
    """Whether an interval is longer than another and holds it."""
    if not (one.begin and one.end and other.begin and other.end and _ordered(one, other)):
        return False
    inside = one.begin <= other.begin and other.end <= one.end
    return inside and (one.begin, one.end) != (other.begin, other.end)


def _meets(one: Measurement, other: Measurement) -> bool:
    """Whether two intervals are one or overlap."""
    if one.begin and one.end and other.begin and other.end and _ordered(one, other):
        return one.begin < other.end and other.begin < one.end
    return one.end is not None and one.end == other.end


def _ordered(*measurements: Measurement) -> bool:
    """Whether their times have dates, and so an order as text."""
    return all("-" in (time or "") for one in measurements for time in (one.begin, one.end))


def _told(row: DeviceFigures | LinkFigures, reading: Reading) -> bool:
    # one is enough: the others mostly follow from it
    problem = next(problems_of(row) if isinstance(row, DeviceFigures) else _of_link(row), None)
    if problem is not None:
        reading.problems.append(f"{row.place}: {problem}")
    return problem is not None


def problems_of(row: DeviceFigures) -> Iterator[str]:
    """What the figures of a device cannot be, or cannot be together."""
    name = f"RDEV {row.rdev:04X}"
    times = {"Pend": row.pend_ms, "Disc": row.disc_ms, "Conn": row.conn_ms, "Serv": row.serv_ms}
    for what, value in {"I/O a second": row.io_per_s, "Busy": row.busy_percent, **times}.items():
        if value is not None and value < 0:
            yield f"{name}: {what} {value:g} is negative; expected 0 or more"
    if row.busy_percent is not None and row.busy_percent > BUSY_MAX:
        yield f"{name}: Busy {row.busy_percent:g} %; expected at most 100 of one device"
    if missing := [what for what, value in times.items() if value is None]:
        if row.io_per_s > 0 or len(missing) < len(times):
            without = ", ".join(missing)
            yield f"{name}: {row.io_per_s:g} I/Os a second without {without}; expected both"
        elif (row.busy_percent or 0.0) > 0.5:
            yield f"{name}: Busy {row.busy_percent:g} % without an I/O; expected both"
        return
    pend, disc, conn, serv = (value or 0.0 for value in times.values())
    yield from _of_sum(name, (pend, disc, conn), serv, row.decimals)
    yield from _of_busy(name, row, serv)


def _of_sum(
    name: str, parts: Sequence[float], serv_ms: float, decimals: int | None
) -> Iterator[str]:
    total = sum(parts)
    # each of four figures is off by up to half of its last digit
    unit = 10.0 ** -(1 if decimals is None else decimals)
    # Performance Toolkit drops the digit after the point of what does not fit
    coarse = sum(0.5 for part in (*parts, serv_ms) if part > 99.5)
    if abs(total - serv_ms) > 2 * unit + coarse + 1e-9:
        yield (
            f"{name}: Serv {serv_ms:g} ms is not Pend + Disc + Conn, {total:g} ms; "
            "expected the same within rounding: are columns shifted?"
        )


def _of_busy(name: str, row: DeviceFigures, serv_ms: float) -> Iterator[str]:
    """I/Os a second times what each takes is how busy a device is."""
    if row.io_per_s > 0 and serv_ms > _SERV_MS_MAX:
        yield f"{name}: Serv {serv_ms:g} ms; expected at most {_SERV_MS_MAX:g} of an I/O"
    # each figure is off by up to half of its last digit, and may be given without one
    io_off = 0.5 if row.io_per_s == int(row.io_per_s) else 0.05
    serv_off = 0.5 * 10.0 ** -(2 if row.decimals is None else row.decimals)
    serv_off = max(serv_off, 0.5 if serv_ms > 99.5 and serv_ms == int(serv_ms) else 0.0)
    if row.io_per_s > 1 and serv_ms + serv_off < _SERV_MS_MIN:
        yield (
            f"{name}: Serv {serv_ms:g} ms at {row.io_per_s:g} I/Os a second; expected at least "
            f"{_SERV_MS_MIN:g} of an I/O: are these two of one device?"
        )
    percent = row.io_per_s * serv_ms / 10
    rounding = (row.io_per_s * serv_off + serv_ms * io_off + io_off * serv_off) / 10
    busy = row.busy_percent
    low, high = percent * (1 - _AT_ODDS) - rounding, percent * (1 + _AT_ODDS) + rounding
    if low > BUSY_MAX or (busy is not None and not low - 0.5 <= busy <= high + 0.5):
        beside = "" if busy is None else f", and Busy is {busy:g} %"
        yield (
            f"{name}: {row.io_per_s:g} I/Os a second of {serv_ms:g} ms each are "
            f"{number(percent, 1)} % busy{beside}; expected the same: is Serv in ms and I/O a "
            "second, or are columns shifted?"
        )


def _of_link(row: LinkFigures) -> Iterator[str]:
    figures = {
        "TXPENDCT": row.tx_pend_count,
        "WCol/sec": row.collisions_per_s,
        "WMB/sec": row.written.mb_per_s,
        "WPkg/sec": row.written.packages_per_s,
        "WMsg/sec": row.written.messages_per_s,
        "RMB/sec": row.read.mb_per_s,
        "RPkg/sec": row.read.packages_per_s,
        "RMsg/sec": row.read.messages_per_s,
    }
    for what, value in figures.items():
        if value < 0:
            yield f"{what} {value:g} is negative; expected 0 or more"
    for side, way in (("W", row.written), ("R", row.read)):
        yield from _of_counts(side, way)
        packages, length = way.packages_per_s, way.bytes_per_package
        ratio = way.messages_per_package
        derived = packages * length / 2**20
        # figures are rounded to a tenth, bytes a package by some to whole ones
        off = (0.05 * length + 0.5 * packages) / 2**20 + 0.05
        if abs(derived - way.mb_per_s) > off + 0.02 * way.mb_per_s:
            yield (
                f"{side}MB/sec {way.mb_per_s:g} is not {side}Pkg/sec times bytes a package, "
                f"{number(derived, 1)}; expected the same within rounding: are columns shifted?"
            )
        messages = packages * ratio
        off = 0.05 * packages + 0.5 * ratio + 0.5
        if abs(messages - way.messages_per_s) > off + 0.02 * messages:
            yield (
                f"{side}Msg/sec {way.messages_per_s:g} is not {side}Pkg/sec times messages a "
                f"package, {number(messages, 1)}; expected the same within rounding: are "
                "columns shifted?"
            )


def _of_counts(side: str, way: WayFigures) -> Iterator[str]:
    """Packages, messages and bytes that cannot be of one another."""
    packages, messages = way.packages_per_s, way.messages_per_s
    # MB/s may be rounded to a tenth
    too_few = max(packages, messages) > (way.mb_per_s + 0.05) * 2**20
    if packages >= 1 and (too_few or way.bytes_per_package < 1):
        problem = "less than a byte each"
    elif way.mb_per_s > 1 and not (packages and messages):
        problem = "bytes of none"
    else:
        return
    yield (
        f"{side}MB/sec {way.mb_per_s:g}, {side}Pkg/sec {packages:g} and {side}Msg/sec "
        f"{messages:g}: {problem}; expected all of one link: are columns or offsets shifted?"
    )
