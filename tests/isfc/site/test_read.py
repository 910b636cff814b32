"""Reports as text, tables and JSON become one record; what cannot be right is refused."""

import csv
import json
import re
from datetime import date
from pathlib import Path

import pytest

from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.site.dates import leading_stamp, read_stamp, with_told_dates
from isfc.site.figures import Reading
from isfc.site.file import completed, read_measurements
from isfc.site.measurement import Measurement, table_rows
from isfc.site.page import read_text
from isfc.site.seen import seen_link
from isfc.site.table import read_csv, read_json
from scenarios.published.catalogue import load_table

PUBLISHED = Path(__file__).parents[3] / "docs" / "measured"
DATA = Path(__file__).parents[2] / "data" / "measured"
PAGE = """\
1FCX108  Run 2026/11/25 10:00:00         DEVICE                                  Page   12
From 2026/11/25 09:55:00                                                        BOSTON
To   2026/11/25 10:00:00
<-- Device  Pa- <-Rate/s-> <------- Time (msec) -------> Req. <Percent>
Addr Type   ths   I/O Avoid Pend Disc Conn Serv Resp CUWt Qued  Busy READ
0120 3390     4  12.0    .0   .1   .2   .3   .6   .6   .0   .0     1   50
7000 CTCA     1  61.8   ...   .5  1.9 13.4 15.8 15.8   .0   .0    98  ...
7001 CTCA     1   171   ...   .4  2.0  3.1  5.5  5.5   .0   .0    94  ...
7002 CTCA     1    .0   ...  ...  ...  ...  ...  ...   .0   .0     0  ...
"""
DETAILS = """\
 FCX110      CPU 2097  SER 12345  Interval 09:54:00 - 09:55:00    Perf. Monitor

 Detailed Analysis for Device 6000 ( ATTACHED )
 Device type :  CTCA        Function pend.:     .5ms      Device busy   :   98%
 VOLSER      :  ......      Disconnected  :    1.9ms      I/O contention:    0%
 Nr. of LINKs:     ...      Connected     :   13.4ms      Reserved      :    0%
 Last SEEK   :     ...      Service time  :   15.8ms      SENSE SSCH    :    0
 SSCH rate/s :    61.8      Response time :   15.8ms      Recovery SSCH :    0
 Avoided/s   :     ...      CU queue time :     .0ms      Throttle del/s:  ...
 Status: ATTACHED

 Path(s) to device 6000:    40
 Channel path status   :    ON
"""
OTHER = DETAILS.replace("6000", "6001").replace("61.8", "60.0").replace("98%", "95%")
ACTIVITY = (PUBLISHED / "H001709C-link.txt").read_text("utf-8").splitlines()
LINES = PAGE.splitlines()
BUSY = PAGE.replace("   98  ...", "  130  ...")
LATER = PAGE.replace("   98  ...", "   97  ...")


def read(folder: Path, text: str, reading: Reading | None = None) -> list[Measurement]:
    path = folder / "page.txt"
    path.write_text(text, "utf-8")
    return read_measurements([path], reading or Reading())


def published(*names: str) -> list[Measurement]:
    return read_measurements([PUBLISHED / f"{name}.txt" for name in names], Reading())


@pytest.mark.parametrize("run", ["H001709C", "W001054C", "H001750C"])
def test_published_device_reports_are_read_to_the_last_figure(run: str) -> None:
    (page,) = published(f"{run}-fcx108")
    rows = [row for row in load_table("device_reports").rows if row.columns["run"] == run]
    assert len(page.devices) == len(rows) > 0
    for device, row in zip(page.devices, rows, strict=True):
        assert f"{device.rdev:04X}" == str(row.columns["rdev"])
        for measure in ("io_per_s", "pend_ms", "disc_ms", "conn_ms", "serv_ms", "busy_percent"):
            if row.has_number(measure):
                assert getattr(device, measure) == row.number(measure)


def test_published_link_activity_is_read_minute_by_minute() -> None:
    found = published("H001709C-link")
    assert [one.end for one in found] == [f"2011-10-14T04:{minute}:43" for minute in (53, 54, 55)]
    (link,) = found[0].links
    assert (link.partner, link.tx_pend_count, link.collisions_per_s) == ("GDLBOFVM", 6.0, 0.0)
    assert (link.written.mb_per_s, link.written.bytes_per_package) == (660.0, 829631.1)
    assert (link.read.packages_per_s, link.read.messages_per_package) == (236.7, 24.7)


