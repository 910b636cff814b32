"""Fits to sites that were drawn by number, as the stored study has them."""

import re

import pytest

from tools.calibration import drawn_sites

ROWS = {int(row["number"]): row for row in drawn_sites.STUDY.rows()}


def test_causes_are_named_and_predictions_of_fits_that_are_given_are_as_sure_as_said() -> None:
    rows = [*ROWS.values()]
    assert ROWS.keys() == {*drawn_sites.NUMBERS}
    (_, named), _, _, (with_fit, without), (held,), (outside,), (worse,), *_ = (
        [*map(float, re.findall(r"\d+(?:\.\d+)?", figure.partition("(number")[0]))]
        for _, figure in drawn_sites.summary(rows)
    )
    predictions = sum(len(row["with_fit"].split()) for row in rows if row["outcome"] == "given")
    assert named >= 80
    assert predictions >= 300
    assert with_fit <= without / 3
    assert 74 <= held <= 86
    # of a site that goes on in two ways, and of one whose slow starts were not told
    assert outside <= 0.02 * predictions
    assert worse <= 1


@pytest.mark.at_length
@pytest.mark.exhaustive
@pytest.mark.parametrize("number", [*ROWS][::3])
def test_a_fit_is_given_or_refused_with_the_right_reason_as_the_study_has_it(number: int) -> None:
    (row,) = drawn_sites.rows_of(number)
    assert (row["outcome"], str(row["right"])) == (ROWS[number]["outcome"], ROWS[number]["right"])


# 146 and 308: figures that a line, or disks, explain as well, and with which other loads are other
@pytest.mark.at_length
@pytest.mark.exhaustive
@pytest.mark.parametrize("number", [*range(203, 220), 146, 308])
def test_a_fit_that_is_given_makes_no_prediction_much_worse(number: int) -> None:
    (row,) = drawn_sites.rows_of(number)
    assert row["outcome"] != "given" or drawn_sites.worst_points(row) < 10
