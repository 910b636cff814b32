"""The page of ``isfc replay``: each published table with ours beside it."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from isfc.cli.output.streams import show
from isfc.cli.replay.page import replay_page, verdict_page
from scenarios.published.companion import TABLES, load_table
from scenarios.published.replay import Comparison, Part
from scenarios.published.table import PublishedRow, PublishedTable, Selection
from scenarios.published.verdict import TableVerdict, check_bounds, check_changes, left_out

Emulate = Callable[[PublishedRow, str], float]

OWN = f"your own workload, MB/s both ways: {left_out()}"


@pytest.fixture(scope="module")
def table() -> PublishedTable:
    return load_table("transport")


def faithful(row: PublishedRow, measure: str) -> float:
    """A model that is fast, the more so the more pairs there are, and otherwise without fault."""
    factor = 1 + row.number("pairs") / 1_200 if measure == "mb_per_s" else 1
    return factor * row.number(measure)


def verdict_of(table: PublishedTable, wanted: Selection, emulate: Emulate) -> TableVerdict:
    """What some rows come to with a model."""
    rows = table.select(wanted)
    found = tuple(
        compare(table, row, measure, emulate(row, measure))
        for row in rows
        for measure in table.measures
        if row.has_number(measure)
    )
    checks, changes = check_bounds(table, found), check_changes(table, found)
    return TableVerdict(Part(table, rows), found, tuple(checks), tuple(changes))


def compare(table: PublishedTable, row: PublishedRow, measure: str, emulated: float) -> Comparison:
    published, tolerance = row.number(measure), table.tolerance(row, measure)
    return Comparison(
        *(table.name, row.key, measure, published, emulated),
        error=emulated / published - 1 if published else None,
        role=row.role,
        within=tolerance.admits(published, emulated) if tolerance else None,
    )


def page_of(capsys: pytest.CaptureFixture[str], *verdicts: TableVerdict) -> list[str]:
    show(replay_page(verdicts))
    return capsys.readouterr().out.splitlines()


def test_page_of_two_lines_of_a_suite(
    table: PublishedTable, capsys: pytest.CaptureFixture[str]
) -> None:
    page = page_of(capsys, verdict_of(table, {"suite": ["HL"], "rdevs": [1, 16]}, faithful))
    assert page[:11] == [
        "ISFC Transport (LGC/LGS) over FICON CTCs, measured October 2011",
        "IBM, z/VM Performance Report, chapter ISFC Improvements (z/VM 6.2)",
        "",
        "HL: messages 98304/122880 bytes, 20 %, replies 8192",
        "",
        "MB/s both ways",
        "CTCs     1 pair        5 pairs        10 pairs       50 pairs      100 pairs",
        "      IBM ours err%  IBM ours err%  IBM ours err%  IBM ours err%  IBM ours err%",
        "   1 83.5 83.6   +0 84.6 84.9   +0 84.6 85.3   +1 85.6 89.2   +4 84.6 91.6   +8",
        "  16  182  182   +0  307  308   +0  538  542   +1  911  949   +4 1031 1117   +8",
        "",
    ]
    assert {"%CPU/msg x 1000", "RDEV util %", "collisions/s"} < set(page)
    assert " ".join(page[-3:]) == f"rows that leave a bound: 0 of 10 {OWN}"


def test_sizes_of_replies_head_lines_and_releases_head_blocks(
    capsys: pytest.CaptureFixture[str],
) -> None:
    regression = load_table("appc_regression")
    page = page_of(capsys, verdict_of(regression, {"pairs": [1, 100]}, faithful))
    start = page.index("z/VM 6.2, one CTC")
    assert page.index("z/VM 6.1, one CTC") < start
    assert page[start + 2 : start + 7] == [
        "messages/s",
        "reply    1 pair       100 pairs",
        "      IBM ours err%  IBM ours err%",
        "   1 1422 1422   +0  13k  13k   +0",
        "1000 1399 1399   +0 8712 8712   +0",
    ]


def test_rows_that_are_no_grid_have_a_line_each_and_dots_are_dashes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    devices = load_table("device_reports")
    wanted: Selection = {"run": ["H001709C"], "rdev": [6041, 6063]}
    page = page_of(capsys, verdict_of(devices, wanted, lambda row, of: 1.1 * row.number(of)))
    assert page[3:11] == [
        "                   I/O/s         busy %         PEND ms        DISC ms",
        "               IBM ours err%  IBM ours err%  IBM ours err%  IBM ours err%",
        "H001709C/6041  170  187  +10 94.0  103  +10!0.40 0.44  +10 2.00 2.20  +10",
        "H001709C/6063    0    0    -    0    0    -    -              -",
        "",
        "                  CONN ms        SERV ms",
        "               IBM ours err%  IBM ours err%",
        "H001709C/6041 3.10 3.41  +10 5.50 6.05  +10",
    ]


@pytest.mark.at_length
def test_all_tables_fit_80_columns_one_after_the_other(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tables = [load_table(name) for name in TABLES]
    page = page_of(capsys, *(verdict_of(t, {}, lambda _, __: 123_456.0) for t in tables))
    assert max(map(len, page)) <= 80
    places = [page.index(t.title) for t in tables[-3:] if t.title in page]
    assert places == sorted(places)
    assert (
        "  16  182 123k >999! 307 123k >999! 538 123k >999! 911 123k >999!1031 123k >999!" in page
    )


def test_whole_table_begins_with_what_holds_and_ends_with_its_bounds(
    table: PublishedTable, capsys: pytest.CaptureFixture[str]
) -> None:
    page = page_of(capsys, verdict_of(table, {}, faithful))
    assert max(map(len, page)) <= 80
    begins = [
        next(index for index, line in enumerate(page) if line.startswith(head))
        for head in ("ours is within", "two differ in", "HS: messages", "what holds")
    ]
    assert begins == sorted(begins)
    assert page[begins[-1] + 1].split()[1:6] == ["both", "ways", "multi-CTC", "120", "median"]
    assert re.fullmatch(r"measured goals met: (\d+) of \1", page[-4])
    assert " ".join(page[-3:]) == f"rows that leave a bound: 0 of 140 {OWN}"


def test_changes_are_told_below_their_table(capsys: pytest.CaptureFixture[str]) -> None:
    page = page_of(capsys, verdict_of(load_table("appc_regression"), {}, lambda *_: 1.0))
    told = " ".join(page)
    assert "messages/s, z/VM 6.1 to z/VM 6.2: 0 of 29 published changes of more than 10 %" in told
    assert told.count("!") > 1


def test_what_leaves_its_tolerance_is_marked(
    table: PublishedTable, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted: Selection = {"suite": ["HL"], "rdevs": [12], "pairs": [1, 50]}
    verdict = verdict_of(table, wanted, lambda _, of: 194.0 * (of == "mb_per_s"))
    page = page_of(capsys, verdict)
    assert "  12  194  194   +0  706  194  -73!" in page
    assert " ".join(page[-3:]) == f"rows that leave a bound: 1 of 2 {OWN}"


def test_runs_that_were_not_chosen_stay_blank(
    table: PublishedTable, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = verdict_of(table, {}, faithful)
    rows = tuple(row for row in table.rows if row.key in ("HL/12/1", "HL/14/50"))
    page = page_of(capsys, replace(whole, part=Part(table, rows), checks=()))
    assert "  12  194  194   +0" in page
    assert "  14                 796  829   +4" in page


def test_verdict_of_one_table_says_what_holds_then_which_choices_are_right_then_what_is_missed(
    table: PublishedTable, capsys: pytest.CaptureFixture[str]
) -> None:

    def too_fast(row: PublishedRow, measure: str) -> float:
        return row.number(measure) * (1.105 if row.number("pairs") == 100 else 1.0)

    show(verdict_page([verdict_of(table, {}, too_fast)]))
    page = capsys.readouterr().out.splitlines()
    assert max(map(len, page)) <= 80
    holds, decisions, missed = (
        next(index for index, line in enumerate(page) if line.startswith(head))
        for head in ("ours is within", "two differ in", "goals missed")
    )
    assert holds < decisions < missed
    assert page[holds + 1].split() == "MB/s both ways multi-CTC 120 0 % 10.5 % 10.5 % kept".split()
    assert page[decisions + 1].endswith("100 %        0.0 %    0.0 %    0.0 %")
    assert page[missed + 1].split()[2:7] == ["ways", "multi-CTC", "120", "90", "%"]


def test_decisions_of_some_rows_are_not_judged(
    table: PublishedTable, capsys: pytest.CaptureFixture[str]
) -> None:
    show(verdict_page([verdict_of(table, {"suite": ["HL"]}, faithful)]))
    assert "two differ in" not in capsys.readouterr().out


def test_a_bound_that_is_left_is_marked_where_what_holds_is_said(
    table: PublishedTable, capsys: pytest.CaptureFixture[str]
) -> None:
    show(verdict_page([verdict_of(table, {}, lambda row, of: 3 * row.number(of))]))
    line = next(
        line
        for line in capsys.readouterr().out.splitlines()
        if line.startswith("MB/s both ways  multi-CTC")
    )
    assert line.split()[-1] == "left!"


def test_verdict_of_many_tables_is_a_line_each_with_the_goals_that_are_missed(
    table: PublishedTable, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = load_table("stop_short")
    wrong = verdict_of(rules, {}, lambda row, measure: 2 * row.number(measure))
    show(verdict_page([verdict_of(table, {}, faithful), wrong]))
    page = capsys.readouterr().out.splitlines()
    assert page[1].split()[:5] == ["transport", "140", "12", "of", "12"]
    assert page[2].split() == "stop_short 2 0 of 1! 0 of 1 stops short by all".split()
    assert max(map(len, page)) <= 80
