"""Replaying: which runs, what is repeated, each figure beside ours; and rules without a run."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from msgspec import structs

from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.link.parameters import RELEASES
from scenarios.published.catalogue import TABLES, load_table
from scenarios.published.replay import (
    SECONDS,
    WARMUP,
    Part,
    choose,
    compare,
    compare_all,
    make_experiment,
    runs_of,
    stop_short_row,
)
from scenarios.published.table import PublishedRow, PublishedTable, Role
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import MEASURES, DeviceResult, EndSamples, Result, Sample
from scenarios.runs.run import Recording
from scenarios.runs.workload import SUITES, find_workload


@pytest.fixture(scope="module")
def table() -> PublishedTable:
    return load_table("transport")


def one_row(table: PublishedTable, key: str) -> PublishedRow:
    return next(row for row in table.rows if row.key == key)


def result(*devices: DeviceResult, **figures: float) -> Result:
    """A result of which only some figures matter."""
    return Result("CLIENT", **{**dict.fromkeys(MEASURES, 0.0), **figures}, devices=devices)


def recording(experiment: Experiment, client: Result, server: Result | None = None) -> Recording:
    """What both ends are said to have seen; every part the same."""
    client_name, server_name = experiment.layout.nodes
    seen = [
        EndSamples(Sample(1.5, looked), tuple(Sample(number / 2, looked) for number in (1, 2, 3)))
        for looked in (
            replace(client, node=client_name),
            replace(server or client, node=server_name),
        )
    ]
    return Recording(experiment, *seen)


def compared(
    table: PublishedTable, key: str, client: Result, server: Result | None = None
) -> dict[str, float]:
    """What ours has in a row, by measure."""
    row = one_row(table, key)
    found = compare(table, row, [recording(make_experiment(table, row), client, server)])
    return {c.measure: c.emulated for c in found}


def keys(parts: Sequence[Part]) -> dict[str, list[str]]:
    return {part.table.name: [row.key for row in part.rows] for part in parts}


def test_choosing_nothing_takes_all() -> None:
    tables = [load_table(name) for name in TABLES]
    parts = choose(tables, {"suite": (), "rdevs": ()})
    assert [part.table for part in parts] == tables
    assert all(part.rows == part.table.rows for part in parts)


def test_choices_of_a_column_add_and_columns_narrow(table: PublishedTable) -> None:
    parts = choose([table], {"suite": ["HY", "HL"], "rdevs": [16], "pairs": [1, 5]})
    assert keys(parts) == {"transport": ["HL/16/1", "HL/16/5", "HY/16/1", "HY/16/5"]}


def test_tables_without_a_column_or_a_row_are_left_out() -> None:
    tables = [load_table(name) for name in TABLES]
    parts = choose(tables, {"rdevs": [4], "pairs": [100]})
    assert keys(parts) == {
        "transport": ["HS/4/100", "HM/4/100", "HL/4/100", "HY/4/100"],
        "appc_scaling": ["1/4/100", "100000/4/100", "1000000/4/100"],
    }
    old = choose(tables, {"release": ["z/VM 6.1"], "reply_bytes": [1], "pairs": [1]})
    assert keys(old) == {"appc_regression": ["z/VM 6.1/1/1"]}
    assert choose(tables, {"suite": ["HL"], "reply_bytes": [1]}) == []


@pytest.mark.parametrize(
    ("tables", "column", "value", "complaint"),
    [
        ("transport", "suite", "hl", "suite hl: not in the table transport; expected one of HL, H"),
        ("transport", "rdevs", 2, "rdevs 2: .* expected one of 1, 4, 8, 10, 12, 14, 16"),
        ("transport", "pairs", -1, "pairs -1: .* expected one of 1, 5, 10, 50, 100"),
        ("transport", "reply_bytes", 2, "reply 2: .* expected one of 2048, 4096, 8192, 32768"),
        ("transport appc_scaling", "pairs", 2, "pairs 2: not in any table; expected one of 1,"),
        ("stop_short", "suite", "HL", "suite HL: .*stop_short; expected no such opt"),
    ],
)
def test_what_is_not_in_the_tables_is_refused(
    tables: str, column: str, value: str | int, complaint: str
) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        choose([load_table(name) for name in tables.split()], {column: [value]})


def test_experiment_repeats_the_published_run(table: PublishedTable) -> None:
    experiment = make_experiment(table, one_row(table, "HM/14/10"))
    assert experiment.layout == load_layout("published-14")
    assert experiment.workload == SUITES["HM"]
    assert (experiment.pairs, experiment.seconds, experiment.warmup) == (10, SECONDS, WARMUP)
    assert experiment.link == RELEASES["6.2"]


def test_run_is_made_with_the_parameters_of_its_release() -> None:
    table = load_table("appc_regression")
    old, new = (
        make_experiment(table, one_row(table, f"z/VM {release}/5000/10"), 0.5)
        for release in ("6.1", "6.2")
    )
    assert (old.link, new.link) == (RELEASES["6.1"], RELEASES["6.2"])
    assert old == replace(new, link=old.link)
    assert old.workload == find_workload("CDU:5000")
    assert len(old.layout.ctcs) == 1


def test_run_that_a_table_only_names_is_found_where_it_stands() -> None:
    devices = load_table("device_reports")
    here = {row.columns["run"]: make_experiment(devices, row) for row in devices.rows}
    there = {
        run: make_experiment(table, one_row(table, key))
        for run, table, key in (
            ("H001709C", load_table("transport"), "HL/12/50"),
            ("H001750C", load_table("transport"), "HL/16/100"),
            ("W001054C", load_table("appc_scaling"), "1000000/16/100"),
        )
    }
    assert here == there
    stray = PublishedRow("H0/6000", Role.ACCEPTANCE, {"run": "H0"})
    with pytest.raises(ConfigurationError, match="run H0: is in none of the tables transport, ap"):
        make_experiment(devices, stray)


def test_run_that_several_tables_need_is_run_once() -> None:
    tables = [load_table(name) for name in TABLES]
    runs = runs_of(choose(tables, {}))
    assert len(set(runs)) == len(runs) == 140 + 70 + 45 - 9  # APPC/VM with one CTC is in both
    few = choose(tables[3:], {}, seconds=0.25)
    assert [run.seconds for run in runs_of(few)] == [0.25] * 3
    assert runs_of(choose([load_table("stop_short")], {})) == []


def test_comparison_has_each_published_measure(table: PublishedTable) -> None:
    row = one_row(table, "HL/12/50")
    ours = result(mb_per_s=353.0, cpu_percent_per_msg=0.02134, rdev_util_percent=1_026.0)
    found = list(compare(table, row, [recording(make_experiment(table, row), ours)]))
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
    run = make_experiment(table, row)
    crowded, faithful = result(collisions_per_s=5.1), result(mb_per_s=706.0)
    bad = {c.measure: c.within for c in compare(table, row, [recording(run, crowded)])}
    assert bad["mb_per_s"] is bad["collisions_per_s"] is False
    assert bad["rdev_util_percent"] is None  # of single rows nothing is bounded
    good = {c.measure: c.within for c in compare(table, row, [recording(run, faithful)])}
    assert good["mb_per_s"] is good["collisions_per_s"] is True


def test_comparison_of_several_seeds_is_of_their_mean(table: PublishedTable) -> None:
    row = one_row(table, "HL/12/50")
    run = make_experiment(table, row)
    seeds = [recording(run, result(mb_per_s=rate)) for rate in (700.0, 706.0, 712.0)]
    rate, *_ = compare(table, row, seeds)
    assert (rate.emulated, rate.error, rate.within) == (706.0, 0.0, True)


def test_replies_are_counted_where_the_run_was_measured() -> None:
    ours = result(messages_per_s_in=99.0, cpu_percent_per_msg=0.5)
    theirs = result(messages_per_s_out=101.0, cpu_percent_per_msg=0.25)
    at_server = compared(load_table("appc_regression"), "z/VM 6.2/1000000/100", ours, theirs)
    assert at_server == {"msgs_per_s": 101.0, "cpu_percent_per_msg": 0.25}
    at_client = compared(load_table("appc_scaling"), "1000000/1/100", ours, theirs)
    assert (at_client["msgs_per_s"], at_client["cpu_percent_per_msg"]) == (99.0, 0.5)


def test_device_is_found_by_its_number_and_dots_are_passed_over() -> None:
    table = load_table("device_reports")
    busy = DeviceResult("6000", 61.0, 0.5, 2.0, 13.0, 15.5, 95.0)
    ours = result(busy, DeviceResult("6001", *(0.0,) * 6))
    found = compared(table, "H001709C/6000", ours)
    assert (found["io_per_s"], found["busy_percent"], found["serv_ms"]) == (61.0, 95.0, 15.5)
    assert compared(table, "H001709C/6001", ours)["serv_ms"] == 0.0  # IBM has 15.8 ms there
    # it was not of the link; the report has dots
    assert compared(table, "H001709C/6060", ours) == {"io_per_s": 0.0, "busy_percent": 0.0}


def test_minutes_are_compared_with_parts() -> None:
    table = load_table("link_activity")
    run = make_experiment(table, table.rows[0])
    seen = recording(run, result())
    parts = tuple(
        Sample(number, result(mb_per_s_out=100.0 * number, packages_per_s_in=7.0))
        for number in (1, 2, 3)
    )
    ours = structs.replace(seen, client=structs.replace(seen.client, parts=parts))
    rates = [
        next(c for c in compare(table, row, [ours]) if c.measure == "write_mb_per_s")
        for row in table.rows
    ]
    assert [(c.published, c.emulated) for c in rates] == [(660.0, 100), (657.3, 200), (661.0, 300)]


def test_rules_need_no_run() -> None:
    names = ("capacity_estimates", "chpid_estimates", "stop_short")
    found = compare_all(choose([load_table(name) for name in names], {}), {})
    assert {c.table for c in found} == set(names)
    assert [c for c in found if c.emulated != c.published or c.within is not True] == []
    assert len(found) == (6 + 7) + 2 * 4 + 2  # of one CTC, IBM says "less than 1"


def test_all_rows_of_a_part_are_compared_in_their_order() -> None:
    parts = choose([load_table("device_reports"), load_table("link_activity")], {})
    recordings = {run: [recording(run, result())] for run in runs_of(parts)}
    found = compare_all(parts, recordings)
    assert list(dict.fromkeys((c.table, c.key) for c in found)) == [
        (part.table.name, row.key) for part in parts for row in part.rows
    ]


def test_stop_short_holds_for_all_numbers_of_ctcs_of_a_row() -> None:
    across = PublishedRow("8/9", Role.ACCEPTANCE, {"ctcs_min": 8, "ctcs_max": 9})
    with pytest.raises(ValueError, match="too many values"):
        stop_short_row(across)
