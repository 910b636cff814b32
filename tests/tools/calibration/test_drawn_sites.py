"""The study of sites drawn by number: what it comes to, and that it keeps what is promised."""

import re

from tools.calibration.drawn_sites import STUDY, read, summary


def figures() -> list[list[float]]:
    """The numbers of each line of the summary, without those of sites."""
    return [
        [*map(float, re.findall(r"\d+(?:\.\d+)?", figure.partition("(number")[0]))]
        for _, figure in summary(read(STUDY))
    ]


def test_a_fit_that_is_given_is_worth_it_and_a_bad_one_is_refused_with_its_reason() -> None:
    (_, sites), (with_fit, without), (held,), (worse,), (bad, right), _ = figures()
    assert sites == 60
    assert with_fit <= without / 3
    assert 70 <= held <= 90
    assert worse == 0
    assert right >= 0.9 * bad


ROWS = [
    {"outcome": "given", "without": "20 -40", "with_fit": "2 1.5", "deviations": "1 2"},
    {"outcome": "given", "without": "0.0 5.0", "with_fit": "-12.0 5.0", "deviations": "1 1"},
    {"outcome": "refused", "without": "0 1", "with_fit": "20 1", "deviations": "1 1"},
    {"outcome": "refused", "without": "9 9", "with_fit": "1 1", "deviations": "1 1"},
    {"outcome": "not read", "without": "0 0", "with_fit": "0 0", "deviations": "0 0"},
]


def test_a_summary_counts_what_is_given_worse_and_refused() -> None:
    rows = [
        {**row, "number": f"{number}", "kind": "a light load", "right": f"{number != 4}"}
        for number, row in enumerate(ROWS)
    ]
    assert [figure for _, figure in summary(rows)] == [
        "2 of 5",
        "3.5 %, without the fit 12.5 %",
        "25 % of them",
        "1 (number 1)",
        "3, refused with the right reason 1",
        "1 (number 3)",
    ]
