"""A fit over what may have run, where nobody says it: the nearest, if others do not matter."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from isfc.layout.catalogue import load_layout
from isfc.layout.layout import Layout
from isfc.layout.site import CONSTANTS, SiteProfile
from isfc.search import site_pairs
from isfc.search.site_fit import FitInterval
from isfc.search.site_fitted import Fitted
from isfc.search.site_rivals import Explanation
from scenarios.figures.site_workload import Derived
from scenarios.runs.own_guests import CONVERSATIONS, open_load
from scenarios.runs.workload import SUITES

LAYOUT = load_layout("atlanta-boston")
NOTHING = tuple((0.0,) * len(CONSTANTS) for _ in CONSTANTS)


class Seen:
    """An interval that is only named."""

    place = "monday.csv:2"


def interval(as_well: tuple[int, ...] = (20, 80)) -> FitInterval:
    """Forty pairs, or as many."""
    derived = Derived(
        SUITES["HL"], 40, LAYOUT.nodes[0], 800.0, (), is_inferred=bool(as_well), as_well=as_well
    )
    return FitInterval(cast("Any", Seen()), derived)


def fits(of_pairs: dict[int, tuple[float, float]]) -> Callable[..., Fitted]:
    """A fit whose misfit and ``transfer`` go by the pairs that are taken."""

    def fit(_: Any, intervals: Sequence[FitInterval], name: str, progress: Any) -> Fitted:
        misfit, transfer = of_pairs[intervals[0].derived.pairs]
        progress(1)
        factors = (("transfer", transfer),)
        profile = SiteProfile(name, factors, (), 1, "", covariance=NOTHING)
        own = Explanation("the fit", 1.0, 1.0, figures=50)
        return Fitted(profile, (), (), misfit, explanations=(own,))

    return fit


@pytest.fixture(autouse=True)
def pairs_at_the_speed_of_the_fit(monkeypatch: pytest.MonkeyPatch) -> dict[float, int]:
    """Pairs that link activity tells with a ``transfer``; else as before."""
    told: dict[float, int] = {}

    def derive(layout: Layout, _: Any) -> Derived:
        assert layout.site is not None
        return replace(interval().derived, pairs=told.get(layout.site.factors[0][1], 40))

    monkeypatch.setattr(site_pairs, "derive", derive)
    return told


@pytest.mark.parametrize(
    ("of_pairs", "transfer", "variance", "is_refused"),
    [
        ({40: (1.0, 1.3), 20: (3.0, 0.7), 80: (4.0, 2.0)}, 1.3, 0.0, False),
        ({40: (3.0, 1.3), 20: (1.0, 0.7), 80: (4.0, 2.0)}, 0.7, 0.0, False),
        ({40: (1.0, 1.3), 20: (3.0, 0.7), 80: (1.0, 1.31)}, 1.3, 5.9e-5, False),
        ({40: (1.0, 1.3), 20: (1.0, 0.7), 80: (4.0, 2.0)}, 1.3, 0.0, True),
    ],
    ids=["the first is nearest", "the fewest are", "another is as near and alike", "and not alike"],
)
def test_the_pairs_that_all_figures_are_nearest_to_are_taken(
    monkeypatch: pytest.MonkeyPatch,
    of_pairs: dict[int, tuple[float, float]],
    transfer: float,
    variance: float,
    is_refused: bool,
) -> None:
    monkeypatch.setattr(site_pairs, "fit_as_taken", fits(of_pairs))
    told: list[int] = []
    found = site_pairs.fit(LAYOUT, [interval()], "site", told.append)
    assert dict(found.profile.factors) == {"transfer": transfer}
    assert found.profile.covariance[0][0] == pytest.approx(variance, rel=0.02)
    assert any("HL:40 and HL:20 do as well" in doubt for doubt in found.doubts) is is_refused
    assert told == [1, 2, 3]


def test_pairs_are_looked_for_again_at_the_speed_of_the_fit(
    monkeypatch: pytest.MonkeyPatch, pairs_at_the_speed_of_the_fit: dict[float, int]
) -> None:
    # by the model alone half of them were found, and the link taken for twice as slow
    fitted = fits({40: (3.5, 1.3), 20: (4.0, 0.7), 80: (4.0, 2.0), 100: (1.0, 1.16)})
    monkeypatch.setattr(site_pairs, "fit_as_taken", fitted)
    pairs_at_the_speed_of_the_fit[1.3] = pairs_at_the_speed_of_the_fit[1.16] = 100
    found = site_pairs.fit(LAYOUT, [interval()], "site")
    assert dict(found.profile.factors) == {"transfer": 1.16}
    assert not found.doubts


def test_messages_at_times_of_their_own_are_tried_where_no_pairs_are_near(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = []
    of_pairs = fits(dict.fromkeys((20, 40, 80, CONVERSATIONS), (2.5, 1.0)))

    def fit(layout: Any, intervals: Sequence[FitInterval], name: str, progress: Any) -> Fitted:
        tried.append(intervals[0].derived)
        return of_pairs(layout, intervals, name, progress)

    monkeypatch.setattr(site_pairs, "fit_as_taken", fit)
    site_pairs.fit(LAYOUT, [interval()], "site")
    assert [each.is_light for each in tried] == [False, False, False, True]
    assert tried[-1].workload == open_load(SUITES["HL"], 800.0)


def test_pairs_that_are_known_are_fitted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_pairs, "fit_as_taken", fits({40: (1.0, 1.3)}))
    told: list[int] = []
    assert not site_pairs.fit(LAYOUT, [interval(())], "site", told.append).doubts
    assert told == [1]
