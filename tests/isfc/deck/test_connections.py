"""Connections as a matrix and as the two-sided list, with gaps."""

import json
import re
from pathlib import Path

import pytest

import isfc
from isfc.cli.main import run
from tests.decks import DECKS


def imported(tmp_path: Path, deck: str, partitions: str, *more: str) -> Path:
    path = tmp_path / "layout.toml"
    words = ["import", "iocp", str(DECKS / deck), "--partitions", partitions, *more]
    assert run([*words, "-o", str(path)]) == 0
    return path


def test_both_ends_stand_around_the_unit_address_that_they_share(tmp_path: Path) -> None:
    path = imported(tmp_path, "three-systems.iocp", "VMA,VMB,VMC", "--ports", "VMA:50=01")
    found = isfc.connections(path)
    assert {(each.ctcs, each.fibres) for each in found.matrix} == {(8, 2)}
    first = found.connections[0]
    near, far = first.ends
    assert near is not None
    assert far is not None
    assert (near.control_unit, near.rdev) == ("5020", "5020")
    assert (far.control_unit, far.rdev) == ("6010", "6010")
    assert (first.unit_address, first.count, first.in_link) == ("00", 4, True)
    assert len(found.connections) == 6


def test_gaps_and_what_is_defined_only_are_marked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = imported(tmp_path, "mistakes.iocp", "CHICAGO,DENVER")
    text = path.read_text()
    assert "7010-7013" in text
    path.write_text(text.replace("7010-7013", "7010-7011").replace("7210-7213", "7210-7211"))
    capsys.readouterr()
    assert run(["show", str(path), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["connections"]
    ranges = [(row["ends"][0]["rdev"], row["count"], row["in_link"], row["gap"]) for row in rows]
    assert ranges[:3] == [
        ("7010", 2, True, None),
        ("7012", 2, False, None),
        ("7014", 1, False, "unit-addresses-differ"),
    ]
    assert [row["ends"][1] for row in rows[2:]] == [None] * 7
    assert run(["show", str(path), "--connections"]) == 0
    page = capsys.readouterr().out
    assert re.search(r"^Not in link +2 CTCs that only the kept decks have$", page, re.MULTILINE)
    assert re.search(r"^Gaps +19 devices without a mate$", page, re.MULTILINE)
    assert page.count(" gap\n") == 7
    assert page.count(" not in link\n") == 1


def test_a_layout_without_decks_has_no_control_units(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "two-cecs", "--link", "ALPHA-BETA", "--connections"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^CTCs +8 in 1 link$", out, re.MULTILINE)
    assert re.search(r"^ALPHA +8/4", out, re.MULTILINE)
    assert re.search(r"^ALPHA +42 +6120 +2 +6020 +43 +BETA$", out, re.MULTILINE)
