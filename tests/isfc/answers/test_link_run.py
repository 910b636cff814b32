"""The record of a run and its report, as a performance engineer reads it."""

import re
from dataclasses import replace
from functools import partial

import pytest
from msgspec import structs

from isfc.answers.link_run import LinkRun, ceiling_notes, link_run, run_report
from isfc.layout.build import new
from isfc.layout.catalogue import load_layout
from isfc.link.name import NodeName
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import DeviceResult, Result
from scenarios.runs.workload import Workload, find_workload

EXPERIMENT = Experiment.of(load_layout("published-4"), find_workload("HL"), 50)

BUSY = DeviceResult("6000", 61.8, 0.5, 1.9, 13.4, 15.8, 97.6)
IDLE = DeviceResult("6001", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
RESULT = Result(
    node="CLIENT",
    mb_per_s=706.3,
    mb_per_s_out=660.02,
    mb_per_s_in=46.28,
    messages_per_s=11_696.6,
    messages_per_s_out=5_849.4,
    messages_per_s_in=5_847.2,
    packages_per_s_out=834.2,
    packages_per_s_in=236.7,
    messages_per_package_out=7.012,
    messages_per_package_in=24.703,
    bytes_per_package_out=829_631.1,
    bytes_per_package_in=205_140.3,
    rdev_util_percent=1_026.04,
    collisions_per_s=0.04,
    cpu_percent_per_msg=0.01067,
    tx_pend_count=6,
    devices=(BUSY, IDLE),
)


def made(experiment: Experiment = EXPERIMENT, **more: object) -> LinkRun:
    return link_run(experiment, [RESULT], **more)  # type: ignore[arg-type]


def test_the_rate_is_said_first_and_each_device_where_somebody_asks() -> None:
    report = run_report(made())
    assert "50 pairs of HL, clients on CLIENT, seen from CLIENT" in report.title
    label, said = report.answer[0]
    assert label == "Carries"
    assert re.fullmatch(r"706 MB/s \(\d+-\d+\) both ways: 660 sent, 46 received", said)
    traffic, link, devices = report.tables
    assert [table.detail for table in report.tables] == [False, False, True]
    assert [column.of(traffic.rows[0]) for column in traffic.columns[3:]] == [
        834.2,
        7.012,
        829_631.1,
    ]
    assert len(link.rows) == 1
    busy, idle = devices.rows
    serv = next(column for column in devices.columns if column.field == "serv_ms")
    assert (serv.of(busy), serv.of(idle)) == (15.8, None)  # no I/O, no times


def test_notes_say_what_ran_for_how_long_and_where_the_clients_are() -> None:
    other = Experiment.of(
        EXPERIMENT.layout, EXPERIMENT.workload, 1, seed=7, client=NodeName("SERVER")
    )
    report = run_report(made(other))
    assert report.title.startswith("CLIENT - SERVER: 1 pair of HL, clients on SERVER, ")
    assert report.notes[:2] == [
        "HL: messages of 98,304 (20 %) or 122,880 bytes, replies of 8,192, window 2.",
        "10 s of virtual time after 1 s of warm-up, seed 7.",
    ]


def test_messages_of_one_length_have_no_shares() -> None:
    own = Workload("own", 100, 100, 20, 1_000_000, 9)
    assert made(EXPERIMENT.with_loads(partial(structs.replace, workload=own))).messages == (
        "own: messages of 100 bytes, replies of 1,000,000, acknowledged, window 9"
    )


def test_what_was_measured_live_has_no_range_of_the_model() -> None:
    live = made(time="real time")
    assert (live.figures, live.notes) == ({}, [])
    assert run_report(live).answer[0][1] == "706 MB/s both ways: 660 sent, 46 received"


def test_seeds_say_how_far_they_differ() -> None:
    other = replace(RESULT, mb_per_s=720.0, collisions_per_s=0.0)
    found = link_run(EXPERIMENT, [RESULT, other], repeated=True)
    assert found.mb_per_s == pytest.approx(713.15)
    report = run_report(found)
    assert report.answer[1] == ("Seeds", "the mean of 2, which differ by 2 %")
    (spreads,) = (table for table in report.tables if table.name == "spreads")
    assert spreads.columns[3].of(spreads.rows[0]) == pytest.approx(1.921, abs=0.001)
    nothing = replace(RESULT, mb_per_s=0.0)
    silent = run_report(link_run(EXPERIMENT, [nothing, nothing], repeated=True))
    assert silent.answer[1] == ("Seeds", "nothing was carried with any of 2")


def test_a_run_says_what_of_it_is_to_be_counted_on() -> None:
    # a plan said 572 MB/s of the link, and a run 760, without a word
    link = new("A,B", "40:50", ctcs=4, feature="FICON Express16SA")
    (note,) = ceiling_notes([link], {link.nodes: 700.0, link.nodes[::-1]: 50.0})
    assert note.text.startswith("Count on 572 of these 750 MB/s both ways, which is IBM's ceiling")
    assert not [*ceiling_notes([link], {link.nodes: 500.0, link.nodes[::-1]: 50.0})]
