"""The documentation site, built once for all tests of its pages."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.pages.console import PROJECT


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # a folder that all processes of the run have
        base = base.parent
    folder, built = base / "site", base / "site-is-built"
    with (base / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists():
            _build(folder)
            built.touch()
    return folder


def _build(folder: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-E"]
    ended = subprocess.run(
        [*command, PROJECT / "docs", folder], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
