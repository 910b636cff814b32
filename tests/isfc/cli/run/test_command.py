"""``isfc run``: its options, its record, its determinism, and Ctrl-C."""

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from isfc.cli.main import run
from isfc.cli.options.experiment import WorkloadOptions, complete_workload
from isfc.cli.run.command import transcript_lines
from isfc.errors import ConfigurationError
from scenarios.published.catalogue import load_table
from scenarios.runs.operation import ConsoleEntry
from scenarios.runs.run import INTERVAL_MIN
from scenarios.runs.workload import WORKLOADS, find_workload, free_workload
from tests.isfc.printed import Recorded

SHORT = "--pairs 5 --seconds 0.05 --warmup 0.01".split()


def test_record_says_what_was_run(recorded: Recorded) -> None:
    words = ["run", "atlanta-boston", "--workload", "HL", "--seed", "7", "--from", "BOSTON"]
    found = recorded(*words, *SHORT)
    said = {key: found[key] for key in ("client", "node", "workload", "pairs", "seed")}
    assert said == {
        "client": "BOSTON", "node": "BOSTON", "workload": "HL", "pairs": 5, "seed": 7
    }  # fmt: skip
    assert (found["seconds"], found["warmup"]) == (0.05, 0.01)


def test_side_turns_the_view_round(recorded: Recorded) -> None:
    words = ["run", "published-4", "--workload", "HL", *SHORT]
    here, there = recorded(*words), recorded(*words, "--side", "SERVER")
    assert (here["node"], there["node"]) == ("CLIENT", "SERVER")
    assert here["mb_per_s_out"] > 5 * here["mb_per_s_in"]
    assert there["mb_per_s_in"] > 5 * there["mb_per_s_out"]


def test_options_of_ones_own_make_a_workload(recorded: Recorded) -> None:
    words = "run published-4 --message 1000:1000:0 --reply 10 --window 1".split()
    found = recorded(*words, *SHORT)
    assert found["workload"] == "1000:1000:0/10"
    assert found["messages_per_s"] > 0
    own = WorkloadOptions(message="1:2:3", reply=4, window=5)
    assert own.made() == free_workload("1:2:3", 4, 5)
    assert structs.replace(own, window=None).made() == free_workload("1:2:3", 4)
    assert (WorkloadOptions("CDU:1000").made(), WorkloadOptions().made()) == ("CDU:1000", None)
    with pytest.raises(ConfigurationError, match="not both"):
        WorkloadOptions(workload="HL", window=2).made()


def test_interrupt_says_how_far_it_got(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, progress: Any, operation: object) -> None:
        assert operation is None
        progress(1.25)
        raise KeyboardInterrupt

    monkeypatch.setattr("isfc.answers.running.run_links", interrupted)
    assert run(["run", "published-4", "--workload", "HL", "--pairs", "1"]) == 130
    assert capsys.readouterr() == ("", "isfc: interrupted after 1.25 of 11 s of virtual time\n")


def test_workloads_are_completed() -> None:
    offered = complete_workload("")
    assert [name.removesuffix(":") for name in offered] == list(WORKLOADS)
    assert complete_workload("H") == [name for name in offered if name.startswith("H")]
    assert "CDU:" in complete_workload("C")
    for name in offered:
        whole = name + "1" * name.endswith(":")
        assert find_workload(whole).name == whole


def test_shortest_run_measures_something(recorded: Recorded) -> None:
    words = "run published-16 --workload HS --pairs 1 --warmup 0 --seconds".split()
    assert recorded(*words, INTERVAL_MIN)["messages_per_s"] >= 0


@pytest.fixture(name="script")
def make_script(tmp_path: Path) -> str:
    path = tmp_path / "commands.cp"
    path.write_text("at 20ms deact islink 6001\nat 30ms BOSTON: q islink 7001\nat 40ms foo\n")
    return str(path)


