"""The tables of relocations: as published, all within their bounds, each row with its role."""

import hashlib
from pathlib import Path

import pytest

from scenarios.published.catalogue import load_table
from scenarios.published.relocation_rows import RELOCATION_ROWS
from scenarios.published.replay import choose, compare
from scenarios.published.table import Role
from scenarios.published.verdict import judge

FOLDER = Path(__file__).parents[3] / "scenarios" / "published" / "relocation_tables"

DIGESTS = {
    "relocation": "20f0afc6613154f2",
    "relocation_rules": "8228a7bd3fcb2c82",
}
"""SHA-256 of the tables as they were taken from the documents, the first 16 digits."""


def test_figures_are_those_of_the_documents() -> None:
    found = {
        path.stem: hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        for path in FOLDER.glob("*.csv")
    }
    assert found == DIGESTS
    assert DIGESTS.keys() == RELOCATION_ROWS.keys()


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.parametrize("name", RELOCATION_ROWS)
def test_every_row_keeps_its_bound_or_has_a_reason_why_not(name: str) -> None:
    table = load_table(name)
    (verdict,) = judge(choose([table], {}), {})
    assert [(c.key, c.emulated) for c in verdict.comparisons if c.within is not True] == []
    left = [row.key for row in table.rows if not list(compare(table, row, ()))]
    assert sorted(left) == sorted(key for entry in table.not_modelled for key in entry.rows)


@pytest.mark.at_length
@pytest.mark.slow
def test_goals_that_are_missed_are_those_that_are_told() -> None:
    verdicts = judge(choose([load_table(name) for name in RELOCATION_ROWS], {}), {})
    missed = [
        (verdict.table.name, check.of.group)
        for verdict in verdicts
        for check in verdict.checks
        if not check.meets_goal
    ]
    assert missed == [("relocation", "rates")]


def test_nothing_is_tuned_to_a_prediction() -> None:
    fitted = {row.key for row in load_table("relocation").rows if row.role is Role.CALIBRATION}
    assert fitted == {f"lgr-{number}" for number in range(11, 16)}
