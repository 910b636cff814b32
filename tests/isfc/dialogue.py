"""Dialogue: two switchboards on two nodes in virtual time, the unit of test for conversations."""

from collections.abc import Callable
from dataclasses import dataclass

from isfc.conversation import Conversation, ConversationLimits, ConversationState
from isfc.engine.program import Program
from isfc.engine.virtual import VirtualEngine
from isfc.message import Traffic
from isfc.node import Node
from isfc.switchboard import Switchboard
from tests.pair import MS, S, Setup

SMALL = ConversationLimits(window_length=1_000, send_length=700, conversations_max=8)
"""Limits that a few bytes reach."""


@dataclass
class End:
    """One side: its board and its node."""

    board: Switchboard
    node: Node


class Dialogue:
    """Two nodes with a switchboard each; ``wrap`` puts something around both programs."""

    def __init__(
        self,
        setup: Setup | None = None,
        limits: ConversationLimits | None = None,
        wrap: Callable[[Program], Program] = lambda program: program,
    ) -> None:
        self.setup = setup or Setup()
        self.ends = tuple(
            End(Switchboard(lesser=here == 0, limits=limits), Node(self.setup.definition(here)))
            for here in (0, 1)
        )
        self.engine = VirtualEngine(
            [end.node for end in self.ends],
            [wrap(end.board) for end in self.ends],
            self.setup.propagation_ns,
            roundtrip=self.setup.roundtrip,
        )
        self.run(4 * self.setup.propagation_ns)

    def run(self, duration_ns: int) -> None:
        """Let time pass."""
        self.engine.run(self.engine.now_ns + duration_ns)

    def carry(self) -> None:
        """Hand over what verbs have led to."""
        for end in self.ends:
            for messages in end.board.messages():
                end.node.send(messages, self.engine.now_ns)
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
    ) -> tuple[Conversation, Conversation]:
        """Both ends of a new conversation, that of the side which connects first."""
        asking = self.ends[here].board.connect(service, traffic)
        board = self.ends[1 - here].board
        self.run_until(lambda: asking.number in board.conversations)
        asked = board.conversations[asking.number]
        asked.accept()
        self.run_until(lambda: asking.state is not ConversationState.CONNECTING)
        return asking, asked
