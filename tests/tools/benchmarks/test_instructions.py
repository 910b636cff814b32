"""A message takes no more instructions than it did."""

import shutil
import sys

import pytest

from isfc.system.system import System
from tools.benchmarks.instructions import BASE, CELLS, GROWTH_MAX, PYTHON, Cell, carried
from tools.benchmarks.instructions import instructions_a_message as instructions


def test_longer_run_carries_more() -> None:
    shorter, longer = (carried("HL", seconds) for seconds in (0.01, 0.02))
    assert 0 < shorter < longer


@pytest.mark.at_length
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="there is no valgrind")
@pytest.mark.skipif(sys.version_info[:2] != PYTHON, reason="counted with another Python")
@pytest.mark.parametrize(
    "cell",
    [
        pytest.param(
            cell,
            id=cell.name,
            marks=pytest.mark.slow if cell.name == "HS" else pytest.mark.exhaustive,
        )
        for cell in CELLS
    ],
)
def test_message_takes_no_more_instructions_than_it_did(cell: Cell) -> None:
    if hasattr(System.apply, "__code__"):
        pytest.skip("isfc is not compiled")
    assert instructions(cell) < GROWTH_MAX * BASE[cell.name]
