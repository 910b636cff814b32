"""What the conversations of a node have in common: numbers, turns, windows, room in links.

`Turns` says whose turn it is to send, by bytes: deficit round robin. In each round a conversation
sends `TURN_LENGTH` bytes, and one that has sent more pays in the next. Who has little to send goes
first, as long as it has something left of its turn: so a request does not wait for the bulk of
others, and nobody can be kept waiting for more than a round by those who only ever send little. The
order within a conversation is its own matter.

A window is how much may arrive of one before it is taken. All share one bound. Whoever begins takes
a part of what is left of it, and comes to an even share as it takes what arrives; a window that has
been granted cannot be taken back.
"""

from collections import deque
from itertools import count
from typing import Final, Generic, Protocol, TypeVar

from isfc.link.message import Traffic
from isfc.link.segment import SEGMENT_LENGTH_MAX
from isfc.programs.protocol import GATHERED_LENGTH, ConversationLimits

BESIDE_LENGTH: Final = 3 * 2**18
"""Bytes of bulk that are on their way to a node while short messages come, at most: a round trip
then takes two to four times as long as alone, and bulk keeps about 0.7 (docs/decisions/0008)."""

BESIDE_NS: Final = 400_000
BESIDE_LENGTH_MIN: Final = 163_840
"""Where bulk that is alone comes slower there are fewer: as many as come in that time, but two
messages that do not wait for others (`isfc.programs.protocol.GATHERED_LENGTH`)."""

MEASURED_LENGTH: Final = 2**22
"""Bytes of bulk for each of which it is measured how fast they come."""

ALONE_LENGTH: Final = 64 * 2**20
"""Bytes of bulk that come without anything short beside until it has all room again: at the speed
of sockets less than a tenth of a second."""

TELL_LENGTH: Final = 2**21
"""Bytes of bulk that come until partners are told again."""

TOLD_LENGTH: Final = 4 * TELL_LENGTH
"""Bytes of bulk for which it holds what a partner has said of the link."""

SPARE_SHARE: Final = 8
"""That part of what a link may hold is left to those who send little."""

LITTLE_LENGTH: Final = 16_384
"""Who has fewer bytes to send goes first, and whose messages are shorter has bulk make way."""

_PIECE_LENGTH_MAX: Final = SEGMENT_LENGTH_MAX - 64
"""Most bytes in one message, which the link need not cut, whatever goes around them."""


