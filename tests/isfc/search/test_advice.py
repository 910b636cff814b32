"""The advice of IBM's report, asked of the model alone: where it agrees, and where it does not."""

from collections.abc import Sequence
from functools import cache

import pytest

from isfc.layout.file import parse_layout
from isfc.layout.layout import Collection, Layout
from isfc.search.numbering import numbered
from isfc.search.objective import Objective, Scoring
from scenarios.cluster import LinkLoad
from scenarios.workload import find_workload
from tools.pages.console import PROJECT

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
    load = LinkLoad(*layout.nodes, find_workload("HL"), 50)
    scoring = Scoring((objective,), (load,), seconds=0.6, warmup=0.3)
    return scoring.figures(Collection((layout,)))[0].mb_per_s


def test_four_ctcs_nearly_fill_a_chpid_and_more_gain_little() -> None:
    two, four, five, eight = (measured(Objective.FORWARD, [4], each) for each in (2, 4, 5, 8))
    assert four > 1.3 * two
    # replies do not slow a direction whose line is full: more writers come nearer to that line
    assert four < five < 1.05 * four
    assert five < eight < 1.08 * four


@pytest.mark.at_length
def test_single_fast_chpid_belongs_in_the_middle_for_both_directions() -> None:
    middle, *extremes = (
        measured(Objective.SYMMETRIC, order, 4) for order in ([2, 4, 2], [4, 2, 2], [2, 2, 4])
    )
    assert middle > 1.05 * max(extremes)


def test_fast_chpids_at_the_top_favour_the_system_that_scans_from_there() -> None:
    order = [4, 4, 2, 2]
    assert measured(Objective.FORWARD, order, 4) > measured(Objective.REVERSE, order, 4)


@pytest.mark.at_length
def test_model_disagrees_that_two_fast_chpids_belong_at_the_extremes() -> None:
    extremes = measured(Objective.SYMMETRIC, [4, 2, 2, 4], 4)
    middle = measured(Objective.SYMMETRIC, [2, 4, 4, 2], 4)
    assert extremes < middle < 1.05 * extremes


PAGE = " ".join((PROJECT / "docs/optimise.md").read_text("utf-8").split())


def both_ways(features: Sequence[int], each: int) -> tuple[int, int]:
    """MB/s forward and in reverse, as the page has them."""
    forward, reverse = (
        round(measured(way, features, each)) for way in (Objective.FORWARD, Objective.REVERSE)
    )
    return forward, reverse


@pytest.mark.at_length
def test_figures_of_the_page_are_the_model_s() -> None:
    counts = ", ".join(str(round(measured(Objective.FORWARD, [4], each))) for each in range(2, 9))
    assert f"agrees: {counts} MB/s with 2 to 8 CTCs on one Express4" in PAGE
    middle, last = both_ways([2, 4, 2], 4), both_ways([2, 2, 4], 4)
    assert len({*middle}) == 1
    assert f"agrees: {middle[0]} MB/s each way with Express4 in the middle" in PAGE
    assert f"{last[0]} one way and {last[1]} the other with it at an end" in PAGE
    inside, outside = (
        [both_ways(order, each) for each in (4, 3)] for order in ([2, 4, 4, 2], [4, 2, 2, 4])
    )
    assert all(len({*ways}) == 1 for ways in (*inside, *outside))
    assert f"carry {inside[0][0]} MB/s each way with 16 CTCs and {inside[1][0]} with 12;" in PAGE
    assert f"at the extremes {outside[0][0]} and {outside[1][0]}" in PAGE
    gains = [a / b - 1 for (a, _), (b, _) in zip(inside, outside, strict=True)]
    assert f"disagrees, by {min(gains) * 100:.0f} to {max(gains) * 100:.0f} %" in PAGE
