"""A logical link through everything that can happen to it, in any order."""

from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from isfc.link.message import Traffic
from isfc.link.state import DeviceState
from tests.ledger import Ledger
from tests.pair import MS, US, Pair, Setup, Side
from tests.strategies import conversations, lengths, setups, traffics

sides = st.integers(0, 1)
indexes = st.integers(0, 15)


class LinkMachine(RuleBasedStateMachine):
    """Two nodes; P1, P2, P3, P5, P11 and P12 hold after every step, P4 at the end."""

    def __init__(self) -> None:
        super().__init__()
        self.pair = Pair()
        self.ledger = Ledger(self.pair)
        self.unplugged: set[int] = set()

    @initialize(setup=setups())
    def begin(self, setup: Setup) -> None:
        self.pair = Pair(setup)
        self.ledger = Ledger(self.pair)

    def states(self, side: Side) -> list[DeviceState]:
        return [ctc.state for ctc in side.node.link.ctcs.values()]

    def pick(self, index: int, fits: Callable[[int], bool]) -> int | None:
        """One of the CTCs that fit; None when there is none."""
        fitting = [n for n in range(self.pair.setup.ctc_count) if fits(n)]
        return fitting[index % len(fitting)] if fitting else None

    @rule(
        here=sides,
        sizes=st.lists(lengths, min_size=1, max_size=5),
        conversation=conversations,
        traffic=traffics,
    )
    def send(self, here: int, sizes: list[int], conversation: int, traffic: Traffic) -> None:
        # a conversation is of one kind for good
        number = 2 * conversation + traffic
        side = self.pair.sides[here]
        self.pair.send(side, *sizes, conversation=number, traffic=traffic)

    @rule(length=lengths)
    def collide(self, length: int) -> None:
        for side in self.pair.sides:
            self.pair.send(side, length)

    @rule(duration_ns=st.one_of(st.integers(1, 300 * US), st.integers(1, 50 * MS)))
    def run_on(self, duration_ns: int) -> None:
        self.pair.run(duration_ns)

    @rule(index=indexes)
    def lose_a_ctc(self, index: int) -> None:
        lost = self.pick(index, lambda n: n not in self.unplugged)
        if lost is not None:
            self.pair.unplug(lost)
            self.unplugged.add(lost)

    @precondition(lambda self: self.unplugged)
    @rule(index=indexes)
    def restore_a_ctc(self, index: int) -> None:
        restored = self.pick(index, self.unplugged.__contains__)
        if restored is not None:
            self.pair.plug(restored)
            self.unplugged.discard(restored)

    @rule(here=sides, index=indexes)
    def deactivate(self, here: int, index: int) -> None:
        side = self.pair.sides[here]
        states = self.states(side)
        chosen = self.pick(index, lambda n: states[n] is not DeviceState.INACTIVE)
        if chosen is not None:
            self.pair.deactivate(side, chosen)

    @rule(here=sides, index=indexes)
    def activate(self, here: int, index: int) -> None:
        side = self.pair.sides[here]
        states = self.states(side)
        chosen = self.pick(index, lambda n: states[n] is DeviceState.INACTIVE)
        if chosen is not None:
            self.pair.activate(side, chosen)

    @invariant()
    def books_balance(self) -> None:
        self.ledger.check()

    def teardown(self) -> None:
        """Mend everything: then everything arrives, and the link is as good as new."""
        for index in sorted(self.unplugged):
            self.pair.plug(index)
        for side in self.pair.sides:
            for index, state in enumerate(self.states(side)):
                if state is DeviceState.INACTIVE:
                    self.pair.activate(side, index)
        self.ledger.check_end()


TestLinkMachine = pytest.mark.slow(LinkMachine.TestCase)
TestLinkMachine.settings = settings(stateful_step_count=30)
