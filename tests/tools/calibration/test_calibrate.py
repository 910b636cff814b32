"""The search: one tiny generation, going on from a stored state, and what it tells."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scenarios.published.companion import load_table
from scenarios.published.replay import Comparison
from scenarios.published.table import PublishedTable
from tools.calibration import calibrate
from tools.calibration.calibrate import Search, SearchExtent, residuals, tally
from tools.calibration.knobs import KNOBS, Knob, present_values
from tools.calibration.loss import CPU_WEIGHT, Case, calibration_cases

pytestmark = pytest.mark.at_length


TINY = 0.001
FEW = [
    knob for knob in KNOBS if knob.field in ("build_package_ns", "client_latency_ns", "recovery_ns")
]


@pytest.fixture(scope="module")
def table() -> PublishedTable:
    return load_table("transport")


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor


@pytest.fixture(scope="module")
def case(table: PublishedTable) -> Case:
    cases = calibration_cases([table], length=TINY)
    (case,) = (case for case in cases if case.shown[0][1].key == "HL/1/5")
    return case


def search(
    state: Path, case: Case, pool: Executor, generations: int, knobs: list[Knob] = FEW
) -> tuple[Search, list[str]]:
    said: list[str] = []
    begun = Search(state, knobs, seed=1, suite=None)
    begun.improve([case], SearchExtent(10, generations), pool, said.append)
    return begun, said


def test_generation_stays_between_the_bounds_and_never_loses(
    case: Case, pool: Executor, tmp_path: Path
) -> None:
    done, said = search(tmp_path / "state", case, pool, 1)
    assert (done.generations, len(said)) == (1, 1)
    assert said[0].startswith("generation 1: loss ")
    best = done.best([case], pool, said.append)
    assert best.keys() == {knob.name for knob in FEW}
    assert all(knob.low <= best[knob.name] <= knob.high for knob in FEW)
    finalists = {line.split()[3]: float(line.split()[-1]) for line in said[1:]}
    assert finalists.keys() == {"start,", "best", "centre,"}
    if best == present_values(FEW):
        assert finalists["start,"] == min(finalists.values())
    else:
        assert finalists["start,"] > min(finalists.values())


@pytest.mark.slow
def test_search_goes_on_as_if_it_had_not_been_interrupted(
    case: Case, pool: Executor, tmp_path: Path
) -> None:
    _, whole = search(tmp_path / "whole", case, pool, 2)
    _, first = search(tmp_path / "parts", case, pool, 1)
    resumed, rest = search(tmp_path / "parts", case, pool, 2)
    assert resumed.generations == 2
    parts = first + rest
    assert [line.rpartition(",")[0] for line in parts] == [
        line.rpartition(",")[0] for line in whole
    ]


def test_state_of_another_search_is_refused(case: Case, pool: Executor, tmp_path: Path) -> None:
    search(tmp_path / "state", case, pool, 1)
    others: list[dict[str, Any]] = [
        {"seed": 2}, {"suite": "HL"}, {"knobs": list(KNOBS)}, {"tables": ["transport"]},
        {"start": "middle"},
    ]  # fmt: skip
    own: dict[str, Any] = {"knobs": FEW, "seed": 1, "suite": None}
    for other in others:
        with pytest.raises(ValueError, match="is of another search"):
            Search(tmp_path / "state", **own | other)


def test_without_a_generation_the_constants_stay(
    case: Case, pool: Executor, tmp_path: Path
) -> None:
    begun = Search(tmp_path / "state", FEW, seed=1, suite=None)
    assert begun.best([case], pool, lambda _: None) == present_values(FEW)


def test_search_from_the_middle_knows_nothing_of_the_constants_in_use(
    case: Case, pool: Executor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(calibrate, "present_values")
    begun = Search(tmp_path / "state", FEW, seed=1, suite="HL", start="middle")
    assert begun.best([case], pool, lambda _: None) == {
        knob.name: pytest.approx((knob.low * knob.high) ** 0.5) for knob in FEW
    }
    begun.improve([case], SearchExtent(10, 1), pool, lambda _: None)
    assert begun.generations == 1


def off_by(table: PublishedTable, factor: float) -> list[Comparison]:
    return [
        Comparison("transport", row.key, measure, 1.0, factor, factor - 1, row.role, None)
        for row in table.rows
        for measure in table.measures
    ]


def test_tally_keeps_roles_and_groups_apart(table: PublishedTable) -> None:
    other = [replace(c, table="elsewhere") for c in off_by(table, 9.0)]
    lines = list(tally(table, [*off_by(table, 1.5), *other]))
    subjects = {bound.subject for bound in (*table.goals, *table.bounds)}
    assert len(lines) == 2 * len(subjects)
    assert lines[0] == (
        "transport       mb_per_s             multi-CTC    calibration   61 rows: "
        "median    50 %, 90 %    50 %, worst    50 % at HY/16/50"
    )


def test_residuals_cover_the_whole_table(table: PublishedTable, pool: Executor) -> None:
    three = table.rows[::60]
    found = residuals([replace(table, rows=three)], {}, pool, TINY)
    assert [c.key for c in found[:: len(table.measures)]] == [row.key for row in three]


@pytest.mark.parametrize(
    ("arguments", "start", "left_out"), [([], "code", ""), (["--leave-out", "HM"], "middle", "HM")]
)
def test_suite_left_out_is_predicted_from_the_other_three_alone(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    start: str,
    left_out: str,
) -> None:
    searches: list[dict[str, Any]] = []

    def end(search: Search, cases: Sequence[Case], *_: object) -> None:
        tables = {name for case in cases for name, _ in case.shown}
        suites = {row.columns.get("suite") for case in cases for _, row in case.shown}
        cpu_weights = {case.cpu_weight for case in cases}
        searches.append(
            {**search.kind, "fitted": tables, "suites": suites, "cpu_weights": cpu_weights}
        )
        raise ValueError("seen")

    monkeypatch.setattr(Search, "improve", end)
    assert calibrate.main([*arguments, "--jobs", "1", "--state", str(tmp_path / "state")]) == 2
    (search,) = searches
    assert "seen" in capsys.readouterr().err
    assert search["start"] == start
    assert ("link.appc_ns_per_byte_built" in search["knobs"]) == (not left_out)
    assert ("link.cpu_read_package_ns" in search["knobs"]) == (not left_out)
    assert search["cpu_weights"] == {0.0 if left_out else CPU_WEIGHT}
    assert search["fitted"] == ({"transport"} if left_out else set(calibrate.MEASURED))
    assert {"HL", "HM", "HS", "HY"} - search["suites"] == ({left_out} if left_out else set())


@pytest.mark.parametrize(("name", "fits_appc"), [("transport", False), ("appc_scaling", True)])
def test_constants_of_appc_are_fitted_where_a_row_is_sensitive_to_them(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    fits_appc: bool,
) -> None:
    def end(search: Search, *_: object) -> None:
        raise ValueError(str(search.kind["knobs"]))

    monkeypatch.setattr(Search, "improve", end)
    arguments = ["--table", name, "--jobs", "1", "--state", str(tmp_path / "state")]
    assert calibrate.main(arguments) == 2
    said = capsys.readouterr().err
    assert "link.recovery_ns" in said
    assert ("link.appc_ns_per_byte_built" in said) == fits_appc


def test_suite_is_left_out_of_all_tables_only(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        calibrate.main(["--leave-out", "HL", "--table", "appc_scaling"])
    assert "--leave-out and --table: expected one of them" in capsys.readouterr().err


def test_suite_is_not_left_out_from_a_start_that_knows_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        calibrate.main(["--leave-out", "HL", "--start", "code"])
    assert "--leave-out and --start code" in capsys.readouterr().err


def test_bad_state_file_ends_with_2(
    case: Case, pool: Executor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    search(tmp_path / "state", case, pool, 1)
    arguments = ["--generations", "1", "--jobs", "1", "--state", str(tmp_path / "state")]
    assert calibrate.main(arguments) == 2
    assert "is of another search" in capsys.readouterr().err
