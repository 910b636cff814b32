"""``isfc measured read``: tables in files, and bad input named by file and line."""

import csv
import json
import re
from pathlib import Path

import pytest

from isfc.cli.main import run
from isfc.site.measurement import COLUMNS
from tests.isfc.cli.conftest import Refusal
from tests.isfc.foreign import XCF
from tests.isfc.site import monwrite_file as mw
from tests.isfc.site.test_read import PAGE
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


def test_bad_input_is_named_by_file_and_line(tmp_path: Path, refusal: Refusal) -> None:
    path = tmp_path / "page.txt"
    path.write_text(PAGE.replace(" 61.8", "-61.8"))
    assert f"{path}:7: " in refusal("measured", "read", str(path))
    path.write_text(PAGE.replace("BOSTON", "ATLANTA"))
    layout = ("--layout", "atlanta-boston")
    assert f"{path}:5: a page of ATLANTA" in refusal("measured", "read", str(path), *layout)


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


def test_of_ctcs_of_other_software_the_page_says_what_they_tell_and_what_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], refusal: Refusal
) -> None:
    path, table = tmp_path / "xcf.txt", tmp_path / "table.csv"
    path.write_text(XCF, "utf-8")
    assert run(["measured", "read", str(path), "-o", str(table), "--notes"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "4021 XCF written SYSC 2377" in out
    assert "nothing of ISFC, of collisions, or of how busy a CTC or chpid is" in out
    assert "27 lines: 10 rows, 12 headings, 1 of other reports" in out
    with table.open() as file:
        assert {row["kind"] for row in csv.DictReader(file)} == {"foreign"}
    assert run(["measured", "read", str(path), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)["measurements"]
    assert run(["measured", "read", str(table), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["measurements"] == printed
    said = refusal("measured", "compare", "atlanta-boston", str(path))
    assert f"{path}:2: CTCs that XCF drives, which say nothing of ISFC" in said
