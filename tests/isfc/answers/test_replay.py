"""``isfc replay``: what it runs, what it says of tolerances, and how it ends."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from math import isfinite
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec import structs

from isfc.answers.replay import complete_table, replay
from isfc.answers.replay_report import (
    FAILURES_SHOWN,
    Replayed,
    ReplayedFigure,
    replay_failure,
    replay_report,
)
from isfc.cli.main import run
from isfc.reports.measures import MEASURES
from isfc.reports.text import encoded
from scenarios.published.catalogue import ALL_TABLES, load_table
from scenarios.published.replay import SECONDS, ComparedFigure, Part
from scenarios.published.table import Bound, PublishedRow, PublishedTable, Role, Selection
from scenarios.published.verdict import TableVerdict, left_out
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import EndSamples, Result, Sample
from scenarios.runs.run import Recording
from tests.isfc.cli.conftest import Refusal
from tests.isfc.printed import Printed, Recorded
from tests.isfc_process import isfc
from tests.lengthy import few_in_every_run

ONE_RUN = ["--suite", "HL", "--rdevs", "12", "--pairs", "50", "--seconds", "0.2"]
KEYS = "table key measure published emulated error role within by_seed spread_percent".split()


@pytest.fixture
def no_traffic(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is emulated, nothing moves; in this process."""
    still = Sample(1.0, Result("CLIENT", *(0.0,) * 16, devices=()))
    seen = EndSamples(still, (still,) * 3)

    def still_run(experiment: Experiment, interval: float | None = None) -> SimpleNamespace:
        assert interval is None
        return SimpleNamespace(link=lambda: Recording(experiment, seen, seen))

    monkeypatch.setattr("isfc.answers.replay.run", still_run)


def test_record_has_every_measure_of_the_runs_chosen(recorded: Recorded) -> None:
    rows = recorded("replay", "transport", *ONE_RUN)["figures"]
    assert [list(row) for row in rows] == [KEYS] * 4
    assert [row["measure"] for row in rows] == list(load_table("transport").measures)
    error = pytest.approx(rows[0]["emulated"] / 706 - 1)
    known = {"table": "transport", "key": "HL/12/50", "published": 706.0, "role": "calibration"}
    assert rows[0] == rows[0] | known | {"error": error, "within": True}
    assert rows[1]["within"] is None
    assert rows[3]["error"] is None


def test_page_shows_published_beside_ours(printed: Printed) -> None:
    page = printed("replay", *ONE_RUN).splitlines()
    assert any(re.match(r"HL/12/50 mb_per_s +706 +\d{3} +[+-]\d+ kept", line) for line in page)
    assert f"expect MB/s to be off by: {left_out()}" in " ".join(" ".join(page).split())


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.usefixtures("no_traffic")
def test_all_tables_are_replayed_unless_told_otherwise(recorded: Recorded) -> None:
    rows = recorded("replay", code=1)["figures"]
    assert list(dict.fromkeys(row["table"] for row in rows)) == list(ALL_TABLES)


@pytest.mark.usefixtures("no_traffic")
def test_options_choose_rows_and_leave_out_tables(recorded: Recorded) -> None:
    whole = recorded("replay", "transport", code=1)["figures"]
    assert len({row["key"] for row in whole}) == 140
    some = "replay --suite HY --suite HS --rdevs 1 --pairs 5".split()
    assert {row["key"] for row in recorded(*some, code=1)["figures"]} == {"HS/1/5", "HY/1/5"}
    rows = recorded(*"replay --release 6.1 --reply 5000 --pairs 1 --seconds 0.05".split())
    (of,) = {(row["table"], row["key"]) for row in rows["figures"]}
    assert of == ("appc_regression", "z/VM 6.1/5000/1")


@pytest.mark.parametrize("name", ["capacity_estimates", "chpid_estimates", "stop_short"])
def test_rules_are_replayed_without_a_run(name: str, recorded: Recorded) -> None:
    figures = recorded("replay", name)["figures"]
    assert {(row["error"], row["within"]) for row in figures} == {(0.0, True)}


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

    monkeypatch.setattr("scenarios.search.workers.staffed", staffed)
    run(["replay", "device_reports", "--seconds", "0.01", "--seeds", "2", "--json"])
    assert [(run.workload.name, run.pairs, run.seed) for run in made] == [
        *(("HL", 50, 1), ("HL", 50, 2)),
        *(("CDU:1000000", 100, 1), ("CDU:1000000", 100, 2)),
        *(("HL", 100, 1), ("HL", 100, 2)),
    ]
    found = json.loads(capsys.readouterr().out)
    assert found["seeds"] == 2
    assert {len(row["by_seed"]) for row in found["figures"]} == {2}


