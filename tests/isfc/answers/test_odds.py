"""Two layouts have the same odds wherever they are compared: those of the range of their ratio."""

import json
from collections.abc import Iterator
from dataclasses import fields
from itertools import islice, pairwise
from math import log
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from ctc.features import CATALOGUE, find_profile
from isfc.answers.compare import pair_odds
from isfc.answers.limit import limit_line
from isfc.answers.results import compare_results
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.reports.figure import Figure
from scenarios.figures.certainty import Odds, nobody_is_ahead
from scenarios.figures.changed import AdviceVerdict, AfterLoss, ComparedLoad
from scenarios.figures.limit import LIKE_SHARE, Limit, Relief, Share
from scenarios.figures.ranges import link_ratio
from scenarios.figures.rates import Carried, EndRate
from scenarios.figures.resources import LINE, Resource
from scenarios.runs.experiment import STATED, SUITE, Experiment, Load
from scenarios.runs.result import MIB, Result, provenance
from scenarios.runs.steady import Rate
from scenarios.runs.workload import SUITES, Workload, free_workload
from scenarios.search.grid import Cell
from scenarios.search.scoring import Contender
from scenarios.search.sweep import groups, standings
from tests.layouts import layout_of

POINTS: float = 0.03
"""Within which odds are those of the range."""

SHARES = (0.025, 0.1, 0.5, 0.9, 0.975)
"""Of cases below the ends of a range, and below its figure."""

PAIRS: int = 50


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """One fibre to three of a feature, of one CTC to five each, some with a length."""
    profile = find_profile(draw(st.sampled_from([each.name for each in CATALOGUE])))
    km = draw(st.sampled_from([0.0, 0.0, 10.0]))
    made = layout_of(*[(2.0, draw(st.integers(1, 5)))] * draw(st.integers(1, 3)))
    return made.with_fibres(lambda fibre: replace(fibre, profile=profile, km=km))


def limit_of(layout: Layout, *reliefs: Relief) -> Limit:
    shares = (Share(Resource(LINE), 1.0, 1.0),)
    return Limit(run_of(layout), shares, shares, 1.5, reliefs)


def run_of(layout: Layout, workload: Workload = SUITES[SUITE]) -> Experiment:
    return Experiment.of(layout, workload, PAIRS)


def ahead(
    one: Layout,
    other: Layout,
    rates: tuple[float, float],
    folder: Path,
    workload: Workload = SUITES[SUITE],
) -> Iterator[Odds]:
    """The odds that the other is ahead, as each that compares two layouts has them."""
    load = Load(workload, PAIRS)
    rows: list[dict[str, str | int | float]] = [
        {"layout": name, "seed": 1, "mb_per_s": rate}
        for name, rate in zip("AB", rates, strict=True)
    ]
    wholes, contenders, files = [], [], []
    for layout, rate, row in zip((one, other), rates, rows, strict=True):
        found, links = Rate(rate, 0.0), Collection.of(layout)
        carried = Carried(links, load, {layout.name: (EndRate(found), EndRate(found))})
        wholes.append((str(row["layout"]), AfterLoss(None, carried, carried)))
        contenders.append(Contender(links, (found,), {}, load))
        files.append(folder / f"{row['layout']}.json")
        figures: dict[str, object] = dict.fromkeys((field.name for field in fields(Result)), 1.0)
        figures |= {"node": "ATLANTA", "mb_per_s": rate, "devices": []}
        figures |= {"workload": workload.name, "pairs": PAIRS}
        figures |= {"mb_per_s_out": workload.mean_length / MIB}
        figures |= {"mb_per_s_in": workload.reply_length / MIB}
        origin = asdict(provenance(run_of(layout, workload), version="1"))
        files[-1].write_text(json.dumps({**figures, "provenance": origin}))
    (pair,) = pair_odds(wholes)  # isfc compare, isfc.compare
    yield Odds(pair.odds if pair.ahead == "B" else 1 - pair.odds)
    yield contenders[1].odds_over(contenders[0])  # isfc optimise
    yield ComparedLoad(Rate(rates[0]), Rate(rates[1]), (one, other), load).odds  # check, plan
    cells = [
        Cell(row, run_of(each, workload)) for row, each in zip(rows, (one, other), strict=True)
    ]
    places = standings(groups(rows, ["layout"]), cells, rows, ["layout"])
    (said,) = (each for each in places.values() if isinstance(each, Odds))
    yield said if rates[1] > rates[0] else Odds(1 - said.share)
    told = compare_results(*files).odds  # isfc compare of results
    assert told is not None
    yield Odds(told)


