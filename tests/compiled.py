"""isfc compiled, once for all test processes: some tests ask for it, and long ones run on it."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from isfc.link import logical_link

ROOT: Final = Path(__file__).parents[1]
COMPILING_S: Final = 1_200.0
"""How long the compiler may take on a machine that is busy."""

HERE: Final = (
    None if logical_link.__file__.endswith(".py") else Path(logical_link.__file__).parents[2]
)
"""Where the isfc under test is, if it is compiled: `make test` runs slow tests so."""


@contextmanager
def alone(folder: Path, name: str) -> Iterator[None]:
    """Let one test process at a time do what ``name`` stands for."""
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def common_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of a test run share."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """Where a compiled isfc is, to be put before everything else; None without a C compiler."""
    if HERE is not None or shutil.which("cc") is None:
        return HERE
    with alone(common_folder(tmp_path_factory), "compiled"):
        subprocess.run(
            ["make", "--silent", "build/compiled/made"], cwd=ROOT, check=True, timeout=COMPILING_S
        )
    return ROOT / "build" / "compiled"
