"""The swarm: pairs and clusters, each with its misfortunes, drawn from seeds; it finds mistakes."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from isfc.layout.file import parse_collection
from isfc.layout.sharing import shares_anything
from isfc.link.package import Package
from isfc.link.segment import Resequencer
from isfc.testing.pair import MS, SendMessages, Setup, Wait
from scenarios.faults.disturbance import Throttled
from scenarios.faults.fault import Fault, FaultKind
from tests.lengthy import few_in_every_run
from tools.simulation.scenario import CLUSTER_KINDS, KINDS, Scenario, draw, draw_cluster, shrink
from tools.simulation.swarm import outcome, run

LENGTHS = (100_000,) * 10


HEADERS = 14_658
"""Headers count among the bytes that the reader has not counted yet."""
THROTTLED = 13_715
"""What a throttle lets through is handed over before bytes are counted."""


@pytest.mark.parametrize(
    ("drawn", "seed"),
    [
        *((draw, seed) for seed in (*range(1_000, 1_010), HEADERS, THROTTLED)),
        *((draw_cluster, seed) for seed in range(12)),
    ],
)
def test_everything_arrives_once_and_in_order(drawn: Callable[[int], Scenario], seed: int) -> None:
    found = run(drawn(seed))
    assert found["messages" if drawn is draw_cluster or seed == HEADERS else "events"] > 0


@pytest.mark.at_length
@pytest.mark.parametrize(
    ("drawn", "first", "count"),
    [
        *few_in_every_run([(draw, first, 50) for first in range(0, 500, 50)], 4),
        *few_in_every_run([(draw_cluster, first, 25) for first in range(100, 400, 25)], 4),
    ],
)
def test_everything_arrives_in_many(
    drawn: Callable[[int], Scenario], first: int, count: int
) -> None:
    for seed in range(first, first + count):
        assert run(drawn(seed))["messages" if drawn is draw_cluster else "events"] > 0, seed


def test_seed_decides_everything() -> None:
    assert draw(3) == draw(3) != draw(4)
    assert run(draw(3)) == run(draw(3))


def test_many_seeds_draw_everything() -> None:
    scenarios = [draw(seed) for seed in range(300)]
    setups = [scenario.links for scenario in scenarios if isinstance(scenario.links, Setup)]
    assert {setup.ctc_count for setup in setups} == {*range(1, 17)}
    assert {setup.fibre_count for setup in setups} == {1, 2, 3, 4}
    kinds = {fault.kind for scenario in scenarios for fault in scenario.faults}
    assert kinds == {*KINDS, FaultKind.THROTTLED}
    names = {name for setup in setups for name in setup.names}
    assert {len(name) for name in names} == {*range(1, 9)}


def test_many_seeds_draw_every_kind_of_cluster() -> None:
    scenarios = [draw_cluster(seed) for seed in range(200)]
    collections = [parse_collection(str(scenario.links)) for scenario in scenarios]
    assert {len(collection.systems) for collection in collections} == {2, 3, 4, 5, 6}
    assert any(collection.shared_channels for collection in collections)
    fibres = [fibre for each in collections for link in each.links for fibre in link.fibres]
    assert any(fibre.path for fibre in fibres)
    assert any(fibre.channels and fibre.channels[0] == fibre.channels[1] for fibre in fibres)
    assert any(shares_anything(collection) for collection in collections)
    kinds = {fault.kind for each in scenarios for fault in each.faults}
    assert kinds == {*CLUSTER_KINDS}


def test_messages_that_are_held_back_for_ever_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Throttled, "_has_room", lambda throttle: throttle.limit is None)
    setup = Setup(ctc_count=2)
    plan = (Wait(MS), SendMessages(0, LENGTHS), Wait(MS))
    fault = Fault(FaultKind.THROTTLED, 0, setup.definition(0).name, 10 * MS, amount=0)
    with pytest.raises(AssertionError):
        run(Scenario(1, setup, plan, (fault,), answers=False))


def test_broken_resequencer_is_found_and_its_scenario_made_small(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def accept_all(_: Resequencer, package: Package) -> list[object]:
        return list(package.messages)

    monkeypatch.setattr(Resequencer, "accept", accept_all)
    scenario = next(draw(seed) for seed in range(200) if isinstance(outcome(draw(seed)), str))
    least = shrink(scenario, lambda each: isinstance(outcome(each), str))
    assert isinstance(outcome(least), str)
    assert len(least.plan) + len(least.faults) < len(scenario.plan) + len(scenario.faults)


def test_what_is_lost_in_a_cluster_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = replace(draw_cluster(3), plan=(SendMessages(0, LENGTHS),), faults=())
    monkeypatch.setattr(Resequencer, "accept", lambda *_: [])
    with pytest.raises(AssertionError, match="still waiting"):
        run(scenario)
