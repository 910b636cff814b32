"""Pair: two nodes on one logical link in virtual time, the unit of test."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from ctc.address import ChpidId, Rdev
from ctc.device import Arbitration
from ctc.frame import Departure, Frame
from ctc.profiles import find_profile
from isfc.engine.program import Offer
from isfc.engine.virtual import PROPAGATION_NS, VirtualEngine
from isfc.link.events import Delivered, LinkEvent, Sent
from isfc.link.message import Message, Traffic
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.link.schedule import LinkDevice
from isfc.link.state import LinkState
from isfc.link.trace import ListSink, Sink
from isfc.system.node import CtcDefinition, Node, NodeDefinition

US: Final = 1_000
MS: Final = 1_000 * US
S: Final = 1_000 * MS

FIRST_RDEVS: Final = 0x6000
SECOND_RDEVS: Final = 0x7000
"""The two ends of a CTC never have the same number here: a mix-up shows."""

BOTH_FAIL: Final = (Arbitration.BOTH_FAIL, Arbitration.BOTH_FAIL)
FIRST_WINS: Final = (Arbitration.WIN, Arbitration.LOSE)
SECOND_WINS: Final = (Arbitration.LOSE, Arbitration.WIN)

Lose = Callable[[Rdev, Frame], bool]
"""Whether a frame that leaves from this RDEV is lost on its way."""

Answer = Callable[[Message], Sequence[Message]]
"""What a program sends because a message has arrived."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What a pair is made of. CTCs are dealt out to the fibres in turn."""

    ctc_count: int = 4
    fibre_count: int = 1
    feature: str = "FICON Express2"
    arbitrations: tuple[Arbitration, Arbitration] = BOTH_FAIL
    parameters: LinkParameters = field(default_factory=LinkParameters)
    propagation_ns: int = PROPAGATION_NS
    roundtrip: bool = False

    def definition(self, here: int) -> NodeDefinition:
        """The node of the first (0) or second (1) system."""
        names = (NodeName("ATLANTA"), NodeName("BOSTON"))
        rdevs = (FIRST_RDEVS, SECOND_RDEVS)
        return NodeDefinition(
            names[here],
            names[1 - here],
            tuple(
                CtcDefinition(
                    LinkDevice(Rdev(rdevs[here] + index), Rdev(rdevs[1 - here] + index)),
                    ChpidId(0x40 + 0x10 * here + index % self.fibre_count),
                    find_profile(self.feature),
                )
                for index in range(self.ctc_count)
            ),
            self.parameters,
            self.arbitrations[here],
        )


class LossyNode(Node):
    """A node some of whose frames are lost on their way."""

    def __init__(self, definition: NodeDefinition, trace: Sink, lose: Lose) -> None:
        super().__init__(definition, trace)
        self._lose = lose

    def poll_frame(self) -> Departure | None:
        """The next frame that is not lost."""
        while (departure := super().poll_frame()) is not None:
            _, rdev, frame = departure
            if not self._lose(rdev, frame):
                return departure
        return None


class Side:
    """One node, the program on it, and what they did and were told."""

    def __init__(self, node: Node, trace: ListSink) -> None:
        self.node = node
        self.trace = trace
        self.events: list[LinkEvent] = []
        self.sent: list[tuple[int, int]] = []
        self.written_length = 0
        self.arrived: list[Message] = []
        self.answer: Answer = lambda _: ()

    def start(self, now_ns: int) -> Iterable[Offer]:
        """Send nothing yet: a test says when."""
        return ()

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Note the event; answer the messages it brings."""
        self.events.append(event)
        if isinstance(event, Sent):
            self.written_length += sum(message.length for message in event.messages)
        if isinstance(event, Delivered):
            for message in event.messages:
                self.arrived.append(message)
                if answers := self.answer(message):
                    self.note(answers)
                    yield now_ns, answers

    def note(self, messages: Iterable[Message]) -> None:
        """Remember what is sent: the link renumbers and cuts the messages themselves."""
        self.sent.extend((message.conversation, message.length) for message in messages)

    @property
    def rdevs(self) -> tuple[Rdev, ...]:
        """This side's devices, in the order of definition."""
        return tuple(self.node.link.ctcs)

    @property
    def state(self) -> LinkState:
        """How this side sees the logical link."""
        return self.node.link.state

    @property
    def sent_length(self) -> int:
        """Bytes sent so far."""
        return sum(length for _, length in self.sent)

    @property
    def arrived_length(self) -> int:
        """Bytes that have arrived so far."""
        return sum(message.length for message in self.arrived)

    def verbs(self, verb: str) -> list[tuple[int, int]]:
        """When (ns), and on which RDEV, the trace says ``verb``."""
        return [(now_ns, rdev) for now_ns, _, rdev, what, _ in self.trace.records if what == verb]

    def written_rdevs(self) -> set[int]:
        """The devices this side has written on."""
        return {rdev for _, rdev in self.verbs("WRITE")}

    def told(self, kind: type[LinkEvent]) -> int:
        """How many events of one kind the program was told."""
        return sum(isinstance(event, kind) for event in self.events)


