"""What DISPLAY XCF shows of CTCs is read with its account of lines, or refused by its line."""

from pathlib import Path

import pytest

from isfc.errors import ConfigurationError
from isfc.site.figures import Reading
from isfc.site.file import read_measurements
from tests.isfc.foreign import XCF


def rows(text: str, folder: Path) -> list[tuple[object, ...]]:
    path = folder / "xcf.txt"
    path.write_text(text, "utf-8")
    return [
        (one.end, f"{each.rdev:04X}", each.way, each.partner, each.transfer_us)
        for one in read_measurements([path], Reading())
        for each in one.foreign
    ]


def test_transfer_times_are_read_of_both_ways(tmp_path: Path) -> None:
    assert rows(XCF, tmp_path) == [
        ("12:02:11", "4010", "read", "SYSB", 339.0),
        ("12:02:11", "4011", "read", "SYSC", 1260.0),
        ("12:02:11", "4012", "read", "????????", None),
        ("12:02:31", "4020", "written", "SYSB", 412.0),
        ("12:02:31", "4021", "written", "SYSC", 2377.0),
    ]
    assert rows(XCF + XCF, tmp_path) == rows(XCF, tmp_path)
    assert rows(XCF.lower().replace("\n", "\n> "), tmp_path) == rows(XCF, tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("12.02.11", "12.O2.11", 2, "expected IXC356I hh.mm.ss DISPLAY XCF"),
        ("RECVD     TIME\n4010", "RECVD     T1ME\n4010", 4, "a heading that no table"),
        ("\n4010         S", "\n4O10         S", 5, "'4O10 SYSB WORKING 5010 10 2000' is no row"),
        ("4012         ????????", "4012         ?????????", 7, "no row of this table"),
        ("LINKING ???? ", "LINKING ????? ", 7, "no row of this table"),
        ("3496      339", "3496", 5, "no row of this table"),
        ("3496      339", "3496      33q", 5, "no row of this table"),
        ("3496      339", "3496      -339", 5, "no row of this table"),
        ("\n4011         SYSC    W", "\n4010         SYSC    W", 6, "of a device that is above"),
        ("4011   5011    SYSC    WORKING 0      16316  48     3640    2\n", "", 2, "4011: not"),
        ("5021    SYSC", "5021    SYSD", 18, "4021: not alike in two tables"),
        ("IXC356I  12.02.31  DISPLAY XCF 907\n", "", 19, "no table of this answer has"),
        ("D XCF,PI,DEV=ALL\n", "IXC356I 12.02.00 DISPLAY XCF\n", 1, "no table of this answer"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_by_its_line(
    old: str, new: str, line: int, message: str, tmp_path: Path
) -> None:
    assert XCF.count(old) == 1
    with pytest.raises(ConfigurationError) as refused:
        rows(XCF.replace(old, new), tmp_path)
    assert f"xcf.txt:{line}: " in str(refused.value)
    assert message in str(refused.value)
