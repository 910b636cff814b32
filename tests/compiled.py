"""isfc compiled, once for all test processes: some tests ask for it, and long ones run on it."""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from isfc.link import logical_link

ROOT: Final = Path(__file__).parents[1]
_PARTS: Final = "ctc isfc scenarios setup.cfg setup.py pyproject.toml README.md LICENSE".split()

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
    folder = common_folder(tmp_path_factory)
    target = folder / "compiled"
    with alone(folder, "compiled"):
        if not target.exists():
            _compile(folder / "source", target)
    return target


def _compile(source: Path, target: Path) -> None:
    """Compile a copy, because a build leaves its files beside the source."""
    source.mkdir()
    for name in _PARTS:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, source / name)
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation",
         "--disable-pip-version-check", "--target", target, source],
        env={name: value for name, value in os.environ.items() if name != "ISFC_COMPILE"},
        cwd=source,
        check=True,
    )  # fmt: skip
