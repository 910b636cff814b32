"""A pair whose side is short of storage: what is held back counts as sent, and arrives."""

import pytest

from isfc.testing.invariants import Ledger
from isfc.testing.pair import MS, Setup
from isfc.testing.plan import SendMessages, Wait
from scenarios.faults.disturbance import Throttled
from scenarios.faults.fault import Fault, FaultKind
from tools.simulation.swarm import Scenario, ThrottledPair, draw, run

LENGTHS = (100_000,) * 10


def test_what_has_no_room_is_held_back_and_arrives_in_its_turn() -> None:
    pair = ThrottledPair(Setup(ctc_count=2))
    ledger = Ledger(pair)
    pair.throttles[pair.first.system.name].limit = 150_000
    pair.send(pair.first, *LENGTHS)
    assert pair.held_length(pair.first) == 800_000  # one is begun as long as there is any room
    assert pair.held_length(pair.second) == 0
    ledger.check()
    pair.send(pair.first, 1)
    assert pair.held_length(pair.first) == 800_001
    pair.until(lambda: pair.held_length(pair.first) < 500_000)
    ledger.check()
    ledger.check_end()
    assert [message.length for message in pair.second.arrived] == [*LENGTHS, 1]


def test_crash_takes_what_is_held_back_along() -> None:
    setup = Setup(ctc_count=2)
    name = setup.definition(0).name
    faults = (
        Fault(FaultKind.THROTTLED, 0, name, 30 * MS, amount=0),
        Fault(FaultKind.CRASH, 2 * MS, name, 10 * MS),
    )
    survived = run(
        Scenario(
            1, setup, (Wait(MS), SendMessages(0, LENGTHS), Wait(40 * MS)), faults, answers=False
        )
    )
    assert survived.severed_count > 5
    assert survived.message_count + survived.severed_count == len(LENGTHS)


def test_swarm_finds_messages_that_are_held_back_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Throttled, "_has_room", lambda throttle: throttle.limit is None)
    setup = Setup(ctc_count=2)
    plan = (Wait(MS), SendMessages(0, LENGTHS), Wait(MS))
    fault = Fault(FaultKind.THROTTLED, 0, setup.definition(0).name, 10 * MS, amount=0)
    with pytest.raises(AssertionError):
        run(Scenario(1, setup, plan, (fault,), answers=False))


def test_seeds_draw_throttling_apart_from_other_faults() -> None:
    throttled = [seed for seed in range(100) if any(map(_throttles, draw(seed).faults))]
    assert 10 < len(throttled) < 30


def _throttles(fault: Fault) -> bool:
    return fault.kind is FaultKind.THROTTLED
