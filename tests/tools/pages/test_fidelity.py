"""The page of fidelity: what it tells, from what was replayed and what is known."""

import csv
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from scenarios.published.companion import TABLES, load_table
from scenarios.published.replay import Comparison, Part, choose, compare, runs_of
from scenarios.published.table import PublishedRow
from scenarios.published.verdict import STATISTICS, TableVerdict, check_bounds, check_changes
from scenarios.runs.run import run as run_experiment
from tools.calibration import replayed
from tools.calibration.knobs import present_values
from tools.calibration.replayed import COLUMNS, ReplayedTable, load, replay_all, store
from tools.calibration.sensitivity import Sensitivity
from tools.pages import fidelity_page
from tools.pages.fidelity import DOCS, load_left_out, load_reasons
from tools.pages.fidelity_goals import CONSTANTS_MAX, goals
from tools.pages.fidelity_page import UNKNOWN, Material, OffReason, Picture, explain, page

HOW = "Each run was repeated with 2 seeds."

Factor = Callable[[str, str], float]
"""By how much the figure of a row (its key) and measure is off."""


def replay_of(name: str, *seeds: Factor) -> ReplayedTable:
    """A replay of a whole table in which every seed is off by a factor of its own."""
    table = load_table(name)
    part = Part(table, table.rows)
    by_seed = [
        [
            Comparison(name, row.key, measure, *figures(row, measure, factor), row.role, None)
            for row in table.rows
            for measure in table.measures
            if row.has_number(measure)
        ]
        for factor in seeds
    ]
    mean = tuple(map(mean_of, zip(*by_seed, strict=True)))
    checks, changes = check_bounds(table, mean), check_changes(table, mean)
    return ReplayedTable(TableVerdict(part, mean, tuple(checks), tuple(changes)), tuple(by_seed))


def figures(row: PublishedRow, measure: str, factor: Factor) -> tuple[float, float, float | None]:
    published = row.number(measure)
    ratio = factor(row.key, measure)
    return published, ratio * published, ratio - 1 if published else None


def mean_of(seeds: Sequence[Comparison]) -> Comparison:
    emulated = sum(one.emulated for one in seeds) / len(seeds)
    published = seeds[0].published
    error = emulated / published - 1 if published else None
    return replace(seeds[0], emulated=emulated, error=error)


def off_by(*factors: float, name: str = "transport") -> ReplayedTable:
    return replay_of(name, *((lambda _, __, factor=factor: factor) for factor in factors))


def material(*replays: ReplayedTable) -> Material:
    return Material(HOW, replays, [Picture("hl.svg", "HL")], [], {}, [], [], [])


def lines_of(text: str, start: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(start)]


def test_perfect_replay_meets_every_goal() -> None:
    text = page(material(*(off_by(1.0, name=name) for name in TABLES)))
    count = {True: 0, False: 0}
    for table in map(load_table, TABLES):
        count[table.is_measured] += len(table.changes) + sum(
            getattr(goal, name) is not None for goal in table.goals for name in STATISTICS
        )
    few = len(present_values()) <= CONSTANTS_MAX
    assert f"{count[True] + few} of {count[True] + 1} measured goals are met." in text
    assert f"{count[False]} of {count[False]} arithmetic rules" in text
    assert "| `transport` | multi-CTC | MB/s both ways | 120 | 0 % | 0 % | 0 % |" in text
    assert (
        "| CTCs, 4 to 16 | MB/s both ways | 300 | 100 % | 100 % | 100 % | 0.0 % | 0.0 % | 0.0 % |"
        in text
    )
    assert "| the model | 0.0 % | 0.0 % |" in text
    assert text.index("## What holds") < text.index("## Decision accuracy") < text.index("## Goals")
    verdicts = [off_by(1.0, name=name).verdict for name in TABLES]
    told = {" | ".join(line) for line in goals(verdicts, [])}
    fitted = "`transport` | multi-CTC | MB/s both ways | median within 3.5 %"
    sign = "`appc_regression` | z/VM 6.1 to z/VM 6.2 | messages/s"
    points = "`device_reports` | all | busy % | every one within 10 points"
    rule = "`stop_short` | all | stops short by | every one the same"
    assert {
        f"{fitted} | 0 % of 61 | 0 % of 59 | 0 % of 120 | ",
        f"{sign} | right sign of every change of more than 10 % |  |  | 29 of 29 | ",
        f"{points} | 0 of 16 | 0 of 32 | 0 of 48 | ",
        f"{rule} | no rows | 0 % of 2 | 0 % of 2 | ",
    } <= told


def test_goals_are_judged_by_the_mean_of_the_seeds() -> None:
    replay = off_by(1.0, 1.18)
    first, second, *_ = goals([replay.verdict], [])
    assert first[-4:] == ("9 % of 61", "9 % of 59", "9 % of 120", "**5.5 %**")
    assert second[-4:] == ("9 % of 61", "9 % of 59", "9 % of 120", "")
    text = page(material(replay))
    missed, *_ = lines_of(text[text.index("## Goals") :], "| `transport` |")
    assert missed.split(" | ")[2].startswith("1 of MB/s both ways, ")


def test_wrong_signs_are_counted() -> None:
    def slow(key: str, _: str) -> float:
        return 0.1 if key == "z/VM 6.2/1/1" else 1.0

    told = goals([replay_of("appc_regression", slow).verdict], [])
    assert ("28 of 29", "**1**") in [goal[-2:] for goal in told]


