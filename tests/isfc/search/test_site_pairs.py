"""A fit over the pairs that link activity leaves open: the nearest, if others do not matter."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest

from isfc.layout.catalogue import load_layout
from isfc.layout.site import CONSTANTS, SiteProfile
from isfc.search import site_pairs
from isfc.search.site_fit import FitInterval
from isfc.search.site_fitted import Fitted
from isfc.search.site_rivals import Explanation
from scenarios.figures.site_workload import Derived
from scenarios.runs.workload import SUITES

LAYOUT = load_layout("atlanta-boston")
NOTHING = tuple((0.0,) * len(CONSTANTS) for _ in CONSTANTS)


class Seen:
    """An interval that is only named."""

    place = "monday.csv:2"


def interval(as_well: tuple[int, ...] = (20, 80)) -> FitInterval:
    """Forty pairs, or as many."""
    derived = Derived(SUITES["HL"], 40, LAYOUT.nodes[0], None, (), as_well=as_well)
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
    assert any("20 to 80 do as well" in doubt for doubt in found.doubts) is is_refused
    assert told == [1, 2, 3]


def test_pairs_that_are_known_are_fitted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_pairs, "fit_as_taken", fits({40: (1.0, 1.3)}))
    told: list[int] = []
    assert not site_pairs.fit(LAYOUT, [interval(())], "site", told.append).doubts
    assert told == [1]
