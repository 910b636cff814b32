"""Clusters drawn from seeds: everything arrives once and in order, on every link."""

from dataclasses import replace

import pytest

from isfc.layout.sharing import shares_anything
from isfc.link.sequence import Resequencer
from tests.lengthy import few_in_every_run
from tools.simulation.cluster_swarm import KINDS, draw_cluster, run_cluster_scenario


def test_many_seeds_draw_everything() -> None:
    scenarios = [draw_cluster(seed) for seed in range(200)]
    collections = [scenario.collection for scenario in scenarios]
    assert {len(collection.systems) for collection in collections} == {2, 3, 4}
    assert any(collection.shared_channels for collection in collections)
    assert any(fibre.path for each in collections for link in each.links for fibre in link.fibres)
    straight = [
        fibre
        for each in collections
        for link in each.links
        for fibre in link.fibres
        if fibre.channels and fibre.channels[0] == fibre.channels[1]
    ]
    assert straight
    assert any(shares_anything(collection) for collection in collections)
    assert {varied.is_chpid for each in scenarios for varied in each.varied} == {True, False}
    assert {fault.kind for each in scenarios for fault in each.faults} == {*KINDS}


@pytest.mark.parametrize("seed", range(12))
def test_everything_arrives_once_and_in_order(seed: int) -> None:
    assert run_cluster_scenario(draw_cluster(seed)) > 0


@pytest.mark.at_length
@pytest.mark.parametrize("first", few_in_every_run(range(100, 400, 25), 4))
def test_everything_arrives_once_and_in_order_for_many_seeds(first: int) -> None:
    for seed in range(first, first + 25):
        assert run_cluster_scenario(draw_cluster(seed)) > 0, seed


def test_what_is_lost_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = replace(draw_cluster(3), varied=(), faults=())
    monkeypatch.setattr(Resequencer, "accept", lambda *_: [])
    with pytest.raises(AssertionError, match="conversation"):
        run_cluster_scenario(scenario)
