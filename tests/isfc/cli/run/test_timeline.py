"""``isfc run --trace`` and ``--timeline``."""

import json
from pathlib import Path

import pytest

from isfc.cli.main import run
from isfc.cli.run.timeline import read_time
from tests.isfc.cli.conftest import Refusal

RUN = "run published-1 --workload HM --pairs 2 --warmup 0.01".split()


def test_chart_has_a_line_for_each_end_of_each_ctc(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = "run published-12 --workload HL --pairs 5 --warmup 0.05 --timeline 5ms".split()
    assert run(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith("60") for line in lines) == 24
    assert any("W" in line for line in lines if line.startswith("6000"))


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_trace_leaves_the_results_as_they_are(
    form: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*RUN, "--seconds", "0.02", *form]) == 0
    without = capsys.readouterr().out
    trace = tmp_path / "link.json"
    assert run([*RUN, "--seconds", "0.02", *form, "--trace", str(trace)]) == 0
    assert capsys.readouterr().out == without
    assert json.loads(trace.read_text())["traceEvents"]


def test_same_run_gives_the_same_trace(tmp_path: Path) -> None:
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    for path in paths:
        run([*RUN, "--seconds", "0.02", "--trace", str(path)])
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize(
    ("text", "time_ns"), [("5ms", 5_000_000), ("0.5ms", 500_000), ("800us", 800_000), ("1s", 10**9)]
)
def test_times(text: str, time_ns: int) -> None:
    assert read_time("--timeline", text) == time_ns


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("--timeline 5", "expected a time"),
        ("--timeline 0ms", "expected a time"),
        ("--timeline 1e3ms", "expected a time"),
        ("--timeline 20s", "at most --seconds"),
        ("--timeline 5ms --json", "without --json"),
        ("--timeline 5ms --seeds 2", "without --report"),
        ("--trace x.txt", "ends with .json"),
        ("--trace nowhere/x.json", "there is no folder"),
        ("--trace x.json --seconds 100", "--seconds 60 or less"),
    ],
)
def test_what_cannot_be_is_said_first(options: str, complaint: str, refusal: Refusal) -> None:
    assert complaint in refusal(*RUN, *options.split())
