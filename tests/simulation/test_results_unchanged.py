"""The results of every shipped layout and workload are those that are stored: to the last digit.

A step that is to change no result has to leave `STORED` as it is. One that changes the model
on purpose stores them again, with ``python -m tests.simulation.test_results_unchanged``, and says
why.
"""

import json
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest

from isfc.layout.catalogue import load_layout
from isfc.link.events import DigestSink
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import run
from scenarios.runs.workload import find_workload
from tests.shipped import ONE_LINK

STORED: Final = Path(__file__).with_name("results.json")
WORKLOADS: Final = ("HS", "HM", "HL", "HY", "CDU:1", "CDU:100000")
SECONDS: Final = 0.8
PAIRS: Final = 30


def digests(layout: str, workload: str) -> dict[str, str]:
    """Of what ``isfc run --json`` shows of both ends' run, and of everything that happened."""
    experiment = Experiment.of(
        load_layout(layout), find_workload(workload), PAIRS, seconds=SECONDS, warmup=SECONDS / 4
    )
    trace = DigestSink()
    result = json.dumps(asdict(run(experiment, trace=trace).result))
    return {
        "result": _shortened(sha256(result.encode()).hexdigest()),
        "trace": _shortened(trace.hexdigest()),
    }


def _shortened(digest: str) -> str:
    return digest[:16]


def test_every_shipped_layout_is_stored_with_every_workload() -> None:
    runs = {f"{layout} {workload}" for layout in ONE_LINK for workload in WORKLOADS}
    assert json.loads(STORED.read_bytes()).keys() == runs


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.parametrize("layout", ONE_LINK)
def test_every_workload_on_a_layout_gives_the_stored_result_and_trace(layout: str) -> None:
    stored = json.loads(STORED.read_bytes())
    for workload in WORKLOADS:
        assert digests(layout, workload) == stored[f"{layout} {workload}"], workload


def store() -> None:
    """Store the results as they are now."""
    results = {
        f"{layout} {workload}": digests(layout, workload)
        for layout in ONE_LINK
        for workload in WORKLOADS
    }
    lines = ",\n".join(f'"{run}": {json.dumps(result)}' for run, result in results.items())
    STORED.write_text(f"{{\n{lines}\n}}\n", "utf-8")


if __name__ == "__main__":
    store()
