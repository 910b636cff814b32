"""What a fit makes small, and how long its runs are."""

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from scenarios.published.companion import load_table
from scenarios.published.table import PublishedRow, PublishedTable, Role
from tools.calibration.calibrate import MEASURED
from tools.calibration.loss import (
    SECONDS_MIN,
    Case,
    all_cases,
    calibration_cases,
    case_loss,
    emulate,
    losses,
    row_loss,
)

SUITE = ("mb_per_s", "rdev_util_percent", "cpu_percent_per_msg", "collisions_per_s")
APPC = ("msgs_per_s", "rdev_util_percent", "cpu_percent_per_msg")
DEVICE = ("busy_percent", "pend_ms", "disc_ms", "conn_ms", "serv_ms")
LINK = ("write_msgs_per_pkg", "read_msgs_per_pkg")


@pytest.fixture(scope="module")
def table() -> PublishedTable:
    return load_table("transport")


@pytest.fixture(scope="module")
def tables() -> Sequence[PublishedTable]:
    return [load_table(name) for name in MEASURED]


def row_of(table: PublishedTable, key: str) -> PublishedRow:
    return next(row for row in table.rows if row.key == key)


def loss_of(name: str, key: str, changed: Mapping[str, float]) -> float:
    """The loss of a row whose figures are the published ones but for ``changed``, as factors."""
    table = load_table(name)
    row = row_of(table, key)
    figures = {
        measure: row.number(measure) * changed.get(measure, 1.0)
        for measure in table.measures
        if row.has_number(measure)
    }
    return row_loss(table.view, row, figures)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("transport", "HL/12/50"),
        ("transport", "HL/1/50"),
        ("transport", "HY/8/100"),
        ("transport", "HS/8/100"),
        ("appc_regression", "z/VM 6.2/1/100"),
        ("appc_scaling", "1000000/12/100"),
        ("device_reports", "H001709C/6000"),
        ("device_reports", "H001709C/6060"),
        ("link_activity", "2011-10-14T04:53:43"),
    ],
)
def test_published_figures_lose_nothing(name: str, key: str) -> None:
    assert loss_of(name, key, {}) == pytest.approx(0, abs=0.1 * (key == "HS/8/100"))


@pytest.mark.parametrize(
    ("name", "key", "measure"),
    [("transport", "HL/12/50", "mb_per_s"), ("appc_scaling", "1/4/50", "msgs_per_s")],
)
def test_loss_grows_with_the_error_and_alike_both_ways(name: str, key: str, measure: str) -> None:
    steps = [loss_of(name, key, {measure: factor}) for factor in (1.05, 1.2, 1.5, 3)]
    assert steps == sorted(steps)
    assert steps[0] > 0
    fast, slow = (loss_of(name, key, {measure: factor}) for factor in (1.25, 0.8))
    assert fast == pytest.approx(slow)


@pytest.mark.parametrize(
    ("name", "key", "measure"),
    [
        *(("transport", "HY/8/100", measure) for measure in SUITE),
        *(("appc_scaling", "100000/12/100", measure) for measure in APPC),
        *(("device_reports", "H001709C/6000", measure) for measure in DEVICE),
        *(("link_activity", "2011-10-14T04:53:43", measure) for measure in LINK),
    ],
)
def test_every_measure_counts(name: str, key: str, measure: str) -> None:
    assert loss_of(name, key, {measure: 0.5}) > 0.01


def test_processor_time_counts_only_where_it_is_to_be_found(table: PublishedTable) -> None:
    row = row_of(table, "HL/12/50")
    figures = {measure: row.number(measure) for measure in table.measures}
    figures["cpu_percent_per_msg"] *= 2
    assert row_loss(table.view, row, figures) > 0.1
    assert row_loss(table.view, row, figures, cpu_weight=0) == 0


def test_collisions_count_where_there_should_be_none(table: PublishedTable) -> None:
    row = row_of(table, "HL/12/50")
    quiet = {measure: row.number(measure) for measure in table.measures}
    crowded = {**quiet, "collisions_per_s": 10.0}
    assert row_loss(table.view, row, crowded) > row_loss(table.view, row, quiet) + 0.1


def test_nothing_moved_is_a_finite_loss(tables: Sequence[PublishedTable]) -> None:
    for table in tables:
        nothing = dict.fromkeys(table.measures, 0.0)
        assert 0 < row_loss(table.view, table.rows[0], nothing) < math.inf


