"""Pair: two systems on one logical link in virtual time, the unit of test.

::

    pair = Pair(Setup(ctc_count=2))
    pair.send(pair.first, 100, 50_000)
    pair.until(pair.all_arrived)
    assert [message.length for message in pair.second.arrived] == [100, 50_000]

What is done to it is a plan of steps (`isfc.testing.steps`).
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from msgspec import Struct, field

from ctc.address import ChpidId, Rdev
from ctc.device import Arbitration
from ctc.features import find_profile
from ctc.frame import Departure, Frame
from ctc.queues import NEVER_NS
from isfc.engine.virtual import PROPAGATION_NS, Transit, VirtualEngine
from isfc.engine.wire import roundtripped
from isfc.link.events import ListSink, Program, Sink
from isfc.link.message import Message, Traffic
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters, LinkRules
from isfc.link.scan import LinkDevice
from isfc.link.state import DeviceState, LinkState
from isfc.system.link_end import CtcDefinition, LinkEndDefinition
from isfc.system.system import Activate, Deactivate, Input, Send, System, VaryChpid, VaryDevice
from isfc.testing.side import PackageBook, Side
from isfc.testing.steps import (
    ActivateCtc,
    DeactivateCtc,
    Plug,
    SendMessages,
    Step,
    Unplug,
    VaryCtcChpid,
    VaryRdev,
    Wait,
)

US: Final = 1_000
MS: Final = 1_000 * US
S: Final = 1_000 * MS

FIRST_RDEVS: Final = 0x6000
SECOND_RDEVS: Final = 0x7000
"""The two ends of a CTC never have the same number here: a mix-up shows."""

NAMES: Final = ("ATLANTA", "BOSTON")
"""The systems' names: the first one's precedes the other's."""

BOTH_FAIL: Final = (Arbitration.BOTH_FAIL, Arbitration.BOTH_FAIL)
FIRST_WINS: Final = (Arbitration.WIN, Arbitration.LOSE)
SECOND_WINS: Final = (Arbitration.LOSE, Arbitration.WIN)

Lose = Callable[[Rdev, Frame], bool]
"""Whether a frame that leaves from this RDEV is lost on its way."""

Check = Callable[[], None]
"""Looks at a pair, and raises ``AssertionError`` if something is wrong."""


def unusual(record: Any) -> str:
    """A frozen record, which has a default of each field, with those that are not as usual."""
    usual = type(record)()
    shown = [
        f"{name}={value!r}"
        for name in record.__struct_fields__
        if (value := getattr(record, name)) != getattr(usual, name)
    ]
    return f"{type(record).__name__}({', '.join(shown)})"


class Setup(Struct, frozen=True):
    """What a pair is made of. CTCs are dealt out to the fibres in turn.

    ``names`` and ``rdevs`` are those of the first and the second system; without ``rdevs`` the
    devices are 6000 upward at the first one and 7000 upward at the second. ``propagation_ns`` is
    the time through the fibre; with ``roundtrip`` every frame passes through the wire's codec.
    """

    ctc_count: int = 4
    fibre_count: int = 1
    feature: str = "FICON Express2"
    arbitrations: tuple[Arbitration, Arbitration] = BOTH_FAIL
    parameters: LinkParameters = field(default_factory=LinkParameters)
    propagation_ns: int = PROPAGATION_NS
    roundtrip: bool = False
    names: tuple[str, str] = NAMES
    rdevs: tuple[tuple[int, ...], tuple[int, ...]] | None = None

    def __repr__(self) -> str:
        """Show the fields that are not as usual."""
        return unusual(self)

    def _repr_pretty_(self, printer: Any, _cycle: object) -> None:
        """Let hypothesis show it in the same way: of a dataclass it shows every field."""
        printer.text(repr(self))

    def rdev(self, here: int, index: int) -> Rdev:
        """The number of one CTC at the first (0) or second (1) system."""
        if self.rdevs is not None:
            return Rdev(self.rdevs[here][index])
        return Rdev((FIRST_RDEVS, SECOND_RDEVS)[here] + index)

    def definition(self, here: int) -> LinkEndDefinition:
        """The node of the first (0) or second (1) system."""
        return LinkEndDefinition(
            NodeName(self.names[here]),
            NodeName(self.names[1 - here]),
            tuple(
                CtcDefinition(
                    LinkDevice(self.rdev(here, index), self.rdev(1 - here, index)),
                    ChpidId(0x40 + 0x10 * here + index % self.fibre_count),
                    find_profile(self.feature),
                )
                for index in range(self.ctc_count)
            ),
            self.parameters,
            self.arbitrations[here],
        )


