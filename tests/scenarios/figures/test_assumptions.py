"""What extrapolation does to a range: it grows, by what assumptions may be."""

from dataclasses import replace

import pytest
from msgspec import structs

from ctc.features import CATALOGUE
from isfc.layout.catalogue import load_layout
from isfc.layout.layout import Layout
from isfc.layout.processors import Processors
from isfc.layout.site import FitErrors, SiteProfile
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
from scenarios.figures.ranges import figure_of, link_rate
from scenarios.runs.experiment import STATED, Experiment
from scenarios.runs.workload import SUITES
from tools.calibration.studies import link

MEASURED = load_layout("published-12")
KNOWN = range_of(FigureKind.RATE, 1000.0, family_of(16, 118_000, 50, appc=False))
NOTHING = Widening("nothing", 1.0, 1.0)


def names(layout: Layout) -> list[str]:
    return [each.name for each in assumed(layout)]


def test_what_ibm_measured_rests_on_no_assumption() -> None:
    assert assumed(MEASURED) == []
    assert widened(1000.0, KNOWN, []) == KNOWN


@pytest.mark.parametrize("feature", [feature.name for feature in CATALOGUE])
def test_every_feature_and_distance_has_its_widening(feature: str) -> None:
    far = link(feature, 2).with_fibres(lambda fibre: structs.replace(fibre, km=10.0))
    found = {each.name for each in assumed(far)}
    assert "CTCs over distance" in found
    assert ("channels of later features" in found) == (
        feature not in ("FICON Express", "FICON Express2", "FICON Express4")
    )


@pytest.mark.parametrize("kind", FigureKind)
def test_every_kind_of_figure_is_wider_where_it_is_extrapolated(kind: FigureKind) -> None:
    layout = link("FICON Express16S", 1)
    within = figure_of(kind, 100.0, layout, STATED).range
    assert within is not None
    known = range_of(kind, 100.0, family_of(4, 118_000, 50, appc=False))
    assert within.sure.low < known.sure.low
    assert within.wider_for


def test_more_writers_than_ibm_had_are_crowded() -> None:
    assert names(link("FICON Express4", 1, 12)) == ["more CTCs on a channel than IBM measured"]


def test_a_widened_range_holds_the_known_one() -> None:
    wider = widened(1000.0, KNOWN, [Widening("a", 0.7, 1.0), Widening("b", 0.9, 1.2)])
    for known, wide in ((KNOWN.likely, wider.likely), (KNOWN.sure, wider.sure)):
        assert wide.low < known.low < known.high < wide.high
    assert wider.wider_for == ("a", "b")
    assert wider.describe().endswith("wider for a, b")


def test_an_assumption_that_moves_nothing_widens_nothing() -> None:
    assert widened(1000.0, KNOWN, [NOTHING]) == KNOWN


def test_an_end_lies_outside_of_what_it_was_run_to() -> None:
    """Nineteen of twenty cases reach to the ends of an assumption at least."""
    wider = widened(1000.0, KNOWN, [Widening("a", 0.5, 2.0)])
    assert 500 in wider.sure
    assert 2000 in wider.sure


def test_runs_at_the_ends_never_count_against_the_figure() -> None:
    assert widening(ASSUMPTIONS[0], 100.0, (80.0, 90.0)) == Widening(ASSUMPTIONS[0].name, 0.8, 1.0)


@pytest.mark.parametrize("assumption", ASSUMPTIONS, ids=lambda assumption: assumption.name)
def test_an_assumption_has_two_ends_and_a_reason(assumption: object) -> None:
    far = link("FICON Express16S", 1, 12, km=10.0)
    there = replace(far, machines=(Processors("z14"), None))
    cases = dict(
        case for link in (there, far) for case in variants(Experiment.of(link, SUITES["HL"], 10))
    )
    slower, faster = cases[assumption]  # type: ignore[index]
    assert slower != faster
    (reason,) = reasons([assumption.name])  # type: ignore[attr-defined]
    assert reason.endswith(".")


SITE = SiteProfile(
    "PROD", {"transfer": 1.2, "receive": 0.9}, ("FICON Express16S",), 40, "", FitErrors(2.0, 8.0)
)


def likely(layout: Layout) -> tuple[float, float]:
    """How much wider for channels of later features."""
    found = next(each for each in assumed(layout) if each.name == "channels of later features")
    return found.low, found.high


def test_a_profile_narrows_what_its_fit_confirms_to_its_own_worst_error() -> None:
    plain = link("FICON Express16S", 1)
    at_site = replace(plain, site=SITE)
    low, high = likely(plain)
    assert low < 1 / 1.08 < 1.08 < high
    assert likely(at_site) == pytest.approx((1 / 1.08, 1.08))
    here, there = (link_rate(500.0, each, STATED).range for each in (at_site, plain))
    assert here is not None
    assert there is not None
    known = range_of(FigureKind.RATE, 500.0, family_of(4, 118_000, 50, appc=False))
    assert there.likely.low < here.likely.low < known.likely.low
    assert there.sure.high > here.sure.high > known.sure.high


@pytest.mark.parametrize(
    "site",
    [
        replace(SITE, factors={"receive": 0.9}),
        replace(SITE, features=("FICON Express8S",)),
        replace(SITE, held_back=None),
        replace(SITE, doubts=("too few intervals",)),
        replace(SITE, before=FitErrors(1.0, 4.0)),
    ],
    ids=["another constant", "another feature", "not judged", "doubtful", "worse than without"],
)
def test_what_a_profile_does_not_confirm_stays_as_wide(site: SiteProfile) -> None:
    plain = link("FICON Express16S", 1)
    assert likely(replace(plain, site=site)) == likely(plain)
