"""Dialogue: two switchboards on two nodes in virtual time, the unit of test for conversations."""

from collections.abc import Callable
from dataclasses import dataclass

from isfc.engine.virtual import VirtualEngine
from isfc.engine.wire import roundtripped
from isfc.link.logical_link import LogicalLink
from isfc.link.message import Traffic
from isfc.programs.conversation import ConversationEnd
from isfc.programs.protocol import ConversationLimits
from isfc.programs.switchboard import Switchboard
from isfc.programs.verification import Verifying
from isfc.system.system import Send, System
from isfc.testing.pair import MS, S, Setup

SMALL = ConversationLimits(window_length=1_000, send_length=700, conversations_max=8)
"""Limits that a few bytes reach."""


@dataclass
class End:
    """One side: its board and its node."""

    board: Switchboard
    system: System
    verifying: Verifying

    @property
    def link(self) -> LogicalLink:
        """Its end of the link."""
        return self.system.ends[0].link


class Dialogue:
    """Two nodes with a switchboard each, their messages verified or not.

    The second one has limits of its own where there are ``partner_limits``.
    """

    def __init__(
        self,
        setup: Setup | None = None,
        limits: ConversationLimits | None = None,
        *,
        partner_limits: ConversationLimits | None = None,
        verified: bool = False,
    ) -> None:
        self.setup = setup or Setup()
        self.verified = verified
        self.ends = (self._end(0, limits), self._end(1, partner_limits or limits))
        self.engine = VirtualEngine(
            [end.system for end in self.ends],
            [end.verifying if verified else end.board for end in self.ends],
            self.setup.propagation_ns,
            roundtrip=roundtripped if self.setup.roundtrip else None,
        )
        self.run(4 * self.setup.propagation_ns)

    def _end(self, here: int, limits: ConversationLimits | None) -> End:
        board = Switchboard(lesser=here == 0, limits=limits)
        return End(board, System([self.setup.definition(here)]), Verifying(board))

    def run(self, duration_ns: int) -> None:
        """Let time pass."""
        self.engine.run(self.engine.now_ns + duration_ns)

    def carry(self) -> None:
        """Hand over what verbs have led to, after what events have led to by now."""
        self.engine.run(self.engine.now_ns)
        for end in self.ends:
            for messages in end.board.messages():
                sealed = end.verifying.seal(messages) if self.verified else messages
                end.system.apply(Send(list(sealed)), self.engine.now_ns)
        self.engine.drain()

    def run_until(self, condition: Callable[[], bool], *, limit_ns: int = 100 * S) -> None:
        """Let time pass until ``condition`` holds; fail after ``limit_ns``."""
        end_ns = self.engine.now_ns + limit_ns
        self.carry()
        while not condition():
            assert self.engine.now_ns < end_ns, f"still waiting after {limit_ns / S} s"
            self.run(MS)
            self.carry()

    def connect(
        self, here: int = 0, service: str = "ECHO", traffic: Traffic = Traffic.TRANSPORT
    ) -> tuple[ConversationEnd, ConversationEnd]:
        """Both ends of a new conversation, that of the side which connects first."""
        asking = self.ends[here].board.connect(service, traffic)
        board = self.ends[1 - here].board
        self.run_until(lambda: asking.number in board.conversations)
        asked = board.conversations[asking.number]
        asked.accept()
        self.run_until(lambda: asking.accepted or asking.severed)
        return asking, asked
