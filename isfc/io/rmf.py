"""Pasted RMF reports: Channel Path Activity, Direct Access Device Activity, I/O Queuing Activity.

Text in, intervals out. Page breaks and other reports are passed over; a line that was broken in
two is joined, and one that was pasted twice counts once. A line without figures, or of a channel
that is no FICON channel, is noted as passed over. Whatever looks like a line of a report and is
none is a `ConfigurationError` that names the line and the column; what became of the others is in
the `LineAccount` of each interval.
"""

import re
from enum import Enum, auto
from itertools import groupby, pairwise
from pathlib import Path
from typing import Final

from isfc.errors import ConfigurationError
from isfc.errors.in_words import first_listed
from isfc.errors.in_words import number as in_words
from isfc.io import rmf_channels, rmf_lines, rmf_text
from isfc.io.rmf_channels import UNTITLED, ChannelLine
from isfc.io.rmf_lines import DeviceLine, IopLine, RmfInterval
from isfc.io.rmf_text import DEVICE, PassedOver, number_of
from isfc.layout import pasted
from isfc.layout.checked_toml import TEXT_LENGTH_MAX, read_bytes, text_of, within
from isfc.layout.columns import Word, words_of
from isfc.layout.layers import plain
from isfc.layout.pasted import Kind, LineAccount
from isfc.layout.source_kind import refuse_foreign

_Line = ChannelLine | DeviceLine | IopLine | PassedOver


class _Report(Enum):
    CHANNEL = auto()
    DEVICE = auto()
    QUEUING = auto()
    OTHER = auto()
    UNKNOWN = auto()
    """No title yet: lines were pasted without it, or it follows a letter's first words."""


_TITLES: Final = (
    ("CHANNELPATHA", "CTIVITY", _Report.CHANNEL),
    ("DIRECTACCESSD", "EVICEACTIVITY", _Report.DEVICE),
    ("I/OQUEUINGA", "CTIVITY", _Report.QUEUING),
    ("I/OQUEUEINGA", "CTIVITY", _Report.QUEUING),
)
"""How titles begin, and what follows where a mail of 72 columns breaks them."""

_SYSTEM: Final = re.compile(
    r"SYSTEM(?: ID|:) +(?!(?:DATE|TIME|INTERVAL|RPT|CYCLE|PAGE|TOTAL|IODF)\b|DATE|\d\d/)(\S+)"
)
"""A system's name, which no word is that stands elsewhere in a heading."""

_MONTH: Final = r"(?:0\d|1[0-2])"
_DATE: Final = re.compile(rf"(?<!-)\bDATE:? +((?:{_MONTH}/[0-3]\d|[0-3]\d/{_MONTH})/\d{{2,4}})")
_TIME: Final = re.compile(r"(?<!-)\bTIME:? +(\d\d[.:]\d\d[.:]\d\d)")

_RATE_OFF: Final = 0.001
"""I/Os a second by which the rate of a device may be off: its last digit."""

_IOP_RATE_OFF: Final = 1e-5
"""Share by which starts of the system and of its IOPs may differ: rates have seven digits."""


def read_rmf(path: Path) -> tuple[RmfInterval, ...]:
    """The intervals in the file at ``path``; raises `ConfigurationError` as `parse_rmf` does.

    What is no UTF-8, as a pound sign that came from a host, is passed over.
    """
    with within(str(path)):
        expected = "the text of an RMF report"
        text = text_of(read_bytes(path, expected, TEXT_LENGTH_MAX), expected, "replace")
    return parse_rmf(text, str(path))


def parse_rmf(text: str, source: str) -> tuple[RmfInterval, ...]:
    """The intervals in a pasted report, in its order; ``source`` is its name in messages.

    Raises `ConfigurationError` if there is none, if a line of one cannot be read, or if one has no
    row but such as are passed over.
    """
    with within(source):
        found = _Parser().parse(text)
        for one in found:
            if not (one.channels or one.devices or one.iops):
                passed = [f"{line.name} {line.kind} ({line.reason})" for line in one.passed_over]
                raise ConfigurationError(
                    f"{one.name}: nothing to read but {first_listed(passed, 4)}; expected "
                    "a FICON channel (FC), a disk or an IOP with figures, or no such page"
                )
    if not found:
        refuse_foreign(text, source, "io size")
        raise ConfigurationError(
            f"{source}: holds no line of an RMF report; expected the text of Channel Path "
            "Activity, Direct Access Device Activity or I/O Queuing Activity"
        )
    return found