@pytest.mark.full_length
@pytest.mark.slow
@pytest.mark.at_length
def test_output_does_not_depend_on_the_number_of_jobs(capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    for jobs in ("1", "3"):
        run([*"replay --suite HL --rdevs 4 --seconds 0.01 --json --jobs".split(), jobs])
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    keys = [row["key"] for row in json.loads(outputs[0])["figures"][::4]]
    assert keys == [f"HL/4/{pairs}" for pairs in (1, 5, 10, 50, 100)]


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
    assert re.search(r"HL/12/1 mb_per_s +194 +0 +-100 left!", out) or '"within": false' in out


@pytest.mark.usefixtures("no_traffic")
def test_many_failures_are_counted_and_a_left_bound_is_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["replay", "transport"]) == 1
    lines = capsys.readouterr().err.splitlines()
    bounds = [line for line in lines if re.search(r" multi-CTC: .* 100 % \(bound ", line)]
    assert lines[1 : 1 + len(bounds)] == bounds != []
    assert len(lines) == 1 + FAILURES_SHOWN + 1
    assert re.fullmatch(r"  and \d{3} more", lines[-1])


def test_measure_without_a_tolerance_is_reported_only(
    monkeypatch: pytest.MonkeyPatch, recorded: Recorded
) -> None:
    def tolerate_nothing(*_: object) -> Bound | None:
        return None

    monkeypatch.setattr("scenarios.published.table.PublishedTable.tolerance", tolerate_nothing)
    rows = recorded("replay", *ONE_RUN)["figures"]
    assert {row["within"] for row in rows} == {None}


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
    monkeypatch.setattr("isfc.answers.replay.run", os.abort)  # takes no argument: a bug
    monkeypatch.setattr("isfc.cli.output.streams.discard_output", lambda: None)
    assert run(["replay", *ONE_RUN]) == 1
    assert capsys.readouterr().err == "isfc: a worker died (exit code 1)\n"


def test_help_tells_how_long_a_run_is(printed: Printed) -> None:
    assert f"[default: {SECONDS}]" in " ".join(printed("replay", "--help").split())


def test_tables_are_completed() -> None:
    assert complete_table("appc") == ["appc_regression", "appc_scaling"]
    assert complete_table("x") == []


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


Emulate = Callable[[PublishedRow, str], float]


def verdict_of(table: PublishedTable, wanted: Selection, emulate: Emulate) -> TableVerdict:
    """What some rows come to with a model."""
    rows = table.select(wanted)
    found = (
        ComparedFigure.of(table, row, measure, emulate(row, measure))
        for row in rows
        for measure in table.measures
        if row.has_number(measure)
    )
    return TableVerdict.of(Part(table, rows), found)


Judged = Callable[..., Replayed]


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> Judged:
    """The answer of verdicts, whatever is run."""

    def replayed(*verdicts: TableVerdict) -> Replayed:
        monkeypatch.setattr("isfc.answers.replay.judge", lambda *_: [*verdicts])
        return replay("stop_short")

    return replayed


def faithful(row: PublishedRow, measure: str) -> float:
    """A model that is fast, the more so the more pairs there are, and otherwise without fault."""
    factor = 1 + row.number("pairs") / 1_200 if measure == "mb_per_s" else 1
    return factor * row.number(measure)


def answers(found: Replayed) -> dict[str, str]:
    return dict(replay_report(found).answer)


def test_one_table_says_what_holds_then_which_choices_are_right_then_what_is_missed(
    judged: Judged,
) -> None:

    def too_fast(row: PublishedRow, measure: str) -> float:
        return row.number(measure) * (1.105 if row.number("pairs") == 100 else 1.0)

    found = judged(verdict_of(load_table("transport"), {}, too_fast))
    report = replay_report(found)
    shown = [each.name for each in report.tables if not each.detail]
    assert shown == ["near", "choices", "links", "missed"]
    near = next(each for each in found.errors if each.group == "multi-CTC")
    assert (near.name, near.rows, near.half, near.unit) == ("MB/s both ways", 120, 0, "%")
    assert near.nine_of_ten == pytest.approx(10.5)
    assert near.kept is True
    assert found.choices[0].right_percent == 100
    missed = [(each.of, each.statistic) for each in found.checks if not each.meets_goal]
    assert ("multi-CTC", "p90") in missed
    assert "MB/s both ways, 120 multi-CTC rows" in answers(found)["Ours is within"]