def more_than_one(ratio: Figure) -> float:
    """The odds of a ratio by its range: between its ends, errors are even as logarithms."""
    assert ratio.range is not None
    sure, likely = ratio.range.sure, ratio.range.likely
    ends = (sure.low, likely.low, ratio.value, likely.high, sure.high)
    for (low, least), (high, most) in pairwise(zip(ends, SHARES, strict=True)):
        if low < 1 <= high:
            return 1 - least - (most - least) * log(1 / low) / log(high / low)
    return 0.975 if ends[0] >= 1 else 0.025


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(layouts(), layouts(), st.floats(50, 1200), st.floats(0.6, 1.7))
def test_odds_of_two_layouts_are_those_of_the_range_of_their_ratio(
    tmp_path: Path, one: Layout, other: Layout, rate: float, ratio: float
) -> None:
    assume(one != other and ratio != 1)
    share = more_than_one(link_ratio(ratio, one, other))
    for odds in ahead(one, other, (rate, rate * ratio), tmp_path):
        assert odds.share == pytest.approx(share, abs=POINTS)


@pytest.mark.parametrize("name", ["own", "256:256:100/1000"])
def test_odds_of_messages_that_ibm_did_not_measure_allow_for_how_far_they_are(
    name: str, tmp_path: Path
) -> None:
    # of results they were those of IBM's messages, and more than all others had
    one, other = layout_of((2.0, 2)), layout_of((2.0, 3))
    far = replace(free_workload("256:256:100", 1000), name=name)
    share = more_than_one(link_ratio(1.3, one, other, loads=[Load(far, PAIRS)]))
    assert share < more_than_one(link_ratio(1.3, one, other)) - POINTS
    for odds in ahead(one, other, (100.0, 130.0), tmp_path, far):
        assert odds.share == pytest.approx(share, abs=POINTS)


def test_a_layout_that_carries_nothing_is_behind(tmp_path: Path) -> None:
    """`isfc compare` took a second rate of 0 for as much as the first."""
    one, other = layout_of((2.0, 2)), layout_of((2.0, 3))
    compared, found, advised = islice(ahead(one, other, (0.0, 100.0), tmp_path), 3)
    assert compared.share == found.share == advised.share > 0.95


@given(layouts(), layouts(), st.floats(0.6, 1.7))
def test_verdicts_are_read_off_that_range(one: Layout, other: Layout, ratio: float) -> None:
    """`plan` says of what could be added that it is not known to gain where advice is open."""
    within = link_ratio(ratio, one, other)
    is_open = 0.25 < more_than_one(within) < 0.75
    compared = ComparedLoad(Rate(100.0), Rate(100.0 * ratio), (one, other), STATED)
    contender, given_one = (
        Contender(Collection((layout,)), (Rate(rate),), {}, STATED)
        for layout, rate in ((other, 100.0 * ratio), (one, 100.0))
    )
    assert nobody_is_ahead(compared.odds) is is_open
    assert (compared.verdict is AdviceVerdict.ALIKE) is (is_open or ratio == 1)
    assert contender.gains(given_one) is (ratio > 1 and not is_open)
    line = limit_line(limit_of(one, Relief("one more", within)), 100.0)
    assert ("one more is not known to gain" in line) is (is_open or abs(ratio - 1) <= LIKE_SHARE)
