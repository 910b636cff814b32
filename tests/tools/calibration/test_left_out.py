"""Suites left out of the fit: their rows are kept in their place, and summed up."""

from dataclasses import replace
from pathlib import Path

import pytest

from scenarios.published.replay import Comparison
from tools.calibration.left_out import load_rows, store_rows, summed_up
from tools.calibration.replayed import load


def off_by(factor: float) -> list[Comparison]:
    (transport,) = (one for one in load() if one.name == "transport")
    return [replace(c, emulated=factor * c.published) for c in transport.verdict.comparisons]


def test_rows_of_a_suite_take_the_place_of_its_former_ones(tmp_path: Path) -> None:
    path = tmp_path / "left_out.csv"
    assert load_rows(path) == ([], "")
    for suite, factor in (("HY", 1.5), ("HL", 0.9), ("HY", 1.25)):
        store_rows(suite, off_by(factor), f"by {factor:g}", path)
    found, made = load_rows(path)
    assert made == "by 0.9; by 1.25"
    assert {
        (c.key.split("/")[0], round(c.emulated / c.published, 3)) for c in found if c.published
    } == {
        ("HL", 0.9),
        ("HY", 1.25),
    }


def test_suites_are_summed_up_and_all_together(tmp_path: Path) -> None:
    path = tmp_path / "left_out.csv"
    for suite, factor in (("HY", 1.25), ("HL", 0.9)):
        store_rows(suite, off_by(factor), "a test", path)
    found = [(row["suite"], row["rows"], row["median"]) for row in summed_up(path)]
    assert found == [("HL", "30", "0.1000"), ("HY", "30", "0.2500"), ("all", "60", "0.1750")]
    assert float(summed_up(path)[-1]["p90"]) == pytest.approx(0.25)
