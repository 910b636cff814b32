"""Published tables: the figures are IBM's, and what stands beside them holds together."""

import hashlib
from collections import Counter
from pathlib import Path

import pytest

import scenarios
from isfc.errors import ConfigurationError
from scenarios.published import Role, Tolerance, load_table, parse_table, table_names
from scenarios.workload import find_workload

TABLES = Path(scenarios.__path__[0]) / "tables"

DIGESTS = {
    "appc_regression": "2c61cc05ada62017",
    "appc_scaling": "00f35988558e4d7f",
    "capacity_estimates": "07888d44cde87cfb",
    "chpid_estimates": "f8dc6087ca538bee",
    "device_reports": "2107cda0c03ff064",
    "link_activity": "154a602fc1019438",
    "stop_short": "ee83d747c11206d6",
    "transport": "f494a56e7cc82384",
}
"""SHA-256 of the tables as they were taken from the report, the first 16 digits."""

FIGURES = """\
suite,pairs,run,mb_per_s,collisions_per_s
HS,1,H1,10.5,0
HS,5,H2,20.0,.5
HL,1,H3,100,0.0
"""

COMPANION = """\
title = "Some runs"
source = "A report"
url = "https://example.org"
measured = "once"
key = ["suite", "pairs"]
measures = ["mb_per_s"]
layout = "published-4"
workload = "{suite}"
"""


def test_figures_are_those_of_the_report() -> None:
    found = {
        path.stem: hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        for path in TABLES.glob("*.csv")
    }
    assert found == DIGESTS


def test_transport_can_be_replayed() -> None:
    assert table_names() == ("transport",)


def test_unknown_table_is_refused_naming_those_there_are() -> None:
    with pytest.raises(ConfigurationError, match="'tramsport' is unknown: expected transport"):
        load_table("tramsport")


def test_transport_is_a_full_grid_of_140_runs() -> None:
    table = load_table("transport")
    assert table.choices("suite") == ("HS", "HM", "HL", "HY")
    assert table.choices("rdevs") == (1, 4, 8, 10, 12, 14, 16)
    assert table.choices("pairs") == (1, 5, 10, 50, 100)
    assert len({row.key for row in table.rows}) == len(table.rows) == 4 * 7 * 5


def test_row_has_its_figures_as_published() -> None:
    (row,) = load_table("transport").select({"suite": ["HL"], "rdevs": [12], "pairs": [50]})
    assert row.key == "HL/12/50"
    assert row.columns["run"] == "H001709C"
    assert row.number("mb_per_s") == 706.0
    assert row.number("rdev_util_percent") == 1026.0


def test_every_other_row_of_the_grid_is_for_calibration() -> None:
    table = load_table("transport")
    rdevs, pairs = table.choices("rdevs"), table.choices("pairs")
    for row in table.rows:
        steps = rdevs.index(row.columns["rdevs"]) + pairs.index(row.columns["pairs"])
        assert (row.role is Role.CALIBRATION) == (steps % 2 == 1), row.key
    assert Counter(row.role for row in table.rows) == {Role.CALIBRATION: 68, Role.ACCEPTANCE: 72}


def test_groups_share_out_all_rows() -> None:
    table = load_table("transport")
    sizes = {name: len(table.select(group)) for name, group in table.groups.items()}
    assert sizes == {"one CTC": 20, "multi-CTC": 120}


def test_each_row_has_a_tolerance_for_its_throughput() -> None:
    table = load_table("transport")
    for row in table.rows:
        tolerance = table.tolerance(row, "mb_per_s")
        assert tolerance is not None
        assert tolerance.relative is not None
        assert (
            tolerance.relative <= (0.4 if row.columns["rdevs"] == 1 else 0.45) or tolerance.reason
        )


def test_no_collisions_published_means_fewer_than_five_a_second() -> None:
    table = load_table("transport")
    for row in table.rows:
        tolerance = table.tolerance(row, "collisions_per_s")
        if row.number("collisions_per_s") == 0:
            assert tolerance is not None
            assert tolerance.below == 5


def test_aggregates_are_bounded_as_the_project_promises() -> None:
    bounds = {bound.measure: bound for bound in load_table("transport").bounds}
    assert {bound.group for bound in bounds.values()} == {"multi-CTC"}
    assert bounds["mb_per_s"].median <= 0.10
    assert bounds["mb_per_s"].p90 <= 0.30
    assert bounds.keys() == {"mb_per_s", "rdev_util_percent", "cpu_percent_per_msg"}


