"""The conversations of one node, each under its number.

A conversation is registered once and struck out once, by itself: the moment it is over. A number
is free from then on, for a conversation of the same kind: the link delivers each number's
messages in order, but those of the two kinds may overtake each other.
"""

from collections import deque
from itertools import count
from typing import TYPE_CHECKING

from isfc.link.message import Traffic
from isfc.programs.limits import ConversationLimits
from isfc.programs.protocol import SeverCode

if TYPE_CHECKING:
    from isfc.programs.conversation import ConversationEnd


class Register:
    """What the conversations of a node have in common.

    The node opens those whose numbers have the parity of ``first_number``.
    """

    def __init__(self, limits: ConversationLimits, first_number: int = 0) -> None:
        self.limits = limits
        self.conversations: dict[int, ConversationEnd] = {}
        """Those that are not over, by number."""
        self.due: deque[ConversationEnd] = deque()
        """Those that may have something to send, each once."""
        self.changed: deque[ConversationEnd] = deque()
        """Those that their program should look at, each once."""
        self.severed_count = 0
        """Conversations that ended before both ends had finished."""
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

    @property
    def window_share(self) -> int:
        """The window of each conversation, in bytes."""
        return self.limits.window_share(len(self.conversations))

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
        if number % 2 == self._first_number:
            self._free[conversation.traffic].append(number)
        if conversation.reason is None or conversation.reason.code is not SeverCode.ENDED:
            self.severed_count += 1

    def lose(self, reason: str) -> None:
        """End every conversation: the link has forgotten everything, numbers included."""
        for conversation in list(self.conversations.values()):
            conversation.lose(reason)
        assert not self.conversations, "a conversation outlived its link"
        self.due.clear()
        self._restart()
