"""Replaying: which runs, what is repeated, and how the difference is told."""

from dataclasses import replace

import pytest

from isfc.errors import ConfigurationError
from scenarios.catalog import load_layout
from scenarios.published import PublishedRow, PublishedTable, Role, Selection, load_table
from scenarios.replay import (
    SECONDS,
    WARMUP,
    Comparison,
    check_bounds,
    choose,
    compare,
    emulate,
    in_group,
    make_experiment,
    summarise,
)
from scenarios.run import Result, run
from scenarios.workload import SUITES

ALL_MULTI_CTC: Selection = {"rdevs": [4, 8, 10, 12, 14, 16]}


@pytest.fixture(scope="module")
def table() -> PublishedTable:
    return load_table("transport")


def one_row(table: PublishedTable, key: str) -> PublishedRow:
    return next(row for row in table.rows if row.key == key)


def result(
    mb_per_s: float = 0.0, cpu: float = 0.0, util: float = 0.0, collisions: float = 0.0
) -> Result:
    """A result of which only the published measures matter."""
    return Result(
        node="CLIENT",
        mb_per_s=mb_per_s,
        mb_per_s_out=0.0,
        mb_per_s_in=0.0,
        messages_per_s=0.0,
        messages_per_s_out=0.0,
        messages_per_s_in=0.0,
        packages_per_s_out=0.0,
        packages_per_s_in=0.0,
        messages_per_package_out=0.0,
        messages_per_package_in=0.0,
        bytes_per_package_out=0.0,
        bytes_per_package_in=0.0,
        rdev_util_percent=util,
        collisions_per_s=collisions,
        cpu_percent_per_msg=cpu,
        tx_pend_count=0.0,
        devices=(),
    )


def comparison(error: float | None, key: str = "HL/12/50") -> Comparison:
    emulated = 100 * (1 + (error or 0))
    return Comparison("transport", key, "mb_per_s", 100.0, emulated, error, Role.ACCEPTANCE, None)


def test_choosing_nothing_takes_all(table: PublishedTable) -> None:
    assert choose(table, {"suite": (), "rdevs": ()}) == list(table.rows)


def test_choices_of_a_column_add_and_columns_narrow(table: PublishedTable) -> None:
    rows = choose(table, {"suite": ["HY", "HL"], "rdevs": [16], "pairs": [1, 5]})
    assert [row.key for row in rows] == ["HL/16/1", "HL/16/5", "HY/16/1", "HY/16/5"]


@pytest.mark.parametrize(
    ("column", "value", "complaint"),
    [
        ("suite", "hl", "--suite hl: not in the table transport; expected one of HS, HM, HL, HY"),
        ("rdevs", 2, "--rdevs 2: .* expected one of 1, 4, 8, 10, 12, 14, 16"),
        ("pairs", -1, "--pairs -1: .* expected one of 1, 5, 10, 50, 100"),
    ],
)
def test_what_is_not_in_the_table_is_refused(
    table: PublishedTable, column: str, value: str | int, complaint: str
) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        choose(table, {column: [value]})


def test_experiment_repeats_the_published_run(table: PublishedTable) -> None:
    experiment = make_experiment(table, one_row(table, "HM/14/10"))
    assert experiment.layout == load_layout("published-14")
    assert experiment.workload == SUITES["HM"]
    assert (experiment.pairs, experiment.seconds, experiment.warmup) == (10, SECONDS, WARMUP)
    assert len(experiment.layout.ctcs) == 14


def test_emulation_is_a_run_seen_from_the_clients(table: PublishedTable) -> None:
    experiment = make_experiment(table, one_row(table, "HL/1/1"), seconds=0.05, warmup=0.01)
    assert emulate(experiment) == run(experiment)
    assert emulate(experiment).node == experiment.layout.nodes[0]


def test_comparison_has_each_published_measure(table: PublishedTable) -> None:
    row = one_row(table, "HL/12/50")
    found = list(compare(table, row, result(mb_per_s=353.0, cpu=0.02134, util=1026.0)))
    assert [(c.measure, c.published, c.emulated) for c in found] == [
        ("mb_per_s", 706.0, 353.0),
        ("cpu_percent_per_msg", 0.01067, 0.02134),
        ("rdev_util_percent", 1026.0, 1026.0),
        ("collisions_per_s", 0.0, 0.0),
    ]
    assert [c.error for c in found] == [-0.5, pytest.approx(1.0), 0.0, None]
    assert {(c.table, c.key, c.role) for c in found} == {
        ("transport", "HL/12/50", Role.CALIBRATION)
    }


def test_comparison_says_what_is_within_tolerance(table: PublishedTable) -> None:
    row = one_row(table, "HL/12/50")
    bad = {c.measure: c.within for c in compare(table, row, result(collisions=5.0))}
    assert bad == {
        "mb_per_s": False,
        "cpu_percent_per_msg": None,
        "rdev_util_percent": None,
        "collisions_per_s": False,
    }
    good = {c.measure: c.within for c in compare(table, row, result(mb_per_s=706.0))}
    assert good["mb_per_s"] is good["collisions_per_s"] is True


def test_summary_is_of_sizes_and_names_the_worst() -> None:
    errors = [0.01 * size * (-1) ** size for size in range(1, 11)]
    summary = summarise(comparison(error, f"HS/4/{error:g}") for error in errors)
    assert summary is not None
    assert summary.count == 10
    assert summary.median == pytest.approx(0.055)
    assert summary.p90 == pytest.approx(0.09)
    assert summary.worst.error == pytest.approx(0.1)


def test_nine_of_ten_rows_are_within_the_90th_percentile() -> None:
    for count in range(1, 41):
        errors = [float(number) for number in range(count)]
        summary = summarise(map(comparison, errors))
        assert summary is not None
        within = sum(error <= summary.p90 for error in errors)
        assert within >= 0.9 * count > within - 1


def test_median_of_an_odd_count_is_the_middle_one() -> None:
    summary = summarise(map(comparison, (0.3, -0.1, 0.2)))
    assert summary is not None
    assert summary.median == 0.2


def test_summary_passes_over_figures_without_an_error() -> None:
    summary = summarise([comparison(None), comparison(-0.25)])
    assert summary is not None
    assert (summary.count, summary.median) == (1, 0.25)
    assert summarise([comparison(None)]) is None


def test_group_holds_its_own_measure_and_rows(table: PublishedTable) -> None:
    rows = [comparison(0.0, "HL/1/1"), comparison(0.0, "HL/4/1")]
    rows.append(replace(rows[1], measure="collisions_per_s"))
    assert in_group(table, table.groups["multi-CTC"], "mb_per_s", rows) == [rows[1]]
    assert in_group(table, table.groups["one CTC"], "mb_per_s", rows) == [rows[0]]


@pytest.mark.parametrize(("error", "good"), [(0.1, True), (-0.2, False)])
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
