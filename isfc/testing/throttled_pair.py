"""ThrottledPair: a pair whose programs are held back while their system is short of storage."""

from isfc.engine.program import Program
from isfc.engine.virtual import Transit
from isfc.link.message import Message
from isfc.link.name import NodeName
from isfc.testing.pair import Pair, Setup
from isfc.testing.side import Side
from scenarios.disturbance import Throttled


class ThrottledPair(Pair):
    """A pair each of whose sides sends through a `Throttled`, which a fault sets a limit.

    What is held back counts as sent: by P1 it must arrive, and by P2 it waits.
    """

    def __init__(self, setup: Setup, transit: Transit | None = None) -> None:
        self.throttles: dict[NodeName, Throttled] = {}
        """By the name of the system."""
        super().__init__(setup, transit=transit)

    def make_program(self, side: Side) -> Program:
        """The side, and between it and the link what holds messages back."""
        throttle = self.throttles[side.system.name] = Throttled(side)
        return throttle

    def let_through(self, side: Side, messages: list[Message]) -> list[Message]:
        """As many as the limit allows; the others follow when something was sent."""
        now_ns = self.engine.now_ns
        let = self.throttles[side.system.name].let_through([(now_ns, messages)], now_ns)
        return [message for _, some in let for message in some]

    def held_length(self, side: Side) -> int:
        """Bytes that are held back."""
        return self.throttles[side.system.name].held_length