def test_commands_are_given_during_the_run_and_shown_above_it(
    script: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["run", "atlanta-boston", "--workload", "HL", *SHORT]
    assert run([*options, "--cp", script]) == 1  # one of them is refused
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["    0.020000 ATLANTA  > deact islink 6001", "Link 6001 deactivated."]
    assert "    0.040000 ATLANTA  > foo" in lines
    title = next(number for number, line in enumerate(lines) if line.startswith("ATLANTA - B"))
    assert lines[title - 1] == ""
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("view", [[], ["--json"], ["--report", "device"]])
def test_run_whose_commands_were_all_carried_out_is_good(view: list[str], tmp_path: Path) -> None:
    path = tmp_path / "commands.cp"
    path.write_text("at 20ms deact islink 6001\nat 40ms act islink 6001\n")
    options = ["run", "atlanta-boston", "--workload", "HL", *SHORT, "--cp", str(path)]
    assert run([*options, *view]) == 0


def test_record_has_the_responses_and_what_they_did(script: str, recorded: Recorded) -> None:
    words = ["run", "atlanta-boston", "--workload", "HL", *SHORT]
    plain, found = recorded(*words), recorded(*words, "--cp", script, code=1)
    assert list(found) == [*plain, "cp"]
    assert list(found["cp"][0]) == ["at_s", "node", "command", "return_code", "lines"]
    assert [entry["return_code"] for entry in found["cp"] if entry["command"]] == [0, 0, 1]
    assert found["devices"][1]["io_per_s"] < 0.5 * plain["devices"][1]["io_per_s"]


def test_rows_alone_go_to_stdout_and_refusals_to_stderr(
    script: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["run", "atlanta-boston", "--workload", "HL", *SHORT, "--cp", script]
    assert run([*options, "--report", "link", "--interval", "0.02", "--csv"]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("run,")
    assert len(out.splitlines()) == 4
    refused, ranges, *notes = err.splitlines()
    assert refused == "isfc: at 0.04 s ATLANTA: foo: HCPCMD001E Unknown CP command: FOO"
    assert ranges.startswith("isfc: note: Range: MB/s together ")
    assert all(note.startswith("isfc: note: No range: ") for note in notes)


def test_without_a_workload_it_explains_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "published-4"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.search(
        r"^HL +98,304 or 122,880 +8,192  long messages, as of guest relocation", err, re.MULTILINE
    )
    named = [line.partition(" ")[0].partition(":")[0] for line in err.split("\n")]
    assert {*WORKLOADS} <= {*named}
    assert "50 pairs of HL" in err
    assert max(map(len, err.splitlines())) <= 80


def test_what_the_explanation_says_of_pairs_is_published() -> None:
    table = load_table("transport")
    gains = {}
    for suite in table.choices("suite"):
        fifty, hundred = (
            [row.number("mb_per_s") for row in table.select({"suite": [suite], "pairs": [pairs]})]
            for pairs in (50, 100)
        )
        gains[suite] = [b / a for a, b in zip(fifty, hundred, strict=True)]
    assert sorted(gains.pop("HL"))[-2:] == pytest.approx([1.0, 1.13], abs=0.01)  # nearly
    assert 1.7 < max(map(max, gains.values())) < 1.8  # three quarters more


def test_commands_stand_out_and_times_stand_in_a_column() -> None:
    entries = [
        ConsoleEntry(2.5, "ATLANTA", "DEACT ISLINK 6003", 0, ("Link 6003 deactivated.",)),
        ConsoleEntry(
            2.5, "ATLANTA", None, None, ("HCP2707I Link 6003 deactivated by user OPERATOR",)
        ),
        ConsoleEntry(86_400.000_001, "2NDI", None, None, ("HCP2703I one", "HCP2705I two")),
        ConsoleEntry(86_400.5, "2NDI", "", 0, ()),
    ]
    assert list(transcript_lines(entries)) == [
        "    2.500000 ATLANTA  > DEACT ISLINK 6003",
        "Link 6003 deactivated.",
        "    2.500000 ATLANTA    HCP2707I Link 6003 deactivated by user OPERATOR",
        "86400.000001 2NDI       HCP2703I one",
        "86400.000001 2NDI       HCP2705I two",
        "86400.500000 2NDI     > ",
    ]
