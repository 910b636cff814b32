"""The page of ``isfc replay``: the report's tables with ours beside them."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from isfc.cli.render import show
from isfc.cli.render_replay import describe_check, describe_failure, replay_page
from scenarios.published import PublishedRow, PublishedTable, load_table
from scenarios.replay import Comparison, check_bounds, choose, compare
from scenarios.run import Result

NOTHING = Result("CLIENT", *(0.0,) * 16, devices=())
Emulate = Callable[[PublishedRow], Result]


@pytest.fixture(scope="module")
def table() -> PublishedTable:
    return load_table("transport")


def faithful(row: PublishedRow) -> Result:
    """A model that is fast, the more so the more pairs there are, and otherwise without fault."""
    return replace(
        NOTHING,
        mb_per_s=(1 + row.number("pairs") / 1_200) * row.number("mb_per_s"),
        cpu_percent_per_msg=row.number("cpu_percent_per_msg"),
        rdev_util_percent=row.number("rdev_util_percent"),
        collisions_per_s=row.number("collisions_per_s"),
    )


def compare_all(
    table: PublishedTable, rows: list[PublishedRow], emulate: Emulate
) -> list[Comparison]:
    return [comparison for row in rows for comparison in compare(table, row, emulate(row))]


def page_of(
    table: PublishedTable,
    rows: list[PublishedRow],
    emulate: Emulate,
    capsys: pytest.CaptureFixture[str],
) -> list[str]:
    comparisons = compare_all(table, rows, emulate)
    show(replay_page(table, rows, comparisons, check_bounds(table, comparisons)))
    return capsys.readouterr().out.splitlines()


def test_page_of_two_lines_of_a_suite(
    table: PublishedTable, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = choose(table, {"suite": ["HL"], "rdevs": [1, 16]})
    page = page_of(table, rows, faithful, capsys)
    assert page[:11] == [
        "ISFC Transport (LGC/LGS) over FICON CTCs, measured October 2011",
        "IBM, z/VM Performance Report, chapter ISFC Improvements (z/VM 6.2)",
        "",
        "HL: messages 98304/122880 bytes, 20 %, replies 8192",
        "",
        "MB/s",
        "CTCs     1 pair        5 pairs        10 pairs       50 pairs      100 pairs",
        "      IBM ours err%  IBM ours err%  IBM ours err%  IBM ours err%  IBM ours err%",
        "   1 83.5 83.6   +0 84.6 84.9   +0 84.6 85.3   +1 85.6 89.2   +4 84.6 91.6   +8",
        "  16  182  182   +0  307  308   +0  538  542   +1  911  949   +4 1031 1117   +8",
        "",
    ]
    assert {"%CPU/msg x 1000", "RDEV util %", "collisions/s"} < set(page)


def test_summary_keeps_groups_and_roles_apart(
    table: PublishedTable, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = choose(table, {"suite": ["HL"], "rdevs": [1, 16]})
    page = page_of(table, rows, faithful, capsys)
    start = page.index("size of error  group      role         rows  median  90 %  worst  at")
    assert page[start + 1 : start + 5] == [
        "MB/s           one CTC    calibration     2    2.3%  4.2%   4.2%  HL/1/50",
        "MB/s           one CTC    acceptance      3    0.8%  8.3%   8.3%  HL/1/100",
        "MB/s           multi-CTC  calibration     2    2.3%  4.2%   4.2%  HL/16/50",
        "MB/s           multi-CTC  acceptance      3    0.8%  8.3%   8.3%  HL/16/100",
    ]
    assert page[-5:] == [
        "",
        "collisions/s where IBM has none (4 rows): at most 0.0 (HL/16/1)",
        "",
        "calibration rows within tolerance: 4 of 4",
        "acceptance rows within tolerance: 6 of 6",
    ]


def test_whole_table_fits_80_columns_and_ends_with_its_bounds(
    table: PublishedTable, capsys: pytest.CaptureFixture[str]
) -> None:
    page = page_of(table, list(table.rows), faithful, capsys)
    assert max(map(len, page)) <= 80
    assert page[-5:] == [
        "MB/s, 120 multi-CTC rows: median 0.8% (bound 10%), p90 8.3% (30%)",
        "RDEV util %, 120 multi-CTC rows: median 0.0% (bound 12%), p90 0.0% (45%)",
        "%CPU/msg, 120 multi-CTC rows: median 0.0% (bound 16%), p90 0.0% (42%)",
        "calibration rows within tolerance: 68 of 68",
        "acceptance rows within tolerance: 72 of 72",
    ]


def test_bound_that_is_left_is_marked(
    table: PublishedTable, capsys: pytest.CaptureFixture[str]
) -> None:
    page = page_of(table, list(table.rows), lambda _: NOTHING, capsys)
    assert " ".join(page).count("(30%) !") == 1


def test_worst_figures_still_fit_their_columns(
    table: PublishedTable, capsys: pytest.CaptureFixture[str]
) -> None:
    page = page_of(
        table,
        list(table.rows),
        lambda _: Result("CLIENT", *(123_456.0,) * 16, devices=()),
        capsys,
    )
    assert max(map(len, page)) <= 80
    assert (
        "  16  182 123k >999! 307 123k >999! 538 123k >999! 911 123k >999!1031 123k >999!" in page
    )
    assert "MB/s           one CTC    calibration     8   >999%  >999%  >999%  HS/1/5" in page


def test_what_leaves_its_tolerance_is_marked(
    table: PublishedTable, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = choose(table, {"suite": ["HL"], "rdevs": [12], "pairs": [1, 50]})
    page = page_of(table, rows, lambda _: replace(NOTHING, mb_per_s=194.0), capsys)
    assert "  12  194  194   +0  706  194  -73!" in page
    assert page[-2:] == [
        "calibration rows within tolerance: 0 of 1",
        "acceptance rows within tolerance: 1 of 1",
    ]


def test_runs_that_were_not_chosen_stay_blank(
    table: PublishedTable, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [row for row in table.rows if row.key in ("HL/12/1", "HL/14/50")]
    page = page_of(table, rows, faithful, capsys)
    assert "  12  194  194   +0" in page
    assert "  14                 796  829   +4" in page


def test_collisions_where_there_should_be_none_are_told_apart(
    table: PublishedTable, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = choose(table, {"suite": ["HL"], "rdevs": [12], "pairs": [1]})
    page = page_of(table, rows, lambda row: replace(faithful(row), collisions_per_s=7.25), capsys)
    assert "  12    0 7.25    -!" in page
    assert "collisions/s where IBM has none (1 rows): at most 7.2 (HL/12/1)" in page


def test_failure_names_run_measure_and_tolerance(table: PublishedTable) -> None:
    rows = choose(table, {"suite": ["HL"], "rdevs": [12], "pairs": [50]})
    bad = replace(NOTHING, mb_per_s=123.456, collisions_per_s=8.0)
    failures = [c for c in compare_all(table, rows, lambda _: bad) if c.within is False]
    assert [describe_failure(table, failure) for failure in failures] == [
        f"HL/12/50 MB/s: 123.46, published 706; expected {table.tolerance(rows[0], 'mb_per_s')}",
        "HL/12/50 collisions/s: 8, published 0; expected below 5",
    ]


def test_check_tells_both_what_is_and_what_may_be(table: PublishedTable) -> None:
    check, *_ = check_bounds(table, compare_all(table, list(table.rows), lambda _: NOTHING))
    assert describe_check(check) == (
        "MB/s, 120 multi-CTC rows: median 100.0% (bound 10%), p90 100.0% (30%)"
    )
