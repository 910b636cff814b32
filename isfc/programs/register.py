"""What the conversations of a node have in common: their numbers, and the bound of their windows.

A window is how much may arrive of one before it is taken. All share one bound. Whoever begins takes
a part of what is left of it, and comes to an even share as it takes what arrives; a window that has
been granted cannot be taken back.
"""

from collections import deque
from itertools import count
from typing import TYPE_CHECKING, Final

from isfc.link.message import Traffic
from isfc.programs.link_room import piece_length
from isfc.programs.protocol import ConversationLimits
from isfc.programs.turns import Turns

if TYPE_CHECKING:
    from isfc.programs.conversation import ConversationEnd

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


class Register:
    """What the conversations of a node have in common.

    The node opens those whose numbers have the parity of ``first_number``.
    """

    def __init__(self, limits: ConversationLimits, first_number: int = 0) -> None:
        self.limits = limits
        self.windows = Windows(limits)
        self.conversations: dict[int, ConversationEnd] = {}
        """Those that are not over, by number."""
        self.due: Turns[ConversationEnd] = Turns()
        """Those that may have something to send, each once."""
        self.changed: deque[ConversationEnd] = deque()
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

    def enter(self, conversation: "ConversationEnd") -> None:
        """A conversation begins; its number must be free."""
        number = conversation.number
        assert number not in self.conversations, f"number {number} is used twice"
        self.conversations[number] = conversation
        self._counts[number % 2] += 1

    def strike_out(self, conversation: "ConversationEnd") -> None:
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