def test_a_bound_that_is_left_is_told_in_the_answer_and_ends_with_a_failure(judged: Judged) -> None:
    found = judged(verdict_of(load_table("transport"), {}, lambda row, of: 3 * row.number(of)))
    left = [each for each in found.checks if not each.within]
    assert {each.of for each in left} > {"multi-CTC"}
    bounds = sum(each.bound is not None for each in found.checks)
    told = f"{bounds - len(left)} of {bounds} kept; 140 of 140 rows leave theirs"
    assert answers(found)["Bounds"] == told
    lines = replay_failure(found).splitlines()
    assert lines[1].startswith("  MB/s both ways, 120 multi-CTC: half 200 % (bound ")


def test_what_is_infinitely_far_off_is_null(judged: Judged) -> None:
    """JSON has no word for it, and a page says it in words."""
    found = judged(verdict_of(load_table("appc_regression"), {}, lambda *_: 0.0))
    assert all(each.half is None or isfinite(each.half) for each in found.errors)
    json.dumps(encoded(found), allow_nan=False)


def test_changes_are_checks_whose_wrong_rows_are_named(judged: Judged) -> None:
    found = judged(verdict_of(load_table("appc_regression"), {}, lambda *_: 1.0))
    (change,) = (each for each in found.checks if each.statistic == "wrong_way" and each.unit == "")
    assert (change.name, change.rows) == ("messages/s", 29)
    assert change.of == "z/VM 6.1 to z/VM 6.2, more than 10 %"
    assert len(change.worst.split(", ")) == change.reached == 29
    assert (change.within, change.meets_goal) == (False, False)


def test_several_tables_are_a_line_each_where_a_goal_is_missed(judged: Judged) -> None:
    rules = load_table("stop_short")
    wrong = verdict_of(rules, {}, lambda row, measure: 2 * row.number(measure))
    found = judged(verdict_of(load_table("transport"), {}, faithful), wrong)
    report = replay_report(found)
    first = next(each for each in report.tables if not each.detail)
    assert first.name == "off"
    (row,) = (each for each in found.tables if each.missed)
    assert (row.name, row.kept, row.met) == ("stop_short", "0 of 1!", "0 of 1")
    assert row.missed == "stops short by all"
    goals = answers(found)["Goals met"]
    assert re.match(r"(\d+) of \1 of measured runs, 0 of 1 of arithmetic rules", goals)


def test_some_rows_are_not_judged_together(judged: Judged) -> None:
    table = load_table("transport")
    found = judged(verdict_of(table, {"suite": ["HL"], "rdevs": [12]}, faithful))
    assert (found.checks, found.choices, found.best_links) == ((), (), ())
    roles = {(each.group, each.role) for each in found.errors}
    assert {role for _, role in roles} == {"calibration", "acceptance"}
    assert answers(found)["Bounds"] == "0 of 5 rows leave theirs"


def test_collisions_where_there_should_be_none_are_told_apart(judged: Judged) -> None:
    verdict = verdict_of(
        load_table("transport"),
        {"suite": ["HL"], "rdevs": [12], "pairs": [1]},
        lambda row, of: 7.25 if of == "collisions_per_s" else row.number(of),
    )
    notes = " ".join(replay_report(judged(verdict)).notes)
    assert "collisions/s where IBM has none (1 row): at most 7.25 (HL/12/1)" in notes


def test_spreads_of_seeds_are_a_table_where_there_are_several() -> None:
    figures = tuple(
        ReplayedFigure(
            *(table, key, measure, 1.0, 1.0, 0.0, Role.ACCEPTANCE, None),
            by_seed=(1.0, 1.0),
            spread_percent=spread,
        )
        for table, key, measure, spread in (
            ("transport", "HL/4/1", "mb_per_s", 0.5),
            ("transport", "HL/4/5", "mb_per_s", 2.5),
            ("transport", "HL/8/5", "mb_per_s", 1.0),
            ("transport", "HL/8/5", "collisions_per_s", None),
            ("appc_scaling", "1/1/1", "msgs_per_s", 3.0),
        )
    )
    rules = replay("stop_short")
    found = structs.replace(rules, seeds=2, figures=figures)
    (spreads,) = (each for each in replay_report(found).tables if each.name == "spreads")
    assert [[column.of(row) for column in spreads.columns] for row in spreads.rows] == [
        ["messages/s", "appc_scaling", 1, 3.0, 3.0, "1/1/1"],
        ["MB/s both ways", "transport", 3, 1.0, 2.5, "HL/4/5"],
    ]


def test_every_measure_has_its_name() -> None:
    assert {measure for name in ALL_TABLES for measure in load_table(name).measures} == set(
        MEASURES
    )
