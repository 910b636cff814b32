"""``isfc run --faults``: the events, its JSON and what is refused."""

import json
from pathlib import Path

import pytest

from isfc.cli.main import run

RUN = ["run", "published-4", "--workload", "HL", "--pairs", "5", "--seconds", "0.2", "--warmup"]
FAULTS = """
[[fault]]
at = "100ms"
kind = "crash"
node = "SERVER"
for = "20ms"
"""


@pytest.fixture
def faults(tmp_path: Path) -> str:
    path = tmp_path / "faults.toml"
    path.write_text(FAULTS)
    return str(path)


def test_events_say_what_happened(faults: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*RUN, "0.05", "--faults", faults]) == 0
    page = capsys.readouterr().out
    lines = page.splitlines()
    assert max(map(len, lines)) <= 80
    first = next(number for number, line in enumerate(lines) if "* crash" in line)
    assert any("MB/s both ways" in line for line in lines[:first])
    assert lines[first : first + 3] == [
        "100.00 SERVER * crash at SERVER for 20 ms",
        "100.00 both   6000, 6001, 6002, 6003 are down",
        "100.00 both   the link went down",
    ]
    assert any("all conversations are over: SERVER has restarted" in line for line in lines)


def test_json_has_events_and_figures(faults: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*RUN, "0.05", "--faults", faults, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [event["text"] for event in record["events"] if event["is_fault"]] == [
        "crash at SERVER for 20 ms",
        "crash is over",
    ]
    (fault,) = record["faults"]
    assert fault["at_s"] == 0.1
    assert fault["during_mb_per_s"] == 0


def test_wrong_file_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "faults.toml"
    path.write_text('[[fault]]\nat = "now"\nkind = "crash"\nfor = "1s"')
    assert run([*RUN, "0.05", "--faults", str(path)]) == 2
    assert f"--faults {path}: [[fault]] 1: at 'now': expected" in capsys.readouterr().err


def test_faults_of_a_seed_are_told_and_the_same_each_time(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = []
    for seed in ("7", "7", "8"):
        assert run([*RUN, "0.05", "--fault-seed", seed, "--json"]) == 0
        told.append(json.loads(capsys.readouterr().out))
    assert told[0] == told[1]
    assert told[0]["faults"] != told[2]["faults"]
    assert len(told[0]["faults"]) == 5


def test_they_come_from_a_file_or_a_seed_and_go_with_no_report(
    faults: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for options, other in (
        (["--fault-seed", "1", "--faults", faults], "--faults"),
        (["--fault-seed", "1", "--report", "link"], "--report"),
        (["--faults", faults, "--report", "link"], "--report"),
    ):
        assert run([*RUN, "0.05", *options]) == 2
        assert f"{options[0]}: expected without {other}" in capsys.readouterr().err
