"""One guest on its way: its passes, when it is stopped, how its relocation ends.

The source sends memory messages, so many outstanding, and none is acknowledged: a place is free
again when the partner has read its message. At the end of a pass each side sends one message, the
counts of what was sent and received (published: CP control block RLMSG).

By the rules alone, at a rate, passes take what their bytes take, and no message is simulated.
``docs/relocation.md`` says of each rule whether it is published, derived or assumed.
"""

from collections.abc import Callable
from enum import StrEnum
from math import inf
from typing import Final

from msgspec import Struct

from ctc.queues import NEVER_NS
from isfc.link.message import Message
from isfc.link.name import NodeName
from scenarios.moves.guest import GuestPlan, Limits
from scenarios.runs.experiment import NS_PER_S

MESSAGE_LENGTH: Final = 122_880
"""Bytes of memory in a message: the longest of IBM's HL suite, whose messages are those of a
relocation (published: z/VM 6.2 performance report, "ISFC Improvements"); 30 pages of 4 KiB."""

COUNTS_LENGTH: Final = 100
"""Bytes of the message that ends a pass, and of its answer. That there are such messages is
published (CP control block RLMSG), their length is assumed."""

STATE_LENGTH: Final = 4 * 2**20
"""Bytes of a stopped guest's state and of its I/O devices, which go beside the last pass but one
(that they do is published: APAR VM66501). Assumed."""

IO_CHANGED_LENGTH: Final = 2**20
"""Bytes that a guest's last I/Os change after it is stopped, which are left for the last pass; a
guest that writes nothing has none. That there is such a pass is published (z/VM 6.2 performance
report, Live Guest Relocation), its length is assumed."""


class RelocationEnd(StrEnum):
    """How a relocation ends."""

    MOVED = "moved"
    CANCELLED = "cancelled"
    TOTAL = "max-total"
    QUIESCE = "max-quiesce"
    LINK = "link-lost"

    @property
    def code(self) -> str:
        """CP's reason (published: Monitor record MRUSERLE)."""
        return _CODES[self]


_CODES: Final = {
    RelocationEnd.MOVED: "00",
    RelocationEnd.CANCELLED: "01",
    RelocationEnd.LINK: "03",
    RelocationEnd.TOTAL: "04",
    RelocationEnd.QUIESCE: "05",
}


class WouldMove(Struct, frozen=True, rename={"bytes_per_s": "at_bytes_per_s"}):
    """What would let a guest be moved, each alone; None for what would not."""

    bytes_per_s: float
    """the rate of its passes, by which the rest is"""
    change_bytes_per_s: int | None
    """at most, and so much of `write_bytes_per_s`"""
    write_bytes_per_s: int | None
    max_quiesce_s: int | None
    """needed both if `max_total_s` is there too"""
    max_total_s: int | None
    channels: int | None
    """of the link, of which more are like the fullest"""


class RelocationStage(StrEnum):
    """What a relocation is at: CP's stages that take time here. The words are ours."""

    MEMORY = "Moving memory"
    STATE = "Moving state"
    LAST = "Last memory pass"


class Pass(Struct, frozen=True):
    """One pass over a guest's memory, in bytes: what it moved, and what changed meanwhile.

    ``state_length`` is what went beside it, of the guest's state and its I/O devices.
    """

    begin_ns: int
    end_ns: int
    length: int
    changed_length: int
    quiesced: bool
    state_length: int = 0

    @property
    def seconds(self) -> float:
        """How long it took."""
        return (self.end_ns - self.begin_ns) / NS_PER_S


class Moved(Struct, frozen=True):
    """What became of one guest. One that was not moved goes on where it was."""

    plan: GuestPlan
    passes: tuple[Pass, ...]
    end: RelocationEnd

    @property
    def moved(self) -> bool:
        """Whether it runs at its destination."""
        return self.end is RelocationEnd.MOVED

    @property
    def begin_ns(self) -> int:
        """When its first pass began."""
        return self.passes[0].begin_ns

    @property
    def end_ns(self) -> int:
        """When its last pass ended."""
        return self.passes[-1].end_ns

    @property
    def seconds(self) -> float:
        """From the command until the guest runs at its destination, or until it was given up."""
        return (self.end_ns - self.begin_ns) / NS_PER_S

    @property
    def quiesced_seconds(self) -> float:
        """How long the guest was stopped."""
        return sum(each.seconds for each in self.passes if each.quiesced)

    @property
    def length(self) -> int:
        """Bytes moved in all passes, state included."""
        return sum(each.length + each.state_length for each in self.passes)


