"""Bounds: every measure has one, it is near to what is reached, and renewing keeps it so."""

from pathlib import Path

import pytest

from scenarios.published.catalogue import TABLES, load_table, parse_table
from scenarios.published.verdict import STATISTICS, check_bounds
from tools.calibration.judge import FOLDER, judgement, line, load, renewed, rounded


@pytest.mark.parametrize(
    ("reached", "bound"),
    [([0.0], 0.0), ([0.0723], 0.076), ([99.8], 110.0), ([0.10, 0.12, 0.11], 0.14)],
)
def test_bound_is_what_is_reached_and_more_as_seeds_differ(
    reached: list[float], bound: float
) -> None:
    assert rounded(reached) == bound >= max(reached)


@pytest.mark.parametrize("name", TABLES)
def test_renewed_bounds_keep_what_is_reached_and_nothing_else_changes(name: str) -> None:
    before, rows = (Path(FOLDER / f"{name}.{kind}").read_text("utf-8") for kind in ("toml", "csv"))
    (replay,) = (one for one in load() if one.name == name)
    after = renewed(before, load_table(name), [replay])
    table = parse_table(name, rows, after)
    for found in replay.by_seed:
        assert all(check.within for check in check_bounds(table, found))
    pairs = zip(before.splitlines(), after.splitlines(), strict=True)
    changed = {old.partition(" = ")[0] for old, new in pairs if old != new}
    assert changed <= {"median", "p90", "but_three", "worst", "wrong_max"}
    assert table.goals == load_table(name).goals


def test_the_stored_replay_keeps_every_bound() -> None:
    assert [line(check) for check in judgement(load()) if not check.within] == []


def test_every_measure_of_a_run_has_a_bound() -> None:
    for table in map(load_table, TABLES):
        assert {bound.measure for bound in table.bounds} == set(table.measures), table.name


def test_bounds_are_near_to_what_is_reached() -> None:
    """``docs/fidelity.csv`` has the means of three seeds: no bound is wider than their double."""
    replays = load()
    assert {one.name for one in replays} == set(TABLES)
    for check in (check for one in replays for check in one.verdict.checks):
        for name in STATISTICS:
            limit, reached = getattr(check.bound, name, None), getattr(check.summary, name)
            if check.of.measure == "tx_pend_count":  # of one moment: any two differ by much
                continue
            if check.bound and limit is not None:
                few = 5.0 if check.bound.distance in ("emulated", "points") else 0.02
                if check.of.group == "colliding":  # HY/4/50 has two paces, as the seed goes
                    few = 0.2
                assert limit <= 2 * reached + few, check.of
