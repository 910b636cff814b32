"""``isfc run --trace``."""

import json
from pathlib import Path

import pytest

from isfc.cli.main import run
from tests.isfc.cli.conftest import Refusal

RUN = "run published-1 --workload HM --pairs 2 --warmup 0.01".split()


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
    ("options", "complaint"),
    [
        ("--trace x.json --seeds 2", "--trace: expected without --report"),
        ("--trace x.txt", "ends with .json"),
        ("--trace nowhere/x.json", "there is no folder"),
        ("--trace x.json --seconds 100", "--seconds 60 or less"),
    ],
)
def test_what_cannot_be_is_said_first(options: str, complaint: str, refusal: Refusal) -> None:
    assert complaint in refusal(*RUN, *options.split())
