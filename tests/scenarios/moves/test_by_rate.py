"""Relocations by their rules: as simulated ones are, and what they say would do does."""

from dataclasses import replace
from math import inf

import pytest
from msgspec import structs

import isfc
from isfc.layout.build import new
from isfc.layout.capacity import COMMAND_MODE_MB_PER_S
from isfc.layout.catalogue import given_collection, load_layout
from isfc.layout.layout import widened
from isfc.link.name import NodeName
from scenarios.figures.rates import carried
from scenarios.moves.by_rate import in_order, moves_figures, would_move
from scenarios.moves.evacuation import Evacuation, move
from scenarios.moves.guest import GuestMemory, GuestPlan, Limits
from scenarios.moves.leaving import Placed
from scenarios.moves.orders import read_order
from scenarios.moves.relocation import Evacuated, RelocationEnd, WouldMove, by_rate
from scenarios.runs.result import MIB
from scenarios.runs.workload import find_workload

pytestmark = pytest.mark.at_length


LAYOUT = load_layout("published-4")
MEMORY = GuestMemory(size=64 * MIB, touched=64 * MIB, change_rate=300 * MIB)


def stuck(limits: Limits, memory: GuestMemory = MEMORY) -> tuple[Evacuation, WouldMove]:
    """A relocation that a limit ends, and what would let the guest be moved."""
    relocation = Evacuation.over(LAYOUT, (GuestPlan("GUEST", memory, limits),))
    (would,) = would_move(move(relocation))
    assert would is not None
    return relocation, would


def moved(relocation: Evacuation, memory: GuestMemory | None = None, **limits: float) -> bool:
    (tenant,) = relocation.tenants
    changed = structs.replace(tenant.plan.limits, **limits)
    plan = structs.replace(tenant.plan, limits=changed, memory=memory or tenant.plan.memory)
    return move(replace(relocation, tenants=(structs.replace(tenant, plan=plan),))).all_moved


@pytest.mark.parametrize("limits", [Limits(max_quiesce=0.2), Limits(max_total=0.5)])
def test_what_is_said_to_do_does(limits: Limits) -> None:
    relocation, would = stuck(limits)
    assert would.change_bytes_per_s is not None
    less = replace(MEMORY, change_rate=would.change_bytes_per_s)
    assert moved(relocation, less)
    assert not moved(relocation, replace(MEMORY, change_rate=int(less.change_rate * 2)))
    if limits.max_total == inf:
        assert would.max_quiesce_s is not None
        assert would.max_total_s is None
        assert moved(relocation, max_quiesce=would.max_quiesce_s)
    else:
        assert would.max_total_s is not None
        assert would.max_quiesce_s is None
        assert moved(relocation, max_total=would.max_total_s)
    assert would.channels is not None
    wider = widened(LAYOUT, would.channels)
    assert moved(Evacuation.over(wider, relocation.plans))


def test_of_two_limits_that_are_too_short_both_are_said() -> None:
    relocation, would = stuck(Limits(max_quiesce=0.2, max_total=0.5))
    assert would.max_quiesce_s is not None
    assert would.max_total_s is not None
    assert moved(relocation, max_quiesce=would.max_quiesce_s, max_total=would.max_total_s)


def test_a_hot_set_is_written_more_slowly() -> None:
    memory = GuestMemory(size=64 * MIB, touched=64 * MIB, hot_set=48 * MIB, write_rate=2000 * MIB)
    relocation, would = stuck(Limits(max_quiesce=0.2), memory)
    assert would.write_bytes_per_s is not None
    slower = replace(memory, write_rate=would.write_bytes_per_s)
    assert moved(relocation, slower)


@pytest.mark.parametrize(
    "limits",
    [
        Limits(),
        Limits(max_total=0.5),
        Limits(max_quiesce=0.2),
        Limits(max_total=inf, max_quiesce=inf, immediate=True),
    ],
)
def test_the_rules_come_to_what_is_simulated(limits: Limits) -> None:
    relocation = Evacuation.over(LAYOUT, (GuestPlan("GUEST", MEMORY, limits),))
    (simulated,) = move(relocation).guests
    found = by_rate(simulated.plan, simulated.length / simulated.seconds)
    assert found.end is simulated.end
    assert len(found.passes) == len(simulated.passes)
    assert found.seconds == pytest.approx(simulated.seconds, rel=0.05)
    assert found.quiesced_seconds == pytest.approx(simulated.quiesced_seconds, rel=0.1)


def test_guests_by_the_rules_go_one_after_the_other() -> None:
    plans = [GuestPlan(name, MEMORY) for name in ("A", "B", "C")]
    found = in_order(plans, 2, lambda plan, now_ns: by_rate(plan, 500 * MIB, now_ns))
    first, second, third = found
    assert (first.begin_ns, second.begin_ns) == (0, 0)
    assert third.begin_ns == min(first.end_ns, second.end_ns)


STATED = COMMAND_MODE_MB_PER_S * 1e6 / MIB
IDLE = GuestMemory(size=512 * MIB, touched=512 * MIB)
FAST = new("A,B", "40:50", ctcs=4, feature="FICON Express16SA")


