"""Pasted RMF reports are read as they come, and what cannot be read is located."""

import re
import textwrap
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from isfc.errors import ConfigurationError
from isfc.io.rmf import parse_rmf
from isfc.io.rmf_lines import RmfInterval, busiest

SAMPLES = {path.stem: path.read_text("utf-8") for path in Path("tests/data/rmf").glob("*.txt")}
CHANNELS = SAMPLES["channel-path-activity"]
DEVICES = SAMPLES["device-activity"]
QUEUES = SAMPLES["io-queuing-activity"]
THREE = SAMPLES["three-intervals-pasted"]
TITLE = "C H A N N E L   P A T H   A C T I V I T Y\n"
FICON_ROWS = [line for line in CHANNELS.splitlines() if " FC_S " in line]


def read(text: str) -> RmfInterval:
    (interval,) = parse_rmf(text, "paste")
    return interval


def test_channels_are_read_with_all_that_a_mix_needs() -> None:
    interval = read(CHANNELS)
    assert interval.name == "P34 08/15/2019 09.39.44"
    assert [channel.chpid for channel in interval.channels] == ["42", "4C", "61", "94", "95"]
    last = interval.channels[-1]
    assert (last.generation, last.link_gbps) == ("16", 8)
    assert (last.processor_percent, last.bus_percent) == (17.02, 64.5)
    assert (last.read_mb_per_s, last.write_mb_per_s) == (819.77, 792.7)
    assert (last.ficon_io_per_s, last.zhpf_io_per_s, last.io_per_s) == (0, 12302, 12302)
    assert interval.io_per_s == pytest.approx(6558.1 + 6558.2 + 2 * 13117 + 12302)


def test_devices_are_read_and_their_sums_and_those_offline_are_not() -> None:
    interval = read(DEVICES)
    assert [device.device for device in interval.devices] == ["7080", "7081", "7084", "7085"]
    first, _, third, _ = interval.devices
    assert (first.io_per_s, first.times_ms[0]) == (310.038, 0.019)
    assert (third.lcu, third.times_ms) == ("00B0", (0.230, 0, 0.077, 0.004, 0.149))
    assert interval.io_per_s == pytest.approx(2 * 310.038 + 812.4 + 455.1)


def test_devices_of_an_earlier_release_have_no_int() -> None:
    text = DEVICES.replace("  INT  PEND", "  PEND").replace(" .000 .077", " .077")
    interval = read("\n".join(x for x in text.splitlines() if " 708" not in x or "7084" in x))
    assert interval.devices[0].times_ms[2::2] == (0.077, 0.149)


def test_iops_are_read_and_the_control_units_below_them_are_not() -> None:
    interval = read(QUEUES)
    assert [iop.iop for iop in interval.iops] == ["01", "02", "03", "04", "SYS"]
    system = interval.iops[-1]
    assert system.starts_per_s == 104101.3
    assert system.figures == (6.62, 104101.3, 104217.5)
    (missing,) = interval.passed_over
    assert (missing.name, missing.kind) == ("SYS", "44,618 of 104,101 I/Os a second")
    assert len(read(RETRIED).iops) == 5  # all retries are those of their causes


def test_broken_lines_and_several_intervals() -> None:
    intervals = parse_rmf(THREE, "paste")
    assert [interval.time for interval in intervals] == ["08.45.00", "09.00.00", "09.15.00"]
    assert all(len(interval.channels) == 2 for interval in intervals)
    assert intervals[0].channels[0].zhpf_io_per_s == 8000
    assert intervals[2].channels[1].processor_percent is None
    assert busiest(intervals).time == "09.00.00"


def test_every_break_between_two_words_of_a_report_is_tolerated() -> None:
    whole = parse_rmf(CHANNELS, "paste")
    for line in FICON_ROWS:
        for gap in re.finditer(r"(?<=\S) +(?=\S)", line) if "OFFLINE" not in line else ():
            broken = line[: gap.start()] + "\n" + line[gap.end() :]
            assert parse_rmf(CHANNELS.replace(line, broken), "paste") == whole, broken


PASTES = {
    "quoted in a mail": lambda line: f"> {line}",
    "with a printer's control characters": lambda line: ("1" if "C H A N" in line else " ") + line,
    "with tabs": lambda line: re.sub(" {4,}", "\t", line),
    "with hard blanks": lambda line: line.replace(" ", "\xa0"),
    "with dashes": lambda line: line.replace("-", "\u2013"),
    "in lines of 72 columns": lambda line: "\n".join(textwrap.wrap(line, 72)),
    "in lines of 80 columns": lambda line: "\n".join(textwrap.wrap(line, 80)),
    "with a page number after each line": lambda line: f"{line}\n\n- 2 -\nPage 3 of 7",
}


