"""The documentation site, built once for all tests of its pages."""

import sys
from pathlib import Path

import pytest

from tests.lengthy import made_once
from tests.waiting import ran
from tools import PROJECT


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "site", _build)


def _build(folder: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-E"]
    ended = ran([*command, PROJECT / "docs", folder], timeout=600)
    assert (ended.returncode, ended.stderr) == (0, "")
