"""The page of ``isfc run``, as a performance engineer reads it."""

import pytest

from isfc.cli.output.streams import show
from isfc.cli.results.page import run_page
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


def page_of(experiment: Experiment, capsys: pytest.CaptureFixture[str]) -> list[str]:
    show(run_page(experiment, [RESULT]))
    return capsys.readouterr().out.splitlines()


def test_page_has_the_figures_in_the_words_of_z_vm(capsys: pytest.CaptureFixture[str]) -> None:
    page = page_of(EXPERIMENT, capsys)
    assert page[14].startswith("Range: MB/s together ")
    assert [*page[:14], *page[page.index("", 14) + 1 :]] == [
        "Logical link CLIENT - SERVER, seen from CLIENT; clients on CLIENT",
        "HL: messages of 98,304 (20 %) or 122,880 bytes, replies of 8,192, window 2",
        "50 pairs, 10 s of virtual time after 1 s of warm-up, seed 1",
        "",
        "                       sent   received   together",
        "MB/s                  660.0       46.3      706.3",
        "messages/s           5849.4     5847.2    11696.6",
        "packages/s            834.2      236.7",
        "messages/package       7.01      24.70",
        "bytes/package        829631     205140",
        "",
        "RDEV util %   collisions/s   %CPU/msg   TXPENDCT",
        "     1026.0            0.0    0.01067          6",
        "",
        "Addr  Type    I/O/s   Pend   Disc   Conn   Serv  Busy %",
        "6000  FCTC     61.8   0.50   1.90  13.40  15.80    97.6",
        "6001  FCTC      0.0    ...    ...    ...    ...     0.0",
        "               61.8                              1026.0",
        "",
        "No range: too little is published of packages, collisions and TXPENDCT, of a",
        "device's I/O/s, Pend and Busy %, and of how busy channels and locks are.",
    ]


def test_heading_tells_where_the_clients_are(capsys: pytest.CaptureFixture[str]) -> None:
    page = page_of(
        Experiment.of(EXPERIMENT.layout, EXPERIMENT.workload, 1, seed=7, client=NodeName("SERVER")),
        capsys,
    )
    assert page[0] == "Logical link CLIENT - SERVER, seen from CLIENT; clients on SERVER"
    assert page[2] == "1 pair, 10 s of virtual time after 1 s of warm-up, seed 7"


def test_messages_of_one_length_have_no_shares(capsys: pytest.CaptureFixture[str]) -> None:
    own = Workload("own", 100, 100, 20, 1_000_000, 9)
    page = page_of(EXPERIMENT.with_load(workload=own), capsys)
    assert page[1] == "own: messages of 100 bytes, replies of 1,000,000, acknowledged, window 9"
