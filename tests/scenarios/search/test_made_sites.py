"""Made sites: a fit is nearer than the model without it, or it is refused with the right reason."""

from dataclasses import replace
from pathlib import Path

import pytest

from isfc.layout.layout import with_site
from isfc.layout.processors import Processors
from isfc.layout.write import format_layout
from scenarios.figures.ranges import link_rate
from scenarios.runs.experiment import Load
from scenarios.runs.workload import SUITES
from tests.isfc.site.drawn_sites import drawn
from tests.isfc.site.made_sites import SITES, MadeSite, medians_percent
from tests.isfc.site.site import mb_per_s_of, site_of
from tools.calibration.drawn_sites import row_of, worst_points
from tools.calibration.studies import link

# 146: figures that a line explains as well, and with which other loads are other. Of 308, one load
# beside disks, the fit is given, and a prediction 20 points worse (decision 22)

NOISE_PERCENT = 3.0
"""By which predictions may be off where the model itself is right: what scatter leaves."""


@pytest.mark.at_length
@pytest.mark.exhaustive
@pytest.mark.parametrize("site", SITES, ids=[site.kind for site in SITES])
def test_a_fit_is_better_than_none_or_refused_with_its_reason(site: MadeSite) -> None:
    fitted = site.fitted()
    if site.refused is not None:
        assert any(site.refused in doubt for doubt in fitted.doubts)
        return
    assert not fitted.doubts
    errors = site.errors_percent(fitted)
    today, predicted = medians_percent(errors)
    assert predicted < max(today / 3, NOISE_PERCENT)
    assert max(abs(with_it) - abs(without) for without, with_it in errors) < 10


@pytest.mark.at_length
@pytest.mark.exhaustive
def test_a_site_on_a_z16_is_fitted_and_its_range_is_at_most_x_1_15(tmp_path: Path) -> None:
    """Of loads that it was fitted to; on two fibres, where CP ends nothing, a line explains it."""
    on = Processors("z16 A01")
    layout = replace(link("FICON Express16SA", 4), machines=(on, on))
    file = tmp_path / "z16.toml"
    file.write_text(format_layout(layout), "utf-8")
    factors = {"receive": 1.4, "transfer": 0.8, "build": 1.3}
    site = MadeSite("on a z16", lambda at: site_of(at, **factors), layout=str(file))
    fitted = site.fitted()
    assert not fitted.doubts
    there = site_of(layout, **factors)
    for load in (("HL", 50), ("HM", 20)):
        truth, today, predicted = mb_per_s_of(there, layout, fitted.profile, load, (1.0, 0.3))
        known = Load(SUITES[load[0]], load[1])
        wide, own = (
            link_rate(value, each, known).ends
            for value, each in ((today, layout), (predicted, with_site(layout, fitted.profile)))
        )
        assert own.low <= truth <= own.high
        assert max(own.high / predicted, predicted / own.low) <= 1.15
        assert wide.high / wide.low > 2 * own.high / own.low


@pytest.mark.at_length
@pytest.mark.exhaustive
@pytest.mark.parametrize("number", [*range(203, 220), 146])
def test_a_fit_to_a_drawn_site_makes_no_prediction_much_worse_or_is_refused(number: int) -> None:
    row = row_of(drawn(number))
    assert row["outcome"] != "given" or worst_points(row) < 10
