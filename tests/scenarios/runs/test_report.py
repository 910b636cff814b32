"""The rows of the report's views: the columns that were published, and what is in them."""

from dataclasses import replace
from functools import partial
from importlib import resources

import pytest
from msgspec import structs

from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.link.message import Traffic
from isfc.link.name import NodeName
from scenarios.runs.experiment import Experiment
from scenarios.runs.report import (
    AppcRow,
    DeviceRow,
    LinkRow,
    MeasuredRun,
    Row,
    SuiteRow,
    appc_rows,
    check_traffic,
    device_rows,
    idle_device,
    link_rows,
    make_name,
    measured,
    sampled_run,
    suite_rows,
    whole_run,
)
from scenarios.runs.result import DeviceResult, EndSamples, Result, Sample
from scenarios.runs.run import Recording
from scenarios.runs.workload import find_workload, free_workload

HL = Experiment.of(load_layout("published-4"), find_workload("HL"), 50, seconds=0.05, warmup=0.01)
CDU = HL.with_loads(partial(structs.replace, workload=find_workload("CDU:1000"), pairs=5))
CLIENT, SERVER = HL.layout.nodes

BUSY = DeviceResult("6000", 61.8, 0.5, 1.9, 13.4, 15.8, 97.6)
IDLE = DeviceResult("6001", *(0.0,) * 6)
RESULT = Result(
    node=CLIENT,
    mb_per_s=706.3,
    mb_per_s_out=660.0,
    mb_per_s_in=46.3,
    messages_per_s=11_696.6,
    messages_per_s_out=5_849.4,
    messages_per_s_in=5_847.2,
    packages_per_s_out=834.2,
    packages_per_s_in=236.7,
    messages_per_package_out=7.0,
    messages_per_package_in=24.7,
    bytes_per_package_out=829_631.1,
    bytes_per_package_in=205_140.3,
    rdev_util_percent=1_026.0,
    collisions_per_s=0.1,
    cpu_percent_per_msg=0.01067,
    tx_pend_count=6,
    devices=(BUSY, IDLE),
)


@pytest.mark.parametrize(
    ("row", "table"),
    [
        (DeviceRow, "device_reports"),
        (LinkRow, "link_activity"),
        (SuiteRow, "transport"),
        (AppcRow, "appc_scaling"),
    ],
)
def test_columns_are_those_of_the_published_table(row: type[Row], table: str) -> None:
    folder = resources.files("scenarios.published")
    published = folder.joinpath("tables", f"{table}.csv").read_text("utf-8")
    assert ",".join(row.__struct_fields__) == published.splitlines()[0]


def test_devices() -> None:
    busy, idle = device_rows(measured("H1", HL, RESULT))
    assert busy == DeviceRow("H1", "client", "6000", 61.8, 0.5, 1.9, 13.4, 15.8, 15.8, 97.6)
    assert idle == DeviceRow("H1", "client", "6001", 0.0, None, None, None, None, None, 0.0)


def test_link_has_a_row_for_each_sample() -> None:
    later = replace(RESULT, mb_per_s_out=1.0)
    rows = [*link_rows(MeasuredRun("H1", HL, (Sample(2.0, RESULT), Sample(3.0, later))))]
    assert [(row.run, row.link, row.timestamp, row.write_mb_per_s) for row in rows] == [
        ("H1", SERVER, 2.0, 660.0),
        ("H1", SERVER, 3.0, 1.0),
    ]
    assert list(structs.asdict(rows[0]).values())[3:] == [
        6, 0.1, 660.0, 5_849.4, 834.2, 829_631.1, 7.0, 46.3, 5_847.2, 236.7, 205_140.3, 24.7
    ]  # fmt: skip


def test_suite() -> None:
    (row,) = suite_rows(measured("H1", HL, RESULT))
    assert row == SuiteRow(
        "HL", 98_304, 122_880, 20, 8_192, 4, 50, "H1", 706.3, 0.01067, 1_026.0, 0.1
    )


@pytest.mark.parametrize(
    ("client", "node", "side", "replies_per_s"),
    [
        (None, CLIENT, "client", 5_847.2),
        (None, SERVER, "server", 5_849.4),
        (SERVER, SERVER, "client", 5_847.2),
        (SERVER, CLIENT, "server", 5_849.4),
    ],
)
def test_appc_counts_replies_wherever_one_looks(
    client: NodeName | None, node: NodeName, side: str, replies_per_s: float
) -> None:
    experiment = Experiment.of(CDU.layout, CDU.workload, CDU.pairs, client=client)
    looked = measured("W1", experiment, replace(RESULT, node=node))
    assert looked.side == side
    assert {looked.partner, node} == {CLIENT, SERVER}
    (row,) = appc_rows(looked)
    assert row == AppcRow(1_000, 4, 5, "W1", replies_per_s, 0.01067, 1_026.0)


def test_whole_run_is_one_sample_which_ends_with_it() -> None:
    whole = measured("H1", HL, RESULT)
    assert whole.samples == (Sample(0.01 + 0.05, RESULT),)
    assert whole.result is RESULT


def test_recorded_run_is_shown_from_either_side() -> None:
    clients, servers = (
        EndSamples(Sample(3, looked), (Sample(1, looked), Sample(2, looked)))
        for looked in (RESULT, replace(RESULT, node=SERVER))
    )
    recording = Recording(HL, clients, servers)
    for side, seen in (("client", clients), ("server", servers)):
        assert whole_run("H1", recording, side).samples == (seen.whole,)
        assert sampled_run("H1", recording, side).samples == seen.parts
        assert whole_run("H1", recording, side).side == side
        assert sampled_run("H1", recording, side).name == "H1"


def test_device_that_is_not_of_the_link_stands_there_with_dots() -> None:
    row = idle_device("H1", "client", "6060")
    assert row == DeviceRow("H1", "client", "6060", 0.0, None, None, None, None, None, 0.0)


def test_name_of_ones_own_run() -> None:
    assert make_name(HL) == "HL/4/50"
    assert make_name(CDU) == "CDU:1000/4/5"
    own = HL.with_loads(partial(structs.replace, workload=free_workload("1:2:3", 4)))
    assert make_name(own) == "own/4/50"


def test_traffic_is_shown_in_its_own_table() -> None:
    check_traffic(HL, Traffic.TRANSPORT)
    check_traffic(CDU, Traffic.LEGACY)
    with pytest.raises(ConfigurationError, match="HL is ISFC Transport; expected"):
        check_traffic(HL, Traffic.LEGACY)
    with pytest.raises(ConfigurationError, match="CDU:1000 is APPC/VM; expected"):
        check_traffic(CDU, Traffic.TRANSPORT)
