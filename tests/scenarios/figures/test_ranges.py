"""The range of a figure at a fitted site: narrow where it was measured, wider for all else."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from isfc.layout.catalogue import load_layout
from isfc.layout.layout import Layout, layout_kind, with_site
from isfc.layout.site import CONSTANTS, FitErrors, SiteProfile
from isfc.reports.figure import Range
from scenarios.figures.certainty import FigureKind
from scenarios.figures.ranges import figure_of, link_rate, links_rate
from scenarios.runs.experiment import STATED, Load
from scenarios.runs.workload import SUITES

MEASURED = load_layout("atlanta-boston")
COVARIANCE = tuple(tuple(4e-4 if one is other else 0.0 for other in CONSTANTS) for one in CONSTANTS)
SITE = SiteProfile(
    "site",
    {"transfer": 1.3},
    ("FICON Express2",),
    3,
    "",
    layout=layout_kind(MEASURED),
    loads=("HL:50",),
    covariance=COVARIANCE,
)


def range_at(
    profile: SiteProfile | None, layout: Layout = MEASURED, suite: str = "HL", pairs: int = 50
) -> Range:
    """Of 100 MB/s."""
    found = link_rate(100.0, with_site(layout, profile), Load(SUITES[suite], pairs)).range
    assert found is not None
    return found


def width(found: Range) -> float:
    """How wide it is in four of five cases, as a factor."""
    return found.likely.high / found.likely.low


def test_a_fit_narrows_the_range_of_what_was_measured() -> None:
    fitted = range_at(SITE)
    assert 1.02 < width(fitted) < 1.1 < width(range_at(None))
    assert fitted.basis == "the fit site to 3 intervals"
    assert fitted.wider_for == ()
    assert fitted.sure.low < fitted.likely.low < 100 < fitted.likely.high < fitted.sure.high


@pytest.mark.parametrize(
    ("wider", "reason"),
    [
        (lambda: range_at(SITE, pairs=20), "pairs that were not fitted to"),
        (lambda: range_at(SITE, suite="HS"), "a workload that was not fitted to"),
        (lambda: range_at(SITE, load_layout("published-4")), "another layout than the fit's"),
        (lambda: range_at(replace(SITE, doubts=("it is off",))), "a fit that was refused"),
    ],
    ids=["pairs", "workload", "layout", "refused"],
)
def test_what_was_not_measured_makes_it_wider(wider: Callable[[], Range], reason: str) -> None:
    found = wider()
    assert width(found) > 1.1 * width(range_at(SITE))
    assert found.wider_for == (reason,)


def test_a_constant_that_is_not_told_makes_it_wider_as_far_as_the_load_follows_it() -> None:
    unsure = [[*row] for row in COVARIANCE]
    unsure[0][0] = 0.25
    site = replace(SITE, covariance=tuple(map(tuple, unsure)))
    assert width(range_at(site)) > 1.5


def test_no_range_is_narrower_than_what_was_held_back_is_off() -> None:
    site = replace(SITE, held_back=FitErrors(5.0, 20.0))
    assert width(range_at(site)) > 1.1 > width(range_at(SITE))


def test_other_features_and_what_messages_cost_have_the_range_of_the_model() -> None:
    other = replace(SITE, features=("FICON Express8",))
    assert range_at(other) == range_at(None)
    assert range_at(replace(SITE, covariance=())) == range_at(None)
    cpu = [
        figure_of(FigureKind.CPU, 1.0, with_site(MEASURED, site), STATED) for site in (SITE, None)
    ]
    assert cpu[0] == cpu[1]


def test_links_together_have_the_widest_of_their_fits() -> None:
    links = [with_site(load_layout(name), SITE) for name in ("atlanta-boston", "published-4")]
    together = links_rate(100.0, links).range
    assert together is not None
    assert width(together) == pytest.approx(width(range_at(SITE, links[1])))
