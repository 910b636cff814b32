"""What isfc that is compiled takes: runs to arrange it by, and a path on which it is found.

``python -m tools.release.compiled train`` makes the runs that a profile is made of: setup.py has a
first build do them, and compiles again with it. Two suites with many pairs and with few, and
messages one at a time: two seconds of a compiled isfc.

``python -m tools.release.compiled path`` lets ``.venv/bin/isfc`` run what ``make replay`` has
compiled. It writes a ``.pth`` file before that of the editable install. Python reads it whenever it
starts: the compiled modules come first while no source is newer than they are, so that changed
sources are never passed over. ``make .venv``, with which development begins, deletes the file
again.
"""

import sys
import sysconfig
from pathlib import Path
from typing import Final

from isfc.layout.catalogue import load_layout
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import run
from scenarios.runs.workload import find_workload
from tools import PROJECT

RUNS: Final = (("HS", 100), ("HL", 100), ("HS", 5), ("HL", 5), ("HS", 1), ("CDU:1000", 1))
"""Workload and pairs, each on 16 CTCs."""

SECONDS: Final = 5.0
"""Of virtual time."""


def train() -> None:
    """Do them all."""
    layout = load_layout("published-16")
    for name, pairs in RUNS:
        run(Experiment.of(layout, find_workload(name), pairs, SECONDS, 0.0))


NAME = "00-isfc-compiled.pth"
"""It sorts before ``__editable__``: Python takes the files in the order of their names."""

LINE = (
    "import os, sys; sys.path.extend([{compiled!r}] * (os.path.isfile({made!r}) and max("
    "(os.path.getmtime(os.path.join(folder, file)) for source in {sources!r} "
    "for folder, _, files in os.walk(source) for file in files if file.endswith('.py')), default=0)"
    " <= os.path.getmtime({made!r})))\n"
)


def path_line(project: Path) -> str:
    """The line that Python runs when it starts."""
    compiled = project / "build" / "compiled"
    sources = tuple(str(project / name) for name in ("ctc", "isfc", "scenarios"))
    return LINE.format(compiled=str(compiled), made=str(compiled / "made"), sources=sources)


def write_path() -> None:
    """Write the file into the environment that runs this."""
    (Path(sysconfig.get_path("purelib")) / NAME).write_text(path_line(PROJECT), "utf-8")


if __name__ == "__main__":
    {"train": train, "path": write_path}[sys.argv[1]]()
