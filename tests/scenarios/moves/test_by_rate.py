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
from scenarios.moves.relocation import WouldMove, by_rate
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


def test_guests_are_moved_at_what_is_to_be_counted_on() -> None:
    # plan said 572 MB/s of the link, and its guests were moved at 738
    link = new("A,B", "40:50", ctcs=4, feature="FICON Express16SA")
    idle = GuestMemory(size=512 * MIB, touched=512 * MIB)
    outcome = move(Evacuation.over(link, (GuestPlan("GUEST", idle, Limits()),)))
    seconds = moves_figures(outcome).seconds
    (way, *_), (planned, *_) = outcome.guests, (each.to_count_on for each in carried(link))
    assert way.length / MIB / seconds.value == pytest.approx(planned.value, rel=0.001)
    assert seconds.modelled == outcome.seconds < seconds.value
    assert seconds.ends.low < outcome.seconds


TWO_LINKS = given_collection(
    """
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
)


@pytest.mark.parametrize("to", ["BB", "BC"])
def test_guests_one_by_one_are_each_moved_at_what_is_to_be_counted_on(to: str) -> None:
    # to two systems each link was idle half of the time, and counted as half as busy
    source, idle = NodeName("A"), GuestMemory(size=512 * MIB, touched=512 * MIB)
    guests = tuple(
        Placed(GuestPlan(f"GUEST{number}", idle, Limits()), source, NodeName(name))
        for number, name in enumerate(to)
    )
    outcome = move(Evacuation(TWO_LINKS, (source,), guests))
    stated = COMMAND_MODE_MB_PER_S * 1e6 / MIB
    for guest, figures in zip(outcome.guests, moves_figures(outcome).guests, strict=True):
        assert guest.length / MIB / figures.seconds.value == pytest.approx(stated, rel=0.001)


def test_other_traffic_has_its_part_of_what_is_to_be_counted_on() -> None:
    link = new("A,B", "40:50", ctcs=4, feature="FICON Express16SA")
    idle = GuestMemory(size=512 * MIB, touched=512 * MIB)
    beside = find_workload("HL"), 5
    outcome = move(Evacuation.over(link, (GuestPlan("GUEST", idle, Limits()),), background=beside))
    (guest,), (other,) = outcome.guests, outcome.meanwhile
    sent = guest.length / MIB / guest.seconds
    stated = COMMAND_MODE_MB_PER_S * 1e6 / MIB
    assert other.rate.mb_per_s > 0.1 * stated
    assert sent + other.rate.mb_per_s > stated
    share = stated / (sent + other.rate.mb_per_s)
    figure = moves_figures(outcome).guests[0].seconds
    assert guest.length / MIB / figure.value == pytest.approx(share * sent, rel=0.001)


def test_a_guest_that_only_the_model_would_move_stays() -> None:
    # "Moved after 15.30 s", and exit code 0: the seconds were those until it is given up
    link = new("A,B", "40:50", ctcs=4, feature="FICON Express16SA")
    memory = GuestMemory(size=1024 * MIB, touched=1024 * MIB, change_rate=650 * MIB)
    plan = GuestPlan("GUEST", memory, Limits(max_quiesce=1))
    evacuation = Evacuation.over(link, (plan,))
    outcome = move(evacuation)
    assert outcome.all_moved
    assert moves_figures(outcome).stayed(outcome.guests) == ["GUEST"]
    (would,) = would_move(outcome)
    assert would is not None
    assert would.bytes_per_s == pytest.approx(COMMAND_MODE_MB_PER_S * 1e6, rel=0.001)
    (found,) = isfc.relocate(link, plan).guests
    assert (found.moved, found.end) == (False, "max-quiesce")