class Evacuated(Moved, frozen=True, kw_only=True):
    """What became of one guest; times count from the first command.

    ``to`` is where it went, which is not ``meant`` if the link there died while it waited, and
    ``share`` what of the model's rate is to be counted on, which it was moved with.
    """

    source: NodeName
    meant: NodeName
    to: NodeName
    share: float = 1.0

    @property
    def bytes_per_s(self) -> float:
        """Of all its passes."""
        return max(1, self.length) / max(1e-9, self.seconds)

    @property
    def begin_s(self) -> float:
        """When its first pass began."""
        return self.begin_ns / NS_PER_S


class Guest:
    """A guest's relocation at its source. It has `conversations` of the link, from 0 on."""

    def __init__(self, plan: GuestPlan, window: int) -> None:
        self.plan = plan
        self.passes: list[Pass] = []
        self.end: RelocationEnd | None = None
        self.stage = RelocationStage.MEMORY
        self.begin_ns = NEVER_NS
        """When its first pass began."""
        self.limits = plan.limits
        """What its command and those that modified it say."""
        self._window = window
        # Transport does not serialise: each place in the window is a conversation of the link
        self._free = [*range(window)]
        self._pass_ns = 0
        self._stopped_ns = NEVER_NS
        self._length = self._state_length = self._left = self._arrived = self._before = 0

    @property
    def conversations(self) -> int:
        """How many conversations it has: one for each message outstanding, one for counts."""
        return self._window + 1

    @property
    def deadline_ns(self) -> int:
        """When it is given up; `NEVER_NS` if no limit runs."""
        stopped_late_ns = _later(self._stopped_ns, self.limits.max_quiesce)
        return min(self._total_late_ns, stopped_late_ns)

    @property
    def _total_late_ns(self) -> int:
        return _later(self.begin_ns, self.limits.max_total)

    @property
    def _exceeded(self) -> RelocationEnd:
        is_total = self.deadline_ns == self._total_late_ns
        return RelocationEnd.TOTAL if is_total else RelocationEnd.QUIESCE

    @property
    def moved_length(self) -> int:
        """Bytes that have arrived so far, in all passes."""
        return self._before + self._arrived

    @property
    def pass_length(self) -> int:
        """Bytes of the pass that goes on, state included."""
        return self._length + self._state_length

    @property
    def moved(self) -> Moved:
        """What became of it. To be asked once it is over."""
        assert self.end is not None, "it is still on its way"
        return Moved(self.plan, tuple(self.passes), self.end)

    def begin(self, now_ns: int) -> list[Message]:
        """The command is given: return the first messages."""
        self.begin_ns = now_ns
        return self._begin_pass(self.plan.memory.touched, now_ns)

    def sent(self, message: Message, now_ns: int) -> list[Message]:
        """The partner has read a message; return what is sent next."""
        if self.end or message.conversation == self._window or self.expire(now_ns):
            return []
        self._arrived += message.length
        self._free.append(message.conversation)
        if self._left:
            return self._fill()
        return self._counts() if len(self._free) == self._window else []

    @property
    def left(self) -> int:
        """Bytes of the pass that have not been sent."""
        return self._left

    def arrive(self, length: int) -> None:
        """So many bytes of the pass have arrived, in whatever messages."""
        self._arrived += length

    def pass_over(self, length: int) -> None:
        """Let so many bytes arrive that have not been sent."""
        self._left -= length
        self.arrive(length)

    def counted(self, now_ns: int) -> list[Message]:
        """The destination has as much as was sent: the pass is over; return what is sent next."""
        return [] if self.end or self.expire(now_ns) else self._end_pass(now_ns)

    def expire(self, now_ns: int) -> bool:
        """Give up, if a limit is over; say whether it is."""
        late_ns = self.deadline_ns
        if now_ns < late_ns:
            return False
        self._give_up(late_ns, self._exceeded)
        return True

    def modify(self, limits: Limits, now_ns: int) -> None:
        """VMRELOCATE MODIFY: other limits from now on; one that is over by now ends it."""
        self.limits = limits
        if now_ns >= self.deadline_ns:
            self._give_up(now_ns, self._exceeded)

    def cancel(self, now_ns: int) -> None:
        """VMRELOCATE CANCEL: the guest stays where it is."""
        self._give_up(now_ns, RelocationEnd.CANCELLED)

    def lose_link(self, now_ns: int) -> None:
        """The last CTC of the link is gone: the guest stays where it is."""
        if not self.end:
            self._give_up(now_ns, RelocationEnd.LINK)

    def _begin_pass(self, length: int, now_ns: int, state_length: int = 0) -> list[Message]:
        self._length, self._state_length = length, state_length
        self._left = length + state_length
        self._before += self._arrived
        self._arrived = 0
        self._pass_ns = now_ns
        return self._fill() if self._left else self._counts()

    def _fill(self) -> list[Message]:
        messages = []
        while self._left and self._free:
            length = min(MESSAGE_LENGTH, self._left)
            messages.append(Message(self._free.pop(), length))
            self._left -= length
        return messages

    def _counts(self) -> list[Message]:
        return [Message(self._window, COUNTS_LENGTH)]

    def _give_up(self, now_ns: int, end: RelocationEnd) -> None:
        """End in the middle of a pass, of which so much has arrived; memory is counted first."""
        length = min(self._length, self._arrived)
        state_length = min(self._state_length, self._arrived - length)
        self.passes.append(Pass(self._pass_ns, now_ns, length, 0, self._quiesced, state_length))
        self.end = end

    @property
    def _quiesced(self) -> bool:
        return self.stage is not RelocationStage.MEMORY

    def _end_pass(self, now_ns: int) -> list[Message]:
        """A pass is over: another one, or the guest is stopped, or it is where it should be."""
        memory = self.plan.memory
        taken_ns = now_ns - self._pass_ns
        changed = 0
        if self.stage is RelocationStage.MEMORY:
            changed = memory.changed(taken_ns)
        elif self.stage is RelocationStage.STATE and memory.writes:
            changed = min(IO_CHANGED_LENGTH, memory.touched)
        length, beside = self._length, self._state_length
        self.passes.append(Pass(self._pass_ns, now_ns, length, changed, self._quiesced, beside))
        if self.stage is RelocationStage.LAST:
            self.end = RelocationEnd.MOVED
            return []
        if self.stage is RelocationStage.STATE:
            self.stage = RelocationStage.LAST
            return self._begin_pass(changed, now_ns)
        left_s = changed / length * taken_ns / NS_PER_S
        if self.limits.goes_on(len(self.passes), left_s):
            return self._begin_pass(changed, now_ns)
        self.stage = RelocationStage.STATE
        self._stopped_ns = now_ns
        return self._begin_pass(changed, now_ns, STATE_LENGTH)


def _later(begin_ns: int, seconds: float) -> int:
    """When a limit is over that runs from ``begin_ns`` on."""
    if begin_ns == NEVER_NS or seconds == inf:
        return NEVER_NS
    return begin_ns + round(seconds * NS_PER_S)


def by_rate(plan: GuestPlan, bytes_per_s: float, begin_ns: int = 0) -> Moved:
    """What becomes of a guest whose every byte takes as long."""
    return by_times(plan, begin_ns, took=lambda _, length: round(length / bytes_per_s * NS_PER_S))


def by_times(plan: GuestPlan, begin_ns: int, *, took: Callable[[int, int], int]) -> Moved:
    """What becomes of a guest; ``took`` says how many ns so many bytes take from a time on."""
    guest, now_ns = Guest(plan, window=1), begin_ns
    guest.begin(begin_ns)
    while not guest.end:
        length = guest.pass_length
        taken_ns = took(now_ns, length)
        until_late = (guest.deadline_ns - now_ns) / max(1, taken_ns)
        guest.arrive(round(length * min(1.0, until_late)))
        now_ns += taken_ns
        guest.counted(now_ns)
    return guest.moved
