"""What the model carries: a short run says what a long one does."""

from dataclasses import replace

import pytest

from ctc.profiles import FEATURES
from isfc.layout.catalogue import load_layout
from isfc.layout.layout import Layout
from scenarios.run import Experiment, run
from scenarios.saturation import (
    SATURATING_PAIRS,
    STATED_PAIRS,
    carried,
)
from scenarios.workload import SUITES


def with_feature(layout: Layout, feature: str) -> Layout:
    fibres = {fibre: replace(fibre, profile=FEATURES[feature]) for fibre in layout.fibres}
    ctcs = tuple(replace(ctc, fibre=fibres[ctc.fibre]) for ctc in layout.ctcs)
    return replace(layout, fibres=tuple(fibres.values()), ctcs=ctcs)


LAYOUTS = {
    "published-4": load_layout("published-4"),
    "published-16": load_layout("published-16"),
    "Express8S": with_feature(load_layout("published-12"), "FICON Express8S"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LAYOUTS)
def test_short_run_is_within_4_percent_of_a_long_one(name: str) -> None:
    layout = LAYOUTS[name]
    short = carried(layout)[0]
    for pairs, rate in (
        (SATURATING_PAIRS, short.saturated_mb_per_s),
        (STATED_PAIRS, short.stated_mb_per_s),
    ):
        long = run(Experiment(layout, SUITES["HL"], pairs, 2.0, 0.5)).mb_per_s_out
        assert rate == pytest.approx(long, rel=0.04)


def test_both_directions_are_run() -> None:
    first, second = carried(LAYOUTS["published-4"])
    assert [first.sender, second.sender] == ["CLIENT", "SERVER"]
    assert first.saturated_mb_per_s == pytest.approx(second.saturated_mb_per_s, rel=0.05)
