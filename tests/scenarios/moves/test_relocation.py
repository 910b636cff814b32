"""One guest's relocation, over a link that carries so many bytes a second and nothing else."""

from collections import deque
from math import inf
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.errors import ConfigurationError
from isfc.link.message import Message
from scenarios.moves.guest import PASSES_MAX, QUIESCE_GOAL_S, GuestMemory, GuestPlan, Limits
from scenarios.moves.relocation import (
    IO_CHANGED_LENGTH,
    MESSAGE_LENGTH,
    STATE_LENGTH,
    Guest,
    Moved,
    RelocationEnd,
    RelocationStage,
)

pytestmark = pytest.mark.at_length


MIB = 2**20
RATE = 400 * MIB
SLOW_RATE = 4 * MIB
UNLIMITED = Limits(max_quiesce=inf)

SIZES = st.integers(MIB, 20 * MIB)
RATES = st.integers(MIB, 20 * MIB)

DEFAULTS = Limits()

RESTLESS = GuestMemory(size=512 * MIB, touched=512 * MIB, change_rate=2**40)
"""All of it has changed again whenever it has been moved."""


def move_ideally(
    memory: GuestMemory, bytes_per_s: float, limits: Limits = DEFAULTS, window: int = 10
) -> Moved:
    """Move a guest over it."""
    guest = Guest(GuestPlan("GUEST", memory, limits), window)
    waiting: deque[Message] = deque(guest.begin(0))
    now = 0.0
    while not guest.end:
        message = waiting.popleft()
        assert len(waiting) < window
        now += int(message.length) / bytes_per_s * 1e9
        late_ns = guest.deadline_ns
        if now >= late_ns:
            guest.expire(late_ns)
        elif message.conversation == window:
            waiting += guest.counted(round(now))
        else:
            waiting += guest.sent(message, round(now))
    return guest.moved


@st.composite
def memories(draw: st.DrawFn) -> GuestMemory:
    """Guests of any kind: even change, a hot set, both, or neither."""
    size = draw(SIZES)
    touched = draw(st.integers(1, size))
    hot_set = draw(st.integers(0, touched))
    write_rate = draw(st.integers(1, 2**25)) if hot_set else 0
    return GuestMemory(
        size=size,
        touched=touched,
        change_rate=draw(st.integers(0, 2**25)),
        hot_set=hot_set,
        write_rate=write_rate,
    )


@given(memories(), RATES)
def test_pages_moved_are_pages_touched_and_pages_written_again(
    memory: GuestMemory, rate: int
) -> None:
    found = move_ideally(memory, rate, UNLIMITED)
    again = sum(each.changed_length for each in found.passes)
    assert sum(each.length for each in found.passes) == memory.touched + again
    assert sum(each.state_length for each in found.passes) == STATE_LENGTH


@given(SIZES, RATES)
def test_guest_that_writes_nothing_takes_one_pass(size: int, rate: int) -> None:
    found = move_ideally(GuestMemory(size=size, touched=size), rate)
    assert [each.length for each in found.passes] == [size, 0, 0]
    assert [each.quiesced for each in found.passes] == [False, True, True]
    assert [each.state_length for each in found.passes] == [0, STATE_LENGTH, 0]


@given(memories(), RATES, st.floats(1.001, 10))
def test_more_bandwidth_never_makes_it_longer(memory: GuestMemory, rate: int, times: float) -> None:
    slow, fast = (move_ideally(memory, each, UNLIMITED) for each in (rate, rate * times))
    assert fast.seconds <= slow.seconds
    # A stop below the goal may grow towards it, when one pass fewer is made
    state_s = (STATE_LENGTH + IO_CHANGED_LENGTH) / rate
    assert fast.quiesced_seconds <= max(slow.quiesced_seconds, QUIESCE_GOAL_S + state_s) + 1e-6


@given(
    memories(),
    RATES,
    st.floats(0.01, 100),
    st.floats(0.01, 100),
    st.floats(1, 10),
    st.floats(1, 10),
    st.booleans(),
)
def test_longer_limits_never_make_one_fail_that_succeeded(
    memory: GuestMemory,
    rate: int,
    total: float,
    quiesce: float,
    total_times: float,
    quiesce_times: float,
    immediate: bool,
) -> None:
    first = move_ideally(
        memory, rate, Limits(max_total=total, max_quiesce=quiesce, immediate=immediate)
    )
    longer = Limits(
        max_total=total * total_times, max_quiesce=quiesce * quiesce_times, immediate=immediate
    )
    assert move_ideally(memory, rate, longer).moved or not first.moved


@given(st.integers(5, 200))
def test_stop_has_no_cliff_in_the_change_rate(change_percent: int) -> None:
    """Of a pass of 10 s, change that is 1 % faster adds 1 s to the stop at most; it was 7.5 s."""
    size = round(10 * SLOW_RATE)
    stops = [
        move_ideally(
            GuestMemory(
                size=size, touched=size, change_rate=round(change_percent / 100 * SLOW_RATE * times)
            ),
            SLOW_RATE,
            UNLIMITED,
        ).quiesced_seconds
        for times in (1.0, 1.01)
    ]
    assert stops[1] - stops[0] < 1.0


