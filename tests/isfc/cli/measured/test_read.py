"""``isfc measured read``: tables in files, and bad input named by file and line."""

import csv
import json
import re
from pathlib import Path

import pytest

from isfc.cli.main import run
from isfc.measured.measurement import COLUMNS
from tests.isfc.measured import monwrite_file as mw
from tests.isfc.measured.test_read import PAGE
from tools import PROJECT

PUBLISHED = PROJECT / "docs" / "measured" / "H001709C-fcx108.txt"


def test_tables_in_files_hold_what_json_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from pyarrow import parquet  # which starts threads, and workers are forked without

    texts, rows = tmp_path / "table.csv", tmp_path / "table.parquet"
    for output in (texts, rows):
        assert run(["measured", "read", str(PUBLISHED), "-o", str(output), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out.split("\n{", 1)[0])["measurements"]
    read = parquet.read_table(rows).to_pylist()
    assert read == printed
    assert tuple(read[0]) == COLUMNS
    assert read[0]["rdev"] == "6000"
    with texts.open() as file:
        assert [row["conn_ms"] for row in csv.DictReader(file)][:2] == ["13.4", "13.4"]


def test_links_of_a_monwrite_file_are_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "monitor.data"
    path.write_bytes(
        mw.sample(0, mw.configured(0, "BOSTON", ["6000", "6001"]))
        + mw.events(70, mw.changed(70, 3, "6001", "BOSTON"))
    )
    assert run(["measured", "read", str(path)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "link to BOSTON 6000 6001" in out
    assert "changed 2026-11-25T10:01:10 6001 to BOSTON: deactivate" in out


LATER = PAGE.replace("   98  ...", "   97  ...")
BAD = {
    "cut in a row": (PAGE[: PAGE.index("7001 CTCA") + 25], 8, "ends too early"),
    "cut before its rows": ("\n".join(PAGE.splitlines()[:5]), 5, "a heading without rows"),
    "cut before its heading": ("\n".join(PAGE.splitlines()[6:]), 1, "without a heading above it"),
    "two intervals without a heading": (PAGE + LATER.splitlines()[6] + "\n", 10, "RDEV 7000 is in"),
    "one interval twice": (PAGE + LATER, 14, "the same system and interval as"),
    "European decimals": (PAGE.replace("13.4", "13,4"), 7, "has a comma; expected 13.4"),
    "a negative figure": (PAGE.replace(" 61.8", "-61.8"), 7, "is negative"),
    "busy over 100": (PAGE.replace("   98  ...", "  130  ..."), 7, "Busy 130 %; expected at most"),
    "columns shifted": (PAGE.replace("13.4 15.8", "13.4 25.8"), 7, "is not Pend + Disc + Conn"),
}


@pytest.mark.parametrize(("text", "line", "problem"), BAD.values(), ids=BAD)
def test_bad_input_is_named_by_file_and_line(
    text: str, line: int, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "page.txt"
    path.write_text(text)
    assert run(["measured", "read", str(path)]) == 2
    err = capsys.readouterr().err
    assert f"{path}:{line}: " in err
    assert problem in err


MIXED = {
    "the other system": (("BOSTON", "ATLANTA"), "a page of ATLANTA with RDEVs of BOSTON"),
    "a third system": (("BOSTON", "CHICAGO"), "is of CHICAGO, and the layout joins"),
    "both on a page": (("7001 CTCA", "6001 CTCA"), "RDEVs of ATLANTA and of BOSTON on one page"),
    "no RDEV of the layout": (("\n700", "\n710"), "no RDEV of BOSTON in this layout"),
}


@pytest.mark.parametrize(("change", "problem"), MIXED.values(), ids=MIXED)
def test_pages_that_do_not_fit_the_layout_are_named_by_file_and_line(
    change: tuple[str, str], problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "page.txt"
    path.write_text(PAGE.replace(*change))
    assert run(["measured", "read", str(path), "--layout", "atlanta-boston"]) == 2
    err = capsys.readouterr().err
    assert f"{path}:5: {problem}" in err


def test_what_is_left_out_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "page.txt"
    path.write_text(PAGE.replace("   98  ...", "  130  ...").replace("7002 CTCA", "7FFF CTCA"))
    command = ["measured", "read", str(path), "--layout", "atlanta-boston", "--usable"]
    assert run(command) == 0
    out = capsys.readouterr().out
    whole = "".join(out.split())  # a long path is broken where the line ends
    assert f"Leftout:{path}:7:RDEV7000:Busy" in whole
    assert f"{path}:5:leftout,astheyarenotofthelink:7FFF" in whole
    assert re.findall(r"^(7\w+) +\d", out, re.MULTILINE) == ["7001"]