def never(rdev: Rdev, frame: Frame) -> bool:  # noqa: ARG001  # a `Lose`
    """Lose nothing."""
    return False


class Pair:
    """Two nodes, their engine and simple programs; the CTCs are ready when it is made."""

    def __init__(self, setup: Setup | None = None, *, lose: tuple[Lose, Lose] = (never, never)):
        self.setup = setup or Setup()
        self.first, self.second = (self._side(here, lose[here]) for here in (0, 1))
        self.sides = (self.first, self.second)
        self.engine = VirtualEngine(
            [side.node for side in self.sides],
            self.sides,
            self.setup.propagation_ns,
            roundtrip=self.setup.roundtrip,
        )
        self.run(4 * self.setup.propagation_ns)

    def _side(self, here: int, lose: Lose) -> Side:
        trace = ListSink()
        return Side(LossyNode(self.setup.definition(here), trace, lose), trace)

    def partner(self, side: Side) -> Side:
        """The other side."""
        return self.second if side is self.first else self.first

    def send(
        self,
        side: Side,
        *lengths: int,
        conversation: int = 0,
        traffic: Traffic = Traffic.TRANSPORT,
    ) -> None:
        """Let ``side`` send messages of so many bytes, now, all at once."""
        messages = [Message(conversation, length, traffic) for length in lengths]
        side.node.send(messages, self.engine.now_ns)
        side.note(messages)
        self.engine.drain()

    def run(self, duration_ns: int) -> None:
        """Let time pass."""
        self.engine.run(self.engine.now_ns + duration_ns)

    def run_until(self, condition: Callable[[], bool], *, limit_ns: int, step_ns: int) -> None:
        """Let time pass in steps until ``condition`` holds; fail after ``limit_ns``."""
        end_ns = self.engine.now_ns + limit_ns
        while not condition():
            assert self.engine.now_ns < end_ns, f"still waiting after {limit_ns / S} s"
            self.run(step_ns)

    def unplug(self, index: int) -> None:
        """Cut one CTC."""
        self.engine.unplug(self.first.rdevs[index])

    def plug(self, index: int) -> None:
        """Mend one CTC."""
        self.engine.plug(self.first.rdevs[index])

    def deactivate(self, side: Side, index: int) -> None:
        """DEACTIVE ISLINK on one side."""
        side.node.deactivate(side.rdevs[index], self.engine.now_ns)
        self.engine.drain()

    def activate(self, side: Side, index: int) -> None:
        """ACTIVATE ISLINK on one side."""
        side.node.activate(side.rdevs[index], self.engine.now_ns)
        self.engine.drain()

    def all_arrived(self) -> bool:
        """Whether every byte sent has arrived."""
        return all(self.partner(side).arrived_length >= side.sent_length for side in self.sides)

    def expect_all_arrived(self, *, limit_ns: int = 100 * S, step_ns: int = MS) -> None:
        """Run until everything has arrived and all is quiet; check each message."""
        self.run_until(self.all_arrived, limit_ns=limit_ns, step_ns=step_ns)
        self.run(10 * MS)
        for side in self.sides:
            self.expect_in_order(side)
            assert self.partner(side).arrived_length == side.sent_length

    def expect_in_order(self, side: Side) -> None:
        """Of what ``side`` has sent, so far exactly a beginning of each conversation arrived."""
        sent: dict[int, list[int]] = {}
        for conversation, length in side.sent:
            sent.setdefault(conversation, []).append(length)
        arrived: dict[int, list[Message]] = {}
        for message in self.partner(side).arrived:
            arrived.setdefault(message.conversation, []).append(message)
        for conversation, messages in arrived.items():
            assert [m.length for m in messages] == sent[conversation][: len(messages)]
            serials = [message.serial for message in messages]
            assert serials == sorted(set(serials)), "a message came twice or out of turn"

    def expect_state(self, state: LinkState) -> None:
        """Both sides see the logical link so."""
        assert [side.state for side in self.sides] == [state, state]