def test_a_run_takes_as_long_as_its_exchanges_need(table: PublishedTable) -> None:
    # one-CTC HL: 84.6 MB/s of 126,157 bytes an exchange are 703/s
    slow = Case((("transport", row_of(table, "HL/1/10")),)).experiment()
    assert slow.seconds == pytest.approx((2_500 + 200) / 703, rel=0.01)
    assert slow.warmup == slow.seconds / 4
    fast = Case((("transport", row_of(table, "HS/16/100")),), length=0.001).experiment(7)
    assert (fast.seconds, fast.warmup, fast.seed) == (SECONDS_MIN, SECONDS_MIN, 7)
    scaling = load_table("appc_scaling")
    appc = Case((("appc_scaling", row_of(scaling, "1/1/1")),)).experiment()
    assert appc.seconds == pytest.approx(2_520 / 1_414.0)


def test_a_run_of_many_segments_a_reply_needs_fewer_exchanges() -> None:
    scaling = load_table("appc_scaling")
    row = row_of(scaling, "1000000/1/1")  # 31 segments a reply
    long, short = (Case((("appc_scaling", row),), length).experiment() for length in (1, 0.3))
    assert long.seconds == pytest.approx(2_520 / 31 / 40.485)
    assert short.seconds == pytest.approx((60 + 6) / 40.485)


def test_only_calibration_rows_are_fitted_and_a_suite_can_stay_out(table: PublishedTable) -> None:
    rows = [row for case in calibration_cases([table]) for _, row in case.shown]
    assert {row.role for row in rows} == {Role.CALIBRATION}
    assert len(rows) == 70
    left = [row for case in calibration_cases([table], "HM") for _, row in case.shown]
    assert {row.columns["suite"] for row in left} == {"HS", "HL", "HY"}
    assert len(left) == 53


def test_every_table_is_fitted_to_and_a_run_counts_in_each(
    tables: Sequence[PublishedTable],
) -> None:
    cases = calibration_cases(tables)
    shown = [[name for name, _ in case.shown] for case in cases]
    assert {name for names in shown for name in names} == set(MEASURED)
    both = [names for names in shown if "device_reports" in names]
    assert [sorted(set(names)) for names in both] == [
        ["device_reports", "link_activity", "transport"]
    ]
    without = calibration_cases(tables, "HL")
    assert not any(name == "device_reports" for case in without for name, _ in case.shown)
    assert any(name == "appc_scaling" for case in without for name, _ in case.shown)
    assert len(all_cases(tables)) == 246


def test_loss_of_a_run_adds_its_tables_and_averages_their_rows(
    tables: Sequence[PublishedTable],
) -> None:
    (case,) = (case for case in calibration_cases(tables, length=0.01) if len(case.shown) > 2)
    seen = emulate((case, 1, {}))
    whole = case_loss(case, seen)
    parts = []
    for name in dict.fromkeys(name for name, _ in case.shown):
        rows = [Case(((name, row),)) for other, row in case.shown if other == name]
        parts.append(sum(case_loss(row, seen) for row in rows) / len(rows))
    assert whole == pytest.approx(sum(parts))
    assert min(parts) > 0


def test_case_weighs_processor_time_as_it_is_told(table: PublishedTable) -> None:
    (case,) = (
        case for case in calibration_cases([table], length=0.01) if case.shown[0][1].key == "HL/8/5"
    )
    blind = replace(case, cpu_weight=0.0)
    assert case.experiment() == blind.experiment()
    seen = emulate((case, 1, {}))
    costly = emulate((case, 1, {"link.cpu_read_package_ns": 50_000.0}))
    assert case_loss(blind, seen) == case_loss(blind, costly) < case_loss(case, seen)
    assert case_loss(case, seen) != case_loss(case, costly)


def test_losses_of_candidates_are_told_apart(table: PublishedTable) -> None:
    cases = [
        case for case in calibration_cases([table], length=0.01) if case.shown[0][1].key == "HL/8/5"
    ]
    candidates = [{}, {"link.dispatch_ns": 2_000_000.0}, {}]
    with ThreadPoolExecutor(1) as pool:
        first, slow, again = losses(cases, candidates, 1, pool)
        assert first == again
        assert slow > first
        assert losses(cases, [{}], 2, pool) != [first]
