"""What a replay comes to: summaries, bounds, goals and changes."""

from collections.abc import Callable
from math import inf

import pytest
from msgspec import structs
from msgspec.structs import replace

from scenarios.published.catalogue import load_table
from scenarios.published.replay import ComparedFigure, choose
from scenarios.published.table import (
    Bound,
    Deviation,
    PublishedRow,
    PublishedTable,
    Role,
    Selection,
)
from scenarios.published.verdict import check_bounds, check_changes, in_group, judge, summarise

ALL_MULTI_CTC: Selection = {"rdevs": [4, 8, 10, 12, 14, 16]}


@pytest.fixture(scope="module")
def table() -> PublishedTable:
    """Transport, with one bound and one goal."""
    bound = Bound("mb_per_s", "multi-CTC", median=0.10, p90=0.30)
    goal = Bound("mb_per_s", "multi-CTC", median=0.04, p90=0.12, worst=0.25)
    return structs.replace(load_table("transport"), bounds=(bound,), goals=(goal,))


def comparison(error: float | None, key: str = "HL/12/50") -> ComparedFigure:
    published = 0.0 if error is None else 100.0
    emulated = 100 * (1 + (error or 0))
    return ComparedFigure(
        "transport", key, "mb_per_s", published, emulated, error, Role.ACCEPTANCE, None
    )


def test_summary_is_of_sizes_and_names_the_worst() -> None:
    errors = [0.01 * size * (-1) ** size for size in range(1, 11)]
    summary = summarise(comparison(error, f"HS/4/{error:g}") for error in errors)
    assert summary is not None
    assert summary.count == 10
    assert summary.median == pytest.approx(0.055)
    assert summary.p90 == pytest.approx(0.09)
    assert summary.worst == pytest.approx(0.1)
    assert summary.worst_key == "HS/4/0.1"


def test_nine_of_ten_rows_are_within_the_90th_percentile() -> None:
    for count in range(1, 41):
        errors = [float(number) for number in range(count)]
        summary = summarise(map(comparison, errors))
        assert summary is not None
        within = sum(error <= summary.p90 for error in errors)
        assert within >= 0.9 * count > within - 1


@pytest.mark.parametrize(
    ("errors", "distance", "count", "median", "worst"),
    [
        ((0.3, -0.1, 0.2), Deviation.RELATIVE, 3, 0.2, 0.3),
        ((None, -0.25), Deviation.RELATIVE, 1, 0.25, 0.25),  # figures without an error do not count
        ((-0.06, 0.02, -0.5), Deviation.POINTS, 3, 6.0, 50.0),
        ((None,), Deviation.FACTOR, 1, inf, inf),  # 100 where IBM has 0
    ],
)
def test_summary_is_of_a_distance(
    errors: tuple[float | None, ...], distance: Deviation, count: int, median: float, worst: float
) -> None:
    summary = summarise(map(comparison, errors), distance)
    assert summary is not None
    assert (summary.distance, summary.count) == (distance, count)
    assert (summary.median, summary.worst) == pytest.approx((median, worst))
    assert summarise([comparison(None)]) is None


def test_group_holds_its_own_measure_and_rows(table: PublishedTable) -> None:
    rows = [comparison(0.0, "HL/1/1"), comparison(0.0, "HL/4/1")]
    rows.append(replace(rows[1], measure="collisions_per_s"))
    assert in_group(table, table.groups["multi-CTC"], "mb_per_s", rows) == [rows[1]]
    assert in_group(table, table.groups["one CTC"], "mb_per_s", rows) == [rows[0]]


@pytest.mark.parametrize(("error", "good"), [(0.09, True), (-0.2, False)])
def test_bound_is_checked_over_its_whole_group(
    table: PublishedTable, error: float, good: bool
) -> None:
    rows = [comparison(error, row.key) for row in table.select(ALL_MULTI_CTC)]
    (check,) = check_bounds(table, rows)
    assert check.summary.count == 120
    assert check.within is good


