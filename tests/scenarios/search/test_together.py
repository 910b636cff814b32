"""Places of the CTCs of all links: what is plainly better is found, and what links have stays."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_collection
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection
from isfc.layout.write import format_collection
from isfc.testing.cluster import mesh
from scenarios.runs.experiment import STATED
from scenarios.search.candidate import candidate_of
from scenarios.search.optimise import optimise, placed
from scenarios.search.scoring import Figures, LinksObjective, Scoring, Task

pytestmark = pytest.mark.at_length


COLLECTION = load_collection(Path("docs/optimise-cluster.toml"))
LOAD = STATED.of(COLLECTION)
SCORING = Scoring((LinksObjective.SUM,), LOAD, seconds=0.05, warmup=0.025)
TASK = Task(COLLECTION, SCORING, runs=24, seeds=2)


def here(
    work: Callable[[Collection], Figures], items: Sequence[Collection]
) -> Iterator[tuple[int, Figures]]:
    yield from ((index, work(item)) for index, item in enumerate(items))


@pytest.mark.slow
def test_ctcs_that_crowd_one_chpid_are_spread() -> None:
    found = optimise(TASK, here)
    best = found.best[0]
    assert best.gains(found.given)
    assert best.figures[0].value > 1.1 * found.given.figures[0].value
    for link in best.collection.links:
        assert {ctc.fibre.name for ctc in link.ctcs} == {fibre.name for fibre in link.fibres}
        assert len(link.fibres) == 2
    assert found.moves
    assert {move.before.name for move in found.moves} <= {"T1", "A1", "T2", "A2"}


def test_the_same_task_finds_the_same() -> None:
    task = replace(TASK, scoring=replace(SCORING, seconds=0.02), runs=6, seeds=1)
    assert optimise(task, here).best == optimise(task, here).best


@pytest.mark.slow
def test_the_worst_link_may_count() -> None:
    worst = replace(SCORING, objectives=(LinksObjective.WORST_LINK,))
    best = optimise(replace(TASK, scoring=worst, runs=6, seeds=1), here).best[0]
    assert best.figures[0].value == min(rate.mb_per_s for rate in best.links.values())


def test_the_worst_loss_may_count_and_links_without_traffic_stay_as_they_are() -> None:
    only = replace(LOAD, traffic=LOAD.traffic[:1])
    scoring = replace(SCORING, objectives=(LinksObjective.WORST_LOSS,), load=only)
    scoring = replace(scoring, seconds=0.01, warmup=0.005)
    found = optimise(replace(TASK, scoring=scoring, runs=4, seeds=1), here)
    best = found.best[0]
    assert 0 < best.figures[0].value < sum(rate.mb_per_s for rate in best.links.values())
    loaded = {LOAD.traffic[0].client, LOAD.traffic[0].server}
    for each in found.best:
        for old, new in zip(COLLECTION.links, each.collection.links, strict=True):
            if {*old.nodes} != loaded:
                assert old.ctcs == new.ctcs


def test_links_keep_their_ctcs_and_numbers_wherever_they_are_placed() -> None:
    crossed = tuple(candidate_of(link)[::-1] for link in COLLECTION.links)
    moved = placed(COLLECTION, crossed)
    for old, new in zip(COLLECTION.links, moved.links, strict=True):
        assert [ctc.rdevs for ctc in old.ctcs] == [ctc.rdevs for ctc in new.ctcs]
    assert placed(moved, tuple(map(candidate_of, COLLECTION.links))) == COLLECTION
    ordered = tuple(link.in_order() for link in moved.links)
    assert parse_collection(format_collection(moved)).links == ordered


def test_a_fibre_without_ctcs_is_left_out_with_what_was_shared_by_it() -> None:
    alone = placed(COLLECTION, ((0, 0, 0, 0), (1, 1, 1, 1)))
    assert [[fibre.name for fibre in link.fibres] for link in alone.links] == [["A1"], ["T2"]]
    assert {fibre.channels for link in alone.links for fibre in link.fibres} == {()}


def test_one_fibre_a_link_leaves_nothing_to_choose() -> None:
    only = parse_collection(mesh(3, shared=True))
    with pytest.raises(ConfigurationError, match="each link with traffic has one fibre"):
        optimise(replace(TASK, collection=only), here)
