"""The published tables that are shipped: as published, within their bounds, goals missed."""

import hashlib
from functools import cache
from pathlib import Path

import pytest

import scenarios.published
from ctc.features import generation_code
from scenarios.published import system_rows
from scenarios.published.catalogue import CHANNEL_TABLES, TABLES, load_table
from scenarios.published.replay import choose, compare
from scenarios.published.system_rows import RELOCATION_ROWS
from scenarios.published.table import Deviation, Role, TableView
from scenarios.published.verdict import TableVerdict, judge

FOLDER = Path(scenarios.published.__path__[0])
WITHOUT_RUNS = [
    *CHANNEL_TABLES,
    *(
        pytest.param(name, marks=[pytest.mark.at_length, pytest.mark.slow])
        for name in RELOCATION_ROWS
    ),
]

DIGESTS = {
    "tables": """
        appc_regression 2c61cc05ada62017   appc_scaling 00f35988558e4d7f
        capacity_estimates 07888d44cde87cfb   chpid_estimates f8dc6087ca538bee
        device_reports 2107cda0c03ff064   link_activity 154a602fc1019438
        stop_short ee83d747c11206d6   transport f494a56e7cc82384
    """,
    "channel_tables": """
        fcp cff9520fdb2b7f8d   latency_ladder fabaf1306036d848
        zhyperlink_link_statistics 4672551662c3baac   channel_activity a648a7327afb38d0
        channel_generation_codes d3002e5cff753b0f   endpoint_security 1ce4b1f8f0b9dda4
        endpoint_security_batch 98973761a3365b7a   ficon_distance b32a0cd50955be85
        ficon_frames bf0cba76df16aaa0   ficon_generations d16c45763f29216d
        ficon_iu_counts 6b41ad3fc202ddb8   ficon_mix ebc01a023d8aa9ec
        ficon_ratios 8a760da4aec13ce7   ficon_response 9d9580fcd400ee15
        guidelines 7c7913623608f3a4   ioss_bandwidth 837bc6d47a4f7f8b
        isl_capacity 394e37fb10cb8f8b   osa_link_capacity b0f4c456be6ab89e
        osa_streams ea1ded7b6d80f1d8   sap_capacity 8c60af3f60b16aa0
        sap_iop_activity 79f44b258b6dfe70   sas_channel_utilization 18f3be7ebc885af4
        sas_elapsed c4e04193a5fd2508   sas_members 6163f946dd36884a
        transaction_breakdown ab01bdb246a66efb   z15_models 09d0153b73c595e5
        zhyperlink_latency 7a8a7a055af16e66   zhyperlink_limits 6501b3cc981e5019
        zhyperlink_rmf e163a8dc5e6bdc22   zhyperlink_workloads f20d0304432b73e4
    """,
    "relocation_tables": """
        relocation 20f0afc6613154f2   relocation_rules 8228a7bd3fcb2c82
    """,
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


@pytest.mark.parametrize(
    ("folder", "names"),
    [
        ("tables", TABLES),
        ("channel_tables", CHANNEL_TABLES),
        ("relocation_tables", (*RELOCATION_ROWS,)),
    ],
)
def test_figures_are_those_of_the_documents_and_each_has_its_companion(
    folder: str, names: tuple[str, ...]
) -> None:
    taken = DIGESTS[folder].split()
    found = {
        path.stem: hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        for path in (FOLDER / folder).glob("*.csv")
    }
    assert found == dict(zip(taken[::2], taken[1::2], strict=True))
    assert {path.stem for path in (FOLDER / folder).glob("*.toml")} == set(names) == found.keys()
    assert [load_table(name).name for name in names] == list(names)


def test_tables_of_channels_are_told_apart() -> None:
    assert not set(CHANNEL_TABLES) & set(TABLES)
    assert {load_table(name).view for name in CHANNEL_TABLES} == {TableView.CHANNEL}


def test_every_code_of_a_generation_is_rmfs_letters_and_all() -> None:
    for row in load_table("channel_generation_codes").rows:
        fec = row.columns["fec"] == "yes"
        code = generation_code(str(row.columns["feature"]), row.number("link_gbps"), fec=fec)
        assert f"{code:02X}" == str(row.columns["generation"])


@cache
def judged(name: str) -> TableVerdict:
    """A table whose rows are not of runs of a link, judged once."""
    (verdict,) = judge(choose([load_table(name)], {}), {})
    return verdict


@pytest.mark.parametrize("name", WITHOUT_RUNS)
def test_every_row_keeps_its_bound_or_has_a_reason_why_not(name: str) -> None:
    table, verdict = load_table(name), judged(name)
    assert verdict.comparisons
    assert [(c.key, c.measure, c.emulated) for c in verdict.comparisons if c.within is False] == []
    if name in RELOCATION_ROWS:
        assert all(c.within for c in verdict.comparisons)
    assert {check.of.subject for check in verdict.checks} == {
        bound.subject for bound in (*table.bounds, *table.goals)
    }
    left = [row.key for row in table.rows if not list(compare(table, row, ()))]
    assert sorted(left) == sorted(key for entry in table.not_modelled for key in entry.rows)
    assert all(entry.reason.endswith(".") for entry in table.not_modelled)


@pytest.mark.parametrize(
    ("names", "missed"),
    [
        (CHANNEL_TABLES, MISSED_GOALS),
        pytest.param(
            (*RELOCATION_ROWS,),
            {("relocation", "value", "rates")},
            marks=[pytest.mark.at_length, pytest.mark.slow],
        ),
    ],
)
def test_goals_that_are_missed_are_those_that_are_told(
    names: tuple[str, ...], missed: set[tuple[str, ...]]
) -> None:
    found = {
        (verdict.table.name, check.of.measure, check.of.group)
        for verdict in map(judged, names)
        for check in verdict.checks
        if not check.meets_goal
    }
    assert found == missed


def test_most_rows_are_predictions_and_nothing_is_tuned_to_one() -> None:
    roles = [row.role for name in CHANNEL_TABLES for row in load_table(name).rows]
    assert roles.count(Role.CALIBRATION) <= len(roles) / 3
    fitted = {row.key for row in load_table("relocation").rows if row.role is Role.CALIBRATION}
    assert fitted == {f"lgr-{number}" for number in range(11, 16)}


SHARED = [name for name in system_rows.ROWS if name != "transaction_breakdown"]


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
    assert bounds - {key for entry in table.not_modelled for key in entry.rows} <= tested