def test_bound_holds_for_the_90th_percentile_too(table: PublishedTable) -> None:
    rows = [comparison(0.0, row.key) for row in table.select(ALL_MULTI_CTC)]
    for index in range(13):
        rows[index] = comparison(0.31, rows[index].key)
    (check,) = check_bounds(table, rows)
    assert check.summary.median == 0
    assert not check.within
    (check,) = check_bounds(table, [comparison(0.0, rows[0].key), *rows[1:]])
    assert check.within


def test_bound_says_nothing_of_a_part_of_its_group(table: PublishedTable) -> None:
    rows = [comparison(0.9, row.key) for row in table.select(ALL_MULTI_CTC)]
    assert check_bounds(table, rows[1:]) == []


def test_rows_without_a_figure_are_not_waited_for() -> None:
    table = load_table("device_reports")
    bound = Bound("serv_ms", "all", worst=0.1)
    bounded = structs.replace(table, bounds=(bound,), goals=())
    with_figure = [row for row in table.rows if row.has_number("serv_ms")]
    assert 0 < len(with_figure) < len(table.rows)
    rows = [replace(comparison(0.0, row.key), measure="serv_ms") for row in with_figure]
    assert len(check_bounds(bounded, rows)) == 1
    assert check_bounds(bounded, rows[1:]) == []


def test_goal_stands_beside_its_bound_and_fails_nothing(table: PublishedTable) -> None:
    rows = [comparison(0.09, row.key) for row in table.select(ALL_MULTI_CTC)]
    (check,) = check_bounds(table, rows)
    assert (check.bound, check.goal) == (table.bounds[0], table.goals[0])
    assert check.goal is not None
    assert not check.summary.keeps(check.goal)
    (wanted,) = check_bounds(structs.replace(table, bounds=()), rows)
    assert (wanted.of, wanted.within) == (table.goals[0], True)


@pytest.fixture(scope="module")
def regression() -> PublishedTable:
    return load_table("appc_regression")


def emulate(table: PublishedTable, factor: Callable[[PublishedRow], float]) -> list[ComparedFigure]:
    return [
        replace(
            comparison(0.0, row.key),
            measure="msgs_per_s",
            emulated=factor(row) * row.number("msgs_per_s"),
        )
        for row in table.rows
    ]


def test_change_of_the_right_sign_is_right_whatever_its_size(regression: PublishedTable) -> None:
    (check,) = check_changes(regression, emulate(regression, lambda _: 0.5))
    assert (check.count, check.wrong) == (29, ())
    assert check.within


def test_change_that_goes_wrong_is_named(regression: PublishedTable) -> None:
    def slow(row: PublishedRow) -> float:
        return 0.1 if row.key in ("z/VM 6.2/1/1", "z/VM 6.2/50000/1") else 1.0

    found = emulate(regression, slow)
    (check,) = check_changes(regression, found)
    assert check.wrong == ("z/VM 6.2/1/1",)  # of 50,000 bytes, IBM measured 6 % less
    assert check.within is (check.change.wrong_max > 0)
    (same,) = check_changes(regression, [replace(comparison, emulated=1.0) for comparison in found])
    assert len(same.wrong) == 29
    assert not same.within


def test_change_says_nothing_of_a_part_of_its_table(regression: PublishedTable) -> None:
    assert check_changes(regression, emulate(regression, lambda _: 1.0)[1:]) == []


def test_judgement_is_of_each_part() -> None:
    parts = choose([load_table("stop_short"), load_table("chpid_estimates")], {})
    verdicts = judge(parts, {})
    assert [verdict.table.name for verdict in verdicts] == ["stop_short", "chpid_estimates"]
    assert [len(verdict.comparisons) for verdict in verdicts] == [2, 8]
    assert all(check.within for verdict in verdicts for check in verdict.checks)
    assert {check.summary.worst for verdict in verdicts for check in verdict.checks} == {0}
