"""What a replay comes to, on the page: errors, bounds beside goals, failures in one line each."""

from dataclasses import replace

import pytest

from isfc.cli.output.streams import show
from isfc.cli.replay.verdict import (
    check_table,
    describe_change,
    describe_check,
    describe_failure,
    describe_failures,
    quiet_lines,
    summary_table,
    tallies,
)
from isfc.reports.measures import MEASURES
from scenarios.published.companion import ALL_TABLES, load_table
from scenarios.published.replay import Comparison, Part
from scenarios.published.table import Bound, Deviation, PublishedChange, PublishedTable, Role
from scenarios.published.verdict import (
    BoundCheck,
    ChangeCheck,
    ErrorSummary,
    TableVerdict,
    left_out,
)

SUMMARY = ErrorSummary(Deviation.RELATIVE, 120, 0.072, 0.21, 0.3, 0.425, "HY/4/5")
BOUND = Bound("mb_per_s", "multi-CTC", median=0.10, p90=0.30)
GOAL = Bound("mb_per_s", "multi-CTC", median=0.04, p90=0.25, worst=0.25)
CHANGE = PublishedChange("msgs_per_s", "release", "z/VM 6.1", "z/VM 6.2", 0.10)


@pytest.fixture(scope="module")
def table() -> PublishedTable:
    return load_table("transport")


def comparison(key: str, emulated: float, *, within: bool | None = True) -> Comparison:
    role = Role.CALIBRATION if key.endswith("/50") else Role.ACCEPTANCE
    return Comparison("transport", key, "mb_per_s", 100.0, emulated, None, role, within)


def verdict(table: PublishedTable, *found: Comparison) -> TableVerdict:
    keys = {one.key for one in found}
    rows = tuple(row for row in table.rows if row.key in keys)
    return TableVerdict(Part(table, rows), found, (), ())


def test_every_measure_has_its_name() -> None:
    assert {measure for name in ALL_TABLES for measure in load_table(name).measures} == set(
        MEASURES
    )
    assert max(len(name) for name, _ in MEASURES.values()) <= 15


def test_bounds_stand_beside_what_is_reached_and_goals_where_they_are_met(
    capsys: pytest.CaptureFixture[str],
) -> None:
    worse = replace(SUMMARY, median=0.11)
    show(check_table([BoundCheck(worse, BOUND, GOAL)]))
    assert capsys.readouterr().out.splitlines() == [
        "what holds      group      rows          reached  bound  goal met",
        "MB/s both ways  multi-CTC   120  median    11 %!   10 %",
        "                                 90 %       21 %   30 %      25 %",
    ]


def test_bound_and_goal_may_be_alone(capsys: pytest.CaptureFixture[str]) -> None:
    points = ErrorSummary(Deviation.POINTS, 48, 1.0, 2.0, 5.0, 5.9, "H1/6000")
    goal = Bound("busy_percent", "all", Deviation.POINTS, worst=6)
    checks = [BoundCheck(SUMMARY, BOUND, None), BoundCheck(points, None, goal)]
    show(check_table(checks))
    lines = capsys.readouterr().out.splitlines()
    told = "MB/s both ways multi-CTC 120 median 7.2 % 10 %"
    assert " ".join(lines[1].split()) == told
    assert lines[3].split() == ["busy", "%", "all", "48", "worst", "5.9", "6"]


def test_check_tells_both_what_is_and_what_may_be() -> None:
    assert describe_check(BoundCheck(SUMMARY, BOUND, GOAL)) == (
        "MB/s both ways, 120 multi-CTC rows: median 7.2 % (bound 10 %), 90 % 21 % (30 %)"
    )


def test_change_tells_how_many_are_right() -> None:
    text = "messages/s, z/VM 6.1 to z/VM 6.2: 28 of 29 published changes of more than 10 %"
    check = ChangeCheck(CHANGE, 29, ("z/VM 6.2/1/1",))
    assert describe_change(check) == f"{text} have the right sign; wrong: z/VM 6.2/1/1"


def test_failure_names_run_measure_and_tolerance(table: PublishedTable) -> None:
    (row,) = table.select({"suite": ["HL"], "rdevs": [12], "pairs": [50]})
    bound = table.tolerance(row, "mb_per_s")
    assert bound is not None
    assert describe_failure(table, comparison("HL/12/50", 123.456)) == (
        "HL/12/50 MB/s both ways: 123.46, published 100; "
        f"expected within {100 * (bound.worst or 0):g} %"
    )


def test_failures_begin_with_what_sums_up(table: PublishedTable) -> None:
    broken = BoundCheck(replace(SUMMARY, p90=0.31), BOUND, None)
    found = replace(
        verdict(table, comparison("HL/12/1", 1.0, within=False), comparison("HL/12/50", 99.0)),
        checks=(broken, BoundCheck(SUMMARY, BOUND, GOAL)),
        changes=(ChangeCheck(CHANGE, 1, ("z/VM 6.2/1/1",)),),
    )
    lines = list(describe_failures(found))
    assert [line.partition(":")[0] for line in lines] == [
        "MB/s both ways, 120 multi-CTC rows",
        "messages/s, z/VM 6.1 to z/VM 6.2",
        "HL/12/1 MB/s both ways",
    ]


def test_errors_keep_groups_and_roles_apart(
    table: PublishedTable, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [
        comparison(*pair)
        for pair in (("HL/1/1", 101.0), ("HL/16/1", 96.0), ("HL/16/5", 92.0), ("HL/16/50", 130.0))
    ]
    show(summary_table(verdict(table, *found)))
    assert capsys.readouterr().out.splitlines() == [
        "error          group     role        rows median 90 % worst at",
        "MB/s both ways multi-CTC calibration    1   30 % 30 %  30 % HL/16/50",
        "MB/s both ways multi-CTC prediction     2    6 %  8 %   8 % HL/16/5",
        "MB/s both ways one CTC   prediction     1    1 %  1 %   1 % HL/1/1",
    ]


def test_collisions_where_there_should_be_none_are_told_apart() -> None:
    quiet = replace(
        comparison("HL/12/1", 7.25), measure="collisions_per_s", published=0.0, error=None
    )
    assert list(quiet_lines([quiet, comparison("HL/12/5", 99.0)])) == [
        "collisions/s where IBM has none (1 row): at most 7.2 (HL/12/1)"
    ]
    assert list(quiet_lines([comparison("HL/12/5", 99.0)])) == []


def test_tallies_count_rows_of_all_tables_that_have_a_tolerance(table: PublishedTable) -> None:
    first = verdict(table, comparison("HL/12/50", 1.0, within=False), comparison("HL/12/1", 1.0))
    unjudged = verdict(table, comparison("HL/14/1", 1.0, within=None))
    other = verdict(table, replace(comparison("HL/12/1", 1.0), table="appc"))
    assert [str(line) for line in tallies([first, unjudged, other])] == [
        "rows that leave a bound: 1 of 3",
        f"your own workload, MB/s both ways: {left_out()}",
    ]
