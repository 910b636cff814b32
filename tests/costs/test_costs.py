"""A run says what took longest, and fails if it does a tenth more than is written down."""

import json
import os
import re
import sys
import tomllib
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from isfc.testing import Pair, Setup
from isfc.testing.pair import MS
from tests.costs.cost import COUNTED
from tests.costs.counted_work import ALIKE, MORE_WORK, WRITTEN, compared, format_counts
from tests.lengthy import few_in_every_run
from tests.waiting import ran

PROJECT = Path(__file__).parents[2]

SUITE = """\
import subprocess
import sys

import pytest

from isfc.testing import Pair, Setup


@pytest.mark.parametrize("number", range(100))
def test_starts(number):
    if number < 3:
        subprocess.run([sys.executable, "-S", "-c", ""], check=True)


def test_runs():
    Pair(Setup()).run(2_000_000_000)
"""


def run(folder: Path, *options: str) -> tuple[int, str]:
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = at_length\n")
    (folder / "test_suite.py").write_text(SUITE)
    plugins = "-p tests.costs.plugin -p tests.workers.plugin".split()
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(PROJECT)}
    done = ran(
        [sys.executable, "-m", "pytest", *plugins, *options],
        cwd=folder,
        env=os.environ | alone | {"HYPOTHESIS_PROFILE": ALIKE},
    )
    return done.returncode, done.stdout + done.stderr


def write(folder: Path, processes: int) -> None:
    """Let that be written down for the suite's run ``whole``, and enough of the rest."""
    written = folder / "written.toml"
    written.write_text(f"[whole]\n'.' = [{processes}, 2.0, 16]\n")
    (folder / "conftest.py").write_text(
        "from pathlib import Path\nfrom tests.costs import counted_work\n"
        f"counted_work.WRITTEN = Path({str(written)!r})\n"
    )


@pytest.mark.parametrize("workers", few_in_every_run([2, 0]))
def test_a_run_says_what_took_longest_by_directory_and_by_kind(
    tmp_path: Path, workers: int
) -> None:
    code, said = run(tmp_path, f"--workers={workers}")
    assert code == 0, said
    rows = {
        name: (int(tests), int(processes), float(virtual_s))
        for tests, processes, virtual_s, name in re.findall(
            r"^ +[\d.]+ +(\d+) +(\d+) +([\d.]+) +\d+  (.+)$", said, re.MULTILINE
        )
    }
    assert rows == {".": (101, 3, 2.0), "starts processes": (3, 3, 0.0), "other": (98, 0, 2.0)}


@pytest.mark.parametrize(
    ("written", "option", "status"),
    few_in_every_run(
        [(2, "", MORE_WORK), (3, "", 0), (2, "-kstarts", 0), (2, "--last-failed", 0)], 2
    ),
)
def test_a_whole_run_that_does_more_than_is_written_down_fails_and_a_part_is_not_compared(
    tmp_path: Path, written: int, option: str, status: int
) -> None:
    write(tmp_path, processes=written)
    code, said = run(tmp_path, "--counted-work=whole", *option.split())
    assert code == status, said
    more = "3 processes started, and 2 are written down; most of it in\n    .: 1 more"
    assert (more in said) is bool(status)
    assert ("written down" in said) is bool(status)
    if status:
        kept = tmp_path / ".pytest_cache" / "v" / "counted-work" / "whole"
        assert json.loads(kept.read_text())["."][0] == 3


def test_a_tenth_more_may_be() -> None:
    written = {"tests/a": [60.0, 5.0, 100.0], "tests/b": [40.0, 5.0, 0.0]}
    assert compared(written, {"tests/a": [110.0, 11.0, 110.0]}, ALIKE) == ([], False)
    said, more = compared(
        written, {"tests/a": [71.0, 5.0, 100.0], "tests/b": written["tests/b"]}, ""
    )
    assert more
    assert said[:2] == [
        "111 processes started, and 100 are written down; most of it in",
        "    tests/a: 11 more",
    ]


def test_virtual_time_is_compared_where_the_same_examples_are_drawn() -> None:
    written, found = {"tests/a": [1.0, 5.0, 100.0]}, {"tests/a": [1.0, 50.0, 1000.0]}
    assert compared(written, found, ALIKE)[1]
    assert not compared(written, found, "dev")[1]


def test_what_is_saved_is_to_be_written_down_too() -> None:
    said, more = compared({"tests/a": [10.0, 0.0, 0.0]}, {"tests/a": [5.0, 0.0, 0.0]}, ALIKE)
    assert not more
    assert "5 processes started" in said[0]
    assert "make count-work" in said[1]


def test_what_is_written_down_is_read_again() -> None:
    runs = tomllib.loads(WRITTEN.read_text())
    assert tomllib.loads(format_counts(runs)) == runs
    assert {*runs} == {"source-tests", "compiled-tests"}


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_of_multiprocessing_are_counted(method: str) -> None:
    before = COUNTED["processes"]
    context: Any = get_context(method)
    process = context.Process(target=os.getpid)
    process.start()
    process.join(60)
    assert 1 <= COUNTED["processes"] - before <= 3  # with those that watch over resources


def test_virtual_time_and_events_are_counted_whoever_runs_the_engine() -> None:
    before = COUNTED.copy()
    pair = Pair(Setup())
    pair.send(pair.first, 1000)
    pair.run(7 * MS)
    assert COUNTED["virtual_ns"] - before["virtual_ns"] == pair.engine.now_ns
    assert COUNTED["events"] - before["events"] == pair.engine.event_count
