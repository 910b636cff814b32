"""What may be fitted, to which rows, and that a search keeps only what is better."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ctc.features import FEATURES, ChpidProfile
from isfc.link.parameters import LinkParameters
from scenarios.published.catalogue import load_table
from scenarios.published.table import PublishedTable, Role
from scenarios.runs.guests import GuestCosts
from tools.calibration import calibrate
from tools.calibration.calibrate import MEASURED, ConstantSearch
from tools.calibration.knobs import EXPRESS2, EXPRESS4, KNOBS, build_constants, present_values
from tools.calibration.loss import CPU_WEIGHT, FittedRun, all_cases, calibration_cases, row_loss
from tools.pages import sources

FEW = [
    knob for knob in KNOBS if knob.field in ("build_package_ns", "client_latency_ns", "recovery_ns")
]


def test_knobs_are_what_the_table_of_sources_marks_calibrated() -> None:
    rings = ("isfc.link.", "scenarios.runs.guests.", "ctc.features.Chpid")
    calibrated = {
        ".".join(row["constant"].split(".")[-2:])
        for row in sources.rows()
        if row["status"] == "calibrated" and row["constant"].startswith(rings)
    }
    records = {"link": LinkParameters, "guests": GuestCosts}
    fitted = {
        f"{records.get(knob.owners[0], ChpidProfile).__name__}.{knob.field}" for knob in KNOBS
    }
    assert fitted == calibrated
    of_express2, of_express4 = (
        {knob.field for knob in KNOBS if feature in knob.owners} for feature in (EXPRESS2, EXPRESS4)
    )
    assert of_express2 == of_express4 != set()


def test_present_values_are_the_constants_of_the_code_between_their_bounds() -> None:
    present = present_values()
    assert [knob.name for knob in KNOBS if not knob.low < present[knob.name] < knob.high] == []
    constants = build_constants(present)
    assert constants.link == LinkParameters()
    assert constants.guests == GuestCosts()
    assert constants.profiles == FEATURES


def test_only_calibration_rows_of_every_table_are_fitted_and_a_suite_can_stay_out() -> None:
    tables = [load_table(name) for name in MEASURED]
    shown = [each for case in calibration_cases(tables) for each in case.shown]
    assert {row.role for _, row in shown} == {Role.CALIBRATION}
    assert {name for name, _ in shown} == set(MEASURED)
    assert len(all_cases(tables)) == 246
    left = [each for case in calibration_cases(tables, "HL") for each in case.shown]
    assert {row.columns.get("suite") for _, row in left} == {"HS", "HM", "HY", None}
    assert "device_reports" not in {name for name, _ in left}  # of a run of HL


@pytest.mark.parametrize(
    ("name", "key", "measures"),
    [
        ("transport", "HL/12/50", "mb_per_s rdev_util_percent cpu_percent_per_msg"),
        ("transport", "HY/8/100", "collisions_per_s"),
        ("appc_scaling", "100000/12/100", "msgs_per_s rdev_util_percent cpu_percent_per_msg"),
        ("device_reports", "H001709C/6000", "busy_percent pend_ms disc_ms conn_ms serv_ms"),
        ("link_activity", "2011-10-14T04:53:43", "write_msgs_per_pkg read_msgs_per_pkg"),
    ],
)
def test_published_figures_lose_nothing_and_every_measure_counts(
    name: str, key: str, measures: str
) -> None:
    table = load_table(name)
    row = next(row for row in table.rows if row.key == key)
    same = {each: row.number(each) for each in table.measures if row.has_number(each)}
    assert row_loss(table.view, row, same) == pytest.approx(0, abs=1e-9)
    for measure in measures.split():
        half = same | {measure: same[measure] / 2}
        assert row_loss(table.view, row, half) > 0.01, measure


@pytest.fixture(scope="module")
def table() -> PublishedTable:
    return load_table("transport")


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor


@pytest.fixture(scope="module")
def case(table: PublishedTable) -> FittedRun:
    cases = calibration_cases([table], length=0.001)
    (case,) = (case for case in cases if case.shown[0][1].key == "HL/1/5")
    return case


def search(
    state: Path, case: FittedRun, pool: Executor, generations: int
) -> tuple[ConstantSearch, list[str]]:
    said: list[str] = []
    begun = ConstantSearch(state, FEW, seed=1, suite=None)
    begun.improve([case], 10, generations, pool, said.append)
    return begun, said


@pytest.mark.at_length
def test_generation_stays_between_the_bounds_and_never_loses(
    case: FittedRun, pool: Executor, tmp_path: Path
) -> None:
    done, said = search(tmp_path / "state", case, pool, 1)
    best = done.best([case], pool, said.append)
    assert all(knob.low <= best[knob.name] <= knob.high for knob in FEW)
    finalists = {line.split()[3]: float(line.split()[-1]) for line in said[1:]}
    assert finalists.keys() == {"start,", "best", "centre,"}
    stays = best == present_values(FEW)
    assert (finalists["start,"] == min(finalists.values())) == stays


@pytest.mark.at_length
def test_search_from_the_middle_knows_nothing_of_the_constants_in_use(
    case: FittedRun, pool: Executor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(calibrate, "present_values")
    begun = ConstantSearch(tmp_path / "state", FEW, seed=1, suite="HL")
    assert begun.best([case], pool, lambda _: None) == {
        knob.name: pytest.approx((knob.low * knob.high) ** 0.5) for knob in FEW
    }


@pytest.mark.parametrize(("arguments", "left_out"), [([], ""), (["--leave-out", "HM"], "HM")])
def test_suite_left_out_is_predicted_from_the_other_three_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str], left_out: str
) -> None:
    searches: list[dict[str, Any]] = []

    def end(search: ConstantSearch, cases: Sequence[FittedRun], *_: object) -> None:
        tables = {name for case in cases for name, _ in case.shown}
        suites = {row.columns.get("suite") for case in cases for _, row in case.shown}
        cpu_weights = {case.cpu_weight for case in cases}
        searches.append(
            {**search.kind, "fitted": tables, "suites": suites, "cpu_weights": cpu_weights}
        )
        raise ValueError("seen")

    monkeypatch.setattr(ConstantSearch, "improve", end)
    assert calibrate.main([*arguments, "--jobs", "1", "--state", str(tmp_path / "state")]) == 2
    (search,) = searches
    assert ("link.appc_ns_per_byte_built" in search["knobs"]) == (not left_out)
    assert search["cpu_weights"] == {0.0 if left_out else CPU_WEIGHT}
    assert search["fitted"] == ({"transport"} if left_out else set(MEASURED))
    assert {"HL", "HM", "HS", "HY"} - search["suites"] == ({left_out} if left_out else set())
