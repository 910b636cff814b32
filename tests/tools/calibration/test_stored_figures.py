"""Figures that stored runs come to: targets, suites left out, and fits of sites drawn by number."""

import re
from dataclasses import replace
from pathlib import Path

from scenarios.published.replay import ComparedFigure
from tools.calibration import drawn_sites
from tools.calibration.certainty import store_rows, summed_up
from tools.calibration.judge import ReplayedTable, judgement, line, load


def off_by(factor: float) -> list[ReplayedTable]:
    """The stored replay with every figure off by a factor from IBM's."""
    found = []
    for one in load():
        figures = tuple(replace(c, emulated=factor * c.published) for c in one.verdict.comparisons)
        found.append(replace(one, verdict=replace(one.verdict, comparisons=figures)))
    return found


def test_the_stored_replay_keeps_every_bound() -> None:
    assert [line(check) for check in judgement(load()) if not check.within] == []


def test_suites_left_out_are_summed_up_and_rows_take_the_place_of_former_ones(
    tmp_path: Path,
) -> None:
    path = tmp_path / "left_out.csv"

    def transport(factor: float) -> list[ComparedFigure]:
        (one,) = (one for one in off_by(factor) if one.name == "transport")
        return list(one.verdict.comparisons)

    for suite, factor in (("HY", 1.5), ("HL", 0.9), ("HY", 1.25)):
        store_rows(suite, transport(factor), "a test", path=path)
    assert [row[:3] for row in summed_up(path)] == [
        ("HL", "30", "0.1000"),
        ("HY", "30", "0.2500"),
        ("all", "60", "0.1750"),
    ]


def test_a_fit_that_is_given_is_worth_it_and_a_bad_one_is_refused_with_its_reason() -> None:
    (_, sites), (with_fit, without), (held,), (worse,), (bad, right), _ = (
        [*map(float, re.findall(r"\d+(?:\.\d+)?", figure.partition("(number")[0]))]
        for _, figure in drawn_sites.summary(drawn_sites.STUDY.rows())
    )
    assert sites == 60
    assert with_fit <= without / 3
    assert 70 <= held <= 90
    assert worse == 0
    assert right >= 0.9 * bad
