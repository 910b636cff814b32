"""Published tables: what a row, a selection and a tolerance say."""

import math

import pytest

from scenarios.published.catalogue import load_table
from scenarios.published.table import (
    MEASURED,
    Bound,
    Deviation,
    PublishedRow,
    Role,
    TableView,
    ValueRange,
)

ROW = PublishedRow(
    "H1/6000", Role.ACCEPTANCE, {"run": "H1", "rdev": 6000, "busy_percent": 23, "serv_ms": ""}
)


@pytest.mark.parametrize(
    ("distance", "published", "emulated", "expected"),
    [
        (Deviation.RELATIVE, 100.0, 90.0, 0.1),
        (Deviation.RELATIVE, 100.0, 110.0, 0.1),
        (Deviation.RELATIVE, 0.0, 0.0, 0.0),
        (Deviation.RELATIVE, 0.0, 0.1, math.inf),
        (Deviation.POINTS, 98.0, 92.0, 6.0),
        (Deviation.POINTS, 0.0, 6.0, 6.0),
        (Deviation.FACTOR, 20.0, 50.0, 2.5),
        (Deviation.FACTOR, 50.0, 20.0, 2.5),
        (Deviation.FACTOR, 20.0, 0.0, math.inf),
        (Deviation.FACTOR, 0.0, 0.0, 1.0),
        (Deviation.EMULATED, 0.1, 1.9, 1.9),
    ],
)
def test_distance(distance: Deviation, published: float, emulated: float, expected: float) -> None:
    assert distance.of(published, emulated) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("distance", "value", "shown"),
    [
        (Deviation.RELATIVE, 0.0723, "7.23 %"),
        (Deviation.RELATIVE, 0.3, "30 %"),
        (Deviation.RELATIVE, math.inf, ">999 %"),
        (Deviation.FACTOR, 2.5, "x 2.5"),
        (Deviation.FACTOR, math.inf, "> x 999"),
        (Deviation.POINTS, 6.0, "6"),
        (Deviation.EMULATED, 26.66, "26.7"),
    ],
)
def test_distance_is_shown_in_seven_columns(distance: Deviation, value: float, shown: str) -> None:
    assert distance.show(value) == shown
    assert len(shown) <= 7


@pytest.mark.parametrize(
    ("worst", "distance", "emulated", "good"),
    [
        (0.5, Deviation.RELATIVE, 50.0, True),
        (0.5, Deviation.RELATIVE, 150.0, True),
        (0.5, Deviation.RELATIVE, 49.9, False),
        (0.5, Deviation.RELATIVE, 150.1, False),
        (0, Deviation.RELATIVE, 100.0, True),
        (0, Deviation.RELATIVE, 100.1, False),
        (5, Deviation.EMULATED, 5.0, True),
        (5, Deviation.EMULATED, 5.1, False),
        (6, Deviation.POINTS, 94.0, True),
        (6, Deviation.POINTS, 93.9, False),
        (None, Deviation.RELATIVE, 1e9, True),
        (0, Deviation.SHORTFALL, 1e9, True),
        (0, Deviation.SHORTFALL, 99.9, False),
        (0.03, Deviation.SHORTFALL, 97.0, True),
        (0, Deviation.EXCESS, 0.0, True),
        (0.03, Deviation.EXCESS, 103.1, False),
    ],
)
def test_bound_admits_in_a_row_what_its_worst_may_be(
    worst: float | None, distance: Deviation, emulated: float, good: bool
) -> None:
    bound = Bound("mb_per_s", "all", distance, median=0.01, worst=worst)
    assert bound.admits(100.0, emulated) is good


def test_limit_is_put_into_words() -> None:
    assert Deviation.RELATIVE.limit(0.3) == "within 30 %"
    assert Deviation.RELATIVE.limit(0) == "the same"
    assert Deviation.POINTS.limit(6) == "within 6 points"
    assert Deviation.FACTOR.limit(2.5) == "within a factor 2.5"
    assert Deviation.EMULATED.limit(5) == "at most 5"


def test_dots_of_the_report_are_no_figure() -> None:
    assert ROW.has_number("busy_percent")
    assert not ROW.has_number("serv_ms")
    assert ROW.number("busy_percent") == 23.0


def test_selection_takes_values_and_ranges() -> None:
    assert ROW.is_in({})
    assert ROW.is_in({"run": ["H1", "H2"], "busy_percent": ValueRange(least=20)})
    assert ROW.is_in({"busy_percent": ValueRange(least=23, most=23)})
    assert not ROW.is_in({"run": ["H1"], "busy_percent": ValueRange(most=22.9)})
    assert not ROW.is_in({"serv_ms": ValueRange()})


def test_grid_is_named_by_three_columns() -> None:
    grids = {
        name for name in ("transport", "appc_scaling", "stop_short") if load_table(name).is_grid
    }
    assert grids == {"transport", "appc_scaling"}


def test_tables_of_rules_are_those_that_need_no_run() -> None:
    rules = {TableView.CAPACITY, TableView.CHPID, TableView.STOP_SHORT}
    assert set(TableView) - MEASURED == rules | {TableView.CHANNEL, TableView.RELOCATION}
    assert load_table("transport").is_measured
    assert not load_table("stop_short").is_measured


def test_choices_are_in_the_order_of_the_table() -> None:
    table = load_table("appc_regression")
    assert table.choices("pairs") == (1, 5, 10, 50, 100)
    assert table.choices("release") == ("z/VM 6.1", "z/VM 6.2")
    assert table.choices("suite") == ()
