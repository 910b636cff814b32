"""The lock of a system: one link end copies at a time, and whoever waits has it in its turn."""

from enum import Enum

from hypothesis import given
from hypothesis import strategies as st

from ctc.address import Rdev
from ctc.queues import NEVER_NS
from isfc.link.lock import BuildPackage, LinkLock, LockClaim, SystemLock
from isfc.link.message import Message, Traffic
from isfc.link.package import Package

APPC = BuildPackage(Rdev(0x6000), Package(0, [Message(0, 10, Traffic.LEGACY)], 10))


class Has(Enum):
    """What a link end finds when it looks for work, or a message that it is just being sent."""

    NOTHING = 0
    WORK = 1
    MESSAGE = 2


asked = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(Has), st.integers(1, 9), st.integers(0, 9)),
    max_size=80,
)
"""A link end, what it has to copy, how long that takes, how much later it is."""


@given(asked)
def test_one_copies_at_a_time_and_all_in_turn(story: list[tuple[int, Has, int, int]]) -> None:
    lock = SystemLock()
    turns = [LockClaim(lock) for _ in range(4)]
    waiting: list[int] = []
    now_ns = until_ns = 0
    for number, has, hold_ns, later_ns in story:
        now_ns += later_ns
        turn = turns[number]
        if has is not Has.MESSAGE:
            turn.begin()
        may = until_ns <= now_ns and waiting[:1] in ([], [number])
        if has is not Has.NOTHING:
            assert turn.may_copy(now_ns) == may
        if has is not Has.NOTHING and may:
            held = LinkLock()
            held.hold(APPC, hold_ns, now_ns)
            turn.take(held)
            until_ns = now_ns + hold_ns
        if has is not Has.MESSAGE:
            turn.end()
        if has is not Has.NOTHING and not may:
            waiting += [number] if number not in waiting else []
        elif number in waiting:
            waiting.remove(number)
        for each, of in enumerate(turns):
            is_next = waiting[:1] == [each]
            assert of.due_ns == (until_ns if is_next else NEVER_NS)
