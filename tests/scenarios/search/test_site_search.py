"""Constants and pairs that nobody says are found together, and where a range has two sides."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from math import exp, log
from random import Random
from typing import Any, cast

import pytest
from msgspec import structs

from isfc.layout.catalogue import load_layout
from isfc.layout.layout import Layout
from isfc.layout.site import CONSTANTS, SiteProfile
from scenarios.figures.site_compare import MeasuredFigure
from scenarios.figures.site_workload import Derived
from scenarios.runs.workload import CONVERSATIONS, SUITES, open_load
from scenarios.search import site_evidence, site_fit, site_search
from scenarios.search.site_search import PAIRS_PRIOR, FitInterval, Search
from scenarios.search.site_skew import skewed
from scenarios.search.site_surface import PRIOR, REPORT, near_surface, surface_through
from tests.isfc.site.site import RUNS

LAYOUT = load_layout("atlanta-boston")
BLANK = SiteProfile("site", {}, ("FICON Express2",), 1, "")
SCATTER = 0.01


class Seen:
    """An interval that is only named."""

    place = "monday.csv:2"
    ends = ()


def interval(pairs: int, *, is_told: bool = False) -> FitInterval:
    """A load of which it is known, or not, how many pairs ran."""
    derived = Derived(SUITES["HL"], pairs, LAYOUT.nodes[0], 800.0, (), is_inferred=not is_told)
    return FitInterval(cast("Any", Seen()), derived)


Shows = Callable[[float, float], dict[str, float]]


def busy(transfer: float, pairs: float) -> dict[str, float]:
    """What a link shows: a slower one carries less, and more pairs fill packages and wait."""
    rate = pairs / (pairs + 20) / transfer
    return {
        "mb_per_s": rate,
        "packages_per_s": rate / (1 + pairs / 20),
        "conn_ms": transfer * (1 + pairs / 60),
    }


def saturated(transfer: float, pairs: float) -> dict[str, float]:
    """A link of which more pairs show the same as a slower one."""
    return dict.fromkeys(("mb_per_s", "packages_per_s", "conn_ms"), transfer * pairs**0.5)


def emulated(
    shows: Shows, truths: dict[int, tuple[float, float]], layout: Layout, *run: Any
) -> Any:
    """Figures beside a run that scatters; the truth is of the interval that starts with so many."""
    one, _, seed = run
    factors = {} if layout.site is None else layout.site.factors
    random = Random(f"{seed} {one.derived.pairs} {factors}")
    (there,) = truths.values()
    measured = shows(*there)
    ours = shows(factors.get("transfer", 1.0), one.derived.pairs)
    return [
        MeasuredFigure(
            "ATLANTA", rdev, name, measured[name], ours[name] * exp(random.gauss(0, SCATTER)), True
        )
        for rdev, _ in (ctc.rdev_names for ctc in LAYOUT.ctcs)
        for name in measured
    ]


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts a model that is a formula in the place of runs."""

    def put(shows: Shows, transfer: float, pairs: float) -> None:
        figures = partial(emulated, shows, {0: (transfer, pairs)})
        monkeypatch.setattr(site_search, "figures_of", figures)
        monkeypatch.setattr(site_fit, "figures_of", figures)
        monkeypatch.setattr(site_evidence, "figures_of", figures)
        monkeypatch.setattr(site_fit, "predicted_apart", lambda *_: "")

    return put


def joint_optimum(shows: Shows, transfer: float, pairs: float, start: int) -> tuple[float, int]:
    """The constant and the pairs with the least squares of all, over every pair of both."""
    truth = shows(transfer, pairs)

    def squares(at: tuple[float, int]) -> float:
        off = [log(ours / truth[name]) / REPORT for name, ours in shows(*at).items()]
        prior = (log(at[0]) / PRIOR) ** 2 + (log(at[1] / start) / PAIRS_PRIOR) ** 2
        return 8 * sum(each**2 for each in off) + prior

    return min(product([0.5 + each / 100 for each in range(200)], range(1, 200)), key=squares)


@pytest.mark.parametrize(
    ("transfer", "pairs", "start"), [(1.4, 40, 20), (0.8, 30, 60), (1.2, 100, 50), (1.3, 8, 12)]
)
def test_a_fit_ends_in_the_optimum_of_constants_and_pairs_together(
    site: Callable[..., None], transfer: float, pairs: int, start: int
) -> None:
    site(busy, transfer, pairs)
    fitted = site_fit.fit(LAYOUT, [interval(start)], RUNS)
    best_transfer, best_pairs = joint_optimum(busy, transfer, pairs, start)
    assert fitted.profile.factors["transfer"] == pytest.approx(best_transfer, rel=0.03)
    (load,) = fitted.profile.loads
    assert int(load.removeprefix("HL:")) == pytest.approx(best_pairs, rel=0.06, abs=1)
    assert not any("how many pairs" in doubt for doubt in fitted.doubts)


