"""What a fit makes small, and how long its runs are."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from scenarios.published import PublishedRow, PublishedTable, Role, load_table
from scenarios.run import Result
from tools.loss import SECONDS_MIN, Case, calibration_cases, losses, row_loss

NOTHING = Result("CLIENT", *(0.0,) * 16, devices=())
MEASURES = ("mb_per_s", "rdev_util_percent", "cpu_percent_per_msg", "collisions_per_s")


@pytest.fixture(scope="module")
def table() -> PublishedTable:
    return load_table("transport")


def loss_of(table: PublishedTable, key: str, changed: Mapping[str, float]) -> float:
    """The loss of a result that is the published one but for ``changed``, as factors."""
    (row,) = (row for row in table.rows if row.key == key)
    return row_loss(row, published_result(row, changed))


def published_result(row: PublishedRow, changed: Mapping[str, float]) -> Result:
    rate, util, cpu, collisions = (row.number(name) * changed.get(name, 1.0) for name in MEASURES)
    return replace(
        NOTHING,
        mb_per_s=rate,
        rdev_util_percent=util,
        cpu_percent_per_msg=cpu,
        collisions_per_s=collisions,
    )


@pytest.mark.parametrize("key", ["HL/12/50", "HL/1/50", "HY/8/100", "HS/8/100"])
def test_published_figures_lose_nothing(key: str, table: PublishedTable) -> None:
    assert loss_of(table, key, {}) == pytest.approx(0, abs=0.1 * (key == "HS/8/100"))


def test_loss_grows_with_the_error_and_alike_both_ways(table: PublishedTable) -> None:
    steps = [loss_of(table, "HL/12/50", {"mb_per_s": factor}) for factor in (1.05, 1.2, 1.5, 3)]
    assert steps == sorted(steps)
    assert steps[0] > 0
    fast, slow = (loss_of(table, "HL/12/50", {"mb_per_s": factor}) for factor in (1.25, 0.8))
    assert fast == pytest.approx(slow)


@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_counts(measure: str, table: PublishedTable) -> None:
    assert loss_of(table, "HY/8/100", {measure: 0.5}) > 0.01


def test_collisions_count_where_there_should_be_none(table: PublishedTable) -> None:
    (row,) = (row for row in table.rows if row.key == "HL/12/50")
    quiet = published_result(row, {})
    assert row_loss(row, replace(quiet, collisions_per_s=10.0)) > row_loss(row, quiet) + 0.1


def test_nothing_moved_is_a_finite_loss(table: PublishedTable) -> None:
    assert 1 < row_loss(table.rows[0], NOTHING) < 1_000


def test_a_run_takes_as_long_as_its_exchanges_need(table: PublishedTable) -> None:
    by_key = {row.key: row for row in table.rows}
    # one-CTC HL: 84.6 MB/s of 126,157 bytes an exchange are 703/s
    slow = Case("transport", by_key["HL/1/10"]).experiment()
    assert slow.seconds == pytest.approx((2_500 + 200) / 703, rel=0.01)
    assert slow.warmup == slow.seconds / 4
    fast = Case("transport", by_key["HS/16/100"], length=0.001).experiment(7)
    assert (fast.seconds, fast.warmup, fast.seed) == (SECONDS_MIN, SECONDS_MIN, 7)


def test_only_calibration_rows_are_fitted_and_a_suite_can_stay_out(table: PublishedTable) -> None:
    rows = [case.row for case in calibration_cases(table)]
    assert {row.role for row in rows} == {Role.CALIBRATION}
    assert len(rows) == 68
    left = [case.row for case in calibration_cases(table, "HM")]
    assert {row.columns["suite"] for row in left} == {"HS", "HL", "HY"}
    assert len(left) == 51


def test_losses_of_candidates_are_told_apart(table: PublishedTable) -> None:
    cases = [case for case in calibration_cases(table, length=0.01) if case.row.key == "HL/8/5"]
    candidates = [{}, {"link.attention_ns": 2_000_000.0}, {}]
    with ThreadPoolExecutor(1) as pool:
        first, slow, again = losses(cases, candidates, 1, pool)
        assert first == again
        assert slow > first
        assert losses(cases, [{}], 2, pool) != [first]
