"""A mark on a single row of a report never loses that row in silence.

People mark rows in mails and tickets, wikis and Markdown put signs around words, and a text that
was scanned or typed again has letters for digits. With a row so disturbed the figures are the
same, or the reader refuses and names the line.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from isfc.errors import ConfigurationError
from isfc.io.rmf import parse_rmf
from isfc.site.figures import Reading, checked
from isfc.site.measurement import joined, table_rows
from isfc.site.page import read_text
from tests.properties.test_mutated_readers import PAGES

DATA: Final = Path(__file__).parents[1] / "data"
MARKS: Final = (
    *("*", "->", "!", "=>", "#", "+", "~", "x", "-", "\u2022", "(", "[", "\\", '"', "'", "_"),
    *("**", "`", ">", "|", "=", "1", "0", "A", "?", "$", ".", ","),
)
LIKE_DIGITS: Final = {"0": "O", "1": "I", "2": "Z", "5": "S", "6": "b", "8": "&", "9": "g"}
AROUND: Final = ("**", "__", "*", "`", '"', "'", "~~")

Figures = frozenset[tuple[Any, ...]]


def marked(row: str) -> Iterator[str]:
    """A row with each mark before, in and behind its first word, around it and its words."""
    blanks = re.match(" *", row)
    assert blanks is not None
    begin, body = blanks[0], row.strip()
    first, rest = body.split(" ", 1)
    for mark in MARKS:
        yield mark + row
        yield f"{begin}{mark}{body}"
        yield f"{begin}{mark} {body}"
        yield f"{begin}{first[:1]}{mark}{first[1:]} {rest}"
        yield f"{begin}{first}{mark} {rest}"
    yield f"{begin}{first[:1]} {first[1:]} {rest}"
    yield begin + first + rest.lstrip()
    for mark in AROUND:
        yield f"{begin}{mark}{body}{mark}"
        yield f"{begin}{mark}{first}{mark} {rest}"
        yield begin + " ".join(f"{mark}{word}{mark}" for word in body.split())
    for place, char in enumerate(body):
        if char in LIKE_DIGITS:
            yield begin + body[:place] + LIKE_DIGITS[char] + body[place + 1 :]
        if char == "_":
            yield begin + body[:place] + " " + body[place + 1 :]
            yield begin + body[:place] + "\\_" + body[place + 1 :]


def of_report(text: str) -> Figures:
    """What is sized of an RMF report, without the names of channels and devices."""
    return frozenset(
        (each.name, number, *figures)
        for each in parse_rmf(text, "report")
        for number, figures in enumerate(
            [
                *sorted(
                    (
                        *(line.read_mb_per_s, line.write_mb_per_s),
                        *(line.io_per_s, line.processor_percent, line.bus_percent),
                        *(bool(line.generation), line.link_gbps),
                    )
                    for line in each.channels
                ),
                *sorted((line.io_per_s, *line.times_ms) for line in each.devices),
                *sorted((line.starts_per_s, *line.figures) for line in each.iops),
            ]
        )
    )


SCREEN: Final = """\
 RMF V2R5   Channel Path Activity          Line 1 of 9
 Samples: 100     System: ZVM2  Date: 06/02/24  Time: 10.20.00  Range: 100   Sec
  Channel Path         Utilization(%)    Read(B/s)  Write(B/s)   FICON Ops   zHPF Ops
 ID No G Type    S    Part  Tot   Bus   Part   Tot  Part   Tot  Rate Actv   Rate Actv
 7A    1B FC_S   Y     4.1   8.2  9.3   10M    21M  800K    5M   310    1   4200    1
 7B    1B FC_S   Y     0.0   1.2  0.3     0      0     0     0    10    1
"""


def of_pages(text: str) -> Figures:
    """What is read of pages of Performance Toolkit and link activity, without names."""
    reading = Reading()
    found = joined(checked(read_text(text, "page", reading), reading))
    reading.end()
    names = ("rdev", "partner")
    rows = [[*(v for k, v in row.items() if k not in names)] for row in table_rows(found)]
    return frozenset(tuple(row) for row in rows) | {(len(rows),)}


def sample(name: str) -> str:
    """A report of ours."""
    return (DATA / "rmf" / f"{name}.txt").read_text("utf-8")


OF_PAGES: Final = r"60\d[013] CTCA|5[AB]4|GDL\S+ .*:54:| .*(?:SSCH rate|Connected|Device type)"

READERS: Final[dict[str, tuple[str, str, Callable[[str], Figures]]]] = {
    # the text, what its rows begin with, what is read
    "RMF channels": (sample("channel-path-activity"), r" [0-9A-F]{2} FC_S +\d", of_report),
    "RMF channels in words": (sample("three-intervals-pasted"), r"5\d FC_S.* 24120.0", of_report),
    "RMF devices": (sample("device-activity"), r".* 708[0-5] 3390|.* LCU +00B0", of_report),
    "RMF devices later": (sample("device-activity-v2r4"), r".* 0220\w 3390", of_report),
    "RMF IOPs": (sample("io-queuing-activity"), r"  0\d  |  ?SYS  ", of_report),
    "RMF Monitor III": (SCREEN, r" 7[AB] ", of_report),
    **{name: (PAGES[name], OF_PAGES, of_pages) for name in PAGES},
}


@pytest.mark.parametrize("at_most", [40, pytest.param(10_000, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", READERS)
def test_a_marked_row_is_read_or_named(name: str, at_most: int) -> None:
    text, begins, read = READERS[name]
    intact, lines = read(text), text.split("\n")
    rows = [number for number, line in enumerate(lines) if re.match(begins, line)]
    changes = [(number, row) for number in rows for row in marked(lines[number])]
    assert len(changes) >= 100
    silent = []
    # the details of a device are one, and named by their heading
    details = "page:(?:3|16):" if name == "FCX110" else "$^"
    for number, row in Random(0).sample(changes, min(at_most, len(changes))):
        try:
            found = read("\n".join([*lines[:number], row, *lines[number + 1 :]]))
        except ConfigurationError as error:
            place = rf"\blines? .*\b{number + 1}\b|:{number + 1}:|{details}"
            if not re.search(place, str(error)):
                silent.append(f"{row} was refused without its line: {error}")
        else:
            if found != intact:
                silent.append(f"{row} gave other figures")
    assert not silent, "\n".join(silent)
