"""A CTC starts up although words of its start-up are lost: neither end says them twice unasked."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.address import Rdev
from ctc.frame import Frame, Signal, StatusFrame
from ctc.queues import NEVER_NS
from isfc.link.state import DeviceState, LinkState
from isfc.testing.pair import MS, Pair, S, Setup
from isfc.testing.side import Side

MIH_NS = Setup().parameters.mih_ns


class LoseWords:
    """Loses those of the first signals of one side that ``lost`` marks, whatever the CTC."""

    def __init__(self, lost: list[bool]) -> None:
        self.left = list(lost)

    def __call__(self, rdev: Rdev, frame: Frame) -> bool:
        """Whether this one is lost."""
        is_word = isinstance(frame, StatusFrame) and frame.signal is not Signal.RECEIVED
        return is_word and bool(self.left) and self.left.pop(0)


def losing(*lost: list[bool]) -> tuple[LoseWords, LoseWords]:
    first, second = lost
    return LoseWords(first), LoseWords(second)


def is_usable(pair: Pair) -> bool:
    return all(side.state is LinkState.UP for side in pair.sides)


@pytest.mark.parametrize(
    "lost",
    [
        pytest.param(([True, True], []), id="the first end's words"),
        pytest.param(([], [True, True]), id="the second end's words"),
        pytest.param(([True], [True]), id="both ends' first words"),
        pytest.param(([True] * 4, [True] * 4), id="what follows them as well"),
    ],
)
def test_ctc_whose_ready_is_lost_starts_after_a_missing_interrupt_interval(
    lost: tuple[list[bool], list[bool]],
) -> None:
    pair = Pair(Setup(ctc_count=1), lose=losing(*lost))
    assert not is_usable(pair)
    pair.until(lambda: is_usable(pair), limit_ns=5 * MIH_NS)
    assert pair.engine.now_ns >= MIH_NS
    for side in pair.sides:
        pair.send(side, 100, 50_000)
    pair.expect_all_arrived()


def test_ctc_that_waits_for_its_partner_is_shown_as_initialising() -> None:
    pair = Pair(Setup(ctc_count=1), lose=losing([True] * 3, [True] * 3))
    (ctc,) = pair.first.end.link.ctcs.values()
    for _ in range(2):
        assert ctc.state is DeviceState.DOWN
        pair.run(MIH_NS)


def test_ctc_that_has_started_or_is_cut_as_it_starts_waits_for_nothing() -> None:
    pair = Pair(Setup(ctc_count=1), lose=losing([True] * 3, [True] * 3))
    pair.unplug(0)
    for each in (Pair(), pair):
        assert [side.system.due_ns for side in each.sides] == [NEVER_NS, NEVER_NS]


def test_ctc_that_the_partner_has_deactivated_waits_for_its_word() -> None:
    pair = Pair(Setup(ctc_count=2))
    pair.deactivate(pair.second, 0)
    pair.run(3 * MIH_NS)
    rdev = pair.first.rdevs[0]
    assert pair.first.end.link.ctcs[rdev].state is DeviceState.DOWN
    assert not [now_ns for now_ns, _ in pair.first.verbs("DeviceLost") if now_ns > S]
    pair.activate(pair.second, 0)
    pair.run(MS)
    assert is_usable(pair)


def _operate(pair: Pair, side: Side, step: Callable[[Side, int], None]) -> None:
    step(side, 0)
    pair.run(MS)


@given(st.lists(st.booleans(), max_size=6), st.lists(st.booleans(), max_size=6), st.booleans())
def test_ctc_comes_up_whichever_words_are_lost_when_it_is_taken_out_and_put_in_again(
    first: list[bool], second: list[bool], other: bool
) -> None:
    lose = losing([], [])
    pair = Pair(Setup(ctc_count=1), lose=lose)
    lose[0].left, lose[1].left = first, second
    side = pair.sides[other]
    _operate(pair, side, pair.deactivate)
    _operate(pair, side, pair.activate)
    pair.unplug(0)
    pair.plug(0)
    for sender in pair.sides:
        pair.send(sender, 100, 50_000)
    pair.run(16 * MIH_NS)
    assert is_usable(pair)
    pair.expect_all_arrived()
