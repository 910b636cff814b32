"""Renewing bounds: which numbers of a companion change, and to what."""

from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from scenarios.published.companion import TABLES, load_table, parse_table
from scenarios.published.replay import Comparison, Part
from scenarios.published.verdict import Verdict, check_bounds, check_changes
from tools.calibration import bounds
from tools.calibration.bounds import FOLDER, main, renewed, rounded
from tools.calibration.replayed import Replay


def text_of(name: str, kind: str = "toml") -> str:
    return (FOLDER / f"{name}.{kind}").read_text("utf-8")


def verdict_of(name: str, factor: float) -> Verdict:
    """A table in which every figure is off by a factor."""
    table = load_table(name)
    found = tuple(
        Comparison(name, row.key, measure, published, factor * published, None, row.role, None)
        for row in table.rows
        for measure in table.measures
        if row.has_number(measure)
        for published in [row.number(measure)]
    )
    checks, changes = check_bounds(table, found), check_changes(table, found)
    return Verdict(Part(table, table.rows), found, tuple(checks), tuple(changes))


@pytest.mark.parametrize(
    ("reached", "bound"),
    [(0.0, 0.0), (0.1, 0.11), (0.0723, 0.076), (0.425, 0.45), (2.02, 2.2), (99.8, 110.0)],
)
def test_bound_is_what_is_reached_and_a_little_more(reached: float, bound: float) -> None:
    assert rounded(reached) == bound
    assert rounded(reached) >= reached


def test_bound_is_no_wider_than_a_goal_that_is_reached() -> None:
    assert rounded(0.119, 0.12) == 0.12
    assert rounded(0.05, 0.12) == 0.053
    assert rounded(0.121, 0.12) == 0.13


def test_infinity_bounds_nothing() -> None:
    with pytest.raises(ValueError, match="declare another number"):
        rounded(inf)


@pytest.mark.parametrize("name", ["transport", "device_reports", "link_activity"])
def test_every_bound_gets_its_numbers_and_keeps_what_is_reached(name: str) -> None:
    table, verdict = load_table(name), verdict_of(name, 1.1)
    after = parse_table(name, text_of(name, "csv"), renewed(text_of(name), table, verdict))
    assert [bound.subject for bound in after.bounds] == [bound.subject for bound in table.bounds]
    assert all(check.within for check in check_bounds(after, verdict.comparisons))
    relative = [b for b in after.bounds if b.distance == "relative" and b.worst is not None]
    assert {bound.worst for bound in relative} <= {0.11, 0.12}


def test_nothing_else_changes() -> None:
    table, verdict = load_table("transport"), verdict_of("transport", 1.3)
    before, after = text_of("transport"), renewed(text_of("transport"), table, verdict)
    pairs = list(zip(before.splitlines(), after.splitlines(), strict=True))
    changed = [old.partition(" = ")[0] for old, new in pairs if old != new]
    assert set(changed) <= {"median", "p90", "worst"}
    assert parse_table("transport", text_of("transport", "csv"), after).goals == table.goals


def test_wrong_signs_are_counted_again() -> None:
    verdict = verdict_of("appc_regression", 1.0)
    (check,) = verdict.changes
    worse = replace(verdict, changes=(replace(check, wrong=("z/VM 6.2/1/1",)),))
    assert "\nwrong_max = 1\n" in renewed(text_of("appc_regression"), verdict.table, worse)


def test_rules_stay_exact() -> None:
    for name in ("capacity_estimates", "chpid_estimates", "stop_short"):
        assert renewed(text_of(name), load_table(name), verdict_of(name, 1.0)) == text_of(name)


def test_what_cannot_be_bounded_is_named() -> None:
    with pytest.raises(ValueError, match=r"msgs_per_s, z/VM 6\.2: median is infinite"):
        renewed(
            text_of("appc_regression"),
            load_table("appc_regression"),
            verdict_of("appc_regression", inf),
        )


def test_command_writes_every_companion(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in TABLES:
        (tmp_path / f"{name}.toml").write_text(text_of(name))
    replays = [Replay(verdict_of(name, 1.0), ()) for name in TABLES]
    monkeypatch.setattr(bounds, "replay_all", lambda *_: replays)
    assert main(["--folder", str(tmp_path), "--jobs", "1"]) == 0
    assert "\nmedian = 0\n" in (tmp_path / "appc_scaling.toml").read_text()
