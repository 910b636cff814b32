"""What extrapolation does to a range: it grows, by what assumptions may be."""

from dataclasses import replace

import pytest

from ctc.features import CATALOGUE
from isfc.layout.catalogue import load_layout
from isfc.layout.layout import Layout
from scenarios.figures.assumptions import (
    ASSUMPTIONS,
    Widening,
    assumed,
    reasons,
    variants,
    widened,
    widening,
)
from scenarios.figures.certainty import FigureKind, family_of, range_of
from scenarios.runs.experiment import Experiment
from scenarios.runs.workload import SUITES
from tools.calibration.assumptions import link

MEASURED = load_layout("published-12")
KNOWN = range_of(FigureKind.RATE, 1000.0, family_of(16, 118_000, 50, appc=False))
NOTHING = Widening("nothing", 1.0, 1.0)


def names(layout: Layout) -> list[str]:
    return [each.name for each in assumed(layout)]


def test_what_ibm_measured_rests_on_no_assumption() -> None:
    assert assumed(MEASURED) == []
    assert widened(KNOWN, []) == KNOWN


@pytest.mark.parametrize("feature", [feature.name for feature in CATALOGUE])
def test_every_feature_and_distance_has_its_widening(feature: str) -> None:
    far = link(feature, 2).with_fibres(lambda fibre: replace(fibre, km=10.0))
    found = {each.name for each in assumed(far)}
    assert "round trips of a CTC over distance" in found
    assert ("what a later channel takes for CTCs" in found) == (
        feature not in ("FICON Express", "FICON Express2", "FICON Express4")
    )


def test_more_writers_than_ibm_had_are_crowded() -> None:
    assert names(link("FICON Express4", 1, 12)) == ["turns on a crowded channel"]


def test_a_widened_range_holds_the_known_one() -> None:
    wider = widened(KNOWN, [Widening("a", 0.7, 1.0), Widening("b", 0.9, 1.2)])
    for known, wide in ((KNOWN.likely, wider.likely), (KNOWN.sure, wider.sure)):
        assert wide.low < known.low < known.high < wide.high
    assert wider.wider_for == ("a", "b")
    assert wider.describe().endswith("wider for a, b")


def test_an_assumption_that_moves_nothing_widens_nothing() -> None:
    assert widened(KNOWN, [NOTHING]) == KNOWN


def test_an_end_lies_outside_of_what_it_was_run_to() -> None:
    """Nineteen of twenty cases reach to the ends of an assumption at least."""
    wider = widened(KNOWN, [Widening("a", 0.5, 2.0)])
    assert 500 in wider.sure
    assert 2000 in wider.sure


def test_runs_at_the_ends_never_count_against_the_figure() -> None:
    assert widening(ASSUMPTIONS[0], 100.0, (80.0, 90.0)) == Widening(ASSUMPTIONS[0].name, 0.8, 1.0)


@pytest.mark.parametrize("assumption", ASSUMPTIONS, ids=lambda assumption: assumption.name)
def test_an_assumption_has_two_ends_and_a_reason(assumption: object) -> None:
    far = link("FICON Express16S", 1, 12, km=10.0)
    cases = dict(variants(Experiment.of(far, SUITES["HL"], 10)))
    slower, faster = cases[assumption]  # type: ignore[index]
    assert slower != faster
    (reason,) = reasons([ASSUMPTIONS[[*cases].index(assumption)].name])  # type: ignore[arg-type]
    assert reason.endswith(".")