def test_a_print_says_its_system_and_interval_and_keeps_the_ctcs(tmp_path: Path) -> None:
    (page,) = read(tmp_path, PAGE)
    said = (page.system, page.begin, page.end)
    assert said == ("BOSTON", "2026-11-25T09:55:00", "2026-11-25T10:00:00")
    assert [device.rdev for device in page.devices] == [0x7000, 0x7001, 0x7002]
    assert page.devices[1].io_per_s == 171
    assert page.devices[2].serv_ms is None


SAME = {
    "hard blanks": PAGE.replace(" ", "\xa0"),
    "quoted in mail": "".join(f"> {line}\n" for line in LINES),
    "runs of blanks collapsed": "\n".join(" ".join(line.split()) for line in LINES),
    "a column that stands empty": PAGE.replace("   .0   .0    98  ...", "             98"),
    "decimal commas": re.sub(r"\.(?=\d)", ",", PAGE),
}


@pytest.mark.parametrize("how", SAME)
def test_a_page_in_another_form_gives_the_same_figures(tmp_path: Path, how: str) -> None:
    (original,) = read(tmp_path, PAGE)
    (page,) = read(tmp_path, SAME[how], Reading(decimal_comma="commas" in how))
    assert page.devices == original.devices


REFUSED = {
    "busy over 100": (BUSY, 7, "Busy 130 %; expected at most 100"),
    "columns shifted": (
        PAGE.replace("13.4 15.8", "13.4 25.8"),
        7,
        "Serv 25.8 ms is not Pend + Disc + Conn, 15.8 ms",
    ),
    "a negative figure": (PAGE.replace(" 61.8", "-61.8"), 7, "I/O a second -61.8 is negative"),
    "a decimal comma": (
        PAGE.replace("13.4", "13,4"),
        7,
        "'13,4' has a comma; expected 13.4, or decimal_comma",
    ),
    "no figure": (PAGE.replace("13.4", "13:4"), 7, "'13:4' is no figure"),
    "a device twice": (
        PAGE.replace("7001 CTCA", "7000 CTCA"),
        8,
        "RDEV 7000 is in line 7 of this page as well",
    ),
    "no heading between": (f"{PAGE}{LATER.splitlines()[6]}\n", 10, "RDEV 7000 is in"),
    "one interval twice": (PAGE + LATER, 14, "the same system and interval as"),
    "no heading": ("\n".join(LINES[5:]), 2, "without a heading above it"),
    "a word behind a name": (PAGE.replace("BOSTON", "B OSTON"), 2, "a system's name alone"),
    "no end": (PAGE.replace("To  ", "T0  "), 5, "an interval with 2026-11-25T09:55:00 alone above"),
    "no begin": (PAGE.replace("From", "Form"), 5, "an interval with 2026-11-25T10:00:00 alone"),
    "the end of a row": (
        re.sub("(?m)^7001 CTCA.*", "94  ...", PAGE),
        8,
        "'94 ...' has figures as a row",
    ),
    "a heading and its rows, parted": (
        re.sub("(?m)^(700|Add)", r"\1  ", PAGE),
        7,
        "a row of a device without a heading",
    ),
    "a heading and its rows, joined": (
        re.sub("(?m)^(700.|Addr) ", r"\1", PAGE),
        7,
        "a row of a device without a heading",
    ),
    "a month that lost its digit": (PAGE.replace("2026/11/25 09", "2026/1/25 09"), 2, "a digit"),
    "a run of ours": ("FCX108 DEVICE, run HL/8/50 at the c1ient: HL, 50 pairs\n" + PAGE, 1, "isfc"),
    "cut behind a device": (
        re.sub("(?m)^7001 CTCA.*", "7001 CT", PAGE),
        8,
        "the row of 7001 ends too early",
    ),
    "decimals of another kind": (PAGE.replace("  3.1", " 3.10"), 8, "have 1 and 2 decimals"),
    "columns in another order": (
        PAGE.replace("Disc Conn", "Conn Disc"),
        5,
        "has others in another order",
    ),
    "no rows": ("\n".join(LINES[:5]), 5, "a heading without rows"),
    "no Addr at first": (PAGE.replace("\nAddr ", "\n-> Addr "), 5, "begin with Addr and Type"),
    "cut in a row": (PAGE[: PAGE.index("7001 CTCA") + 25], 8, "ends too early"),
    "cut before link activity": (
        "\n".join((*ACTIVITY[:2], ACTIVITY[2][:28], ACTIVITY[3])),
        3,
        "a row of link activity with",
    ),
    "the first row cut in its name": (
        "\n".join((ACTIVITY[0], ACTIVITY[1][:5], *ACTIVITY[2:])),
        2,
        "'GDLBO' has figures as a row",
    ),
    "a row cut in its name": (
        "\n".join((*ACTIVITY[:2], ACTIVITY[2][:12], ACTIVITY[3])),
        3,
        "'GDLBOFVM 201' has figures as a row",
    ),
    "a point lost in link activity": (
        "\n".join(ACTIVITY[:2]).replace("  6.0", "   60"),
        2,
        "differ in decimals",
    ),
    "the end of link activity": (
        "\n".join((*ACTIVITY[:2], ACTIVITY[2][-16:], ACTIVITY[3])),
        3,
        "a row of link activity with",
    ),
    "link activity without its link": (
        "\n".join((*ACTIVITY[:2], ACTIVITY[2].replace("GDLBOFVM", ""))),
        3,
        "the rows above have a link's name or a time, and this one has not",
    ),
    "link activity without its time": (
        "\n".join((*ACTIVITY[:2], ACTIVITY[2].replace("2011-10-14 04:54:43", ""))),
        3,
        "the rows above have a link's name or a time, and this one has not",
    ),
    "link activity with other decimals": (
        "\n".join(ACTIVITY[:2]).replace("834.2", "834.22"),
        2,
        "differ in decimals",
    ),
    "a day that lost a digit": ("\n".join(ACTIVITY[:2]).replace("10-14", "10-1"), 2, "no time"),
    "a year that lost a digit": ("\n".join(ACTIVITY[:2]).replace("2011", "211"), 2, "no time"),
    "link activity in another order": (
        "\n".join(ACTIVITY[:2])
        .replace("_WMsg", "_XMsg")
        .replace("_RMsg", "_WMsg")
        .replace("_X", "_R"),
        1,
        "a heading of link activity in another order",
    ),
    "a month that lost a digit": ("\n".join(ACTIVITY[:2]).replace("10-14", "1-014"), 2, "no time"),
    "cut in link activity": (
        (PUBLISHED / "H001709C-link.txt").read_text().rstrip()[:-70],
        4,
        "a row of link activity with",
    ),
    "details without one": (
        DETAILS.replace("Service time", ""),
        3,
        "details of device 6000 lack serv_ms",
    ),
    "details without a heading": (
        DETAILS.replace("for Device", "forDevice") + OTHER,
        4,
        "Detailed",
    ),
    "a type and the next word": (PAGE.replace("7001 CTCA     1", "7001 CTCA1"), 8, "'7001 CTCA1"),
    "details of no type": (
        DETAILS.replace("CTCA", "") + OTHER,
        3,
        "the type of device 6000 is lost",
    ),
    "details of no device": (DETAILS.replace("6000", "6,000") + OTHER, 3, "no device number"),
    "a row beside the heading": (PAGE.replace("READ\n", "READ "), 5, "'Addr Type ths"),
    "a row beside a disk's": (PAGE.replace("   50\n", "   50 "), 6, "has figures as a row"),
    "no heading of link activity": ("\n".join((ACTIVITY[1], ACTIVITY[0], ACTIVITY[2])), 1, "TXPE"),
    "two rows above it": ("\n".join((ACTIVITY[1] + ACTIVITY[2], *ACTIVITY[::3])), 1, "TXPE"),
    "a row beside that heading": ("".join(ACTIVITY[:2]) + "\n" + ACTIVITY[2], 1, "as a row"),
    "numbers of lines, and bars": (
        PAGE.replace("  BOSTON", "  BOSTON   00000200 |"),
        2,
        "no numbers of lines",
    ),
    "details, a comma": (DETAILS.replace("13.4ms", "13,4ms"), 3, "'13,4' has a comma"),
    "details, busy over 100": (DETAILS.replace("98%", "130%"), 3, "Busy 130 %"),
    "details, parted": (DETAILS.replace("61.8", "61 .8"), 3, "lack io_per_s"),
    "details, broken": (DETAILS.replace("61.8", "61\n> .8"), 9, "figure has its label before it"),
    "details, cut": (re.sub("61[.]8.*", "61", DETAILS), 3, "61 of device 6000 has no decimal"),
    "details, a digit twice": (DETAILS.replace("13.4ms", "13.44ms"), 3, "have 1 and 2 decimals"),
    "details, shifted": (
        DETAILS.replace("15.8ms      SENSE", "25.8ms      SENSE"),
        3,
        "Serv 25.8 ms is not Pend + Disc + Conn",
    ),
}


