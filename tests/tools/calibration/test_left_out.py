"""Suites left out of the fit: their rows are kept in their place, and summed up."""

from dataclasses import replace
from pathlib import Path

import pytest

from scenarios.published.replay import Comparison
from tools.calibration.left_out import load_draws, store_rows, summed_up
from tools.calibration.replayed import load


def off_by(factor: float) -> list[Comparison]:
    (transport,) = (one for one in load() if one.name == "transport")
    return [replace(c, emulated=factor * c.published) for c in transport.verdict.comparisons]


def test_rows_of_a_suite_take_the_place_of_its_former_ones(tmp_path: Path) -> None:
    path = tmp_path / "left_out.csv"
    assert load_draws(path) == []
    for suite, factor, draw in (("HY", 1.5, 1), ("HL", 0.9, 1), ("HY", 0.8, 2), ("HY", 1.25, 1)):
        store_rows(suite, off_by(factor), f"by {factor:g}", draw, path)
    draws = load_draws(path)
    assert [draw.made for draw in draws] == ["by 0.9; by 1.25", "by 0.8"]
    assert [
        {
            (c.key.split("/")[0], round(c.emulated / c.published, 3))
            for c in draw.comparisons
            if c.published
        }
        for draw in draws
    ] == [{("HL", 0.9), ("HY", 1.25)}, {("HY", 0.8)}]


def test_suites_are_summed_up_and_all_together(tmp_path: Path) -> None:
    path = tmp_path / "left_out.csv"
    for suite, factor in (("HY", 1.25), ("HL", 0.9)):
        store_rows(suite, off_by(factor), "a test", path=path)
    found = [(row["suite"], row["rows"], row["median"]) for row in summed_up(path)]
    assert found == [("HL", "30", "0.1000"), ("HY", "30", "0.2500"), ("all", "60", "0.1750")]
    assert float(summed_up(path)[-1]["p90"]) == pytest.approx(0.25)
