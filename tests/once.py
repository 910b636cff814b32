"""What takes long to make, made once for all test processes of a run."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def made_once(
    tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]
) -> Path:
    """A file or folder that all processes share; ``make`` writes it to the path it is given.

    Whoever comes first makes it, and the others wait. What fails half-way is made again.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    made = folder / name
    with alone(folder / f"{name}.lock"):
        if not made.exists():
            begun = folder / f"{os.getpid()}-{name}"
            make(begun)
            begun.rename(made)
    return made


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Let one process at a time be here."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
