"""The table of today's cards is what runs come to, and it names every machine and card."""

from itertools import pairwise

import pytest

from ctc.features import CATALOGUE
from isfc.errors.in_words import grouped
from isfc.layout.machines import machines, pace_of
from isfc.layout.processors import Processors
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
        counted, modelled = float(row["mb_per_s"]), float(row["by_model"])
        assert float(row["low"]) <= counted <= modelled <= float(row["high"])
        assert row["limits"]


@pytest.mark.parametrize("figure", ["mb_per_s", "by_model"])
def test_a_faster_machine_carries_no_less_with_the_same_card(figure: str) -> None:
    """Of all machines, the slowest at receiving a byte first; runs differ by half a percent."""
    paces = {name: pace_of(Processors(name)).by_byte for name in machines()}
    by_card = grouped(
        ((row["feature"], row["chpids"]), float(row[figure]))
        for row in sorted(ROWS, key=lambda row: -paces[row["machine"]])
    )
    for rates in by_card.values():
        assert all(after > 0.99 * before for before, after in pairwise(rates))


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
