"""A message takes no more instructions than it did."""

import os
import shutil
import sys

import pytest

from isfc.system.system import System
from tools.benchmarks.instructions import (
    BASE,
    CELLS,
    FASTER,
    GROWTH_MAX,
    PYTHON,
    CountedRun,
    instructions,
    instructions_a_message,
)

counted = pytest.mark.skipif(
    sys.version_info[:2] != PYTHON
    or (shutil.which("valgrind") is None and os.environ.get("CI") != "true"),
    reason="counted by valgrind, which `.ci/run` has, with another Python",
)
START_MAX = 12
"""Times an empty Python, for a plan by rule of thumb."""


@pytest.mark.at_length
@counted
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
def test_message_takes_no_more_instructions_than_it_did(cell: CountedRun) -> None:
    if hasattr(System.apply, "__code__"):
        pytest.skip("isfc is not compiled")
    assert instructions_a_message(cell) < GROWTH_MAX * BASE[cell.name]


@pytest.mark.exhaustive
@counted
@pytest.mark.slow
def test_compiled_isfc_is_so_many_times_as_fast_as_its_source() -> None:
    if not hasattr(System.apply, "__code__"):
        pytest.skip("isfc is compiled")
    assert instructions_a_message(CELLS[1]) > FASTER * BASE[CELLS[1].name]


@counted
@pytest.mark.slow
def test_a_plan_by_rule_starts_in_a_few_times_what_an_empty_python_takes() -> None:
    _, (empty,) = instructions("-c", "pass")
    page, (whole,) = instructions("-m", "isfc", "plan", "atlanta-boston", "--rule")
    assert "ATLANTA" in page
    assert whole < START_MAX * empty