class Links:
    """Systems in virtual time, with a side at each end of a link; a pair is two on one link.

    Whoever makes one sets the engine and the sides.
    """

    engine: VirtualEngine
    sides: tuple[Side, ...]

    def partner(self, side: Side) -> Side:
        """The other side of a link."""
        ends = side.end.partner, side.end.name
        return next(each for each in self.sides if (each.end.name, each.end.partner) == ends)

    def let_through(self, side: Side, messages: list[Message]) -> list[Message]:
        """What of these messages the link is given now: for pairs that hold some back."""
        return messages

    def send(
        self,
        side: Side,
        *lengths: int,
        conversation: int = 0,
        traffic: Traffic = Traffic.TRANSPORT,
    ) -> None:
        """Let ``side`` send messages of so many bytes, now, all together."""
        messages = [Message(conversation, length, traffic) for length in lengths]
        if let := self.let_through(side, messages):
            side.system.apply(Send(let, side.number), self.engine.now_ns)
        side.note(messages)
        self.engine.drain()

    def run(self, duration_ns: int) -> None:
        """Let time pass."""
        self.engine.run(self.engine.now_ns + duration_ns)

    def step(self) -> bool:
        """Let happen what happens at the next moment at which anything does; whether it did."""
        due_ns = self.engine.due_ns
        if due_ns >= NEVER_NS:
            return False
        self.engine.run(due_ns)
        return True

    def until(
        self, condition: Callable[[], bool], *, limit_ns: int = 100 * S, step_ns: int | None = None
    ) -> None:
        """Go on until ``condition`` holds, event by event or in steps of so many ns.

        Fails after ``limit_ns``, and when nothing happens any more.
        """
        end_ns = self.engine.now_ns + limit_ns
        while not condition():
            assert self.engine.now_ns < end_ns, f"still waiting after {limit_ns / S} s"
            if step_ns is not None:
                self.run(step_ns)
            else:
                assert self.step(), "nothing happens any more, and it does not hold"

    def drive(self, plan: Iterable[Step], check: Check | None = None) -> None:
        """Do what is planned, step by step; look at the pair after each one."""
        for step in plan:
            self.do(step)
            if check is not None:
                check()

    def do(self, step: Step) -> None:
        """Do one step of a plan, if it can be done now."""
        if isinstance(step, Wait):
            self.run(step.duration_ns)
        elif isinstance(step, SendMessages):
            number = 2 * step.conversation + step.traffic  # a conversation is of one kind
            side = self.sides[step.here]
            self.send(side, *step.lengths, conversation=number, traffic=step.traffic)
        elif not isinstance(step, Unplug | Plug):
            self._operate(step)

    def _operate(self, step: ActivateCtc | DeactivateCtc | VaryCtcChpid | VaryRdev) -> None:
        side = self.sides[step.here]
        index = step.index % len(side.rdevs)
        rdev = side.rdevs[index]
        match step:
            case VaryCtcChpid():
                chpid = side.system.channels.chpid_of[rdev]
                self._apply(side, VaryChpid(chpid, online=step.online))
            case VaryRdev():
                self._apply(side, VaryDevice(rdev, online=step.online))
            case DeactivateCtc() if self.is_active(side, index):
                self.deactivate(side, index)
            case ActivateCtc() if not self.is_active(side, index):
                self.activate(side, index)

    def _apply(self, side: Side, given: Input) -> None:
        side.system.apply(given, self.engine.now_ns)
        self.engine.drain()

    def is_active(self, side: Side, index: int) -> bool:
        """Whether a CTC is part of the link, at one side."""
        return side.end.link.ctcs[side.rdevs[index]].state is not DeviceState.INACTIVE

    def deactivate(self, side: Side, index: int) -> None:
        """DEACTIVE ISLINK on one side."""
        self._apply(side, Deactivate(side.rdevs[index]))

    def activate(self, side: Side, index: int) -> None:
        """ACTIVATE ISLINK on one side."""
        self._apply(side, Activate(side.rdevs[index]))

    def restore(self) -> None:
        """Undo all that operators have done: every CTC can be used again."""
        for here, side in enumerate(self.sides):
            for index, rdev in enumerate(side.rdevs):
                if side.system.channels.chpid_of[rdev] in side.system.channels.offline_chpids:
                    self.do(VaryCtcChpid(here, index, online=True))
                if rdev in side.system.channels.offline_rdevs:
                    self.do(VaryRdev(here, index, online=True))
                self.do(ActivateCtc(here, index))

    def all_arrived(self) -> bool:
        """Whether every byte sent has arrived."""
        return all(self.partner(side).arrived_length >= side.sent_length for side in self.sides)

    def expect_all_arrived(self, *, limit_ns: int = 100 * S, step_ns: int = MS) -> None:
        """Run until everything has arrived and all is quiet; check each message."""
        self.until(self.all_arrived, limit_ns=limit_ns, step_ns=step_ns)
        self.run(10 * MS)
        for side in self.sides:
            self.expect_in_order(side)
            arrived_length = self.partner(side).arrived_length
            assert arrived_length == side.sent_length, (
                f"{side} has sent {side.sent_length} bytes, {arrived_length} have arrived"
            )

    def expect_in_order(self, side: Side) -> None:
        """Of what ``side`` has sent, so far exactly a beginning of each conversation arrived."""
        sent: dict[int, list[int]] = {}
        for conversation, length in side.sent:
            sent.setdefault(conversation, []).append(length)
        arrived: dict[int, list[Message]] = {}
        for message in self.partner(side).arrived:
            arrived.setdefault(message.conversation, []).append(message)
        for conversation, messages in arrived.items():
            lengths = [message.length for message in messages]
            assert lengths == sent[conversation][: len(messages)], (
                f"conversation {conversation}: {sent[conversation]} were sent, {lengths} arrived"
            )
            serials = [message.serial for message in messages]
            assert serials == sorted(set(serials)), "a message came twice or out of turn"