def test_worst_rows_are_named_with_what_is_known() -> None:
    def fast(key: str, measure: str) -> float:
        return 1.5 if measure == "mb_per_s" and key in ("HY/4/5", "HM/8/1") else 1.0

    reasons = [OffReason({"suite": ["HY"]}, faster=True, text="Because.")]
    text = page(replace(material(replay_of("transport", fast)), reasons=reasons))
    runs = text[text.index("worst rows") :].splitlines()
    assert "| HM/8/1 | 86 | 129 | +50 % | prediction | 1 |" in runs
    assert "| HY/4/5 | 118 | 177 | +50 % | prediction | 2 |" in runs
    assert f"1. {UNKNOWN}" in runs
    assert "2. Because." in runs


def test_worst_devices_are_told_in_points() -> None:
    def idle(key: str, _: str) -> float:
        return 0.0 if key == "H001750C/6000" else 1.0

    text = page(material(replay_of("device_reports", idle)))
    assert "`device_reports`, busy %; a row is run/rdev." in text
    assert "| H001750C/6000 | 96 | 0 | -96 | prediction | 1 |" in text


def test_seeds_that_differ_are_told() -> None:
    text = page(material(off_by(1.0, 1.01), off_by(1.0, name="device_reports")))
    (line,) = lines_of(text[text.index("From seed to seed") :], "| `")
    assert line.startswith("| `transport` | MB/s both ways | 1.00 % | 1.0 % (")
    assert line.endswith(" | 0 of 140 |")


def test_reason_holds_for_errors_of_its_own_table_and_direction() -> None:
    row = next(row for row in load_table("transport").rows if row.key == "HY/4/5")
    reasons = [
        OffReason({"reply_bytes": [32768]}, faster=True, text="other", table="appc_scaling"),
        OffReason({"suite": ["HY"]}, faster=False, text="slow\n"),
        OffReason({"suite": ["HY"], "pairs": [5]}, faster=True, text="fast"),
        OffReason({"suite": ["HY"]}, faster=True, text="later"),
    ]
    assert explain(reasons, "transport", row, -0.1) == "slow"
    assert explain(reasons, "transport", row, 0.1) == "fast"
    assert explain(reasons[:2], "transport", row, 0.1) == UNKNOWN


def test_every_reason_that_is_kept_fits_some_row() -> None:
    for reason in load_reasons(DOCS / "reasons.toml"):
        rows = load_table(reason.table).rows
        assert any(row.is_in(reason.where) for row in rows), reason.text
        assert reason.text.endswith(".")


def test_sensitivity_tells_what_matters_and_what_is_out_of_date(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fidelity_page, "present_values", lambda: {"a.b": 5.0, "a.c": 7.0, "a.d": 1})
    rows = (
        Sensitivity("a.b", 5.0, 0.25, 0.26, 0.25, 0.002),
        Sensitivity("a.c", 6.0, 0.25, 0.25, 0.251, 0.002, 24),
    )
    found = {row.name: row for row in rows}
    text = page(replace(material(off_by(1.0)), sensitivity=found))
    assert "| `a.b` | 5 | +4.00 % | +0.00 % | +2.00 % | 2.40 % | yes | 4 |" in text
    assert "| `a.c` | 6 | +0.00 % | +0.40 % | +0.20 % | 2.40 % | **no** | 24 |" in text
    assert "**Measured before the latest fit**: 1 of these" in text
    assert "**Not measured yet**: `a.d`." in text


def test_left_out_suites_are_shown_or_said_to_be_missing(
    tmp_path: Path,
) -> None:
    path = tmp_path / "leave-one-out.csv"
    assert load_left_out(path) == []
    assert "Not done yet: `python -m tools.calibration.calibrate" in page(material(off_by(1.0)))
    path.write_text(
        "suite,rows,median,p90,worst,worst_row,made\n"
        "HY,30,0.1062,0.2489,0.3934,HY/4/5,40\nall,120,0.08,0.15,0.31,HY/4/5,40\n"
    )
    text = page(replace(material(off_by(1.0)), left_out=load_left_out(path)))
    assert "| HY | 30 | 10.6 % | 24.9 % | 39.3 % | HY/4/5 |" in text
    assert "for each draw of searches: 40." in " ".join(text.split())
    assert "| suites left out | 1 of 3 | 2 of MB/s both ways |" in text


def test_figures_that_are_stored_are_those_that_are_loaded(tmp_path: Path) -> None:
    path = tmp_path / "fidelity.csv"
    with path.open("w", newline="") as file:
        store([off_by(1.0, 1.2), off_by(1.0, name="stop_short")], file)
    with path.open(newline="") as file:
        lines = list(csv.reader(file))
    assert lines[0] == list(COLUMNS)
    assert lines[1] == "transport HS/1/1 mb_per_s calibration 14.45 15.895 14.45 17.34".split()
    assert len(lines) == 1 + 140 * 4 + 2
    transport, rule = load(path)
    assert transport.verdict.comparisons[0].emulated == 15.895
    assert [seed[0].emulated for seed in transport.by_seed] == [14.45, pytest.approx(15.895), 17.34]
    assert rule.name == "stop_short"


def test_replay_runs_every_run_with_every_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replayed, "TABLES", ("link_activity", "stop_short"))
    with ThreadPoolExecutor(1) as pool:
        link, rule = replay_all(2, 0.05, pool)
    assert [len(one.by_seed) for one in (link, rule)] == [2, 2]
    table = load_table("link_activity")
    (run,) = runs_of(choose([table], {}, 0.05))
    second = [run_experiment(replace(run, seed=2)).link()]
    assert link.by_seed[1] == [c for row in table.rows for c in compare(table, row, second)]
    rates = [of_seed[2].emulated for of_seed in link.by_seed]
    assert link.verdict.comparisons[2].emulated == pytest.approx(sum(rates) / 2)
