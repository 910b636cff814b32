"""``--report``, ``--csv`` and ``--seeds``: what goes together, and what is printed."""

import csv
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from isfc.answers.views import INTERVAL, RunView, View, check_view, sample_seconds
from isfc.cli.main import run
from isfc.cli.run.command import RunPrinted
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.reports.report import report_of
from scenarios.runs.experiment import Experiment
from scenarios.runs.report import measured
from scenarios.runs.result import MEASURES, DeviceResult, EndSamples, Result, Sample
from scenarios.runs.run import Recording
from scenarios.runs.workload import find_workload
from tests.isfc.printed import Printed, is_narrow

SHORT = "--pairs 5 --seconds 0.05 --warmup 0.01".split()
ONE_CELL = "--suite HL --rdevs 4 --pairs 5 --seconds 0.02".split()
HL = Experiment.of(load_layout("published-4"), find_workload("HL"), 5)
IDLE = DeviceResult("6000", *(0.0,) * 6)
STILL = Result("CLIENT", **dict.fromkeys(MEASURES, 0.5), devices=(IDLE,))


def output_of(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    assert run(command) == 0
    out, err = capsys.readouterr()
    assert all(line.startswith("isfc: note: ") for line in err.splitlines())
    return out


def table_of(capsys: pytest.CaptureFixture[str], *command: str) -> list[dict[str, str]]:
    return list(csv.DictReader(output_of(capsys, *command, "--csv").splitlines()))


def document_of(capsys: pytest.CaptureFixture[str], *command: str) -> Any:
    return json.loads(output_of(capsys, *command, "--json"))


@pytest.mark.parametrize("view", ["device", "suite"])
def test_views_of_a_run_fit_eighty_columns(view: str, printed: Printed) -> None:
    assert is_narrow(printed("run", "published-16", "--workload", "HL", *SHORT, "--report", view))


@pytest.mark.at_length
def test_appc_counts_the_replies(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["run", "published-4", "--workload", "CDU:1000", *SHORT]
    (row,) = table_of(capsys, *command, "--report", "appc")
    (seen_there,) = table_of(capsys, *command, "--report", "appc", "--side", "SERVER")
    assert list(row)[:4] == ["reply_bytes", "rdevs", "pairs", "run"]
    assert (row["reply_bytes"], row["run"]) == ("1000", "CDU:1000/4/5")
    result = document_of(capsys, *command)
    assert float(row["msgs_per_s"]) == result["messages_per_s_in"] > 0
    assert float(seen_there["msgs_per_s"]) == pytest.approx(float(row["msgs_per_s"]), rel=0.1)


def test_csv_and_json_have_the_same_records(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["run", "published-4", "--workload", "HL", *SHORT, "--report", "device"]
    rows = table_of(capsys, *command)
    records = document_of(capsys, *command)
    assert [row["rdev"] for row in rows] == ["6000", "6001", "6002", "6003"]
    assert rows == [
        {key: "" if value is None else str(value) for key, value in record.items()}
        for record in records
    ]


def test_what_is_idle_has_no_times(capsys: pytest.CaptureFixture[str]) -> None:
    still = RunView.of(View.DEVICE, "", [measured("H", HL, STILL)])
    RunPrinted(format="csv").show(still, report_of)
    assert capsys.readouterr().out.splitlines()[1] == "H,client,6000,0.0,,,,,,0.0"


def test_link_has_a_row_for_each_interval(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["run", "published-4", "--workload", "HL", *SHORT, "--report", "link"]
    rows = table_of(capsys, *command, "--interval", "0.02")
    assert [float(row["timestamp"]) for row in rows] == pytest.approx([0.03, 0.05, 0.06])
    assert len(table_of(capsys, *command)) == 1
    here = table_of(capsys, *command, "--side", "SERVER")
    assert (rows[0]["link"], here[0]["link"]) == ("SERVER", "CLIENT")
    assert sample_seconds(View.LINK, None, None) == INTERVAL == 1


@pytest.mark.parametrize("more", [[], ["--notes"], ["--markdown"], ["--html", "view.html"]])
def test_a_view_has_its_rows_in_every_form(
    more: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: Printed
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["run", "published-4", "--workload", "HL", *SHORT, "--report", "device"]
    page = printed(*words, *more)
    found = Path("view.html").read_text("utf-8") if "--html" in more else page
    assert all(rdev in found for rdev in ("6000", "6001", "6002", "6003"))


@pytest.mark.at_length
@pytest.mark.slow
def test_views_of_a_replay_have_the_names_of_the_runs(capsys: pytest.CaptureFixture[str]) -> None:
    both = ["replay", *ONE_CELL, "--suite", "HS", "--report"]
    assert [row["run"] for row in table_of(capsys, *both, "suite")] == ["H001637C", "H001647C"]
    links = table_of(capsys, *both, "link", "--interval", "0.01")
    assert [row["run"] for row in links] == ["H001637C"] * 2 + ["H001647C"] * 2
    devices = table_of(capsys, *both, "device")
    assert [row["rdev"] for row in devices] == ["6000", "6001", "6002", "6003"] * 2


@pytest.mark.at_length
def test_views_of_a_replay_are_taken_where_the_run_was_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    one = ["replay", "--reply", "50000", "--release", "6.2", "--pairs", "5", "--seconds", "0.05"]
    (row,) = table_of(capsys, *one, "--report", "appc")
    assert (row["run"], row["rdevs"]) == ("W000945S", "1")
    devices = table_of(capsys, *one, "--report", "device")
    assert [(row["run"], row["side"]) for row in devices] == [("W000945S", "server")]
    link = table_of(capsys, *one, "--report", "link", "--interval", "0.03")
    assert [row["link"] for row in link] == ["CLIENT", "CLIENT"]


@pytest.mark.at_length
@pytest.mark.slow
def test_view_of_one_kind_takes_the_tables_of_that_kind(
    capsys: pytest.CaptureFixture[str],
) -> None:
    few = ["replay", "--rdevs", "4", "--pairs", "1", "--seconds", "0.02", "--report"]
    rows = table_of(capsys, *few, "suite")
    assert [row["suite"] for row in rows] == ["HS", "HM", "HL", "HY"]
    rows = table_of(capsys, *few, "appc")
    assert [row["reply_bytes"] for row in rows] == ["1", "100000", "1000000"]


def test_page_of_a_replay_says_how_long_it_ran(printed: Printed) -> None:
    page = printed("replay", *ONE_CELL, "--report", "suite")
    assert page.replace("\n", " ").startswith(
        "ISFC Transport (LGC/LGS) over FICON CTCs, "
        "emulated: 0.02 s of virtual time after 0.5 s of warm-up  ISFC Transport "
    )
    assert re.search(r"^HL     98304 122880  20   8192     4     5 H001647C ", page, re.MULTILINE)


def test_view_of_a_replay_is_not_judged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    still = Sample(1.0, STILL)
    seen = EndSamples(still, (still,))

    def still_run(experiment: Experiment, interval: float | None) -> SimpleNamespace:
        assert interval is None
        return SimpleNamespace(link=lambda: Recording(experiment, seen, seen))

    monkeypatch.setattr("isfc.answers.replay.run", still_run)
    assert run(["replay", *ONE_CELL, "--json"]) == 1
    assert capsys.readouterr().err
    (seen,) = document_of(capsys, "replay", *ONE_CELL, "--report", "suite")["report"]["runs"]
    assert seen["rows"][0]["mb_per_s"] == 0.5


def test_seeds_of_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["run", "published-4", "--workload", "HL", *SHORT]
    alone = [document_of(capsys, *command, "--seed", seed) for seed in "34"]
    both = document_of(capsys, *command, "--seed", "3", "--seeds", "2")
    assert list(both) == [*alone[0], "seeds", "spread_percent"]
    assert (both["seed"], both["seeds"]) == (3, 2)
    assert both["mb_per_s"] == sum(one["mb_per_s"] for one in alone) / 2
    spread = abs(alone[0]["mb_per_s"] - alone[1]["mb_per_s"]) / both["mb_per_s"] * 100
    assert both["spread_percent"]["mb_per_s"] == pytest.approx(spread)
    assert list(both["spread_percent"]) == list(MEASURES)
    (row,) = table_of(capsys, *command, "--seed", "3", "--seeds", "2", "--report", "suite")
    assert float(row["mb_per_s"]) == both["mb_per_s"]


@pytest.mark.at_length
@pytest.mark.slow
def test_seeds_of_a_replay(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["replay", "--suite", "HL", "--rdevs", "12", "--pairs", "100", "--seconds", "0.1"]
    (one, *_) = document_of(capsys, *command)["figures"]
    found = document_of(capsys, *command, "--seeds", "2")
    (two, *rest) = found["figures"]
    assert (one["spread_percent"], found["seeds"]) == (None, 2)
    assert two["by_seed"][0] == one["emulated"]
    assert abs(two["emulated"] - one["emulated"]) * 200 / two["emulated"] == pytest.approx(
        two["spread_percent"]
    )
    assert two["error"] == pytest.approx(two["emulated"] / two["published"] - 1)
    assert rest[-1]["spread_percent"] is None
    assert run([*command, "--seeds", "2"]) == 0
    assert re.search(r"^MB/s both ways +transport +1 +\d", capsys.readouterr().out, re.MULTILINE)


def test_devices_and_link_take_any_traffic() -> None:
    for view in (View.DEVICE, View.LINK, View.SUITE):
        check_view(view, [HL])
    with pytest.raises(ConfigurationError):
        check_view(View.APPC, [HL])
