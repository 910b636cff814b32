"""One guest on its way: its memory, VMRELOCATE's limits, its passes, and when it is stopped.

The source sends memory messages, so many outstanding, and none is acknowledged: a place is free
again when the partner has read its message. At the end of a pass each side sends one message, the
counts of what was sent and received (published: CP control block RLMSG).

``docs/relocation.md`` says of each rule whether it is published, derived or assumed.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from math import exp, inf
from typing import Any, Final

from ctc.queues import NEVER_NS
from isfc.errors import ConfigurationError
from isfc.errors.arguments import check_fields, checked, given_size, spelt
from isfc.errors.in_words import check_between, number
from isfc.link.message import Message
from scenarios.runs.experiment import NS_PER_S
from scenarios.runs.result import MIB

QUIESCE_MAX_S: Final = 10.0
"""MAXQUIESCE if it is not given, in seconds; with IMMEDIATE there is no limit (published: the help
of SMAPI's VMRELOCATE)."""

QUIESCE_GOAL_S: Final = 0.5
"""Pre-copy ends when what has changed takes so long to move, in seconds. Assumed."""

PASSES_MAX: Final = 8
"""Passes before the guest is stopped, at most. Assumed. That CP goes on where passes do not shrink
is seen: Java's passes after the first are 86 % of it, and there are several (published)."""

SECONDS_MAX: Final = 99_999_999.0
"""The longest limit that VMRELOCATE takes (published: the same help)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What VMRELOCATE was told, times in seconds; ``inf`` is NOLIMIT.

    ``max_total`` counts from the command, ``max_quiesce`` from when the guest is stopped.
    ``immediate`` stops it after one pass. ``quiesce_goal`` is no operand of CP's: see
    `QUIESCE_GOAL_S`.
    """

    max_total: float = inf
    max_quiesce: float = QUIESCE_MAX_S
    immediate: bool = False
    quiesce_goal: float = QUIESCE_GOAL_S

    def __post_init__(self) -> None:
        check_fields(self)
        for name, value in (("max_total", self.max_total), ("max_quiesce", self.max_quiesce)):
            if not (0 < value <= SECONDS_MAX or value == inf):
                raise ConfigurationError(
                    f"{spelt(name)} {value:g}: expected more than 0 to {number(SECONDS_MAX)} s"
                )
        if not 0 <= self.quiesce_goal <= SECONDS_MAX:
            raise ConfigurationError(f"quiesce goal {self.quiesce_goal:g}: expected 0 s or more")

    def goes_on(self, passes: int, left_s: float) -> bool:
        """Whether there is another pass before the guest is stopped.

        So many passes are over, and what has changed takes ``left_s`` to move. How much less a
        pass moved than the one before does not matter. A rule of progress would have a cliff: a
        guest that changes a little faster would be stopped for many times as long.
        """
        goal = min(self.quiesce_goal, self.max_quiesce)
        return not self.immediate and passes < PASSES_MAX and left_s > goal


def make_limits(
    *, max_total: float | None, max_quiesce: float | None, immediate: bool, quiesce: float
) -> Limits:
    """VMRELOCATE's limits in seconds; its defaults for those that are None."""
    return Limits(
        max_total=inf if max_total is None else max_total,
        max_quiesce=(inf if immediate else QUIESCE_MAX_S) if max_quiesce is None else max_quiesce,
        immediate=immediate,
        quiesce_goal=quiesce,
    )


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


@dataclass(frozen=True, slots=True, init=False)
class GuestMemory:
    """Lengths in bytes, rates in bytes/s; or given as texts such as ``16G``.

    ``touched`` is what the guest has ever touched: the first pass moves it, and no more
    (published: IBM's pages on relocations of Linux, "(pages) transferred"). ``change_rate``
    is change that is spread evenly and meets no page twice in a pass. ``hot_set`` bytes are
    written at random with ``write_rate``, and so many pages are met more than once.
    """

    size: int
    touched: int
    change_rate: int
    hot_set: int
    write_rate: int

    @checked
    def __init__(
        self,
        *,
        size: int | str,
        touched: int | str | None = None,
        change_rate: int | str = 0,
        hot_set: int | str = 0,
        write_rate: int | str = 0,
    ) -> None:
        """Check them; all of it is touched if nothing is said of that."""
        for name, value in (
            ("size", size),
            ("touched", size if touched is None else touched),
            ("change_rate", change_rate),
            ("hot_set", hot_set),
            ("write_rate", write_rate),
        ):
            object.__setattr__(self, name, given_size("GuestMemory", name, value))
        if not 1 <= self.touched <= self.size:
            raise ConfigurationError(
                f"touched {self.touched}: expected 1 to the memory, {self.size} bytes"
            )
        if not 0 <= self.hot_set <= self.touched:
            raise ConfigurationError(
                f"hot set {self.hot_set}: expected 0 to what is touched, {self.touched} bytes"
            )
        if self.change_rate < 0:
            raise ConfigurationError(f"change rate {self.change_rate}: expected 0 bytes/s or more")
        if self.write_rate < 0 or bool(self.write_rate) != bool(self.hot_set):
            raise ConfigurationError(
                f"write rate {self.write_rate}: expected more than 0 with a hot set, "
                f"and 0 without; the hot set is {self.hot_set} bytes"
            )

    @property
    def writes(self) -> bool:
        """Whether anything changes while it is moved."""
        return bool(self.change_rate or self.hot_set)

    def changed(self, taken_ns: int) -> int:
        """Bytes that have changed after ``taken_ns``: each page counts once.

        Random writes at w leave H (1 - e^(-wT/H)) of a hot set H changed after T (derived).
        """
        evenly = self.change_rate * taken_ns // NS_PER_S
        hot = 0
        if self.hot_set:
            written = self.write_rate * taken_ns / NS_PER_S
            hot = round(self.hot_set * (1 - exp(-written / self.hot_set)))
        return min(self.touched, evenly + hot)


@dataclass(frozen=True, slots=True)
class KnownGuest:
    """A guest of a kind that IBM measured, and what of its figures is published or assumed."""

    memory: GuestMemory
    basis: str


KNOWN_GUESTS: Final = {
    "java": KnownGuest(
        GuestMemory(size=4096 * MIB, touched=3584 * MIB, hot_set=3200 * MIB, write_rate=1125 * MIB),
        "memory inferred; heap published; touched assumed; write rate calibrated",
    ),
    "page-cache": KnownGuest(
        GuestMemory(size=4096 * MIB, touched=4096 * MIB, change_rate=100 * MIB),
        "all of it assumed; its published figures are not at hand",
    ),
    "direct-io": KnownGuest(
        GuestMemory(size=4096 * MIB, touched=296 * MIB, change_rate=10 * MIB),
        "touched published; memory inferred; change assumed",
    ),
    "oltp": KnownGuest(
        GuestMemory(size=16384 * MIB, touched=2884 * MIB, hot_set=1616 * MIB, write_rate=100 * MIB),
        "touched published; hot set is its published memory target; write rate assumed",
    ),
}
"""Guests of `isfc relocate --like`. Touched: IBM's pages on relocations of Linux, "(pages)
transferred" (direct-io, oltp). Java's heap: the same; its write rate was chosen so that the passes
between the first and the stop are by the average 86 % of the first, as published, on one FICON
Express4 channel."""


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

USERID_LENGTH_MAX: Final = 8
"""Characters of a userid (published: CP)."""

MEMORY_MIN: Final = 2**20
MEMORY_MAX: Final = 16 * 2**40


@dataclass(frozen=True, slots=True)
class GuestPlan:
    """A guest that is to be relocated: its userid, its memory, and its command's limits."""

    name: str
    memory: GuestMemory
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        check_fields(self)
        name = self.name
        if not 1 <= len(name) <= USERID_LENGTH_MAX or not name.isascii() or " " in name:
            raise ConfigurationError(
                f"name {name[:40]!r}: expected a userid of 1 to {USERID_LENGTH_MAX} characters"
            )
        check_between("memory", self.memory.size, MEMORY_MIN, MEMORY_MAX)
        check_between("change rate", self.memory.change_rate, 0, MEMORY_MAX)


def with_limits(plan: GuestPlan, **changed: Any) -> GuestPlan:
    """The same guest with other `Limits`."""
    return replace(plan, limits=replace(plan.limits, **changed))


class RelocationStage(StrEnum):
    """What a relocation is at: CP's stages that take time here. The words are ours."""

    MEMORY = "Moving memory"
    STATE = "Moving state"
    LAST = "Last memory pass"


@dataclass(frozen=True, slots=True)
class Pass:
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


@dataclass(frozen=True, slots=True)
class Moved:
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

    def arrive(self, length: int) -> None:
        """So many bytes of the pass have arrived, in whatever messages."""
        self._arrived += length

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
