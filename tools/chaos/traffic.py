"""Traffic that can be accounted for: every message has a number, and is confirmed by the program.

A conversation tells its program when the partner's *link* has read a message, which is not yet the
partner's program. So here the program that receives confirms what it has, as any program must that
has to know.
"""

import struct
from collections import deque
from collections.abc import Iterator
from random import Random
from typing import Final

from isfc.programs.verification import filler
from tools.chaos.book import CONVERSATIONS, Book, Entry

WINDOW: Final = 8
"""Messages of a conversation that may be sent and not confirmed."""
LENGTHS: Final = (100, 4_000, 30_000, 200_000)
"""Messages are up to so long, in bytes, each as often: within a package, and in segments."""

_HEADER: Final = struct.Struct(">cIIQ")
"""Which of the two, the sender's life and epoch, and a number: for data, the message's; for a
confirmation, how many of the receiver's have arrived."""
_DATA, _CONFIRM = b"D", b"C"


class Correspondence:
    """What one life of a node sends a partner and hears of it, written down in its book."""

    def __init__(self, life: int, book: Book, random: Random) -> None:
        self._life = life
        self._book = book
        self._random = random
        self._begin()

    def due(self, *, quiet: bool) -> Iterator[tuple[int, bytes]]:
        """What is to be sent now, by conversation: confirmations, unless ``quiet`` a message."""
        for conversation, (life, epoch, count) in self._confirm.items():
            yield conversation, _HEADER.pack(_CONFIRM, life, epoch, count)
        self._confirm.clear()
        conversation = self._random.randrange(CONVERSATIONS)
        outstanding = self._outstanding[conversation]
        if not quiet and len(outstanding) < WINDOW:
            number = self._sent[conversation]
            self._sent[conversation] = number + 1
            self._book.write_sent(self._epoch, conversation, number + 1)
            outstanding.append(number)
            length = self._random.randint(1, self._random.choice(LENGTHS))
            header = _HEADER.pack(_DATA, self._life, self._epoch, number)
            yield conversation, b"".join((header, filler(length, number)))

    def sever(self, reason: str) -> None:
        """What is not confirmed is reported undelivered; an epoch ends."""
        for conversation, outstanding in enumerate(self._outstanding):
            self._book.write_told(self._epoch, conversation, len(outstanding))
        if reason.endswith("has restarted"):
            self._book[Entry.PARTNER_RESTARTED] += 1
        elif reason.startswith("the link was down"):
            self._book[Entry.DOWN_TOO_LONG] += 1
        else:
            self._book[Entry.OTHER_SEVERS] += 1
        self._begin()

    def arrive(self, conversation: int, data: bytes) -> None:
        """Write down what has arrived."""
        if len(data) < _HEADER.size:
            self._book[Entry.WRONG] += 1
            return
        kind, life, epoch, number = _HEADER.unpack_from(data)
        if kind == _CONFIRM:
            self._be_confirmed(conversation, life, epoch, number)
        else:
            self._note(conversation, life, epoch, number)

    def _begin(self) -> None:
        self._epoch = self._book.begin_epoch()
        self._sent = [0] * CONVERSATIONS
        self._outstanding: list[deque[int]] = [deque() for _ in range(CONVERSATIONS)]
        self._heard: tuple[int, int, int] | None = None
        """The partner's life and epoch, and their line in the book."""
        self._delivered = [0] * CONVERSATIONS
        self._confirm: dict[int, tuple[int, int, int]] = {}

    def _be_confirmed(self, conversation: int, life: int, epoch: int, count: int) -> None:
        """The partner's program has so many of our messages."""
        outstanding = self._outstanding[conversation]
        if (life, epoch) != (self._life, self._epoch) or count > self._sent[conversation]:
            self._book[Entry.WRONG] += 1
            return
        while outstanding and outstanding[0] < count:
            outstanding.popleft()
        self._book.write_confirmed(epoch, conversation, count)

    def _note(self, conversation: int, life: int, epoch: int, number: int) -> None:
        """A message of the partner's: the next of its conversation, or something is wrong."""
        if self._heard is None:
            self._heard = (life, epoch, self._book.begin_heard(life, epoch))
        if self._heard[:2] != (life, epoch) or self._delivered[conversation] != number:
            self._book[Entry.WRONG] += 1
            return
        self._delivered[conversation] = number + 1
        self._book.write_delivered(self._heard[2], conversation, number + 1)
        self._confirm[conversation] = (life, epoch, number + 1)
