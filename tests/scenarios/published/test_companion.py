"""Reading published tables: the figures are IBM's, and what stands beside them holds together."""

from collections import Counter
from pathlib import Path

import pytest

from isfc.errors import ConfigurationError
from isfc.link.parameters import RELEASES
from scenarios.published.catalogue import TABLES, load_table, parse_table
from scenarios.published.table import Deviation, Role, ValueRange
from scenarios.runs.workload import find_workload

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
view = "suite"
runs = { layout = "published-4", workload = "{suite}" }
"""


def test_unknown_table_is_refused_naming_those_there_are() -> None:
    with pytest.raises(ConfigurationError, match="'tramsport' is unknown; did you mean transport"):
        load_table("tramsport")


CHOSEN_BY = ("HS/1/1", "HS/4/50")


def test_every_other_row_of_the_grid_and_two_that_constants_were_chosen_by_calibrate() -> None:
    table = load_table("transport")
    rdevs, pairs = table.choices("rdevs"), table.choices("pairs")
    for row in table.rows:
        steps = rdevs.index(row.columns["rdevs"]) + pairs.index(row.columns["pairs"])
        calibrates = steps % 2 == 1 or row.key in CHOSEN_BY
        assert (row.role is Role.CALIBRATION) == calibrates, row.key
    assert Counter(row.role for row in table.rows) == {Role.CALIBRATION: 70, Role.ACCEPTANCE: 70}


APPC = ("appc_regression", "appc_scaling")


def test_at_most_a_third_of_the_appc_cells_calibrates() -> None:
    roles = Counter(row.role for name in APPC for row in load_table(name).rows)
    assert roles.total() == 70 + 45
    assert 0 < roles[Role.CALIBRATION] <= roles.total() / 3


def test_of_the_device_reports_the_first_alone_calibrates() -> None:
    rows = load_table("device_reports").rows
    assert {row.columns["run"] for row in rows if row.role is Role.CALIBRATION} == {"H001709C"}
    assert {row.columns["run"] for row in rows} == {"H001709C", "H001750C", "W001054C"}


def test_rows_know_their_release_and_side() -> None:
    for name, sides in {"transport": {"client"}, "appc_regression": {"server"}}.items():
        assert {row.columns["side"] for row in load_table(name).rows} == sides
    assert {row.columns["side"] for row in load_table("device_reports").rows} == {
        "client",
        "server",
    }
    assert {row.columns["release"] for row in load_table("appc_scaling").rows} == {"z/VM 6.2"}
    releases = {row.columns["release"] for row in load_table("appc_regression").rows}
    assert releases == {f"z/VM {name}" for name in RELEASES}
    assert "release" not in load_table("stop_short").rows[0].columns


def test_groups_of_one_and_of_several_ctcs_share_out_all_transport_rows() -> None:
    table = load_table("transport")
    sizes = {name: len(table.select(group)) for name, group in table.groups.items()}
    assert sizes == {
        "one CTC": 20,
        "multi-CTC": 120,
        "quiet": 109,
        "colliding": 10,
        "silent": 89,
        "silent, four CTCs": 16,
    }


def test_groups_of_the_other_goals_take_the_rows_they_name() -> None:
    devices, appc = load_table("device_reports"), load_table("appc_regression")
    busy = devices.select(devices.groups["busy devices"])
    assert len(busy) == 31
    assert min(row.number("busy_percent") for row in busy) > 20
    assert {len(appc.select(group)) for group in appc.groups.values()} == {35}


def test_each_row_of_a_run_has_a_tolerance_for_what_its_first_goal_is_about() -> None:
    for table in map(load_table, TABLES):
        measure = table.goals[0].measure
        rows = [row for row in table.rows if row.has_number(measure)]
        assert [row.key for row in rows if table.tolerance(row, measure) is None] == []


def test_no_collisions_published_means_few_a_second() -> None:
    table = load_table("transport")
    for row in table.select({"collisions_per_s": [0]}):
        tolerance = table.tolerance(row, "collisions_per_s")
        assert tolerance is not None
        few = row.columns["rdevs"] == 4  # the ends meet sooner
        assert tolerance.group == ("silent, four CTCs" if few else "silent")
        assert tolerance.distance is Deviation.EMULATED


def test_aggregates_are_bounded_as_the_project_promises() -> None:
    bounds = {(bound.measure, bound.group): bound for bound in load_table("transport").bounds}
    rate = bounds["mb_per_s", "multi-CTC"]
    assert rate.median is not None
    assert rate.median <= 0.10
    assert rate.p90 is not None
    assert rate.p90 <= 0.30
    assert ("rdev_util_percent", "multi-CTC") in bounds
    assert ("cpu_percent_per_msg", "multi-CTC") in bounds


GOALS = {
    ("transport", "mb_per_s", "multi-CTC"): (0.035, 0.10, 0.20),
    ("transport", "rdev_util_percent", "multi-CTC"): (0.06, 0.18, None),
    ("transport", "collisions_per_s", "quiet"): (None, None, 5),
    ("transport", "collisions_per_s", "colliding"): (None, None, 2.5),
    ("transport", "cpu_percent_per_msg", "multi-CTC"): (0.12, 0.25, None),
    ("transport", "mb_per_s", "one CTC"): (None, None, 0.20),
    ("transport", "collisions_per_s", "one CTC"): (0.14, None, None),
    ("transport", "rdev_util_percent", "one CTC"): (None, None, 0.50),
    ("appc_regression", "msgs_per_s", "z/VM 6.2"): (0.07, 0.20, None),
    ("appc_regression", "cpu_percent_per_msg", "z/VM 6.2"): (0.12, None, None),
    ("appc_regression", "msgs_per_s", "z/VM 6.1"): (0.12, None, None),
    ("appc_scaling", "msgs_per_s", "all"): (0.075, 0.22, None),
    ("appc_scaling", "rdev_util_percent", "all"): (0.18, None, None),
    ("device_reports", "busy_percent", "all"): (None, None, 10),
    ("device_reports", "disc_ms", "writing devices"): (0.25, None, None),
    ("device_reports", "conn_ms", "writing devices"): (0.15, None, None),
    ("device_reports", "serv_ms", "writing devices"): (0.12, None, 0.6),
    **{
        ("link_activity", f"{way}_{what}", "all"): (None, None, limit)
        for way, what, limit in (
            *(("write", what, 0.05) for what in ("mb_per_s", "pkgs_per_s", "msgs_per_pkg")),
            ("read", "mb_per_s", 0.15),
            ("read", "pkgs_per_s", 1.5),  # a factor
            ("read", "msgs_per_pkg", 0.25),
        )
    },
}
"""What the project wants of the tables of runs: median, 90 %, worst."""


def test_goals_are_what_the_project_wants() -> None:
    found = {
        (name, goal.measure, goal.group): (goal.median, goal.p90, goal.worst)
        for name in TABLES
        for goal in load_table(name).goals
        if load_table(name).is_measured
    }
    assert found == GOALS
    (change,) = load_table("appc_regression").changes
    assert (change.before, change.after, change.above) == ("z/VM 6.1", "z/VM 6.2", 0.10)


@pytest.mark.parametrize("name", ["capacity_estimates", "chpid_estimates", "stop_short"])
def test_rules_are_exact(name: str) -> None:
    table = load_table(name)
    assert {goal.measure for goal in table.goals} == set(table.measures)
    assert {(goal.group, goal.worst) for goal in table.goals} == {("all", 0)}
    assert {bound.measure for bound in table.bounds} == set(table.measures)
    assert {(bound.group, bound.worst) for bound in table.bounds} == {("all", 0)}


def test_suites_are_the_workloads_of_the_same_name() -> None:
    for row in load_table("transport").rows:
        workload = find_workload(str(row.columns["suite"]))
        assert workload.min_length == row.columns["min_bytes"]
        assert workload.max_length == row.columns["max_bytes"]
        assert workload.min_percent == row.columns["percent"]
        assert workload.reply_length == row.columns["reply_bytes"]


def test_last_bound_that_names_a_row_holds() -> None:
    table = parse_table(
        "some",
        FIGURES,
        COMPANION
        + """
        [groups]
        all = {}
        odd = { suite = ["HS"], pairs = [5] }

        [[bound]]
        measure = "mb_per_s"
        group = "all"
        worst = 0.3

        [[bound]]
        measure = "mb_per_s"
        group = "odd"
        worst = 0.6
        reason = "the published run is at odds with its neighbours"

        [[bound]]
        measure = "mb_per_s"
        group = "all"
        distance = "points"
        median = 1
        """,
    )
    worst = {}
    for row in table.rows:
        tolerance = table.tolerance(row, "mb_per_s")
        assert tolerance is not None
        worst[row.key] = tolerance.worst
    assert worst == {"HS/1": 0.3, "HS/5": 0.6, "HL/1": 0.3}
    assert table.tolerance(table.rows[0], "collisions_per_s") is None


def test_rows_are_for_acceptance_unless_declared_otherwise() -> None:
    table = parse_table("some", FIGURES, COMPANION + "[[calibration]]\npairs = [5]")
    assert [row.role for row in table.rows] == ["acceptance", "calibration", "acceptance"]


def test_fields_are_numbers_where_they_can_be() -> None:
    columns = parse_table("some", FIGURES, COMPANION).rows[1].columns
    assert columns == {
        "suite": "HS",
        "pairs": 5,
        "run": "H2",
        "mb_per_s": 20.0,
        "collisions_per_s": 0.5,
        "release": "z/VM 6.2",
        "side": "client",
    }


def test_quoted_field_may_hold_commas() -> None:
    figures = FIGURES.replace("HL,1,H3", '"HL, so to say",1,H3')
    assert parse_table("some", figures, COMPANION).rows[2].key == "HL, so to say/1"


def test_selection_may_be_a_range() -> None:
    table = parse_table("some", FIGURES, COMPANION + "[groups.fast]\nmb_per_s = { least = 20 }")
    assert table.groups == {"fast": {"mb_per_s": ValueRange(least=20)}}
    assert [row.key for row in table.select(table.groups["fast"])] == ["HS/5", "HL/1"]


@pytest.mark.parametrize(
    ("figures", "addition", "complaint"),
    [
        (FIGURES + "HL,1,H4,1.0,0\n", "", "two rows have the same suite/pairs"),
        (FIGURES + "HL,5,H4,1.0\n", "", "shorter"),
        (FIGURES, "[groups.some]\nctcs = [1]", "no column ctcs; expected one of suite, pairs"),
        (FIGURES, "[groups.some]\npairs = [2]", "no row has"),
        (FIGURES, "[[calibration]]\npairs = [2]", "no row has"),
        (FIGURES, '[[bound]]\nmeasure = "mb_per_s"', "missing required field `group`"),
        (FIGURES, '[groups.a]\n[[bound]]\nmeasure = "mb"\ngroup = "a"', "no column mb;"),
        (
            FIGURES,
            '[groups.a]\n[[bound]]\nmeasure = "mb_per_s"\ngroup = "a"\ndistance = "miles"',
            "Invalid enum value 'miles'",
        ),
        (
            FIGURES,
            '[groups.a]\nsuite = ["HL"]\n[[bound]]\nmeasure = "mb_per_s"\ngroup = "a"',
            "group a: is of one row, which needs a reason",
        ),
        (
            FIGURES,
            "[groups.a]\n" + 2 * '[[bound]]\nmeasure = "mb_per_s"\ngroup = "a"\n',
            "two bounds, or two goals, are of the same measure",
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
    (tmp_path / "faulty.csv").write_text(FIGURES)
    (tmp_path / "faulty.toml").write_text("title = 5")
    monkeypatch.setattr("scenarios.published.catalogue._FOLDERS", [str(tmp_path)])
    with pytest.raises(ConfigurationError, match=r"table faulty: .*title"):
        load_table("faulty")


def test_table_of_runs_says_how_they_are_repeated() -> None:
    companion = "".join(line for line in COMPANION.splitlines(True) if "layout" not in line)
    with pytest.raises(ValueError, match=r"view suite: expected \[runs\] with layout, or with nam"):
        parse_table("some", FIGURES, companion)


def test_maxima_are_the_table_of_generations() -> None:
    assert load_table("ficon_maxima") == load_table("ficon_generations")