@pytest.mark.parametrize("how", PASTES)
def test_however_it_was_pasted_it_is_the_same_report(how: str) -> None:
    for text in SAMPLES.values():
        pasted = "\n".join(map(PASTES[how], text.splitlines()))
        assert parse_rmf(pasted, "paste") == parse_rmf(text, "paste")


FLAGS = "D I R E C T O R   A C T I V I T Y\n 04 Y N Y N Y N Y 1.0 2.0 3.0 4.0 5.0 6.0\n"
SAME = {
    "rows of other reports": (CHANNELS, CHANNELS + FLAGS),
    # a system with twice the channels was sized
    **{f"{name}, pasted twice": (text, text + text) for name, text in SAMPLES.items()},
    "a comma parts thousands": (CHANNELS, CHANNELS.replace(" 6558.1 ", " 6,558.1 ")),
    "a title in two lines": (CHANNELS, CHANNELS.replace("C H A N N E L", "C H A N N E L\n", 1)),
    "the same": (CHANNELS, CHANNELS.replace("   P A T H", "   P A T H\n", 1)),
}


@pytest.mark.parametrize(("text", "other"), SAME.values(), ids=SAME)
def test_it_is_the_same_report(text: str, other: str) -> None:
    assert text != other
    assert parse_rmf(other, "paste") == parse_rmf(text, "paste")


def test_lines_cut_at_a_column_are_read_right_or_refused() -> None:
    # a line break within a number made 39.74 and 39.74 of it 39.7, 4 and 39.74, and was not seen
    whole = {line.chpid: line for line in read(CHANNELS).channels}
    for column in range(60, 132):
        cut = "\n".join(f"{line[:column]}\n{line[column:]}" for line in CHANNELS.splitlines())
        with suppress(ConfigurationError):
            for interval in parse_rmf(cut, "paste"):
                for line in interval.channels:
                    assert line == whole[line.chpid], column


def test_a_day_that_no_month_has_is_no_date() -> None:
    # 08/15/2019, broken in two and in another form, was 15/20/2008
    assert read(CHANNELS.replace("08/15/2019", "15/20/2008")).date == ""


@pytest.mark.parametrize("width", range(56, 132))
def test_devices_broken_at_a_width_are_read_right_or_refused(width: int) -> None:
    # .010 broken in two made a column more, and CONN was lost
    whole = {line.device: line for line in read(DEVICES).devices}
    pieces = (
        line[at : at + width] for line in DEVICES.splitlines() for at in range(0, len(line), width)
    )
    with suppress(ConfigurationError):
        for interval in parse_rmf("\n".join(pieces), "paste"):
            assert all(line == whole[line.device] for line in interval.devices)


def test_reports_of_one_interval_are_joined() -> None:
    iops = QUEUES.replace("02/25/2019", "08/15/2019").replace("11.02.00", "09.39.44")
    interval = read(CHANNELS + iops)
    assert (len(interval.channels), len(interval.iops)) == (5, 5)


def test_a_channel_that_is_not_shared_has_no_part() -> None:
    line = "42 FC 27 16G 2.64 26.86 429.93 429.65 0.0 0.0 0.0 6558.1 3.9 0.0"
    interval = read(f"CHANNEL PATH ACTIVITY\n{line}\n")
    (shared, *_) = read(CHANNELS).channels
    assert shared.part == (2.64, 429.93, 429.65)
    assert interval.channels == [replace(shared, part=(None, None, None))]
    assert interval.name == "the report"


def test_lines_without_a_title_are_read() -> None:
    found = read("Dear all,\nour 8 FC channels:\n" + "\n".join(FICON_ROWS))
    assert found.channels == read(CHANNELS).channels
    assert found.name == "the report"
    found = read("\n".join(line for line in DEVICES.splitlines() if " 3390" in line))
    assert found.devices == read(DEVICES).devices


def test_without_titles_a_channel_that_comes_again_begins_another_interval() -> None:
    rows = "\n".join(line for line in FICON_ROWS if "2.64" in line)
    first, second = parse_rmf(f"{rows}\n{rows.replace('6558.1', '9000.0')}", "paste")
    assert (first.name, second.name) == ("the report", "part 2")
    assert (first.io_per_s, second.io_per_s) == (6558.1, 9000)


