"""The advice of IBM's report, asked of the model alone: where it agrees, and where it does not."""

from collections.abc import Sequence
from functools import cache

import pytest

from isfc.layout.file import parse_layout
from isfc.layout.layout import Layout
from isfc.search.numbering import numbered
from isfc.search.objective import Objective, ScoredLoad, score
from scenarios.workload import find_workload

LOAD = ScoredLoad(find_workload("HL"), pairs=50, seconds=0.6, warmup=0.3)
pytestmark = pytest.mark.slow


@cache
def chpids(*features: int) -> Layout:
    """Fibres of FICON Express2 or Express4, with a CTC each."""
    return parse_layout(
        "".join(
            f'[fibre.{number}]\nfeature = "FICON Express{feature}"\n'
            f'chpid = {{ DALLAS = "5{number}", TULSA = "6{number}" }}\n'
            for number, feature in enumerate(features)
        )
        + "".join(
            f'[[ctc]]\nfibre = "{number}"\n'
            f'rdevs = {{ DALLAS = "50{number}0", TULSA = "60{number}0" }}\n'
            for number in range(len(features))
        )
    )


def measured(objective: Objective, features: Sequence[int], each: int) -> float:
    """MB/s of so many CTCs on each chpid, the chpids in the order given."""
    candidate = tuple(number for number in range(len(features)) for _ in range(each))
    layout = numbered(chpids(*features), candidate)
    assert layout is not None
    return score(objective, layout, LOAD)


def test_four_ctcs_fill_a_chpid_and_more_gain_next_to_nothing() -> None:
    two, four, five, eight = (measured(Objective.FORWARD, [4], each) for each in (2, 4, 5, 8))
    assert four > 1.1 * two
    assert 0.97 * four < five < 1.03 * four
    assert 0.97 * four < eight < 1.03 * four


def test_single_fast_chpid_belongs_in_the_middle_for_both_directions() -> None:
    middle, *extremes = (
        measured(Objective.SYMMETRIC, order, 4) for order in ([2, 4, 2], [4, 2, 2], [2, 2, 4])
    )
    assert middle > 1.05 * max(extremes)


def test_fast_chpids_at_the_top_favour_the_system_that_scans_from_there() -> None:
    order = [4, 4, 2, 2]
    assert measured(Objective.FORWARD, order, 4) > measured(Objective.REVERSE, order, 4)


def test_model_disagrees_that_two_fast_chpids_belong_at_the_extremes() -> None:
    extremes = measured(Objective.SYMMETRIC, [4, 2, 2, 4], 4)
    middle = measured(Objective.SYMMETRIC, [2, 4, 4, 2], 4)
    assert extremes < middle < 1.05 * extremes
