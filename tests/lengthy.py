"""What takes long: made once for all test processes, and tried with few cases in every run."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

EXAMPLES_FEW: Final = 40
"""Of a property in every run of the tests, always the same; `make properties` draws others."""
EXAMPLES_ELSEWHERE: Final = 10
"""Of a property on another Python, which does nothing else by the value of an example."""


def made_once(
    tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]
) -> Path:
    """A file or folder that all processes share; ``make`` writes it to the path it is given.

    Whoever comes first makes it, and the others wait. What fails half-way is made again.
    """
    from tests.workers.plugin import common_folder  # a plugin, which pytest imports first

    folder = common_folder(tmp_path_factory)
    made = folder / name
    with alone(folder / f"{name}.lock"):
        if not made.exists():
            begun = folder / f"{os.getpid()}-{name}"
            make(begun)
            begun.rename(made)
    return made


def few_in_every_run(cases: Iterable[Any], count: int = 1) -> list[Any]:
    """Cases for ``parametrize``: the first so many are slow, and all others exhaustive."""
    return [
        pytest.param(*each, marks=pytest.mark.slow if index < count else pytest.mark.exhaustive)
        for index, each in enumerate(each if isinstance(each, tuple) else (each,) for each in cases)
    ]


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Let one process at a time be here."""
    import fcntl  # Windows has none, and there one process tests

    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
