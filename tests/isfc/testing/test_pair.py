"""The pair: time, plans and what it shows."""

import pytest

from isfc.link.state import LinkState
from isfc.testing.pair import MS, Pair, S, Setup
from isfc.testing.steps import (
    ActivateCtc,
    DeactivateCtc,
    Plug,
    SendMessages,
    Step,
    Unplug,
    VaryCtcChpid,
    VaryRdev,
    Wait,
)


def test_step_goes_to_the_next_event_and_no_further_while_there_is_one() -> None:
    pair = Pair(Setup(ctc_count=1))
    pair.send(pair.first, 100)
    before_ns, count = pair.engine.now_ns, pair.engine.event_count
    due_ns = pair.engine.due_ns
    assert pair.step()
    assert pair.engine.now_ns == due_ns > before_ns
    assert pair.engine.event_count > count
    while pair.step():
        pass
    now_ns = pair.engine.now_ns
    assert not pair.step()
    assert pair.engine.now_ns == now_ns


def test_until_stops_at_the_event_that_makes_it_true() -> None:
    pair = Pair(Setup(ctc_count=1))
    pair.send(pair.first, 100)
    pair.until(pair.all_arrived)
    (exactly_ns,) = [ns for ns, _ in pair.second.verbs("Ended")][-1:]
    assert exactly_ns <= pair.engine.now_ns < exactly_ns + MS


@pytest.mark.parametrize("step_ns", [None, MS])
def test_until_fails_when_it_is_never_true(step_ns: int | None) -> None:
    with pytest.raises(AssertionError, match=r"nothing happens any more|still waiting"):
        Pair().until(lambda: False, limit_ns=S, step_ns=step_ns)


def test_plan_is_done_in_its_order_and_looked_at_after_each_step() -> None:
    pair = Pair(Setup(ctc_count=2))
    states: list[LinkState] = []
    plan: list[Step] = [
        Unplug(0),
        Unplug(3),
        Unplug(1),
        Plug(0),
        Wait(MS),
        Plug(1),
        Wait(MS),
        DeactivateCtc(0, 0),
        Wait(MS),
        ActivateCtc(0, 0),
        Wait(MS),
        VaryRdev(1, 0, online=False),
        Wait(MS),
        VaryRdev(1, 0, online=True),
        VaryCtcChpid(0, 0, online=False),
        VaryCtcChpid(0, 0, online=True),
        Wait(MS),
        SendMessages(0, (5, 6)),
    ]
    pair.drive(plan, lambda: states.append(pair.first.state))
    up, degraded, down = LinkState.UP, LinkState.DEGRADED, LinkState.DOWN
    assert len(states) == len(plan)
    assert states[:7] == [degraded, down, down, down, degraded, degraded, up]
    assert states[7:11] == [up, up, degraded, up]  # who deactivates a CTC does not count it
    assert states[12] is degraded
    assert states[14] is down
    assert states[16:] == [up, up]
    pair.expect_all_arrived()
    assert [message.length for message in pair.second.arrived] == [5, 6]


def test_step_that_does_not_fit_does_nothing() -> None:
    pair = Pair(Setup(ctc_count=1))
    pair.drive(
        [Plug(0), ActivateCtc(0, 0), Unplug(0), Unplug(0), DeactivateCtc(1, 0), DeactivateCtc(1, 0)]
    )
    pair.restore()
    pair.run(MS)
    pair.expect_state(LinkState.UP)


def test_names_and_device_numbers_can_be_chosen() -> None:
    pair = Pair(Setup(ctc_count=2, names=("ZZZ", "AAA"), rdevs=((9, 3), (4, 7))))
    assert [side.system.name for side in pair.sides] == ["ZZZ", "AAA"]
    assert pair.first.rdevs == (9, 3)
    assert pair.second.end.link.scheduler.order == (4,)  # AAA is the lesser, and scans upward
    assert pair.first.end.link.scheduler.order == (3,)


def test_pair_shows_what_it_is_made_of_and_how_far_it_is() -> None:
    pair = Pair(Setup(ctc_count=2))
    pair.send(pair.first, 100)
    pair.until(pair.all_arrived)
    shown = repr(pair)
    assert shown.startswith("Pair(Setup(ctc_count=2)) at ")
    assert shown.endswith("ATLANTA(sent 100 B, received 0 B), BOSTON(sent 0 B, received 100 B)")
