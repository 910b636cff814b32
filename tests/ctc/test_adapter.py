"""A CTC between two systems that drive their own ends: any order of commands, resets and drops."""

from collections import deque
from random import Random
from typing import Final

import pytest

from ctc.adapter import Adapter, Step
from ctc.order import COLLISION, RESET, Order, command_of
from ctc.state import COMMAND_RULES, TRANSITIONS, CommandOutcome, State, class_of
from ctc.subchannel import Command

ISSUED: Final = (
    Command.PREPARE,
    Command.CONTROL,
    Command.READ,
    Command.WRITE,
    Command.SENSE_COMMAND_BYTE,
    Command.WRITE_EOF,
    Command.NO_OP,
)
KINDS: Final = ("wins", "loses", "holds")
MEETS = (CommandOutcome.TRANSFER, CommandOutcome.MATCH)


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
        self.ended_by_eof = False
        """Whether its last command was a WRITE EOF."""

    def issue(self, command: Command, data: bytes) -> None:
        """A guest's command; what cannot pass the mate's is not said to anybody."""
        rule = COMMAND_RULES[command]
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
        if order.code == RESET or order == COLLISION:
            self.mate = State.AVAILABLE
            if order == COLLISION or not self.holds:
                self._end(good=False)
            return
        command = command_of(order.code)
        assert command is not None
        outcome = TRANSITIONS[class_of(command)][self.state]
        if outcome in MEETS or (outcome is CommandOutcome.MATCH_WAIT):
            self.mate = order.state if outcome is CommandOutcome.MATCH_WAIT else State.AVAILABLE
            if self.state is State.READ and command is not Command.WRITE_EOF:
                self.read.append(bytes(order.data))
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
        self.offered = bytes(order.data)

    def reset(self) -> None:
        """HSCH, or a system reset."""
        self._end(good=False)
        self.said.append(Order(RESET, State.NOT_READY))

    def _end(self, *, good: bool) -> None:
        if self.state is State.WRITE:
            (self.written if good else self.failed).append(self.writing)
        self.state = State.AVAILABLE


class Joined:
    """Two systems, an adapter, and orders under way in both directions."""

    def __init__(self, kinds: tuple[str, str], *, both_fail: bool) -> None:
        self.adapter = Adapter()
        self.both_fail = both_fail
        """Whether neither of two WRITEs succeeds that meet on their way."""
        self.ends = [SystemEnd(kind == "wins", kind == "holds") for kind in kinds]
        self.count = 0
        self.both_win = kinds == ("wins", "wins")
        """Then one of them is reset when they collide."""
        self.crossed = self.disturbed = self.both_win
        """Whether a reset has crossed a command: what its end believes then is not known here.

        Disturbed is whether there has been any, so that data may have been lost or come twice."""
        self.parted = False
        for index in (0, 1):
            self._attach(index)
        self._drain()

    def act(self, name: str, index: int, command: Command) -> None:
        """Let one thing happen, at one end if it is of an end."""
        if name == "issue":
            self.issue(index, command)
        elif name in ("carry", "tell", "reset", "drop", "attach"):
            getattr(self, name)(index)
        else:
            getattr(self, name)()

    def issue(self, index: int, command: Command) -> None:
        end = self.ends[index]
        if end.state is State.AVAILABLE and self.adapter.ends[index].attached:
            self.count += 1
            if end.ended_by_eof:  # no adapter can tell what its next command has crossed
                self._drain()
            end.ended_by_eof = command is Command.WRITE_EOF
            end.issue(command, self.count.to_bytes(4))
            self._look_for_crossing(index)

    def carry(self, index: int) -> None:
        """The adapter hears the next of what one end has said."""
        said = self.ends[index].said
        if said:
            order = said.popleft()
            heard = self.ends[index].heard
            met = self.adapter.meets_write(index, order)
            if self.both_fail and met is not None and any(each is met for each in heard):
                self.ends[index].heard = deque(each for each in heard if each is not met)
                self.adapter.fail_both(index)
                self._take()
                return
            if self.adapter.receive(index, order) is Step.STALE and order.data:
                self.disturbed = True  # the writer hears of a reset
            self._take()

    def tell(self, index: int) -> None:
        heard = self.ends[index].heard
        if heard:
            self.ends[index].hear(heard.popleft())

    def reset(self, index: int) -> None:
        if self.adapter.ends[index].attached:
            self.disturbed = True
            self.ends[index].reset()
            self._look_for_crossing(index)

    def drop(self, index: int) -> None:
        """One system fails, and begins again with a fresh end."""
        self.disturbed = True
        old = self.ends[index]
        self.adapter.detach(index)
        self._take()
        fresh = SystemEnd(old.wins, old.holds)
        fresh.written, fresh.failed = old.written, old.failed  # what is read is read by a new guest
        fresh.failed.append(old.writing)
        self.ends[index] = fresh

    def attach(self, index: int) -> None:
        if not self.adapter.ends[index].attached:
            self._attach(index)

    def part(self) -> None:
        """The fibre is pulled: what one end says then does not come to the other."""
        self.disturbed = True
        self.parted = True
        self.adapter.part()
        self._take()

    def unite(self) -> None:
        self.parted = False
        self.adapter.rejoin()
        self._take()

    def a_round_trip_later_all_believe_the_same(self) -> None:
        """What was under way has come; if a reset has crossed a command both are reset again."""
        self._drain()
        attached = [each.attached for each in self.adapter.ends]
        if self.parted or not all(attached):
            return
        if self.crossed:
            for index in (0, 1, 0):
                self.ends[index].reset()
                self._drain()
            self.crossed = self.both_win
        assert [end.state for end in self.ends] == [end.state for end in self.adapter.ends]
        assert [end.mate for end in self.ends] == [end.state for end in self.ends[::-1]]

    def nothing_written_is_lost_or_read_twice(self) -> None:
        """Unless a system was reset or failed, of which the guests hear."""
        self._drain()
        for index in (0, 1):
            writer, reader = self.ends[index], self.ends[1 - index]
            if not self.disturbed:
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
            self._look_for_crossing(index)

    def _look_for_crossing(self, index: int) -> None:
        end = self.ends[index]
        for one, other in ((end.said, end.heard), (end.heard, end.said)):
            self.crossed |= bool(other) and any(order.code == RESET for order in one)

    def _drain(self) -> None:
        while any(end.said or end.heard for end in self.ends):
            for index in (0, 1):
                self.carry(index)
                self.tell(index)


ACTS: Final = {
    "issue": 6,
    "carry": 4,
    "tell": 4,
    "reset": 1,
    "drop": 1,
    "attach": 1,
    "part": 1,
    "unite": 1,
    "a_round_trip_later_all_believe_the_same": 1,
    "nothing_written_is_lost_or_read_twice": 1,
}
"""What happens to two systems, and how often."""


@pytest.mark.parametrize("length", [8, 14, 30])
def test_two_systems_believe_the_same_a_round_trip_later(length: int) -> None:
    """Any order of commands, resets, failures of a system and of the fibre."""
    for seed in range(1500):
        random = Random(f"{length} {seed}")
        kinds = random.choice(KINDS), random.choice(KINDS)
        joined, acts = Joined(kinds, both_fail=seed % 2 > 0), [str(kinds)]
        try:
            for act in random.choices([*ACTS], [*ACTS.values()], k=length):
                index, command = random.choice([0, 1]), random.choice(ISSUED)
                acts.append(f"{act} {index} {command.name}")
                joined.act(act, index, command)
        except AssertionError as error:
            error.add_note("\n".join([f"seed {seed}", *acts]))
            raise
