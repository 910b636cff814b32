"""Whose turn it is to send: turns between the conversations of a node, by bytes.

Deficit round robin: in each round a conversation sends `TURN_LENGTH` bytes, and one that has sent
more pays in the next. Who has little to send goes first, as long as it has something left of its
turn: so a request does not wait for the bulk of others, and nobody can be kept waiting for more
than a round by those who only ever send little. The order within a conversation is its own matter.
"""

from collections import deque
from typing import Final, Generic, Protocol, TypeVar

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