def test_a_rate_that_is_offered_is_an_unknown_near_what_is_seen(site: Callable[..., None]) -> None:
    one = interval(CONVERSATIONS)
    one = structs.replace(one, derived=structs.replace(one.derived.as_open(), is_inferred=True))

    def offered(transfer: float, _: float) -> dict[str, float]:
        return {"conn_ms": transfer}

    site(offered, 1.0, 1.0)
    search = Search(LAYOUT, [one], BLANK, RUNS)
    assert search.unknowns.prior[-1] == site_search.RATE_PRIOR
    (more,) = search.loads([0.0] * (len(search.unknowns.prior) - 1) + [log(1.1)])
    assert more.derived.workload == open_load(SUITES["HL"], 800.0 * 1.1)
    assert more.derived.load == "HL:880/s"


def test_pairs_that_do_as_well_at_other_speeds_are_told(site: Callable[..., None]) -> None:
    site(saturated, 1.3, 40)
    fitted = site_fit.fit(LAYOUT, [interval(25)], RUNS)
    assert any("does not tell how many pairs ran: HL:" in doubt for doubt in fitted.doubts)
    site(saturated, 1.3, 40)
    told = site_fit.fit(LAYOUT, [interval(40, is_told=True)], RUNS)
    assert told.profile.loads == ("HL:40",)
    assert not any("how many pairs" in doubt for doubt in told.doubts)


def test_messages_at_times_of_their_own_are_tried_where_no_pairs_are_near(
    site: Callable[..., None],
) -> None:
    def far(_: float, pairs: float) -> dict[str, float]:
        off = 1.05 if pairs == CONVERSATIONS else 3.0
        return {"conn_ms": 1.0 if pairs < 0 else off, "disc_ms": 1.0}

    site(far, 1.0, -1)
    fitted = site_fit.fit(LAYOUT, [interval(40)], RUNS)
    assert fitted.profile.loads[0].endswith("/s")


COUNT = len(CONSTANTS)
TRANSFER, TURN = 0, [constant.name for constant in CONSTANTS].index("turn")
REACH = 0.24


class MadeRuns:
    """All runs of a fit to one interval."""

    def __init__(self, points: Any, shown: Any) -> None:
        self.points = points
        self.shown = shown

    def by_interval(self) -> Iterator[tuple[list[int], Any, Any]]:
        yield [*range(COUNT)], self.points, self.shown


def fitted(bend: float, level: float, slope: float) -> dict[str, tuple[float, float]]:
    """Both sides, where ten figures go with the turn as a parabola, and ten with the transfer."""
    import numpy  # which starts threads, and workers are forked without

    random = numpy.random.default_rng(3)
    points = numpy.vstack(
        [random.uniform(-1.3, 1.3, (64, COUNT)), random.uniform(-REACH, REACH, (32, COUNT))]
    )
    turn, transfer = points[:, TURN], points[:, TRANSFER]
    noise = numpy.random.default_rng(4).normal(0, 0.002, (len(points), 20))
    of_turn = numpy.repeat((level + slope * turn + bend * turn**2)[:, None], 10, axis=1)
    shown = numpy.hstack([of_turn, numpy.repeat(transfer[:, None], 10, axis=1)]) + noise
    surface = surface_through(points[64:], shown[64:], numpy.zeros(COUNT))
    told = numpy.isin(numpy.arange(COUNT), [TRANSFER, TURN])
    seen = near_surface(surface, [0.0] * 20, numpy.full(COUNT, REACH))
    moved = seen.best(seen.moved(told))
    return skewed(cast("Search", MadeRuns(points, shown)), seen, told, moved, 1.0, 2.0)


def test_a_constant_that_shows_less_the_lower_it_is_may_be_lower() -> None:
    sides = fitted(bend=0.02, level=0.0, slope=0.03)
    assert {*sides} == {"turn"}  # the transfer is known to a tenth of what lines reach
    below, above = sides["turn"]
    assert below > 1.3 * above


def test_a_constant_that_is_1_as_chance_may_have_it_off_has_its_range_where_figures_are() -> None:
    # by 1.3 standard deviations the figures are nearer with a lower turn
    below, above = fitted(bend=0.0, level=0.008, slope=0.06)["turn"]
    assert above == pytest.approx(2 * 0.1, rel=0.2)
    assert below == pytest.approx(above + 0.13, rel=0.15)
