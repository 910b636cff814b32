"""A mark on a single row of a report never loses that row in silence.

People mark rows in mails and tickets, wikis and Markdown put signs around words, and a text that
was scanned or typed again has letters for digits. With a row so disturbed the figures are the
same, or the reader refuses and names the line.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from isfc.deck.deck import Access
from isfc.deck.listing import read_deck
from isfc.errors import ConfigurationError
from isfc.io.rmf import parse_rmf
from isfc.site.figures import Reading, checked
from isfc.site.measurement import joined, table_rows
from isfc.site.page import read_text
from tests.decks import DECKS
from tests.properties.test_mutated_readers import CONFIG, PAGES, of_configuration, of_console

DATA: Final = Path(__file__).parents[1] / "data"
MARKS: Final = (
    *("*", "->", "!", "=>", "#", "+", "~", "x", "-", "\u2022", "(", "[", "\\", '"', "'", "_"),
    *("**", "`", ">", "|", "=", "1", "0", "A", "?", "$", ".", ","),
)
LIKE_DIGITS: Final = {"0": "O", "1": "I", "2": "Z", "5": "S", "6": "b", "8": "&", "9": "g"}
OF_HEX: Final = {**LIKE_DIGITS, "6": "G"}
"""Where b is a digit as well, another device is meant, and nothing can tell."""
AROUND: Final = ("**", "__", "*", "`", '"', "'", "~~")

Figures = frozenset[tuple[Any, ...]]


def marked(row: str, like_digits: Mapping[str, str] = LIKE_DIGITS) -> Iterator[str]:
    """A row with each mark before, in and behind its first word, around it and its words."""
    blanks = re.match(" *", row)
    assert blanks is not None
    begin, body = blanks[0], row.strip()
    first, _, rest = body.partition(" ")
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
        if char in like_digits:
            yield begin + body[:place] + like_digits[char] + body[place + 1 :]
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


def of_listing(text: str) -> Figures:
    """What IOCP's reports say of partitions, channels and CTCs, without where they say it."""
    deck = read_deck(text, "listing")
    found = [
        *((each.name, each.image) for each in deck.partitions.values()),
        *((key, each.kind, each.switch, each.shared, *of_access(each.access))
          for key, each in deck.channels.items()),
        *((each.rdev, each.unit_address, unit.number, unit.cuadd, path.link, str(path.channel))
          for each in deck.devices
          for unit in [each.control_unit]
          for path in unit.paths[0]),
        *((each.rdev, *of_access(each.access)) for each in deck.devices),
    ]  # fmt: skip
    return frozenset(found)


def of_access(access: Access) -> list[str]:
    return [f"{css} {sorted(names)}" for css, names in sorted(access.allowed.items(), key=str)]


def of_statements(text: str) -> Figures:
    """The CTCs that statements choose, unless it is said that other ones are chosen."""
    found, said = of_configuration(text)
    return found if said == of_configuration(CONFIG)[1] else of_configuration(CONFIG)[0]


LISTING: Final = (DECKS / "one-cec.listing").read_text("utf-8")
OF_LISTING: Final = r" +[1-3] +[A-Z]{4}|   2\d +11|  2\d\d0-|   11. +2\d|  {20,}2\d\d0"
OF_CONSOLE: Final = r".*(?:Link device|Node:|Path |CHPIDs|D101)"
OF_CONFIG: Final = r".*(?:ACTIVATE|  60|EQUATE|: BEGIN|: END)"
CONSOLE: Final = """\
q islink
Node SOUTH
Link device: D100          Type: FCTC
Node:        SOUTH         Bytes Sent: 4410
Status:      Idle          Remote link device: D100
Link device: D110          Type: FCTC
Node:        SOUTH         Bytes Sent: 4410
Status:      Idle          Remote link device: D110
Ready; T=0.01/0.01 10:11:12
q chpid 52
Path 52 online to devices D100
D101 D102 D103
q paths d110
Device D110, Status ONLINE
 CHPIDs to Device D110 (PIM)  : 53
"""
OF_PAGES: Final = r"60\d[013] CTCA|5[AB]4|GDL\S+ .*:54:| .*(?:SSCH rate|Connected|Device type)"

READERS: Final[dict[str, tuple[str, str, Callable[[str], Figures]]]] = {
    # the text, what its rows begin with, what is read
    "RMF channels": (sample("channel-path-activity"), r" [0-9A-F]{2} FC_S +\d", of_report),
    "RMF channels in words": (sample("three-intervals-pasted"), r"5\d FC_S.* 24120.0", of_report),
    "RMF devices": (sample("device-activity"), r".* 708[0-5] 3390|.* LCU +00B0", of_report),
    "RMF devices later": (sample("device-activity-v2r4"), r".* 0220\w 3390", of_report),
    "RMF IOPs": (sample("io-queuing-activity"), r"  0\d  |  ?SYS  ", of_report),
    "RMF Monitor III": (SCREEN, r" 7[AB] ", of_report),
    "IOCP listing": (LISTING, OF_LISTING, of_listing),
    "CHANNEL PATH": (LISTING[LISTING.rindex("1TIME") :], OF_LISTING, of_listing),
    "I/O DEVICE": (LISTING.split("1TIME")[3], OF_LISTING, of_listing),
    "console": (CONSOLE, OF_CONSOLE, of_console),
    "configuration": (CONFIG, OF_CONFIG, of_statements),
    **{name: (PAGES[name], OF_PAGES, of_pages) for name in PAGES},
}


def spelt_out(lines: re.Match[str]) -> str:
    return f"lines {' '.join(map(str, range(int(lines[1]), int(lines[2]) + 1)))}"


@pytest.mark.parametrize("at_most", [40, pytest.param(10_000, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", READERS)
def test_a_marked_row_is_read_or_named(name: str, at_most: int) -> None:
    text, begins, read = READERS[name]
    intact, lines = read(text), text.split("\n")
    rows = [number for number, line in enumerate(lines) if re.match(begins, line)]
    like_digits = OF_HEX if read in (of_console, of_statements) else LIKE_DIGITS
    changes = [(number, row) for number in rows for row in marked(lines[number], like_digits)]
    assert len(changes) >= 100
    silent = []
    # the details of a device are one, and named by their heading
    details = "page:(?:3|16):" if name == "FCX110" else "$^"
    for number, row in Random(0).sample(changes, min(at_most, len(changes))):
        try:
            found = read("\n".join([*lines[:number], row, *lines[number + 1 :]]))
        except ConfigurationError as error:
            place = rf"\blines? .*\b{number + 1}\b|:{number + 1}:|{details}"
            said = re.sub(r"lines? (\d+)-(\d+)", spelt_out, str(error))
            if not re.search(place, said):
                silent.append(f"{row} was refused without its line: {error}")
        else:
            if found != intact:
                silent.append(f"{row} gave other figures")
    assert not silent, "\n".join(silent)
