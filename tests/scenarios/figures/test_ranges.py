"""The range of a figure: wider the farther from IBM's runs, and narrow where a site measured it."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest

from isfc.layout.catalogue import load_layout
from isfc.layout.layout import Layout, layout_kind, with_site
from isfc.layout.site import CONSTANTS, FitErrors, SiteProfile
from isfc.reports.figure import NoRange, Range, Unit
from scenarios.figures.certainty import FigureKind, growth, odds_ahead
from scenarios.figures.ranges import (
    MESSAGES_PER_S_MAX,
    beyond,
    figure_of,
    link_rate,
    link_ratio,
    links_rate,
    links_ratio,
)
from scenarios.runs.experiment import STATED, Load
from scenarios.runs.workload import SUITES, Workload, find_workload
from tests.layouts import layout_of

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


def load(message: int = 20_000, reply: int = 4096, pairs: int = 50) -> Load:
    """Within IBM's, unless otherwise said."""
    return Load(Workload("own", message, message, 0, reply), pairs)


def known(of: Load, layout: Layout = MEASURED, value: float = 100.0) -> Range:
    """Of MB/s."""
    found = link_rate(value, layout, of).range
    assert found is not None
    return found


@pytest.mark.parametrize(
    "farther",
    [
        [(load(each), MEASURED) for each in (20_000, 4096, 512)],
        [(load(each), MEASURED) for each in (20_000, 250_000, 1_000_000)],
        [(load(reply=each), MEASURED) for each in (4096, 1024, 256)],
        [(load(pairs=each), MEASURED) for each in (100, 200, 500, 9000)],
        [(load(), layout_of((4, each))) for each in (4, 8, 12, 16)],
        [(load(), layout_of((each, 4))) for each in (4, 8, 16)],
    ],
    ids=["shorter", "longer", "replies", "pairs", "writers", "features"],
)
def test_a_range_is_wider_the_farther_a_run_is_from_ibms(
    farther: list[tuple[Load, Layout]],
) -> None:
    widths = [width(known(of, layout)) for of, layout in farther]
    assert all(one < other for one, other in pairwise(widths))


@pytest.mark.parametrize("suite", SUITES)
def test_no_suite_of_ibms_is_beyond_them(suite: str) -> None:
    assert beyond(MEASURED, SUITES[suite], 100) == {}
    assert beyond(MEASURED, find_workload("CDU:1000000"), 100) == {}


@pytest.mark.parametrize("kind", FigureKind)
def test_messages_that_are_too_far_have_no_range_and_say_so(kind: FigureKind) -> None:
    """Nor has a site's, unless it has measured them."""
    far = load(64, 64, 500)
    found = figure_of(kind, 100.0, MEASURED, far)
    assert (found.range, found.no_range) == (None, NoRange.TOO_FAR)
    assert links_rate(100.0, [MEASURED] * 2, far).no_range == NoRange.TOO_FAR
    for loads, is_known in ((("HL:50",), False), (("own:500",), True)):
        site = replace(SITE, loads=loads)
        assert (link_rate(100.0, with_site(MEASURED, site), far).range is not None) is is_known


@pytest.mark.parametrize(("of", "is_far"), [(load(), False), (load(512, 512), True)])
def test_a_ratio_is_known_less_the_farther_messages_are_from_ibms(of: Load, is_far: bool) -> None:
    octaves = sum(beyond(MEASURED, of.workload, 50).values())
    assert (octaves > 1) == is_far
    near, far = (
        link_ratio(1.2, MEASURED, MEASURED, loads=loads).ends.high / 1.2 for loads in ((), [of])
    )
    assert far == pytest.approx(near ** growth(octaves))


def test_two_layouts_have_no_odds_with_messages_that_are_too_far() -> None:
    # a search had odds of 94 of 100 where no figure has a range
    found = links_ratio(1.2, [MEASURED], [MEASURED], load(64, 64).each)
    assert (found.range, found.no_range) == (None, NoRange.TOO_FAR)
    assert odds_ahead(found).share == 0.5


def test_what_messages_may_cost_locks_counts_beyond_ibms_highest_rate() -> None:
    """At twice that rate 4 us for each of those beyond are 16 % of the time."""
    per_s = [
        figure_of(FigureKind.RATE, 2 * exchanges, MEASURED, load(), unit=Unit.PER_S).range
        for exchanges in (MESSAGES_PER_S_MAX, 2 * MESSAGES_PER_S_MAX)
    ]
    one, other = (each.sure.low for each in per_s if each is not None)
    assert 1 / 1.19 < other / (2 * one) < 1
    assert [("locks" in " ".join(each.wider_for)) for each in per_s if each] == [False, True]
