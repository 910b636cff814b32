"""What the conversations of a node have in common: numbers, turns, windows, room in its links.

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

BESIDE_LENGTH: Final = 2**19
"""Bytes in a link while little is sent beside, at most: two long messages, of which one is read
while the other one is written."""

BESIDE_NS: Final = 300_000
BESIDE_LENGTH_MIN: Final = 163_840
"""In slower links there are fewer: as many as they carry in that time, but two messages that do not
wait for others of their conversation (`isfc.programs.protocol.GATHERED_LENGTH`)."""

MEASURED_LENGTH: Final = 2**20
"""Bytes for each of which it is measured how fast the links are."""

BULK_LENGTH: Final = 262_144
"""Bytes in the links: with fewer there, what is little may be the beginning of bulk."""

ALONE_LENGTH: Final = 64 * 2**20
"""Bytes of bulk that pass without anything little beside until it has all room again: at the speed
of sockets less than a tenth of a second."""

SPARE_SHARE: Final = 8
"""That part of what a link may hold is left to those who send little."""

_PIECE_LENGTH_MAX: Final = SEGMENT_LENGTH_MAX - 64
"""Most bytes in one message, which the link need not cut, whatever goes around them."""


def piece_length(limit: int) -> int:
    """Most bytes in one message: two have room in a link of ``limit``, and none is gathered."""
    return min(_PIECE_LENGTH_MAX, max(GATHERED_LENGTH, limit // 2))


class LinkRoom:
    """What all links of a node hold, and how much bulk each may have."""

    def __init__(self) -> None:
        self.in_link_length = 0
        """Bytes that the links hold."""
        self._beside_length = 0
        """Bytes of bulk until it has all room again."""
        self._beside_limit = BESIDE_LENGTH
        """What a link may hold until then."""
        self._passed_length = 0
        self._since_ns = 0
        """Bytes that are at the partners, and since when, for the next measurement."""

    @property
    def beside(self) -> bool:
        """Whether somebody sends little, and bulk has little room."""
        return self._beside_length > 0

    def bulk_limit(self, link_length: int) -> int:
        """What a link of at most ``link_length`` bytes may hold before more bulk has to wait."""
        limit = link_length - link_length // SPARE_SHARE
        return min(limit, self._beside_limit) if self._beside_length else limit

    def note_passed(self, length: int, now_ns: int) -> None:
        """So many bytes are at the partners."""
        self._passed_length += length
        if self._passed_length >= MEASURED_LENGTH:
            in_time_length = self._passed_length * BESIDE_NS // max(1, now_ns - self._since_ns)
            self._beside_limit = min(BESIDE_LENGTH, max(BESIDE_LENGTH_MIN, in_time_length))
            self._passed_length, self._since_ns = 0, now_ns

    def note_bulk(self, length: int) -> None:
        """So many bytes of bulk are sent."""
        self._beside_length = max(0, self._beside_length - length)

    def note_little(self) -> None:
        """Somebody who sends little has sent something."""
        if self.in_link_length > min(BULK_LENGTH, self._beside_limit // 2):
            self._beside_length = ALONE_LENGTH


TURN_LENGTH: Final = 262_144
"""Bytes that a conversation sends in a round: as much as its longest message has."""

LITTLE_LENGTH: Final = 16_384
"""Who has fewer bytes to send goes first."""


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

    def __init__(self, limits: ConversationLimits, first_number: int = 0) -> None:
        self.limits = limits
        self.windows = Windows(limits)
        self.conversations: dict[int, _MemberT] = {}
        """Those that are not over, by number."""
        self.due: Turns[_MemberT] = Turns()
        """Those that may have something to send, each once."""
        self.changed: deque[_MemberT] = deque()
        """Those that their program should look at, each once."""
        self.piece_length = piece_length(limits.link_length)
        """Most bytes in one message now."""
        self.even_pieces = False
        """Whether messages are of so many bytes, copied together, rather than as they were sent."""
        self._first_number = first_number
        self._restart()

    def _restart(self) -> None:
        self.openings = count()
        """Counts the conversations that the node opens, as they are asked for."""
        self._next_number = self._first_number
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
