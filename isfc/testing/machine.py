"""A state machine of hypothesis: a logical link through everything that can happen to it.

Subclass `LinkMachine` and add rules and invariants of your own, which use ``self.pair``; or run it
as it is: ``TestLink = LinkMachine.TestCase``.
"""

from isfc.errors.library import missing_library
from isfc.testing.invariants import Ledger
from isfc.testing.pair import Pair, SendMessages, Setup, Step, Wait
from isfc.testing.strategies import cuts, lengths, operations, pauses, sends, setups

try:
    from hypothesis import strategies as st
    from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(missing_library("hypothesis", __name__), name="hypothesis") from error


class LinkMachine(RuleBasedStateMachine):
    """Two nodes; all invariants hold after every step, and at the end everything arrives."""

    setups: st.SearchStrategy[Setup] = setups()
    """What the pair is made of; a subclass may have another."""

    def __init__(self) -> None:
        super().__init__()
        self.begin_with(Setup())

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        """Begin with a pair that is drawn."""
        self.begin_with(data.draw(type(self).setups))

    def begin_with(self, setup: Setup) -> None:
        """Begin with a pair of this make."""
        self.pair = Pair(setup)
        self.ledger = Ledger(self.pair)

    @rule(step=sends)
    def send(self, step: SendMessages) -> None:
        """One side sends."""
        self.pair.do(step)

    @rule(length=lengths)
    def collide(self, length: int) -> None:
        """Both sides send at the same instant."""
        for side in self.pair.sides:
            self.pair.send(side, length)

    @rule(step=pauses)
    def wait(self, step: Wait) -> None:
        """Time passes."""
        self.pair.do(step)

    @rule(step=cuts)
    def lose_or_restore_a_ctc(self, step: Step) -> None:
        """A CTC is cut, or comes back."""
        self.pair.do(step)

    @rule(step=operations)
    def operate(self, step: Step) -> None:
        """An operator does something."""
        self.pair.do(step)

    @invariant()
    def all_holds(self) -> None:
        """What must hold after every step."""
        self.ledger.check()

    def teardown(self) -> None:
        """Restore everything: then everything arrives, and the link is as good as new."""
        self.pair.restore()
        self.ledger.check_end()