@pytest.mark.parametrize(
    "text",
    [
        re.sub(r"SYSTEM ID +P34 +DATE ", "SYSTEM ID  DATE", CHANNELS),
        # the name stood in a line of its own, which changed places with the next
        *(
            QUEUES.replace("SYSTEM ID    P34", f"SYSTEM ID\n{word}")
            for word in ("INTERVAL 00.59.990", "RPT VERSION V2R3", "DATE 02/25/2019")
        ),
    ],
)
def test_a_word_of_the_heading_is_no_system(text: str) -> None:
    assert not read(text).system


def changed(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def without_second_part(width: int) -> str:
    """The report in lines so wide, but for the rest of channel 42's."""
    lines = [textwrap.wrap(line, width) for line in CHANNELS.splitlines()]
    del next(parts for parts in lines if parts and parts[0].lstrip().startswith("42 FC_S"))[1]
    return "\n".join(part for parts in lines for part in parts)


def moved(lines: list[str], line: int, to: int) -> str:
    return "\n".join([*lines[:to], lines[line], *lines[to:]])


def iop_01_put_together_wrong(words: int) -> str:
    (row,) = (line for line in QUEUES.splitlines() if line.startswith("  01 "))
    figures = row.split()
    broken = figures[:words], figures[9:], figures[words:9]
    return QUEUES.replace(row, "\n".join(map("   ".join, broken)))


def iop_below_a_channel() -> str:
    lines = QUEUES.splitlines()
    row = "4C     8.10    0.00   0.00  0.0   0.0\n"
    return "\n".join([*lines[:9], row + lines[9].replace(" 01 ", "    "), *lines[10:]])


OTHER = f"{next(r for r in THREE.splitlines() if ' 760.0' in r)}\n50 "
"""A row of another interval, above the first."""
LINES = THREE.splitlines()
SWAPPED = [*LINES[:14], LINES[15], LINES[14], *LINES[16:]]
LAST_OF_ROW = "0.00  0.59   0.0    2.0 100.0   0.0"
ROW_7084 = next(line for line in DEVICES.splitlines(keepends=True) if " 7084 " in line)
RETRIED = QUEUES.replace(" 0.0    0.0  0.0", "24.1   20.0  4.1")
NARROW = changed(CHANNELS, (" ID TYPE ", " IDTYPE "))
NO_LINE = "paste: holds no line of an RMF report; expected"
REFUSED = [
    # the text, what is said of it
    ("", NO_LINE),
    ("Dear all,\n\nplease find the report below.\n", NO_LINE),
    ("42 FC_S 1\n", NO_LINE),
    ("We have 8 FC 16G ports\n", NO_LINE),
    (changed(CHANNELS, (" 26.86 429.93", f" {'9' * 400} 429.93")), "line 14 column 41: '9999"),
    (
        changed(CHANNELS, (" 26.86 429.93", " 2b.86 429.93")),
        "paste: line 14 column 41: '2B.86'; expected a number",
    ),
    (CHANNELS.replace(" 26.86 ", " 26,86 "), "'26,86'; expected a number"),  # was read as 2686
    (
        CHANNELS.replace("     3.9     0.0", ""),
        "paste: line 14 column 2: chpid 42 has 11 figures; expected 13: P",
    ),
    # a title that lost a letter was another report's, and its rows were lost
    (THREE.replace("C H A", "C A", 1), "line 1: 'C A N N E L   P A T H   A C T"),
    (QUEUES.replace("N G   A C T", "N   A C T") + CHANNELS, "line 1: 'O   Q U E U I N   A C"),
    # a row that lost its line's end before the next title or heading
    (changed(THREE, ("24120.0 4.0 0.0\n", "24120.0 4.0 0.0 ")), "line 15: '51 FC_S 13"),
    (changed(QUEUES, ("0.00\n  02 ", "0.00  02 ")), "IOP 01 has 16 figures"),
    (without_second_part(73), "chpid 42 has no rates"),
    (without_second_part(100), "chpid 42 has no figures of zHPF"),
    # lines that were cut, and two of them joined, which are wider (mutations: cut at 101, join 1)
    (
        "\n".join(line[:101] for line in CHANNELS.splitlines()).replace("\n", "", 1),
        "no figures of zHPF",
    ),
    # a row that was cut, below a heading that was
    ("\n".join(line[:73] for line in NARROW.splitlines()), "no rates"),
    # a row of another interval, where a heading is not whole
    (changed(THREE, ("03/02/2021", "03/02/2,021"), ("50 ", OTHER)), "other figures"),
    (changed(THREE, ("DATE ", ""), (TITLE, ""), ("50 ", OTHER)), "other figures"),
    # the next row within this one, which lacks a figure
    (
        changed(THREE, ("182.00 121.50", "121.50"), ("2.0 0.0\n51", "2.0 0.0 51")),
        "51 FC_S begins in the line of 50",
    ),
    # rows of one interval came under the time of another (mutations: swap 0, repeat 2 at 14)
    (moved(LINES, 2, 14), "line 15: TIME is 08.45.00, and 09.00.00 in line 12"),
    # a line of the second interval, above what the third heading says (swap 14)
    ("\n".join(SWAPPED), "line 17: SYSTEM is PROD, below lines of the"),
    # a heading that is lost, and a time
    (
        changed(
            SAMPLES["device-activity-v2r4"],
            ("  CMR  DB   INT   PEND DISC CONN", ""),
            (".120 .001", ".120"),
        ),
        "DEV UTIL",
    ),
    (changed(DEVICES, (" MT\n", "\n"), (" .019", " ")), "RESP is 0"),
    # a row in the line of its heading, with other points, was lost (mutations)
    (
        re.sub(r"PEND\n +7080.*", lambda row: re.sub(r"\.|\n", ",", row[0]), DEVICES),
        "'GROUP NUM TYPE OF CYL",
    ),
    # half a row twice
    (
        changed(DEVICES, (LAST_OF_ROW, f"{LAST_OF_ROW}\n0.00 0.59 0.0 2.0 100.0 0.0")),
        "more than 14 figures",
    ),
    (
        DEVICES.replace(" 12.10 12.43   0.0   11.0 100.0   0.0", ""),
        "line 12 column 12: device 7084 has 8 figures",
    ),
    # thirteen figures were those of an earlier release, whatever the heading has
    *(
        (
            changed(DEVICES, (ROW_7084, changed(ROW_7084, (old, new)))),
            "device 7084 has 13 figures; expected 14: RESP,",
        )
        for old, new in (("   0.0\n", "\n"), (" .230", ""))
    ),
    # a channel's five figures and the first ten of the line below (drop_column, repeat 18 at 9)
    (iop_below_a_channel(), "IOP 4C: % I/O REQUESTS RETRIED is 0.02, 8.05,"),
    # IOP 01 started nothing, or had no interrupt (wrap 44, swap 25; wrap 50, swap 22)
    *((iop_01_put_together_wrong(words), "IOP 01: ") for words in (4, 5)),
    *(
        (iop_01_put_together_wrong(words), "; expected as many decimals in each")
        for words in (4, 5)
    ),
    (RETRIED.replace("20.0  4.1", "20.0  3.1"), "ALL of % I/O REQUESTS RETRIED is 24.1;"),
    (
        QUEUES.replace("104101.3    104217.5", "59000.00    104217.5"),
        "SYS has 59000 I/Os a second, and its IOPs 59483",
    ),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_a_line_that_is_not_as_printed_is_located(text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        parse_rmf(text, "paste")


@pytest.mark.parametrize(
    "row",
    [
        "I / O   Q U E U I N G   A C T I V I T Y\n 00  0.15  0.00  00\n 02",
        "D I R E C T   A C C E S S   D E V I C E   A C T I V I T Y\n 7080 33909 A 00B0 3.1\n 7081",
    ],
)
def test_a_report_may_end_within_a_line(row: str) -> None:
    # fuzzing: whether the last number began a line was asked of the word behind it
    with suppress(ConfigurationError):
        parse_rmf(row, "paste")


@given(st.sampled_from(sorted(SAMPLES)), st.data())
def test_whatever_is_pasted_is_read_or_refused(name: str, data: st.DataObject) -> None:
    text = SAMPLES[name]
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        length = data.draw(st.integers(0, 200))
        piece = data.draw(st.text(max_size=12) | st.sampled_from(["\n", " FC_S ", "3390", "--"]))
        text = text[:start] + piece + text[start + length :]
    with suppress(ConfigurationError):
        assert all(interval.io_per_s >= 0 for interval in parse_rmf(text, "paste"))
