"""Conversations with much to say, whatever becomes of the CTCs between their ends."""

from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctc.address import Rdev
from isfc.link.message import Traffic
from isfc.programs.protocol import ConversationLimits, SeverCode
from isfc.testing.pair import MS, US, S, Setup
from isfc.testing.strategies import setups, traffics
from tests.isfc.programs.dialogue import SMALL, Dialogue
from tests.isfc.programs.test_switchboard import reason_code

pytestmark = pytest.mark.at_length


class Talk:
    """One conversation with much to say both ways; notes what came of it."""

    def __init__(self, dialogue: Dialogue, here: int, traffic: Traffic, random: Random) -> None:
        self.step_max = random.choice([3_000, 100_000])
        self.ends = dialogue.connect(here, traffic=traffic)
        self.random = random
        self.texts = tuple(random.randbytes(random.randrange(40_000)) for _ in self.ends)
        self.sent = [0, 0]
        self.received = [bytearray(), bytearray()]

    def step(self) -> None:
        """Send and take a little at both ends, where that is allowed."""
        for here, end in enumerate(self.ends):
            if end.holds_conversation and not end.finished and end.reason is None:
                start = self.sent[here]
                piece = self.texts[here][start : start + self.random.randrange(1, self.step_max)]
                self.sent[here] += end.send(piece)
                if self.sent[here] == len(self.texts[here]):
                    end.finish()
                elif end.traffic is Traffic.LEGACY and self.random.random() < 0.3:
                    end.pass_turn()
            self.received[here] += end.poll_data(self.random.randrange(1, self.step_max))

    def done(self) -> bool:
        return all(end.over and not end.arrived_length for end in self.ends)

    def check(self) -> None:
        for here in (0, 1):
            assert self.received[1 - here] == self.texts[here]
            assert reason_code(self.ends[here]) is SeverCode.ENDED


@settings(max_examples=25)
@given(
    setups(ctc_counts=st.integers(1, 4)),
    st.integers(0, 2**32).map(Random),
    st.lists(st.tuples(st.integers(0, 1), traffics), min_size=1, max_size=4),
    st.sampled_from([SMALL, ConversationLimits()]),
    st.booleans(),
)
# what an event had led to was handed over after what came later
@example(
    Setup(ctc_count=1, feature="FICON Express"),
    Random(71936),
    [(1, Traffic.LEGACY), (1, Traffic.TRANSPORT), (1, Traffic.LEGACY), (0, Traffic.TRANSPORT)],
    SMALL,
    True,
)
def test_bytes_arrive_once_in_order_whatever_ctcs_are_unplugged(
    setup: Setup,
    random: Random,
    kinds: list[tuple[int, Traffic]],
    limits: ConversationLimits,
    verified: bool,
) -> None:
    dialogue = Dialogue(setup, limits, verified=verified)
    talks = [Talk(dialogue, here, traffic, random) for here, traffic in kinds]
    rdevs = list(dialogue.ends[0].link.ctcs)
    unplugged: set[Rdev] = set()
    end_ns = dialogue.engine.now_ns + 100 * S
    while not all(talk.done() for talk in talks):
        assert dialogue.engine.now_ns < end_ns
        for talk in talks:
            talk.step()
        dialogue.carry()
        dialogue.run(random.randrange(US, 3 * MS))
        if random.random() < 0.25:
            rdev = random.choice(rdevs)
            if rdev in unplugged:
                dialogue.engine.plug(rdev)
            else:
                dialogue.engine.unplug(rdev)
            unplugged ^= {rdev}
        if len(unplugged) == len(rdevs) and random.random() < 0.5:
            dialogue.engine.plug(unplugged.pop())
        assert all(end.board.in_link_length >= 0 for end in dialogue.ends)
    for rdev in unplugged:
        dialogue.engine.plug(rdev)
    boards = [end.board for end in dialogue.ends]
    dialogue.run_until(lambda: not any(b.in_link_length or b.conversations for b in boards))
    for talk in talks:
        talk.check()
