"""``isfc replay``: what it runs, what it says of tolerances, and how it ends."""

import json
import os
import re
import subprocess
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from isfc.cli.main import run
from isfc.cli.replay.command import FAILURES_SHOWN, complete_table
from scenarios.published.companion import ALL_TABLES, load_table
from scenarios.published.replay import SECONDS, Comparison
from scenarios.published.table import Bound
from scenarios.published.verdict import left_out
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import EndSamples, Result, Sample
from scenarios.runs.run import Recording
from tests.isfc.cli.conftest import Refusal
from tests.isfc_process import isfc
from tests.lengthy import few_in_every_run

ONE_RUN = ["--suite", "HL", "--rdevs", "12", "--pairs", "50", "--seconds", "0.2"]
KEYS = "table key measure published emulated error role within version constants".split()


@pytest.fixture
def no_traffic(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is emulated, nothing moves; in this process."""
    still = Sample(1.0, Result("CLIENT", *(0.0,) * 16, devices=()))
    seen = EndSamples(still, (still,) * 3)

    def still_run(experiment: Experiment, interval: float | None = None) -> SimpleNamespace:
        assert interval is None
        return SimpleNamespace(link=lambda: Recording(experiment, seen, seen))

    monkeypatch.setattr("isfc.search.replay.run", still_run)


def test_record_has_every_measure_of_the_runs_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", "transport", *ONE_RUN, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    rows = json.loads(out)
    assert [list(row) for row in rows] == [KEYS] * 4
    assert [row["measure"] for row in rows] == list(load_table("transport").measures)
    throughput = rows[0]
    assert (throughput["table"], throughput["key"]) == ("transport", "HL/12/50")
    assert throughput["published"] == 706.0
    assert throughput["error"] == pytest.approx(throughput["emulated"] / 706 - 1)
    assert throughput["role"] == "calibration"
    assert throughput["within"] is True
    assert rows[1]["within"] is None
    assert rows[3]["error"] is None


def test_page_shows_published_beside_ours(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", *ONE_RUN]) == 0
    page = capsys.readouterr().out.splitlines()
    assert any(re.fullmatch(r"  12  706  \d{3} +[+-]\d+", line) for line in page)
    assert " ".join(page[-2:]) == f"your own workload, MB/s both ways: {left_out()}"


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.usefixtures("no_traffic")
def test_all_tables_are_replayed_and_the_others_are_left_out_by_options(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run(["replay", "--json"])
    rows = json.loads(capsys.readouterr().out)
    assert list(dict.fromkeys(row["table"] for row in rows)) == list(ALL_TABLES)
    options = ["--release", "6.1", "--reply", "5000", "--pairs", "1", "--seconds", "0.05"]
    run(["replay", *options, "--json"])
    rows = json.loads(capsys.readouterr().out)
    assert {(row["table"], row["key"]) for row in rows} == {("appc_regression", "z/VM 6.1/5000/1")}


def test_rules_are_replayed_without_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("capacity_estimates", "chpid_estimates", "stop_short"):
        assert run(["replay", name, "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)
        assert {(row["error"], row["within"]) for row in rows} == {(0.0, True)}


@pytest.mark.slow
@pytest.mark.at_length
def test_run_of_several_tables_is_made_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made: list[Experiment] = []

    def each(work: Any, items: list[Experiment]) -> Any:
        made.extend(items)
        yield from enumerate(map(work, items))

    def staffed(work: Any, _: int, **_copies: int) -> AbstractContextManager[Any]:
        return nullcontext(partial(each, work))

    monkeypatch.setattr("isfc.search.workers.staffed", staffed)
    run(["replay", "device_reports", "--seconds", "0.01", "--seeds", "2", "--json"])
    assert [(run.workload.name, run.pairs, run.seed) for run in made] == [
        *(("HL", 50, 1), ("HL", 50, 2)),
        *(("CDU:1000000", 100, 1), ("CDU:1000000", 100, 2)),
        *(("HL", 100, 1), ("HL", 100, 2)),
    ]
    rows = json.loads(capsys.readouterr().out)
    assert {row["seeds"] for row in rows} == {2}


@pytest.mark.full_length
@pytest.mark.slow
@pytest.mark.at_length
def test_output_does_not_depend_on_the_number_of_jobs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ["replay", "--suite", "HL", "--rdevs", "4", "--seconds", "0.01", "--json"]
    outputs = []
    for jobs in ("1", "3"):
        run([*options, "--jobs", jobs])
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    assert [row["key"] for row in json.loads(outputs[0])[::4]] == [
        f"HL/4/{pairs}" for pairs in (1, 5, 10, 50, 100)
    ]


@pytest.mark.usefixtures("no_traffic")
def test_whole_table_is_replayed_unless_told_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    run(["replay", "transport", "--json"])
    rows = json.loads(capsys.readouterr().out)
    assert len({row["key"] for row in rows}) == 140
    run(["replay", "--suite", "HY", "--suite", "HS", "--rdevs", "1", "--pairs", "5", "--json"])
    rows = json.loads(capsys.readouterr().out)
    assert {row["key"] for row in rows} == {"HS/1/5", "HY/1/5"}


@pytest.mark.usefixtures("no_traffic")
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_failure_ends_with_1_and_names_the_figures(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["replay", "--suite", "HL", "--rdevs", "12", "--pairs", "1", *options]) == 1
    out, err = capsys.readouterr()
    (headline, failure) = err.splitlines()
    assert headline == "isfc: out of tolerance:"
    assert failure.startswith("  HL/12/1 MB/s both ways: 0, published 194; expected within ")
    assert ("  12  194    0 -100!" in out) or '"within": false' in out


@pytest.mark.usefixtures("no_traffic")
def test_many_failures_are_counted_and_a_left_bound_is_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["replay", "transport"]) == 1
    lines = capsys.readouterr().err.splitlines()
    bounds = [line for line in lines if "multi-CTC rows: median 100 % (bound " in line]
    assert lines[1 : 1 + len(bounds)] == bounds != []
    assert any(
        "HS/1/1 MB/s both ways: 0, published 14.45; expected within" in line for line in lines
    )
    assert len(lines) == 1 + FAILURES_SHOWN + 1
    assert re.fullmatch(r"  and \d{3} more", lines[-1])


def test_measure_without_a_tolerance_is_reported_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def tolerate_nothing(*_: object) -> Bound | None:
        return None

    monkeypatch.setattr("scenarios.published.table.PublishedTable.tolerance", tolerate_nothing)
    assert run(["replay", *ONE_RUN, "--json"]) == 0
    assert {row["within"] for row in json.loads(capsys.readouterr().out)} == {None}


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("tables", "table 'tables' is unknown; expected one of transport, appc_regression,"),
        ("transprt", "table 'transprt' is unknown; did you mean transport?"),
        ("transport --suite hx", "--suite HX: not in the table transport; expected one of HL, HM,"),
        ("--suite hx", "--suite HX: not in any table; expected one of HL, HM, HS, HY"),
        ("--rdevs 3", "--rdevs 3: not in any table; expected one of 1, 4, 8, 10, 12, 14, 16"),
        ("--release 6.3", "--release 6.3: not in any table; "),
        ("--reply 7", "--reply 7: not in any table; "),
        ("--suite HL --release 6.1", "no published run has all of that: ask for less at a time"),
        ("stop_short --report link", "--report: expected runs, and what was chosen is none"),
        ("--rdevs x", "Invalid value for '--rdevs'"),
        ("--seconds 0", "--seconds 0: expected "),
        ("--jobs 0", "--jobs 0: expected "),
    ],
)
def test_bad_input_is_refused_naming_what_there_is(
    options: str, complaint: str, refusal: Refusal
) -> None:
    assert refusal("replay", *options.split()).startswith(f"{complaint}")


@pytest.mark.full_length
def test_dead_worker_fails_the_command_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("isfc.search.replay.run", os.abort)  # takes no argument: a bug
    monkeypatch.setattr("isfc.cli.output.streams.discard_output", lambda: None)
    assert run(["replay", *ONE_RUN]) == 1
    assert capsys.readouterr().err == "isfc: a worker died (exit code 1)\n"


def test_help_tells_how_long_a_run_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", "--help"]) == 0
    assert f"{SECONDS:g} if not given." in " ".join(capsys.readouterr().out.split())


def test_tables_are_completed() -> None:
    assert complete_table("appc") == ["appc_regression", "appc_scaling"]
    assert complete_table("x") == []


def test_comparison_is_what_the_record_is_made_of() -> None:
    assert [*Comparison.__dataclass_fields__, "version", "constants"] == KEYS


def test_reader_that_goes_away_is_not_complained_about() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    ended = isfc("replay", *ONE_RUN, stdout=writer)
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (141, "")


INTERRUPTED = """
import os, pathlib, signal, sys, threading, time
from multiprocessing import active_children
from isfc.cli.main import run

def interrupt():
    pathlib.Path(sys.argv[1]).write_text(str(time.monotonic()))
    os.killpg(0, signal.SIGINT)  # as a terminal does it: to the workers too

def interrupt_in_time():
    if sys.argv[2] == "at work":
        while len(active_children()) < 2:
            time.sleep(0.01)
    else:
        time.sleep(float(sys.argv[2]))
    interrupt()

threading.Thread(target=interrupt_in_time, daemon=True).start()
raise SystemExit(run(["replay", "--seconds", "1000", "--jobs", "2"]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("after", few_in_every_run(["at work", "0.4", "0.3", "0.5", "2"], count=2))
def test_ctrl_c_ends_the_workers_soon(after: str, tmp_path: Path) -> None:
    """Within a fraction of a second where nothing else keeps the machine busy."""
    moment = tmp_path / "moment"
    ended = subprocess.run(  # which waits until the last worker has released stdout and stderr
        [sys.executable, "-c", INTERRUPTED, str(moment), after],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        start_new_session=True,
    )
    took_s = time.monotonic() - float(moment.read_text())
    assert ended.returncode == 130
    assert ended.stdout == ""
    # before its workers are at work, there is nothing to say
    said = "isfc: interrupted after 0 of 246 runs\n"
    assert ended.stderr == said if after == "at work" else ended.stderr in ("", said)
    assert took_s < 10


@pytest.mark.slow
@pytest.mark.at_length
def test_summary_names_its_worst_rows_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    chosen = ["--suite", "HY", "--rdevs", "14", "--pairs", "100", "--seconds", "0.01", "--full"]
    run(["replay", "transport", *chosen])
    out = capsys.readouterr().out
    assert "HY/14/100" in out
    assert "…" not in out
