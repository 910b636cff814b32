"""Instructions that a message takes, counted by cachegrind: what no load of the machine changes.

A message's are those of a longer run less those of a shorter one, by the messages that it carried
more, so that what Python and its imports take drops out. `BASE` has what they came to; a step that
saves some lowers it, and one that is to cost some says why.
"""

import os
import re
import subprocess
import sys
from typing import Final, NamedTuple

from isfc.layout.catalogue import given_collection
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import build
from scenarios.runs.workload import LinkLoad, find_workload
from tests.layouts import mesh


class CountedRun(NamedTuple):
    """A run of a workload over links with so many pairs, in two lengths of virtual time."""

    name: str
    layout: str
    workload: str
    pairs: int
    shorter_s: float
    longer_s: float


CELLS: Final = (
    CountedRun("HS", "published-16", "HS", 100, 0.05, 0.1),
    CountedRun("HL", "published-16", "HL", 100, 0.05, 0.15),
    CountedRun("mesh", mesh(8, shared=True), "HL", 20, 0.1, 0.2),
)
"""The third: links between each two of eight systems, all those of a system on one chpid."""
PYTHON: Final = (3, 11)
"""The Python that `BASE` was counted with, compiled; others take more or fewer for the same."""

BASE: Final = {"HS": 3_969, "HL": 6_535, "mesh": 25_225}
"""Instructions a message."""

FASTER: Final = 15
"""How many times as many the source takes, at least."""

GROWTH_MAX: Final = 1.05
"""More than so many times `BASE` is more than a change of the compiler explains."""

MODULE: Final = "tools.benchmarks.instructions"
VALGRIND: Final = (
    "valgrind",
    "--tool=cachegrind",
    "--cache-sim=no",
    "--cachegrind-out-file=/dev/null",
)


def instructions_a_message(cell: CountedRun) -> float:
    """Count both runs, each in a process of its own. Raises `RuntimeError` if one fails.

    Both are forked of one that has imported all they use, which takes most of the instructions.
    """
    said, counts = instructions("-m", MODULE, cell.name)
    few, many = map(int, said.split())
    less, more, _ = counts  # and of the process that they are forked of
    return (more - less) / (many - few)


def instructions(*arguments: str) -> tuple[str, list[int]]:
    """What a Python with these arguments prints, and its instructions; `RuntimeError` if it fails.

    Processes that it forks and waits for have counts of their own, with what came before, first.

    It runs once before that, so that no module is translated to bytecode while it is counted. Names
    have the same hashes in each: others would take more or fewer steps in dictionaries, which came
    to 200 instructions a message from one count to the next.
    """
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONHASHSEED"] = "0"
    for counter in ((), VALGRIND):
        command = [*counter, sys.executable, *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=110, env=environment
        )
    found = re.findall(r"refs: +([\d,]+)", done.stderr)
    if done.returncode or not found:
        raise RuntimeError(done.stderr)
    return done.stdout, [int(count.replace(",", "")) for count in found]


def carried(cell: CountedRun, seconds: float) -> int:
    """Run a cell for so long; the messages that were carried."""
    workload = find_workload(cell.workload)
    collection = given_collection(cell.layout)
    loads = tuple(LinkLoad(*link.nodes, workload, cell.pairs) for link in collection.links)
    experiment = Experiment(collection, loads, seconds=seconds, warmup=0)
    engine, systems = build(experiment)
    engine.run(experiment.end_ns)
    ends = [end.snapshot(engine.now_ns) for system in systems for end in system.ends]
    return sum(end.write_message_count for end in ends)


def _fork(cell: CountedRun) -> None:
    """Print what each of both runs carried, in a process of its own."""
    for seconds in (cell.shorter_s, cell.longer_s):
        if os.fork() == 0:
            print(carried(cell, seconds), flush=True)
            os._exit(0)
        if os.wait()[1]:
            sys.exit(1)


if __name__ == "__main__":
    for each in CELLS:
        if sys.argv[1:] == [each.name]:
            _fork(each)
        elif not sys.argv[1:]:
            print(f"{each.name}: {instructions_a_message(each):,.0f} instructions a message")