def test_guest_is_stopped_for_the_last_two_passes() -> None:
    found = move_ideally(GuestMemory(size=512 * MIB, touched=512 * MIB, change_rate=50 * MIB), RATE)
    assert [each.quiesced for each in found.passes] == [False, True, True]
    assert found.quiesced_seconds == sum(each.seconds for each in found.passes[-2:])
    state, last = found.passes[-2:]
    assert (state.state_length, last.length) == (STATE_LENGTH, IO_CHANGED_LENGTH)


def test_pre_copy_ends_after_so_many_passes() -> None:
    found = move_ideally(RESTLESS, RATE, Limits(quiesce_goal=0))
    assert sum(not each.quiesced for each in found.passes) == PASSES_MAX
    assert all(each.length == 512 * MIB for each in found.passes[:-1])


def test_immediate_stops_it_after_one_pass() -> None:
    found = move_ideally(RESTLESS, RATE, Limits(max_quiesce=inf, immediate=True))
    assert [each.quiesced for each in found.passes] == [False, True, True]


@pytest.mark.parametrize(
    ("limits", "end", "quiesced"),
    [
        (Limits(max_total=2.0), RelocationEnd.TOTAL, False),
        (Limits(max_quiesce=0.7, immediate=True), RelocationEnd.QUIESCE, True),
    ],
)
def test_limit_ends_it_in_the_middle_of_a_pass(
    limits: Limits, end: RelocationEnd, quiesced: bool
) -> None:
    found = move_ideally(RESTLESS, RATE, limits)
    last = found.passes[-1]
    assert (found.end, last.quiesced) == (end, quiesced)
    assert 0 < last.length < 512 * MIB  # what has arrived, not what is under way
    assert last.length / last.seconds == pytest.approx(RATE, rel=0.01)
    limit = limits.max_quiesce if quiesced else limits.max_total
    assert (found.quiesced_seconds if quiesced else found.seconds) == pytest.approx(limit)


def test_modify_and_cancel_take_effect_immediately() -> None:
    memory = GuestMemory(size=512 * MIB, touched=512 * MIB)
    for order, end in (("modify", RelocationEnd.TOTAL), ("cancel", RelocationEnd.CANCELLED)):
        guest = Guest(GuestPlan("GUEST", memory), 4)
        messages = guest.begin(1_000)
        guest.sent(messages[0], 2_000_000_000)
        if order == "modify":
            guest.modify(Limits(max_total=1.0), 3_000_000_000)
        else:
            guest.cancel(3_000_000_000)
        assert (guest.end, guest.moved.seconds) == (end, 2.999999)
        assert guest.moved.length == MESSAGE_LENGTH
        assert guest.sent(messages[1], 4_000_000_000) == []  # what is under way changes nothing


def test_stages_follow_each_other() -> None:
    guest = Guest(GuestPlan("GUEST", GuestMemory(size=MIB, touched=1)), 4)
    (memory,) = guest.begin(0)
    assert (guest.stage, memory.length) == (RelocationStage.MEMORY, 1)
    (counts,) = guest.sent(memory, 1)
    assert counts.conversation == 4
    assert guest.sent(counts, 2) == []  # read, but not answered
    state = guest.counted(3)
    assert (guest.stage, sum(each.length for each in state)) == (
        RelocationStage.STATE,
        4 * MESSAGE_LENGTH,
    )


SECOND_NS = 10**9


@given(st.integers(0, 10**12), st.integers(0, 10**12), st.integers(1, 2**33))
def test_change_grows_with_time_and_never_exceeds_the_hot_set(
    first_ns: int, second_ns: int, rate: int
) -> None:
    memory = GuestMemory(size=2**32, touched=2**31, hot_set=2**30, write_rate=rate)
    first, second = (memory.changed(ns) for ns in sorted((first_ns, second_ns)))
    assert 0 <= first <= second <= 2**30


def test_random_writes_meet_pages_more_than_once() -> None:
    hot = GuestMemory(size=2**30, touched=2**30, hot_set=2**30, write_rate=2**30)
    assert hot.changed(SECOND_NS) == pytest.approx(0.632 * 2**30, rel=0.001)
    assert GuestMemory(size=2**30, touched=2**30, change_rate=2**29).changed(SECOND_NS) == 2**29


HALF = {"size": 2**30, "touched": 2**30}


@pytest.mark.parametrize(
    ("kind", "figures", "said"),
    [
        (GuestMemory, {"size": 1, "touched": 1}, "memory 1: expected"),
        (GuestMemory, {"size": 2**45, "touched": 1}, "memory .*: expected"),
        (GuestMemory, {"size": MIB, "touched": 1, "change_rate": -1}, "change rate -1: expected"),
        (GuestMemory, HALF | {"touched": 2**31}, None),
        (GuestMemory, HALF | {"touched": 0}, None),
        (GuestMemory, HALF | {"hot_set": 2**30, "write_rate": 0}, None),
        (GuestMemory, HALF | {"hot_set": 2**30 + 1, "write_rate": 1}, None),
        (GuestMemory, HALF | {"write_rate": 1}, None),
        (GuestMemory, HALF | {"change_rate": -1}, None),
        (Limits, {"max_total": 0}, "expected"),
        (Limits, {"max_quiesce": -1}, "expected"),
        (Limits, {"quiesce_goal": -1}, "expected"),
    ],
)
def test_guest_that_cannot_be_is_refused(
    kind: Any, figures: dict[str, int], said: str | None
) -> None:
    with pytest.raises(ConfigurationError, match=said):
        GuestPlan("GUEST", kind(**figures))
