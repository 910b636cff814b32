"""A site made by the emulator is found again from its printed pages, and predicted."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.layout.layout import with_site
from isfc.layout.processors import Processors
from isfc.layout.site import CONSTANTS, FitErrors, SiteProfile, format_profile, read_profile
from isfc.layout.write import format_layout
from isfc.link.parameters import LinkParameters
from isfc.site.seen import seen_intervals
from scenarios.figures.ranges import link_rate
from scenarios.figures.site_workload import derive
from scenarios.runs.experiment import Load
from scenarios.runs.notes import run_notes
from scenarios.runs.workload import SUITES
from scenarios.search.site_fit import fit
from scenarios.search.site_search import FitInterval
from scenarios.search.site_surface import Surface, near_surface, surface_through
from tests.isfc.site.made_sites import MadeSite, factors
from tests.isfc.site.site import (
    LAYOUT,
    RUNS,
    errors_percent,
    fit_pages,
    mb_per_s_of,
    print_pages,
    site_of,
)
from tools.calibration.studies import link

LOADS = [("HL", 50), ("HM", 20), ("HL", 10)]
HELD_BACK = [("HL", 100), ("HS", 50), ("HY", 50), ("HM", 100)]


@pytest.mark.exhaustive
@pytest.mark.at_length
@pytest.mark.slow
def test_a_slower_site_is_fitted_from_its_pages_and_predicted_within_5_percent(
    tmp_path: Path,
) -> None:
    # a feature that is 30 % slower takes 1 / 0.7 times as long for a byte
    site = site_of(load_layout(LAYOUT), transfer=1 / 0.7, receive=2.0, turn=0.5)
    fitted = fit_pages(print_pages(site, LOADS, tmp_path, seed=11))
    factors = fitted.profile.factors
    assert factors["receive"] == pytest.approx(2.0, rel=0.1)  # docs/measured.md: "about 2"
    assert factors["turn"] == pytest.approx(0.5, rel=0.1)  # "about a half"
    for today, predicted in errors_percent(site, fitted, HELD_BACK):
        assert 20 < abs(today) < 50
        assert abs(predicted) < 5
    assert fitted.profile.held_back is not None
    assert fitted.profile.before is not None
    assert fitted.profile.held_back.median < fitted.profile.before.median / 3


@pytest.mark.exhaustive
@pytest.mark.at_length
@pytest.mark.slow
def test_two_pages_of_a_site_on_a_z16_narrow_its_range_to_x_1_15(tmp_path: Path) -> None:
    """Link activity and FCX108 of two busy intervals; today's range is more than twice as wide."""
    z16 = Processors("z16 A01")
    layout = replace(link("FICON Express16SA", 4), machines=(z16, z16))
    file = tmp_path / "z16.toml"
    file.write_text(format_layout(layout), "utf-8")
    off, loads = {"receive": 1.4, "transfer": 0.8, "build": 1.3}, (("HL", 50), ("HM", 20))
    shown = MadeSite("z16", factors(**off), loads, loads, 0.02, str(file), shows_link=True)
    found = seen_intervals(layout, shown.intervals())
    fitted = fit(layout, [FitInterval(each, derive(layout, each)) for each in found], RUNS)
    assert not fitted.doubts
    assert fitted.profile.factors["receive"] == pytest.approx(1.4, rel=0.05)
    for load in loads:
        rates = mb_per_s_of(site_of(layout, **off), layout, fitted.profile, load, (1.0, 0.3))
        truth, today, predicted = rates
        asked, at_site = Load(SUITES[load[0]], load[1]), with_site(layout, fitted.profile)
        wide, own = link_rate(today, layout, asked).ends, link_rate(predicted, at_site, asked).ends
        assert own.low <= truth <= own.high
        assert max(own.high / predicted, predicted / own.low) <= 1.15
        assert wide.high / wide.low > 2 * own.high / own.low


def test_without_a_measurement_the_prior_stays() -> None:
    fitted = fit(load_layout(LAYOUT), [], RUNS)
    assert fitted.profile.factors == {}
    assert [each.constant for each in fitted.constants if not each.told] == [
        constant.name for constant in CONSTANTS
    ]
    assert fitted.profile.of_link(LinkParameters()) == LinkParameters()


WHOLE = SiteProfile(
    "made",
    {"transfer": 1.0, "receive": 2.0},
    ("FICON Express2",),
    0,
    "0123456789ab",
    FitErrors(20.0, 40.0),
    FitErrors(10.0, 30.0),
    ('it "is" off', "no such site"),
)


def test_a_profile_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "site.toml"
    path.write_text(format_profile(WHOLE), "utf-8")
    assert read_profile(path) == WHOLE
    assert 'The fit was refused: it "is" off; no such site.' in WHOLE.describe()


def test_a_profile_changes_the_features_it_was_fitted_on_alone() -> None:
    site = site_of(load_layout(LAYOUT), transfer=2.0)
    assert site.site is not None
    other = with_site(load_layout("published-16"), site.site)
    by_feature = {fibre.profile.feature: fibre.profile for fibre in other.fibres}
    for fibre in load_layout("published-16").fibres:
        factor = 2.0 if fibre.profile.feature in site.site.features else 1.0
        changed = by_feature[fibre.profile.feature].processor_ns_per_byte
        assert changed == pytest.approx(factor * fibre.profile.processor_ns_per_byte)


