"""The page of fidelity: what it tells, from what was replayed and what is known."""

import csv
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from scenarios.published import PublishedTable, load_table, table_names
from scenarios.replay import SECONDS, Comparison
from tools import fidelity, fidelity_page
from tools.fidelity import DOCS, SEEDS, load_left_out, load_reasons, main, write
from tools.fidelity_page import UNKNOWN, Material, Reason, explain, page
from tools.goals import GOALS, Figure
from tools.replayed import COLUMNS, Replay, emulate, replay
from tools.sensitivity import Sensitivity

HOW = "Each run was repeated with 2 seeds."


@pytest.fixture(scope="module")
def table() -> PublishedTable:
    return load_table("transport")


def off_by(table: PublishedTable, *factors: float) -> Replay:
    """A replay with a seed for each factor by which everything is off."""
    return Replay(
        table,
        [
            Comparison(
                *(table.name, row.key, measure, row.number(measure)),
                *(factor * row.number(measure), None, row.role, None),
            )
            for row in table.rows
            for measure in table.measures
            for factor in factors
        ],
    )


def material(one: Replay) -> Material:
    return Material(HOW, {"transport": one}, {"HL": "hl.svg"}, [], {}, [])


def lines_of(text: str, start: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(start)]


def test_perfect_replay_meets_every_goal_that_is_replayed(table: PublishedTable) -> None:
    text = page(material(off_by(table, 1.0)))
    assert "10 of 10 goals of the tables that are replayed are met." in text
    goals = lines_of(text, "| `transport` |")
    assert len(goals) == 10
    assert goals[0] == (
        "| `transport` | several CTCs | MB/s | median within 4% "
        "| 0.0% of 60 | 0.0% of 60 | 0.0% of 120 | yes |"
    )


def test_goals_are_judged_by_the_mean_of_the_seeds(table: PublishedTable) -> None:
    goals = lines_of(page(material(off_by(table, 1.0, 1.2))), "| `transport` |")
    assert goals[0].endswith("| 10.0% of 60 | 10.0% of 60 | 10.0% of 120 | **no** |")
    assert goals[1].endswith("| 10.0% of 60 | 10.0% of 60 | 10.0% of 120 | yes |")


def test_page_says_which_tables_are_not_replayed(table: PublishedTable) -> None:
    text = page(material(off_by(table, 1.0)))
    assert "**Not replayed yet**" in text
    waiting = {goal.table for goal in GOALS} - {"transport"}
    for name in waiting:
        assert all(
            "| no |" in line or "not checked" in line for line in lines_of(text, f"| `{name}`")
        )


def test_worst_runs_are_named_with_what_is_known(table: PublishedTable) -> None:
    one = off_by(table, 1.0)
    comparisons = [
        replace(c, emulated=1.5 * c.published)
        if (c.key, c.measure) in {("HY/4/5", "mb_per_s"), ("HM/8/1", "mb_per_s")}
        else c
        for c in one.comparisons
    ]
    reasons = [Reason({"suite": ["HY"]}, faster=True, text="Because.")]
    text = page(replace(material(Replay(table, comparisons)), reasons=reasons))
    runs = text[text.index("worst runs") :].splitlines()
    assert "| HM/8/1 | 86 | 129 | +50% | prediction | 1 |" in runs
    assert "| HY/4/5 | 118 | 177 | +50% | prediction | 2 |" in runs
    assert f"1. {UNKNOWN}" in runs
    assert "2. Because." in runs


def test_reason_holds_for_errors_of_its_own_direction(table: PublishedTable) -> None:
    row = next(row for row in table.rows if row.key == "HY/4/5")
    reasons = [
        Reason({"suite": ["HY"]}, faster=False, text="slow\n"),
        Reason({"suite": ["HY"], "pairs": [5]}, faster=True, text="fast"),
        Reason({"suite": ["HY"]}, faster=True, text="later"),
    ]
    assert explain(reasons, Figure(row, 100, 90)) == "slow"
    assert explain(reasons, Figure(row, 100, 110)) == "fast"
    assert explain(reasons[:1], Figure(row, 100, 110)) == UNKNOWN


def test_every_reason_that_is_kept_fits_some_run(table: PublishedTable) -> None:
    for reason in load_reasons(DOCS / "reasons.toml"):
        assert any(row.is_in(reason.where) for row in table.rows), reason.text
        assert reason.text.endswith(".")


