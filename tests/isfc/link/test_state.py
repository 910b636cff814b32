"""The words of QUERY ISLINK."""

from random import Random

import pytest

from ctc.address import Rdev
from ctc.frame import Frame
from isfc.link.link_ctc import LinkCtc
from isfc.link.state import (
    COLLIDED,
    COLLIDED_FIRST,
    COLLIDED_SECOND,
    READ_SIDE,
    SHOWN,
    WRITE_SIDE,
    DeviceState,
    LinkState,
    ReadState,
    StateInput,
    WriteState,
)
from isfc.testing.pair import MS, US, Pair, S, Setup


def test_states_have_words_of_their_own_and_those_of_the_control_blocks() -> None:
    for states in (DeviceState, LinkState):
        words = [state.value for state in states]
        assert len(set(words)) == len(words)
        assert all(word[:1].isupper() for word in words)
    # CTCSTAT, as the control blocks list it
    words = ["Idle", "Busy", "Write in progress", "Read in progress", "Reset in progress"]
    for word in (*words, "Handling link attention"):
        assert DeviceState(word).value == word


def test_link_goes_down_by_degrees_and_comes_up_again() -> None:
    pair = Pair(Setup(ctc_count=3))
    pair.expect_state(LinkState.UP)
    for index, state in enumerate((LinkState.DEGRADED, LinkState.DEGRADED, LinkState.DOWN)):
        pair.unplug(index)
        pair.expect_state(state)
    for index, state in enumerate((LinkState.DEGRADED, LinkState.DEGRADED, LinkState.UP)):
        pair.plug(index)
        pair.run(S)
        pair.expect_state(state)


def test_deactivated_ctc_is_not_missed_by_its_own_side() -> None:
    pair = Pair(Setup(ctc_count=2))
    pair.deactivate(pair.first, 0)
    pair.run(S)
    assert pair.first.state is LinkState.UP
    assert pair.second.state is LinkState.DEGRADED
    pair.deactivate(pair.first, 1)
    pair.run(S)
    pair.expect_state(LinkState.DOWN)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> set[StateInput]:
    """Everything that happened to the write side of a CTC."""
    found: set[StateInput] = set()
    write = LinkCtc.write

    def noted(ctc: LinkCtc, given: StateInput) -> None:
        found.add(given)
        write(ctc, given)

    monkeypatch.setattr(LinkCtc, "write", noted)
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


@pytest.mark.parametrize(
    ("ctc_count", "elsewhere"), [(1, {COLLIDED}), (3, {COLLIDED_FIRST, COLLIDED_SECOND})]
)
def test_everything_happens(
    seen: set[StateInput], ctc_count: int, elsewhere: set[StateInput]
) -> None:
    for seed in range(8):
        live_through(seed, ctc_count)
    assert seen - elsewhere == set(WRITE_SIDE) - elsewhere


def test_every_state_is_left_and_reached() -> None:
    for side, states in ((WRITE_SIDE, WriteState), (READ_SIDE, ReadState)):
        assert {after for each in side for after in each.changes.values()} == set(states)
        assert {before for each in side for before in each.changes} == set(states)
        assert [*states] == [*range(len(states))]
        assert len({each.cause for each in side}) == len(side)
    assert len(SHOWN) == len(WriteState)
    assert set(SHOWN) == set(DeviceState)
