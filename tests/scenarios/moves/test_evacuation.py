"""Evacuations: every guest leaves as a relocation does, so many at the same time."""

from dataclasses import replace

import pytest

from isfc.errors import ConfigurationError
from isfc.layout.file import parse_collection
from isfc.link.name import NodeName
from isfc.testing.cluster import mesh
from scenarios.moves.compared import evacuate
from scenarios.moves.evacuation import Evacuation, EvacuationOutcome, move
from scenarios.moves.guest import GuestMemory, GuestPlan, Limits
from scenarios.moves.targets import Placed
from scenarios.runs.experiment import Experiment
from scenarios.runs.steady import steady_ends, sum_of
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
    return move(Evacuation(collection, (S1,), TENANTS, together=together, loads=loads))


def test_guests_go_one_by_one_in_their_order() -> None:
    found = outcome()
    assert [each.plan.name for each in found.guests] == ["A", "B", "C"]
    assert found.all_moved
    for before, after in zip(found.guests[:-1], found.guests[1:], strict=True):
        assert 0 <= after.begin_s - before.end_s <= 0.006


def test_guests_on_links_of_their_own_go_together_as_fast_as_alone() -> None:
    alone, together = outcome(), outcome(2)
    assert together.guests[1].begin_s == 0
    assert together.guests[1].seconds == pytest.approx(alone.guests[1].seconds, rel=0.02)
    assert together.seconds < 0.8 * alone.seconds


def test_guests_on_links_that_share_a_chpid_share_its_rate() -> None:
    alone, together = outcome(shared=True), outcome(2, shared=True)
    assert together.guests[1].seconds > 1.5 * alone.guests[1].seconds


@pytest.mark.slow
def test_other_traffic_gets_less_meanwhile_than_it_gets_alone() -> None:
    collection = parse_collection(mesh(3, shared=True))
    there, back = (LinkLoad(*way, find_workload("HS"), 2) for way in ((S1, S2), (S2, S1)))
    load = Experiment(collection, (there, back))
    found = evacuate(Evacuation(collection, (S1,), TENANTS, together=2, loads=load.loads))
    (alone,), (meanwhile,) = found.alone, found.meanwhile
    assert alone.link == meanwhile.link == "S1-S2"
    assert 0 < meanwhile.rate.mb_per_s < 0.9 * alone.rate.mb_per_s
    assert 0 < meanwhile.exchanges_per_s < 0.9 * alone.exchanges_per_s
    ends = steady_ends(load).ends.values()
    assert alone.rate == sum_of([each.rate for each in ends])  # two beginnings
    assert 2 * alone.exchanges_per_s == sum(each.result.messages_per_s_in for each in ends)


def test_ctcs_of_every_link_that_guests_leave_by_are_seen() -> None:
    found = outcome()
    links = {(each.system, each.partner): each for each in found.devices if each.io_per_s}
    assert links.keys() == {(S1, S2), (S1, S3)}


def test_what_would_move_a_guest_is_found_for_each_link() -> None:
    """Beside one that is moved, with what is said of a relocation of it alone."""
    collection = parse_collection(mesh(3, shared=False))
    kept = replace(tenant("X", 32 * MIB, 2000 * MIB, S3), plan=stuck())
    away = Evacuation(collection, (S1,), (TENANTS[0], kept))
    (alone,) = evacuate(Evacuation.over(collection.link("S1-S3"), [stuck()])).would_move
    moved, found = evacuate(away).would_move
    assert moved is None
    assert found is not None
    assert alone is not None
    assert found.bytes_per_s == pytest.approx(alone.bytes_per_s, rel=0.01)
    assert (found.max_quiesce_s, found.channels) == (alone.max_quiesce_s, alone.channels)


def stuck() -> GuestPlan:
    memory = GuestMemory(size=32 * MIB, touched=32 * MIB, change_rate=2000 * MIB)
    return GuestPlan("X", memory, Limits(max_quiesce=0.05))


def test_what_cannot_be_evacuated_is_refused() -> None:
    collection = parse_collection(mesh(3, shared=False))
    with pytest.raises(ConfigurationError, match="guests 0: expected 1 to 500"):
        Evacuation(collection, (S1,), ())
    with pytest.raises(ConfigurationError, match="together 17: expected 1 to 16"):
        Evacuation(collection, (S1,), TENANTS, together=17)
    with pytest.raises(ConfigurationError, match="no link joins S1 and S9"):
        Evacuation(collection, (S1,), (tenant("X", MIB, 0, NodeName("S9")),))
