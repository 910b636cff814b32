"""Runs that a profile is made of: setup.py has a first build do them, and compiles again with it.

Two suites with many pairs and with few, and messages one at a time: two seconds of a compiled isfc.
"""

from typing import Final

from isfc.layout.catalogue import load_layout
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import run
from scenarios.runs.workload import find_workload

RUNS: Final = (("HS", 100), ("HL", 100), ("HS", 5), ("HL", 5), ("HS", 1), ("CDU:1000", 1))
"""Workload and pairs, each on 16 CTCs."""

SECONDS: Final = 5.0
"""Of virtual time."""


def train() -> None:
    """Do them all."""
    layout = load_layout("published-16")
    for name, pairs in RUNS:
        run(Experiment.of(layout, find_workload(name), pairs, SECONDS, 0.0))


if __name__ == "__main__":
    train()
