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


@pytest.mark.at_length
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
