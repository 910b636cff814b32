"""The table of a CTC's states: what happens is in it, and all of it happens."""

from random import Random

import pytest

from ctc.address import Rdev
from ctc.frame import Frame
from isfc.link.link_ctc import LinkCtc
from isfc.link.state import CHANGES, DeviceState, StateChange
from isfc.testing.pair import MS, US, Pair, S, Setup


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> set[tuple[StateChange, DeviceState]]:
    """Every change that happened, and in which state."""
    found: set[tuple[StateChange, DeviceState]] = set()
    transition = LinkCtc.transition

    def noted(ctc: LinkCtc, change: StateChange) -> None:
        found.add((change, ctc.state))
        transition(ctc, change)

    monkeypatch.setattr(LinkCtc, "transition", noted)
    return found


def live_through(seed: int, ctc_count: int) -> None:
    """Traffic both ways, collisions, cables, commands and lost frames."""
    random = Random(seed)

    def lose(rdev: Rdev, frame: Frame) -> bool:  # noqa: ARG001  # of any CTC, any frame
        return random.random() < 0.01

    pair = Pair(Setup(ctc_count=ctc_count), lose=(lose, lose))
    for _ in range(60):
        side, index = random.choice(pair.sides), random.randrange(ctc_count)
        match random.randrange(6):
            case 0 | 1 | 2:
                for each in pair.sides:
                    pair.send(each, *[random.choice((100, 50_000))] * random.randrange(1, 9))
            case 3:
                pair.unplug(index)
                pair.run(random.randrange(MS))
                pair.plug(index)
            case 4 if pair.is_active(side, index):
                pair.deactivate(side, index)
                pair.run(random.randrange(MS))
                pair.activate(side, index)
            case 5:
                pair.run(random.choice((20 * US, 300 * US, 2 * MS, 20 * S)))
        pair.run(random.randrange(500 * US))


@pytest.mark.parametrize("ctc_count", [1, 3])
def test_every_change_finds_a_state_that_the_table_has(
    seen: set[tuple[StateChange, DeviceState]], ctc_count: int
) -> None:
    for seed in range(8):
        live_through(seed, ctc_count)
    for change, state in seen:
        assert state in change.before, f"{change.cause} in {state}"
    happened = {change for change, _ in seen}
    missing = [change.cause for change in CHANGES if change not in happened]
    assert missing == []


def test_every_state_is_left_and_reached() -> None:
    assert {change.after for change in CHANGES} == set(DeviceState)
    assert {state for change in CHANGES for state in change.before} == set(DeviceState)
    assert len({change.cause for change in CHANGES}) == len(CHANGES)