class Pair(Links):
    """Two nodes, their engine and simple programs; the CTCs are ready when it is made.

    ``lose`` says which frames of either side are lost, ``transit`` what else becomes of them. Both
    ends follow the ``rules``.
    """

    def __init__(
        self,
        setup: Setup | None = None,
        *,
        lose: tuple[Lose, Lose] | None = None,
        transit: Transit | None = None,
        rules: LinkRules | None = None,
    ):
        self.rules = rules
        self.setup = setup or Setup()
        self.packages = [PackageBook(), PackageBook()]
        """What the first and the second system were told of their packages."""
        self.first, self.second = (Side(*self.make_traced(here)) for here in (0, 1))
        self.sides = (self.first, self.second)
        self.unplugged: set[int] = set()
        """The CTCs that are cut."""
        self.engine = VirtualEngine(
            [side.system for side in self.sides],
            [self.make_program(side) for side in self.sides],
            self.setup.propagation_ns,
            roundtrip=roundtripped if self.setup.roundtrip else None,
            transit=transit if lose is None else self._losing(lose),
        )
        self.run(4 * self.setup.propagation_ns)

    def __repr__(self) -> str:
        return f"Pair({self.setup}) at {self.engine.now_ns:,} ns: {self.first}, {self.second}"

    def make_system(self, here: int, definition: LinkEndDefinition, trace: Sink) -> System:
        """The system of one side: for pairs that have another kind.

        `PackageBook` of that side is to watch it, or the invariants have nothing to compare.
        """
        return System([definition], trace, watch=self.packages[here], rules=self.rules)

    def make_program(self, side: Side) -> Program:
        """What the engine tells of a side's events: for pairs that put something in between."""
        return side

    def held_length(self, side: Side) -> int:
        """Bytes of a side's messages that are held back before the link: none here."""
        return 0

    def book(self, side: Side) -> PackageBook:
        """What a side was told of its packages."""
        return self.packages[side is self.second]

    def do(self, step: Step) -> None:
        """Do one step of a plan, if it can be done now."""
        if isinstance(step, Unplug):
            self.unplug(step.index % self.setup.ctc_count)
        elif isinstance(step, Plug):
            self.plug(step.index % self.setup.ctc_count)
        else:
            super().do(step)

    def unplug(self, index: int) -> None:
        """Cut one CTC."""
        if index not in self.unplugged:
            self.unplugged.add(index)
            self.engine.unplug(self.first.rdevs[index])

    def plug(self, index: int) -> None:
        """Restore one CTC."""
        if index in self.unplugged:
            self.unplugged.discard(index)
            self.engine.plug(self.first.rdevs[index])

    def restore(self) -> None:
        """Undo all that operators and cables have done: every CTC can be used again."""
        for index in sorted(self.unplugged):
            self.plug(index)
        super().restore()

    def expect_state(self, state: LinkState) -> None:
        """Both sides see the logical link so."""
        states = [side.state for side in self.sides]
        assert states == [state, state], f"the link is {states}, not {state}"

    def make_traced(self, here: int) -> tuple[System, ListSink]:
        """A fresh system of one side, and its trace."""
        trace = ListSink()
        self.packages[here] = PackageBook()
        return self.make_system(here, self.setup.definition(here), trace), trace

    def _losing(self, lose: tuple[Lose, Lose]) -> Transit:
        def transit(name: NodeName, departure: Departure) -> Iterable[Departure]:
            is_lost = lose[name != self.first.system.name](departure.rdev, departure.frame)
            return () if is_lost else (departure,)

        return transit
