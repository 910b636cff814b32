"""Ranges of figures and odds of choices, from errors that are known."""

import pytest

from isfc.reports.figure import Figure, Interval, Range, Unit
from scenarios.figures.certainty import (
    Differs,
    Family,
    FigureKind,
    Odds,
    errors_of,
    family_of,
    odds_ahead,
    odds_reached,
    range_of,
    ratio_errors,
    ratio_range,
)

HL = family_of(12, 118_000, 50, appc=False)
COLLIDING = family_of(12, 118_000, 50, 40.0, appc=False)


def of(ratio: float, within: Range) -> Figure:
    return Figure(ratio, Unit.TIMES, within)


@pytest.mark.parametrize("kind", FigureKind)
@pytest.mark.parametrize("ctcs", [1, 4, 16])
@pytest.mark.parametrize("pairs", [1, 100])
@pytest.mark.parametrize("appc", [False, True])
def test_every_run_has_a_range_with_its_figure_in_it(
    kind: FigureKind, ctcs: int, pairs: int, appc: bool
) -> None:
    found = range_of(kind, 100.0, family_of(ctcs, 600, pairs, appc=appc))
    ends = (found.sure.low, found.likely.low, 100.0, found.likely.high, found.sure.high)
    assert list(ends) == sorted(ends)
    assert found.likely.low < found.likely.high


def test_a_family_of_few_rows_takes_the_wider_one_and_says_so() -> None:
    found = range_of(FigureKind.RATE, 1000.0, COLLIDING)
    assert errors_of(FigureKind.RATE, COLLIDING).family == Family("several CTCs")
    assert f"too few of {COLLIDING}" in found.describe()


def test_a_range_is_written_with_three_digits() -> None:
    found = range_of(FigureKind.RATE, 1016.4, HL)
    low, high = (f"{float(f'{end:.3g}'):,g}" for end in (found.likely.low, found.likely.high))
    assert str(Figure(1016.4, Unit.MB_PER_S, found)) == f"1,020 ({low} to {high})"


@pytest.mark.parametrize("differs", Differs)
def test_a_ratio_is_off_less_than_two_figures_are(differs: Differs) -> None:
    of_figure = errors_of(FigureKind.RATE, Family("several CTCs")).nineteen_of_twenty
    assert ratio_errors(differs).nineteen_of_twenty < of_figure**2


@pytest.mark.parametrize("differs", Differs)
@pytest.mark.parametrize("one_ctc", [False, True])
def test_odds_mirror_each_other_and_lie_inside_of_what_is_known(
    differs: Differs, one_ctc: bool
) -> None:
    for ratio in (1.0, 1.01, 1.04, 1.08, 1.15, 1.4, 2.0, 10.0):
        ahead, behind = (
            odds_ahead(of(each, ratio_range(each, differs, one_ctc=one_ctc))).share
            for each in (ratio, 1 / ratio)
        )
        assert 0.5 <= ahead <= 0.975
        assert ahead + behind == pytest.approx(1)


def test_a_choice_between_links_of_which_one_has_one_ctc_is_less_sure() -> None:
    """IBM's rows tell them less well, so that a choice is surer between several CTCs."""
    one, several = (ratio_range(1.1, one_ctc=one_ctc) for one_ctc in (True, False))
    assert "with one CTC" in one.basis
    assert odds_ahead(of(1.1, one)).share < odds_ahead(of(1.1, several)).share


@pytest.mark.parametrize("ratio", [0.0, -1.0, float("nan")])
def test_a_ratio_that_is_none_has_no_odds(ratio: float) -> None:
    with pytest.raises(ValueError, match="expected more than 0"):
        odds_ahead(of(ratio, ratio_range(ratio)))


def test_odds_of_reaching_are_those_of_the_range() -> None:
    found = of(100.0, Range(Interval(80.0, 150.0), Interval(60.0, 200.0), "rows"))
    shares = [odds_reached(found, wanted).share for wanted in (1, 60, 80, 100, 150, 200, 900)]
    assert shares == pytest.approx([0.975, 0.975, 0.9, 0.5, 0.1, 0.025, 0.025])
    assert 0.5 < odds_reached(found, 95).share < odds_reached(found, 90).share < 0.9


def test_odds_are_written_with_one_base() -> None:
    assert [str(Odds(share)) for share in (0.0, 0.5, 0.902, 0.975, 1.0)] == [
        f"{count} of 100" for count in (1, 50, 90, 97, 99)
    ]
    assert str(Odds(0.1).leading) == "90 of 100"