def test_sensitivity_tells_what_is_felt_and_what_is_out_of_date(
    table: PublishedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fidelity_page, "present_values", lambda: {"a.b": 5.0, "a.c": 7.0, "a.d": 1})
    rows = (
        Sensitivity("a.b", 5.0, 0.25, 0.26, 0.25, 0.002),
        Sensitivity("a.c", 6.0, 0.25, 0.25, 0.251, 0.002),
    )
    found = {row.name: row for row in rows}
    text = page(replace(material(off_by(table, 1.0)), sensitivity=found))
    assert "| `a.b` | 5 | +4.0% | +0.0% | +2.0% | yes |" in text
    assert "| `a.c` | 6 | +0.0% | +0.4% | +0.2% | **no** |" in text
    assert "**Measured before the latest fit**: 1 of these" in text
    assert "**Not measured yet**: `a.d`." in text


def test_left_out_suites_are_shown_or_said_to_be_missing(
    table: PublishedTable, tmp_path: Path
) -> None:
    path = tmp_path / "leave-one-out.csv"
    assert load_left_out(path) == []
    assert "Not done yet: `python -m tools.calibrate" in page(material(off_by(table, 1.0)))
    path.write_text(
        "suite,rows,median,p90,worst,worst_row,generations\nHY,30,0.1062,0.2489,0.3934,HY/4/5,40\n"
    )
    text = page(replace(material(off_by(table, 1.0)), left_out=load_left_out(path)))
    assert "| HY | 30 | 10.6% | 24.9% | 39.3% | HY/4/5 | 40 |" in text


def test_files_are_written_and_written_again_the_same(
    table: PublishedTable, tmp_path: Path
) -> None:
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        folder.mkdir()
        write({"transport": off_by(table, 1.0, 1.2)}, HOW, folder)
    names = sorted(path.name for path in folders[0].iterdir())
    pictures = [f"fidelity-{suite}.svg" for suite in ("hl", "hm", "hs", "hy")]
    assert names == [*pictures, "fidelity.csv", "fidelity.md"]
    for name in names:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()
    text = (folders[0] / "fidelity.md").read_text()
    assert all(f"]({name})" in text for name in (*pictures, "fidelity.csv"))
    with (folders[0] / "fidelity.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == list(COLUMNS)
    assert rows[1] == "transport HS/1/1 mb_per_s acceptance 14.45 15.895 14.45 17.34".split()
    assert len(rows) == 1 + 140 * len(table.measures)


def test_replay_runs_every_row_with_every_seed(
    table: PublishedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = replace(table, rows=table.rows[64:66])
    monkeypatch.setattr("tools.replayed.load_table", lambda _: short)
    with ThreadPoolExecutor(1) as pool:
        one = replay("transport", 2, 0.01, pool)
    cells = one.by_cell()
    assert list(cells) == [(row.key, measure) for row in short.rows for measure in table.measures]
    assert {len(found) for found in cells.values()} == {2}
    result = emulate(("transport", short.rows[1].key, 2, 0.01))
    assert cells[short.rows[1].key, "mb_per_s"][1].emulated == result.mb_per_s


@pytest.mark.usefixtures("table")
def test_command_replays_what_there_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, table: PublishedTable
) -> None:
    asked = []

    def replayed(name: str, seeds: int, seconds: float, _: object) -> Replay:
        asked.append((name, seeds, seconds))
        return off_by(table, 1.0)

    monkeypatch.setattr(fidelity, "replay", replayed)
    monkeypatch.setattr(fidelity, "table_names", lambda: ("transport",))
    assert main(["--folder", str(tmp_path), "--jobs", "1"]) == 0
    assert asked == [("transport", SEEDS, SECONDS)]
    assert "repeated with 3 seeds" in " ".join((tmp_path / "fidelity.md").read_text().split())


@pytest.mark.slow
def test_page_is_up_to_date() -> None:
    """One run stands for all: whatever changes the model changes that too."""
    with (DOCS / "fidelity.csv").open(newline="") as file:
        told = {(row["table"], row["key"], row["measure"]): row for row in csv.DictReader(file)}
    assert {table for table, _, _ in told} == set(table_names())
    results = [emulate(("transport", "HL/16/5", seed, SECONDS)) for seed in range(1, SEEDS + 1)]
    rates = [result.mb_per_s for result in results]
    row = told["transport", "HL/16/5", "mb_per_s"]
    figures = (sum(rates) / SEEDS, min(rates), max(rates))
    assert [row[column] for column in COLUMNS[5:]] == [f"{f:.5g}" for f in figures], (
        "run: make docs"
    )
