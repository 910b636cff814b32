"""The same run is the same run: in any process, whatever the hash seed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from isfc.layout.catalogue import load_layout
from isfc.link.events import DigestSink
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import Result
from scenarios.runs.run import run
from scenarios.runs.workload import find_workload
from tests.lengthy import few_in_every_run

PROJECT = Path(__file__).parents[2]
CASES = [
    ("published-1", "HY", 5),
    ("published-4", "HS", 20),
    ("atlanta-boston", "HL", 10),
    ("published-16", "CDU:1000000", 3),
]
PROGRAM = """
from tests.properties.test_determinism import fingerprint
print(fingerprint({layout!r}, {workload!r}, {pairs}, {seed}))
"""


def traced(layout: str, workload: str, pairs: int, seed: int) -> tuple[str, Result]:
    """The digest of everything both nodes did, and what was measured."""
    sink = DigestSink()
    experiment = Experiment.of(
        load_layout(layout), find_workload(workload), pairs, seconds=0.1, warmup=0.02, seed=seed
    )
    result = run(experiment, trace=sink).result
    return sink.hexdigest(), result


def fingerprint(layout: str, workload: str, pairs: int, seed: int) -> str:
    """One line for the whole run."""
    digest, result = traced(layout, workload, pairs, seed)
    return f"{digest} {result!r}"


def in_another_process(hash_seed: str, program: str) -> str:
    """What ``program`` prints in a process of its own."""
    environment = os.environ | {"PYTHONHASHSEED": hash_seed}
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command,
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    ).stdout.strip()


@pytest.mark.parametrize(("layout", "workload", "pairs"), few_in_every_run(CASES))
def test_p7_a_seed_gives_one_trace_in_any_process(layout: str, workload: str, pairs: int) -> None:
    program = PROGRAM.format(layout=layout, workload=workload, pairs=pairs, seed=7)
    here = fingerprint(layout, workload, pairs, 7)
    assert [in_another_process(seed, program) for seed in ("0", "1", "random")] == [here] * 3


@pytest.mark.parametrize(("layout", "workload", "pairs"), CASES)
def test_p7_same_seed_gives_the_same_trace_again(layout: str, workload: str, pairs: int) -> None:
    assert fingerprint(layout, workload, pairs, 7) == fingerprint(layout, workload, pairs, 7)


def test_another_seed_gives_another_trace() -> None:
    digests = {traced("published-4", "HS", 5, seed)[0] for seed in range(5)}
    assert len(digests) == 5


@pytest.mark.at_length
@pytest.mark.slow
def test_tracing_changes_nothing() -> None:
    experiment = Experiment.of(load_layout("published-4"), find_workload("HM"), 5, seconds=0.1)
    assert run(experiment) == run(experiment, trace=DigestSink())