@pytest.mark.parametrize(("text", "line", "problem"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_is_refused_by_file_and_line(
    tmp_path: Path, text: str, line: int, problem: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(tmp_path, text)
    message = str(caught.value)
    assert f"page.txt:{line}: " in message
    assert problem in message
    assert "usable" in message


def test_details_of_devices_in_one_interval_are_one_measurement(tmp_path: Path) -> None:
    (page,) = read(tmp_path, DETAILS + OTHER)
    assert (page.begin, page.end) == ("09:54:00", "09:55:00")
    first, second = page.devices
    assert (first.rdev, first.io_per_s, first.busy_percent) == (0x6000, 61.8, 98)
    assert (first.pend_ms, first.disc_ms, first.conn_ms, first.serv_ms) == (0.5, 1.9, 13.4, 15.8)
    assert (second.rdev, second.io_per_s) == (0x6001, 60.0)


def test_details_of_two_intervals_are_two_measurements(tmp_path: Path) -> None:
    later = DETAILS.replace("09:54:00 - 09:55:00", "09:55:00 - 09:56:00")
    assert [page.end for page in read(tmp_path, DETAILS + later)] == ["09:55:00", "09:56:00"]


@pytest.mark.parametrize("text", [DETAILS, PAGE, PAGE.split("\n", 3)[3]])
def test_what_is_pasted_twice_is_one_interval_and_told(tmp_path: Path, text: str) -> None:
    (once,), reading = read(tmp_path, text), Reading()
    (tmp_path / "again.txt").write_text(text)
    both = [tmp_path / "page.txt", tmp_path / "again.txt"]
    assert read_measurements(both, reading) == [once]
    line = once.place.line
    (note,) = reading.notes
    assert f"again.txt: line {line}, a copy: all figures are those of {once.place}" in note
    if not once.end:  # another page of no time is another interval
        (tmp_path / "again.txt").write_text(text.replace("61.8", "62.0"))
        assert len(read_measurements(both, Reading())) == 2


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (DETAILS.replace("Interval", "1nterval"), "page.txt:3: no interval above it"),
        (PAGE.replace("BOSTON", ""), "page.txt:2: no system's name ends the line"),
    ],
)
def test_what_a_heading_has_lost_is_told(tmp_path: Path, text: str, note: str) -> None:
    reading = Reading()
    assert len(read(tmp_path, text, reading)) == 1
    assert note in reading.notes[0]


def test_details_of_a_disk_are_left_out(tmp_path: Path) -> None:
    (page,) = read(tmp_path, DETAILS.replace("CTCA ", "3390 ") + OTHER)
    assert [device.rdev for device in page.devices] == [0x6001]


@pytest.mark.parametrize("left", ["Pe\nrf. Monitor", "Per", "Monitor", "Mon"])
def test_what_is_left_of_the_screens_name_is_no_system(tmp_path: Path, left: str) -> None:
    # a page cut at column 58 was of the system PER
    (page,) = read(tmp_path, DETAILS.replace("Perf. Monitor", left))
    assert page.system is None


@pytest.mark.parametrize("name", ["empty-cells", "two-pages", "interims-and-average"])
def test_a_name_that_may_be_cut_is_not_taken_and_told_by_its_line(name: str) -> None:
    # cut at column 120 a page was of the system SSIMB
    whole = (DATA / f"{name}.txt").read_text("utf-8").split("\n")
    at, line = next((n, each) for n, each in enumerate(whole, 1) if "From " in each[:7])
    system, end = line.split()[-1], len(line.rstrip())
    for width in range(end - len(system) + 1, end + 1):
        reading = Reading()
        pages = read_text("\n".join(each[:width] for each in whole), "page", reading)
        assert {page.system for page in pages} == {None}
        (note,) = [each for each in reading.notes if each.startswith(f"page:{at}: ")]
        assert f"the system's name {line[:width].split()[-1]}, which may be cut" in note
        assert "system says it" in note


def test_usable_rows_are_used_only_if_that_is_asked_for(tmp_path: Path) -> None:
    reading = Reading(usable=True)
    (page,) = read(tmp_path, BUSY, reading)
    assert [device.rdev for device in page.devices] == [0x7001, 0x7002]
    assert len(reading.problems) == 1


def test_what_holds_no_measurement_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no measurement in it"):
        read(tmp_path, "Hello,\nsee below.\n")
    with pytest.raises(ConfigurationError, match="isfc run --json"):
        read_json('{"devices": [], "node": "A"}', "t.json", Reading())
    reading = Reading()
    read_csv("rdev,io_per_s,pend_ms,disc_ms,conn_ms,serv_ms\n6000,1,0,0\n", "t.csv", reading)
    assert reading.problems == ["t.csv:2: 4 cells; expected 6, as many as column names"]


def test_the_neutral_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    found = published("H001709C-fcx108", "H001709C-link")
    path = tmp_path / "table.csv"
    rows = [*table_rows(completed(found, "CLIENT", {None: "-05:00"}, None))]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    assert [*table_rows(read_measurements([path], Reading()))] == rows
    assert [*table_rows(read_json(json.dumps({"measurements": rows}), "t", Reading()))] == rows


def test_rows_of_other_devices_and_missing_ones_are_told(tmp_path: Path) -> None:
    (page,) = read(tmp_path, PAGE.replace("7002 CTCA", "7FFF CTCA"))
    left_out, silent = seen_link(load_layout("atlanta-boston"), page).notes()
    assert "7FFF" in left_out
    assert "7002" in silent


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("BOSTON", "ATLANTA", "a page of ATLANTA with RDEVs of BOSTON"),
        ("BOSTON", "CHICAGO", "is of CHICAGO, and the layout joins ATLANTA and BOSTON"),
        ("7001 CTCA", "6001 CTCA", "RDEVs of ATLANTA and of BOSTON on one page"),
        ("\n700", "\n710", "no RDEV of BOSTON in this layout"),
    ],
)
def test_systems_that_are_mixed_up_are_refused_by_file_and_line(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    (page,) = read(tmp_path, PAGE.replace(old, new))
    with pytest.raises(ConfigurationError, match=f"page.txt:5: {problem}"):
        seen_link(load_layout("atlanta-boston"), page)


def test_equal_rdevs_at_both_ends_need_the_system_to_be_said() -> None:
    (page,) = published("H001709C-fcx108")
    with pytest.raises(ConfigurationError, match="expected system CLIENT or system SERVER"):
        seen_link(load_layout("published-12"), page)


@pytest.mark.parametrize(
    ("text", "stamp"),
    [
        ("2026/11/25 09:55:00", "2026-11-25T09:55:00"),
        ("2026-11-25T09:55", "2026-11-25T09:55:00"),
        ("11/25/2026 10:01:00 PM", "2026-11-25T22:01:00"),
        ("25.11.2026 12:01:00 a.m.", "2026-11-25T00:01:00"),
        ("11/25/26 12:01 pm", "2026-11-25T12:01:00"),
        ("4:52:43 PM", "16:52:43"),
        ("9:05:00.123", "09:05:00"),
    ],
)
def test_a_time_is_read_in_the_forms_of_reports(text: str, stamp: str) -> None:
    assert read_stamp(text) == stamp
    assert leading_stamp(f"{text}   ATLANTA")[1].strip() == "ATLANTA"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("26/11/25 10:00:00", "may be 2025-11-26 or 2026-11-25"),
        ("03/04/2026 10:00:00", "may be 2026-03-04 or 2026-04-03"),
        ("2026/13/25 10:00:00", "is no date"),
        ("13:00:00 PM", "is no time of day"),
        ("10:61:00", "is no time of day"),
        ("10:00:00+02:00", "is no time"),
        ("yesterday", "is no time"),
    ],
)
def test_what_is_no_time_or_may_be_two_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        read_stamp(text)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("02.11.2026 10:00, 25.11.2026", "2026-11-02 10:00, 25.11.2026"),
        ("02/11/2026T10:00;11/25/2026", "2026-02-11T10:00;11/25/2026"),
        ("26/11/25 10:00 26/11/00 10:00 32/11/25 10:00", None),
        ("02/11/26 10:00, 25/12/32 10:00", "2026-11-02 10:00, 25/12/32 10:00"),
        ("02.11.2026, 11/25/2026, 25.11.26 10:00", None),
        ("02.11.2026, 25.11.2026, 11.25.2026", None),
        ("z/VM 7.2.13, 02.11.2026, 10.1.25.3, 1.25.2026.3", None),
    ],
)
def test_the_other_dates_of_a_file_tell_which_date_is_meant(text: str, read: str | None) -> None:
    assert with_told_dates(text) == (read or text)


def test_the_date_of_a_page_tells_which_date_is_meant() -> None:
    made = date(2026, 11, 25)
    assert leading_stamp("26/11/25 10:00:00", made)[0] == "2026-11-25T10:00:00"
    assert leading_stamp("26/11/24 23:59:00", made)[0] == "2026-11-24T23:59:00"
