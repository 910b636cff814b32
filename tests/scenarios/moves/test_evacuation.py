"""Evacuations: every guest leaves as a relocation does, so many at a time, beside other traffic."""

import dataclasses
from typing import Any

import pytest
from msgspec.structs import replace

from ctc.features import find_profile
from ctc.queues import NEVER_NS
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.layout.file import parse_collection
from isfc.layout.machines import find_machine
from isfc.layout.processors import Processors
from isfc.link.name import NodeName
from scenarios.moves import repeated
from scenarios.moves.by_rate import moves_figures
from scenarios.moves.compared import evacuate
from scenarios.moves.evacuation import Evacuation, EvacuationOutcome, move
from scenarios.moves.guest import GuestMemory, GuestPlan, Limits
from scenarios.moves.leaving import Placed
from scenarios.moves.orders import read_order
from scenarios.moves.relocation import MESSAGE_LENGTH, RelocationEnd
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import MIB
from scenarios.runs.run import run
from scenarios.runs.steady import steady_ends, sum_of
from scenarios.runs.workload import LinkLoad, find_workload
from tests.layouts import mesh

pytestmark = pytest.mark.at_length


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


def test_between_machines_a_guest_moves_and_is_stopped_as_on_the_slower_one() -> None:
    plain = load_layout("published-12").with_fibres(
        lambda fibre: replace(fibre, profile=find_profile("Express16SA"))
    )
    guest = GuestPlan("G", GuestMemory(size=8 * MIB, touched=8 * MIB, change_rate=100 * MIB))
    found = {}
    for names in (("z16", "z16"), ("z10 EC", "z16"), ("z16", "z10 EC"), ("", "z16"), ("", "")):
        here, there = (Processors(find_machine(name).name) if name else None for name in names)
        link = dataclasses.replace(plain, machines=(here, there))
        outcome = move(Evacuation.over(link, [guest]))
        found[names] = (outcome.seconds, outcome.longest_stop_s, moves_figures(outcome).seconds)
    fast, *others, slow = found.values()
    assert fast[0] < 0.9 * slow[0]
    assert fast[1] < 0.9 * slow[1]
    assert {each[:2] for each in others} == {slow[:2]}
    assert {each[2].ends for each in others[:2]} == {others[0][2].ends}


def test_guests_go_one_by_one_in_their_order() -> None:
    found = outcome()
    assert [each.plan.name for each in found.guests] == ["A", "B", "C"]
    assert found.all_moved
    for before, after in zip(found.guests[:-1], found.guests[1:], strict=True):
        assert 0 <= after.begin_ns - before.end_ns <= 6_000_000


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


LAYOUT = load_layout("published-4")
MEMORY = 64 * MIB
DEFAULTS = Limits()


def guest(
    memory: int = MEMORY, change_rate: int = 50 * MIB, limits: Limits = DEFAULTS, name: str = "A"
) -> GuestPlan:
    return GuestPlan(
        name, GuestMemory(size=memory, touched=memory, change_rate=change_rate), limits
    )


def relocated(*guests: GuestPlan, **changed: Any) -> EvacuationOutcome:
    return move(Evacuation.over(LAYOUT, guests or (guest(),), **changed))


def twice(together: int) -> EvacuationOutcome:
    return relocated(guest(name="A"), guest(name="B"), together=together)


def test_each_pass_moves_what_changed_during_the_one_before() -> None:
    (found,) = relocated(guest(limits=Limits(quiesce_goal=0.01))).guests
    assert found.moved
    assert found.passes[0].length == MEMORY
    for before, after in zip(found.passes[:-1], found.passes[1:], strict=True):
        assert after.length == before.changed_length
        assert after.begin_ns == before.end_ns
    for each in found.passes[:-2]:
        assert each.changed_length == 50 * MIB * (each.end_ns - each.begin_ns) // 10**9
    assert len(found.passes) > 3


def test_rate_is_what_the_link_carries() -> None:
    (found,) = relocated().guests
    experiment = Experiment.of(LAYOUT, find_workload("HL"), pairs=50, seconds=0.3, warmup=0.1)
    first = found.passes[0]
    # HL's replies take some of the channel's data processor, and a relocation has none
    assert run(experiment).result.mb_per_s_out < first.length / first.seconds / MIB
    assert first.length / first.seconds / MIB == pytest.approx(
        run(experiment).result.mb_per_s_out, rel=0.15
    )


def test_pass_counts_memory_and_not_messages() -> None:
    (found,) = relocated(guest(MESSAGE_LENGTH * 100 + 1, 0)).guests
    assert found.passes[0].length == MESSAGE_LENGTH * 100 + 1


def test_guests_go_one_after_the_other_or_together() -> None:
    serial, parallel = twice(1), twice(2)
    first, second = serial.guests
    assert second.begin_ns == first.passes[-1].end_ns
    ours, theirs = parallel.guests
    assert ours.begin_ns == theirs.begin_ns == 0
    assert ours.seconds > 1.5 * first.seconds
    assert parallel.seconds == pytest.approx(max(ours.seconds, theirs.seconds))
    assert serial.seconds == pytest.approx(first.seconds + second.seconds)


def test_third_guest_begins_when_one_of_two_has_arrived() -> None:
    guests = (guest(8 * MIB, 0, name="A"), guest(name="B"), guest(8 * MIB, 0, name="C"))
    first, second, third = relocated(*guests, together=2).guests
    assert third.begin_ns == first.passes[-1].end_ns < second.passes[-1].end_ns


