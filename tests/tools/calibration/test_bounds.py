"""Renewing bounds: which numbers of a companion change, and to what."""

import csv
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from scenarios.published.companion import TABLES, load_table, parse_table
from scenarios.published.replay import Comparison, Part
from scenarios.published.table import Role
from scenarios.published.verdict import STATISTICS, TableVerdict, check_bounds, check_changes
from tools.calibration import bounds
from tools.calibration.bounds import FOLDER, main, renewed, rounded
from tools.calibration.replayed import ReplayedTable


def text_of(name: str, kind: str = "toml") -> str:
    return (FOLDER / f"{name}.{kind}").read_text("utf-8")


def replay_of(name: str, *factors: float) -> ReplayedTable:
    """A table in which every figure of a seed is off by a factor."""
    found = [comparisons_of(name, factor) for factor in factors]
    table = load_table(name)
    checks, changes = check_bounds(table, found[0]), check_changes(table, found[0])
    verdict = TableVerdict(Part(table, table.rows), found[0], tuple(checks), tuple(changes))
    return ReplayedTable(verdict, tuple(found))


def comparisons_of(name: str, factor: float) -> tuple[Comparison, ...]:
    table = load_table(name)
    return tuple(
        Comparison(name, row.key, measure, published, factor * published, None, row.role, None)
        for row in table.rows
        for measure in table.measures
        if row.has_number(measure)
        for published in [row.number(measure)]
    )


@pytest.mark.parametrize(
    ("reached", "bound"),
    [(0.0, 0.0), (0.1, 0.11), (0.0723, 0.076), (0.425, 0.45), (2.02, 2.2), (99.8, 110.0)],
)
def test_bound_is_what_is_reached_and_a_little_more(reached: float, bound: float) -> None:
    assert rounded([reached]) == bound
    assert rounded([reached]) >= reached


def test_bound_leaves_as_much_more_as_seeds_and_lengths_differ() -> None:
    assert rounded([0.10, 0.12, 0.11]) == 0.14
    assert rounded([0.119, 0.12]) == 0.13
    assert rounded([0.0, 3.0]) == 6.0


def test_infinity_bounds_nothing() -> None:
    with pytest.raises(ValueError, match="declare another number"):
        rounded([1.0, inf])


@pytest.mark.parametrize("name", ["transport", "device_reports", "link_activity"])
def test_every_bound_gets_its_numbers_and_keeps_what_is_reached(name: str) -> None:
    table, replay = load_table(name), replay_of(name, 1.1, 1.08)
    after = parse_table(name, text_of(name, "csv"), renewed(text_of(name), table, [replay]))
    assert [bound.subject for bound in after.bounds] == [bound.subject for bound in table.bounds]
    for found in replay.by_seed:
        assert all(check.within for check in check_bounds(after, found))
    relative = [b for b in after.bounds if b.distance == "relative" and b.worst is not None]
    assert {bound.worst for bound in relative} <= {0.12, 0.13}


def test_nothing_else_changes() -> None:
    table, replay = load_table("transport"), replay_of("transport", 1.3)
    before, after = text_of("transport"), renewed(text_of("transport"), table, [replay])
    pairs = list(zip(before.splitlines(), after.splitlines(), strict=True))
    changed = [old.partition(" = ")[0] for old, new in pairs if old != new]
    assert set(changed) <= {"median", "p90", "but_three", "worst"}
    assert parse_table("transport", text_of("transport", "csv"), after).goals == table.goals


def test_wrong_signs_are_counted_again() -> None:
    replay = replay_of("appc_regression", 1.0)
    slow = [replace(c, emulated=0.1) if c.key == "z/VM 6.2/1/1" else c for c in replay.by_seed[0]]
    worse = replace(replay, by_seed=(*replay.by_seed, slow))
    table = replay.verdict.table
    assert "\nwrong_max = 1\n" in renewed(text_of("appc_regression"), table, [worse])


def test_rules_stay_exact() -> None:
    for name in ("capacity_estimates", "chpid_estimates", "stop_short"):
        assert renewed(text_of(name), load_table(name), [replay_of(name, 1.0)]) == text_of(name)


def test_what_cannot_be_bounded_is_named() -> None:
    with pytest.raises(ValueError, match=r"msgs_per_s, z/VM 6\.2: median is infinite"):
        renewed(
            text_of("appc_regression"),
            load_table("appc_regression"),
            [replay_of("appc_regression", inf)],
        )


def test_command_writes_every_companion(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    for name in TABLES:
        (folder / f"{name}.toml").write_text(text_of(name))
    replays = [replay_of(name, 1.0) for name in TABLES]
    monkeypatch.setattr(bounds, "replay_all", lambda *_: replays)
    assert main(["--folder", str(folder), "--jobs", "1"]) == 0
    assert "\nmedian = 0\n" in (folder / "appc_scaling.toml").read_text()
    decisions = (tmp_path / "decisions.csv").read_text().splitlines()
    assert "transport,rdevs,mb_per_s,p90,0,0.12" in decisions


def test_every_measure_of_a_run_has_a_bound() -> None:
    for table in map(load_table, TABLES):
        assert {bound.measure for bound in table.bounds} == set(table.measures), table.name


def test_bounds_are_near_to_what_is_reached() -> None:
    """``docs/fidelity.csv`` has the means of three seeds: no bound is wider than their double."""
    found = means(FOLDER.parents[2] / "docs" / "fidelity.csv")
    for table in map(load_table, TABLES):
        for check in check_bounds(table, found[table.name]):
            for name in STATISTICS:
                limit, reached = getattr(check.bound, name, None), getattr(check.summary, name)
                if check.of.measure == "tx_pend_count":  # of one moment: any two differ by much
                    continue
                if check.bound and limit is not None:
                    few = 5.0 if check.bound.distance in ("emulated", "points") else 0.02
                    if check.of.group == "colliding":  # HY/4/50 has two paces, as the seed goes
                        few = 0.2
                    assert limit <= 2 * reached + few, (table.name, check.of)


def means(path: Path) -> dict[str, list[Comparison]]:
    found: dict[str, list[Comparison]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            published, emulated = float(row["published"]), float(row["emulated"])
            found.setdefault(row["table"], []).append(
                Comparison(
                    *(row["table"], row["key"], row["measure"], published, emulated),
                    *(None, Role(row["role"]), None),
                )
            )
    return found
