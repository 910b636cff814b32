"""A CTC between two systems that drive their own ends: any order of commands, resets and drops."""

from collections import deque

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from ctc.adapter import Adapter, Step
from ctc.order import RESET, Order, command_of
from ctc.state import RULES, TRANSITIONS, CommandOutcome, State, class_of
from ctc.subchannel import Command

ISSUED = st.sampled_from(
    [
        Command.PREPARE,
        Command.CONTROL,
        Command.READ,
        Command.WRITE,
        Command.SENSE_COMMAND_BYTE,
        Command.WRITE_EOF,
        Command.NO_OP,
    ]
)
MEETS = (CommandOutcome.TRANSFER, CommandOutcome.MATCH)
ENDS = st.sampled_from([0, 1])


class SystemEnd:
    """One end as a real system drives it, by what it has been told of the mate."""

    def __init__(self, wins: bool, holds: bool) -> None:
        self.wins = wins
        self.holds = holds
        self.state = State.AVAILABLE
        self.mate = State.AVAILABLE
        self.said: deque[Order] = deque()
        self.heard: deque[Order] = deque()
        self.offered: bytes = b""
        """What the mate's WRITE carries that waits for a READ."""
        self.writing: bytes = b""
        self.read: list[bytes] = []
        self.written: list[bytes] = []
        self.failed: list[bytes] = []

    def issue(self, command: Command, data: bytes) -> None:
        """A guest's command; what cannot pass the mate's is not said to anybody."""
        rule = RULES[command]
        outcome = rule.outcomes[self.mate]
        carried = data if command is Command.WRITE else b""
        if outcome is CommandOutcome.BUSY:
            return
        waits = outcome in (CommandOutcome.WAIT, CommandOutcome.ATTEND, CommandOutcome.MATCH_WAIT)
        if outcome is CommandOutcome.MATCH_WAIT or outcome in MEETS:
            self.mate = State.AVAILABLE
        if waits:
            self.state = rule.waiting
            self.writing = carried
        elif command is Command.WRITE:
            self.written.append(carried)
        elif command is Command.READ and outcome in MEETS:
            self.read.append(self.offered)
        elif outcome is CommandOutcome.END and command in (
            Command.PREPARE,
            Command.SENSE_COMMAND_BYTE,
        ):
            return
        self.said.append(Order(command, self.state, len(carried), carried))

    def hear(self, order: Order) -> None:
        """What the adapter tells, in the light of what is outstanding here."""
        if order.code == RESET:
            self.mate = State.AVAILABLE
            if not self.holds:
                self._end(good=False)
            return
        command = command_of(order.code)
        assert command is not None
        outcome = TRANSITIONS[class_of(command)][self.state]
        if outcome in MEETS or (outcome is CommandOutcome.MATCH_WAIT):
            self.mate = order.state if outcome is CommandOutcome.MATCH_WAIT else State.AVAILABLE
            if self.state is State.READ:
                self.read.append(order.data)
            self._end(good=True)
        elif order.state is State.AVAILABLE:
            self.mate = State.AVAILABLE
        elif outcome is CommandOutcome.BUSY:
            if self.wins:
                return
            self._end(good=False)
            self.mate = order.state
        elif outcome is not CommandOutcome.END:
            self.mate = order.state
        self.offered = order.data

    def reset(self) -> None:
        """HSCH, or a system reset."""
        self._end(good=False)
        self.said.append(Order(RESET, State.NOT_READY))

    def _end(self, *, good: bool) -> None:
        if self.state is State.WRITE:
            (self.written if good else self.failed).append(self.writing)
        self.state = State.AVAILABLE


class Joined(RuleBasedStateMachine):
    """Two systems, an adapter, and orders under way in both directions."""

    @initialize(kinds=st.tuples(*[st.sampled_from(["wins", "loses", "holds"])] * 2))
    def begin(self, kinds: tuple[str, str]) -> None:
        self.adapter = Adapter()
        self.ends = [SystemEnd(kind == "wins", kind == "holds") for kind in kinds]
        self.count = 0
        self.both_win = kinds == ("wins", "wins")
        """Then one of them is reset when they collide."""
        self.disturbed = self.disturbed_ever = self.both_win
        self.parted = False
        for index in (0, 1):
            self._attach(index)
        self._drain()

    @rule(index=ENDS, command=ISSUED)
    def issue(self, index: int, command: Command) -> None:
        end = self.ends[index]
        if end.state is State.AVAILABLE and self.adapter.ends[index].attached:
            self.count += 1
            end.issue(command, self.count.to_bytes(4))

    @rule(index=ENDS)
    def carry(self, index: int) -> None:
        """The adapter hears the next of what one end has said."""
        said = self.ends[index].said
        if said:
            order = said.popleft()
            if self.adapter.receive(index, order) is Step.STALE and order.data:
                self.disturbed = self.disturbed_ever = True  # the writer hears of a reset
            self._take()

    @rule(index=ENDS)
    def tell(self, index: int) -> None:
        heard = self.ends[index].heard
        if heard:
            self.ends[index].hear(heard.popleft())

    @rule(index=ENDS)
    def reset(self, index: int) -> None:
        if self.adapter.ends[index].attached:
            self.disturbed = self.disturbed_ever = True
            self.ends[index].reset()

    @rule(index=ENDS)
    def drop(self, index: int) -> None:
        """One system fails, and begins again with a fresh end."""
        self.disturbed = self.disturbed_ever = True
        old = self.ends[index]
        self.adapter.detach(index)
        self._take()
        fresh = SystemEnd(old.wins, old.holds)
        fresh.read, fresh.written, fresh.failed = old.read, old.written, old.failed
        fresh.failed.append(old.writing)
        self.ends[index] = fresh

    @rule(index=ENDS)
    def attach(self, index: int) -> None:
        if not self.adapter.ends[index].attached:
            self._attach(index)

    @rule()
    def part(self) -> None:
        """The fibre is pulled: what one end says then does not come to the other."""
        self.disturbed = self.disturbed_ever = True
        self.parted = True
        self.adapter.part()
        self._take()

    @rule()
    def join(self) -> None:
        self.parted = False
        self.adapter.join()
        self._take()

    @rule()
    def a_round_trip_later_all_believe_the_same(self) -> None:
        """What was under way has come; a reset may have crossed orders: then both do one more."""
        self._drain()
        attached = [each.attached for each in self.adapter.ends]
        if self.parted or not all(attached):
            return
        if self.disturbed:
            for index in (0, 1, 0):
                self.ends[index].reset()
                self._drain()
            self.disturbed = self.both_win
        assert [end.state for end in self.ends] == [end.state for end in self.adapter.ends]
        assert [end.mate for end in self.ends] == [end.state for end in self.ends[::-1]]

    @rule()
    def nothing_written_is_lost_or_read_twice(self) -> None:
        """Unless a system was reset or failed, of which the guests hear."""
        self._drain()
        for index in (0, 1):
            writer, reader = self.ends[index], self.ends[1 - index]
            if not self.disturbed_ever:
                assert reader.read == writer.written
            twice = [each for each in reader.read if reader.read.count(each) > 1]
            assert not twice

    def _attach(self, index: int) -> None:
        end = self.ends[index]
        self.adapter.attach(index, end.wins, end.holds)
        self._take()

    def _take(self) -> None:
        for index, order in self.adapter.take():
            self.ends[index].heard.append(order)

    def _drain(self) -> None:
        while any(end.said or end.heard for end in self.ends):
            for index in (0, 1):
                self.carry(index)
                self.tell(index)


TestJoined = Joined.TestCase
