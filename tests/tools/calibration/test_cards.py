"""The table of today's cards is what runs come to, and it names every machine and card."""

from itertools import pairwise

import pytest

from ctc.features import CATALOGUE
from isfc.layout.machines import machines
from tools.calibration.cards import CARDS, CHPIDS, COLUMNS, carried_by

ROWS = CARDS.rows()


def test_every_machine_has_each_of_its_cards_with_one_to_eight_chpids() -> None:
    every = {
        (name, f"FICON {feature}", str(chpids))
        for name, machine in machines().items()
        for feature in machine.features.split()
        for chpids in CHPIDS
    }
    assert {(row["machine"], row["feature"], row["chpids"]) for row in ROWS} == every
    assert len(ROWS) == len(every)
    assert {row["feature"] for row in ROWS} == {feature.name for feature in CATALOGUE}
    for row in ROWS:
        assert float(row["low"]) <= float(row["mb_per_s"]) <= float(row["high"])
        assert row["limits"]


def test_a_faster_machine_carries_no_less_with_the_same_card() -> None:
    """Of the larger machines, which differ by more than runs do."""
    order = ["z10 EC", "z196", "zEC12", "z13", "z14", "z15 T01", "z16 A01", "z17 ME1"]
    by_card: dict[tuple[str, str], list[float]] = {}
    for row in sorted(ROWS, key=lambda row: (*order, row["machine"]).index(row["machine"])):
        if row["machine"] in order:
            rates = by_card.setdefault((row["feature"], row["chpids"]), [])
            rates.append(float(row["mb_per_s"]))
    for rates in by_card.values():
        assert all(after > 0.98 * before for before, after in pairwise(rates))


@pytest.mark.at_length
@pytest.mark.parametrize(
    ("machine", "feature", "chpids"),
    [
        ("z10 EC", "FICON Express4", 1),
        ("z13", "FICON Express16S", 2),
        pytest.param("z17 ME1", "FICON Express32-4P", 8, marks=pytest.mark.exhaustive),
    ],
)
def test_rows_are_what_runs_come_to(machine: str, feature: str, chpids: int) -> None:
    (line,) = carried_by(machine, (feature,), chpids)
    found = dict(zip(COLUMNS, line, strict=True))
    wanted = {name: found[name] for name in ("machine", "feature", "chpids")}
    (row,) = (row for row in ROWS if wanted.items() <= row.items())
    assert found == row, "make docs"
