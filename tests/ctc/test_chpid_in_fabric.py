"""Ends of one channel in a fabric: their pace is the fabric's, and they say what they wait for."""

import pytest
from msgspec.structs import replace

from ctc.address import ChpidId
from ctc.channel import NOTHING
from ctc.chpid import Chpid
from ctc.contention import BYTES, LINE, SENDER
from ctc.device import Ctc
from ctc.fabric import DeadlinesChanged, Fabric, FabricRoute
from ctc.features import ChpidProfile
from tests.ctc.cable import PLAIN, Cargo
from tests.ctc.test_chpid import NEAR_NS, ctc_on, fibre


def joined(fabric: Fabric, *routes: FabricRoute, profile: ChpidProfile) -> list[Chpid[Ctc]]:
    """The end of each route in a fabric, each of a system of its own."""
    ends = []
    for route in routes:
        end = Chpid[Ctc](ChpidId(0x40), profile, NOTHING, fabric.queue(route.here))
        end.join(fabric, fabric.path(route), DeadlinesChanged())
        ends.append(end)
    return ends


def test_two_paths_of_a_channel_count_as_one_where_it_rolls_off() -> None:
    profile = replace(PLAIN, processor_ns_per_byte=4.0, roll_off=0.5)
    fabric = Fabric()
    routes = (FabricRoute("A", "B"), FabricRoute("A", "C"))
    first, second = joined(fabric, *routes, profile=profile)
    user = ctc_on(first)
    first.begin(user, Cargo(10**6), 0)
    second.begin(ctc_on(second), Cargo(10**6), 1_000_000)
    assert fabric.queue("A").crowding(profile.roll_off) == 1.5
    for end in (first, second):
        assert end.slowed == pytest.approx((SENDER, 2 / 3))
    # the first alone, then half of it
    busy_ns = [first.processor_ns(now_ns) for now_ns in (1_000_000, 2_000_000)]
    assert busy_ns == pytest.approx([1_000_000, 1_500_000], rel=1e-3)
    first.abandon(user, Cargo(10**6), 2_000_000)
    assert first.processor_ns(3_000_000) == pytest.approx(1_500_000, rel=1e-3)
    assert second.due_ns == pytest.approx(2_000_000 + 4_000_000 - 1_000_000 / 3, rel=1e-3)


def test_whose_deadlines_have_changed_in_a_fabric_is_noted_once() -> None:
    fabric = Fabric()
    first, second = joined(fabric, FabricRoute("A", "B"), FabricRoute("A", "C"), profile=PLAIN)
    noted = []
    for end in (first, first, second):
        end.begin(ctc_on(end), Cargo(1_000), 0)
        noted.append(len(fabric.changed))
    assert noted == [1, 1, 2]
    assert all(deadlines.changed for deadlines in fabric.changed)


def test_inter_switch_links_that_are_slower_than_a_line_hold_a_transfer_up() -> None:
    fabric = Fabric()
    there = FabricRoute("A", "B", "one way", 8.0, "the other")
    end, _ = joined(fabric, there, there.back, profile=PLAIN)
    end.begin(ctc_on(end), Cargo(100_000), 0)
    assert end.due_ns == pytest.approx(800_000, abs=NEAR_NS)
    assert end.slowed == pytest.approx((BYTES, 0.5), rel=1e-3)


def test_a_line_that_takes_no_time_fills_no_inter_switch_links() -> None:
    there = FabricRoute("A", "B", "one way", 8.0, "the other")
    profile = replace(PLAIN, line_ns_per_byte=0.0, processor_ns_per_byte=2.0)
    (end,) = joined(Fabric(), there, profile=profile)
    end.begin(ctc_on(end), Cargo(100_000), 0)
    assert end.due_ns == pytest.approx(200_000, abs=NEAR_NS)


@pytest.mark.parametrize(
    ("profile", "kind"), [(PLAIN, LINE), (replace(PLAIN, processor_ns_per_byte=4.5), SENDER)]
)
def test_transfers_say_what_they_wait_for_and_how_many_do(profile: ChpidProfile, kind: int) -> None:
    chpid = fibre(profile)
    (joins,) = joined(Fabric(), FabricRoute("A", "B"), profile=profile)
    for end in (chpid, joins):
        for count in (0, 0.0, 1.0):  # waiting: of none, of one, of two at half their pace
            assert end.slowed[1] == pytest.approx(count)
            end.begin(ctc_on(end), Cargo(10**6), 0)
        assert end.slowed == pytest.approx((kind, 2.0))
