"""The tables of rules, row by row: what is computed is what was published."""

import pytest

from scenarios.published.companion import load_table
from scenarios.published.replay import capacity_row, chpid_row, stop_short_row
from scenarios.published.table import PublishedRow, Role


def test_capacity_is_that_of_the_first_node() -> None:
    assert capacity_row("published-12") == {"write_ctcs": 10, "estimated_one_way_mb_per_s": 525}
    assert capacity_row("published-1") == {"write_ctcs": 1, "estimated_one_way_mb_per_s": 20}


@pytest.mark.parametrize(
    ("feature", "expected"),
    [("FICON Express2", (2, 175)), ("FICON Express8", (8, 700))],
)
def test_chpid_is_taken_to_be_full(feature: str, expected: tuple[int, int]) -> None:
    (row,) = load_table("chpid_estimates").select({"feature": [feature]})
    assert (*chpid_row(row).values(),) == expected


def test_stop_short_holds_for_all_numbers_of_ctcs_of_a_row() -> None:
    rows = load_table("stop_short").rows
    assert [stop_short_row(row) for row in rows] == [
        {"scan_stops_short_by": 1},
        {"scan_stops_short_by": 2},
    ]
    across = PublishedRow("8/9", Role.ACCEPTANCE, {"ctcs_min": 8, "ctcs_max": 9})
    with pytest.raises(ValueError, match="too many values"):
        stop_short_row(across)
