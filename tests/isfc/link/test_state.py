"""The words of QUERY ISLINK."""

from isfc.link.state import DeviceState, LinkState
from isfc.testing.pair import Pair, S, Setup


def test_states_have_words_of_their_own() -> None:
    for states in (DeviceState, LinkState):
        words = [state.value for state in states]
        assert len(set(words)) == len(words)
        assert all(word[:1].isupper() for word in words)


def test_words_of_the_control_blocks_are_kept() -> None:
    # CTCSTAT, as the control blocks list it
    for word in (
        "Idle",
        "Busy",
        "Write in progress",
        "Read in progress",
        "Reset in progress",
        "Handling link attention",
    ):
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
