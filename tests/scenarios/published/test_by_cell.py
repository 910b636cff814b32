"""What was emulated of each published figure, by several seeds."""

import math

from scenarios.published.by_cell import spreads_by_cell
from scenarios.published.replay import Comparison
from scenarios.published.table import Role


def test_spreads_of_a_replay_are_by_table_key_and_measure() -> None:
    def comparison(key: str, emulated: float) -> Comparison:
        return Comparison("t", key, "mb_per_s", 1.0, emulated, 0.0, Role.ACCEPTANCE, None)

    found = spreads_by_cell([comparison("a", 9), comparison("b", 5), comparison("a", 11)])
    assert found.keys() == {("t", "a", "mb_per_s"), ("t", "b", "mb_per_s")}
    assert math.isclose(found["t", "a", "mb_per_s"] or 0, 20)
    assert found["t", "b", "mb_per_s"] == 0
