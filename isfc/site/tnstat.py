"""VTAM's tuning statistics of the CTCs of a multipath channel, as MODIFY TNSTAT,CNSL shows them.

The messages are published, and that a record covers the time since the one before of the same line
(z/OS Communications Server: SNA Messages, IST1230I; SNA Network Implementation Guide). So a rate
takes two records. How many bytes an overflow of a counter stands for is not published where we
could read it: a CTC that has some is without bytes.
"""

import re
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final

from msgspec import Struct

from ctc.address import Rdev
from isfc.errors.in_words import grouped
from isfc.layout.layers import plain
from isfc.layout.pasted import Kind, is_rule, not_read
from isfc.site.dates import read_stamp
from isfc.site.figures import BadFigure, Reading
from isfc.site.measurement import FilePlace, ForeignFigures, Measurement
from isfc.site.page import read_lines

_MESSAGE: Final = re.compile(r"\b(IST\d{3,4}I)\b(.*)")
_REST: Final = re.compile(r"\W*\d+\W*", re.ASCII)
"""What a mail program may have put on a line of its own."""
_LABEL: Final = re.compile(r"\b(?:[IO]PDU|[IO]NLP|[TQ]SWEEP|DIR|BSIZE|SIO|N?BYTE?CNT)\s*=")
_FORMS: Final = {
    "IST1230I": r"TIME = (\S+) DATE = (\S+) ID = ([\w$#@-]+)",
    "IST1231I": r"IPDU = \d+ OPDU = \d+",
    "IST1569I": r"INLP = \d+ ONLP = \d+",
    "IST1232I": r"TSWEEP = \d+ QSWEEP = \d+",
    "IST924I": "-*",
    "IST1233I": "DEV = ([0-9A-F]{3,4}) DIR = (READ|WRITE)",
    "IST1234I": r"BSIZE = \d+ MAXBYTES = \d+",
    "IST1235I": r"SIO = (\d+) SLOWDOWN = \d+",
    "IST1236I": r"BYTECNTO = (\d+) BYTECNT = (\d+)",
    "IST1570I": r"NBYTECTO = \d+ NBYTECT = \d+",
    "IST314I": "END",
}
"""The messages of a record, and what each says but for blanks."""

_WHOLE: Final = re.compile(
    "1230 1231 (?:1569 )?1232 (?:(?:924 )?1233 1234 1235 1236 (?:1570 )?)+(?:924 )?314 "
)
_OTHERS: Final = {"IST1505I", "IST1613I", "IST1811I", "IST2366I"}
"""Messages of XCF, TCP/IP, queued direct I/O and RoCE, whose records are not of VTAM's CTCs."""

_JULIAN: Final = re.compile(r"\d{5} \d{8}", re.ASCII)
_WAYS: Final = {"READ": "read", "WRITE": "written"}
_APART: Final = 0.05
"""Share by which times between records may differ; VTAM writes them after so many minutes."""

_Said = tuple[FilePlace, str, str, int]
"""A message, its text, and how many columns its line has."""


