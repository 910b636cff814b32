"""Fits to sites that were drawn by number, as the stored study has them."""

import re

from tools.calibration import drawn_sites


def test_a_fit_that_is_given_is_worth_it_and_a_bad_one_is_refused_with_its_reason() -> None:
    (_, sites), (with_fit, without), (held,), (worse,), (bad, right), _ = (
        [*map(float, re.findall(r"\d+(?:\.\d+)?", figure.partition("(number")[0]))]
        for _, figure in drawn_sites.summary(drawn_sites.STUDY.rows())
    )
    assert sites == 60
    assert with_fit <= without / 3
    assert 70 <= held <= 90
    assert worse == 0
    assert right >= 0.9 * bad