def test_each_guest_has_limits_of_its_own() -> None:
    guests = (guest(name="A", limits=Limits(max_total=0.1)), guest(name="B"))
    first, second = relocated(*guests, together=2).guests
    assert (first.end, second.end) == (RelocationEnd.TOTAL, RelocationEnd.MOVED)
    assert first.seconds == 0.1  # limits are kept to the nanosecond
    assert 0 < first.length < MEMORY


def test_background_slows_it_and_is_slowed() -> None:
    background = find_workload("HS"), 20
    alone = run(
        Experiment.of(LAYOUT, *background, seconds=0.3, warmup=0.1)
    ).result.messages_per_s_in
    busy = relocated(background=background)
    (meanwhile,) = busy.meanwhile
    assert 0 < meanwhile.exchanges_per_s < 0.9 * alone
    assert busy.guests[0].seconds > relocated().guests[0].seconds


def test_what_repeats_is_passed_over_and_takes_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guests that share a link beside other traffic, to the last message and without the middle."""
    guests = [guest(512 * MIB, 10 * MIB, name=name) for name in "ABC"]
    settings: dict[str, Any] = {"together": 2, "background": (find_workload("HS"), 5)}
    found = relocated(*guests, **settings)
    monkeypatch.setattr(repeated, "LEAST_NS", NEVER_NS)
    every = relocated(*guests, **settings)
    assert found.seconds == pytest.approx(every.seconds, rel=0.01)
    for one, other in zip(found.guests, every.guests, strict=True):
        assert (one.end, one.to, len(one.passes)) == (other.end, other.to, len(other.passes))
        assert one.seconds == pytest.approx(other.seconds, rel=0.02)
    assert found.meanwhile[0].exchanges_per_s == pytest.approx(
        every.meanwhile[0].exchanges_per_s, rel=0.02
    )
    for ctc, same in zip(found.devices, every.devices, strict=True):
        assert ctc.busy_percent == pytest.approx(same.busy_percent, rel=0.02, abs=0.5)
    cancelled = read_order("2 CANCEL A", ["A", "B", "C"])
    orders = (cancelled,)
    first, second = (relocated(*guests, orders=orders, **settings) for _ in range(2))
    assert first == second
    assert first.guests[0].seconds == 2.0


@pytest.mark.parametrize("name", ["HY", "CDU:1000"])
def test_any_workload_can_be_the_background(name: str) -> None:
    outcome = relocated(background=(find_workload(name), 3))
    assert outcome.all_moved
    assert outcome.meanwhile[0].exchanges_per_s


def test_either_node_can_be_left() -> None:
    here, there = (relocated(source=node) for node in LAYOUT.nodes)
    assert here.seconds == pytest.approx(there.seconds, rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("change_mib", [0, 50, 180, 400])
def test_more_channels_never_make_it_longer(change_mib: int) -> None:
    plan = guest(128 * MIB, change_mib * MIB, Limits(max_quiesce=100))
    seconds = [
        move(Evacuation.over(load_layout(f"published-{count}"), (plan,))).seconds
        for count in (4, 8, 12)
    ]
    assert seconds == sorted(seconds, reverse=True)


def test_the_only_guest_is_called_as_the_operator_calls_it() -> None:
    order = read_order("5 MODIFY LINUX1 MAXTOTAL 50 MAXQUIESCE 20", ["GUEST"])
    assert read_order("5S modify LINUX1 MAXTOTAL 50 MAXQUIESCE 20", ["GUEST"]) == order
    assert (order.user, order.changes) == ("GUEST", (("max_total", 50), ("max_quiesce", 20)))
    with pytest.raises(ConfigurationError, match="MAXTOTAL twice"):
        read_order("5 MODIFY LINUX1 MAXTOTAL 50 MAXT 20", ["GUEST"])
    with pytest.raises(ConfigurationError, match="expected one of A, B"):
        read_order("5 CANCEL LINUX1", ["A", "B"])


def test_orders_change_what_becomes_of_a_guest() -> None:
    users = ["A", "B"]
    guests = (guest(name="A"), guest(name="B"))
    orders = [
        read_order(text, users)
        for text in ("0.1 STATUS", "0.15 CANCEL A", "0.2 MODIFY B MAXTOTAL 1", "0.3 CANCEL A")
    ]
    outcome = relocated(*guests, together=2, orders=tuple(orders))
    first, second = outcome.guests
    assert (first.end, first.end.code, first.seconds) == (RelocationEnd.CANCELLED, "01", 0.15)
    assert second.end is RelocationEnd.MOVED
    status, cancelled, _, again = outcome.responses
    assert [(line.user, line.elapsed_s) for line in status.lines] == [("A", 0.1), ("B", 0.1)]
    assert cancelled.told == ""
    assert again.told == "The guest is not being relocated at that time."


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"together": 17}, "together 17: expected 1 to 16"),
        ({"window": 0}, "window 0: expected 1 to 1000"),
        ({"source": NodeName("NOWHERE")}, "source NOWHERE: not a node"),
        ({"guests": ()}, "guests 0: expected 1 to 500"),
        ({"guests": (guest(),) * 501}, "guests 501: expected 1 to 500"),
    ],
)
def test_what_cannot_be_is_refused(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        Evacuation.over(**{"layout": LAYOUT, "guests": (guest(),), **changed})
    collection, nowhere = (
        parse_collection(mesh(3, shared=False)),
        tenant("X", MIB, 0, NodeName("S9")),
    )
    with pytest.raises(ConfigurationError, match="no link joins S1 and S9"):
        Evacuation(collection, (S1,), (nowhere,))
