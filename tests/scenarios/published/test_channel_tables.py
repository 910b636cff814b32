"""The tables of channels: as published, all within their bounds, and the goals that are missed."""

import hashlib
from pathlib import Path

import pytest

from ctc.features import generation_code
from scenarios.published import system_rows
from scenarios.published.catalogue import CHANNEL_TABLES, TABLES, load_table
from scenarios.published.replay import choose, compare_all
from scenarios.published.table import Deviation, Role, TableView
from scenarios.published.verdict import check_bounds, judge

FOLDER = Path(__file__).parents[3] / "scenarios" / "published" / "channel_tables"

DIGESTS: dict[str, str] = {
    "fcp": "cff9520fdb2b7f8d",
    "latency_ladder": "fabaf1306036d848",
    "zhyperlink_link_statistics": "4672551662c3baac",
    "channel_activity": "a648a7327afb38d0",
    "channel_generation_codes": "d3002e5cff753b0f",
    "endpoint_security": "1ce4b1f8f0b9dda4",
    "endpoint_security_batch": "98973761a3365b7a",
    "ficon_distance": "b32a0cd50955be85",
    "ficon_frames": "bf0cba76df16aaa0",
    "ficon_generations": "d16c45763f29216d",
    "ficon_iu_counts": "6b41ad3fc202ddb8",
    "ficon_mix": "ebc01a023d8aa9ec",
    "ficon_ratios": "8a760da4aec13ce7",
    "ficon_response": "9d9580fcd400ee15",
    "guidelines": "7c7913623608f3a4",
    "ioss_bandwidth": "837bc6d47a4f7f8b",
    "isl_capacity": "394e37fb10cb8f8b",
    "osa_link_capacity": "b0f4c456be6ab89e",
    "osa_streams": "ea1ded7b6d80f1d8",
    "sap_capacity": "8c60af3f60b16aa0",
    "sap_iop_activity": "79f44b258b6dfe70",
    "sas_channel_utilization": "18f3be7ebc885af4",
    "sas_elapsed": "c4e04193a5fd2508",
    "sas_members": "6163f946dd36884a",
    "transaction_breakdown": "ab01bdb246a66efb",
    "z15_models": "09d0153b73c595e5",
    "zhyperlink_latency": "7a8a7a055af16e66",
    "zhyperlink_limits": "6501b3cc981e5019",
    "zhyperlink_rmf": "e163a8dc5e6bdc22",
    "zhyperlink_workloads": "f20d0304432b73e4",
}
"""SHA-256 of the tables as they were taken from the documents, the first 16 digits."""

MISSED_GOALS = {
    ("ficon_generations", "mb_per_s", "one_block"),
    ("ficon_generations", "mb_per_s", "over"),
    ("channel_activity", "bus_utilization_percent", "full"),
    ("endpoint_security", "encrypted", "fcp_large"),
    ("fcp", "value", "encrypted_mix"),
    ("latency_ladder", "access_ns", "storage"),
    ("transaction_breakdown", "share_percent_max", "io"),
}
"""What is told with a reason in docs/channel-fidelity.md: nothing else may be missed."""


def test_figures_are_those_of_the_documents() -> None:
    found = {
        path.stem: hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        for path in FOLDER.glob("*.csv")
    }
    assert found == DIGESTS


def test_every_table_has_its_companion_and_its_rows() -> None:
    assert set(CHANNEL_TABLES) == DIGESTS.keys()
    assert {path.stem for path in FOLDER.glob("*.toml")} == set(CHANNEL_TABLES)
    assert not set(CHANNEL_TABLES) & set(TABLES)
    assert {load_table(name).view for name in CHANNEL_TABLES} == {TableView.CHANNEL}


def test_every_code_of_a_generation_is_rmfs_letters_and_all() -> None:
    for row in load_table("channel_generation_codes").rows:
        fec = row.columns["fec"] == "yes"
        code = generation_code(str(row.columns["feature"]), row.number("link_gbps"), fec=fec)
        assert f"{code:02X}" == str(row.columns["generation"])


@pytest.mark.parametrize("name", CHANNEL_TABLES)
def test_every_figure_keeps_its_tolerance(name: str) -> None:
    parts = choose([load_table(name)], {})
    found = compare_all(parts, {})
    assert found
    assert [(c.key, c.measure, c.emulated) for c in found if c.within is False] == []


@pytest.mark.parametrize("name", CHANNEL_TABLES)
def test_every_bound_and_goal_is_judged_on_all_of_its_rows(name: str) -> None:
    table = load_table(name)
    (verdict,) = judge(choose([table], {}), {})
    assert {check.of.subject for check in verdict.checks} == {
        bound.subject for bound in (*table.bounds, *table.goals)
    }


def test_goals_that_are_missed_are_those_that_are_told() -> None:
    missed = set()
    for name in CHANNEL_TABLES:
        table = load_table(name)
        for check in check_bounds(table, compare_all(choose([table], {}), {})):
            if check.goal and not check.summary.keeps(check.goal):
                missed.add((name, check.goal.measure, check.goal.group))
    assert missed == MISSED_GOALS


def test_most_rows_are_predictions() -> None:
    roles = [row.role for name in CHANNEL_TABLES for row in load_table(name).rows]
    assert roles.count(Role.CALIBRATION) <= len(roles) / 3


WITHOUT_OURS = {
    "sap_capacity": {"sap-08"},
    "latency_ladder": {"lad-01", "lad-02", "lad-03", "lad-06"},
    "zhyperlink_latency": {f"zhl-{number:02}" for number in range(5, 13)},
    "zhyperlink_limits": {"zli-02", "zli-03", "zli-04", "zli-05", "zli-07", "zli-08"},
    "osa_streams": {"osa-05", "osa-08"},
    "sas_elapsed": {"sas-27k-7"},
}
"""Rows of what shares a system with channels of which no model says anything; their companions
say why."""

SHARED = [name for name in system_rows.ROWS if name != "transaction_breakdown"]


@pytest.mark.parametrize("name", SHARED)
def test_what_ours_has_no_figure_of_is_declared(name: str) -> None:
    (verdict,) = judge(choose([load_table(name)], {}), {})
    compared = {comparison.key for comparison in verdict.comparisons}
    rows = {row.key for row in verdict.table.rows}
    assert rows - compared == WITHOUT_OURS.get(name, set())


@pytest.mark.parametrize("name", SHARED)
def test_a_row_that_was_published_as_a_bound_is_tested_as_one(name: str) -> None:
    table = load_table(name)
    tested = {
        row.key
        for bound in table.bounds
        if bound.distance in (Deviation.SHORTFALL, Deviation.EXCESS)
        for row in table.select(table.groups[bound.group])
    }
    bounds = {row.key for row in table.rows if row.columns["precision"] in ("at_least", "at_most")}
    assert bounds - WITHOUT_OURS.get(name, set()) <= tested
