"""The goals: what each of them measures, and that each finds its rows."""

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest

from scenarios.published import PublishedRow, Role, load_table
from tools.goals import (
    GOALS,
    MEASURES,
    OTHER_GOALS,
    Below,
    Criterion,
    Factor,
    Figure,
    Points,
    Share,
)

TABLES = Path(__file__).parents[1] / "scenarios" / "tables"


def figures(*pairs: tuple[float, float]) -> list[Figure]:
    row = PublishedRow("HL/8/5", Role.ACCEPTANCE, {"suite": "HL"})
    return [Figure(row, published, emulated) for published, emulated in pairs]


TEN = figures(*((100.0, 100.0 + error) for error in (1, -2, 3, -4, 5, -6, 7, -8, 9, -50)))


@pytest.mark.parametrize(
    ("criterion", "compared", "reached", "shown", "met"),
    [
        (Share(0.5, 0.06), TEN, 0.055, "5.5%", True),
        (Share(0.5, 0.05), TEN, 0.055, "5.5%", False),
        (Share(0.9, 0.09), TEN, 0.09, "9.0%", True),
        (Share(1.0, 0.49), TEN, 0.50, "50.0%", False),
        (Share(1.0, 0.2), figures((0, 3)), float("inf"), "> 999 %", False),
        (Share(1.0, 0.0), figures((0, 0)), 0.0, "0.0%", True),
        (Below(2), figures((0, 1.99), (0.2, 0)), 1.99, "2.0", True),
        (Below(2), figures((0, 2)), 2, "2.0", False),
        (Factor(2.5), figures((20, 50), (100, 60)), 2.5, "x 2.5", True),
        (Factor(2.5), figures((20, 50), (100, 20)), 5, "x 5.0", False),
        (Factor(2.5), figures((20, 0)), float("inf"), "> x 999", False),
        (Points(6), figures((98, 92), (0, 3)), 6, "6.0", True),
        (Points(6), figures((34, 41)), 7, "7.0", False),
    ],
)
def test_criterion(
    criterion: Criterion, compared: Sequence[Figure], reached: float, shown: str, met: bool
) -> None:
    found = criterion.reached(compared)
    assert found == pytest.approx(reached)
    assert criterion.shown(found) == shown
    assert criterion.met(found) is met


def test_criteria_are_worded() -> None:
    assert [str(c) for c in (Share(0.5, 0.04), Share(0.9, 0.12), Share(1.0, 0.25))] == [
        "median within 4%",
        "90% within 12%",
        "every one within 25%",
    ]


def test_goals_of_transport_take_the_rows_they_name() -> None:
    rows = load_table("transport").rows
    taken = {
        (goal.rows, goal.measure): sum(map(goal.takes, rows))
        for goal in GOALS
        if goal.table == "transport"
    }
    assert taken == {
        ("several CTCs", "mb_per_s"): 120,
        ("several CTCs", "rdev_util_percent"): 120,
        ("IBM at most 0.2/s", "collisions_per_s"): 109,
        ("IBM 20/s or more", "collisions_per_s"): 10,
        ("several CTCs", "cpu_percent_per_msg"): 120,
        ("one CTC", "mb_per_s"): 20,
        ("one CTC", "collisions_per_s"): 20,
    }


@pytest.mark.parametrize("goal", GOALS, ids=lambda goal: f"{goal.table}-{goal.measure}")
def test_goal_is_of_a_published_column(goal: object) -> None:
    found = next(g for g in GOALS if g is goal)
    with (TABLES / f"{found.table}.csv").open(newline="") as file:
        assert found.measure in next(csv.reader(file))
    assert found.measure in MEASURES


@pytest.mark.parametrize(
    ("rows", "counts"), [("z/VM 6.1", {35}), ("z/VM 6.2", {35}), ("above 20 % busy", {31})]
)
def test_other_goals_take_the_rows_they_name(rows: str, counts: set[int]) -> None:
    found = set()
    for goal in (goal for goal in GOALS if goal.rows == rows):
        with (TABLES / f"{goal.table}.csv").open(newline="") as file:
            lines = [PublishedRow("", Role.ACCEPTANCE, {**line}) for line in csv.DictReader(file)]
        found.add(sum(map(goal.takes, lines)))
    assert found == counts


def test_every_published_table_has_its_goal() -> None:
    named = {goal.table for goal in GOALS} | {goal.table for goal in OTHER_GOALS}
    assert named == {path.stem for path in TABLES.glob("*.csv")}
