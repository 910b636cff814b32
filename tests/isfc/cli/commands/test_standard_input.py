"""Every command that takes a LAYOUT takes it from standard input as well, as its help says."""

import subprocess
import sys
from pathlib import Path

import pytest

LAYOUT = Path(__file__).parents[4] / "isfc" / "layout" / "shipped" / "published-1.toml"


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        "plan - --rule",
        "show -",
        "run - --workload HS --pairs 1 --seconds 0.01 --warmup 0",
        "relocate - --memory 1M --change-rate 0",
        "collide - --offer-out 1 --offer-in 1 --seconds 0.01",
        "optimise - --ctcs 1 --seconds 0.01 --seeds 1 --pairs 1",
    ],
)
def test_layout_is_read_from_standard_input(arguments: str) -> None:
    with LAYOUT.open() as layout:
        done = subprocess.run(
            [sys.executable, "-m", "isfc", *arguments.split()],
            stdin=layout,
            capture_output=True,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, "")
