"""What a pair of nodes must do in virtual time, whatever it is made of and asked to carry."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctc.address import Rdev
from isfc.link.events import LinkDown, Sent
from isfc.link.scan import stop_short
from isfc.link.state import LinkState
from isfc.testing.invariants import Ledger
from isfc.testing.pair import MS, US, Pair, S, Setup
from isfc.testing.steps import Step
from isfc.testing.strategies import LinkMachine, lengths, setups, traffic_plans

pytestmark = pytest.mark.at_length

several = st.integers(2, 16)


@given(setups(), traffic_plans(), st.integers(50 * US, 2 * MS))
def test_p1_p2_p3_p5_all_arrives_and_books_balance_at_every_step(
    setup: Setup, plan: list[Step], step_ns: int
) -> None:
    pair = Pair(setup)
    ledger = Ledger(pair)
    pair.drive(plan, ledger)
    for _ in range(200):
        if pair.all_arrived():
            break
        pair.run(step_ns)
        ledger.check()
    ledger.check_end()


@given(setups(ctc_counts=st.just(1)), st.lists(lengths, min_size=1, max_size=20))
def test_p4_collisions_lose_and_double_nothing_and_do_not_go_on_for_ever(
    setup: Setup, sizes: list[int]
) -> None:
    pair = Pair(setup)
    ledger = Ledger(pair)
    for length in sizes:
        for side in pair.sides:
            pair.send(side, length)
    start_ns = pair.engine.now_ns
    ledger.check_end()
    collisions = [side.end.link.counters.collision_count for side in pair.sides]
    packages = [side.end.link.counters.write_package_count for side in pair.sides]
    # each collision is followed by a write that succeeds, well before anything is overdue
    assert 0 < max(collisions) <= sum(packages)
    last_ns = max(now_ns for side in pair.sides for now_ns, _ in side.verbs("Ended"))
    assert last_ns - start_ns < pair.setup.parameters.mih_ns


@given(setups(ctc_counts=several), traffic_plans())
def test_p10_each_end_has_ctcs_that_the_other_never_writes(setup: Setup, plan: list[Step]) -> None:
    pair = Pair(setup)
    pair.drive(plan)
    pair.expect_all_arrived()
    lesser, greater = sorted(pair.sides, key=lambda side: side.system.name.collation)
    scan = sorted(lesser.rdevs)  # both ends order the CTCs by the lesser one's numbers
    mates = dict(zip(greater.rdevs, lesser.rdevs, strict=True))
    count, kept = setup.ctc_count, stop_short(setup.ctc_count)
    assert lesser.written_rdevs() <= {*scan[: count - kept]}
    assert {mates[Rdev(rdev)] for rdev in greater.written_rdevs()} <= {*scan[kept:]}


@given(setups(ctc_counts=several), st.randoms(use_true_random=False), traffic_plans())
def test_p11_link_that_loses_its_ctcs_degrades_goes_down_and_never_wedges(
    setup: Setup, random: Random, plan: list[Step]
) -> None:
    pair = Pair(setup)
    order = list(range(setup.ctc_count))
    random.shuffle(order)
    for index in order[:-1]:
        pair.drive(plan[:1])
        pair.unplug(index)
        pair.expect_state(LinkState.DEGRADED)
    pair.drive(plan)
    pair.expect_all_arrived()  # whichever CTC is left
    pair.unplug(order[-1])
    pair.expect_state(LinkState.DOWN)
    pair.drive(plan)
    pair.run(100 * S)
    assert not pair.all_arrived()
    assert [side.told(LinkDown) for side in pair.sides] == [1, 1]
    pair.plug(order[0])
    pair.expect_all_arrived()
    pair.expect_state(LinkState.DEGRADED)


EVENTS_PER_SEGMENT_MAX = 40
"""Arrivals, deadlines and offers that one segment of a message may cost in the engine."""


@given(setups(), traffic_plans())
def test_p12_time_goes_forward_and_a_run_ends_in_its_bound(setup: Setup, plan: list[Step]) -> None:
    pair = Pair(setup)
    ledger = Ledger(pair)
    before = pair.engine.event_count
    pair.drive(plan)
    ledger.check_end()  # from then on, no event in a thousand seconds
    sent = [event for side in pair.sides for event in side.events if isinstance(event, Sent)]
    segments = sum(len(event.messages) for event in sent)
    assert pair.engine.event_count - before <= EVENTS_PER_SEGMENT_MAX * segments


TestLinkMachine = pytest.mark.at_length(pytest.mark.slow(LinkMachine.TestCase))
TestLinkMachine.settings = settings(stateful_step_count=30)
