"""Instructions that a message takes, counted by callgrind: what no load of the machine changes.

A message's are those of a longer run less those of a shorter one, by the messages that it carried
more, so that what Python and its imports take drops out. `BASE` has what they came to; a step that
saves some lowers it, and one that is to cost some says why.
"""

import re
import subprocess
import sys
from typing import Final, NamedTuple

from isfc.layout.catalogue import load_layout
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import build
from scenarios.runs.workload import find_workload


class Cell(NamedTuple):
    """A run on 16 CTCs with 100 pairs: its workload, and two lengths in seconds of virtual time."""

    workload: str
    shorter: float
    longer: float


CELLS: Final = (Cell("HS", 0.05, 0.1), Cell("HL", 0.05, 0.15))
PYTHON: Final = (3, 11)
"""The Python that `BASE` was counted with, compiled; others take more or fewer for the same."""

BASE: Final = {"HS": 3_712, "HL": 5_927}
"""Instructions a message."""

GROWTH_MAX: Final = 1.05
"""More than so many times `BASE` is more than a change of the compiler explains."""

MODULE: Final = "tools.benchmarks.instructions"
VALGRIND: Final = ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null")


def instructions_a_message(cell: Cell) -> float:
    """Count both runs, each in a process of its own. Raises `RuntimeError` if one fails."""
    (few, less), (many, more) = (
        _count(cell.workload, seconds) for seconds in (cell.shorter, cell.longer)
    )
    return (more - less) / (many - few)


def _count(workload: str, seconds: float) -> tuple[int, int]:
    """The messages of a run, and the instructions of its process."""
    command = [*VALGRIND, sys.executable, "-m", MODULE, workload, str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=110)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or found is None:
        raise RuntimeError(done.stderr)
    return int(done.stdout), int(found[1])


def carried(workload: str, seconds: float) -> int:
    """Run for so long; the messages that were carried, both ways."""
    layout = load_layout("published-16")
    experiment = Experiment.of(layout, find_workload(workload), 100, seconds=seconds, warmup=0)
    engine, systems = build(experiment)
    engine.run(experiment.end_ns)
    end = systems[0].ends[0].snapshot(engine.now_ns)
    return end.write_message_count + end.read_message_count


if __name__ == "__main__":
    if sys.argv[1:]:
        print(carried(sys.argv[1], float(sys.argv[2])))
    else:
        for each in CELLS:
            print(f"{each.workload}: {instructions_a_message(each):,.0f} instructions a message")
