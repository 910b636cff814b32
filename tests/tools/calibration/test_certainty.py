"""What ranges are made from: errors of suites left out, and how much of a suite they cover."""

import pytest

from scenarios.figures.certainty import (
    FOUR_OF_FIVE,
    NINETEEN_OF_TWENTY,
    Family,
    FigureKind,
    errors_of,
)
from tools.calibration.certainty import (
    Miss,
    covered,
    covering,
    directions,
    families,
    figures,
    foretold,
    ratios,
    score,
    tells,
    within,
)

POINTS: float = 0.05
"""How far coverage may be from what is stated."""


def miss(factor: float, suite: str = "") -> Miss:
    return Miss("figure", FigureKind.RATE, Family("all links"), suite, "", 1.0, factor, "a test")


def test_ranges_cover_a_suite_that_was_left_out_as_they_state() -> None:
    """Within five points, in every family of which suites tell each other, of both draws.

    Of the others, which take a wider family's factors, no fewer rows than stated but for five
    points. The errors are of a fast copy of the model, fitted to the other suites.
    """
    told, taken = [], []
    for (_, of, family), misses in families(figures()).items():
        errors = errors_of(FigureKind(of), family)
        assert errors.family == family, "every family with enough rows has a line"
        for share, factor in (
            (FOUR_OF_FIVE, errors.four_of_five),
            (NINETEEN_OF_TWENTY, errors.nineteen_of_twenty),
        ):
            reached = covered(family, misses, share, factor)
            if score(misses, share) and tells(family, misses):
                told.append(family)
                assert abs(reached - share) <= POINTS + 1e-9, (of, str(family), reached)
            else:
                taken.append(family)
                assert reached >= share - POINTS, (of, str(family), reached)
    assert len(told) > 10
    assert len(taken) > 10


def test_a_suite_that_is_farther_off_than_the_others_say_widens_the_range() -> None:
    alike = [miss(1.1, suite) for suite in "ABC" for _ in range(10)]
    assert covering(alike, 0.8) == pytest.approx(1.1)
    one_is_worse = [*alike, *(miss(1.4, "D") for _ in range(10))]
    plain = within((each.factor for each in one_is_worse), 0.8)
    assert covering(one_is_worse, 0.8) >= plain


def test_a_factor_stands_where_a_further_error_would_stay_within() -> None:
    factors = [1 + index / 100 for index in range(1, 20)]
    assert within(factors, 0.8) == pytest.approx(1.16)
    assert within(factors, 0.95) == pytest.approx(1.19)
    assert within(factors[:3], 0.95) == factors[2]


@pytest.mark.parametrize(
    ("size", "of_five", "of_twenty"),
    [("", 0.80, 0.92), ("large messages", 0.82, 0.97), ("small messages", 0.78, 0.85)],
)
def test_what_neither_suite_nor_search_has_told_is_covered(
    size: str, of_five: float, of_twenty: float
) -> None:
    """Within five points as well, but for nineteen of twenty of small messages.

    One search without HS makes few pairs of short messages much faster than the other does. The
    range of small messages is as wide as that takes; no other errors foretell it.
    """
    family = Family("several CTCs, few collisions" if size else "several CTCs", size)
    misses = families(figures())["figure", FigureKind.RATE, family]
    assert foretold(misses, FOUR_OF_FIVE) == pytest.approx(of_five, abs=0.01)
    assert foretold(misses, NINETEEN_OF_TWENTY) == pytest.approx(of_twenty, abs=0.01)
    assert errors_of(FigureKind.RATE, family).nineteen_of_twenty >= within(
        (miss.factor for miss in misses), NINETEEN_OF_TWENTY
    ) * (0.999 if size == "small messages" else 0.9)


def test_pairs_are_counted_by_the_size_of_their_ratio_and_shares_rise() -> None:
    found = directions(ratios())
    for of in {(line["of"], line["regime"]) for line in found}:
        lines = [line for line in found if (line["of"], line["regime"]) == of]
        shares = [int(line["right"]) / int(line["pairs"]) for line in lines]
        assert shares == sorted(shares)
        assert shares[-1] > (0.75 if of == ("pairs", "one CTC") else 0.9)
