"""The documentation site, built once for all tests of its pages."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools.pages.console import PROJECT


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-E"]
    built = subprocess.run(
        [*command, PROJECT / "docs", folder], capture_output=True, text=True, check=False
    )
    assert (built.returncode, built.stderr) == (0, "")
    return folder