def first_pass(guest: Evacuated) -> float:
    """MB/s of its memory."""
    return guest.passes[0].length / MIB / guest.passes[0].seconds


def test_guests_are_moved_at_what_is_to_be_counted_on() -> None:
    # plan said 572 MB/s of the link, and its guests were moved at 738
    outcome = move(Evacuation.over(FAST, [GuestPlan("GUEST", IDLE)]))
    seconds = moves_figures(outcome).seconds
    (guest,), (planned, *_) = outcome.guests, (each.stated for each in carried(FAST))
    assert first_pass(guest) == pytest.approx(planned.value, rel=0.005)
    assert guest.share < 0.8
    assert seconds.value == outcome.seconds
    assert seconds.modelled == pytest.approx(seconds.value * guest.share, rel=0.02)
    assert seconds.ends.low < seconds.modelled


def test_what_is_done_to_a_guest_is_done_by_the_time_that_its_passes_take() -> None:
    # it was on its second pass by then, and had moved 800 MB/s
    order = read_order("0.5 CANCEL GUEST", ["GUEST"])
    (guest,) = move(Evacuation.over(FAST, [GuestPlan("GUEST", IDLE)], orders=(order,))).guests
    assert guest.end is RelocationEnd.CANCELLED
    assert guest.seconds == pytest.approx(0.5)
    assert guest.length / MIB == pytest.approx(0.5 * STATED, rel=0.03)


TWO_LINKS_TEXT = """
[[link]]
nodes = ["A", "B"]
[[link]]
nodes = ["A", "C"]
[fibre.AB]
feature = "FICON Express16SA"
chpid = { A = "40", B = "50" }
[fibre.AC]
feature = "FICON Express16SA"
chpid = { A = "41", C = "60" }
[[ctc]]
fibre = "AB"
rdevs = { A = "6000-6003", B = "6000-6003" }
[[ctc]]
fibre = "AC"
rdevs = { A = "6100-6103", C = "6000-6003" }
"""
TWO_LINKS = given_collection(TWO_LINKS_TEXT)


@pytest.mark.parametrize("to", ["BB", "BC"])
def test_guests_one_by_one_are_each_moved_at_what_is_to_be_counted_on(to: str) -> None:
    # to two systems each link was idle half of the time, and counted as half as busy
    source = NodeName("A")
    guests = tuple(
        Placed(GuestPlan(f"GUEST{number}", IDLE), source, NodeName(name))
        for number, name in enumerate(to)
    )
    first, second = move(Evacuation(TWO_LINKS, (source,), guests)).guests
    for guest in (first, second):
        assert first_pass(guest) == pytest.approx(STATED, rel=0.005)
    assert second.begin_ns == pytest.approx(first.end_ns, rel=0.01)


def test_a_guest_over_a_link_that_is_not_full_goes_as_fast_beside_one_that_is() -> None:
    slow = given_collection(TWO_LINKS_TEXT.replace("Express16SA", "Express4", 1))
    source = NodeName("A")
    guests = [Placed(GuestPlan(f"TO{to}", IDLE), source, NodeName(to)) for to in "BC"]
    (alone,) = move(Evacuation(slow, (source,), (guests[0],))).guests
    by_name = {
        guest.plan.name: guest
        for guest in move(Evacuation(slow, (source,), tuple(guests), together=2)).guests
    }
    assert by_name["TOC"].share < 0.9
    assert by_name["TOB"].share == alone.share == 1
    assert by_name["TOB"].seconds == pytest.approx(alone.seconds, rel=0.02)
    assert first_pass(by_name["TOC"]) == pytest.approx(STATED, rel=0.005)


def test_other_traffic_has_its_part_of_what_is_to_be_counted_on() -> None:
    beside = find_workload("HL"), 5
    outcome = move(Evacuation.over(FAST, [GuestPlan("GUEST", IDLE)], background=beside))
    (guest,), (other,) = outcome.guests, outcome.meanwhile
    assert other.rate.mb_per_s > 50
    assert first_pass(guest) + other.rate.mb_per_s == pytest.approx(STATED, rel=0.02)


def test_a_guest_that_only_the_model_would_move_stays() -> None:
    # "Moved after 15.30 s", and exit code 0: the seconds were those until it is given up
    memory = GuestMemory(size=1024 * MIB, touched=1024 * MIB, change_rate=650 * MIB)
    plan = GuestPlan("GUEST", memory, Limits(max_quiesce=1))
    outcome = move(Evacuation.over(FAST, (plan,)))
    (guest,) = outcome.stayed
    assert guest.end is RelocationEnd.QUIESCE
    (would,) = would_move(outcome)
    assert would is not None
    assert would.bytes_per_s == pytest.approx(COMMAND_MODE_MB_PER_S * 1e6, rel=0.01)
    (found,) = isfc.relocate(FAST, plan).guests
    assert (found.moved, found.end) == (False, "max-quiesce")
