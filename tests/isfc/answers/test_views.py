"""The views as they stand in IBM's report: H001709C, laid out by us."""

import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from msgspec import structs
from rich.console import RenderableType

from isfc.answers.views import View, appc_page, device_page, link_page, suite_page
from isfc.cli.output.streams import show
from isfc.layout.catalogue import load_layout
from scenarios.runs.experiment import Experiment
from scenarios.runs.report import MeasuredRun, measured
from scenarios.runs.result import MEASURES, DeviceResult, Result, Sample
from scenarios.runs.workload import find_workload, free_workload
from tests.isfc.answers.test_link_run import RESULT as OF_TRANSPORT

HL = Experiment.of(load_layout("published-12"), find_workload("HL"), 50)
RESULT = replace(
    OF_TRANSPORT,
    messages_per_s_in=347.2,
    devices=(
        DeviceResult("6000", 61.8, 0.5, 1.9, 13.4, 15.8, 97.6),
        DeviceResult("6040", 171.2, 0.4, 2.0, 3.1, 5.5, 94.2),
        DeviceResult("6042", 0.7, 0.34, 99.96, 0.06, 0.0, 0.1),
        DeviceResult("6060", *(0.0,) * 6),
    ),
)


def lines_of(page: RenderableType, capsys: pytest.CaptureFixture[str]) -> list[str]:
    show(page)
    return capsys.readouterr().out.splitlines()


def test_device_is_as_performance_toolkit_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert lines_of(device_page([View.DEVICE.of(measured("H001709C", HL, RESULT))]), capsys) == [
        "FCX108 DEVICE, run H001709C at the client: HL, 50 pairs, 12 CTCs",
        "<- Device Pa- <-Rate/s-> <------- Time (msec) -------> Req. <Percent>",
        "Addr Type ths   I/O Avoid Pend Disc Conn Serv Resp CUWt Qued  Busy READ",
        "6000 CTCA   1  61.8   ...   .5  1.9 13.4 15.8 15.8  ...   .0    98  ...",
        "6040 CTCA   1   171   ...   .4  2.0  3.1  5.5  5.5  ...   .0    94  ...",
        "6042 CTCA   1    .7   ...   .3  100   .1   .0   .0  ...   .0     0  ...",
        "6060 CTCA   1    .0   ...  ...  ...  ...  ...  ...  ...   .0     0  ...",
        "",
        "Dots stand where no I/O was done, and for what has no meaning here: Avoid, CUWt,",
        "READ. Resp is Serv and nothing is Qued: what waits for a CTC waits in the link.",
    ]


def test_link_has_a_line_for_each_interval(capsys: pytest.CaptureFixture[str]) -> None:
    run = MeasuredRun("H001709C", HL, (Sample(2.0, RESULT), Sample(3.5, RESULT)))
    line = "       6   0.0 660.0  5849 834.2 829631  7.0  46.3 347.2 236.7 205140 24.7"
    assert lines_of(link_page([View.LINK.of(run)]), capsys) == [
        "Link activity, run H001709C at the client: HL, 50 pairs, 12 CTCs",
        "                    <--------- Written ---------> <----------- Read ---------->",
        " Time TXPENDCT  WCol    MB   Msg   Pkg  Bytes  Msg    MB   Msg   Pkg  Bytes  Msg",
        "    s           /sec  /sec  /sec  /sec   /Pkg /Pkg  /sec  /sec  /sec   /Pkg /Pkg",
        f"    2 {line}",
        f"  3.5 {line}",
    ]


def test_suite_has_a_line_for_each_run(capsys: pytest.CaptureFixture[str]) -> None:
    own = HL.with_loads(partial(structs.replace, workload=free_workload("1000:1000:12.5", 10)))
    runs = [measured("H001709C", HL, RESULT), measured("own/12/50", own, RESULT)]
    assert lines_of(suite_page([*map(View.SUITE.of, runs)]), capsys) == [
        "ISFC Transport",
        "      <----- Bytes ----->     Bytes                             %CPU   RDEV",
        "Suite    Min    Max   %  Reply RDEVs Pairs Run      MB/sec    /msg   util Coll/s",
        "HL     98304 122880  20   8192    12    50 H001709C  706.3 0.01067 1026.0    0.0",
        "own     1000   1000  12     10    12    50 ...       706.3 0.01067 1026.0    0.0",
    ]


def test_appc_has_the_replies(capsys: pytest.CaptureFixture[str]) -> None:
    long = HL.with_loads(partial(structs.replace, workload=find_workload("CDU:1000000")))
    run = measured("W001054C", long, RESULT)
    assert lines_of(appc_page([View.APPC.of(run)]), capsys) == [
        "APPC/VM, replies per second",
        "  Reply                                               %CPU   RDEV",
        "  bytes RDEVs Pairs Run                   Msgs/s      /msg   util",
        "1000000    12    50 W001054C              347.20    0.0107 1026.0",
    ]


def test_large_figures_lose_decimals_before_columns(capsys: pytest.CaptureFixture[str]) -> None:
    figures = dict.fromkeys(MEASURES, 98_765.43) | dict.fromkeys(
        ("messages_per_package_out", "messages_per_package_in"), 9_876.5
    )
    largest = Result("CLIENT", **figures, devices=())
    line = lines_of(link_page([View.LINK.of(measured("H1", HL, largest))]), capsys)[-1]
    assert line.split() == ["11", *["98765"] * 6, "9876", *["98765"] * 4, "9876"]
    assert len(line) == 80


def test_one_of_each_is_no_plural(capsys: pytest.CaptureFixture[str]) -> None:
    one = Experiment.of(load_layout("published-1"), find_workload("HS"), 1)
    title = lines_of(device_page([View.DEVICE.of(measured("H1", one, RESULT))]), capsys)[0]
    assert title == "FCX108 DEVICE, run H1 at the client: HS, 1 pair, 1 CTC"


def test_page_of_reports_has_a_row_for_each_view() -> None:
    page = (Path(__file__).parents[3] / "docs" / "run.md").read_text("utf-8")
    page = page.partition("## The views of IBM's report")[2]
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == [*View]
