"""Evacuations: every guest leaves as a relocation does, so many at the same time."""

import pytest

from isfc.errors import ConfigurationError
from isfc.layout.file import parse_collection, parse_layout
from isfc.link.name import NodeName
from isfc.testing.cluster import mesh
from scenarios.moves.evacuation import Evacuation, EvacuationOutcome, evacuate
from scenarios.moves.guest import GuestPlan
from scenarios.moves.guest_memory import GuestMemory
from scenarios.moves.relocation import Relocation, relocate
from scenarios.moves.targets import Placed
from scenarios.runs.experiment import Experiment
from scenarios.runs.steady import BATCHES_MIN, steady_links, sum_of
from scenarios.runs.workload import LinkLoad, find_workload

pytestmark = pytest.mark.at_length


MIB = 2**20
S1, S2, S3 = map(NodeName, ("S1", "S2", "S3"))


def tenant(name: str, memory: int, change_rate: int, to: NodeName) -> Placed:
    return Placed(
        GuestPlan(name, GuestMemory(size=memory, touched=memory, change_rate=change_rate)), S1, to
    )


TENANTS = (
    tenant("A", 64 * MIB, 5 * MIB, S2),
    tenant("B", 32 * MIB, 0, S3),
    tenant("C", 32 * MIB, 5 * MIB, S2),
)


def outcome(
    together: int = 1, *, shared: bool = False, loads: tuple[LinkLoad, ...] = ()
) -> EvacuationOutcome:
    collection = parse_collection(mesh(3, shared=shared))
    return evacuate(Evacuation(collection, (S1,), TENANTS, together, loads))


@pytest.mark.slow
def test_relocation_is_an_evacuation_over_one_link() -> None:
    text = mesh(2, shared=False)
    plans = TENANTS[0].plan, TENANTS[2].plan
    background = find_workload("HS"), 2
    expected = relocate(Relocation(parse_layout(text), plans, 2, S1, background))
    loads = (LinkLoad(S1, S2, *background),)
    evacuation = Evacuation(parse_collection(text), (S1,), (TENANTS[0], TENANTS[2]), 2, loads)
    assert tuple(each.moved for each in evacuate(evacuation).guests) == expected.guests


def test_guests_go_one_by_one_in_their_order() -> None:
    found = outcome()
    assert [each.moved.plan.name for each in found.guests] == ["A", "B", "C"]
    assert found.all_moved
    for before, after in zip(found.guests[:-1], found.guests[1:], strict=True):
        assert 0 <= after.begin_s - before.end_s <= 0.006


def test_guests_on_links_of_their_own_go_together_as_fast_as_alone() -> None:
    alone, together = outcome(), outcome(2)
    assert together.guests[1].begin_s == 0
    assert together.guests[1].moved.seconds == pytest.approx(
        alone.guests[1].moved.seconds, rel=0.02
    )
    assert together.seconds < 0.8 * alone.seconds


def test_guests_on_links_that_share_a_chpid_share_its_rate() -> None:
    alone, together = outcome(shared=True), outcome(2, shared=True)
    assert together.guests[1].moved.seconds > 1.5 * alone.guests[1].moved.seconds


def test_other_traffic_gets_less_meanwhile_and_is_run_no_longer_without_guests() -> None:
    load = LinkLoad(S1, S2, find_workload("HS"), 2)  # two paces: never known well enough
    found = outcome(2, shared=True, loads=(load,))
    (traffic,) = found.traffic
    assert traffic.link == "S1-S2"
    assert 0 < traffic.meanwhile_mb_per_s < 0.9 * traffic.alone.mb_per_s
    collection = parse_collection(mesh(3, shared=True))
    assert found.seconds < 1
    known = steady_links(Experiment(collection, (load,)), BATCHES_MIN).rates["S1-S2"]
    assert traffic.alone == sum_of(known)  # two beginnings


def test_what_cannot_be_evacuated_is_refused() -> None:
    collection = parse_collection(mesh(3, shared=False))
    with pytest.raises(ConfigurationError, match="guests 0: expected 1 to 500"):
        Evacuation(collection, (S1,), ())
    with pytest.raises(ConfigurationError, match="together 17: expected 1 to 16"):
        Evacuation(collection, (S1,), TENANTS, 17)
    with pytest.raises(ConfigurationError, match="no link joins S1 and S9"):
        Evacuation(collection, (S1,), (tenant("X", MIB, 0, NodeName("S9")),))