class _Parser:
    """Reads a text from top to bottom: which report it is in, and of which interval."""

    def __init__(self) -> None:
        self._intervals: dict[tuple[str, str, str], RmfInterval] = {}
        self._system = self._date = self._time = ""
        self._report = _Report.UNKNOWN
        self._parts = 1
        self._words: list[Word] = []
        self._heading = UNTITLED
        self._columns: tuple[str, ...] = ()
        self._shorter: Word | None = None
        """The first channel of a table that has no figures of zHPF."""
        self._is_broken = False
        """Whether a channel of the table goes on in the next line."""
        self._account = LineAccount()
        self._not_read: list[tuple[Word, str, bool]] = []
        """Lines that look like rows and are none, and whether a title is above them."""
        self._width = self._page_width = 0
        """Columns of the second widest line, as one may be two that were joined, and of the widest
        of the page."""
        self._first_row: int | None = None
        """The line of the first row of the page."""
        self._is_cut = False
        """Whether the lines that are left are the last, and the text ends within one."""
        self._titled = 0
        """The line of the last title."""
        self._heard: dict[str, tuple[str, int]] = {}
        """What the heading of the page has said, and in which line.

        Where no title tells pages apart, since the last line of a table."""
        self._has_rows = False
        """Whether the page has a line of its table."""
        self._places: dict[tuple[tuple[str, str, str], str], tuple[_Line, int]] = {}
        self._seen: set[tuple[tuple[str, str, str], _Line]] = set()

    def parse(self, text: str) -> tuple[RmfInterval, ...]:
        found = plain(text)
        lines = rmf_text.plain_text(found).split("\n")
        self._width = max(sorted(map(len, lines))[:-1], default=0)
        self._account = found.account
        for number, line in enumerate(lines, start=1):
            if self._take_heading(line, number):
                self._take_records()
                is_other = self._report is _Report.OTHER
                self._account.note(number, Kind.OTHER if is_other else Kind.HEADING)
            else:
                shift = found.column(number, 1) - 1 if found.layers else 0
                self._words += words_of(line, number, shift)
            self._page_width = max(self._page_width, len(line))
        self._is_cut = not text.endswith(("\n", "\r"))
        self._take_records()
        if self._not_read and (self._intervals or any(titled for *_, titled in self._not_read)):
            (word, line, _), *others = self._not_read
            also = f" ({pasted.spans(each.line for each, *_ in others)} as well)" if others else ""
            raise word.error(pasted.not_read(line) + also)
        return tuple(self._intervals.values())

    def _take_heading(self, line: str, number: int) -> bool:
        """Whether a line is of a heading; if so, note what it says once the table is read."""
        squeezed = re.sub(r"\s+", "", line)
        report = next((report for title, _, report in _TITLES if title in squeezed), None)
        if report is not None:
            self._titled = number
        elif rmf_text.is_other_title(line, number, [one + rest for one, rest, _ in _TITLES]):
            # or the rest of a title that was broken in two
            begun = self._titled == number - 1
            if begun and any((title + rest).endswith(squeezed) for title, rest, _ in _TITLES):
                return True
            report = _Report.OTHER
        system, date, time = (what.search(line) for what in (_SYSTEM, _DATE, _TIME))
        if not (report or system or date or time):
            return False
        self._take_records()
        if {report, self._report} - {None, _Report.OTHER} and pasted.holds_row(line):
            raise ConfigurationError(f"line {number}: {pasted.not_read(line)}")
        if report is not None:
            self._heading, self._columns = UNTITLED, ()
            # a page that lost a line of its heading is not of the interval before
            self._system = self._date = self._time = ""
            self._heard.clear()
            self._report, self._has_rows = report, False
            self._page_width, self._first_row = 0, None
        if self._report is not _Report.OTHER:
            for what, found in (("SYSTEM", system), ("DATE", date), ("TIME", time)):
                if found:
                    self._hear(what, found[1], number)
        self._system = system[1] if system else self._system
        self._date = date[1] if date else self._date
        self._time = time[1] if time else self._time
        return True

    def _hear(self, what: str, value: str, number: int) -> None:
        """Note what a heading says; raise `ConfigurationError` if the page is of something else."""
        if self._has_rows and what not in self._heard:
            raise ConfigurationError(
                f"line {number}: {what} is {value}, below lines of the table; expected it above "
                f"them, below the title in line {self._titled}: was a title lost?"
            )
        before, line = self._heard.setdefault(what, (value, number))
        if before != value:
            raise ConfigurationError(
                f"line {number}: {what} is {value}, and {before} in line {line}; expected one of "
                "them: are two pages mixed up?"
            )

    def _take_records(self) -> None:
        """Read the lines of the table that ends here."""
        words, self._words = self._words, []
        at = 0
        unread: list[Word] = []
        while at < len(words):
            begun, kind = at, Kind.ROW
            if heading := rmf_channels.read_heading(words, at, self._page_width):
                (self._heading, at), kind = heading, Kind.HEADING
            elif words[at].text == "RESP" and (columns := rmf_lines.device_columns(words, at)):
                (self._columns, at), kind = columns, Kind.HEADING
            else:
                at = self._take_row(words, at)
            if at == begun:
                unread.append(words[at])
                at += 1
                continue
            for word in words[begun:at]:
                self._account.note(word.line, kind)
            if kind is Kind.ROW:
                self._first_row = self._first_row or words[begun].line
                self._expect_whole_figures(words[begun : at + 1])
        self._pass_over(unread)
        shorter, self._shorter = self._shorter, None
        is_broken, self._is_broken = self._is_broken, False
        if shorter is not None and is_broken:
            raise shorter.error(
                f"chpid {shorter.text} has no figures of zHPF, and others go on in a next line; "
                "expected whole lines: was a line lost?"
            )

    def _take_row(self, words: list[Word], at: int) -> int:
        """Read the row that begins at ``at``; gives where it ends, or ``at`` if it is none."""
        match self._report:
            case _Report.UNKNOWN if rmf_text.looks_like_channel(words, at):
                return self._take_channel(words, at)
            case _Report.CHANNEL if self._heading.type_of(words, at) is not None:
                return self._take_channel(words, at)
            case _Report.DEVICE | _Report.UNKNOWN if rmf_text.starts_device(words, at):
                line, end = rmf_lines.read_device(words, at, self._columns)
                self._add(line, words[at].line)
                return end
            case _Report.DEVICE if words[at].text == "LCU":
                return self._take_total(words, at)
            case _Report.QUEUING if rmf_text.starts_iop(words, at):
                return self._take_iop(words, at)
            case _:
                return at

    def _pass_over(self, unread: list[Word]) -> None:
        """Note what lines are of which no row was read; raise `ConfigurationError` for a row."""
        least = rmf_text.FIGURES_AT_LEAST if self._report is _Report.UNKNOWN else 3
        for number, group in groupby(unread, key=lambda word: word.line):
            words = [*group]
            line = " ".join(word.text for word in words)
            if self._report is _Report.OTHER:
                kind = Kind.OTHER
            elif pasted.is_rule(line):
                kind = Kind.RULE
            elif pasted.looks_like_row(line, least) or (
                self._report is _Report.DEVICE and pasted.holds_row(line)
            ):
                self._not_read.append((words[0], line, self._report is not _Report.UNKNOWN))
                continue
            elif self._report is _Report.UNKNOWN or number > (self._first_row or number):
                kind = Kind.TEXT
            else:
                kind = Kind.HEADING
            self._account.note(number, kind)

    def _expect_whole_figures(self, words: list[Word]) -> None:
        """Raise `ConfigurationError` for a row that was broken where a figure may be cut.

        That is where as many columns end a line as the widest has, the next begins with none, and
        both halves together are a figure as well.
        """
        for last, first in pairwise(words):
            is_broken = (first.line, first.column, last.end) == (last.line + 1, 1, self._width)
            if is_broken and rmf_text.is_number(last.text + first.text):
                raise last.error(
                    f"the row goes on in line {first.line}, and {last.text!r} may be half of "
                    f"{last.text + first.text!r}: lines end at column {last.end}; expected "
                    "whole lines"
                )

    def _is_next_interval(self, line: _Line) -> bool:
        """Whether a channel or device was there already, with other figures.

        Where no heading says so, this is how another interval begins.
        """
        present = self._intervals.get((self._system, self._date, self._time))
        if present is None:
            return False
        if isinstance(line, DeviceLine):
            return any(line.device == first.device for first in present.devices[:1])
        chpids = [each.chpid for each in present.channels]
        return isinstance(line, ChannelLine) and line.chpid in chpids

    def _add(self, line: _Line, number: int) -> None:
        """Note a line of the present interval, unless the same one was pasted before."""
        if self._report is _Report.UNKNOWN:
            self._heard.clear()
        else:
            self._has_rows = True
        key = self._system, self._date, self._time
        if (key, line) in self._seen:
            return
        is_named = bool(self._system or self._date or self._time[:1].isdigit())
        if self._report is _Report.UNKNOWN and not is_named and self._is_next_interval(line):
            self._parts += 1
            key = "", "", f"part {self._parts}"
            self._time = key[2]
        self._seen.add((key, line))
        if not isinstance(line, PassedOver):
            before, at = self._places.setdefault((key, line.title), (line, number))
            if before != line:
                raise ConfigurationError(
                    f"line {number}: {line.title} has other figures here than in line {at}, and "
                    f"both are of {self._intervals[key].name}; expected it once"
                )
        interval = self._intervals.setdefault(key, RmfInterval(*key, account=self._account))
        match line:
            case ChannelLine():
                interval.channels.append(line)
            case DeviceLine():
                interval.devices.append(line)
            case IopLine():
                interval.iops.append(line)
            case PassedOver():
                interval.passed_over.append(line)

    def _take_channel(self, words: list[Word], start: int) -> int:
        if start and words[start - 1].line == words[start].line:
            before = words[start - 1]
            # 0 in the first column is a printer's control character
            if before.text != "0" and any(map(str.isalnum, before.text)):
                raise before.error(pasted.not_read(" ".join(w.text for w in words[start - 1 :])))
        type_at = self._heading.type_of(words, start)
        assert type_at is not None, "the caller looked"
        line, end = rmf_channels.read_channel(words, start, type_at, self._heading, self._width)
        has_zhpf = not isinstance(line, ChannelLine) or line.has_zhpf
        if not has_zhpf and "ZHPF RATE" in (self._heading.names or ()):
            if self._is_cut and end == len(words):
                raise words[start].error(
                    f"chpid {words[start].text} has no figures of zHPF, and the text ends there "
                    "without a line end; expected a whole line: was it cut?"
                )
            self._shorter = self._shorter or words[start]
        if words[end - 1].line > words[start].line:
            self._is_broken = True
        self._add(line, words[start].line)
        return end

    def _take_total(self, words: list[Word], start: int) -> int:
        """The line below the devices of an LCU, which adds them up: are they all there?"""
        lcu, text = (word.text for word in (*words[start + 1 : start + 3], *words[-1:] * 2)[:2])
        rate = rmf_lines.RATE.fullmatch(text)
        interval = self._intervals.get((self._system, self._date, self._time))
        end = rmf_text.rest_of_row(words, start + 3, rmf_text.starts_device)
        if rate is None or interval is None or not DEVICE.fullmatch(lcu):
            return start
        rates = [line.io_per_s for line in interval.devices if line.lcu == lcu]
        off = 10.0 ** -len(rate[1].partition(".")[2]) + _RATE_OFF * len(rates)
        self._compare(f"LCU {lcu}", "devices", number_of(rate[1]), rates, off, words[start])
        return end

    def _compare(
        self, whole: str, parts: str, total: float, rates: list[float], off: float, at: Word
    ) -> None:
        """Hold a total, which may be ``off``, against the rates that are to make it."""
        if sum(rates) > total + off:
            raise at.error(
                f"{whole} has {total:g} I/Os a second, and its {parts} {sum(rates):g} together; "
                "expected the same within rounding"
            )
        if sum(rates) < total - off:
            missing = f"{in_words(total - sum(rates))} of {in_words(total)} I/Os a second"
            self._add(PassedOver(whole, missing, rmf_lines.LINES_MISSING), at.line)

    def _take_iop(self, words: list[Word], start: int) -> int:
        line, end = rmf_lines.read_iop(words, start)
        interval = self._intervals.get((self._system, self._date, self._time))
        starts = line.starts_per_s
        if line.iop == rmf_lines.WHOLE_SYSTEM and starts is not None and interval is not None:
            rates = [each.starts_per_s or 0.0 for each in interval.iops if each.iop != line.iop]
            self._compare(line.iop, "IOPs", starts, rates, _IOP_RATE_OFF * starts, words[start])
        self._add(line, words[start].line)
        return end
