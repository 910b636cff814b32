"""How near explanations come: by the nearest of two ways of a link, and by fibres."""

from math import exp
from types import SimpleNamespace
from typing import Any

import pytest

from isfc.layout.catalogue import load_layout
from scenarios.figures.site_compare import MeasuredFigure
from scenarios.search.site_evidence import MORE_SEEDS, SEEDS, Evidence
from scenarios.search.site_rivals import Rival

LAYOUT = load_layout("atlanta-boston")
PLACES = [("ATLANTA", name, "conn_ms") for ctc in LAYOUT.ctcs for name in ctc.rdev_names[:1]]


def evidence(by_seed: dict[int, list[float]]) -> tuple[Evidence, list[int]]:
    """Runs that are so far off, as logarithms, by their seeds; and the seeds that were run."""
    import numpy

    seeds = list[int]()

    def each(calls: list[Any]) -> list[list[MeasuredFigure]]:
        seeds.extend(call.args[-1] for call in calls)
        return [
            [
                MeasuredFigure(*place, measured=1.0, emulated=exp(off), judged=True)
                for place, off in zip(PLACES, by_seed.get(call.args[-1], by_seed[1]), strict=True)
            ]
            for call in calls
        ]

    search: Any = SimpleNamespace(counts=[len(PLACES)], places=PLACES)
    runs: Any = SimpleNamespace(each=each)
    return Evidence(search, numpy.full(len(PLACES), 0.03), runs), seeds


INTERVAL: Any = None
RIVAL = Rival("the fit", LAYOUT, [INTERVAL], 0, LAYOUT)


@pytest.mark.parametrize("seed", [SEEDS[-1], MORE_SEEDS[-1]])
def test_of_a_link_that_goes_one_of_two_ways_the_nearer_counts(seed: int) -> None:
    # a site that the model had exactly was 40 % off, as two seeds of three went the other way
    found, seeds = evidence({1: [0.4] * len(PLACES), seed: [0.01] * len(PLACES)})
    (nearest,) = found.explained([RIVAL])
    assert nearest.off_percent == pytest.approx(1, abs=0.01)
    assert [*dict.fromkeys(seeds)] == [*SEEDS, *MORE_SEEDS]


def test_runs_that_go_one_way_count_together() -> None:
    found, _ = evidence({1: [0.03] * len(PLACES), 2: [0.025] * len(PLACES)})
    (nearest,) = found.explained([RIVAL])
    assert 2.5 < nearest.off_percent < 3.1


@pytest.mark.parametrize(("apart", "said"), [(0.15, True), (0.05, False)])
def test_a_fibre_that_is_slower_than_another_is_told(apart: float, said: bool) -> None:
    fibres = [ctc.fibre.name for ctc in LAYOUT.ctcs]
    found, _ = evidence({1: [apart if name == fibres[0] else -apart for name in fibres]})
    doubts = [*found.unlike(RIVAL)]
    assert bool(doubts) is said
    assert all("fibres are not alike: Conn is -14 % on 1, +16 % on 2" in each for each in doubts)
