"""The page of fidelity: what it tells, from what was replayed and what is known."""

from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import pytest

from scenarios.published.catalogue import TABLES, load_table
from scenarios.published.replay import ComparedFigure, Part
from scenarios.published.verdict import STATISTICS, TableVerdict
from tools import DOCS
from tools.calibration.certainty import EVERY
from tools.calibration.judge import ReplayedTable, load, stored
from tools.calibration.knobs import present_values
from tools.pages.fidelity import (
    CONSTANTS_MAX,
    UNKNOWN,
    OffReason,
    load_reasons,
    model_goals,
    replayed,
    told,
    worst_rows,
)

Factor = Callable[[str, str], float]
"""By how much the figure of a row (its key) and measure is off."""


def replay_of(name: str, *seeds: Factor) -> ReplayedTable:
    """A replay of a whole table in which every seed is off by a factor of its own."""
    table = load_table(name)
    given = [(row, each) for row in table.rows for each in table.measures if row.has_number(each)]

    def of_seed(factor: Factor) -> tuple[ComparedFigure, ...]:
        return tuple(
            ComparedFigure.of(table, row, each, factor(row.key, each) * row.number(each))
            for row, each in given
        )

    mean = of_seed(lambda *at: fmean(factor(*at) for factor in seeds))
    verdict = TableVerdict.of(Part(table, table.rows), mean)
    return ReplayedTable(verdict, tuple(map(of_seed, seeds)))


def off_by(*factors: float, name: str = "transport") -> ReplayedTable:
    return replay_of(name, *((lambda _, __, factor=factor: factor) for factor in factors))


def test_perfect_replay_meets_every_goal() -> None:
    replays = [off_by(1.0, name=name) for name in TABLES]
    found = told(replays)
    count = {True: 0, False: 0}
    for verdict in (one.verdict for one in replays):
        table = verdict.table
        count[table.is_measured] += len(table.changes) + sum(
            getattr(goal, name) is not None for goal in table.goals for name in STATISTICS
        )
        count[table.is_measured] += sum(each.goal is not None for each in verdict.decisions)
    assert found["met"] == (
        f"{count[True]} of {count[True]} of measured runs, "
        f"{count[False]} of {count[False]} of arithmetic rules"
    )
    assert found["off"] == "none"
    assert "| transport | MB/s both ways | multi-CTC | 120 | 0 | 0 | 0 | % |" in found["near"]
    assert "| MB/s both ways | the model | 300 | 100 | 0 | 0 | 0 |" in found["choices"]
    assert "| the model | 0 | 0 |" in found["links"]


def test_suites_left_out_and_the_number_of_constants_have_goals() -> None:
    near = {"suite": EVERY, "rows": "240", "median": "0.05", "p90": "0.161", "worst": "0.3"}
    assert [each["meets_goal"] for each in model_goals([near])] == [True, False, True, True]
    assert len(present_values()) <= CONSTANTS_MAX


def test_goals_are_judged_by_the_mean_of_the_seeds_and_those_that_are_missed_marked() -> None:
    half, most, *_ = replayed([off_by(1.0, 1.18)]).checks
    assert [half.reached, most.reached] == pytest.approx([9, 9])
    assert [(each.rows, each.meets_goal) for each in (half, most)] == [(120, False), (120, True)]


def test_worst_rows_are_named_with_what_is_known_of_their_table_and_direction() -> None:
    def fast(key: str, measure: str) -> float:
        return 1.5 if measure == "mb_per_s" and key in ("HY/4/5", "HM/8/1") else 1.0

    reasons = [
        OffReason({"reply_bytes": [32768]}, faster=True, text="Other.", table="appc_scaling"),
        OffReason({"suite": ["HM", "HY"]}, faster=False, text="Slow."),
        OffReason({"suite": ["HY"]}, faster=True, text="Because."),
    ]
    runs = worst_rows(replay_of("transport", fast).verdict, reasons).splitlines()
    assert "| HM/8/1 | 86 | 129 | 50 % | prediction | 1 |" in runs
    assert "| HY/4/5 | 118 | 177 | 50 % | prediction | 2 |" in runs
    assert f"1. {UNKNOWN}" in runs
    assert "2. Because." in runs


def test_every_reason_that_is_kept_fits_some_row() -> None:
    for reason in load_reasons(DOCS / "reasons.toml"):
        assert any(row.is_in(reason.where) for row in load_table(reason.table).rows), reason.text


def test_figures_that_are_stored_are_those_that_are_loaded(tmp_path: Path) -> None:
    path = tmp_path / "fidelity.csv"
    path.write_text(stored([off_by(1.0, 1.2), off_by(1.0, name="stop_short")]))
    lines = path.read_text().splitlines()
    assert lines[1] == "transport,HS/1/1,mb_per_s,calibration,14.45,15.895,14.45,17.34"
    assert len(lines) == 1 + 140 * 4 + 2
    transport, _ = load(path)
    assert transport.verdict.comparisons[0].emulated == 15.895
    assert [seed[0].emulated for seed in transport.by_seed] == [14.45, pytest.approx(15.895), 17.34]
