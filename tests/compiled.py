"""isfc compiled, once for all test processes: some tests ask for it, and long ones run on it."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from isfc.link import logical_link
from tests.lengthy import made_once

ROOT: Final = Path(__file__).parents[1]
COMPILING_S: Final = 1_200.0
"""How long the compiler may take on a machine that is busy."""

HERE: Final = (
    None if logical_link.__file__.endswith(".py") else Path(logical_link.__file__).parents[2]
)
"""Where the isfc under test is, if it is compiled: `make test` runs slow tests so."""


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """Where a compiled isfc is, to be put before everything else; None without a C compiler."""
    if HERE is not None or shutil.which("cc") is None:
        return HERE
    made_once(tmp_path_factory, "compiled", _compile)
    return ROOT / "build" / "compiled"


def _compile(made: Path) -> None:
    command = ["make", "--silent", "build/compiled/made"]
    subprocess.run(command, cwd=ROOT, check=True, timeout=COMPILING_S)
    made.touch()
