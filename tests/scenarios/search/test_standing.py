"""The odds of a sweep's rows: of layouts at one load, else of pairs, else of workloads."""

from typing import Any

import pytest

from isfc.layout.catalogue import load_layout
from scenarios.runs.experiment import Experiment
from scenarios.runs.workload import SUITES
from scenarios.search.grid import Cell
from scenarios.search.sweep import alike_in, groups, standings, varying_axes

RUN = Experiment.of(load_layout("published-4"), SUITES["HL"], 5)
AXES = ("layout", "lose", "workload", "pairs", "seed")


def said(*rows: tuple[Any, ...]) -> list[str]:
    """What is said of rows, each the values of `AXES` and MB/s."""
    made = [dict(zip((*AXES, "mb_per_s"), row, strict=True)) for row in rows]
    cells = [Cell({axis: row[axis] for axis in AXES}, RUN) for row in made]
    varying = varying_axes(made, AXES)
    return [*map(str, standings(groups(made, varying), cells, made, varying).values())]


def test_layouts_are_compared_at_the_same_load_and_by_the_mean_over_seeds() -> None:
    slow, first, second, level = said(
        ("A", "none", "HL", 1, 1, 90.0),
        ("A", "none", "HL", 1, 2, 110.0),
        ("A", "none", "HL", 9, 1, 500.0),
        ("B", "none", "HL", 1, 1, 200.0),
        ("B", "none", "HL", 9, 1, 499.0),
    )
    assert (first, second) == ("best", "best")
    assert (slow, level) == ("97 of 100", "51 of 100")


@pytest.mark.parametrize(
    ("rows", "alike"),
    [
        ([("A", "none", "HL", 1, 1, 90.0), ("A", "none", "HL", 9, 1, 120.0)], []),
        ([("A", "none", "HL", 1, 1, 90.0), ("A", "none", "HM", 1, 1, 120.0)], []),
        ([("A", "none", "HL", 1, 1, 90.0), ("A", "40", "HL", 1, 1, 0.0)], []),
    ],
    ids=["pairs", "workloads", "a loss that cuts"],
)
def test_what_varies_alone_is_compared(rows: list[tuple[Any, ...]], alike: list[str]) -> None:
    found = said(*rows)
    assert sorted(each == "best" for each in found) == [False, True]
    assert alike_in([axis for n, axis in enumerate(AXES) if rows[0][n] != rows[1][n]]) == alike
    assert found.count("") == (rows[1][-1] == 0)


def test_one_row_has_no_odds() -> None:
    assert said(("A", "none", "HL", 1, 1, 90.0), ("A", "none", "HL", 1, 2, 91.0)) == []


@pytest.mark.parametrize("axis", ["pairs", "layout"])
def test_odds_of_a_sweep_of_one_axis_are_of_the_whole_sweep(axis: str) -> None:
    assert alike_in([axis]) == []