def piece_length(limit: int) -> int:
    """Most bytes in one message: two have room in a link of ``limit``, and none is gathered."""
    return min(_PIECE_LENGTH_MAX, max(GATHERED_LENGTH, limit // 2))


class Incoming:
    """What arrives at a node over all its links, and how much bulk may be on its way there.

    What comes goes through one loop, so that a short message waits for all bulk that came before,
    over whatever link. Only the receiver knows of both, so it is the receiver that says how much.
    """

    def __init__(self) -> None:
        self._bulk_length = 0
        """Bytes of bulk that have come."""
        self._alone_length = 0
        """With so many bulk has all room again."""
        self._told: dict[object, int] = {}
        """With how many each link is to be told again, by its register."""
        self._limit = BESIDE_LENGTH
        """How many may be on their way beside short messages."""
        self._measured_length = 0
        self._measured_ns = 0
        """How many had come when that was last looked at, and when."""

    def measure(self, now_ns: int) -> None:
        """Look how fast bulk comes while it is alone; one look that finds less counts little."""
        length = self._bulk_length - self._measured_length
        if length >= MEASURED_LENGTH:
            in_time_length = length * BESIDE_NS // max(1, now_ns - self._measured_ns)
            if self._bulk_length >= self._alone_length:
                limit = max(BESIDE_LENGTH_MIN, self._limit * 3 // 4, in_time_length)
                self._limit = min(BESIDE_LENGTH, limit)
            self._measured_length, self._measured_ns = self._bulk_length, now_ns

    def note(self, link: object, length: int, usual_length: int) -> int:
        """Bytes have come over a link, in a conversation whose messages usually are so long.

        How many bytes of bulk the partner may have in the link from now on; 0 if nothing is to be
        said.
        """
        if usual_length < LITTLE_LENGTH:
            self._alone_length = self._bulk_length + ALONE_LENGTH
            return 0
        self._bulk_length = bulk_length = self._bulk_length + length
        if bulk_length >= self._alone_length or bulk_length < self._told.get(link, 0):
            return 0
        self._told[link] = bulk_length + TELL_LENGTH
        links = [again for again in self._told.values() if again > bulk_length - TELL_LENGTH]
        return self._limit // len(links)


TURN_LENGTH: Final = 262_144
"""Bytes that a conversation sends in a round: as much as its longest message has."""


class Sender(Protocol):
    """Who takes turns."""

    turn_length: int
    """Bytes that are left of its turn."""

    @property
    def unsent_length(self) -> int:
        """Bytes that it has to send."""


_SenderT = TypeVar("_SenderT", bound=Sender)


class Turns(Generic[_SenderT]):
    """Those that may have something to send, each once."""

    def __init__(self) -> None:
        self.little: deque[_SenderT] = deque()
        """Those with little to send: they are first."""
        self.others: deque[_SenderT] = deque()

    def __bool__(self) -> bool:
        return bool(self.little or self.others)

    def add(self, sender: _SenderT) -> None:
        """Let one wait for its turn."""
        if sender.turn_length > 0 and sender.unsent_length < LITTLE_LENGTH:
            self.little.append(sender)
        else:
            self.others.append(sender)

    def take(self) -> _SenderT:
        """Whose turn it is. There must be one."""
        if self.little:
            return self.little.popleft()
        others = self.others
        while True:
            sender = others.popleft()
            if sender.turn_length > 0:
                return sender
            sender.turn_length += TURN_LENGTH
            others.append(sender)

    def pay(self, sender: _SenderT, length: int) -> None:
        """It has sent so many bytes. With some left of its turn it goes on."""
        sender.turn_length -= length
        others = self.others
        if sender.turn_length > 0 and others and others[-1] is sender:
            others.pop()
            others.appendleft(sender)

    def clear(self) -> None:
        """Nobody has anything to send."""
        self.little.clear()
        self.others.clear()


PART: Final = 8
"""That part of what is left one window takes at a time: so there is always something for the next,
also where those before do not use theirs."""


class Windows:
    """What the windows of all conversations have together."""

    def __init__(self, limits: ConversationLimits) -> None:
        self._limits = limits
        self._raised_length = 0
        """Bytes of all windows beyond the least that each has."""

    def open(self, count: int) -> int:
        """The window, in bytes, of one that begins, as one of ``count`` conversations."""
        return self.arrange(self._limits.window_min, 0, count)

    def arrange(self, length: int, held_length: int, count: int) -> int:
        """The next window, in bytes, of one that had ``length``.

        It is never less than ``held_length``: what may still arrive, and what has not been taken.
        """
        limits = self._limits
        left = max(0, limits.raised_length_max - self._raised_length)
        share = limits.window_min + limits.raised_length_max // max(1, count)
        wanted = min(share, limits.window_share(count), length + left // PART)
        arranged = max(limits.window_min, held_length, wanted)
        self._raised_length += arranged - length
        return arranged

    def close(self, length: int) -> None:
        """A conversation whose window had ``length`` is over."""
        self._raised_length -= length - self._limits.window_min


class Member(Sender, Protocol):
    """A conversation, as far as its register knows it."""

    number: int
    target_length: int
    """Its window, in bytes."""

    @property
    def traffic(self) -> Traffic:
        """Of which kind it is."""

    def lose(self, reason: str) -> None:
        """The link is gone, and what was under way with it."""


_MemberT = TypeVar("_MemberT", bound=Member)


class Register(Generic[_MemberT]):
    """What the conversations of a node have in common.

    The node opens those whose numbers have the parity of ``first_number``.
    """

    def __init__(
        self, limits: ConversationLimits, first_number: int = 0, incoming: Incoming | None = None
    ) -> None:
        self.limits = limits
        self.incoming = incoming or Incoming()
        """What arrives over this and the other links of the node."""
        self.windows = Windows(limits)
        self.conversations: dict[int, _MemberT] = {}
        """Those that are not over, by number."""
        self.due: Turns[_MemberT] = Turns()
        """Those that may have something to send, each once."""
        self.changed: deque[_MemberT] = deque()
        """Those that their program should look at, each once."""
        self.piece_length = piece_length(limits.link_length)
        """Most bytes in one message now."""
        self._first_number = first_number
        self._restart()

    def _restart(self) -> None:
        self.openings = count()
        """Counts the conversations that the node opens, as they are asked for."""
        self._next_number = self._first_number
        self.told_limit = self.told_length = 0
        """What the partner lets bulk have in the link, and for how many bytes more that holds."""
        self._free: dict[Traffic, deque[int]] = {traffic: deque() for traffic in Traffic}
        self._counts = [0, 0]

    @property
    def opened_count(self) -> int:
        """Conversations that the node has opened."""
        return self._counts[self._first_number]

    @property
    def requested_count(self) -> int:
        """Conversations that the partner has opened."""
        return self._counts[1 - self._first_number]

    @property
    def bulk_limit(self) -> int:
        """What the link may hold before more bulk has to wait."""
        limit = self.limits.link_length
        limit -= limit // SPARE_SHARE
        return min(limit, max(GATHERED_LENGTH, self.told_limit)) if self.told_length > 0 else limit

    @property
    def send_share(self) -> int:
        """What may wait to be sent of each conversation, in bytes."""
        return self.limits.send_share(len(self.conversations))

    def choose_number(self, traffic: Traffic) -> int:
        """A number for a conversation that the node opens."""
        free = self._free[traffic]
        if free:
            return free.popleft()
        number = self._next_number
        self._next_number += 2
        return number

    def enter(self, conversation: _MemberT) -> None:
        """A conversation begins; its number must be free."""
        number = conversation.number
        assert number not in self.conversations, f"number {number} is used twice"
        self.conversations[number] = conversation
        self._counts[number % 2] += 1

    def strike_out(self, conversation: _MemberT) -> None:
        """A conversation is over, which it says once; its number is free."""
        number = conversation.number
        struck_out = self.conversations.pop(number, None)
        assert struck_out is conversation, f"number {number} is another conversation's"
        self._counts[number % 2] -= 1
        self.windows.close(conversation.target_length)
        if number % 2 == self._first_number:
            self._free[conversation.traffic].append(number)

    def lose(self, reason: str) -> None:
        """End every conversation: the link has forgotten everything, numbers included."""
        for conversation in list(self.conversations.values()):
            conversation.lose(reason)
        assert not self.conversations, "a conversation outlived its link"
        self.due.clear()
        self._restart()
