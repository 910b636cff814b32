"""The advice of IBM's report, asked of the model alone: where it agrees, and where it does not."""

import pytest

from scenarios.search.scoring import Objective
from tools.pages.simulated import mb_per_s

pytestmark = [pytest.mark.slow, pytest.mark.at_length]


def test_four_ctcs_fill_a_chpid_and_more_gain_nothing() -> None:
    two, four, five, eight = (mb_per_s(Objective.FORWARD, [4], each) for each in (2, 4, 5, 8))
    assert four > 1.3 * two
    assert 0.97 * four < eight < five < 1.02 * four


def test_single_fast_chpid_belongs_in_the_middle_for_both_directions() -> None:
    middle, *extremes = (
        mb_per_s(Objective.SYMMETRIC, order, 4) for order in ([2, 4, 2], [4, 2, 2], [2, 2, 4])
    )
    assert middle > 1.05 * max(extremes)


def test_fast_chpids_at_the_top_favour_the_system_that_scans_from_there() -> None:
    order = [4, 4, 2, 2]
    assert mb_per_s(Objective.FORWARD, order, 4) > mb_per_s(Objective.REVERSE, order, 4)


def test_model_disagrees_that_two_fast_chpids_belong_at_the_extremes() -> None:
    extremes = mb_per_s(Objective.SYMMETRIC, [4, 2, 2, 4], 4)
    middle = mb_per_s(Objective.SYMMETRIC, [2, 4, 4, 2], 4)
    assert extremes < middle < 1.05 * extremes