def test_suites_are_the_workloads_of_the_same_name() -> None:
    for row in load_table("transport").rows:
        workload = find_workload(str(row.columns["suite"]))
        assert workload.min_length == row.columns["min_bytes"]
        assert workload.max_length == row.columns["max_bytes"]
        assert workload.min_percent == row.columns["percent"]
        assert workload.reply_length == row.columns["reply_bytes"]


@pytest.mark.parametrize(
    ("tolerance", "emulated", "good"),
    [
        (Tolerance("mb_per_s", relative=0.5), 50.0, True),
        (Tolerance("mb_per_s", relative=0.5), 150.0, True),
        (Tolerance("mb_per_s", relative=0.5), 49.9, False),
        (Tolerance("mb_per_s", relative=0.5), 150.1, False),
        (Tolerance("mb_per_s", below=5.0), 4.99, True),
        (Tolerance("mb_per_s", below=5.0), 5.0, False),
    ],
)
def test_tolerance_admits_what_it_says(tolerance: Tolerance, emulated: float, good: bool) -> None:
    assert tolerance.admits(100.0, emulated) is good


def test_tolerance_says_what_it_expects() -> None:
    assert str(Tolerance("mb_per_s", relative=0.3)) == "within 30%"
    assert str(Tolerance("collisions_per_s", below=5.0)) == "below 5"


def test_last_tolerance_that_names_a_row_holds() -> None:
    table = parse_table(
        "some",
        FIGURES,
        COMPANION
        + """
        [[tolerance]]
        measure = "mb_per_s"
        relative = 0.3

        [[tolerance]]
        measure = "mb_per_s"
        where = { suite = ["HS"], pairs = [5] }
        relative = 0.6
        reason = "the published run is at odds with its neighbours"
        """,
    )
    relative = {}
    for row in table.rows:
        tolerance = table.tolerance(row, "mb_per_s")
        assert tolerance is not None
        relative[row.key] = tolerance.relative
    assert relative == {"HS/1": 0.3, "HS/5": 0.6, "HL/1": 0.3}
    assert table.tolerance(table.rows[0], "collisions_per_s") is None


def test_rows_are_for_acceptance_unless_declared_otherwise() -> None:
    table = parse_table("some", FIGURES, COMPANION + "[[calibration]]\npairs = [5]")
    assert [row.role for row in table.rows] == ["acceptance", "calibration", "acceptance"]


def test_fields_are_numbers_where_they_can_be() -> None:
    columns = parse_table("some", FIGURES, COMPANION).rows[1].columns
    assert columns == {
        "suite": "HS", "pairs": 5, "run": "H2", "mb_per_s": 20.0, "collisions_per_s": 0.5
    }  # fmt: skip


@pytest.mark.parametrize(
    ("figures", "addition", "complaint"),
    [
        (FIGURES + "HL,1,H4,1.0,0\n", "", "two rows have the same suite/pairs"),
        (FIGURES + "HL,5,H4,1.0\n", "", "shorter"),
        (FIGURES, "[groups.some]\nctcs = [1]", "no column ctcs; expected one of suite, pairs"),
        (FIGURES, "[groups.some]\npairs = [2]", "no row has"),
        (FIGURES, "[[calibration]]\npairs = [2]", "no row has"),
        (FIGURES, '[[tolerance]]\nmeasure = "mb_per_s"', "either relative or below"),
        (FIGURES, '[[tolerance]]\nmeasure = "mb"\nbelow = 1.0', "no column mb;"),
        (
            FIGURES,
            '[[tolerance]]\nmeasure = "mb_per_s"\nbelow = 1.0\nrelative = 1.0',
            "either relative or below",
        ),
        (
            FIGURES,
            '[[tolerance]]\nmeasure = "mb_per_s"\nwhere = { suite = ["HL"] }\nbelow = 1.0',
            "alone needs a reason",
        ),
        (
            FIGURES,
            '[[bound]]\nmeasure = "mb_per_s"\ngroup = "some"\nmedian = 0.1\np90 = 0.3',
            "bound of group some",
        ),
        (FIGURES, "toleranze = 5", "unknown field"),
    ],
)
def test_what_would_have_no_effect_is_refused(figures: str, addition: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse_table("some", figures, COMPANION + addition)


def test_faulty_table_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "some.csv").write_text(FIGURES)
    (tmp_path / "some.toml").write_text("title = 5")
    monkeypatch.setattr("scenarios.published._folder", lambda: tmp_path)
    with pytest.raises(ConfigurationError, match=r"table some: .*title"):
        load_table("some")