class _Log(Struct):
    """The records of a text, as they are read."""

    reading: Reading
    said: list[_Said] = []
    """The messages of a record that has no end yet."""
    found: list[Measurement] = []
    started: dict[FilePlace, int] = {}
    """The I/Os that each CTC of a record counts."""

    def take(self, text: str, place: FilePlace) -> Kind:
        """Read one line, and say what it is; raises `BadFigure` for one that may be of a record."""
        found = _MESSAGE.search(text.upper())
        if found is None:
            is_rest = "=" in text or _REST.fullmatch(text)
            if (self.said and is_rest) or _LABEL.search(text.upper()):
                raise BadFigure(not_read(text))
            return Kind.RULE if is_rule(text) else Kind.TEXT
        message, rest = found[1], " ".join(found[2].replace("=", " = ").split())
        if message == "IST1230I":
            self.close()
        elif not self.said:
            if "=" in _FORMS.get(message, ""):
                raise BadFigure(f"{message} without IST1230I above it; expected the whole record")
            return Kind.OTHER
        self.said.append((place, message, rest, len(text)))
        if message == "IST314I":
            said, self.said = self.said, []
            self.reading.attempt(said[0][0], partial(self._end, said))
        return Kind.ROW if message in _FORMS else Kind.OTHER

    def close(self) -> None:
        """No more of a record comes; without an end it was cut."""
        if self.said:
            self.reading.problems.append(
                f"{self.said[0][0]}: no IST314I END of it: has it been cut?"
            )
            self.said = []

    def _end(self, said: list[_Said]) -> None:
        """Read a whole record; raises `BadFigure` for one that is not."""
        place, messages = said[0][0], [message for _, message, *_ in said]
        if _OTHERS & {*messages}:
            self.reading.notes.append(f"{place}: left out: VTAM's record of what is no CTC")
            return
        told: dict[str, list[tuple[str, ...]]] = {message: [] for message in _FORMS}
        problems = len(self.reading.problems)
        for at, message, text, _ in said:
            if (match := re.fullmatch(_FORMS.get(message, "(?!)"), text, re.ASCII)) is None:
                expected = _FORMS.get(message, "another message")
                self.reading.problems.append(f"{at}: {message} {text[:40]!r}; expected {expected}")
            else:
                told[message].append(match.groups())
        ctcs, ways = ([each[n] for each in told["IST1233I"]] for n in (0, 1))
        whole = _WHOLE.fullmatch("".join(f"{message[3:-1]} " for message in messages))
        if len(self.reading.problems) > problems:
            return
        if not whole or len({*ctcs}) < len(ctcs) or len({*ways}) < 2:
            raise BadFigure("a record that is not whole; expected all its messages, CTCs each way")
        time, day, line = told["IST1230I"][0]
        rdevs, end = tuple(Rdev(int(each, 16)) for each in ctcs), _stamp(f"{day} {time}")
        if said[0][-1] == max(width for *_, width in said):
            self.reading.notes.append(
                f"{place}: the line's name {line}, which may be cut: no line of the record goes "
                "beyond it"
            )
            line = ""
        for one in self.found:
            name, alike = one.foreign[0].partner, rdevs == _rdevs(one)
            if alike != (name == line) and not (alike and "" in (name, line)):
                raise BadFigure(
                    f"other devices than in {one.place}, or another name; expected the same of "
                    f"{line or 'one line, or its whole name'}"
                )
        places = [at for at, message, *_ in said if message == "IST1233I"]
        counts = zip(told["IST1235I"], told["IST1236I"], strict=True)
        foreign = []
        for at, rdev, way, ((sio,), (over, size)) in zip(places, rdevs, ways, counts, strict=True):
            if int(over):
                self.reading.notes.append(
                    f"{at}: bytes left out: what BYTECNTO counts is not known"
                )
            self.started[at] = int(sio)
            length = int(size) / int(sio) if int(sio) and not int(over) else None
            foreign.append(ForeignFigures("VTAM", rdev, _WAYS[way], line, None, length, None, at))
        self.found.append(Measurement(None, None, end, place, foreign=tuple(foreign)))

    def timed(self) -> list[Measurement]:
        """The records with their rates, whatever their order: over the time since the one before.

        Those times have to be alike. A line is known by its devices: its name may be cut.
        """
        ends = grouped((_rdevs(one), one.end or "") for one in self.found)
        found, times = list[Measurement](), dict[float, FilePlace]()
        for one in self.found:
            end = one.end or ""
            before = [each for each in ends[_rdevs(one)] if each < end]
            if before:
                since = datetime.fromisoformat(end) - datetime.fromisoformat(max(before))
                seconds = since.total_seconds()
                times.setdefault(seconds, one.place)
                rates = (
                    replace(ctc, io_per_s=self.started[ctc.place] / seconds) for ctc in one.foreign
                )
                one = replace(one, begin=max(before), foreign=tuple(rates))
            found.append(one)
        if times and (least := min(times)) < (longest := max(times)) * (1 - _APART):
            self.reading.problems.append(
                f"{times[longest]}: {longest:g} s after the record before, and others "
                f"{least:g} s: expected all alike; is a record lost?"
            )
        return found


def _rdevs(record: Measurement) -> tuple[Rdev, ...]:
    return tuple(each.rdev for each in record.foreign)


def _stamp(text: str) -> str:
    """A date and a time: yyddd hhmmsshh, or as VTAM's other option has them."""
    if not _JULIAN.fullmatch(text):
        return read_stamp(text)
    try:
        return datetime.strptime(text[:-2] + "+0000", "%y%j %H%M%S%z").strftime("%Y-%m-%dT%H:%M:%S")
    except ValueError:
        raise BadFigure(f"{text} is no time; expected yyddd hhmmsshh") from None


def read_tnstat(text: str, file: str, reading: Reading) -> list[Measurement]:
    """The CTCs of each record of a text; what is wrong goes to ``reading``."""
    log = _Log(reading)
    read_lines(plain(text), file, reading, log.take)
    log.close()
    return log.timed()
