"""Made sites: a fit is nearer than the model without it, or it is refused with the right reason."""

import pytest

from tests.isfc.site.made_sites import SITES, MadeSite, medians_percent
from tools.calibration.drawn_sites import rows_of, worst_points

# 146 and 308: figures that a line, or disks, explain as well, and with which other loads are other

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
@pytest.mark.parametrize("number", [*range(203, 220), 146, 308])
def test_a_fit_to_a_drawn_site_makes_no_prediction_much_worse_or_is_refused(number: int) -> None:
    (row,) = rows_of(number)
    assert row["outcome"] != "given" or worst_points(row) < 10
