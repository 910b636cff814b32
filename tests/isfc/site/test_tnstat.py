"""VTAM's tuning statistics are read with the time that they cover, or refused by their line."""

from itertools import permutations
from pathlib import Path

import pytest

from isfc.errors import ConfigurationError
from isfc.site.figures import Reading
from isfc.site.file import read_measurements
from isfc.site.measurement import Measurement
from tests.isfc.foreign import LATER, TNSTAT

OSA = """\
IST1230I TIME     = 10000012 DATE     = 26334    ID  = OSAX
IST1231I IPDU     = 0        OPDU     = 0
IST1233I DEV      = 0F00     DIR      = RD/1
IST1811I P4KTOT   = 0
IST314I  END
"""


def read(text: str, folder: Path, reading: Reading | None = None) -> list[Measurement]:
    path = folder / "tnstat.txt"
    path.write_text(text, "utf-8")
    return read_measurements([path], reading or Reading())


def figures(one: Measurement) -> list[tuple[object, ...]]:
    return [
        (f"{each.rdev:04X}", each.way, each.partner, each.io_per_s, each.bytes_per_io)
        for each in one.foreign
    ]


def test_rates_are_over_the_time_since_the_record_before(tmp_path: Path) -> None:
    first, second = read(TNSTAT + LATER, tmp_path)
    assert (first.begin, first.end) == (None, "2026-11-30T10:00:00")
    assert figures(first) == [
        ("0C50", "read", "MPCAB", None, 3200.0),
        ("0C51", "written", "MPCAB", None, 4096.0),
    ]
    assert (second.begin, second.end) == ("2026-11-30T10:00:00", "2026-11-30T10:15:00")
    assert figures(second) == [
        ("0C50", "read", "MPCAB", 20.0, 4096.0),
        ("0C51", "written", "MPCAB", 10.0, 4096.0),
    ]
    assert [each.mb_per_s for each in second.foreign] == [20 * 4096 / 2**20, 10 * 4096 / 2**20]
    dated = (TNSTAT + LATER).replace("26334", "11/30/26").replace("10000012", "10:00:00")
    assert read(dated.replace("10150012", "10:15:00"), tmp_path)[1].foreign == second.foreign


def test_records_are_read_in_the_order_of_time_whatever_theirs_is(tmp_path: Path) -> None:
    # the newest first, they lost their rates and nothing was said
    records = [TNSTAT.partition("ACCEPTED\n")[2], LATER, LATER.replace("10150012", "10300012")]
    rates = [[None, None], [20.0, 10.0], [20.0, 10.0]]
    for order in permutations(records):
        found = sorted(read("".join(order), tmp_path), key=lambda one: str(one.end))
        assert [[each.io_per_s for each in one.foreign] for one in found] == rates
        assert [one.begin for one in found] == [None, found[0].end, found[1].end]


def test_a_record_that_is_pasted_twice_is_a_copy(tmp_path: Path) -> None:
    reading = Reading()
    twice = TNSTAT.partition("ACCEPTED\n")[2]
    assert read(TNSTAT + LATER + twice + LATER, tmp_path, reading)[1].end == "2026-11-30T10:15:00"
    copies = zip((37, 54), reading.notes, strict=True)
    assert all(f"tnstat.txt: line {line}, a copy" in note for line, note in copies)


def test_an_overflow_leaves_the_bytes_out_and_says_so(tmp_path: Path) -> None:
    reading = Reading()
    more = TNSTAT.replace("BYTECNTO = 0        BYTECNT  = 36", "BYTECNTO = 3        BYTECNT  = 36")
    (one,) = read(more, tmp_path, reading)
    assert figures(one)[1] == ("0C51", "written", "MPCAB", None, None)
    assert "tnstat.txt:14: bytes left out" in reading.notes[0]


def test_a_name_that_may_be_cut_is_not_taken_and_told_by_its_line(tmp_path: Path) -> None:
    # cut at column 57 the line was MPC
    lines = (TNSTAT + LATER).split("\n")
    end = len(lines[2])
    for width in range(end - 4, end + 2):
        reading = Reading()
        found = read("\n".join(line[:width] for line in lines), tmp_path, reading)
        is_whole = width > end
        assert [figures(one)[0][2] for one in found] == ["MPCAB" if is_whole else ""] * 2
        assert figures(found[1])[0][3:] == (20.0, 4096.0)
        cut = [note.split()[0] for note in reading.notes if "which may be cut" in note]
        path = tmp_path / "tnstat.txt"
        assert cut == ([] if is_whole else [f"{path}:3:", f"{path}:20:"])
    joined = "\n".join([f"F NET,TNSTAT {lines[2]}", *lines[3:]])
    found = read(joined, tmp_path)  # the first record's name alone, and its rates were lost
    assert [figures(one)[0][2:4] for one in found] == [("", None), ("MPCAB", 20.0)]
    other = [line.replace("0C5", "0D5")[:end] for line in lines[19:]]
    with pytest.raises(ConfigurationError, match=r"other devices than in .* or its whole name"):
        read("\n".join([*(line[:end] for line in lines[:19]), *other]), tmp_path)


def test_records_of_other_hardware_are_left_out_and_said(tmp_path: Path) -> None:
    reading = Reading()
    assert len(read(OSA + TNSTAT, tmp_path, reading)) == 1
    assert "tnstat.txt:1: left out" in reading.notes[0]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (TNSTAT.replace("SIO      = 9911", "SIO      = 99l1"), 10, "IST1235I 'SIO = 99L1"),
        (TNSTAT.replace("IST1235I SIO      = 9911", "IST123SI SIO      = 9911"), 10, "SIO"),
        (TNSTAT.replace("IST314I", "IST313I"), 3, "no IST314I END of it"),
        (TNSTAT.replace("DIR      = READ", "DIR      = WRITE"), 3, "is not whole"),
        (TNSTAT.replace("IST1231I IPDU     = 11822    OPDU     = 12044\n", ""), 3, "not whole"),
        (TNSTAT + LATER.replace("IST", "IS T"), 21, "'IS T1231I IPDU"),
        (TNSTAT.replace("36864000", "36864\n000"), 18, "'000' has figures as a row"),
        (OSA.replace("IST1811I P4KTOT", "IST1812I P4KTOT"), 3, "DIR = RD/1"),
        (TNSTAT.replace("26334", "26434"), 3, "26434 10000012 is no time"),
        (TNSTAT + LATER.replace("10150012", "10000012"), 20, "the same system and interval as"),
        (TNSTAT + LATER.replace("0C51", "0C53"), 20, "other devices than in"),
        (TNSTAT + LATER.replace("MPCAB", "MPCAD"), 20, "or another name"),
        (TNSTAT.replace("IST1231I", "IST097I\nIST1231I"), 4, "IST097I ''; expected another"),
        (TNSTAT + LATER.partition("\n")[2], 20, "without IST1230I above it"),
        (TNSTAT + LATER + LATER.replace("1015", "1045"), 37, "is a record lost?"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_by_its_line(
    text: str, line: int, message: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError) as refused:
        read(text, tmp_path)
    assert f"tnstat.txt:{line}: " in str(refused.value)
    assert message in str(refused.value)