def test_a_profile_says_which_features_of_a_layout_it_leaves() -> None:
    # on another feature its constants of the channel had no effect, and nothing said so
    site = SiteProfile("made", {"transfer": 2.0}, ("FICON Express4",), 1, "")
    left = "Its constants of the channel are of FICON Express4; FICON Express8S keeps the model's."
    assert left in site.describe(["FICON Express4", "FICON Express8S"])
    assert "fitted on 1 interval:" in site.describe()
    assert left not in site.describe(["FICON Express4"])
    assert left not in replace(site, factors={"receive": 2.0}).describe(["FICON Express8S"])
    layout = with_site(load_layout(LAYOUT), site)
    told = [note.text for note in run_notes(layout, SUITES["HL"], 50)]
    assert any("FICON Express2 keeps the model's." in text for text in told)


def test_a_profile_that_is_worse_than_none_says_so() -> None:
    site = SiteProfile("made", {"turn": 1.05}, ("FICON Express4",), 2, "")
    worse = replace(site, held_back=FitErrors(6.8, 143), before=FitErrors(3.7, 30))
    better = replace(site, held_back=FitErrors(3.7, 30), before=FitErrors(6.8, 143))
    assert worse.describe().endswith("Without it they are off by 3.7 %.")
    assert "Without it" not in better.describe()


def test_fractions_stay_fractions_and_whole_numbers_whole() -> None:
    # the latency is written as 2_500: a compiled record has 2500.0, and both must give one model
    (fibre, *_) = load_layout(LAYOUT).fibres
    (slower, *_) = site_of(load_layout(LAYOUT), latency=0.7, turn=0.33, build=0.33).fibres
    assert slower.profile.latency_ns_per_ccw == pytest.approx(
        0.7 * fibre.profile.latency_ns_per_ccw
    )
    assert slower.profile.turn_ns == round(0.33 * fibre.profile.turn_ns)
    assert isinstance(slower.profile.turn_ns, int)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("transfer =", "speed =", "[factors] 'speed': no such constant"),
        ("transfer = 1.0000", "transfer = 9.0", "[factors] transfer 9: expected 0.25 to 4"),
        ("intervals = 0", "intervals = 'x'", "intervals"),
        ("[factors]", "[factors", "is not TOML"),
        ('"FICON Express2"', '"Express2"', "features: 'Express2' is not a FICON feature; did you"),
    ],
)
def test_a_bad_profile_is_refused_with_its_key(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    text = format_profile(WHOLE)
    path = tmp_path / "site.toml"
    path.write_text(text.replace(old, new), "utf-8")
    with pytest.raises(ConfigurationError) as caught:
        read_profile(path)
    assert str(path) in str(caught.value)
    assert problem in str(caught.value)


class Lines:
    """What is to be found. numpy starts threads, and workers are forked without."""

    def __init__(self) -> None:
        import numpy

        self._random = numpy.random.default_rng
        self.slopes = numpy.array([[0.5, -1.0], [0.0, 0.3]])
        self.level = numpy.array([0.1, -0.2])
        self.centre = numpy.array([0.3, 0.0])

    def points(self, count: int) -> Any:
        return self.centre + self._random(1).uniform(-0.3, 0.3, (count, 2))

    def surface(self, at: Any, scatter: float, seed: int = 2) -> Surface:
        noise = self._random(seed).normal(0, scatter, (len(at), 2))
        shown = self.level + (at - self.centre) @ self.slopes.T + noise
        return surface_through([*at], [*shown], self.centre)


def test_lines_without_scatter_are_found_as_they_are() -> None:
    lines = Lines()
    surface = lines.surface(lines.points(8), 0.0)
    assert surface.level == pytest.approx(lines.level)
    assert surface.slopes == pytest.approx(lines.slopes)
    assert surface.scatter == pytest.approx([0, 0], abs=1e-12)
    further = lines.level + 0.1 * lines.slopes.sum(axis=1)
    assert surface.at(lines.centre + 0.1) == pytest.approx(further)


def test_how_well_lines_are_known_is_how_far_they_come_out_from_each_other() -> None:
    import numpy

    lines = Lines()
    at = lines.points(32)
    found = [lines.surface(at, 0.05, seed) for seed in range(300)]
    assert numpy.mean([each.scatter for each in found]) == pytest.approx(0.05, rel=0.03)
    level = numpy.std([each.level[0] for each in found])
    assert level == pytest.approx(0.05 * found[0].level_share ** 0.5, rel=0.1)
    slope = numpy.std([each.slopes[0, 1] for each in found])
    assert slope == pytest.approx(0.05 * found[0].slope_share[1, 1] ** 0.5, rel=0.1)


def test_a_constant_that_no_figure_tells_stays_as_it_is() -> None:
    import numpy

    count = len(CONSTANTS)
    slopes = numpy.zeros((40, count))
    slopes[:, 0] = 1.0  # every figure goes with the first constant, and with no other
    level = numpy.full(40, -0.3)
    blank = numpy.zeros((count, count))
    surface = Surface(numpy.zeros(count), level, slopes, numpy.full(40, 0.01), 0.01, blank)
    near = near_surface(surface, [0.0] * 40, 1.2)
    assert near.told().tolist() == [True, *[False] * (count - 1)]
    best = near.best(near.told())
    assert best[0] == pytest.approx(0.3, abs=0.01)
    assert not best[1:].any()
    assert near.moved(near.told()).tolist() == near.told().tolist()
    # what is off 1 by chance alone is 1: figures are known to 2 %
    same = near_surface(structs.replace(surface, level=numpy.full(40, -0.002)), [0.0] * 40, 1.2)
    assert not same.moved(same.told()).any()
    # residuals of three times what is known of the figures: so much less is known of the constant
    exact, off = near.spread(near.misfit(best)), near.spread(3.0)
    assert near.misfit(best) < 0.1
    assert off[0] == pytest.approx(3 * exact[0], rel=0.01)
    assert off[1] == exact[1]


def test_too_few_points_are_refused() -> None:
    lines = Lines()
    with pytest.raises(ValueError, match="3 points; expected more than 3"):
        lines.surface(lines.points(3), 0.0)
